# One fit by native_gp_fits(), between all rows or through inducing inputs; `...` of native_run().

native_gp_fit <- function(X, columns, hyper, ...) native_inducing_fit(X, NULL, columns, hyper, ...)

native_inducing_fit <- function(X, Z, columns, hyper, L, df, sites, control, ...) {
  run <- native_run(L, df, sites, control, ...)
  native_gp_fits(X, Z, columns, list(hyper), list(run), !isFALSE(control$keep))[[1]]
}

# Predictions of one fit, vectors in the place of matrices
native_gp_predict <- function(X, columns, hyper, sites, b, Xnew, ...) {
  lapply(native_gp_predict_nodes(X, columns, list(hyper), sites$tau, b, Xnew, ...), as.vector)
}
