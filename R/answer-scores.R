# How good the leave-one-out probabilities of recorded labels are.

#' The Brier score of each row: half the squared distance between the leave-one-out probabilities of what is
#' recorded and what was, (1 - p)^2 of two classes
#' @noRd
row_brier <- function(object) {
  check_one_label(object)
  prob <- recorded_rows(object)
  rowSums((prob - diag(ncol(prob))[label_code(object$data), , drop = FALSE])^2) / 2
}

#' Calibration of the leave-one-out probabilities
#'
#' A reliability curve: how often the event was recorded among rows with about the same
#' predicted probability of it, each predicted from all other rows without fitting again.
#'
#' @details
#' The probability is that of the label as recorded, including flips, because the true
#' classes are not known. (Do not score probabilities of the *true* class against recorded
#' labels, here or elsewhere: right ones then look wrong. [true_performance()] compares
#' them with the true classes, as far as these are known.) Rows are put into bins of about
#' equal size by probability; bins narrower than 0.02 are joined. The interval of an
#' observed frequency is Wilson's score interval. Of three classes or more each row is taken once for each
#' class. For a calibrated model, about the share
#' `level` of the intervals contains the predicted probability of the bin.
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()], or a
#'   [selection][select_model].
#' @param bins Largest number of bins, from 1 to 1000 (10 by default).
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default).
#' @param ... Not used.
#' @return A list of class `sturdy_calibration`:
#'   * `bins`: a data frame with one row per bin: `predicted` (mean probability of the
#'     event), `observed` (frequency of the event), `n`, and the interval `lower`,
#'     `upper` of the frequency;
#'   * `probability`: the leave-one-out probability of the event in each row;
#'     `event`: whether it was recorded;
#'   * `error`: the mean of `|predicted - observed|` over rows;
#'   * `bias`: the mean of `probability - event`;
#'   * `levels`: the two classes, of several words for them; `level`: the argument;
#'   * `rows`: of several classes, the number of labels.
#' @seealso [loo()]
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60))
#' fit <- gpc(x, x + rnorm(60) > 0, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0)
#' calibration(fit, bins = 4)
calibration <- function(object, bins = 10, level = 0.9, ...) {
  object <- fit_of(object, ..., .level = level)
  bins <- check_count(bins, "bins", 1, 1000)
  check_label_each(object)
  several <- is_several(object)
  levels <- object$blueprint$levels
  meant <- if (several) seq_along(levels) else 2L
  probability <- as.vector(recorded_rows(object)[, meant])
  event <- as.vector(outer(label_code(object$data), meant, `==`))
  table <- calibration_bins(probability, event, bins, level)
  said <- list(
    bins = table, probability = probability, event = event,
    error = sum(table$n * abs(table$predicted - table$observed)) / length(event),
    bias = mean(probability - event),
    levels = if (several) c("another class", "a class") else levels, level = level
  )
  structure(c(said, if (several) list(rows = nobs(object))), class = "sturdy_calibration")
}

#' Mean probability and frequency in bins of about equal size
#' @noRd
calibration_bins <- function(probability, event, bins, level) {
  breaks <- distant_breaks(probability, bins)
  # all.inside: rounding must not make a bin of its own of the smallest value
  bin <- if (length(breaks) > 1) findInterval(probability, breaks, all.inside = TRUE) else 0 * probability
  in_bins <- function(numbers, of) as.vector(tapply(numbers, bin, of))
  bins <- data.frame(
    predicted = in_bins(probability, mean), observed = in_bins(event, mean), n = in_bins(event, length)
  )
  cbind(bins, wilson_interval(bins$observed, bins$n, level))
}

#' Breaks of bins of about equal size, without those that would make a bin narrower than 0.02:
#' probabilities have a ceiling at 1 - epsilon, just below which half of the rows may lie
#'
#' The largest values, where they are so near together, are joined with those below, unless these are
#' far away: scores may be near 0 and near 1 and nowhere else.
#' @noRd
distant_breaks <- function(probability, bins, gap = 0.02, far = 0.1) {
  breaks <- stats::quantile(probability, seq(0, 1, length.out = bins + 1), names = FALSE)
  keep <- breaks[1]
  for (b in breaks[-1]) {
    if (b - keep[length(keep)] >= gap) keep <- c(keep, b)
  }
  last <- keep[length(keep)]
  above <- probability >= last
  if (length(keep) == 1 || !any(above)) {
    return(keep)
  }
  apart <- !all(above) && min(probability[above]) - max(probability[!above]) > far
  if (apart) c(keep, Inf) else c(keep[-length(keep)], max(probability))
}

#' Wilson's score interval of a proportion
#' @noRd
wilson_interval <- function(p, n, level) {
  z2 <- stats::qnorm((1 + level) / 2)^2
  centre <- (p + z2 / (2 * n)) / (1 + z2 / n)
  half <- sqrt(z2 * p * (1 - p) / n + z2^2 / (4 * n^2)) / (1 + z2 / n)
  data.frame(lower = pmax(centre - half, 0), upper = pmin(centre + half, 1))
}

#' @export
print.sturdy_calibration <- function(x, digits = 2, ...) {
  digits <- check_digits(digits)
  bins <- x$bins
  inside <- sum(bins$lower <= bins$predicted & bins$predicted <= bins$upper)
  print_title(
    "<sturdy_calibration> leave-one-out probability that ", x$levels[2], " is recorded, ",
    count(c(x$rows, length(x$event))[1], "label")
  )
  print_fields(c(
    "Mean |predicted - observed|" = format(x$error, digits = digits),
    "Mean predicted - observed" = format(x$bias, digits = digits),
    "Calibrated bins" = paste0(inside, " of ", nrow(bins), " (", format(100 * x$level), "% intervals)")
  ))
  print(bins, digits = digits, row.names = FALSE)
  invisible(x)
}
