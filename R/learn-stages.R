# Many rows: some of them first, inducing inputs placed again in the metric that was learned,
# then steps on all, from sites that some rows foretell.

stage_rows <- 4000L  # of the first stage; all, when they are not many more
stage_rows_classes <- 1000L # the same of several classes
stage_many <- 600L   # from which on fewer still come before them
stage_sweeps <- 50L  # of EP there: at hyperparameters that need more it is not repeated
stage_left <- 0.05   # share of the variance left from which on "auto" takes more,
stage_wide <- 20L    # twice as many with more columns than this

#' The latent of the first stage: of some rows, or, when they are not many more, of all
#' @noRd
stage_few <- function(latent, rows) {
  # rows that are elsewhere: all that are here are few
  if (latent$n > 1.2 * rows || is.null(latent$y)) latent$some(rows) else latent
}

#' Rows of a search before that on all, more than which are looked at in stages
#' @noRd
stage_before <- function(latent) {
  # with several classes all rows cost several times as much; where modes must do, those of
  # some rows tell the curvature; what is elsewhere is not fetched for less
  quarter <- !is.null(latent$y) &&
    (is.null(latent$Z) || latent$functions > 1 || !learn_is_long(latent))
  min(
    if (quarter) learn_few_rows(latent$n), if (latent$functions > 1) stage_rows_classes, stage_rows
  )
}

#' Is EP started from the prior, too, when a search is over? Of very many rows that is a large part of all
#' @noRd
learn_asks_cold <- function(latent) !learn_is_long(latent) && !is.null(latent$y)

#' The latent of all rows, its inducing inputs in the metric learned on some; more of them
#' where they leave much
#' @noRd
stage_again <- function(latent, few, hyper, spec) {
  m <- nrow(few$Z)
  if (identical(spec$inducing, "auto")) m <- min(m, inducing_auto)
  if (identical(spec$inducing, "auto") && inducing_left(few, hyper) > stage_left) {
    times <- (inducing_auto_work / latent$n)^inducing_auto_power
    m <- round(m * if (latent$columns > stage_wide) 2 else min(max(times, 1), 2))
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
  run <- function(L, sites) {
    few$ep(list(list(hyper = at$hyper, L = L, sites = sites)), spec$df, spec$control)[[1]]
  }
  L <- latent_likelihood(few, at$omega)
  # over shards there are no sweeps that take rows in turn: they need a good start more
  out <- if (here) run(L, NULL) else ep_continue(run, L, NULL)$out
  if (!ep_converged(out)) {
    return(NULL)
  }
  latent$project(at$hyper, spec$df, latent_likelihood(latent, at$omega), out)
}

#' Steps on all rows from a mode on some: the curvature is that one, grown with the rows, for
#' to measure it takes as many evaluations as parameters
#' @param mode an evaluation on `n_few` rows, with `H` and `measured`.
#' @return an evaluation, with both and `opt`.
#' @noRd
stage_onward <- function(mode, problem, n_few, spec) {
  par <- learn_within(problem, mode$par)
  patient <- learn_objective(problem)
  at <- list(hyper = problem$hyper(par), omega = problem$omega(par))
  patient$begin(list(par = par, sites = stage_sites(problem$latent, n_few, at, problem)))
  here <- patient$at(par)
  if (!is.null(mode$H)) here$curvature <- grown_curvature(problem, mode$H, problem$latent$n / n_few)
  if (is.finite(here$penalised)) {
    gain <- if (problem$latent$functions > 1) modes_gain_classes else modes_gain
    here <- learn_climb(here, learn_objective(stage_hasty(problem)), gain)
  }
  here[c("H", "measured")] <- list(here$curvature, mode$measured)
  here
}

#' The modes on the rows of a problem
#'
#' @param problem see learn_problem(); what it has beside that says how its modes are sought:
#'   starts(problem); elsewhere(problem, modes, starts), other starts where these have not led far enough,
#'   or none; `rival`, whether of the modes of both the better ones stay, or all; `curved`, whether the
#'   curvature at modes is asked for; and the `way` of learn_modes(): list(look: steps of short climbs
#'   along `basis`; behind: nats below the best from which an end of them is dropped; value, place: of
#'   ends that are nearer in both only the best climbs on; steps, gain: of these climbs).
#' @param before list(problem, modes) on some of them, or `NULL`. @return list(problem, modes), the
#'   best first.
#' @noRd
learn_search <- function(problem, before, spec) {
  if (length(before$modes) && learn_is_long(problem$latent)) {
    modes <- lapply(before$modes, stage_onward, problem, before$problem$latent$n, spec)
  } else {
    objective <- learn_objective(problem)
    starts <- if (length(before$modes)) grown_starts(problem, before) else problem$starts(problem)
    modes <- learn_modes(objective, starts)
    others <- problem$elsewhere(problem, modes, starts)
    more <- if (length(others)) learn_modes(objective, others)
    if (!problem$rival) {
      modes <- c(modes, more)
    } else if (max(reached(more), -Inf) > max(reached(modes), -Inf)) {
      modes <- more
    }
  }
  modes <- best_first(Filter(function(mode) is.finite(mode$penalised), modes))
  list(problem = problem, modes = modes[!duplicated(lapply(modes, `[[`, "par"))])
}

#' Where modes on some rows lead a search on more of them
#' @noRd
grown_starts <- function(problem, few) {
  lapply(few$modes, function(mode) {
    list(
      par = mode$par, sites = mode$from, # NULL but for average_ahead()
      curvature = grown_curvature(problem, mode$H, problem$latent$n / few$problem$latent$n)
    )
  })
}
