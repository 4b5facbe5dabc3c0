# Quasi-Newton steps inside a box, for criteria whose value and gradient come together
# and are dear: a curvature known from elsewhere (fewer rows) is where it starts, and
# every evaluation improves it, also of steps that are not taken.

learn_gain <- 2e-5  # a climb ends when the next step promises less than this,
learn_slope <- 1e-3 # or when no slope is steeper than this
learn_first_step <- 1   # in the logs: a factor e
learn_longest_step <- 2
learn_stuck <- "no step gains"

#' BFGS along `par = origin + basis %*% z`
#'
#' The columns of `basis` hold zeros and ones and share no row: the bounds of `par` are
#' bounds of `z`.
#' @param maxit steps, an evaluation each: where EP has a fixed point here and none there,
#'   thousands could be taken for next to nothing.
#' @param gain the search ends when the next step promises to gain less than this.
#' @param curvature of the objective at `origin` (-f'', in `par`), or `NULL`.
#' @return list(convergence, message, left, curvature), convergence as that of optim(): 0, 1
#'   after `maxit` steps, 52 where there is no value to start from; left: what the next step
#'   promises to gain, if the curvature is right; curvature: as the steps have improved it, in
#'   `par`, where the basis has all of its coordinates.
#' @noRd
learn_optim <- function(problem, objective, origin, basis, maxit,
                        gain = learn_gain, curvature = NULL) {
  to_par <- function(z) learn_within(problem, origin + drop(basis %*% z))
  look <- function(z) {
    here <- objective$at(to_par(z))
    list(z = z, value = -here$penalised, slope = -drop(crossprod(basis, here$gradient)))
  }
  B <- NULL
  ended <- function(convergence, message) {
    left <- if (is.null(B)) 0 else learn_newton_step(here, B, box)$promise
    whole <- !is.null(B) && ncol(basis) == length(origin)
    list(
      convergence = convergence, message = message, left = left,
      curvature = if (whole) basis %*% B %*% t(basis)
    )
  }
  box <- learn_box(problem, origin, basis)
  here <- look(numeric(ncol(basis)))
  if (!is.finite(here$value)) {
    return(ended(52L, "no value where the search starts"))
  }
  if (!ncol(basis)) {
    return(ended(0L, "only epsilon is free, and it is at its bound"))
  }
  if (is.null(curvature)) curvature <- diag(problem$curvature, length(origin))
  B <- convex(crossprod(basis, curvature %*% basis), problem$least)
  radius <- learn_first_step
  for (iteration in seq_len(maxit)) {
    if (learn_is_over(problem)) {
      out <- learn_out_of_time(problem)
      return(ended(out$convergence, out$message))
    }
    step <- learn_newton_step(here, B, box)
    if (step$promise < gain || max(abs(here$slope[step$free])) < learn_slope) {
      return(ended(0L, "converged"))
    }
    d <- step$d
    short <- max(abs(d)) > radius
    if (short) d <- d * radius / max(abs(d))
    there <- look(pmin(pmax(here$z + d, box$low), box$up))
    d <- there$z - here$z
    if (!is.finite(there$value)) {
      radius <- max(abs(d)) / 4
    } else {
      promise <- -sum(here$slope * d) - sum(d * (B %*% d)) / 2
      B <- learn_bfgs(B, d, there$slope - here$slope)
      gained <- here$value - there$value
      if (gained <= 0 || gained < 0.1 * promise) {
        radius <- max(abs(d)) * learn_shorter(here, there, d)
      } else if (short && gained > 0.5 * promise) {
        radius <- min(2 * radius, learn_longest_step)
      }
      if (gained > 0) here <- there
    }
    if (radius < 1e-6) {
      return(ended(0L, learn_stuck))
    }
  }
  ended(1L, paste(maxit, "evaluations of the criterion were not enough"))
}

#' A curvature from elsewhere need not be one of a maximum: its axes that are not, turned round
#' @noRd
convex <- function(B, least) {
  if (!is.null(tryCatch(chol(B), error = function(cnd) NULL))) {
    return(B)
  }
  e <- axes(B)
  e$vectors %*% (pmax(abs(e$values), least) * t(e$vectors))
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
  a <- g0 + g1 - 3 * (there$value - here$value)
  root <- sqrt(max(a^2 - g0 * g1, 0))
  at <- 1 - (g1 + root - a) / (g1 - g0 + 2 * root)
  if (is.finite(at)) min(max(at, 0.1), 0.5) else 0.25
}
