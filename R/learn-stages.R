# Many rows: some of them first, inducing inputs placed again in the metric that was learned,
# then steps on all, from sites that some rows foretell.

stage_rows <- 4000L  # of the first stage; all, when they are not many more
stage_many <- 600L   # from which on fewer still come before them
stage_near <- 1      # nats that a search may end from its optimum, or it has stopped short
stage_sweeps <- 50L  # of EP there: at hyperparameters that need more it is not repeated
stage_left <- 0.05   # share of the variance left from which on "auto" takes more,
stage_wide <- 20L    # twice as many with more columns than this

#' The latent of the first stage: of some rows, or, when they are not many more, of all
#' @noRd
stage_few <- function(latent, rows = stage_rows) {
  # rows that are elsewhere: all that are here are few
  if (latent$n > 1.2 * rows || is.null(latent$y)) latent$some(rows) else latent
}

#' Is an optimum looked for on some rows first? Without inducing inputs where the race would
#' be on more rows than that
#' @noRd
is_staged <- function(latent) !is.null(latent$again) || latent$n > 4 * stage_rows

#' The latent of all rows, its inducing inputs in the metric learned on some; more of them
#' where they leave much
#' @noRd
stage_again <- function(latent, few, hyper, spec) {
  m <- nrow(few$Z)
  if (identical(spec$inducing, "auto")) m <- min(m, inducing_auto)
  if (identical(spec$inducing, "auto") && inducing_left(few, hyper) > stage_left) {
    m <- more_inducing(m, latent$n, latent$columns > stage_wide)
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

#' A search on some rows, inducing inputs placed again by what it found, then on all rows
#'
#' @param rows of the first search, before which there may be one on fewer.
#' @param search function(latent, before) -> list(problem, modes); before: what it found on some
#'   rows, or `NULL`.
#' @return list(latent, before, model): the last latent and what the searches found.
#' @noRd
learn_staged <- function(latent, rows, spec, search, fewer = NULL) {
  few <- stage_few(latent, rows)
  placed <- latent$places || is.null(latent$y) # what is elsewhere follows what is here
  before <- if (few$n < latent$n || placed) {
    search(few, if (!is.null(fewer)) search(few$some(fewer), NULL))
  }
  if (placed && length(before$modes)) {
    latent <- stage_again(latent, few, before$problem$hyper(before$modes[[1]]$par), spec)
  }
  list(latent = latent, before = before, model = search(latent, before))
}

#' Rows of a search before that on `rows`, where these are many, too
#' @noRd
stage_fewer <- function(rows) {
  if (rows >= stage_many) learn_few_rows(rows)
}

#' Steps on all rows from a mode on some: the curvature is that one, grown with the rows, for
#' to measure it takes as many evaluations as parameters
#' @param mode an evaluation on `n_few` rows, with `H` and `measured`.
#' @return an evaluation, with both and `opt`.
#' @noRd
stage_onward <- function(mode, problem, n_few, spec, tick, gain) {
  par <- learn_within(problem, mode$par)
  patient <- learn_objective(problem, tick)
  at <- list(hyper = problem$hyper(par), omega = problem$omega(par))
  patient$begin(list(par = par, sites = stage_sites(problem$latent, n_few, at, spec)))
  here <- patient$at(par)
  if (!is.null(mode$H)) {
    here$curvature <- grown_curvature(problem, mode$H, problem$latent$n / n_few)
  }
  if (is.finite(here$penalised)) {
    here <- learn_climb(here, learn_objective(stage_hasty(problem), tick), gain)
  }
  here[c("H", "measured")] <- list(here$curvature, mode$measured)
  here
}

#' Steps from the optimum on some rows, and the fit
#' @param few list(problem, modes), the first of which is that of learn_search() on some rows.
#' @return the same on all rows.
#' @noRd
stage_optimum <- function(few, problem, spec) {
  counter <- learn_counter(learn_tick(problem), problem$latent$n)
  first <- few$modes[[1]]
  n_few <- few$problem$latent$n
  if (!learn_is_over(problem)) {
    some <- learn_objective(few$problem, counter$tick)
    first[c("H", "measured")] <-
      learn_curvature(some, first, rough = TRUE)[c("H", "measured")]
  }
  found <- stage_onward(first, problem, n_few, spec, counter$tick, modes_gain)
  found$cold <- TRUE
  found$evaluations <- first$evaluations + counter$count()
  found$starts <- first$starts
  found$ep <- learn_final(problem, found$par, found$sites, final = FALSE)
  found$opt <- stage_ended(found, problem, n_few)
  found
}

#' How a search on some rows, then on all, has ended
#' @return list(convergence, message)
#' @noRd
stage_ended <- function(found, problem, n_few) {
  if (!is.finite(found$penalised)) {
    return(list(convergence = 99L, message = "EP did not converge on all rows"))
  }
  if (learn_is_over(problem)) {
    return(found$opt)
  }
  ended <- stage_end(found$opt$left)
  ended$message <- sprintf("%d rows, then %d; %s", n_few, problem$latent$n, ended$message)
  ended
}

#' Is what a further step promises in the metric of the curvature, g' H^-1 g / 2, too much?
#' @return list(convergence, message)
#' @noRd
stage_end <- function(left) {
  short <- !isTRUE(left <= stage_near)
  list(convergence = as.integer(short), message = paste0(
    if (short) "stopped short, ", "a further step promises ", format(left, digits = 1), " nats"
  ))
}

#' Nothing is free: EP from where some rows lead it
#' @noRd
stage_held <- function(problem, spec) {
  latent <- problem$latent
  at <- list(hyper = problem$hyper(problem$start), omega = problem$omega(problem$start))
  sites <- stage_sites(latent, stage_few(latent)$n, at, spec)
  final <- is.null(sites) && !is.null(latent$y)
  learn_final(problem, problem$start, sites, final)
}
