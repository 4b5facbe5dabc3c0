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
  at_fit <- expected_wrong(object)
  if (is.null(level)) {
    return(list(count = at_fit, at_fit = at_fit))
  }
  kept <- object$nodes$wrong
  density <- if (length(kept)) average_density(object) else wrong_density(object)
  c(density_summary(density, level), list(
    level = level, epsilon = if (rate_learned(object)) "uncertain" else "given", at_fit = at_fit
  ))
}

#' Distribution of the number of wrong labels under some noise models of an average
#' @noRd
average_density <- function(object, models = object$nodes$models$model) {
  nodes <- object$nodes
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
  if (is.null(level)) {
    return(list(count = count))
  }
  ends <- density_ends(density, level)
  list(count = count, lower = ends[1], upper = ends[2])
}

#' Central interval of a distribution on 0, 1, ...
#' @noRd
density_ends <- function(density, level) {
  below <- cumsum(density) / sum(density)
  tail <- (1 - level) / 2
  c(sum(below < tail), sum(below < 1 - tail))
}
