# The search for hyperparameters: a race, from each start a short search that moves all
# lengthscales by one common factor, on some of the rows when there are many; then the
# full search, the climb, from the best end, with the curvature that the race has seen.
# Criteria with several optima climb within the race, too. The optimum counts only if EP
# from a cold start reaches its value. The steps: learn-newton.R.

#' One common factor for all lengthscales (or prior scales), the rest one by one
#' @noRd
tied_basis <- function(field) {
  tied <- field %in% learn_tied
  basis <- diag(length(field))[, !tied, drop = FALSE]
  if (any(tied)) cbind(as.numeric(tied), basis) else basis
}

#' Starting points: the given one, then others at fixed offsets
#'
#' Offsets of (log lengthscale, log nugget, epsilon) chosen to lie in different
#' basins: wiggly with few flips, smooth with many, and between. A prior scale
#' moves as 1/lengthscale^2. Both epsilon = 0 and 1/2 are traps (the gradient on
#' the logit scale dies), so all start inside.
#' @noRd
learn_starts <- function(problem, restarts) {
  offset <- rbind(
    c(0, 0, 0.05), c(-1, -1.5, 0.02), c(1, 0.5, 0.15), c(-0.5, 1.5, 0.1),
    c(0.5, -1.5, 0.2), c(-1.5, 0, 0.05), c(1.5, -1, 0.02)
  )
  pick <- rep_len(seq_len(nrow(offset)), restarts + 1L)
  round <- (seq_along(pick) - 1L) %/% nrow(offset)
  lapply(seq_along(pick), function(k) {
    d <- offset[pick[k], ] * (1 + 0.5 * round[k])
    par <- problem$start
    at <- problem$field
    par[at == "lengthscale"] <- par[at == "lengthscale"] + d[1]
    par[at == "prior_scale"] <- par[at == "prior_scale"] - 2 * d[1]
    learn_move_noise(problem, par, d[2], min(d[3], 0.3))
  })
}

#' The same start with a larger nugget and, when it is learned, a larger epsilon
#' @noRd
learn_noisier <- function(problem, par, times) {
  learn_move_noise(problem, par, log(times), min(0.02 * times, 0.4))
}

#' Other overlap and wrong labels: the log nugget by a step, the flip rates to a value
#' @noRd
learn_move_noise <- function(problem, par, step, rate) {
  at <- problem$field
  par[at == "nugget"] <- par[at == "nugget"] + step
  par[at == "epsilon"] <- stats::qlogis(2 * rate)
  learn_within(problem, par)
}

#' Onto the bounds what is beyond them
#' @noRd
learn_within <- function(problem, par) pmin(pmax(par, problem$lower), problem$upper)

#' Race, climb, check from a cold start
#' @return list(par, value, penalised, opt, ep, cold, evaluations, starts)
#' @noRd
learn_search <- function(problem) {
  tick <- learn_progress(problem)
  objective <- learn_objective(problem, tick)
  race <- learn_race(problem, objective, tick)
  reached <- vapply(race$ends, function(end) end$penalised, numeric(1))
  again <- duplicated(lapply(race$ends, function(end) end$par))
  found <- NULL
  for (k in order(-reached)) {
    if (!is.finite(reached[k]) || again[k]) next
    candidate <- learn_climb(problem, objective, race$ends[[k]], few = race$few)
    candidate <- learn_with_noise(problem, objective, candidate)
    candidate$start <- k
    candidate$ep <- learn_final(problem, candidate$par, candidate$sites)
    candidate$cold <- learn_is_cold(candidate)
    if (is.null(found) || candidate$cold) found <- candidate
    if (candidate$cold) break
  }
  if (is.null(found)) { # EP gives no value at any start: stay where we were
    found <- list(
      par = problem$start, value = NA_real_, penalised = NA_real_, start = 1L,
      cold = FALSE, opt = list(convergence = 99L, message = "EP converged at no starting point")
    )
  }
  c(found, list(
    evaluations = objective$evaluations() +
      if (is.null(race$few)) 0L else race$few$objective$evaluations(),
    starts = data.frame(
      start = seq_along(reached), penalised = reached,
      chosen = seq_along(reached) == found$start
    )
  ))
}

#' A short search from every start
#'
#' Where there are many rows, on some that are spread over all: they tell the basins apart
#' at a fraction of the cost. Where these are many for the parameters, too, the race goes
#' on to their optimum: it is near that of all rows and tells the curvature there.
#' @return list(ends: evaluations on all rows, with that on some rows as `few`; few:
#'   list(problem, objective) of some rows, or `NULL`)
#' @noRd
learn_race <- function(problem, objective, tick = function(n) NULL) {
  few <- learn_few(problem, tick)
  ground <- if (is.null(few)) list(problem = problem, objective = objective) else few
  deep <- learn_has_many_optima(problem)
  enough <- !is.null(few) && few$problem$latent$n >= learn_rows_each * length(problem$start)
  same <- if (deep) learn_same_place else learn_same_value
  basis <- tied_basis(problem$field)
  run <- function(par) {
    ground$objective$begin()
    learn_optim(
      ground$problem, ground$objective, par, basis,
      if (deep) learn_race_maxit_deep else learn_race_maxit, learn_race_gain
    )
    ground$objective$best()
  }
  onward <- function(end) {
    if (deep || enough) {
      end <- learn_climb(ground$problem, ground$objective, end, learn_race_gain)
    }
    if (is.null(few)) end else c(objective$at(end$par), if (enough) list(few = end))
  }
  from <- function(starts) learn_each(lapply(starts, run), onward, same)
  starts <- learn_starts(problem, problem$control$restarts)
  ends <- from(starts)
  has_value <- vapply(ends, function(end) is.finite(end$penalised), logical(1))
  noise <- any(problem$field %in% c("nugget", "epsilon"))
  if (!any(has_value) && noise) { # t-EP needs more of it to have a fixed point
    ends <- from(lapply(c(4, 16, 64), learn_noisier, problem = problem, par = starts[[1]]))
  }
  list(ends = ends, few = few)
}

#' What `onward` makes of each of the ends; of those that are the same, once
#' @noRd
learn_each <- function(ends, onward, same) {
  moved <- vector("list", length(ends))
  for (k in seq_along(ends)) {
    end <- ends[[k]]
    twin <- Position(function(other) same(other, end), ends[seq_len(k - 1)])
    moved[[k]] <- if (!is.finite(end$penalised)) {
      end
    } else if (is.na(twin)) {
      onward(end)
    } else {
      moved[[twin]]
    }
  }
  moved
}

#' Is it the same optimum, as far as a race can tell? With one optimum the value does.
#' @noRd
learn_same_value <- function(one, other) {
  isTRUE(abs(one$penalised - other$penalised) < learn_same)
}

learn_same_place <- function(one, other) {
  learn_same_value(one, other) && max(abs(one$par - other$par)) < learn_same
}

#' The Gaussian evidence has one optimum on nearly all data, the others several
#' @noRd
learn_has_many_optima <- function(problem) {
  problem$criterion == "loo" || is.finite(problem$df)
}

#' The problem on rows spread over all; `NULL` when it is small already
#' @noRd
learn_few <- function(problem, tick) {
  rows <- learn_few_rows(problem$latent$n)
  if (is.null(rows)) {
    return(NULL)
  }
  problem$latent <- problem$latent$some(rows)
  list(problem = problem, objective = learn_objective(problem, tick))
}

learn_few_rows <- function(n) {
  if (n >= 1.5 * learn_race_rows) max(learn_race_rows, n %/% 4L)
}

#' The full search from the end of a race
#'
#' On the logit scale the way to epsilon = 0 is long and flat. So where epsilon is
#' small and wants to fall, its lower bound is tried, and epsilon is held there
#' when that is better; where it wants to rise from there, it is let go.
#' @param from an evaluation; where it has `few`, the evaluation on some rows that it
#'   comes from, their curvature is where the search starts.
#' @return the best evaluation, with the result of optim() as `opt`
#' @noRd
learn_climb <- function(problem, objective, from, gain = learn_gain,
                        few = NULL) {
  objective$begin(from)
  curvature <- if (!is.null(from$few)) {
    learn_curvature(
      few$problem, few$objective, from$few, problem$latent$n / few$problem$latent$n
    )
  }
  climb <- function(here) {
    held <- learn_at_zero(problem, here)
    basis <- diag(length(here$par))[, !held, drop = FALSE]
    if (ncol(basis) == 0) {
      return(list(convergence = 0L, message = "only epsilon is free, and it is at its bound"))
    }
    learn_optim(problem, objective, here$par, basis, learn_maxit, gain, curvature)
  }
  rising <- function(here) learn_at_zero(problem, here) & here$gradient > 0
  start <- if (any(rising(from))) {
    learn_move_epsilon(problem, objective, from, rising(from), 3 * learn_small_epsilon)
  } else {
    learn_try_zero(problem, objective, from)
  }
  opt <- climb(start)
  end <- objective$best()
  onward <- if (any(rising(end))) {
    learn_move_epsilon(problem, objective, end, rising(end), learn_small_epsilon / 10)
  } else {
    learn_try_zero(problem, objective, end)
  }
  if (!identical(onward$par, end$par)) opt <- climb(onward)
  c(objective$best()[c("par", "value", "penalised", "gradient", "sites")],
    list(opt = opt))
}

#' Overlap of the classes and wrong labels explain each other, and the way from one to the
#' other may lead downhill: an end with few wrong labels is held against a climb from where
#' there are many, with less overlap
#' @param found the end, see learn_climb(). @return the better one, alike.
#' @noRd
learn_with_noise <- function(problem, objective, found) {
  if (!any(problem$field == "epsilon") || !is.finite(found$penalised) ||
      any(learn_epsilon(problem, found$par) > learn_little_noise)) {
    return(found)
  }
  here <- objective$at(
    learn_move_noise(problem, found$par, -log(10), 2 * learn_little_noise)
  )
  if (!is.finite(here$penalised)) {
    return(found)
  }
  noisy <- learn_climb(problem, objective, here)
  if (noisy$penalised > found$penalised) noisy else found
}

#' Which free parameters are flip rates at their lower bound
#' @noRd
learn_at_zero <- function(problem, here) {
  problem$field == "epsilon" & here$par <= problem$lower
}

learn_move_epsilon <- function(problem, objective, here, which, value) {
  par <- here$par
  par[which] <- stats::qlogis(2 * value)
  objective$at(par)
}

#' `here`, or a better evaluation with small flip rates at their lower bound
#' @noRd
learn_try_zero <- function(problem, objective, here) {
  small <- problem$field == "epsilon" & here$par > problem$lower &
    here$par < stats::qlogis(2 * learn_small_epsilon) & here$gradient < 0
  if (!any(small)) {
    return(here)
  }
  zero <- learn_move_epsilon(
    problem, objective, here, small, learn_bounds$epsilon[1]
  )
  if (zero$penalised > here$penalised) zero else here
}

#' Does EP from the prior end where the search did?
#' @noRd
learn_is_cold <- function(found) {
  value <- found$ep$value
  isTRUE(found$ep$cold) && is.finite(value) &&
    abs(value - found$value) < 1e-4 * (1 + abs(found$value))
}
