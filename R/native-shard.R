# The doors to C for the rows of a shard (src/glue-shard.c). In all of them `rows` is
# list(Phi (k x n), lambda (n), kind (n), n_all: the rows of all shards, d: the dimension of
# the t, nugget); `lik` list(df, L), L the likelihoods of the true classes of each kind of
# row; `posterior` that of u, list(L, w): the packed factor of its precision (lower triangle,
# column after column) and its mean;
# `point` an n x 4 matrix, x = (tt, nt) and f = G(x) - x [M 10.1].

#' Sites as a point whose f is not known yet
#'
#' @param sites list(tau, nu), or `NULL` for those of the prior. Sites that would leave
#'   their row all but without a posterior are not taken over.
#' @noRd
native_shard_point <- function(sites, lambda) .Call(C_shard_point, sites, lambda)

#' @return list(P (packed), h): Phi' diag(tt) Phi and Phi' nt
#' @noRd
native_shard_gram <- function(rows, point) with_blas(.Call(C_shard_gram, rows, point))

#' One pass of parallel EP
#'
#' @param step list(here: a point; memory: differences of points, newest first; gamma: how
#'   much of each the step leaves out; scale).
#' @return list(status, next: the point there, and sums over the rows: worst, squares,
#'   improper, log_det, loo, evidence and evidence_zp (R, h, shift), H, g, P (packed), h),
#'   the sums `NULL` where `status` is not 0: then there is no posterior.
#' @noRd
native_shard_pass <- function(rows, lik, posterior, step) {
  with_blas(.Call(C_shard_pass, rows, native_lik(lik, rows), posterior, step))
}

#' @return list(m, C_diag, mean, var (of the cavity), residual, loo), n each, and seen, n x 2
#' @noRd
native_shard_view <- function(rows, lik, posterior, point) {
  with_blas(.Call(C_shard_view, rows, native_lik(lik, rows), posterior, point))
}

#' The rows' share in the gradient of the evidence at df = Inf, `NULL` without a posterior
#'
#' @param inputs list(X, Z, columns, hyper), or `NULL` of linear features.
#' @return list(lengthscale, variance, bias, nugget, linear, slope), or list(nugget, slope), with
#'   respect to logs, and slope to L, a row a kind.
#' @noRd
native_shard_gradient <- function(rows, lik, posterior, point, inputs) {
  hyper <- inputs$hyper
  of_kernel <- !is.null(hyper)
  parts <- if (of_kernel) kernel_parts(hyper) else c(nugget = 1)
  if (of_kernel) {
    inputs <- list(X = inputs$X, Z = inputs$Z, kernel = native_kernel(inputs$columns, hyper))
  }
  out <- with_blas(.Call(C_shard_gradient, rows, native_lik(lik, rows), posterior, point, inputs))
  if (is.null(out)) {
    return(NULL)
  }
  gradient <- native_fit(out["gradient"], parts)$gradient
  if (of_kernel) gradient <- kernel_gradient(gradient, linear_share(hyper))
  slope <- vapply(seq_len(nrow(lik$L)), function(kind) {
    colSums(out$slope[rows$kind == kind, , drop = FALSE])
  }, numeric(ncol(lik$L)))
  c(gradient, list(slope = t(slope)))
}

native_lik <- function(lik, rows) list(df = as.double(lik$df), L = lik$L[rows$kind, , drop = FALSE])
