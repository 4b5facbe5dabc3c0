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

# EP of a latent at one point, and at one of a search
latent_ep <- function(latent, hyper, df, L, sites, control, ...) {
  latent$ep(list(list(hyper = hyper, L = L, sites = sites)), df, control, ...)[[1]]
}
learn_ep_at <- function(problem, par, sites = NULL) {
  learn_ep(problem, list(list(par = par, sites = sites)))[[1]]
}
