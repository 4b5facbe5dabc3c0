#' Which training labels are likely to be wrong
#'
#' The probability that each recorded training label was flipped, most suspicious
#' first, with the label the model suggests, the number of wrong labels to expect
#' and a cut-off for a wanted false-discovery rate.
#'
#' @details
#' ```{r, include = FALSE}
#' wrong_count_share <- function(k) {
#'   rows <- utils::read.csv("inst/experiments/results/wrong-count-summary.csv")
#'   sprintf("%.0f %%", 100 * rows$share[k])
#' }
#' ```
#' # Two probabilities
#' The true class of row i is the sign of its latent value. The cavity of the row
#' is what all *other* labels say about that value: a t (normal at `df = Inf`) with
#' location `m` and squared scale `s2`. With `z = y m / sqrt(s2)`, `F` its
#' distribution function in standard form, `w` the probability that a wrong label
#' is recorded as `y` and `c` that a right one is (`w = epsilon` and
#' `c = 1 - epsilon` with one flip rate),
#' * **leave-one-out**: `P(true class is the other one | other labels) = F(-z)`. It
#'   has not seen the label it judges, and does not hang on the row's own flip rate;
#' * **posterior**: by Bayes' rule, with the label itself,
#'   `P(flipped | all labels) = w F(-z) / (c F(z) + w F(-z))`. It is the share of the
#'   tilted distribution (cavity times the likelihood of the label) on the other
#'   side of 0. The denominator is the leave-one-out probability of the recorded
#'   label.
#'
#' With exact cavities both are exact; that EP's cavity is a normal or t distribution
#' is the only approximation (up to 0.07 off for two and three rows that contradict
#' each other, against enumeration; up to 0.03 for 40 rows, against draws by
#' [posterior_sample()]). Kim and Ghahramani (2008, eqs 17-20) use the marginal
#' `F(-y mean / sd)` of the approximate posterior instead, which overstates.
#'
#' Rows are sorted by the posterior probability, ties by the leave-one-out
#' probability of the label. At `epsilon = 0` the model holds every label for
#' right: all posterior probabilities are 0, the order and the leave-one-out
#' probabilities still tell, and a message says so.
#'
#' # How many labels are wrong
#' Given `epsilon` and the kernel, flips are taken as independent, so that the number
#' of wrong labels follows a Poisson-binomial distribution, whose mean is the sum of
#' the posterior probabilities. When `epsilon` was learned, its uncertainty matters
#' more than that: in simulations of 150 rows with 10 % flips
#' (`run_experiment("wrong-count")`) such an interval of nominally 90 % covers in
#' `r wrong_count_share(2)`. The number is then that of a mixture of Poisson-binomial
#' distributions over `epsilon`, weighted by the Gaussian EP evidence under a uniform prior
#' on (0, 1/2), at the kernel of the fit; its interval covers in
#' `r wrong_count_share(1)`. That costs some ten further EP fits; `level = NULL` leaves it out. When the
#' `epsilon` of the fit is far from what its kernel suggests (a kernel learned by
#' leave-one-out, or an `epsilon` on its lower bound), `print()` says so, and the
#' single probabilities, which are at the `epsilon` of the fit, are not to be trusted.
#'
#' A [bpm()] keeps no rows to fit again: its interval takes `epsilon` as given. Two
#' flip rates vary by a common factor (of the odds of `2 epsilon`).
#'
#' # False discoveries
#' The mean of `1 - probability` over the rows down to some rank is the share of
#' right labels to expect among them: the column `fdr`. `fdr = 0.1` returns the
#' longest list for which it is at most 0.1. In the simulations above such lists held
#' `r wrong_count_share(3)` of right labels.
#'
#' # How good it is
#' With a tenth of the labels of five data sets flipped on purpose
#' (`run_experiment("mislabelled-auc")`): the area under the ROC curve for finding them,
#' beside two rivals by out-of-fold margins, a random forest (ranger) and a support
#' vector machine (kernlab); and in how many replications of ten the 90 % interval held
#' the number of flips.
#'
#' ```{r, echo = FALSE, results = "asis"}
#' rows <- utils::read.csv("inst/experiments/results/mislabelled-auc-summary.csv")
#' data <- unique(rows$data)
#' value <- function(method, column) {
#'   mine <- rows[rows$method == method, ]
#'   mine[[column]][match(data, mine$data)]
#' }
#' area <- function(method) sprintf("%.3f", value(method, "auc"))
#' held <- function(method) {
#'   sprintf("%.0f", value(method, "covered") * value(method, "replications"))
#' }
#' cat(
#'   "| data | gpc() | with kernel_iso() | forest | SVM | held | held, kernel_iso() |",
#'   "| --- | --- | --- | --- | --- | --- | --- |",
#'   paste(
#'     "|", data, "|", area("gpc"), "|", area("gpc, one lengthscale"), "|",
#'     area("forest"), "|", area("svm"), "|", held("gpc"), "|",
#'     held("gpc, one lengthscale"), "|"
#'   ),
#'   sep = "\n"
#' )
#' ```
#'
#' The interval holds the kernel as it was learned. Where many lengthscales were learned
#' from few rows the kernel explains wrong labels, too, and the number comes out too
#' small: compare with [kernel_iso()].
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param fdr The wanted false-discovery rate, a number between 0 and 1: only the
#'   rows called wrong at this rate are returned. `NULL` returns all rows.
#' @param level Probability of the interval for the number of wrong labels; `NULL`
#'   for no interval.
#' @param ... Not used.
#' @return A data frame of class `sturdy_mislabelled`, sorted by `rank`, one row a
#'   training row, with
#'   * `row`: the position of the row in the data given to the fit (rows left out
#'     by `na.action` are counted);
#'   * `label`: the recorded label, a factor;
#'   * `probability`: the posterior probability that it was flipped;
#'   * `rank`: 1 for the most suspicious;
#'   * `loo`: the leave-one-out probability of the recorded label;
#'   * `suggested`: the more probable true label: the other one where
#'     `probability` is above 1/2;
#'   * `loo_wrong`: the leave-one-out probability that the true class is the other
#'     one;
#'   * `fdr`: the false-discovery rate of calling this row and all above it wrong.
#'
#'   Its row names are those of the data. The attribute `expected` is a list of
#'   `count` (the expected number of wrong labels), `lower`, `upper`, `level`, `epsilon`
#'   (`"given"` or `"uncertain"`) and `at_fit` (the sum of the probabilities);
#'   `cutoff` is a list of `fdr`, `rows` and `probability`, the smallest one called
#'   wrong (`NULL` without `fdr`); `n` and `rate` are the number of labels and
#'   `epsilon`.
#' @section Conditions:
#' `sturdy_message_no_label_noise` when `epsilon` is 0, `sturdy_error_no_sites` for a
#' [bpm()] that has absorbed rows by filtering.
#' @inherit sturdy-package references
#' @seealso [gpc()], [loo()], [plot()][plot.sturdy_mislabelled], [calibration()]
#' @export
#' @examples
#' x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 1, 1, 1)
#' fit <- gpc(x, y, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0.1)
#' mislabelled(fit)
#' mislabelled(fit, fdr = 0.3)
mislabelled <- function(object, ...) {
  UseMethod("mislabelled")
}

#' @rdname mislabelled
#' @export
mislabelled.sturdy_model <- function(object, fdr = NULL, level = 0.9, ...) {
  check_no_dots(...)
  if (!is.null(fdr)) {
    fdr <- check_number(fdr, "fdr", min = 0, max = 1)
  }
  if (!is.null(level)) {
    level <- check_number(level, "level", min = 0, max = 1, open = TRUE)
  }
  check_sites_kept(object)
  if (all(object$epsilon == 0)) {
    inform_sturdy(
      c(
        i = "With {.code epsilon = 0} no label can be wrong: the probabilities
             are 0.",
        i = "Rows are ranked by the leave-one-out probability of their label."
      ),
      "no_label_noise"
    )
  }
  found <- suspicion(object)
  place <- match(found$row, object$data$rows)
  levels <- object$blueprint$levels
  other <- factor(rev(levels)[as.integer(found$label)], levels = levels)
  found$suggested <- found$label
  found$suggested[found$probability > 0.5] <- other[found$probability > 0.5]
  found$loo_wrong <- flip_unseen(object)[place]
  found$fdr <- cumsum(1 - found$probability) / found$rank
  called <- if (is.null(fdr)) nrow(found) else sum(found$fdr <= fdr)
  new_mislabelled(
    found[seq_len(called), ], object, wrong_count(object, level),
    if (!is.null(fdr)) {
      list(
        fdr = fdr, rows = called,
        probability = if (called) found$probability[called] else NA_real_
      )
    }
  )
}

new_mislabelled <- function(found, object, expected, cutoff) {
  structure(
    found, expected = expected, cutoff = cutoff, n = nobs(object),
    rate = object$epsilon, class = c("sturdy_mislabelled", "data.frame")
  )
}

#' The ranked rows, without what takes further work
#' @noRd
suspicion <- function(object) {
  levels <- object$blueprint$levels
  first <- order(-object$ep$flipped, object$ep$loo)
  data.frame(
    row = object$data$rows[first],
    label = factor(levels[1 + (object$data$y[first] > 0)], levels = levels),
    probability = object$ep$flipped[first],
    rank = seq_along(first),
    loo = exp(object$ep$loo[first]),
    row.names = make.unique(object$data$row_names[first])
  )
}

#' Leave-one-out probability of the other class: F_v(-z) of the cavity [M 7.4]
#' @noRd
flip_unseen <- function(object) {
  cavity <- object$ep$cavity
  stats::pt(-object$data$y * cavity$mean / sqrt(cavity$var), object$spec$df)
}

# How it shows itself -------------------------------------------------------

#' @param n Number of rows shown.
#' @param digits Significant digits of probabilities.
#' @rdname mislabelled
#' @param x What `mislabelled()` returned.
#' @export
print.sturdy_mislabelled <- function(x, n = 10, digits = 2, ...) {
  expected <- attr(x, "expected")
  if (is.null(expected)) { # columns or rows were taken out of it
    print(as.data.frame(x), digits = digits)
    return(invisible(x))
  }
  rate <- format_each(attr(x, "rate"), digits + 1)
  if (length(rate) == 2) {
    rate <- paste(rate, "of true", levels(x$label), collapse = ", ")
  }
  cat("<sturdy_mislabelled> ", count(attr(x, "n"), "label"), ", epsilon = ",
      rate, "\n", sep = "")
  cutoff <- attr(x, "cutoff")
  print_fields(c(
    "Expected wrong" = describe_wrong(expected, digits),
    "Called wrong" = if (!is.null(cutoff)) describe_cutoff(cutoff, digits)
  ))
  shown <- utils::head(as.data.frame(x), n)
  if (nrow(shown)) {
    named <- !identical(row.names(shown), as.character(shown$row))
    print(shown, digits = digits, row.names = named)
  }
  if (nrow(x) > nrow(shown)) {
    cat("(", nrow(x) - nrow(shown), " less suspicious ",
        if (nrow(x) - nrow(shown) == 1) "row" else "rows", " not shown)\n",
        sep = "")
  }
  invisible(x)
}

describe_wrong <- function(expected, digits) {
  number <- function(x) format(signif(x, digits + 1))
  if (is.null(expected$level)) {
    return(number(expected$count))
  }
  at_fit <- expected$at_fit
  far <- at_fit < expected$lower - 0.5 || at_fit > expected$upper + 0.5
  paste0(
    number(expected$count), " (", format(100 * expected$level), "% interval ",
    expected$lower, " to ", expected$upper,
    if (expected$epsilon == "given") ", epsilon taken as known",
    if (far) paste0("; ", number(at_fit), " at the epsilon of the fit"), ")"
  )
}

describe_cutoff <- function(cutoff, digits) {
  if (cutoff$rows == 0) {
    return(paste0("no row at a false-discovery rate of ", format(cutoff$fdr)))
  }
  paste0(
    count(cutoff$rows, "row"), " at a false-discovery rate of ",
    format(cutoff$fdr), ": probability ",
    format(cutoff$probability, digits = digits), " and above"
  )
}

#' @export
as.data.frame.sturdy_mislabelled <- function(x, ...) {
  attributes(x)[c("expected", "cutoff", "n", "rate")] <- NULL
  class(x) <- "data.frame"
  x
}
