# Priors of flip rates, of there being any, and of overlap.

#' Priors of label noise
#'
#' What is believed of labels before the data are seen: the probabilities of the noise models (no
#' label is wrong; all are with one rate; each class has a rate of its own; labels of one class only
#' are recorded wrongly), the priors of the rates, how much the classes overlap, and how many rows are
#' unusual. Used wherever rates are learned.
#'
#' @details
#' The **rate of all labels** e has the density `2 b (1 - 2e)^(b - 1)` on (0, 1/2), b being `rate`: twice
#' the rate has a Beta(1, b) distribution, with mean `1/(b + 1)`. The default of 4 expects a
#' tenth of the labels to be wrong, and more than 28 % in one case of 30; that of 2 for rates by
#' group expects a sixth, and more than 28 % in one case of five. **Rates by class** have by default
#' a Beta(1, 2) distribution, of two classes, their sum being below 1, or Beta(1, 4), of several: one
#' class may have most of its labels wrong. Where `rate` is given they have the prior of the rate of
#' all labels.
#'
#' Where a validation study compared recorded labels with the truth, give what it found as
#' `sensitivity` and `specificity`: with 45 of 50 events recorded as events, `sensitivity
#' = c(45, 5)` (add one half to each for a study with few rows). The noise model is then
#' the one with two rates, whatever `models` says.
#'
#' `study` takes the table of such a study as it is, for any number of classes: how many rows of
#' each true class (rows) were recorded as each class (columns). With three classes or more these
#' counts join those of the data in the likelihood of the noise matrix, which is then the noise
#' model, whatever `models` says; with two classes they are `sensitivity` and `specificity`, with
#' one half added to each. The study must be of rows recorded as those of the data were, and may
#' have taken as many of each class as it liked. With [readers()] of two classes `sensitivity`,
#' `specificity` and `study` are the prior of each of them; of several classes a study, which is of one
#' noise matrix, is refused (`sturdy_error_readers`).
#'
#' # Positive and unlabelled
#' Where one label only means something (a diagnosis that was made, a species that was seen) and all
#' other rows are merely not labelled, `unlabelled` names the class that they are recorded as.
#' Rows with the label are then right for certain, and each row that truly belongs to their class has
#' been labelled with the same probability, the **share of the positives that is labelled**, whose
#' prior is `sensitivity` (`specificity` where the unlabelled are the second level), flat on (0, 1)
#' by default; that is the one noise model, whatever `models` and `rate` say. `print()` and
#' [summary()][summary.sturdy_model] have that share and the prevalence, with intervals,
#' [mislabelled()] the probability of each unlabelled row to be a positive, and
#' [predict()][predict.sturdy_model] that of any row.
#'
#' What must be assumed is that positives are **labelled at random among positives**, whatever their
#' inputs (Elkan and Noto, 2008). Nothing in the labels alone can refute that where the classes
#' overlap; what tells most is that somewhere nearly all rows are positive. Where labelling may
#' differ between groups of rows, `rates = ~ group` gives each a share of its own: shares that differ
#' say that labels are not left to chance. Checks of
#' unlabelled rows, taken in by [`update(fit, checked = )`][update.sturdy_model], tell both numbers
#' without that assumption in the rows that were checked.
#'
#' # Overlap
#' A label on the wrong side may be wrong, or the classes may overlap there. A hundred rows often
#' can't say which, so the number of wrong labels depends on what is assumed about overlap. It is
#' measured by the share of right labels that contradict the inputs: with a nugget
#' g beside a latent function of variance v in the prior, `atan(sqrt(g / v)) / pi` (with three
#' classes or more, how often the largest latent function is another without the nugget). By
#' default it is learned, under a prior that [overlap] describes. If you know better, say so: where
#' experts would agree on 99 of 100 labels, `overlap = 0.01` holds it there; `overlap = c(0.01, 0.1)`
#' bounds it. That takes the place of the nugget, of the kernel or of [bpm()], and of its prior. If
#' the classes do overlap, it makes right labels look wrong.
#'
#' # Unusual rows
#' A label that contradicts its row may be right: the row is then unusual. No number of rows with one
#' label each tells the two apart, so what is believed decides ([wrong-labels]). By default the share
#' of unusual rows u is learned: of fits to two classes it has a Beta(1, 100) distribution, with mean
#' 1 %; of the scores of other classifiers Beta(1, 50), with mean 2 %; of three classes or more twice
#' the share has that. `unusual = 0.02` holds it. `unusual = 0` says that whatever contradicts its row
#' is a wrong label, or overlap.
#'
#' @param models Prior probabilities of the noise models, a vector with names among `none`, `one`,
#'   `two`, `first` and `second`, at least 0 with a positive sum; what is not named has
#'   probability 0 and is left out. With `first` only rows that truly belong to the first class
#'   are recorded wrongly, with `second` only those of the second, the event. `NULL`, the default,
#'   is .25, .3, .15, .15 and .15 for two classes; for three or more .3 for none, .25 for one rate,
#'   .1 for a rate for each class, .2 for a matrix and .15 for one class alone, shared by the classes.
#'   Of `models` that are given, with three classes or more a third of `two` is that of a rate for
#'   each class and the rest that of a matrix, and the sum of `first` and `second` is shared by one
#'   class alone. [Classes in an order][ordered-classes] have no matrix: one rate has what is its by
#'   default, a rate for each class what is given. See [several-classes] for very many classes.
#' @param rate The shape b of the prior of a rate, above 0. `NULL`, the default, is 4 for the rate of
#'   all labels, and 2 with rates by group: among several groups one with many wrong labels is less of
#'   a surprise.
#' @param sensitivity,specificity Beta priors, `c(a, b)` with both above 0, of the
#'   probability that an event is recorded as one (`sensitivity`), and a row of the first
#'   class as such (`specificity`). Each may be below 1/2: what holds is
#'   that their sum is above 1. `NULL`, the default, is the prior of rates by class.
#' @param study Counts of a validation study: a matrix of numbers of at least 0, true classes x
#'   recorded ones, whose rows and columns have the names of the classes or stand in the order of
#'   the levels. `NULL`, the default, for none.
#' @param pooling With rates by group (`rates = ~ group` in [gpc_spec()]), or by [readers()]: the
#'   prior correlation of the rates of two groups on the normal scale, from 0 (each on its
#'   own) to below 1; 0.2 by default.
#' @param overlap The share of labels that are right and still contradict the inputs: `NULL`, the
#'   default, to learn it; a number above 0 and below 1/2 to hold it; or `c(lower, upper)` to
#'   bound it.
#' @param unlabelled The class that rows without a label are recorded as, as in `unlabelled = "no"`,
#'   where the other class alone is ever recorded: see *Positive and unlabelled*. Of two classes
#'   only, for fits that average (`epsilon = "average"`). No row is then unusual. `NULL`, the default,
#'   where both labels are labels.
#' @param unusual The share of rows that are unusual for their class: `NULL`, the default, to learn
#'   it; or a number from 0 to below 1/2 to hold it.
#' @return A list of class `sturdy_noise_prior` with the fields `models`, `rate`,
#'   `sensitivity`, `specificity`, `pooling`, `overlap`, `study`, `unlabelled` and `unusual`.
#' @section Conditions:
#' `sturdy_error_prior` for values that are no such priors.
#' @references
#' Elkan, C. and Noto, K. (2008). Learning classifiers from only positive and unlabeled data.
#' *Knowledge Discovery and Data Mining*, 213-220.
#' @seealso [label-noise], [overlap] and [wrong-labels] explain what these priors are of; [gpc_spec()], [weak_prior()],
#'   [noise_test()]
#' @export
#' @examples
#' noise_prior()
#' noise_prior(models = c(none = 1, one = 1, two = 1))
#' noise_prior(sensitivity = c(45, 5), specificity = c(98, 2))
#' # a study of three classes, in which "ill" was taken for "worse" and the other way round
#' noise_prior(study = rbind(
#'   well = c(well = 60, ill = 0, worse = 0), ill = c(1, 33, 6), worse = c(0, 4, 16)
#' ))
#' # sick patients are missed, but no healthy one is recorded as sick
#' noise_prior(models = c(none = 1, second = 1))
#' # two experts agree on 99 of 100 labels
#' noise_prior(overlap = 0.01)
#' # whatever contradicts its class is wrong
#' noise_prior(unusual = 0)
#' # "no" means that nobody has said "yes"
#' noise_prior(unlabelled = "no")
noise_prior <- function(models = NULL,
                        rate = NULL,
                        sensitivity = NULL,
                        specificity = NULL,
                        pooling = 0.2,
                        overlap = NULL,
                        study = NULL,
                        unlabelled = NULL,
                        unusual = NULL) {
  must(
    is.null(models) || are_numbers(models) && !is.null(names(models)) && all(names(models) %in% noise_models) &&
      !anyDuplicated(names(models)) && all(models >= 0) && sum(models) > 0,
    "models", "be probabilities named {.or {.val {noise_models}}}", "prior", got = models
  )
  if (!is.null(models)) {
    all <- stats::setNames(numeric(length(noise_models)), noise_models)
    all[names(models)] <- models
    models <- all / sum(all)
  }
  must(
    is.null(unlabelled) || is.atomic(unlabelled) && length(unlabelled) == 1 && !is.na(unlabelled),
    "unlabelled", "be {.code NULL} or the name of a class", "prior", got = unlabelled
  )
  must(
    is.null(study) || is.null(unlabelled), "study", "be left out where there is {.arg unlabelled}",
    "prior"
  )
  must(
    is.null(study) || is.null(sensitivity) && is.null(specificity), "study",
    "be given alone: it has what {.arg sensitivity} and {.arg specificity} say", "prior"
  )
  structure(
    list(
      models = models,
      rate = if (!is.null(rate)) {
        check_number(rate, "rate", min = 0, open = TRUE, class = "prior")
      },
      sensitivity = check_beta(sensitivity, "sensitivity"),
      specificity = check_beta(specificity, "specificity"),
      pooling = check_share_below(pooling, "pooling", 1, "1"),
      overlap = check_overlap(overlap),
      study = check_study(study),
      unlabelled = if (!is.null(unlabelled)) as.character(unlabelled),
      unusual = if (!is.null(unusual)) check_share_below(unusual, "unusual", 0.5, "1/2")
    ),
    class = "sturdy_noise_prior"
  )
}

# As they are told
noise_models <- c("none", "one", "two", "first", "second")

# Prior probabilities of noise models where the user does not say
usual_models <- list(
  two = c(none = 0.25, one = 0.3, two = 0.15, first = 0.15, second = 0.15),
  several = c(none = 0.3, one = 0.25, each = 0.1, matrix = 0.2, alone = 0.15),
  ordered = c(none = 0.3, one = 0.45, each = 0.1, alone = 0.15)
)
by_class_shape <- 2 # of two classes: a rate of each of Beta(1, 2)
unusual_shape <- c(fit = 100, scores = 50) # u ~ Beta(1, k) of a fit of two classes, and of all else

group_rate_shape <- 2

#' The shape of the prior of a rate, where there are rates of so many groups
#' @noRd
rate_shape <- function(prior, sources) {
  if (!is.null(prior$rate)) {
    prior$rate
  } else if (sources > 1) {
    group_rate_shape
  } else {
    rate_prior_shape
  }
}

check_beta <- function(x, arg) {
  must(
    is.null(x) || are_numbers(x, 2, above = 0), arg,
    "be {.code NULL} or {.code c(a, b)}, the two shapes of a Beta distribution, above 0",
    "prior", got = x
  )
  if (!is.null(x)) as.double(x)
}

check_share_below <- function(x, arg, below, words) {
  x <- check_number(x, arg, min = 0, max = 1, class = "prior")
  must(x < below, arg, paste("be below", words), "prior")
  x
}

check_overlap <- function(x) {
  must(
    is.null(x) || is.numeric(x) && length(x) %in% 1:2 && are_numbers(x, above = 0) &&
      all(x < 0.5) && !is.unsorted(x, strictly = TRUE), "overlap",
    "be {.code NULL}, a share above 0 and below 1/2, or {.code c(lower, upper)}, two of them",
    "prior", got = x
  )
  if (!is.null(x)) as.double(x)
}

check_study <- function(x) {
  must(
    is.null(x) || is.matrix(x) && are_numbers(x) && nrow(x) == ncol(x) && nrow(x) > 1 &&
      all(x >= 0) && sum(x) > 0,
    "study", "be {.code NULL}, or a square matrix of counts, true classes x recorded ones",
    "prior", got = x
  )
  x
}

check_noise_prior <- function(prior) check_made(prior, "noise", noise_prior, "sturdy_noise_prior")

#' @export
print.sturdy_noise_prior <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  given <- Filter(length, unclass(x))
  words <- vapply(given, function(v) {
    if (is.matrix(v)) {
      return(paste(sum(diag(v)), "of", sum(v), "rows recorded rightly"))
    }
    v <- stats::setNames(if (is.numeric(v)) format_each(v, digits) else v, names(v))
    paste(c(rbind(names(v), v)), collapse = " ")
  }, "")
  cat("<sturdy_noise_prior>\n")
  print_fields(c(words, if (length(given) < length(x)) c("all else" = "as usual, see ?noise_prior")))
  invisible(x)
}
