# The mode finder: from every start a short climb; on from those that are worth it and apart;
# the curvature there, which is carried to more rows. A climb takes care of flip rates
# near 0, where the way to 0 is long and flat in logits.

modes_lost <- 7    # nats below the best from which a mode does not count
modes_same <- 0.5  # modes nearer in value, or within one sd, are one
modes_gain <- 0.02 # a climb to a mode ends when the next step promises less
learn_maxit <- 200L # of a climb
# Between the gradients that tell the curvature
learn_difference <- c(usual = 0.03, rough = 0.05, central = 0.01)
learn_tol_curvature <- 1e-6 # of EP, where gradients are subtracted from each other

#' How modes are sought that are to be integrated over
#'
#' @return list(look, look_gain, basis: of the short climbs, see learn_optim(); behind: nats
#'   below the best from which an end of them is dropped; value, place: ends that are nearer
#'   in value, and in mean square, are one: the best, if `best_first`, or the first; steps,
#'   gain: of the climbs from the others).
#' @noRd
modes_way <- function(problem, starts) {
  list(
    look = if (length(starts) > 1) 3L else 0L, look_gain = modes_gain,
    basis = diag(length(problem$field)), behind = 3, value = Inf, place = 0.25, best_first = TRUE,
    steps = 40L, gain = modes_gain
  )
}

#' The modes that the starts lead to
#'
#' @param starts list of list(par, sites, curvature): what is not known is left out.
#' @return list of evaluations with `H`, the curvature -f'' in z, and `tangent`, the
#'   derivatives of the sites; the best first. Empty where EP has no fixed point.
#' @noRd
learn_modes <- function(objective, starts) {
  ends <- learn_ends(objective, starts, modes_way(objective$problem, starts))$ends
  modes <- list()
  for (end in best_first(ends)) {
    if (is.finite(end$penalised) && !mode_is_known(end, modes)) {
      end[c("H", "tangent")] <- learn_curvature(objective, end)
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

#' Where starts lead
#'
#' @param way see modes_way(). @return list(ends: evaluations, each with `opt`, how its climb
#'   ended; of: for each start which of them it leads to, `NA` where to none)
#' @noRd
learn_ends <- function(objective, starts, way) {
  looks <- lapply(starts, learn_walk, objective, way$basis, way$look, way$look_gain)
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

#' Steps along a basis from a point, with the curvature that is known there
#'
#' @param from list(par, sites, curvature), or an evaluation.
#' @return the best evaluation, with `opt`, how it ended, and the `curvature`.
#' @noRd
learn_walk <- function(from, objective, basis, steps, gain) {
  objective$begin(if (!is.null(from$sites)) from)
  opt <- learn_optim(
    objective$problem, objective, from$par, basis, steps, gain, from$curvature
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

# Curvature ---------------------------------------------------------------------

#' -f'' at a mode by differences of the gradient, and how the sites move there
#'
#' @param central whether both sides are looked at: half as exact again, twice as dear.
#' @param rough whether EP's tolerance in a search will do, which it does to climb with.
#' @return list(H, tangent), both `NULL` where EP has no fixed point at the mode; where it
#'   has none nearby, H is that of the prior, or, if `central`, `NA`.
#' @noRd
learn_curvature <- function(objective, mode, central = FALSE, rough = FALSE) {
  problem <- objective$problem
  problem$search_control$tol <- max(
    problem$control$tol, learn_tol_curvature, problem$latent$coarse
  )
  look <- function(par, sites) {
    out <- learn_native(problem, par, sites)
    objective$count()
    learn_evaluation(problem, par, out)
  }
  if (rough) {
    objective$begin(mode)
    look <- function(par, sites) objective$at(par)
  }
  step <- learn_difference[[if (central) "central" else if (rough) "rough" else "usual"]]
  here <- if (central || rough) mode else look(mode$par, mode$sites)
  fine <- function(end) is.finite(end$penalised)
  if (!fine(here)) {
    return(list(H = NULL, tangent = NULL))
  }
  d <- length(mode$par)
  H <- diag(d)
  tangent <- matrix(0, length(unlist(here$sites)), d)
  for (j in seq_len(d)) {
    along <- function(step) look(replace(mode$par, j, mode$par[j] + step), here$sites)
    up <- along(step)
    down <- if (central || !fine(up)) along(-step) else here
    if (!central && !fine(up)) up <- here
    if (fine(up) && fine(down)) {
      apart <- if (central) 2 * step else step
      H[, j] <- (down$gradient - up$gradient) / apart
      tangent[, j] <- (unlist(up$sites) - unlist(down$sites)) / apart
    } else if (central) {
      H[, j] <- NA
    } # else that of the prior
  }
  list(H = (H + t(H)) / 2, tangent = tangent)
}

#' The curvature on more rows: the data's part of it grows with them, the prior's does not
#' @param times as many rows.
#' @noRd
grown_curvature <- function(problem, H, times) {
  prior <- diag(pmax(problem$precision, problem$least), nrow(H))
  e <- axes(prior + times * (H - prior))
  e$vectors %*% (pmax(abs(e$values), problem$least) * t(e$vectors))
}

#' eigen() of a symmetric matrix, which may have no rows; the largest part of a vector is
#' positive, so that rounding does not turn it round
#' @noRd
axes <- function(H) {
  if (nrow(H) == 0) {
    return(list(values = numeric(), vectors = H))
  }
  e <- eigen(H, symmetric = TRUE)
  largest <- e$vectors[cbind(max.col(abs(t(e$vectors)), "first"), seq_along(e$values))]
  e$vectors <- e$vectors * rep(sign(largest), each = nrow(H))
  e
}

#' Log evidence by Laplace's method at a mode
#' @noRd
node_laplace <- function(mode, least = average_least) {
  values <- pmax(axes(mode$H)$values, least)
  mode$penalised + length(values) / 2 * log(2 * pi) - sum(log(values)) / 2
}
