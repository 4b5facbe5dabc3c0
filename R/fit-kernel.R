# Molded data to a model in kernel space: gpc() and stc().

fit_molded.gpc_spec <- function(spec, molded, call) {
  if (length(molded$blueprint$levels) > 2) {
    return(fit_classes(spec, molded, call))
  }
  if (spec$kernels != "shared") {
    abort_sturdy(
      "With two classes {.arg kernels} must be {.val shared}: they have one latent function.",
      "kernels", arg = "kernels", call = call
    )
  }
  spec <- two_class_noise(spec, molded$blueprint$levels, call)
  blueprint <- molded$blueprint
  X <- molded$data$X
  coding <- blueprint_columns(blueprint)
  kernel <- kernel_resolve(
    spec$kernel, X, coding, blueprint$columns, blueprint$all_columns, call,
    integrate = spec$hyper == "integrate"
  )
  columns <- kernel_columns(kernel, coding)
  Z <- inducing_inputs(spec$inducing, blueprint, X, call)
  latent <- if (is.null(Z)) {
    latent_kernel(X, columns, row_labels(molded$data), kernel, call)
  } else {
    latent_inducing(X, columns, row_labels(molded$data), kernel, Z, call)
  }
  fit <- learn_fit(latent, spec)
  kernel[hyper_names] <- fit$hyper
  inducing <- if (!is.null(Z)) new_inducing(fit)
  fit$ep["C"] <- NULL
  warn_ep(fit$ep)
  new_model(
    spec, molded, call, fit,
    kernel = kernel, inducing = inducing
  )
}

#' Encoded inducing inputs, their number, or `NULL` for a dense kernel
#' @noRd
inducing_inputs <- function(inducing, blueprint, X, call) {
  if (identical(inducing, "auto")) {
    return(if (nrow(X) > inducing_auto_rows) 100)
  }
  if (is.null(inducing) || is.numeric(inducing) && is.null(dim(inducing))) {
    return(inducing)
  }
  Z <- forge(blueprint, inducing, call, arg = "inducing")
  if (!all(Z$complete)) {
    abort_sturdy(
      "{.arg inducing} must have no missing values.", "inducing", arg = "inducing", call = call
    )
  }
  unname(Z$X)
}

#' What a fit keeps of inducing inputs
#'
#' @return list(Z, C, left): their encoded inputs (m x p); the covariance of the whitened
#'   latent values there and, where there is one, of the bias; the share of the variance
#'   that they leave. `NULL` is in the place of C where EP left no posterior.
#' @noRd
new_inducing <- function(fit) {
  list(Z = fit$latent$Z, C = fit$ep$C, left = inducing_left(fit$latent, fit$hyper))
}
