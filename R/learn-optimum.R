# The optimum of a criterion and the prior, in logs: the best mode that EP reaches from a cold start.

learn_little_noise <- 0.05 # below this, twice as much is tried

#' The fit at the best of the modes; where EP gives no value at any start, where the search began
#' @param found,before of learn_search(), on all rows and on some. @return as learn_fit()
#' @noRd
optimum_fit <- function(found, before) {
  problem <- found$problem
  modes <- found$modes
  if (!length(modes)) {
    par <- if (length(before$modes)) before$modes[[1]]$par else problem$start
    modes <- list(list(par = learn_within(problem, par), penalised = NA_real_, cold = FALSE))
  }
  best <- optimum_cold(problem, modes)
  learn_result(problem, best, best$ep, "gradient", modes)
}

#' The fit where nothing is learned
#' @noRd
held_fit <- function(problem, spec) {
  latent <- problem$latent
  par <- problem$start
  at <- list(hyper = problem$hyper(par), omega = problem$omega(par))
  sites <- stage_sites(latent, stage_few(latent, stage_rows)$n, at, spec)
  ep <- learn_final(problem, par, sites, final = is.null(sites) && !is.null(latent$y))
  learn_result(problem, list(par = par), ep, "gradient", list())
}

#' @param coordinates see log_coordinates(). @return a problem whose modes are those of the criterion.
#' @noRd
optimum_problem <- function(latent, spec, coordinates = log_coordinates(latent, spec$epsilon)) {
  problem <- learn_problem(latent, spec, coordinates)
  # the Gaussian evidence has one optimum on nearly all data, the others several
  many <- problem$criterion == "loo" || is.finite(problem$df)
  c(problem, list(
    starts = learn_starts, elsewhere = optimum_elsewhere, rival = FALSE, curved = FALSE,
    way = list(
      look = if (many) 3L else 10L, basis = tied_basis(problem$field),
      behind = if (many) Inf else optimum_behind, value = modes_same,
      place = if (many) modes_place else Inf, steps = learn_maxit, gain = learn_gain
    )
  ))
}
optimum_behind <- 3 # nats behind the best after ten steps, from where it is not caught up

#' One common factor for all lengthscales (or prior scales), the rest one by one
#' @noRd
tied_basis <- function(field) {
  tied <- field %in% learn_tied
  basis <- diag(length(field))[, !tied, drop = FALSE]
  if (any(tied)) cbind(as.numeric(tied), basis) else basis
}

#' Starts with more noise
#'
#' Overlap of the classes and wrong labels explain each other, and the way from one to the
#' other may lead downhill: a mode with few wrong labels is held against a climb from where
#' there are many, with less overlap.
#' @noRd
optimum_elsewhere <- function(problem, modes, starts) {
  if (!length(modes)) {
    return(if (any(problem$field %in% c("nugget", "epsilon"))) learn_noisier(problem))
  }
  best <- modes[[1]]$par
  little <- "epsilon" %in% problem$field && all(problem$rates(best) <= learn_little_noise)
  if (little && !learn_is_over(problem)) {
    list(list(par = learn_move_noise(problem, best, -log(10), 2 * learn_little_noise)))
  }
}

#' The best of the modes that EP reaches from a cold start, or else the best
#' @return a mode with `ep` and `cold`.
#' @noRd
optimum_cold <- function(problem, modes) {
  best <- NULL
  final <- learn_asks_cold(problem$latent)
  for (mode in modes) {
    mode$ep <- learn_final(problem, mode$par, mode$sites, final)
    mode$cold <- if (final) learn_is_cold(mode) else NA # of many rows nobody looks
    found <- if (final) isTRUE(mode$cold) else is.finite(mode$penalised)
    if (is.null(best) || found) best <- mode
    if (found || learn_is_over(problem)) break
  }
  best
}

#' Does EP from the prior end where the search did? `NA` where there was no time to see, or no search
#' @noRd
learn_is_cold <- function(found) {
  if (is.null(found$ep$cold) || is.null(found$value)) return(NA)
  isTRUE(found$ep$cold) && isTRUE(abs(found$ep$value - found$value) < 1e-4 * (1 + abs(found$value)))
}

