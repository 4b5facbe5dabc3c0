# Noise models: what is reported of each true class, as a function of coordinates z. The learner has
# one, which allows for wrong labels of every class; the label stage averages over several. With
# rates e[s, t] of source s on rows of class t, and pi[s, t, v] the share of them that goes to v [M 16.4],
#   omega[s, t, v] = e[s, t] pi[s, t, v],   omega[s, t, t] = 1 - e[s, t]
#
# A noise model is list(name, see noise_order, or "given"; d: how many coordinates), and either
# - held (omega, S x C x C) and rates (as given), where there are none, or
# - of (which kind of rate each true class has, 0 for none), root and priors (of their scores, see
#   noise_rates()), and whereto (see noise-whereto.R).
# Z has a column a point, K of them; slopes are derivatives of a number, a point each.

#' A noise model that is held
#' @param epsilon,share as as_omega() takes them.
#' @noRd
noise_held <- function(name, epsilon, classes, sources, share = NULL) {
  list(name = name, d = 0L, held = as_omega(epsilon, classes, sources, share), rates = epsilon)
}

#' A noise model with rates, whose coordinates come before those of where errors go
#' @noRd
noise_free <- function(name, of, root, priors, whereto) {
  d <- ncol(root) * max(of) + whereto$d
  list(name = name, d = d, of = of, root = root, priors = priors, whereto = whereto)
}

#' omega at points, S x C x C x K
#' @noRd
noise_omegas <- function(model, Z) {
  if (model$d == 0) {
    return(array(model$held, c(dim(model$held), ncol(Z))))
  }
  rates <- noise_rates(model, Z)
  whereto <- noise_whereto(model, Z)
  omegas <- every_target(rates) * as.vector(whereto)
  omegas[right_cells(dim(rates)), ] <- 1 - as.vector(rates)
  array(omegas, dim(whereto))
}

#' omega at one point, S x C x C
#' @noRd
noise_omega <- function(model, z) {
  omegas <- noise_omegas(model, matrix(z, ncol = 1))
  array(omegas, dim(omegas)[1:3])
}

#' Derivatives in the coordinates, d x K, from those in omega, G:
#'   d/d e[s, t] = sum_{v != t} G[s, t, v] pi[s, t, v] - G[s, t, t],   d/d pi[s, t, v] = e[s, t] G[s, t, v]
#' @param slope G, S x C x C x K.
#' @noRd
noise_pull <- function(model, Z, slope) {
  if (model$d == 0) {
    return(matrix(0, 0, ncol(Z)))
  }
  rates <- noise_rates(model, Z)
  size <- dim(rates)
  rows <- size[1] * size[2] # of a source and a true class each
  slope <- matrix(slope, ncol = ncol(Z))
  moved <- array(slope * as.vector(noise_whereto(model, Z)), c(rows, size[2], ncol(Z)))
  by_rate <- rowSums(aperm(moved, c(1, 3, 2)), dims = 2) - slope[right_cells(size), ]
  rbind(
    noise_rates_pull(model, Z, array(by_rate, size), rates),
    whereto_pull(model$whereto, whereto_part(model, Z), slope * every_target(rates))
  )
}

#' Rates as a fit shows them, the mean of the sources': one, or (neg, pos); or what is held
#' @noRd
noise_shown <- function(model, z) {
  if (model$d == 0) {
    return(model$rates)
  }
  classes <- length(model$of)
  rates <- colMeans(matrix(noise_rates(model, matrix(z, ncol = 1)), ncol = classes))
  if (all(model$of == 1)) {
    rates[1]
  } else if (classes == 2) stats::setNames(rates, c("neg", "pos")) else rates
}

#' Coordinates at which rates are e: one, or sources x kinds
#' @noRd
noise_start <- function(model, e) {
  if (is.null(model$priors)) {
    return(numeric(model$d))
  }
  sources <- nrow(model$root)
  scores <- rates_scores(array(e, c(sources, length(model$priors), 1)), model$priors)
  z <- solve(model$root, matrix(scores, sources))
  c(as.vector(z), numeric(model$d - length(z)))
}

# Rates ---------------------------------------------------------------------------

#' Scores of rates are root times their coordinates: those of sources are alike a priori
#' @return sources x kinds x K
#' @noRd
noise_scores <- function(model, Z) {
  kinds <- max(model$of)
  z <- Z[seq_len(ncol(model$root) * kinds), , drop = FALSE]
  array(model$root %*% matrix(z, ncol(model$root)), c(nrow(model$root), kinds, ncol(Z)))
}

#' Rates at points by true class, S x C x K
#' @noRd
noise_rates <- function(model, Z) {
  scores <- noise_scores(model, Z)
  rates <- array(0, c(nrow(scores), length(model$of), ncol(Z)))
  rates[, model$of > 0, ] <- rates_at(scores, model$priors)[, model$of, ]
  rates
}

#' @param by_rate derivatives in the rates, S x C x K. @return those in their coordinates.
#' @noRd
noise_rates_pull <- function(model, Z, by_rate, rates) {
  scores <- noise_scores(model, Z)
  by_kind <- array(0, dim(scores))
  for (t in which(model$of > 0)) { # of classes that share a rate the sum
    kind <- model$of[t]
    by_kind[, kind, ] <- by_kind[, kind, ] + by_rate[, t, ]
  }
  e <- rates[, match(seq_len(ncol(scores)), model$of), , drop = FALSE]
  by_score <- rates_slope(scores, model$priors, by_kind, e)
  matrix(crossprod(model$root, matrix(by_score, nrow(model$root))), ncol = ncol(Z))
}

#' A number of each source and true class for every class reported, (S C C) x K
#' @noRd
every_target <- function(rates) {
  size <- dim(rates)
  matrix(rates, ncol = size[3])[rep(seq_len(size[1] * size[2]), size[2]), , drop = FALSE]
}

#' Where (s, t, t) stands in an S x C x C array
#' @param size S, C, ..
#' @noRd
right_cells <- function(size) {
  sources <- seq_len(size[1])
  classes <- seq_len(size[2])
  sources + rep(size[1] * (size[2] + 1) * (classes - 1), each = size[1])
}
