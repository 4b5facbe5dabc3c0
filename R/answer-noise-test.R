#' Are any labels wrong?
#'
#' Whether labels are wrong at all, how many, and whether wrong labels could hide in a table like
#' this. For a fit that averages over noise models (`gpc(epsilon = "average")`).
#'
#' @details
#' The label stage ([wrong-labels]) integrates the evidence of each noise model over rates,
#' recalibration, unusual rows and, of several classes, pairs that look alike. The **Bayes factor** for
#' some wrong labels is the average evidence of the models with flip rates over that of the model
#' without; it does not depend on the prior probability that there are any. In words:
#' * below 1/3: no sign of wrong labels;
#' * 1/3 to 3: these data can't tell wrong labels from overlap of the classes;
#' * 3 to 20: some labels are probably wrong;
#' * above 20: some labels are wrong.
#'
#' `print()` says it as odds: "evidence 7 to 1" is a Bayes factor of 7, what the data alone say. Four cases have
#' words of their own:
#' * labels contradict their rows, and that speaks for wrong ones (a factor above 3) only if no row is
#'   unusual and no two classes look alike: they are wrong, or the rows are unusual;
#' * the scores of another classifier do not speak for wrong labels, but would leave more of them wrong
#'   if they hardly erred ([second_stage()]);
#' * the inputs predict the labels no better than the shares of the classes do: nothing can be told;
#' * a curved boundary explains the labels better than wrong ones (of a [bpm()], see below).
#'
#' With a hundred rows the second answer is common, whether or not labels are wrong: a label on
#' the wrong side may be a flip, or the classes may overlap there. No sign of wrong labels does
#' not mean that there are none: with many inputs, or flips in one class only, a wiggly boundary
#' may explain them better. So the number *if some are
#' wrong* stands beside that answer. Everywhere else there is one number, averaged over all noise
#' models, the one without wrong labels included; the list returned has both.
#'
#' # Could wrong labels hide?
#' `noticed` is how often a tenth of wrong labels (of all labels, or of those of one true class)
#' would be noticed in tables with these rows: how often the Bayes factor would be above 3. The
#' true classes have the probabilities that the other rows give them, and all that the label stage
#' knows of overlap is free to explain what it can. So where classes overlap, a tenth of wrong labels
#' may never show. The probabilities are less sure than those of the fit, as they would have been
#' learned from such labels; the article *The mathematics* has the formula (13.5). It is a guide,
#' rather too high than too low where columns are many. Of more than six classes only the rarest is
#' asked about by itself. For scores of another classifier it is left out.
#'
#' All this assumes that the model is right. To [bpm()] a label beyond its linear boundary looks
#' wrong even where a curved boundary would explain it. So where its Bayes factor is above 3, it
#' is compared with a curved boundary without wrong labels (up to 2,000 rows). Where that explains
#' the labels better (`curve` below 1/3), this is the verdict.
#'
#' To say in which class labels are wrong, the models with a rate for each class, or in one class
#' only, are compared with the model of one rate; with three classes or more, a matrix and a rate for
#' each class, too. Where most wrong labels expected are of one class taken for one other, a note says
#' so. Errors that go both ways between two classes that look alike can't be told from overlap; a note
#' names such classes.
#'
#' @param object A model fitted by [gpc()], [stc()], [bpm()] or [second_stage()] with
#'   `epsilon = "average"`.
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default).
#' @param ... Not used.
#' @return A list of class `sturdy_noise_test` with
#'   * `disproved`: has a check found a wrong label? `found`: how many have checks found?
#'   * `probability_none`, `prior_none`: that there is no label noise, after and before the data (with a low rate of it
#'     there may be no wrong label, too);
#'   * `bayes_factor`: for some wrong labels against none, and `verdict`, in words; `kind`, the same
#'     as one of `"no sign"`, `"open"`, `"probable"`, `"wrong"`, `"unusual"`, `"scores"`, `"blind"`
#'     and `"curve"`; `plain`: the Bayes factor without unusual rows and pairs that look alike, `NA`
#'     where the first is above 3; `curve`: the
#'     Bayes factor for wrong labels and a linear boundary against a curved one without, `NA`
#'     where there is none;
#'   * `any`, `some`, `average`: lists of `count`, `lower` and `upper`, the number of wrong labels
#'     if there is one at least, under the noise models that allow for some (there may be none
#'     under these, too), and averaged over all noise models; `level`;
#'   * `first`: a list of `rows`, how many of the most suspicious to check next, `found`, the expected
#'     number of wrong labels among them, and `left`, among all others;
#'   * `settled`: is every label known to be right, trusted or checked?
#'   * `n`, the number of labels; `known`, how many of them are known to be right; `contradicted`, how
#'     many are not of the class that the scores have for the most probable; and `noticed`, a data
#'     frame with a row for all labels and for those of each true class of which a row and more would
#'     be wrong: `of`, the `share` that would be wrong, and the `probability` that it would be
#'     noticed, `NULL` for scores of another classifier; of these `in_sample`, whether they seem to be
#'     made in sample, see the field `found` of the message in [second_stage()];
#'   * `ends`: of scores of another classifier a data frame with the rows `overlap` (they err as much as
#'     the data allow) and `apart` (they hardly err): `count`, `lower` and `upper` of the number of
#'     wrong labels then; otherwise `NULL`;
#'   * `models`: a data frame with one row per noise model: `model`, `prior`,
#'     `log_evidence`, `probability`, and how they were found: `modes`, `nodes` (points), `ess`
#'     (their effective number), `pareto_k` (above 0.7: not to be relied on), `method`
#'     (`nodes`; `laplace`, by Laplace's method, where coordinates are many or points say nothing;
#'     `mode`, the modes alone; `exact`, where nothing is free) and `laplace` (the log evidence by
#'     Laplace's method). A
#'     model that is ruled out, as none is once a check has found a wrong label (and one class alone, where the wrong label was
#'     of another), has the log evidence `-Inf`;
#'   * `rates`: the flip rates if there is label noise, as [flip_rates()] returns them; `on_bound`,
#'     classes whose rate is on its bound of one half;
#'   * `two`: the Bayes factor for rates that differ by class (a rate for each, or in one class
#'     only; with several classes a noise matrix, too) against one rate, `NA` without both;
#'   * `suspects`: the name of the class of whose labels more than half have a probability
#'     above 0.3 to be wrong, or `NULL`; `one_kind`: where most wrong labels are of one kind, a list of
#'     the `true` class, the one `recorded`, the expected `count` of them and of `all`; `alike`: the
#'     names of two classes that look alike; `rare`: the names of classes with fewer than three labels;
#'   * `linear`: is the boundary linear, so that labels may only look wrong ([bpm()])? `levels`, the
#'     classes; `readers` and `disputed`: are labels by [readers()], and on how many rows do these
#'     contradict each other?
#'   * `error`: standard error of the log Bayes factor by the weights of the points, `NA` where
#'     Laplace's method stands for them. The errors of EP, of what is approximate in [wrong-labels] and
#'     of the nodes of the fit are not included: with ten times as many nodes nine of ten small tables
#'     differ by less than .3 in the log Bayes factor, and by less than .7 wrong labels.
#' @section Conditions:
#' `sturdy_error_no_average` for a fit that does not average over noise models.
#' @seealso [wrong-labels], [mislabelled()], [noise_prior()]
#' @order 1
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40))
#' y <- flip_labels(factor(x > 0), 0.1, seed = 1)
#' fit <- gpc(x, y, kernel = kernel_iso(1, fixed = TRUE))
#' noise_test(fit)
noise_test <- function(object, level = 0.9, ...) {
  object <- fit_of(object, ..., .level = level)
  if (is_several(object)) check_posterior(object)
  hint <- if (has_rows(object)) {
    "For example {.code update(fit, epsilon = \"average\", noise = noise_prior())}."
  } else if (is.null(object$filter)) {
    "For example by {.code epsilon = \"average\"} from the start."
  } else "This one keeps no rows, which a test takes: fit some thousands, drawn at random, by {.fn bpm}."
  must(
    is_test(object), "object", "be a fit that averages over noise models, with and without wrong labels",
    "no_average", more = c(i = hint)
  )
  noise_statement(object, level)
}

#' What noise_test() says: whether labels are wrong, how many, of which labels, and what is odd
#' @param level of intervals; `NULL` for none, and nothing else that takes a pass over all nodes.
#' @noRd
noise_statement <- function(object, level) {
  judge <- judged_by(object)
  labels <- stated_labels(judge)
  ends <- overlap_ends(judge, if (is.null(level)) 0.9 else level)
  evidence <- stated_evidence(object, judge, labels, scores_hide(judge, ends))
  one_each <- !labels$readers # label of each row
  doubts <- list( # about classes
    suspects = if (one_each && is_called(evidence)) suspected_class(judge),
    one_kind = if (one_each && has_rows(judge)) one_kind(judge),
    alike = if (one_each && evidence$kind != "blind") alike_classes(judge), rare = rare_classes(judge),
    on_bound = rates_on_bound(judge)
  )
  more <- list(
    rates = rate_table(judge, level, models_with_errors(judge)), linear = inherits(object, "bpm"),
    noticed = if (one_each) noticed_once(object), ends = if (!is.null(level)) ends
  )
  structure(c(evidence, labels, stated_counts(judge, labels, level, ends), doubts, more), class = "sturdy_noise_test")
}

models_with_errors <- function(object) setdiff(object$nodes$models$model, "none")

#' Which labels it is about, and what is known of them
#' @noRd
stated_labels <- function(object) {
  reports <- object$data$reports
  times <- report_times(reports)
  source <- label_source(reports)
  readers <- has_readers(object)
  list(
    levels = object$blueprint$levels, n = label_total(object), readers = readers,
    in_sample = object$data$in_sample,
    settled = length(source) > 0 && all(source == 0L),
    known = if (readers) 0 else sum(times[source == 0L]),
    disproved = length(report_misread(reports)) > 0, found = length(report_corrected(reports)),
    disputed = if (readers) length(report_disputed(reports)) else 0,
    contradicted = if (has_rows(object)) {
      round(sum(times[max.col(object$data$X, "first") != label_code(object$data)]))
    }
  )
}

#' What the data say of there being wrong labels
#' @param judge what judges the labels. @param labels of stated_labels(). @param hides see scores_hide().
#' @noRd
stated_evidence <- function(object, judge, labels, hides) {
  models <- tested_models(judge)
  none <- models$model == "none"
  factor <- exp(log_factor(models))
  plain <- if (is.null(judge$nodes$plain)) NA_real_ else exp(judge$nodes$plain)
  beside <- object$curve # see held_against_curve()
  curve <- if (is.null(beside)) NA_real_ else exp(beside$some - beside$log_evidence)
  blind <- !labels$readers && !labels$settled && is_blind(judge)
  alone <- if (blind) in_question(judge)
  kind <- verdict_kind(factor, curve, plain, blind, hides)
  list(
    probability_none = models$probability[none], prior_none = models$prior[none],
    bayes_factor = factor, plain = plain, curve = curve,
    alone = if (length(alone)) quoted_empty(judge$blueprint$levels[alone]), kind = kind,
    verdict = verdict_sentences[[if (labels$settled) "settled" else kind]], models = models,
    two = factor_by_class(models), error = factor_error(judge$nodes$models)
  )
}

#' The Bayes factor for rates that differ by class against one rate, `NA` without both
#' @noRd
factor_by_class <- function(models) {
  one <- models$model == "one"
  by_class <- is_by_class(models$model)
  both <- any(one) && any(by_class)
  if (both) exp(models_evidence(models, by_class) - models_evidence(models, one)) else NA_real_
}

#' How many are wrong, and how many of them the first checks would find
#' @noRd
stated_counts <- function(object, labels, level, ends) {
  average <- average_count(object, level, ends)
  some <- average_density(object, models_with_errors(object))
  first <- if (!labels$readers && has_rows(object)) {
    said <- truth(object)
    top <- utils::head(suspicion_order(said), checks_first)
    first_checks((mean_wrong(said) * report_times(object$data$reports))[top], average$count)
  }
  list(
    some = density_summary(some, level), any = density_summary(any_density(average_density(object)), level),
    average = average, level = level, first = first
  )
}

blind_least <- 1  # nats that the labels of a table must be predicted better than by the shares of the classes
blind_rows <- 20L # rows from which that says something

#' The class of all labels that may be wrong, where they are of one and no row is known to be of it
#' @noRd
in_question <- function(object) {
  said <- truth(object)
  classes <- unique(said$y[said$source > 0L])
  if (length(classes) == 1 && !classes %in% certain_class(object$data$reports)) classes
}

#' Do the inputs, or scores, say next to nothing of the labels?
#' @noRd
is_blind <- function(object) {
  said <- truth(object)
  used <- said$source > 0
  if (length(unique(said$y[used])) == 1) { # no shares of classes to be better than
    return(length(in_question(object)) == 1)
  }
  times <- report_times(object$data$reports)[used]
  code <- said$y[used]
  share <- class_sums(times, code, ncol(object$omega)) / sum(times)
  sum(times) >= blind_rows && sum(times * (left_out_score(said)[used] - log(share[code]))) < blind_least
}

one_kind_share <- 0.6 # of the wrong labels expected, of several classes

#' One class taken for one other: where most wrong labels expected are of that kind
#' @return list(true, recorded, count, all), or `NULL`
#' @noRd
one_kind <- function(object) {
  counts <- matrix_counts(object)
  diag(counts) <- 0
  k <- which.max(counts)
  if (is_several(object) && counts[k] >= 2 && counts[k] >= one_kind_share * sum(counts)) {
    of <- object$blueprint$levels[c(row(counts)[k], col(counts)[k])]
    list(true = of[1], recorded = of[2], count = counts[k], all = sum(counts))
  }
}

alike_rows <- 3 # expected number of rows that look like those of another class from which it is said

#' The two classes that look alike, if any do: of several, by the overlap of pairs
#' @return their names, or `NULL`
#' @noRd
alike_classes <- function(object) {
  classes <- ncol(object$omega)
  U <- points_all(object$nodes, "U")
  if (classes == 2 || nrow(U) != classes^2) {
    return(NULL)
  }
  U <- matrix(U %*% object$nodes$table$weight, classes)
  diag(U) <- 0
  apart <- U - min(U[row(U) != col(U)])
  expected <- apart * label_counts(object)
  k <- which.max(expected + t(expected))
  if ((expected + t(expected))[k] >= alike_rows) object$blueprint$levels[c(row(U)[k], col(U)[k])]
}

#' The class of whose labels most are under suspicion: the inputs do not predict it
#' @noRd
suspected_class <- function(object) {
  levels <- object$blueprint$levels
  said <- truth(object)
  times <- report_times(object$data$reports)
  in_class <- function(v) class_sums(v, said$y, length(levels))
  share <- in_class(times * (mean_wrong(said) > 0.3)) / in_class(times)
  if (any(share > 0.5, na.rm = TRUE)) levels[which.max(share)]
}

#' Standard error of the log Bayes factor by the weights of the points that its evidences are means
#' over, `NA` where Laplace's method stands for them
#' @noRd
factor_error <- function(models) {
  none <- models$model == "none"
  if (!any(none) || all(none)) {
    return(NA_real_)
  }
  each <- sqrt(pmax(1 / models$ess - 1 / models$nodes, 0))
  each[models$method == "exact"] <- 0
  each[!models$method %in% c("nodes", "exact")] <- NA
  share <- shares(models$probability * !none)
  matters <- none | share > 0.01
  sqrt(sum((ifelse(none, 1, share) * each)[matters]^2))
}

factor_words <- function(error, points, factor) {
  if (is.na(error) && is.finite(factor)) { # an infinite one rules out that no label is wrong
    return("Laplace's method stands for points, so the error of the Bayes factor is not known.")
  }
  paste0("By ", whole(points), " points", if (is.finite(factor)) {
    paste0(", which leave a standard error of a factor of ", signif(exp(error), 3), " in the Bayes factor")
  }, ".")
}
