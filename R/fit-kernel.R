# A dense or low-rank latent function of gpc() and stc(), and what a fit keeps of its inputs.

#' The latent of encoded rows under a kernel, dense or through inducing inputs
#' @noRd
new_kernel_latent <- function(data, kernel, columns, Z) {
  labels <- row_labels(data)
  if (labels$reports$classes > 2 && is.null(kernel$width)) {
    latent_classes(data$X, columns, labels, kernel, Z)
  } else if (is.null(Z)) {
    latent_kernel(data$X, columns, labels, kernel)
  } else {
    latent_inducing(data$X, columns, labels, kernel, Z)
  }
}

#' What a fit keeps of the result of EP
#' @noRd
kept_ep <- function(ep, spec) {
  ep[c("C", "value", "cold", "truth")] <- NULL
  if (!spec$control$trace) ep["trace"] <- list(NULL)
  ep
}

#' Encoded inducing inputs, their number, or `NULL` for a dense kernel
#' @noRd
inducing_inputs <- function(inducing, blueprint, X) {
  if (identical(inducing, "auto")) {
    inducing <- if (nrow(X) > inducing_auto_rows[1 + (length(blueprint$levels) > 2)]) inducing_auto
  }
  if (is.null(inducing) || is.numeric(inducing) && is.null(dim(inducing))) {
    return(inducing)
  }
  Z <- forge(blueprint, inducing, arg = "inducing")
  must(all(Z$complete), "inducing", "have no missing values", "inducing")
  unname(Z$X)
}

#' What a fit keeps of inducing inputs, `NULL` without
#'
#' @return list(Z, C, left): their encoded inputs (m x p); the covariance of the whitened
#'   latent values there and, where there is one, of the bias; the share of the variance
#'   that they leave. `NULL` is in the place of C where EP left no posterior.
#' @noRd
new_inducing <- function(fit) {
  if (!is.null(fit$latent$Z)) {
    list(Z = fit$latent$Z, C = fit$ep$C, left = inducing_left(fit$latent, fit$hyper))
  }
}
