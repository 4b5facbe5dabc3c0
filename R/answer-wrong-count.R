# How many training labels are wrong: expected number and interval.

#' Expected number of wrong labels
#'
#' @param level of the interval, or `NULL` for none.
#' @return list(count, lower, upper, level, epsilon, at_fit): `count` is the mean of
#'   the distribution the interval is of; `at_fit` the sum of the rows' probabilities, which
#'   differs from it only where that distribution is over the posterior of a rate and they are at
#'   the rate of the fit. Without `level` only `count` and `at_fit`.
#' @noRd
wrong_count <- function(object, level) {
  object <- judged_by(object)
  at_fit <- expected_wrong(object)
  if (is.null(level)) {
    return(list(count = at_fit, at_fit = at_fit))
  }
  said <- if (length(object$nodes$wrong)) {
    average_count(object, level)
  } else density_summary(wrong_density(object), level)
  epsilon <- if (rate_learned(object)) "uncertain" else "given"
  by_checks <- if (!is.null(object$data$drawn)) drawn_count(object$data$drawn, level)
  c(said, list(level = level, epsilon = epsilon, at_fit = at_fit, by_checks = by_checks))
}

#' Distribution of the number of wrong labels: of rows, some of them where that is asked, or of all that
#' readers gave
#' @noRd
wrong_density <- function(object, rows = seq_along(said$y)) {
  said <- node_truth(object)
  reports <- object$data$reports
  if (by_readers(reports)) {
    reports_mixture(said, reports)
  } else wrong_mixture(wrong_each(said)[rows, , drop = FALSE], said$weight, reports$times[rows])
}

#' Distribution of the number of wrong labels under some noise models of an average
#' @noRd
average_density <- function(object, models = object$nodes$models$model) {
  nodes <- object$nodes
  models <- intersect(models, names(nodes$wrong)) # others are next to impossible
  share <- nodes$models$probability[match(models, nodes$models$model)]
  mix_densities(nodes$wrong[models], share)
}

#' A distribution on 0, 1, ... where it is known not to be 0; one that stops there may go on with
#' what is beyond its digits
#' @noRd
any_density <- function(density) if (length(density) > 1) replace(density, 1, 0) else c(0, 1)

#' The mean of a distribution on 0, 1, ... and its central interval, with a level
#' @noRd
density_summary <- function(density, level) {
  count <- sum((seq_along(density) - 1) * density) / sum(density)
  ends <- if (!is.null(level)) density_ends(density, level)
  c(list(count = count), lower = ends[1], upper = ends[2])
}

#' Central interval of a distribution on 0, 1, ...
#' @noRd
density_ends <- function(density, level) {
  below <- cumsum(density) / sum(density)
  tail <- (1 - level) / 2
  c(sum(below < tail), sum(below < 1 - tail))
}

# By scores of a classifier -----------------------------------------------------------

#' How many labels are wrong by scores hangs on how often right labels contradict them, which the slope
#' leaves open: the number as it is learned, and where they hardly do
#' @return a data frame with the rows `overlap` (as much as the data allow) and `apart` (right labels
#'   hardly contradict the scores): count, lower and upper of the number of wrong labels; `NULL` where
#'   there is one possibility.
#' @noRd
overlap_ends <- function(object, level = 0.9) {
  held <- object$recalibration$apart
  if (!is.null(held)) {
    ends <- function(density) as.data.frame(density_summary(density, level))
    rbind(overlap = ends(average_density(object)), apart = ends(held$density))
  }
}

#' Does the number at the other end stand for more than was learned, where nothing speaks for wrong
#' labels?
#' @param ends see overlap_ends().
#' @noRd
scores_hide <- function(object, ends) {
  no_sign <- isTRUE(log_factor(object$nodes$models) <= log(verdict_limits[2]))
  no_sign && !is.null(ends) && ends["apart", "upper"] > ends["overlap", "upper"]
}

#' The number by an average, where that is so up to the other end
#' @noRd
average_count <- function(object, level, ends = overlap_ends(object, level)) {
  said <- density_summary(average_density(object), level)
  if (!is.null(level) && scores_hide(object, ends)) said$upper <- ends["apart", "upper"]
  said
}
