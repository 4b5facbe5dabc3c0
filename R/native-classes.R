# The doors to C of fits with several classes; the rules stand in native.R.

#' EP with one latent function a class: kernel, fit, gradients in one call
#'
#' @param X double matrix n x p, expanded. @param Z inducing inputs (m x p), or `NULL` for
#'   kernel space. @param columns,hyper as native_gp_fits(); `hyper` is shared by the
#'   classes, or a list of one for each.
#' @param L likelihoods of the true classes, n x C (report_likelihood()). @param sites
#'   `NULL` or `list(tau, nu)`, n x C each.
#' @param labels whether the probabilities of all true classes are wanted; otherwise those of
#'   classes with the least L of their row are equal. @param gradient whether the gradients
#'   of the evidence are.
#' @return list; with `status` < 0 only `status` is filled. Fields as native_gp_fits(), n x
#'   C for a row and class, with `b` and `extra` a column a class; `seen` (n x C), log
#'   probabilities that a class is the largest under the cavities; `slope` (n x C), the
#'   derivatives of the evidence in L; `gradient`, a list of those in
#'   log lengthscale, log variance, log bias and log nugget, a column a kernel.
#' @noRd
native_classes_fit <- function(X, Z, columns, hyper, L, sites, control, labels = FALSE,
                               gradient = FALSE, progress = NULL) {
  shared <- !is.null(hyper$lengthscale)
  kernels <- lapply(if (shared) list(hyper) else hyper, native_kernel, columns = columns)
  run <- native_run(
    L, Inf, sites, control, gradient = gradient, progress = progress, functions = ncol(L)
  )
  out <- native_fit(with_blas(.Call(C_classes_fit, X, Z, kernels, c(run, labels = labels))))
  if (!is.null(out$gradient)) {
    grad <- if (shared) as.matrix(rowSums(out$gradient)) else out$gradient
    groups <- nrow(grad) - 4
    out$gradient <- kernel_gradient(
      list(
        lengthscale = grad[seq_len(groups), , drop = FALSE], variance = grad[groups + 1, ],
        bias = grad[groups + 2, ], nugget = grad[groups + 3, ], linear = grad[groups + 4, ]
      ),
      vapply(if (shared) list(hyper) else hyper, linear_share, 1)
    )
  }
  out
}

#' Log probabilities that each of C independent normals is the largest
#'
#' @param mean,var double matrices, rows x C.
#' @noRd
native_classes_prob <- function(mean, var) .Call(C_classes_prob, mean, as.double(var))
