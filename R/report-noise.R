# Noise models: what is reported of each true class, as a function of coordinates: standard
# normals, or the logits of an optimum. The learner has one of them, which allows for wrong labels
# of every class; the label stage averages over several [M 16.4].

#' A noise model
#'
#' @param name see noise_names(), or "given". @param d coordinates.
#' @param omegas function(Z), a column a point, of the S x C x C x K probabilities.
#' @param pull function(z, slope) of the gradient in z, slope that in omega, S x C x C.
#' @param rates function(z) of the rates that omega is made of as a fit shows them, the mean of
#'   the sources': one rate, or (neg, pos); or what is held. @param prior function(z): value and
#'   gradient of what the log prior has beside the normal one. @param start function(e) of coordinates at which rates are e.
#' @return list of these, and omega(z), S x C x C.
#' @noRd
new_noise <- function(name, d, omegas, pull, rates, prior = nothing_besides,
                      start = function(e) numeric(d)) {
  omega <- function(z) {
    at <- omegas(matrix(z, ncol = 1))
    dim(at) <- dim(at)[1:3]
    at
  }
  list(
    name = name, d = d, omegas = omegas, omega = omega, pull = pull, rates = rates, prior = prior,
    start = start
  )
}

nothing_besides <- function(z) list(value = 0, gradient = numeric(length(z)))

#' One that is held
#' @param epsilon,share as as_omega() takes them.
#' @noRd
noise_held <- function(name, epsilon, classes, sources, share = NULL) {
  omega <- as_omega(epsilon, classes, sources, share)
  omegas <- function(Z) array(omega, c(dim(omega), ncol(Z)))
  new_noise(name, 0L, omegas, function(z, slope) numeric(), function(z) epsilon)
}

#' Rates of every source, one for all of its true classes, or for each, or for one alone; what is
#' wrong is shared by the other classes, or goes where coordinates say
#'
#' @param link see rates_of_groups(): which coordinates and rates there are, a column a kind.
#' @param of which kind of rate each true class has, 0 for none. @param prior see new_noise().
#' @param share see as_omega(). @param targets C x C, which classes may be recorded of each where
#'   that is learned, or `NULL`. @param own whether each source has that for itself.
#' @param turn the order in which classes have coordinates.
#' @noRd
noise_rates <- function(name, link, of, prior = nothing_besides, share = NULL, targets = NULL,
                        own = FALSE, turn = seq_along(of)) {
  classes <- length(of)
  if (is.null(share)) share <- even_share(classes)
  kinds <- max(of)
  each <- outer(seq_len(kinds), of, `==`) * 1 # kinds x C
  where <- noise_whereto(targets, share, if (own) link$sources else 1L, turn)
  mine <- seq_len(link$d)
  by_class <- function(Z) link$rates(Z[mine, , drop = FALSE]) %*% each # (S K) x C
  new_noise(
    name, link$d + where$d,
    omegas = function(Z) rates_omegas(by_class(Z), where$at(Z[-mine, , drop = FALSE]), ncol(Z)),
    pull = function(z, slope) {
      Z <- matrix(z, ncol = 1)
      whereto <- where$at(Z[-mine, , drop = FALSE])
      sources <- dim(slope)[1]
      W <- array(whereto, dim(whereto)[1:3])[rep_len(seq_len(dim(whereto)[1]), sources), , , drop = FALSE]
      rates <- by_class(Z)
      on <- diagonal_of(slope)
      by_rate <- rowSums(slope * W, dims = 2) - on
      c(
        link$pull(z[mine], by_rate %*% t(each)),
        if (where$d) where$pull(z[-mine], slope * rep(rates, classes))
      )
    },
    rates = function(z) {
      rates <- colMeans(by_class(matrix(z, ncol = 1)))
      if (classes == 2 && !all(of == 1)) {
        stats::setNames(rates, c("neg", "pos"))
      } else if (all(of == 1)) rates[1] else rates
    },
    prior = prior
  )
}

even_share <- function(classes) (1 - diag(classes)) / max(classes - 1, 1)

#' The (s, t, t) of an S x C x C array, S x C
#' @noRd
diagonal_of <- function(x) {
  size <- dim(x)
  t <- rep(seq_len(size[2]), each = size[1])
  matrix(x[cbind(rep(seq_len(size[1]), size[2]), t, t)], size[1])
}

whereto_spread <- 2.5 # of the logs of where errors go: one class only is no surprise

#' Where wrong labels of each true class go, as a function of coordinates: exp(2.5 z), normalised
#' @param targets,share,turn see noise_rates(). @param sources how many have it for themselves.
#' @return list(d, at(Z): sources x C x C x K, pull(z, slope): slope S x C x C, that in it)
#' @noRd
noise_whereto <- function(targets, share, sources, turn = seq_len(ncol(share))) {
  classes <- ncol(share)
  if (is.null(targets) || classes == 2) {
    return(list(d = 0L, at = function(Z) array(share, c(1L, classes, classes, 1L))))
  }
  rows <- turn[rowSums(targets)[turn] > 0]
  columns <- lapply(rows, function(t) turn[targets[t, turn]])
  size <- lengths(columns)
  first <- cumsum(c(0, sources * size))
  part <- function(k) first[k] + seq_len(sources * size[k])
  softmaxes <- function(z, k) { # its columns sum to 1
    e <- exp(whereto_spread * (z - rep(apply(z, 2, max), each = size[k])))
    e / rep(colSums(e), each = size[k])
  }
  of <- function(Z, k) softmaxes(matrix(Z[part(k), ], size[k]), k)
  list(
    d = as.integer(sum(sources * size)),
    at = function(Z) {
      W <- array(rep(share, each = sources), c(sources, classes, classes, ncol(Z)))
      for (k in seq_along(rows)) {
        W[, rows[k], , ] <- 0
        to <- array(of(Z, k), c(size[k], sources, ncol(Z)))
        W[, rows[k], columns[[k]], ] <- aperm(to, c(2, 1, 3))
      }
      W
    },
    pull = function(z, slope) {
      slope <- array(slope, c(dim(slope)[1] / sources, sources, dim(slope)[-1]))
      slope <- array(colSums(slope), c(sources, classes, classes))
      unlist(lapply(seq_along(rows), function(k) {
        w <- of(matrix(z), k)
        by <- t(matrix(slope[, rows[k], columns[[k]]], sources))
        whereto_spread * w * (by - rep(colSums(w * by), each = size[k]))
      }))
    }
  )
}

#' Rates by source and true class at several points as omega
#' @param rates (S K) x C. @param whereto see noise_whereto(): of one source or all, of one point or all.
#' @return S x C x C x K
#' @noRd
rates_omegas <- function(rates, whereto, K) {
  classes <- ncol(rates)
  sources <- nrow(rates) / K
  s <- rep_len(seq_len(dim(whereto)[1]), sources)
  k <- rep_len(seq_len(dim(whereto)[4]), K)
  omega <- as.vector(rates) * aperm(whereto[s, , , k, drop = FALSE], c(1, 4, 2, 3))
  for (t in seq_len(classes)) omega[, , t, t] <- 1 - rates[, t]
  aperm(omega, c(1, 3, 4, 2))
}
