# The optimum of a criterion and the prior, in logs: a race, from each start a short search
# that moves all lengthscales by one common factor, on some of the rows when there are many;
# then the full climb from the best end, with the curvature that the race has seen.
# Criteria with several optima climb within the race, too. The optimum counts only if EP
# from a cold start reaches its value.

learn_little_noise <- 0.05 # below this, twice as much is tried
learn_doubt <- 2 # nats that it may be behind on some rows, and yet ahead on all

#' How the ends of a race are sought, see modes_way()
#' @param onward whether it goes on to climb.
#' @noRd
race_way <- function(problem, onward) {
  deep <- learn_has_many_optima(problem)
  list(
    look = if (deep) 3L else 10L, look_gain = 0.01, basis = tied_basis(problem$field),
    # with one optimum the value tells it
    behind = Inf, value = 0.5, place = if (deep) 0.25 else Inf, best_first = FALSE,
    steps = if (deep || onward) learn_maxit else 0L, gain = 0.01, learns = FALSE
  )
}

#' One common factor for all lengthscales (or prior scales), the rest one by one
#' @noRd
tied_basis <- function(field) {
  tied <- field %in% learn_tied
  basis <- diag(length(field))[, !tied, drop = FALSE]
  if (any(tied)) cbind(as.numeric(tied), basis) else basis
}

#' Race, climb, check from a cold start
#' @return an evaluation with `opt` (how the climb ended), ep, cold, evaluations, starts.
#' @noRd
learn_search <- function(problem) {
  counter <- learn_counter(learn_tick(problem))
  objective <- learn_objective(problem, counter$tick)
  few <- learn_few(problem, counter$tick)
  race <- learn_race(objective, few)
  found <- NULL
  for (k in order(-reached(race$ends))) {
    from <- race$ends[[k]]
    if (!is.finite(from$penalised)) next
    if (!is.null(from$few) && !learn_is_over(problem)) {
      from$curvature <- few_curvature(problem, few, from$few)
    }
    candidate <- learn_with_noise(objective, learn_climb(from, objective), few)
    candidate$ep <- learn_final(problem, candidate$par, candidate$sites)
    candidate$cold <- learn_is_cold(candidate)
    candidate$start <- k
    cold <- isTRUE(candidate$cold)
    if (is.null(found) || cold) found <- candidate
    if (cold || learn_is_over(problem)) break
  }
  if (is.null(found)) { # EP gives no value at any start: stay where we were
    found <- list(
      par = problem$start, value = NA_real_, penalised = NA_real_, start = 1L,
      cold = FALSE, opt = list(convergence = 99L, message = "EP converged at no starting point")
    )
  }
  found$evaluations <- counter$count()
  found$starts <- ends_table(race, found$start)
  found
}

#' A short search from every start
#'
#' Where there are many rows, on some that are spread over all: they tell the basins apart
#' at a fraction of the cost. Where these are many for the parameters, too, the race goes
#' on to their optimum: it is near that of all rows and tells the curvature there.
#' @param few the objective on some rows, see learn_few(), or `NULL`.
#' @return as learn_ends(), on all rows, with that on some rows as `few` of each end.
#' @noRd
learn_race <- function(objective, few) {
  problem <- objective$problem
  enough <- !is.null(few) && few$problem$latent$n >= learn_rows_each * length(problem$start)
  way <- race_way(problem, enough)
  from <- function(starts) {
    race <- learn_ends(if (is.null(few)) objective else few, starts, way)
    if (!is.null(few)) {
      race$ends <- lapply(race$ends, function(end) {
        c(objective$at(end$par), if (enough) list(few = end))
      })
    }
    race
  }
  race <- from(learn_starts(problem, problem$control$restarts))
  noise <- any(problem$field %in% c("nugget", "epsilon"))
  if (noise && !any(is.finite(reached(race$ends)))) from(learn_noisier(problem)) else race
}

#' The objective on rows spread over all, with how many `times` all are as many; `NULL` when
#' they are few already
#' @noRd
learn_few <- function(problem, tick) {
  all <- problem$latent$n
  rows <- learn_few_rows(all)
  if (!is.null(rows)) {
    problem$latent <- problem$latent$some(rows)
    c(learn_objective(problem, tick), list(times = all / problem$latent$n))
  }
}

#' The curvature of all rows at an end on some
#' @noRd
few_curvature <- function(problem, few, end) {
  H <- learn_curvature(few, end, rough = TRUE)$H
  if (!is.null(H)) grown_curvature(problem, H, few$times)
}

#' Overlap of the classes and wrong labels explain each other, and the way from one to the
#' other may lead downhill: an end with few wrong labels is held against a climb from where
#' there are many, with less overlap; if some rows want that
#' @param found the end, see learn_climb(). @param few see learn_few().
#' @return the better one, alike.
#' @noRd
learn_with_noise <- function(objective, found, few = NULL) {
  problem <- objective$problem
  many <- function(end) any(problem$rates(end$par) > learn_little_noise)
  free <- any(problem$field == "epsilon") && !learn_is_over(problem)
  if (!free || !is.finite(found$penalised) || many(found)) {
    return(found)
  }
  par <- learn_move_noise(problem, found$par, -log(10), 2 * learn_little_noise)
  climb <- function(objective, par, curvature = NULL) {
    objective$begin() # far away, where sites would mislead
    here <- objective$at(par)
    here$curvature <- curvature
    if (is.finite(here$penalised)) learn_climb(here, objective) else here
  }
  noisy <- if (is.null(few)) {
    climb(objective, par)
  } else {
    few$begin()
    least <- few$at(found$par)$penalised - learn_doubt
    some <- climb(few, par)
    if (many(some) && some$penalised > least) {
      climb(objective, some$par, few_curvature(problem, few, some))
    }
  }
  if (isTRUE(noisy$penalised > found$penalised)) noisy else found
}

#' Does EP from the prior end where the search did? `NA` where there was no time to see
#' @noRd
learn_is_cold <- function(found) {
  value <- found$ep$value
  if (is.null(found$ep$cold)) {
    return(NA)
  }
  isTRUE(found$ep$cold) && is.finite(value) &&
    abs(value - found$value) < 1e-4 * (1 + abs(found$value))
}
