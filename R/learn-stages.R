# Many rows: some of them first, inducing inputs placed again in the metric that was learned,
# then a few steps on all, from sites that some rows foretell.

stage_rows <- 4000L  # of the first stage; all, when they are not many more
stage_steps <- 8L    # on all rows
stage_sweeps <- 50L  # of EP there: at hyperparameters that need more it is not repeated
stage_left <- 0.05   # share of the variance left from which on "auto" doubles m,
stage_wide <- 20L    # with more columns than this

#' The latent of the first stage: of some rows, or, when they are not many more, of all
#' @noRd
stage_few <- function(latent, rows = stage_rows) {
  # rows that are elsewhere: all that are here are few
  if (latent$n > 1.2 * rows || is.null(latent$y)) latent$some(rows) else latent
}

#' The latent of all rows, its inducing inputs in the metric learned on some; twice as many
#' where they leave much
#' @noRd
stage_again <- function(latent, few, hyper, spec) {
  m <- nrow(few$Z)
  wide <- latent$columns > stage_wide
  if (identical(spec$inducing, "auto") && wide && inducing_left(few, hyper) > stage_left) {
    m <- 2 * m
  }
  latent$again(hyper, m)
}

#' Steps on all rows are not taken where EP is slow
#' @noRd
stage_hasty <- function(problem) {
  problem$impatient <- TRUE
  problem$search_control$max_sweeps <- min(stage_sweeps, problem$control$max_sweeps)
  problem
}

#' Sites of all rows, projected under the posterior of some: parallel EP from them takes
#' half the passes of a start from the prior, and more of its starts converge
#'
#' @param at list(hyper, omega). @return list(tau, nu), `NULL` where all rows are few, where
#'   the latent has no projection, or where EP on some does not converge.
#' @noRd
stage_sites <- function(latent, n_few, at, spec) {
  here <- !is.null(latent$y)
  if (latent$n <= n_few && here || is.null(latent$project)) {
    return(NULL)
  }
  few <- latent$some(n_few)
  run <- function(L, sites) few$native(at$hyper, spec$df, L, sites, spec$control)
  L <- latent_likelihood(few, at$omega)
  # over shards there are no sweeps that take rows in turn: they need a good start more
  out <- if (here) run(L, NULL) else ep_continue(run, L, NULL)$out
  if (!ep_converged(out)) {
    return(NULL)
  }
  latent$project(at$hyper, spec$df, latent_likelihood(latent, at$omega), out)
}

#' A few steps on all rows from a mode on some: the curvature is that one, grown with the rows,
#' for to measure it takes as many evaluations as parameters
#' @param mode an evaluation on `n_few` rows, with `H`. @return an evaluation, with `H`.
#' @noRd
stage_onward <- function(mode, problem, n_few, spec, tick, gain) {
  par <- learn_within(problem, mode$par)
  patient <- learn_objective(problem, tick)
  at <- list(hyper = problem$hyper(par), omega = problem$omega(par))
  patient$begin(list(par = par, sites = stage_sites(problem$latent, n_few, at, spec)))
  here <- patient$at(par)
  here$curvature <- grown_curvature(problem, mode$H, problem$latent$n / n_few)
  if (is.finite(here$penalised)) {
    basis <- diag(length(par))[, !learn_at_zero(problem, here), drop = FALSE]
    here <- learn_walk(here, learn_objective(stage_hasty(problem), tick), basis, stage_steps, gain)
  }
  here$H <- here$curvature
  here
}

#' The optimum of few rows, then a few steps on all, and the fit
#' @return as learn_result()
#' @noRd
stage_optimum <- function(latent, spec) {
  few <- stage_few(latent)
  problem <- learn_problem(few, spec)
  if (!length(problem$start)) {
    return(stage_held(latent, few, spec))
  }
  first <- learn_search(problem)
  latent <- stage_again(latent, few, problem$hyper(first$par), spec)
  problem <- learn_problem(latent, spec)
  first$H <- first$opt$curvature
  counter <- learn_counter(learn_progress(problem), latent$n)
  found <- stage_onward(first, problem, few$n, spec, counter$tick, learn_gain)
  found$cold <- TRUE
  found$evaluations <- first$evaluations + counter$count()
  found$starts <- first$starts
  found$opt <- stage_end(problem, found, few$n)
  found$ep <- ep_run(
    latent, problem$hyper(found$par), spec$df, problem$omega(found$par), found$sites,
    spec$control, spec$criterion
  )
  learn_result(problem, found)
}

#' How the search ended: that all steps were taken is as it should be
#' @noRd
stage_end <- function(problem, found, n_few) {
  fine <- is.finite(found$penalised)
  if (fine && !is.null(found$opt) && learn_is_over(problem)) {
    return(found$opt)
  }
  list(
    convergence = if (fine) 0L else 99L,
    message = sprintf("%d rows, then at most %d steps on %d", n_few, stage_steps, problem$latent$n)
  )
}

#' Nothing is free: EP from where some rows lead it
#' @noRd
stage_held <- function(latent, few, spec) {
  at <- list(hyper = latent$hyper, omega = latent_omega(latent, spec$epsilon))
  sites <- stage_sites(latent, few$n, at, spec)
  ep <- ep_run(
    latent, at$hyper, spec$df, at$omega, sites, spec$control, spec$criterion,
    final = is.null(sites) && !is.null(latent$y)
  )
  list(hyper = latent$hyper, epsilon = spec$epsilon, ep = ep, latent = latent)
}
