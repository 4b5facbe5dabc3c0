# Overlap beyond what the scores say: a share u of unusual rows anywhere, and pairs of classes that look alike,
# each by s >= 0. They mix the classes by U = (1 - u) exp(-L(s)) + u / C 11', where L is the Laplacian of the
# graph of the pairs [M 16.5]. Of very many classes, without pairs, U is carried as its two parts: how much of a
# class stays with it, and what each class gets of all.

pairs_prior <- c(meanlog = log(0.001), sdlog = 3) # of how much two of three classes look alike,
pairs_most <- 20                                  # and at most
pairs_start <- 0.1 # of all pairs, a second start of the search for modes beside their medians

# From coordinates --------------------------------------------------------------------

#' Mean log of how much two classes look alike: the one that is most like a class has the same median,
#' however many there are. Else many pairs together would explain what is wrong.
#' @noRd
pairs_centre <- function(classes) {
  # where the largest of so many standard normals has its median
  most <- function(classes) stats::qnorm(2^(-1 / (classes - 1)))
  pairs_prior[["meanlog"]] + pairs_prior[["sdlog"]] * (most(3) - most(classes))
}

#' The coordinate of how much a pair looks alike, s; and s of coordinates
#' @noRd
pair_coordinate <- function(s, classes) (log(s) - pairs_centre(classes)) / pairs_prior[["sdlog"]]

pair_shares <- function(Z, classes) {
  pmin(exp(pairs_centre(classes) + pairs_prior[["sdlog"]] * Z), pairs_most)
}

#' The share u of unusual rows: u ~ Beta(1, k) for two classes, 2 u ~ Beta(1, k) for more, so that
#' (1 - u)^k = P(Z > z), carried as its log; and its derivative in z
#' @noRd
unusual_share <- function(z, way, classes) {
  above <- stats::pnorm(z, lower.tail = FALSE, log.p = TRUE)
  -expm1(above / way$beta) / (1 + (classes > 2))
}

unusual_share_derivative <- function(z, way, classes) {
  above <- stats::pnorm(z, lower.tail = FALSE, log.p = TRUE)
  exp(stats::dnorm(z, log = TRUE) + (1 / way$beta - 1) * above) / way$beta / (1 + (classes > 2))
}

# The matrices ------------------------------------------------------------------------

#' Pairs of classes that may look alike: all of them, of many classes each with its nearest
#' @param near C x C, logical. @param turn the order in which classes have coordinates.
#' @return a matrix with a row a pair
#' @noRd
overlap_pairs <- function(near, turn = seq_len(ncol(near))) {
  near <- (near | t(near))[turn, turn]
  at <- which(upper.tri(near) & near, arr.ind = TRUE, useNames = FALSE)
  matrix(turn[at], ncol = 2)
}

#' U at points
#' @param u share of unusual rows at each point. @param s pairs x points, or `NULL`. @param pairs see
#'   overlap_pairs(). @return list(U: a column a point; V, values: the axes that U is made of, where there are pairs)
#' @noRd
overlap_matrices <- function(u, s, pairs, classes) {
  if (classes > label_slopes_most) { # in two parts
    list(U = rbind(1 - u, u / classes))
  } else if (!is.null(s)) {
    native_label_overlap(u, s, pairs, classes)
  } else {
    list(U = outer(as.vector(diag(classes)), 1 - u) + rep(u / classes, each = classes^2))
  }
}

#' The gradients in u and in the logs of s at points, from those in U
#' @param G slopes in U, a column a point. @param at list(u, s, overlap: what overlap_matrices() gave).
#' @return list(u (K), log_s, pairs x K)
#' @noRd
overlap_gradient <- function(G, at, pairs, classes) {
  if (classes > label_slopes_most) {
    list(u = G[2, ] / classes - G[1, ])
  } else if (!is.null(at$s)) {
    native_label_overlap_back(G, at$u, at$s, pairs, at$overlap)
  } else {
    diagonal <- seq(1, classes^2, by = classes + 1)
    list(u = colSums(G) / classes - colSums(G[diagonal, , drop = FALSE]))
  }
}
