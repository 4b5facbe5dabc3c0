# The doors to the C code of the t-exponential family; same rules as native.R.

#' Elementwise functions, arguments recycled
#'
#' @param x,y,q,prob,other,order double.
#' @return list(value, nan): `nan` is `TRUE` when an element is NaN although its
#'   arguments are not.
#' @noRd
native_exp_q <- function(x, q) .Call(C_elementwise, "exp_q", list(x, q))

native_ln_q <- function(x, q) .Call(C_elementwise, "ln_q", list(x, q))

native_q_product <- function(x, y, q) .Call(C_elementwise, "q_product", list(x, y, q))

native_q_quotient <- function(x, y, q) .Call(C_elementwise, "q_quotient", list(x, y, q))

native_bernoulli_renyi <- function(prob, order) {
  .Call(C_elementwise, "bernoulli_renyi", list(prob, order))
}

native_bernoulli_tsallis <- function(prob, order) {
  .Call(C_elementwise, "bernoulli_tsallis", list(prob, order))
}

native_bernoulli_q_entropy <- function(prob, q) {
  .Call(C_elementwise, "bernoulli_q_entropy", list(prob, q))
}

native_bernoulli_q_divergence <- function(prob, other, q) {
  .Call(C_elementwise, "bernoulli_q_divergence", list(prob, other, q))
}

#' Natural parameters of a multivariate t
#'
#' @param mu double(d). @param S double matrix d x d, lower triangle read.
#' @param df double, `Inf` for the Gaussian.
#' @return list(status, theta1, theta2, log_partition)
#' @noRd
native_mvt_natural <- function(mu, S, df) with_blas(.Call(C_mvt_natural, mu, S, df))

#' And back
#' @return list(status, mu, S, log_partition)
#' @noRd
native_mvt_from_natural <- function(theta1, theta2, df) {
  with_blas(.Call(C_mvt_from_natural, theta1, theta2, df))
}

#' Escort of a multivariate t
#' @return list(status, df, S)
#' @noRd
native_mvt_escort <- function(S, df) with_blas(.Call(C_mvt_escort, S, df))

#' Entropies of a multivariate t
#'
#' @param order double, or `NULL` for the own index q.
#' @return list(status, renyi, tsallis, q_entropy, nan), one entry an order
#' @noRd
native_mvt_entropy <- function(S, df, order = NULL) {
  with_blas(.Call(C_mvt_entropy, S, df, order))
}

#' q-divergence of two multivariate t of equal df
#' @return list(status, divergence)
#' @noRd
native_mvt_q_divergence <- function(mu1, S1, mu2, S2, df) {
  with_blas(.Call(C_mvt_q_divergence, mu1, S1, mu2, S2, df))
}
