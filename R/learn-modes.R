# The mode finder: from every start a short climb; on from those that are worth it and apart;
# the curvature there, which is carried to more rows. A climb takes care of flip rates
# near 0, where the way to 0 is long and flat in logits.

modes_lost <- 7    # nats below the best from which a mode does not count
modes_same <- 0.5  # modes nearer in value, or within one sd, are one
modes_place <- 0.25 # ends nearer than this in mean square are one, too
modes_gain <- 0.02 # a climb to a mode ends when the next step promises less;
modes_gain_classes <- 0.1 # on all of many rows of several classes
learn_maxit <- 200L # of a climb

#' The modes that the starts lead to
#'
#' @param starts list of list(par, sites, curvature): what is not known is left out.
#' @return list of evaluations with `H`, `tangent` and `measured` of learn_curvature(); the
#'   best first. Empty where EP has no fixed point.
#' @noRd
learn_modes <- function(objective, starts) {
  problem <- objective$problem
  way <- problem$way
  looks <- learn_looks(objective, starts)
  ends <- list()
  for (look in looks) {
    if (look$penalised > looks[[1]]$penalised - way$behind && !look_is_known(look, ends, way)) {
      look$learned <- look$opt$curvature
      end <- learn_climb(look, objective, way$gain, way$steps)
      end$look <- look[c("par", "penalised")]
      ends <- c(ends, list(end))
    }
  }
  ends <- best_first(ends)
  if (problem$curved) learn_curved(problem, ends) else ends
}

#' Where short climbs from the starts lead, the best first; when time is over, to the first that leads
#' anywhere
#' @return list of evaluations, see learn_walk().
#' @noRd
learn_looks <- function(objective, starts) {
  way <- objective$problem$way
  looks <- list()
  for (start in starts) {
    look <- learn_walk(start, objective, way$basis, if (length(starts) > 1) way$look else 0L, modes_gain)
    if (is.finite(look$penalised)) looks <- c(looks, list(look))
    if (is.finite(look$penalised) && learn_is_over(objective$problem)) break
  }
  best_first(looks)
}

#' Is one of the ends, or the look that it is of, so near that this one need not climb on?
#' @noRd
look_is_known <- function(look, ends, way) {
  known <- vapply(ends, function(end) {
    apart <- c(mean_square(end$par - look$par), mean_square(end$look$par - look$par))
    abs(end$look$penalised - look$penalised) < way$value && min(apart) < way$place
  }, NA)
  any(known)
}

#' Ends with the curvature there, but for those that are where another is
#' @noRd
learn_curved <- function(problem, ends) {
  modes <- list()
  for (end in ends) {
    if (!mode_is_known(end, modes)) {
      told <- if (!is.null(end$curvature) && learn_is_over(problem)) {
        list(H = end$curvature, tangent = NULL, measured = "converged") # on some rows
      } else {
        learn_curvature(problem, end)
      }
      end[names(told)] <- told
      if (!is.null(end$H)) modes <- c(modes, list(end))
    }
  }
  modes
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

# Of nothing: 0
mean_square <- function(x) if (length(x)) mean(x^2) else 0

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
      objective$at(replace(best$par, rising, stats::qlogis(2 * off * learn_small_epsilon)))
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

#' `here`, or a better evaluation with small flip rates at their lower bound
#' @noRd
learn_try_zero <- function(objective, here) {
  problem <- objective$problem
  small <- problem$field == "epsilon" & here$par > problem$lower & here$gradient < 0 &
    here$par < max(problem$small, -Inf)
  if (!any(small)) {
    return(here)
  }
  zero <- objective$at(replace(here$par, small, problem$lower[small]))
  if (zero$penalised > here$penalised) zero else here
}
