# The latent of a fit as EP takes it, EP at its hyperparameters, and the evidence there.

#' The latent of a fit at its hyperparameters, as latent.R describes it
#' @noRd
model_latent <- function(object) UseMethod("model_latent")

model_latent.sturdy_model <- function(object) {
  new_kernel_latent(object$data, object$kernel, model_columns(object), object$inducing$Z)
}

model_latent.bpm <- function(object) {
  latent_weight(bpm_design(object$data$X, object$prior), row_labels(object$data), object$prior)
}

#' The lengthscale and the weight of each encoded column, and how often each row of the fit counts
#' @noRd
row_columns <- function(object) {
  columns <- model_columns(object)
  columns$times <- object$data$reports$times
  columns
}

#' The same without what is of rows
#' @noRd
model_columns <- function(object) kernel_columns(object$kernel, blueprint_columns(object$blueprint))

#' EP at the hyperparameters of a fit
#' @noRd
refit_ep <- function(object, df = object$spec$df, sites = NULL, ...) {
  ep_run(
    model_latent(object), model_hyper(object), df, row_omega(object),
    sites = sites, control = object$spec$control, ...
  )
}

#' Gaussian EP evidence at the hyperparameters of a fit, with a warning where its EP
#' does not converge
#' @param second whether with its second order.
#' @noRd
gaussian_evidence <- function(object, second = FALSE) {
  here <- is.infinite(object$spec$df)
  if (here && !second) {
    return(model_evidence(object))
  }
  check_by_ep(object)
  object$spec$control$second <- second
  ep <- refit_ep(object, df = Inf, sites = if (here) object$ep$sites, final = !here)
  if (ep$status != "converged") {
    warn_sturdy(
      "In the Gaussian fit at the same hyperparameters: {ep$message}",
      "not_converged", status = ep$status
    )
  }
  # no correction of what is no fixed point: the series may give anything there. Which status it ends
  # with may depend on last bits, and so on the machine.
  nowhere <- second && ep$status != "converged"
  if (nowhere || is.null(ep$log_evidence)) NA_real_ else corrected_evidence(ep)
}

#' The evidence the fit has of its own
#' @noRd
model_evidence <- function(object) {
  value <- if (is.null(object$ep)) object$filter$log_evidence else object$ep$log_evidence
  if (is.null(value)) NA_real_ else value
}
