# The doors to the C code of the t-exponential family; same rules as native.R.

#' Elementwise functions, arguments recycled
#'
#' @param name as in src/glue-family.c: "exp_q", "ln_q", "q_product", "q_quotient",
#'   "bernoulli_renyi" and so on. @param args list of doubles.
#' @return list(value, nan): `nan` is `TRUE` when an element is NaN although its
#'   arguments are not.
#' @noRd
native_elementwise <- function(name, args) .Call(C_elementwise, name, args)

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
native_mvt_entropy <- function(S, df, order = NULL) with_blas(.Call(C_mvt_entropy, S, df, order))

#' q-divergence of two multivariate t of equal df
#' @return list(status, divergence)
#' @noRd
native_mvt_q_divergence <- function(mu1, S1, mu2, S2, df) {
  with_blas(.Call(C_mvt_q_divergence, mu1, S1, mu2, S2, df))
}
