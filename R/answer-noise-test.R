#' Are any labels wrong?
#'
#' Whether labels are wrong at all, how many, and whether wrong labels could hide in a table like
#' this. For a fit that averages over noise models (`gpc(epsilon = "average")`).
#'
#' @details
#' The evidence of each noise model is integrated over the hyperparameters and over its
#' rates. The **Bayes factor** for some wrong labels is the average evidence of the models
#' with flip rates over that of the model without; it does not depend on the prior
#' probability that there are any. In words:
#' * below 1/3: no sign of wrong labels;
#' * 1/3 to 3: these data can't tell wrong labels from overlap of the classes;
#' * 3 to 20: some labels are probably wrong;
#' * above 20: some labels are wrong.
#'
#' `print()` says it as odds: "7 to 1" is a Bayes factor of 7, what the data alone say.
#'
#' With a hundred rows the second answer is common, whether or not labels are wrong: a label on
#' the wrong side may be a flip, or the classes may overlap there. No sign of wrong labels does
#' not mean that there are none: with many inputs, or flips in one class only, a wiggly boundary
#' may explain them better (`vignette("believe")` has the shares). So the number *if some are
#' wrong* stands beside that answer. Everywhere else there is one number, averaged over all noise
#' models, the one without wrong labels included; the list returned has both.
#'
#' # Could wrong labels hide?
#' `noticed` is how often a tenth of wrong labels (of all labels, or of those of one true class)
#' would be noticed in tables with these rows: how often the Bayes factor would be above 3. The
#' true classes have the probabilities that the other rows give them, and the overlap of the
#' classes and their boundary are free to explain what they can. So where classes overlap, a tenth
#' of wrong labels may never show. The article *The mathematics* has the formula (13.5). It is a
#' guide: nearly right on average over tables of several kinds, but not for each kind (110 rows,
#' `experiments/noticed.R` in the repository):
#'
#' ```{r, echo = FALSE, results = "asis"}
#' rows <- utils::read.csv("inst/results/noticed-overall.csv")
#' cat(
#'   "| wrong labels | tables | said: noticed in | were noticed in |", "| --- | --- | --- | --- |",
#'   sprintf("| %s | %d | %.2f | %.2f |", c(
#'     all = "a tenth of all", other = "a tenth of one class", event = "a tenth of the event"
#'   )[rows$of], rows$n, rows$expected, rows$noticed),
#'   sep = "\n"
#' )
#' ```
#'
#' All this assumes that the model is right. To [bpm()] a label beyond its linear boundary looks
#' wrong even where a curved boundary would explain it. So where its Bayes factor is above 3, it
#' is compared with a curved boundary without wrong labels (up to 2,000 rows). Where that explains
#' the labels better (`curve` below 1/3), this is the verdict.
#'
#' To say in which class labels are wrong, the models with a rate for each class, or in one class
#' only, are compared with the model of one rate; with three classes or more, the model with a
#' noise matrix is. Two classes that overlap, and are alike in all columns, look as if one were
#' taken for the other: the test may be sure of wrong labels where there are none (the article
#' *Reproducing the papers* has such a case).
#'
#' @param object A model fitted by [gpc()], [stc()], [bpm()] or [second_stage()] with
#'   `epsilon = "average"`.
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default).
#' @param ... Not used.
#' @return A list of class `sturdy_noise_test` with
#'   * `disproved`: has a check found a wrong label? `found`: how many have checks found?
#'   * `probability_none`, `prior_none`: that no label is wrong, after and before the data;
#'   * `bayes_factor`: for some wrong labels against none, and `verdict`, in words; `curve`: the
#'     Bayes factor for wrong labels and a linear boundary against a curved one without, `NA`
#'     where there is none;
#'   * `any`, `some`, `average`: lists of `count`, `lower` and `upper`, the number of wrong labels
#'     if there is one at least, under the noise models that allow for some (there may be none
#'     under these, too), and averaged over all noise models; `level`;
#'   * `settled`: is every label known to be right, trusted or checked?
#'   * `n`, the number of labels; `known`, how many of them are known to be right; and `noticed`, a data frame with a row for all labels and for
#'     those of each true class of which a row and more would be wrong: `of`, the `share` that would
#'     be wrong, and the `probability` that it would be noticed;
#'   * `ends`: where the prior leaves open how much the classes overlap, a data frame with the rows
#'     `overlap` (as much as the data allow) and `apart` (they hardly overlap): the `probability` of
#'     each, `count`, `lower` and `upper` of the number of wrong labels then, and the effective
#'     number of `nodes` (of a [second_stage()], whose data do not say which is the case, both
#'     `NA`); otherwise `NULL`;
#'   * `models`: a data frame with one row per noise model: `model`, `prior`,
#'     `log_evidence`, `probability`, and how they were found: `modes`, `nodes`, `ess`
#'     (effective number of nodes), `pareto_k` (above 0.7: not to be relied on), `corrected`
#'     (whether the evidence is EP's, corrected to second order, see [log_evidence()]), `method`
#'     (`nodes`; `carried`, by Laplace's method with what the nodes of the other models add to
#'     theirs, where a model is too improbable to deserve nodes; `mode`, by Laplace's method;
#'     `exact`, where nothing is free) and `laplace` (the log evidence by Laplace's method). A
#'     model that is ruled out, as none is once a check has found a wrong label (and one class alone, where the wrong label was
#'     of another), has the log
#'     evidence `-Inf`. Where the evidence rests on the curvature at a mode and EP does not
#'     converge nearby, `method` says what the curvature is from: `(stalled)`, an EP that came
#'     near; `(scores)` of the rows, which are rougher; or the `(prior)` alone, not to be relied on;
#'   * `rates`: the flip rates if some labels are wrong, as [flip_rates()] returns them;
#'   * `two`: the Bayes factor for rates that differ by class (a rate for each, or in one class
#'     only; with several classes a noise matrix) against one rate, `NA` without both;
#'   * `suspects`: the name of the class of whose labels more than half have a probability
#'     above 0.3 to be wrong, or `NULL`;
#'   * `linear`: is the boundary linear, so that labels may only look wrong ([bpm()])? `shared`:
#'     have three classes or more one kernel, so that overlap of two may look like a matrix?
#'   * `error`: how far the answers may be from the average over all possible nodes, estimated
#'     from the nodes, which are weighted draws. Standard errors of `log_bayes_factor`, of the
#'     `count` and the `rates` (the largest) if some labels are wrong, and of the rows'
#'     `probability` of a wrong label (root mean square); `NA` where modes stand for nodes. Nodes
#'     are added automatically while they are cheap and the error of `log_bayes_factor` is above
#'     .1, that of `probability` above .01 or that of `count` above .5. Another order of the
#'     columns or classes moves the answers by about this much; other units of the inputs, or
#'     another machine, do not. The error of EP is not included.
#' @section Conditions:
#' `sturdy_error_no_average` for a fit that does not average over noise models.
#' @seealso [mislabelled()], [noise_prior()]
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40))
#' y <- flip_labels(factor(x > 0), 0.1, seed = 1)
#' fit <- gpc(x, y, kernel = kernel_iso(1, fixed = TRUE))
#' noise_test(fit)
noise_test <- function(object, ...) {
  UseMethod("noise_test")
}

#' @export
noise_test.default <- function(object, ...) by_own_fit(noise_test, object, ...)

#' @rdname noise_test
#' @export
noise_test.sturdy_model <- function(object, level = 0.9, ...) {
  check_model(object)
  check_no_dots(...)
  level <- check_level(level)
  if (is_several(object)) check_posterior(object)
  if (!is_test(object)) abort_no_test(object, rlang::current_env())
  noise_statement(object, level)
}

abort_no_test <- function(object, call) {
  left <- object$nodes$models$model
  abort <- function(...) abort_sturdy(c(...), "no_average", arg = "object", call = call)
  if (identical(object$spec$epsilon, "average") && length(left)) {
    asked <- names(noise_weights(
      "average", object$spec$noise, object$data$reports, is_in_order(object)
    ))
    if (length(asked) == 1 || !"none" %in% asked) {
      abort(
        "The fit has no noise model but {.val {asked}}, as its {.arg noise} asks.",
        i = "Models with and without wrong labels are compared, as in {.code update(fit, noise =
             noise_prior())}."
      )
    }
    abort(
      "The fit has been left with the noise model {.val {left}} alone.",
      i = "Under the others the search found no mode, or one that was far behind on a part of the
           rows. Compare {.fn log_evidence} of {.code update(fit, epsilon = \"learn\")}."
    )
  }
  abort(
    "{.arg object} must be a fit that averages over noise models, with and without
     wrong labels.",
    i = if (has_rows(object)) {
      "For example {.code update(fit, epsilon = \"average\", hyper = \"integrate\")}."
    } else {
      "This one keeps no rows, which a test takes: fit a few thousand of them, drawn at random, by
       {.fn {spec_model(object$spec)}} with its defaults."
    }
  )
}

#' What noise_test() says
#' @param level of intervals; `NULL` for none, and nothing else that takes a pass over all nodes.
#' @noRd
noise_statement <- function(object, level) {
  fit <- object
  object <- told_by(fit)
  models <- tested_models(object)
  none <- models$model == "none"
  evidence <- flip_evidence(models)
  some <- setdiff(object$nodes$models$model, "none")
  factor <- exp(evidence$some - evidence$none)
  beside <- fit$curve # see held_against_curve()
  curve <- if (is.null(beside)) NA_real_ else exp(beside$some - beside$log_evidence)
  several <- is_several(object)
  one <- models$model == "one"
  by_class <- models$model %in% noise_by_class
  reports <- object$data$reports
  source <- label_source(reports)
  settled <- length(source) > 0 && all(source == 0L)
  readers <- has_readers(object)
  structure(
    list(
      probability_none = models$probability[none], prior_none = models$prior[none],
      bayes_factor = factor, curve = curve, disproved = length(report_misread(reports)) > 0,
      verdict = noise_verdict(factor, curve, settled), settled = settled,
      some = density_summary(average_density(object, some), level),
      any = density_summary(any_density(average_density(object)), level),
      average = density_summary(average_density(object), level), level = level,
      models = models, rates = rate_table(object, level, some),
      two = if (any(one) && any(by_class)) {
        exp(models_evidence(models, by_class) - models_evidence(models, one))
      } else {
        NA_real_
      },
      suspects = if (!readers) suspected_class(object), linear = inherits(fit, "bpm"),
      shared = several && is.null(object$recalibration) && object$spec$kernels == "shared",
      told = told_size(fit),
      levels = object$blueprint$levels, n = label_total(object),
      known = if (readers) 0 else sum(report_times(reports)[source == 0L]),
      found = length(report_corrected(reports)), on_bound = rates_on_bound(object),
      readers = readers, disputed = if (readers) length(report_disputed(reports)) else 0,
      noticed = if (!readers) noticed_once(object),
      ends = if (!is.null(level)) overlap_ends(object, level),
      error = if (!is.null(level)) node_error(object)
    ),
    class = "sturdy_noise_test"
  )
}

#' The class of whose labels most are under suspicion: the inputs do not predict it
#' @noRd
suspected_class <- function(object) {
  levels <- object$blueprint$levels
  said <- truth(object)
  share <- tapply(mean_wrong(said) > 0.3, factor(said$y, seq_along(levels)), mean)
  if (any(share > 0.5, na.rm = TRUE)) levels[which.max(share)]
}

# Words ---------------------------------------------------------------------------

#' @param digits Significant digits.
#' @param x The result of `noise_test()`.
#' @rdname noise_test
#' @export
print.sturdy_noise_test <- function(x, digits = 2, ...) {
  digits <- check_digits(digits)
  cat("<sturdy_noise_test>\n")
  print_fields(c(verdict_lines(x, digits), named_notes(verdict_notes(x))))
  number <- function(v) format(signif(v, digits))
  cat("\nWhat it rests on\n")
  print_fields(c(
    "No label is wrong" = paste0(
      "probability ", bounded(x$probability_none, 1e-4, Inf, number), " (before the data ",
      number(x$prior_none), ")"
    ),
    "Bayes factor for some" = bounded(x$bayes_factor, 1e-4, 1e4, number),
    "If some are wrong" = count_interval(x$any, x, digits),
    "Averaged" = count_interval(x$average, x, digits)
  ))
  models <- x$models
  cat("\nNoise models\n")
  print(
    models[c("model", "prior", "probability", "log_evidence", "nodes", "ess", "pareto_k",
             "method")],
    digits = digits + 1, row.names = FALSE
  )
  cat("\n")
  print_title("Flip rates by true class, if some labels are wrong")
  rates <- x$rates
  rates$rows <- whole(rates$rows) # not 1e+05
  print(rates, digits = digits, row.names = FALSE)
  cat("", strwrap(node_error_words(x$error, sum(x$models$nodes))), sep = "\n")
  invisible(x)
}

#' Notes as lines of print_fields()
#' @noRd
named_notes <- function(notes) {
  stats::setNames(as.character(notes), c("Note", rep("", length(notes)))[seq_along(notes)])
}

count_interval <- function(part, test, digits) {
  paste0(
    count_text(part$count, digits), " ", of_words(test), " (", format(100 * test$level),
    "% interval ", range_text(part), ")"
  )
}
