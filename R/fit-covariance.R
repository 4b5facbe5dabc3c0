# The covariance of the latent function of a fit among inputs, given its labels.

#' Covariance of the scaled latent function, without the nugget, among encoded inputs
#' [M 7.2], as a function of them: the factors of [M 3.9] are computed once
#' @noRd
latent_covariance <- function(object) {
  if (!is.null(object$inducing)) {
    features <- inducing_features(object)
    return(function(X) {
      at <- features(X)
      native_product(at$V, native_product(object$inducing$C, at$V, FALSE)) + diag(at$left, nrow(X))
    })
  }
  hyper <- kernel_hyper(object$kernel)
  columns <- model_columns(object)
  explained <- latent_explained(object)
  function(X) {
    native_gram(X, X, columns, hyper) - explained(native_gram(object$data$X, X, columns, hyper))
  }
}

#' K' R K for the covariances K of the training rows with others: what the labels take from
#' their prior covariance, as a function of K
#'
#' With T the precisions of the sites, D = |T| and S the signs of T, R = (K + T^-1)^-1 =
#' D^1/2 [S + D^1/2 K D^1/2]^-1 D^1/2: rows with T = 0 drop out. With the rows of T > 0 (+) before
#' those of T < 0 (-), and K for D^1/2 K D^1/2,
#'   R = D^1/2 [I + K++, K+-; K-+, K-- - I]^-1 D^1/2.
#' The first block has the factor L, and with V_neg = L^-1 K+- what eliminating it leaves of the last,
#' K-- - I - V_neg' V_neg, is -M M' in a proper posterior. With G = D^1/2 K of the others,
#' V = L^-1 G+ and W = M^-1 (G- - V_neg' V), hence K' R K = V'V - W'W.
#' @noRd
latent_explained <- function(object) {
  tau <- object$ep$sites$tau
  root <- sqrt(abs(tau))
  pos <- which(tau > 0)
  neg <- which(tau < 0)
  gram <- native_gram(object$data$X, NULL, row_columns(object), kernel_hyper(object$kernel))
  K <- root * t(root * gram)
  L <- native_cholesky(K[pos, pos, drop = FALSE], 1)
  check_factorised(!is.null(L))
  V_neg <- native_solve(L, K[pos, neg, drop = FALSE])
  M <- native_cholesky(native_product(V_neg, V_neg) - K[neg, neg, drop = FALSE], 1)
  check_factorised(!is.null(M))
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
  hyper <- replace(kernel_hyper(object$kernel), "nugget", 0)
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
