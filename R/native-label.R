# The doors to C of the label stage; the rules stand in native.R, what is meant in src/label.h.

#' Log likelihoods at points
#'
#' @param data list(P, S (C x n), kind (n, from 0), times, group, kinds, plain). @param points list(M, w, b,
#'   U, L, v), a column a point.
#' @return list(value; and with a gradient the slopes in the shapes of `points`)
#' @noRd
native_label_values <- function(data, points, gradient = FALSE) {
  .Call(C_label_values, data, points, gradient)
}

#' What points say of the rows, by weight
#' @param y labels, from 0. @return list(truth, seen (C x n), unusual, log_inverse: of Z (n), wrong, variance (points))
#' @noRd
native_label_said <- function(data, points, weight, y) {
  .Call(C_label_said, data, points, as.double(weight), as.integer(y))
}

#' Probabilities of the true classes, C x n x points
#' @noRd
native_label_seen <- function(data, points) {
  size <- c(dim(data$P), ncol(points$w))
  array(.Call(C_label_seen, data, points), size)
}

#' Answers of rows from those of scores at even steps
#' @param at the first of four steps, from 1. @param u see src/label-steps.h. @param step answers x steps. @return rows x answers
#' @noRd
native_label_between <- function(at, u, step) .Call(C_label_between, at - 1L, u, step)

#' Overlap of pairs of classes at points
#' @param u (K). @param s pairs x K. @param pairs a row a pair. @return list(U, V (C^2 x K), values (C x K))
#' @noRd
native_label_overlap <- function(u, s, pairs, classes) {
  .Call(C_label_overlap, as.double(u), s, pairs, as.integer(classes))
}

#' From slopes in U, C^2 x K, those in u and in the logs of s
#' @return list(u, log_s)
#' @noRd
native_label_overlap_back <- function(slope, u, s, pairs, overlap) {
  .Call(C_label_overlap_back, slope, as.double(u), s, pairs, overlap)
}

#' Inverses of matrices, C^2 x K, and from slopes in these those in the matrices
#' @noRd
native_noise_inverse <- function(A, classes) .Call(C_noise_inverse, A, as.integer(classes))

native_noise_inverse_back <- function(inverse, slope, classes) {
  .Call(C_noise_inverse_back, inverse, slope, as.integer(classes))
}
