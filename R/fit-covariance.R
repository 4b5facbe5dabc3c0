# The covariance of the latent function of a fit among inputs, given its labels.

#' Covariance of the scaled latent function, without the nugget, among encoded inputs
#' [M 7.2], as a function of them: the factors of [M 3.9] are computed once
#' @noRd
latent_covariance <- function(object) {
  if (!is.null(object$inducing)) {
    features <- inducing_features(object)
    return(function(X) {
      at <- features(X)
      native_product(at$V, native_product(object$inducing$C, at$V, FALSE)) +
        diag(at$left, nrow(X))
    })
  }
  hyper <- kernel_hyper(object$kernel)
  columns <- model_columns(object)
  explained <- latent_explained(object)
  function(X) {
    native_gram(X, X, columns, hyper) -
      explained(native_gram(object$data$X, X, columns, hyper))
  }
}

#' K' R K for the covariances K of the training rows with others: what the labels take from
#' their prior covariance, as a function of K
#' @noRd
latent_explained <- function(object) {
  tau <- object$ep$sites$tau
  root <- sqrt(abs(tau))
  pos <- which(tau > 0)
  neg <- which(tau < 0)
  gram <- native_gram(object$data$X, NULL, row_columns(object), kernel_hyper(object$kernel))
  K <- root * t(root * gram)
  L <- native_cholesky(K[pos, pos, drop = FALSE], 1)
  V_neg <- native_solve(L, K[pos, neg, drop = FALSE])
  M <- native_cholesky(native_product(V_neg, V_neg) - K[neg, neg, drop = FALSE], 1)
  function(K) {
    G <- root * K
    V <- native_solve(L, G[pos, , drop = FALSE])
    W <- native_solve(M, G[neg, , drop = FALSE] - native_product(V_neg, V))
    native_product(V, V) - native_product(W, W)
  }
}

#' Features of inputs, as a function of them: list(V, a column a row, whose weights the fit
#' has; left, the variance that they leave)
#' @noRd
inducing_features <- function(object) {
  hyper <- kernel_hyper(object$kernel)
  hyper$nugget <- 0
  columns <- model_columns(object)
  function(X) {
    at <- native_features(X, object$inducing$Z, columns, hyper)
    list(V = at$Phi, left = at$lambda)
  }
}

#' The Cholesky factor of a matrix with the first of some jitters on its diagonal that give one
#' @return list(L, jitter), or `NULL`
#' @noRd
first_root <- function(K, jitters) {
  for (jitter in jitters) {
    L <- native_cholesky(K, jitter)
    if (!is.null(L)) return(list(L = L, jitter = jitter))
  }
}
