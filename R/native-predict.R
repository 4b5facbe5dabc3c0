# The doors to prediction in C: all nodes in one call, and one node as the case of one.

#' Latent mean and scale at new inputs under each of K nodes, in scaled coordinates
#'
#' @param columns as native_gp_fits() has them, or a list of K such.
#' @param hyper list of K lists of hyperparameters. @param tau,b n x K.
#' @param progress `NULL` or a function of the rows done, on average over nodes.
#' @return list(m, s2 (rows x K), status (K)), s2 with the nugget of a new observation;
#'   both are NaN where a status is below 0.
#' @noRd
native_gp_predict_nodes <- function(X, columns, hyper, tau, b, Xnew, progress = NULL) {
  with_blas(.Call(
    C_gp_predict, X, native_kernels(columns, hyper), as_columns(tau), as_columns(b), Xnew,
    progress
  ))
}

as_columns <- function(x) as_doubles(as.matrix(x))

#' The same in weight space, from the weights' location and scale matrix
#'
#' @param Xt double matrix k x rows. @param mean k x K. @param C k x k x K.
#' @return list(m, s2), rows x K.
#' @noRd
native_weight_predict_nodes <- function(Xt, mean, C) {
  with_blas(.Call(C_weight_predict, Xt, as_columns(mean), C))
}

#' The same from inducing inputs, `b` (k x K) and `C` (k x k x K) as native_inducing_fit()
#' has them
#'
#' @return list(m, s2), rows x K, s2 with the nugget of a new observation.
#' @noRd
native_inducing_predict_nodes <- function(Z, columns, hyper, b, C, Xnew) {
  with_blas(.Call(C_inducing_predict, Z, native_kernels(columns, hyper), as_columns(b), C, Xnew))
}

#' The distribution of the number of successes of independent trials
#' @param p double, their probabilities. @return of 0, 1, ..., length(p).
#' @noRd
native_count_density <- function(p) .Call(C_count_density, p)

# One node: vectors in the place of matrices --------------------------------------

native_inducing_predict <- function(Z, columns, hyper, b, C, Xnew) {
  lapply(native_inducing_predict_nodes(Z, columns, list(hyper), b, C, Xnew), as.vector)
}
