# The doors to C of the label stage; the rules stand in native.R, what is meant in src/label.h.

#' Log likelihoods at points
#'
#' @param data list(P, S (C x n), kind (n, from 0), times, kinds, plain). @param points list(M, w, b,
#'   U, L), a column a point.
#' @return list(value; and with a gradient the slopes in the shapes of `points`)
#' @noRd
native_label_values <- function(data, points, gradient = FALSE) {
  .Call(C_label_values, data, points, gradient)
}

#' What points say of the rows, by weight
#' @param y labels, from 0. @return list(truth, seen (C x n), unusual, log_inverse: of Z (n), wrong, spread (points))
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
