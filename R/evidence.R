#' Log evidence of a fitted model
#'
#' The log marginal likelihood of the training labels, as approximated by
#' expectation propagation.
#'
#' @details
#' `"ep"` ties the site normalisers to Z1 of the tilted distributions, `"ep_zp"`
#' to the predictive probabilities Zp (Futami, Sato and Sugiyama, 2017, eq. 42,
#' with the exponent df / (df + n)); the two agree at `df = Inf`. `"gaussian"` is
#' the Gaussian EP evidence at the same kernel and `epsilon`.
#'
#' For [stc()] only `"gaussian"` may be compared with another model. The exact
#' evidence of a Student-t process equals that of a Gaussian process with the same
#' kernel, because the likelihood sees signs only; the t-EP numbers are far from
#' it (see [stc()]). `"gaussian"` costs one further EP fit then.
#'
#' No prior of the kernel is included.
#'
#' @param object A model fitted by [gpc()] or [stc()].
#' @param method `"ep"`, `"ep_zp"` or `"gaussian"`.
#' @param ... Not used.
#' @return A number; `NA` with a warning where the t-EP evidence is not defined.
#' @section Conditions:
#' `sturdy_warning_evidence_undefined` when the t-EP evidence is not defined at
#' the sites; `sturdy_warning_not_converged` when the Gaussian fit does not
#' converge.
#' @inherit sturdy-package references
#' @seealso [loo()], [criterion()]
#' @export
#' @examples
#' x <- matrix(c(-2, -1, 1, 2))
#' fit <- stc(x, c(0, 0, 1, 1), epsilon = 0.05)
#' log_evidence(fit)
#' log_evidence(fit, method = "gaussian")
log_evidence <- function(object, ...) {
  UseMethod("log_evidence")
}

#' @rdname log_evidence
#' @export
log_evidence.sturdy_model <- function(object,
                                      method = c("ep", "ep_zp", "gaussian"),
                                      ...) {
  check_no_dots(...)
  method <- check_choice(method, c("ep", "ep_zp", "gaussian"), "method")
  check_posterior(object)
  if (method == "gaussian") {
    return(gaussian_evidence(object))
  }
  value <- if (method == "ep") object$log_evidence else zp_evidence(object)
  if (is.na(value)) {
    warn_sturdy(
      c(
        "The t-EP evidence is not defined at these sites.",
        i = "{.code log_evidence(fit, method = \"gaussian\")} is."
      ),
      "evidence_undefined"
    )
    return(NA_real_)
  }
  value
}

zp_evidence <- function(object) {
  check_sites_kept(object, rlang::caller_env())
  object$ep$log_evidence_zp
}

gaussian_evidence <- function(object) {
  UseMethod("gaussian_evidence")
}

gaussian_evidence.sturdy_model <- function(object) {
  if (is.infinite(object$df)) {
    return(object$ep$log_evidence)
  }
  ep <- refit_ep(object, df = Inf)
  if (ep$status != "converged") {
    warn_sturdy(
      "The Gaussian fit at the same kernel: {ep$message}",
      "not_converged", status = ep$status
    )
  }
  ep$log_evidence
}

#' EP at the hyperparameters of a fit
#' @noRd
refit_ep <- function(object, df = object$df, sites = NULL, ...) {
  engine_fit(
    kernel_space(object$X, object$group, object$y, object$kernel),
    kernel_hyper(object$kernel), df, object$epsilon, sites = sites,
    control = object$control, ...
  )
}

#' The criterion of learning, with its gradient
#'
#' The value and exact gradient of the log evidence or of the leave-one-out
#' criterion at the hyperparameters of a fit.
#'
#' @details
#' The gradient is that of the EP fixed point, by its adjoint: at `df = Inf` the
#' evidence is stationary in the sites and needs none, every other case solves one
#' linear system in the 2n site parameters. The three entries of `variance`,
#' `bias` and `nugget` sum to 0, for their scale is not identified. No prior is
#' included. It costs about one EP sweep or two and as much memory as a fit.
#'
#' @param object A model fitted by [gpc()] or [stc()].
#' @param type `"evidence"` or `"loo"`.
#' @param ... Not used.
#' @return A list of `value`, a number, and `gradient`, named like `coef(object)`:
#'   derivatives with respect to the **logarithm** of each lengthscale, of
#'   `variance`, `bias` and `nugget` (0 for one that is 0), and with respect to
#'   `epsilon` itself.
#' @section Conditions:
#' `sturdy_warning_gradient` when the linear system could not be solved; the
#' gradient is `NA` then.
#' @inherit sturdy-package references
#' @seealso [log_evidence()], [loo()], [coef()][coef.sturdy_model]
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' criterion(fit)
criterion <- function(object, ...) {
  UseMethod("criterion")
}

#' @rdname criterion
#' @export
criterion.sturdy_model <- function(object, type = c("evidence", "loo"), ...) {
  check_no_dots(...)
  type <- check_choice(type, c("evidence", "loo"), "type")
  check_posterior(object)
  ep <- refit_ep(
    object, sites = object$ep$sites, criterion = type, gradient = TRUE
  )
  criterion_result(ep, names(hyperparameters(object)))
}

criterion_result <- function(ep, names) {
  solved <- isTRUE(ep$gradient_solved) && !is.null(ep$gradient)
  gradient <- stats::setNames(rep(NA_real_, length(names)), names)
  if (solved) {
    g <- ep$gradient
    if (!"epsilon.neg" %in% names) g$epsilon <- sum(g$epsilon)
    gradient[] <- unlist(g)
  } else {
    warn_sturdy("The gradient system could not be solved.", "gradient")
  }
  list(value = ep$value, gradient = gradient)
}

#' Log-likelihood of a fitted model
#'
#' The log evidence, in the form [AIC()], [BIC()] and their like expect.
#'
#' @param object A model fitted by [gpc()] or [stc()].
#' @param method As in [log_evidence()]. For [stc()] use `"gaussian"` to compare
#'   models.
#' @param ... Not used.
#' @return A number of class `logLik`, with the attributes `df`, the number of
#'   hyperparameters learned, and `nobs`.
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' logLik(fit)
logLik.sturdy_model <- function(object,
                                method = c("ep", "ep_zp", "gaussian"),
                                ...) {
  structure(
    log_evidence(object, method = method),
    df = sum(learned(object)),
    nobs = object$nobs,
    class = "logLik"
  )
}
