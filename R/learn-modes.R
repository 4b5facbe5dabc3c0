# The mode finder: from every start a short climb; on from those that are worth it and apart;
# the curvature there, which is carried to more rows. A climb takes care of flip rates
# near 0, where the way to 0 is long and flat in logits.

modes_lost <- 7    # nats below the best from which a mode does not count
modes_same <- 0.5  # modes nearer in value, or within one sd, are one
modes_gain <- 0.02 # a climb to a mode ends when the next step promises less;
modes_gain_classes <- 0.1 # on all of many rows of several classes
learn_maxit <- 200L # of a climb

#' How modes are sought that are to be integrated over
#'
#' @return list(look, look_gain, basis: of the short climbs, see learn_optim(); behind: nats
#'   below the best from which an end of them is dropped; value, place: ends that are nearer
#'   in value, and in mean square, are one: the best, if `best_first`, or the first; steps,
#'   gain: of the climbs from the others; learns: whether these go on with the curvature that the
#'   short ones have learned).
#' @noRd
modes_way <- function(problem, starts) {
  list(
    look = if (length(starts) > 1) 3L else 0L, look_gain = modes_gain,
    basis = diag(length(problem$field)), behind = 3, value = Inf, place = 0.25, best_first = TRUE,
    steps = 40L, gain = modes_gain, learns = TRUE
  )
}

#' The modes that the starts lead to
#'
#' @param starts list of list(par, sites, curvature): what is not known is left out.
#' @return list of evaluations with `H`, `tangent` and `measured` of learn_curvature(); the
#'   best first. Empty where EP has no fixed point.
#' @noRd
learn_modes <- function(objective, starts) {
  ends <- learn_ends(objective, starts, modes_way(objective$problem, starts))$ends
  modes <- list()
  for (end in best_first(ends)) {
    if (is.finite(end$penalised) && !mode_is_known(end, modes)) {
      told <- mode_curvature(objective, end)
      end[names(told)] <- told
      if (!is.null(end$H)) modes <- c(modes, list(end))
    }
  }
  modes
}

#' The curvature at a mode, or when time is over that on some rows
#' @noRd
mode_curvature <- function(objective, mode) {
  if (!is.null(mode$curvature) && learn_is_over(objective$problem)) {
    return(list(H = mode$curvature, tangent = NULL, measured = "converged"))
  }
  learn_curvature(objective, mode)
}

#' What `f` makes of the elements of a list; when time is over, of those up to the first that is
#' `enough`
#' @noRd
until_over <- function(x, problem, f, enough) {
  made <- list()
  for (one in x) {
    made <- c(made, list(f(one)))
    if (enough(made[[length(made)]]) && learn_is_over(problem)) break
  }
  made
}

best_first <- function(ends) ends[order(-reached(ends))]

reached <- function(ends) vapply(ends, function(end) end$penalised, numeric(1))

mode_is_known <- function(end, modes) {
  known <- vapply(modes, function(mode) {
    apart <- end$par - mode$par
    behind <- mode$penalised - end$penalised
    behind > modes_lost || abs(behind) < modes_same && sum(apart^2) < 1 ||
      sum(apart * (mode$H %*% apart)) < 1
  }, logical(1))
  any(known)
}

#' Where starts lead; when time is over, the first that leads anywhere
#'
#' @param way see modes_way(). @return list(ends: evaluations, each with `opt`, how its climb
#'   ended; of: for each start which of them it leads to, `NA` where to none)
#' @noRd
learn_ends <- function(objective, starts, way) {
  looks <- until_over(starts, objective$problem, function(start) {
    learn_walk(start, objective, way$basis, way$look, way$look_gain)
  }, function(look) is.finite(look$penalised))
  value <- reached(looks)
  of <- rep(NA_integer_, length(starts))
  ends <- list()
  for (k in if (way$best_first) order(-value) else seq_along(value)) {
    look <- looks[[k]]
    if (!is.finite(value[k]) || value[k] <= max(value) - way$behind) next
    twin <- Position(function(end) {
      apart <- c(mean_square(end$par - look$par), mean_square(end$look$par - look$par))
      abs(end$look$penalised - look$penalised) < way$value && min(apart) < way$place
    }, ends)
    if (is.na(twin)) {
      if (way$learns) look$learned <- look$opt$curvature
      end <- if (way$steps > 0) learn_climb(look, objective, way$gain, way$steps) else look
      end$look <- look[c("par", "penalised")]
      ends <- c(ends, list(end))
      twin <- length(ends)
    }
    of[k] <- twin
  }
  list(ends = ends, of = of)
}

#' Where each start led, as a fit tells it
#' @param found see learn_ends(). @param chosen which of its ends was taken.
#' @noRd
ends_table <- function(found, chosen) {
  value <- c(-Inf, reached(found$ends))[1 + ifelse(is.na(found$of), 0L, found$of)]
  start <- seq_along(found$of)
  first <- match(chosen, found$of, nomatch = 1L)
  data.frame(start = start, penalised = value, chosen = start == first)
}

# Of nothing: 0
mean_square <- function(x) if (length(x)) mean(x^2) else 0

#' Steps along a basis from a point, with the curvature that is known there or, if it is to be gone
#' on with, that the steps before have `learned`
#'
#' @param from list(par, sites, curvature, learned), or an evaluation.
#' @return the best evaluation, with `opt`, how it ended, and the `curvature`.
#' @noRd
learn_walk <- function(from, objective, basis, steps, gain) {
  objective$begin(if (!is.null(from$sites)) from)
  opt <- learn_optim(
    objective$problem, objective, from$par, basis, steps, gain,
    if (is.null(from$learned)) from$curvature else from$learned
  )
  best <- objective$best()
  if (is.null(best$par)) best <- list(par = from$par, penalised = -Inf)
  best$opt <- opt
  best$curvature <- from$curvature
  best
}

#' The full search from an evaluation
#'
#' On the logit scale the way to epsilon = 0 is long and flat. So where epsilon is
#' small and wants to fall, its lower bound is tried, and epsilon is held there
#' when that is better; where it wants to rise from there, it is let go.
#' @return as learn_walk()
#' @noRd
learn_climb <- function(from, objective, gain = learn_gain, steps = learn_maxit) {
  problem <- objective$problem
  objective$begin(from)
  best <- from
  # from where rates are let go: far at first, then near, for they have been held
  for (off in c(3, 0.1)) {
    rising <- learn_at_zero(problem, best) & best$gradient > 0
    here <- if (any(rising)) {
      learn_move_epsilon(objective, best, rising, stats::qlogis(2 * off * learn_small_epsilon))
    } else {
      learn_try_zero(objective, best)
    }
    if (off < 1 && identical(here$par, best$par)) break
    here$curvature <- from$curvature
    basis <- diag(length(here$par))[, !learn_at_zero(problem, here), drop = FALSE]
    end <- learn_walk(here, objective, basis, steps, gain)
    if (end$penalised >= best$penalised) best <- end else best$opt <- end$opt
  }
  best
}

#' Which free parameters are flip rates that are held at 0
#' @noRd
learn_at_zero <- function(problem, here) {
  problem$field == "epsilon" & !is.null(problem$small) & here$par <= problem$lower
}

learn_move_epsilon <- function(objective, here, which, value) {
  objective$at(replace(here$par, which, value))
}

#' `here`, or a better evaluation with small flip rates at their lower bound
#' @noRd
learn_try_zero <- function(objective, here) {
  problem <- objective$problem
  small <- problem$field == "epsilon" & here$par > problem$lower & here$gradient < 0 &
    here$par < max(problem$small, -Inf)
  if (!any(small)) {
    return(here)
  }
  zero <- learn_move_epsilon(objective, here, small, problem$lower[small])
  if (zero$penalised > here$penalised) zero else here
}
