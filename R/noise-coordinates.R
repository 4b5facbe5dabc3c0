# Noise models: what is reported of each true class, as a function of coordinates: standard
# normals, or the logits of an optimum. The learner has one of them, which allows for wrong labels
# of every class; the label stage averages over several [M 16.4].

#' A noise model
#'
#' @param name see noise_order, or "given". @param d coordinates.
#' @param omegas function(Z), a column a point, of the S x C x C x K probabilities.
#' @param pull function(Z, slope) of the gradients in Z, slope those in omega, S x C x C x K.
#' @param rates function(z) of the rates that omega is made of as a fit shows them, the mean of
#'   the sources': one rate, or (neg, pos); or what is held.
#' @return list of these; omega(z), S x C x C; prior(z), value and gradient of what the log prior has
#'   beside the normal one; start(e), coordinates at which rates are e; and starts(), coordinates to
#'   start from beside.
#' @noRd
new_noise <- function(name, d, omegas, pull, rates) {
  omega <- function(z) {
    at <- omegas(matrix(z, ncol = 1))
    dim(at) <- dim(at)[1:3]
    at
  }
  list(
    name = name, d = d, omegas = omegas, omega = omega, pull = pull, rates = rates,
    prior = function(z) list(value = 0, gradient = numeric(length(z))),
    start = function(e) numeric(d), starts = function() list()
  )
}

#' One that is held
#' @param epsilon,share as as_omega() takes them.
#' @noRd
noise_held <- function(name, epsilon, classes, sources, share = NULL) {
  omega <- as_omega(epsilon, classes, sources, share)
  omegas <- function(Z) array(omega, c(dim(omega), ncol(Z)))
  new_noise(name, 0L, omegas, function(z, slope) numeric(), function(z) epsilon)
}

#' Rates of every source, one for all of its true classes, or for each, or for one alone
#'
#' @param link see rates_of_groups(): which coordinates and rates there are.
#' @param of which kind of rate each true class has, 0 for none.
#' @param where which classes share what is wrong, see noise_whereto().
#' @noRd
noise_rates <- function(name, link, of, where) {
  classes <- length(of)
  mine <- seq_len(link$d)
  by_class <- function(Z) { # S x C x K
    rates <- array(0, c(link$sources, classes, ncol(Z)))
    rates[, of > 0, ] <- link$rates(Z[mine, , drop = FALSE])[, of, ]
    rates
  }
  new_noise(
    name, link$d + where$d,
    omegas = function(Z) rates_omegas(by_class(Z), where$at(Z[-mine, , drop = FALSE])),
    pull = function(Z, slope) {
      Z <- as.matrix(Z)
      size <- c(dim(slope)[1], classes, classes, ncol(Z))
      whereto <- where$at(Z[-mine, , drop = FALSE])[rep_len(seq_len(where$sources), size[1]), , , , drop = FALSE]
      slope <- matrix(slope, ncol = size[4])
      by_rate <- array(slope * as.vector(whereto), c(size[1] * classes, classes, size[4]))
      by_rate <- rowSums(aperm(by_rate, c(1, 3, 2)), dims = 2) - slope[right_cells(size[1], classes), ]
      by_rate <- array(by_rate, size[-3])
      by_kind <- array(0, c(size[1], max(of), size[4])) # of classes that share a rate the sum
      for (t in which(of > 0)) by_kind[, of[t], ] <- by_kind[, of[t], ] + by_rate[, t, ]
      along <- matrix(by_class(Z), ncol = size[4])[rep(seq_len(size[1] * classes), classes), ]
      by <- rbind(
        link$pull(Z[mine, , drop = FALSE], by_kind),
        if (where$d) where$pull(Z[-mine, , drop = FALSE], array(slope * along, size))
      )
      if (size[4] == 1) drop(by) else by
    },
    rates = function(z) {
      rates <- colMeans(matrix(by_class(matrix(z, ncol = 1)), ncol = classes))
      if (classes == 2 && !all(of == 1)) {
        stats::setNames(rates, c("neg", "pos"))
      } else if (all(of == 1)) rates[1] else rates
    }
  )
}

even_share <- function(classes) (1 - diag(classes)) / max(classes - 1, 1)

#' Where (s, t, t) stands in an S x C x C array
#' @noRd
right_cells <- function(sources, classes) {
  seq_len(sources) + rep(sources * (classes + 1) * (seq_len(classes) - 1), each = sources)
}

whereto_spread <- 2.5 # of the logs of where errors go: one class only is no surprise

#' Where wrong labels of each true class go, as a function of coordinates: exp(2.5 z), normalised
#' @param targets C x C, which classes may be recorded of each. @param sources how many have it for
#'   themselves. @param turn the order in which classes have coordinates.
#' @return list(d, sources, at(Z): sources x C x C x K, pull(Z, slope): slope S x C x C x K, that in it)
#' @noRd
noise_whereto <- function(targets, sources, turn) {
  classes <- length(turn)
  rows <- turn[rowSums(targets)[turn] > 0]
  columns <- lapply(rows, function(t) turn[targets[t, turn]])
  # of a row all targets of one source after the other
  at <- do.call(rbind, Map(function(t, v) {
    data.frame(v = rep(v, sources), s = rep(seq_len(sources), each = length(v)), t = t)
  }, rows, columns))
  cell <- at$s + sources * (at$t - 1L + classes * (at$v - 1L))
  group <- match(at$s + sources * at$t, unique(at$s + sources * at$t))
  base <- array(rep(even_share(classes), each = sources), c(sources, classes, classes))
  base[, rows, ] <- 0
  over_group <- function(x) unname(rowsum(x, group, reorder = FALSE))[group, , drop = FALSE]
  shares_at <- function(Z) {
    e <- exp(whereto_spread * pmin(pmax(Z, -whereto_most), whereto_most))
    e / over_group(e)
  }
  list(
    d = length(cell), sources = sources,
    at = function(Z) {
      W <- matrix(base, length(base), ncol(Z))
      W[cell, ] <- shares_at(Z)
      array(W, c(dim(base), ncol(Z)))
    },
    pull = function(Z, slope) {
      # of those that share them the sum
      slope <- colSums(array(slope, c(dim(slope)[1] / sources, length(base), ncol(Z))))[cell, , drop = FALSE]
      w <- shares_at(Z)
      whereto_spread * w * (slope - over_group(w * slope))
    }
  )
}
whereto_most <- 250 # standard deviations, from where on an exponential would not be finite

#' The same where it is known, for all sources
#' @param share see as_omega().
#' @noRd
noise_shared <- function(classes, share = NULL) {
  if (is.null(share)) share <- even_share(classes)
  list(d = 0L, sources = 1L, at = function(Z) array(share, c(1L, classes, classes, ncol(Z))))
}

#' The same of classes in an order: errors fall on neighbours alone, or anywhere, or both; which part
#' does what is uniform before the data
#' @noRd
noise_reach <- function(classes) {
  near <- as.vector(neighbour_share(classes, 0))
  further <- as.vector(neighbour_share(classes, 1)) - near
  list(
    d = 1L, sources = 1L,
    at = function(Z) array(near + outer(further, stats::pnorm(drop(Z))), c(1L, classes, classes, ncol(Z))),
    pull = function(Z, slope) {
      slope <- colSums(array(slope, c(dim(slope)[1], classes^2, ncol(Z))))
      (further %*% slope) * stats::dnorm(Z)
    }
  )
}

#' Rates by source and true class at several points as omega
#' @param rates S x C x K. @param whereto see noise_whereto(): of one source or all, of one point or all.
#' @return S x C x C x K
#' @noRd
rates_omegas <- function(rates, whereto) {
  sources <- dim(rates)[1]
  classes <- dim(rates)[2]
  K <- dim(rates)[3]
  s <- rep_len(seq_len(dim(whereto)[1]), sources)
  k <- rep_len(seq_len(dim(whereto)[4]), K)
  rates <- matrix(rates, ncol = K)
  omega <- rates[rep(seq_len(sources * classes), classes), , drop = FALSE] * as.vector(whereto[s, , , k])
  omega[right_cells(sources, classes), ] <- 1 - rates
  array(omega, c(sources, classes, classes, K))
}
