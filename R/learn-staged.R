# Learning where there are many rows: a search on some of them, then a few steps on all,
# the inducing inputs placed again in between, in the metric that was learned.

staged_rows <- 4000L # of the first stage; all, when they are not many more
staged_steps <- 8L   # on all rows
staged_sweeps <- 50L # of EP there: at hyperparameters that need more it is not repeated
staged_left <- 0.05  # share of the variance left from which on "auto" doubles m,
staged_wide <- 20L   # with more columns than this

#' Is learning to go in stages?
#' @noRd
is_staged <- function(latent, spec) {
  !is.null(latent$staged) && !isTRUE(spec$method %in% c("em", "em_kg08"))
}

#' Learn what is free in stages, and fit
#'
#' @return as learn_fit(), and `latent`, the one of the fit.
#' @noRd
staged_fit <- function(latent, spec) {
  few <- if (latent$n > 1.2 * staged_rows) latent$some(staged_rows) else latent
  problem <- learn_problem(few, spec)
  if (!length(problem$start)) {
    return(staged_held(latent, few, spec))
  }
  staged_on(latent, few, learn_search(problem), problem, spec)
}

#' On from what the first stage found on some rows
#' @noRd
staged_on <- function(latent, few, first, problem, spec) {
  hyper <- learn_hyper(problem, first$par)
  epsilon <- learn_epsilon(problem, first$par)
  latent <- staged_again(latent, few, hyper, spec)
  second <- staged_climb(latent, few$n, hyper, epsilon, first, spec)
  second$latent <- latent
  second
}

#' Inducing inputs in the metric learned; twice as many where they leave much
#' @noRd
staged_again <- function(latent, few, hyper, spec) {
  m <- nrow(few$Z)
  wide <- latent$staged$columns > staged_wide
  left <- if (is.null(latent$classes)) inducing_left else classes_left
  if (identical(spec$inducing, "auto") && wide && left(few, hyper) > staged_left) {
    m <- 2 * m
  }
  latent$staged$again(hyper, m)
}

#' A few steps on all rows from what the first stage found, and the fit
#' @noRd
staged_climb <- function(latent, n_few, hyper, epsilon, first, spec) {
  problem <- learn_problem(latent, spec)
  par <- learn_move_noise(problem, problem$start, 0, epsilon)
  sites <- staged_sites(latent, n_few, hyper, epsilon, spec)
  tick <- learn_progress(problem)
  patient <- learn_objective(problem, tick)
  patient$begin(list(par = par, sites = sites))
  here <- patient$at(par)
  problem$impatient <- TRUE
  problem$search_control$max_sweeps <- min(staged_sweeps, spec$control$max_sweeps)
  objective <- learn_objective(problem, tick)
  objective$begin(here)
  basis <- diag(length(par))[, !learn_at_zero(problem, here), drop = FALSE]
  opt <- list(convergence = 0L)
  if (ncol(basis) && is.finite(here$penalised)) {
    opt <- learn_optim(problem, objective, par, basis, staged_steps)
  }
  best <- objective$best()
  if (is.null(best$par)) best <- c(list(value = NA_real_), here[c("par", "penalised")])
  hyper <- learn_hyper(problem, best$par)
  epsilon <- learn_epsilon(problem, best$par)
  ep <- ep_run(latent, hyper, spec$df, epsilon, best$sites, spec$control, spec$criterion)
  found <- c(best[c("par", "value", "penalised")], list(
    cold = TRUE, evaluations = first$evaluations + 1L + objective$evaluations(),
    starts = first$starts,
    opt = staged_end(problem, best, opt, n_few)
  ))
  list(
    hyper = hyper, epsilon = epsilon, ep = ep, learning = learn_report(problem, found, ep)
  )
}

#' How the search ended: that all steps were taken is as it should be
#' @noRd
staged_end <- function(problem, best, opt, n_few) {
  if (is.finite(best$penalised) && learn_is_over(problem)) {
    return(opt)
  }
  list(
    convergence = if (is.finite(best$penalised)) 0L else 99L,
    message = sprintf(
      "%d rows, then at most %d steps on %d", n_few, staged_steps, problem$latent$n
    )
  )
}

#' Nothing is free: EP from where some rows lead it
#' @noRd
staged_held <- function(latent, few, spec) {
  sites <- staged_sites(latent, few$n, latent$hyper, spec$epsilon, spec)
  ep <- ep_run(
    latent, latent$hyper, spec$df, spec$epsilon, sites, spec$control, spec$criterion,
    final = is.null(sites) && !is.null(latent$y)
  )
  list(hyper = latent$hyper, epsilon = spec$epsilon, ep = ep, latent = latent)
}

#' Sites of all rows, projected under the posterior of some: parallel EP from them takes
#' half the passes of a start from the prior, and more of its starts converge
#'
#' @return list(tau, nu), `NULL` where all rows are few, or EP on some does not converge.
#' @noRd
staged_sites <- function(latent, n_few, hyper, epsilon, spec) {
  if (latent$n <= n_few && !is.null(latent$y) || # where rows are here
    !is.null(latent$classes)) { # from the prior: these have no projection
    return(NULL)
  }
  few <- latent$some(n_few)
  run <- function(epsilon, sites) {
    few$native(hyper, spec$df, epsilon, sites, spec$control)
  }
  # over shards there are no sweeps that take rows in turn: they need a good start more
  out <- if (is.null(latent$y)) ep_continue(run, epsilon, NULL)$out else run(epsilon, NULL)
  if (!ep_converged(out)) {
    return(NULL)
  }
  if (latent$n == few$n) { # rows that are elsewhere: all are few
    return(latent$staged$hold(out$sites))
  }
  latent$staged$project(hyper, spec$df, epsilon, out$b, out$extra)
}
