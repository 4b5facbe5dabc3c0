# Quasi-Newton steps inside a box, for criteria whose value and gradient come together
# and are dear: a curvature known from elsewhere (fewer rows) is where it starts, and
# every evaluation improves it, also of steps that are not taken.

learn_gain <- 2e-5  # a climb ends when the next step promises less than this,
learn_slope <- 1e-3 # or when no slope is steeper than this
learn_first_step <- 1   # in the logs: a factor e
learn_longest_step <- 2
learn_stuck <- "no step gains"

#' Steps of BFGS along `par = from$par + basis %*% z`
#'
#' The columns of `basis` hold zeros and ones and share no row: the bounds of `par` are
#' bounds of `z`.
#' @param from list(par, sites, curvature, learned), or an evaluation: the curvature (-f'', in `par`) that
#'   is known there or, if it is to be gone on with, that the steps before have `learned`.
#' @param steps at most, an evaluation each: where EP has a fixed point here and none there,
#'   thousands could be taken for next to nothing.
#' @param gain the search ends when the next step promises to gain less than this.
#' @return the best evaluation, with the `curvature` of `from` and `opt`, how it ended: list(message, left:
#'   what the next step promises to gain, if the curvature is right; curvature: as the steps have improved
#'   it, in `par`, where the basis has all of its coordinates).
#' @noRd
learn_walk <- function(from, objective, basis, steps, gain = learn_gain) {
  problem <- objective$problem
  objective$begin(if (!is.null(from$sites)) from)
  par_at <- function(z) learn_within(problem, from$par + drop(basis %*% z))
  along <- function(end, z) c(end, list(z = z, slope = -drop(crossprod(basis, end$gradient))))
  box <- learn_box(problem, from$par, basis)
  B <- if (is.null(from$learned)) from$curvature else from$learned
  if (is.null(B)) B <- diag(problem$curvature, length(from$par))
  B <- convex(crossprod(basis, B %*% basis), problem$least)
  z <- numeric(ncol(basis))
  here <- objective$at(par_at(z))
  here <- along(here, z)
  radius <- learn_first_step
  taken <- 0L
  repeat {
    step <- learn_newton_step(here, B, box)
    ended <- walk_ended(problem, here, step, radius, taken, steps, gain)
    if (!is.null(ended)) break
    taken <- taken + 1L
    short <- max(abs(step$d)) > radius
    d <- if (short) step$d * radius / max(abs(step$d)) else step$d
    z <- pmin(pmax(here$z + d, box$low), box$up)
    there <- objective$at(par_at(z))
    there <- along(there, z)
    d <- z - here$z
    gained <- there$penalised - here$penalised
    if (!is.finite(there$penalised)) {
      radius <- max(abs(d)) / 4
    } else {
      promise <- -sum(here$slope * d) - sum(d * (B %*% d)) / 2
      B <- learn_bfgs(B, d, there$slope - here$slope)
      if (gained <= 0 || gained < 0.1 * promise) {
        radius <- max(abs(d)) * learn_shorter(here, there, d)
      } else if (short && gained > 0.5 * promise) {
        radius <- min(2 * radius, learn_longest_step)
      }
    }
    if (gained > 0) here <- there
  }
  whole <- ncol(basis) == length(from$par)
  here[c("z", "slope")] <- NULL
  here$opt <- list(message = ended, left = step$promise, curvature = if (whole) basis %*% B %*% t(basis))
  here$curvature <- from$curvature
  here
}

#' How a walk has ended, `NULL` where it goes on
#' @param taken of so many `steps`.
#' @return a message
#' @noRd
walk_ended <- function(problem, here, step, radius, taken, steps, gain) {
  if (!is.finite(here$penalised)) {
    "no value where the search starts"
  } else if (!length(here$z)) {
    "only epsilon is free, and it is at its bound"
  } else if (radius < 1e-6) {
    learn_stuck
  } else if (taken == steps) {
    paste(steps, "evaluations of the criterion were not enough")
  } else if (learn_is_over(problem)) {
    learn_out_of_time(problem)
  } else if (step$promise < gain || max(abs(here$slope[step$free])) < learn_slope) {
    "converged"
  }
}

#' A curvature from elsewhere need not be one of a maximum
#' @noRd
convex <- function(B, least) {
  if (is.null(tryCatch(chol(B), error = function(cnd) NULL))) turned_up(B, least) else B
}

learn_box <- function(problem, origin, basis) {
  side <- function(bound, which) {
    vapply(seq_len(ncol(basis)), function(k) which((bound - origin)[basis[, k] != 0]), 0)
  }
  list(low = side(problem$lower, max), up = side(problem$upper, min))
}

#' The step to the minimum of the quadratic model among what is not held by a bound
#' @return list(d, free, promise: what it gains if the model is right)
#' @noRd
learn_newton_step <- function(here, B, box) {
  free <- !(here$z <= box$low & here$slope > 0 | here$z >= box$up & here$slope < 0)
  d <- numeric(length(free))
  if (any(free)) {
    B <- B[free, free, drop = FALSE]
    U <- tryCatch(chol(B), error = function(cnd) chol(diag(max(diag(B)), nrow(B))))
    d[free] <- -chol2inv(U) %*% here$slope[free]
  }
  list(d = d, free = free, promise = -sum(here$slope * d) / 2)
}

#' BFGS with Powell's damping, which keeps B positive definite
#' @noRd
learn_bfgs <- function(B, d, change) {
  if (!any(d != 0)) {
    return(B)
  }
  along <- sum(d * change)
  Bd <- drop(B %*% d)
  dBd <- sum(d * Bd)
  if (along < 0.2 * dBd) {
    share <- 0.8 * dBd / (dBd - along)
    change <- share * change + (1 - share) * Bd
    along <- sum(d * change)
  }
  B - tcrossprod(Bd) / dBd + tcrossprod(change) / along
}

#' By what factor to shorten a step that gained too little: the cubic through both ends
#' @noRd
learn_shorter <- function(here, there, d) {
  g0 <- sum(here$slope * d)
  g1 <- sum(there$slope * d)
  a <- g0 + g1 - 3 * (here$penalised - there$penalised)
  root <- sqrt(max(a^2 - g0 * g1, 0))
  at <- 1 - (g1 + root - a) / (g1 - g0 + 2 * root)
  if (is.finite(at)) min(max(at, 0.1), 0.5) else 0.25
}
