# The search for hyperparameters: a race, from each start a short search that
# moves all lengthscales by one common factor, on some of the rows when there are
# many; then the full search, the climb, from the best end. Criteria with several
# optima climb within the race, too. The optimum counts only if EP from a cold
# start reaches its value.

#' L-BFGS-B along `par = origin + basis %*% z`
#'
#' Scaled so that its first trial step, which is the gradient itself, is at most
#' 1 long: a factor e in the hyperparameters.
#' @param gain the search ends when a step gains less than this.
#' @return as optim(), without `par` and `value` where the evaluations were spent.
#' @noRd
learn_optim <- function(problem, objective, origin, basis, maxit,
                        gain = learn_gain) {
  to_par <- function(z) {
    pmin(pmax(origin + drop(basis %*% z), problem$lower), problem$upper)
  }
  worst <- -Inf
  fn <- function(z) {
    if (objective$spent()) rlang::signal("", "sturdy_search_spent")
    value <- -objective$at(to_par(z))$penalised
    if (is.finite(value)) worst <<- max(worst, value)
    # a finite wall: L-BFGS-B refuses Inf
    if (is.finite(value)) value else if (is.finite(worst)) worst + 1e3 else 1e10
  }
  gr <- function(z) -drop(crossprod(basis, objective$at(to_par(z))$gradient))
  low <- up <- numeric(ncol(basis))
  for (k in seq_len(ncol(basis))) {
    moved <- basis[, k] != 0
    low[k] <- max((problem$lower - origin)[moved])
    up[k] <- min((problem$upper - origin)[moved])
  }
  z <- numeric(ncol(basis))
  scale <- max(1, sqrt(sum(gr(z)^2)))
  size <- max(1, abs(fn(z)) / scale) # factr is relative to it
  tryCatch(
    stats::optim(
      z, fn, gr, method = "L-BFGS-B", lower = low, upper = up,
      control = list(
        maxit = maxit, lmm = 20, fnscale = scale, pgtol = learn_slope / scale,
        factr = gain / scale / size / .Machine$double.eps
      )
    ),
    sturdy_search_spent = function(cnd) list(
      convergence = 1L,
      message = paste(learn_most, "evaluations of the criterion were not enough")
    )
  )
}

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
    par[at == "nugget"] <- par[at == "nugget"] + d[2]
    par[at == "epsilon"] <- stats::qlogis(2 * min(d[3], 0.3))
    pmin(pmax(par, problem$lower), problem$upper)
  })
}

#' The same start with a larger nugget and, when it is learned, a larger epsilon
#' @noRd
learn_noisier <- function(problem, par, times) {
  at <- problem$field
  par[at == "nugget"] <- par[at == "nugget"] + log(times)
  par[at == "epsilon"] <- stats::qlogis(2 * min(0.02 * times, 0.4))
  pmin(pmax(par, problem$lower), problem$upper)
}

#' Race, climb, check from a cold start
#' @return list(par, value, penalised, opt, ep, cold, evaluations, starts)
#' @noRd
learn_search <- function(problem) {
  objective <- learn_objective(problem, learn_progress(problem$control))
  race <- learn_race(problem, objective)
  reached <- vapply(race$ends, function(end) end$penalised, numeric(1))
  found <- NULL
  for (k in order(-reached)) {
    if (!is.finite(reached[k])) next
    candidate <- learn_climb(problem, objective, race$ends[[k]])
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
    evaluations = objective$evaluations() + race$evaluations,
    starts = data.frame(
      start = seq_along(reached), penalised = reached,
      chosen = seq_along(reached) == found$start
    )
  ))
}

#' A short search from every start
#'
#' When there are many rows, on some that are spread over all: they tell the basins apart at
#' a fraction of the cost. The ends are then compared on all rows.
#' @return list(ends = evaluations on all rows, evaluations = number of those on
#'   some rows)
#' @noRd
learn_race <- function(problem, objective) {
  some <- learn_some_rows(problem)
  runner <- if (is.null(some)) objective else learn_objective(some)
  deep <- learn_has_many_optima(problem)
  maxit <- if (deep) learn_race_maxit_deep else learn_race_maxit
  basis <- tied_basis(problem$field)
  run <- function(par) {
    runner$begin()
    learn_optim(problem, runner, par, basis, maxit, learn_race_gain)
    end <- runner$best()
    if (!is.finite(end$penalised)) {
      return(end)
    }
    if (deep) end <- learn_climb(problem, runner, end)
    if (is.null(some)) end else objective$at(end$par)
  }
  starts <- learn_starts(problem, problem$control$restarts)
  ends <- lapply(starts, run)
  has_value <- vapply(ends, function(end) is.finite(end$penalised), logical(1))
  noise <- any(problem$field %in% c("nugget", "epsilon"))
  if (!any(has_value) && noise) { # t-EP needs more of it to have a fixed point
    ends <- lapply(c(4, 16, 64), function(times) {
      run(learn_noisier(problem, starts[[1]], times))
    })
  }
  list(
    ends = ends,
    evaluations = if (is.null(some)) 0L else runner$evaluations()
  )
}

#' The Gaussian evidence has one optimum on nearly all data, the others several
#' @noRd
learn_has_many_optima <- function(problem) {
  problem$criterion == "loo" || is.finite(problem$df)
}

#' The problem on rows spread over all; `NULL` when it is small already
#' @noRd
learn_some_rows <- function(problem) {
  n <- problem$latent$n
  if (n < 1.5 * learn_race_rows) {
    return(NULL)
  }
  problem$latent <- problem$latent$some(learn_race_rows)
  problem
}

#' The full search from the end of a race
#'
#' On the logit scale the way to epsilon = 0 is long and flat. So where epsilon is
#' small and wants to fall, its lower bound is tried, and epsilon is held there
#' when that is better; when it wants to rise in the end, it is let go.
#' @return the best evaluation, with the result of optim() as `opt`
#' @noRd
learn_climb <- function(problem, objective, from) {
  objective$begin(from)
  climb <- function(here) {
    held <- learn_at_zero(problem, here)
    basis <- diag(length(here$par))[, !held, drop = FALSE]
    if (ncol(basis) == 0) {
      return(list(convergence = 0L, message = "only epsilon is free, and it is at its bound"))
    }
    learn_optim(problem, objective, here$par, basis, learn_maxit)
  }
  opt <- climb(learn_try_zero(problem, objective, from))
  end <- objective$best()
  rising <- learn_at_zero(problem, end) & end$gradient > 0
  onward <- if (any(rising)) {
    learn_move_epsilon(problem, objective, end, rising, learn_small_epsilon / 10)
  } else {
    learn_try_zero(problem, objective, end)
  }
  if (!identical(onward$par, end$par)) opt <- climb(onward)
  c(objective$best()[c("par", "value", "penalised", "gradient", "sites")],
    list(opt = opt))
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
