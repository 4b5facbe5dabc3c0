#' The criterion of learning, with its gradient, as tests and experiments ask for it
#'
#' EP is run from the sites of the fit, on the rows that the fit keeps. The gradient is
#' that of the EP fixed point, by its adjoint. At `df = Inf` the evidence is stationary
#' in the sites, so no adjoint is needed; every other case solves one linear system in
#' the 2n site parameters. The entries of `variance`, `bias` and `nugget` sum to 0,
#' because their common scale is not identified. No prior is included. The cost is
#' that of one or two EP sweeps, and the memory that of a fit.
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param type `"evidence"`, the default, or `"loo"`, whichever of them the model was
#'   learned by.
#' @param ... Not used.
#' @return A list of `value`, a number, and `gradient`, a named vector of derivatives.
#'   For [gpc()] and [stc()] it is named like `coef(object)`: derivatives with respect to
#'   the **logarithm** of each lengthscale and of `variance`, `bias` and `nugget` (0
#'   for one that is 0), and with respect to `epsilon` itself. For [bpm()] they are with
#'   respect to the logarithm of the prior scale of the intercept and of each input
#'   (`prior_scale.<column>`), and with respect to `epsilon`.
#' @noRd
criterion <- function(object, type = c("evidence", "loo"), ...) {
  object <- fit_of(object, ...)
  type <- check_choice(type, c("evidence", "loo"), "type")
  check_posterior(object)
  check_by_ep(object)
  check_has_latent(object)
  if (type == "loo" && is_several(object)) {
    abort_several("leave-one-out criterion with a gradient", "{.fn loo} has its value.")
  }
  free <- object
  if (!is.null(object$prior)) free$prior$free[] <- TRUE # the gradient in those that are held, too
  ep <- refit_ep(free, sites = object$ep$sites, criterion = type, gradient = TRUE)
  if (is_several(object)) {
    # EP does not tell classes of equal likelihoods apart where only one rate is learned
    slope <- exp(object$ep$seen - object$ep$loo)
    ep$slope <- report_slope(object$data$reports, row_omega(object), slope)
  }
  criterion_result(ep, object)
}

criterion_result <- function(ep, object) {
  names <- names(hyperparameters(object))
  gradient <- stats::setNames(rep(NA_real_, length(names)), names)
  if (ep$gradient_solved) {
    of_latent <- ep$gradient
    if (!is.null(object$kernel)) of_latent <- by_kernel(object$kernel, of_latent)
    by_class <- rates_gradient(unname(object$omega), apply(ep$slope, 2:3, sum))
    gradient[] <- c(
      unlist(of_latent), if (length(object$epsilon) == 1) sum(by_class) else by_class
    )
  } else {
    warn_sturdy(
      "The linear system for the gradient could not be solved: the gradient is
       {.code NA}.",
      "gradient"
    )
  }
  list(value = ep$value, gradient = gradient)
}

#' Derivatives in the rate of wrong labels of each true class, which scales its row of the noise
#' matrix
#' @param slope d E / d omega, C x C.
#' @noRd
rates_gradient <- function(omega, slope) {
  share <- scaled_omega(omega, 1) # of the classes that are recorded wrongly
  rowSums(share * slope) - diag(slope)
}
