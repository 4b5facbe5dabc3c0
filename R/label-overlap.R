# Overlap beyond what the scores say: unusual rows anywhere, and pairs of classes that look alike
# [M 16.5].

pairs_prior <- c(meanlog = log(0.001), sdlog = 3) # of how much two of three classes look alike,
pairs_most <- 20                                  # and at most
pairs_start <- 0.1 # of all, from where modes are sought as well as from their medians

#' Mean log of how much two classes look alike: the one that is most like a class has the same median,
#' however many there are. Else many pairs together would explain what is wrong.
#' @noRd
pairs_centre <- function(classes) {
  most <- function(classes) stats::qnorm(2^(-1 / (classes - 1)))
  pairs_prior[["meanlog"]] + pairs_prior[["sdlog"]] * (most(3) - most(classes))
}

#' Pairs of classes that may look alike: all of them, of many classes each with its nearest
#' @param near C x C, logical. @param turn the order in which classes have coordinates.
#' @return a matrix with a row a pair
#' @noRd
overlap_pairs <- function(near, turn = seq_len(ncol(near))) {
  near <- (near | t(near))[turn, turn]
  at <- which(upper.tri(near) & near, arr.ind = TRUE, useNames = FALSE)
  matrix(turn[at], ncol = 2)
}

#' U of shares of unusual rows and of pairs at points
#'
#' @param u share of each point. @param s pairs x points, or `NULL`. @param pairs see
#'   overlap_pairs(). @param plain see src/label.h.
#' @return list(U: a column a point; E: a list of list(vectors, values) where there are pairs)
#' @noRd
overlap_matrices <- function(u, s, pairs, classes, plain = FALSE) {
  if (plain) {
    return(list(U = rbind(1 - u, u / classes)))
  }
  anywhere <- matrix(rep(u / classes, each = classes^2), classes^2)
  if (is.null(s)) {
    return(list(U = anywhere + outer(as.vector(diag(classes)), 1 - u)))
  }
  E <- lapply(seq_len(ncol(s)), function(k) {
    L <- laplacian(s[, k], pairs, classes)
    e <- eigen(L, symmetric = TRUE)
    list(vectors = e$vectors, values = pmax(e$values, 0))
  })
  alike <- vapply(E, function(e) {
    # of no entry below 0, as rounding makes some of classes that do not look alike
    pmax(as.vector(e$vectors %*% (exp(-e$values) * t(e$vectors))), 0)
  }, numeric(classes^2))
  list(U = anywhere + alike * rep(1 - u, each = classes^2), E = E)
}

laplacian <- function(s, pairs, classes) {
  S <- matrix(0, classes, classes)
  S[pairs] <- s
  S <- S + t(S)
  diag(rowSums(S), classes) - S
}

#' The gradients in u and in the logs of s at points, from those in U
#' @param G slopes in U, a column a point. @param at list(u, s, overlap: what overlap_matrices() gave).
#' @return list(u (K), log_s, pairs x K)
#' @noRd
overlap_slopes <- function(G, at, pairs, classes, plain = FALSE) {
  if (plain) {
    return(list(u = G[2, ] / classes - G[1, ]))
  }
  if (is.null(at$s)) {
    return(list(u = colSums(G) / classes - colSums(G[seq(1, classes^2, by = classes + 1), , drop = FALSE])))
  }
  each <- lapply(seq_along(at$u), function(k) {
    alike_slope(matrix(G[, k], classes), at$u[k], at$overlap$E[[k]], pairs)
  })
  list(
    u = vapply(each, `[[`, 1, "u"),
    log_s = vapply(each, `[[`, numeric(nrow(pairs)), "pair") * at$s
  )
}

#' At one point, from the axes of its Laplacian
#' @noRd
alike_slope <- function(G, u, axes, pairs) {
  V <- axes$vectors
  values <- axes$values
  alike <- V %*% (exp(-values) * t(V))
  # (exp(-a) - exp(-b)) / (b - a), of exp(-L) along each direction of L
  apart <- abs(outer(values, values, `-`))
  phi <- exp(-outer(values, values, pmin)) * ifelse(apart == 0, 1, -expm1(-apart) / apart)
  D <- -(1 - u) * V %*% ((t(V) %*% G %*% V) * phi) %*% t(V)
  by_pair <- D[pairs[, c(1, 1), drop = FALSE]] + D[pairs[, c(2, 2), drop = FALSE]] - D[pairs] -
    D[pairs[, 2:1, drop = FALSE]]
  list(u = sum(G) / nrow(G) - sum(G * alike), pair = by_pair)
}
