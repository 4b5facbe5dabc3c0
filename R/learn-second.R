# The error of EP to second order [M 4.9, 12.15]: what is integrated has it, where it costs
# little; what is maximised, and its curvature, has not. And the evidence by Laplace's method, to
# which it is added.

#' The log evidence of a native result with its second order, where that was asked for
#' @noRd
corrected_evidence <- function(out) out$log_evidence + second_taken(out)

#' As much of the second order as is taken: for one latent function below 1 nat, for where it is large (a
#' small nugget, a saturated latent function) the series does not end there
#' (experiments/second-order.R has what annealed importance sampling finds)
#' @noRd
second_taken <- function(out) {
  second <- sum(out$second)
  if (length(out$sites$tau) > NROW(out$seen)) second else second / (1 + abs(second))
}

#' A mode with the second order of the evidence there, as the field `second`
#' @noRd
learn_second <- function(mode, problem) {
  mode$second <- 0
  if (problem$latent$second) {
    problem$search_control$second <- TRUE
    out <- learn_ep(problem, list(mode), gradient = FALSE)[[1]]
    learn_tick(problem)
    if (ep_converged(out) && is.finite(out$second)) mode$second <- second_taken(out)
  }
  mode
}

#' Log evidence by Laplace's method at a mode
#' @noRd
node_laplace <- function(mode, least = average_least) {
  values <- pmax(axes(mode$H)$values, least)
  sum(mode$penalised, mode$second) + length(values) / 2 * log(2 * pi) - sum(log(values)) / 2
}
