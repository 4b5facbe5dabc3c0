# Log evidence integrated over the learned hyperparameters, by Laplace's method: what
# candidates with different numbers of them are compared by.

#' Integrated evidence of a Gaussian process or Bayes point machine
#'
#' With u the free parameters (logs; logit(2 epsilon) for a flip rate), f(u) the log of
#' evidence x prior density and u0 its mode,
#'   log int exp(f) ~ f(u0) + d/2 log(2 pi) - 1/2 log|-f''(u0)|   [M 8.6].
#' On the logit scale the density has its mode inside, also where the evidence wants
#' epsilon = 0.
#'
#' @param space latent space at the values to start from. @param epsilon rates as
#'   specified: "learn", "learn2" or held. @param at learned rates to start from.
#' @param search whether the mode is searched for from several starts: the values are
#'   the optimum of something else.
#' @return a number; `NA` where a free parameter has no prior, or where no mode was
#'   found, with the reason as attribute `why`.
#' @noRd
integrated_evidence <- function(latent, spec, at = NULL, search = FALSE) {
  spec[c("df", "criterion")] <- list(Inf, "evidence")
  problem <- learn_problem(latent, spec)
  problem$rate_prior <- TRUE
  d <- length(problem$start)
  if (d == 0) {
    return(integrated_nothing(latent, spec))
  }
  open <- unpriored(problem)
  if (length(open)) {
    return(not_integrated(paste("no prior on", paste(open, collapse = ", "))))
  }
  tick <- learn_progress(problem, more = 2 * d, what = "Integrating")
  mode <- if (search) learn_search(problem) else climb_to_mode(problem, at, tick)
  if (!is.finite(mode$penalised)) {
    return(not_integrated("no mode was found"))
  }
  if (any(mode$par <= problem$lower | mode$par >= problem$upper)) {
    return(not_integrated("the mode is on a bound of the search"))
  }
  H <- curvature(problem, mode, tick = tick)
  if (anyNA(H)) {
    return(not_integrated("EP has no fixed point near the mode"))
  }
  U <- tryCatch(chol(H), error = function(cnd) NULL)
  if (is.null(U)) {
    return(not_integrated("no maximum was found"))
  }
  # what a Newton step from here would gain: next to nothing at a mode
  if (sum(backsolve(U, mode$gradient, transpose = TRUE)^2) / 2 > 0.05) {
    return(not_integrated("the search ended before the mode"))
  }
  mode$penalised + prior_constant(problem) + d / 2 * log(2 * pi) -
    sum(log(diag(U)))
}

not_integrated <- function(why) structure(NA_real_, why = why)

#' Nothing was learned: the evidence itself
#' @noRd
integrated_nothing <- function(latent, spec) {
  ep <- ep_run(latent, latent$hyper, Inf, spec$epsilon, NULL, spec$control, final = TRUE)
  if (ep$status != "converged") {
    return(not_integrated("EP did not converge"))
  }
  ep$log_evidence
}

#' Free parameters without a proper prior
#' @noRd
unpriored <- function(problem) {
  kernel <- setdiff(unique(problem$field), "epsilon")
  none <- function(name) is.null(problem$latent$prior[[name]])
  kernel[vapply(kernel, none, logical(1))]
}

#' What learn_prior() leaves out: the constants of the normal densities of the logs
#' @noRd
prior_constant <- function(problem) {
  kernel <- problem$field[problem$field != "epsilon"]
  sd <- vapply(problem$latent$prior[kernel], function(p) p$sdlog, numeric(1))
  -sum(log(sd)) - length(kernel) / 2 * log(2 * pi)
}

#' Climb to the mode from the optimum of the evidence
#' @noRd
climb_to_mode <- function(problem, at, tick) {
  if (length(at)) { # off the bounds: the mode is inside
    problem$start[problem$field == "epsilon"] <-
      stats::qlogis(2 * pmin(pmax(at, 1e-3), 0.45))
  }
  objective <- learn_objective(problem, tick)
  learn_climb(problem, objective, objective$at(problem$start))
}

#' -f'' at the mode, by central differences of the exact gradient
#'
#' The step balances the error of the gradient, of the order of EP's tolerance, which is
#' smaller here than in a search, with that of the difference (step^2): on the log scale f
#' changes over distances of order 1.
#' @return d x d, of `NA` where EP has no fixed point near the mode.
#' @noRd
curvature <- function(problem, mode, step = 0.01, tick = function(n) NULL) {
  problem$search_control$tol <- learn_tol_curvature
  slope <- function(par) {
    there <- learn_evaluation(problem, par, learn_native(problem, par, mode$sites))
    tick(problem$latent$n)
    if (is.finite(there$penalised)) there$gradient else NA
  }
  d <- length(mode$par)
  H <- matrix(0, d, d)
  for (j in seq_len(d)) {
    up <- down <- mode$par
    up[j] <- up[j] + step
    down[j] <- down[j] - step
    H[, j] <- (slope(down) - slope(up)) / (2 * step)
  }
  (H + t(H)) / 2
}
