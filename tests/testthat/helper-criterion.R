# The criterion of learning at a fit, with its gradient by the adjoint of EP; articles and experiments
# read it, too.

# EP is run from the sites of the fit, on the rows that it keeps, without a prior. Derivatives are in the
# logs of the hyperparameters, named as by coef(), and in `epsilon` itself; of the scales that are not
# identified together, "variance", "bias" and "nugget", they sum to 0.
criterion <- function(object, type = "evidence") {
  free <- object
  if (!is.null(object$prior)) free$prior$free[] <- TRUE # the gradient in those that are held, too
  latent <- model_latent(free)
  omega <- row_omega(free)
  at <- list(
    hyper = model_hyper(free), L = report_likelihood(latent$reports, omega), sites = object$ep$sites
  )
  ep <- latent$ep(list(at), object$spec$df, object$spec$control, type, gradient = TRUE)[[1]]
  if (!is.null(ep$slope)) ep$slope <- report_slope(latent$reports, omega, ep$slope)
  if (is_several(object)) {
    # EP does not tell classes of equal likelihoods apart where only one rate is learned
    slope <- exp(object$ep$seen - object$ep$loo)
    ep$slope <- report_slope(object$data$reports, omega, slope)
  }
  of_latent <- if (is.null(object$kernel)) ep$gradient else by_kernel(object$kernel, ep$gradient)
  by_class <- rates_gradient(unname(object$omega), apply(ep$slope, 2:3, sum))
  rates <- if (length(object$epsilon) == 1) sum(by_class) else by_class
  list(
    value = ep$value,
    gradient = stats::setNames(c(unlist(of_latent), rates), names(hyperparameters(object)))
  )
}

# in the rate of each true class, which its row of the noise matrix shares out as before, from those in
# the matrix
rates_gradient <- function(omega, slope) {
  share <- omega
  diag(share) <- 0
  none <- rowSums(share) == 0
  share[none, ] <- 1 - diag(ncol(omega))[none, ]
  rowSums(share / rowSums(share) * slope) - diag(slope)
}

# The likelihoods of the rows of a fit under its noise model, or that of its node k
row_likelihood <- function(object, k = NULL) {
  omega <- if (is.null(k)) row_omega(object) else object$nodes$omega[[k]]
  report_likelihood(object$data$reports, omega)
}
