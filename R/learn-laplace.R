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
#' @param latent latent space at the values to start from. @param spec of the fit.
#' @param at learned rates to start from. @param search whether the mode is searched for from
#'   several starts: the values are the optimum of something else.
#' @return a number; `NA` where a free parameter has no prior, or where no mode was
#'   found, with the reason as attribute `why`.
#' @noRd
integrated_evidence <- function(latent, spec, at = NULL, search = FALSE) {
  spec[c("df", "criterion")] <- list(Inf, "evidence")
  problem <- optimum_problem(latent, spec, log_coordinates(latent, spec$epsilon, proper = TRUE))
  d <- length(problem$start)
  if (d == 0) { # the evidence itself
    ep <- learn_final(problem, problem$start, NULL)
    if (ep$status != "converged") {
      return(not_integrated("EP did not converge"))
    }
    here <- list(par = problem$start, sites = ep$sites)
    return(ep$log_evidence + learn_second(here, problem)$second)
  }
  open <- learn_unpriored(latent)
  if (length(open)) {
    return(not_integrated(paste("no prior on", paste(open, collapse = ", "))))
  }
  work <- learn_work(problem$control$progress, latent, "Integrating")
  problem$control$progress <- work
  work$expect((if (search) 3 else 1) * (passes_climb + d) + 2 * d)
  modes <- if (search) {
    learn_search(problem, NULL, spec)$modes
  } else {
    if (length(at)) { # off the bounds: the mode is inside
      problem$start[problem$field == "epsilon"] <- stats::qlogis(2 * pmin(pmax(at, 1e-3), 0.45))
    }
    learn_modes(learn_objective(problem), list(list(par = problem$start)))
  }
  if (!length(modes)) {
    return(not_integrated("no mode was found"))
  }
  mode <- modes[[1]]
  if (any(mode$par <= problem$lower | mode$par >= problem$upper)) {
    return(not_integrated("the mode is on a bound of the search"))
  }
  mode$H <- learn_curvature(problem, mode, central = TRUE)$H
  if (anyNA(mode$H)) {
    return(not_integrated("EP has no fixed point near the mode"))
  }
  U <- tryCatch(chol(mode$H), error = function(cnd) NULL)
  if (is.null(U)) {
    return(not_integrated("no maximum was found"))
  }
  # what a Newton step from here would gain: next to nothing at a mode
  if (sum(backsolve(U, mode$gradient, transpose = TRUE)^2) / 2 > 0.05) {
    return(not_integrated("the search ended before the mode"))
  }
  node_laplace(learn_second(mode, problem), least = 0)
}

not_integrated <- function(why) structure(NA_real_, why = why)

#' Free parameters without a proper prior
#' @noRd
learn_unpriored <- function(latent) {
  latent$free[vapply(latent$free, function(name) is.null(latent$prior[[name]]), NA)]
}
