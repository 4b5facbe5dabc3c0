# The fitted model: checked arguments -> fit -> a plain list.

#' The checked arguments of a fit, besides the data
#' @noRd
gp_spec <- function(df, kernel, epsilon, criterion, control, call,
                    method = "gradient") {
  method <- check_choice(
    method, c("gradient", "em", "em_kg08"), "method", call = call
  )
  check_method(method, df, epsilon, criterion, call)
  list(
    method = method,
    df = check_df(df, call = call),
    kernel = check_kernel(kernel, call),
    epsilon = check_epsilon(epsilon, call = call),
    criterion = criterion,
    control = check_control(control, call)
  )
}

#' EM has a closed M-step for a flip rate that is learned by the evidence of a
#' Gaussian process only
#' @noRd
check_method <- function(method, df, epsilon, criterion, call) {
  fits <- is.infinite(df) && is.character(epsilon) && criterion == "evidence"
  if (method != "gradient" && !fits) {
    abort_sturdy(
      "{.arg method} must be {.val gradient} unless {.fn gpc} learns
       {.arg epsilon} by {.code criterion = \"evidence\"}.",
      "method", arg = "method", call = call
    )
  }
}

#' Fit molded data
#'
#' `molded` as made by `mold_formula()` or `mold_xy()`, `spec` by `gp_spec()`.
#' @noRd
gp_impl <- function(molded, spec, call, class = "gpc") {
  blueprint <- molded$blueprint
  kernel <- kernel_resolve(
    spec$kernel, molded$X, molded$group, blueprint$columns,
    blueprint$all_columns, call
  )
  molded$group <- kernel_group(kernel, molded$group)
  fit <- learn_fit(
    kernel_space(molded$X, molded$group, molded$y, kernel), spec$df,
    spec$epsilon, spec$criterion, spec$control, spec$method
  )
  fit$kernel <- kernel
  fit$kernel[hyper_names] <- fit$hyper
  model <- new_model(molded, spec, fit, class)
  warn_not_converged(model)
  model
}

new_model <- function(molded, spec, fit, class) {
  structure(
    list(
      df = spec$df,
      epsilon = fit$epsilon,
      epsilon_learned = is.character(spec$epsilon),
      criterion = spec$criterion,
      kernel = fit$kernel,
      blueprint = molded$blueprint,
      X = molded$X,
      group = molded$group,
      y = molded$y,
      ep = fit$ep,
      log_evidence = if (is.null(fit$ep$log_evidence)) {
        NA_real_
      } else {
        fit$ep$log_evidence
      },
      learning = fit$learning,
      nobs = length(molded$y),
      rows = molded$rows,
      row_names = molded$row_names,
      na_action = molded$na_action,
      control = spec$control,
      scale = molded$blueprint$scale,
      kernel_spec = spec$kernel,
      epsilon_spec = spec$epsilon,
      method = spec$method
    ),
    class = c(class, "sturdy_model")
  )
}

warn_not_converged <- function(model) {
  if (model$ep$status != "converged") {
    warn_sturdy(
      c(
        "{model$ep$message}",
        i = "{.code ep_diagnostics(fit)} says what that means and what to do."
      ),
      "not_converged", status = model$ep$status
    )
  }
}

has_posterior <- function(object) {
  UseMethod("has_posterior")
}

has_posterior.default <- function(object) {
  length(object$ep$b) > 0 && !anyNA(object$ep$b)
}

#' A fit whose EP left no posterior answers nothing
#' @noRd
check_posterior <- function(object, call = rlang::caller_env()) {
  if (!has_posterior(object)) {
    abort_sturdy(
      c(
        "The fit has no posterior: {object$ep$message}",
        i = "{.code ep_diagnostics(fit)} says what to do."
      ),
      "no_posterior", status = object$ep$status, call = call
    )
  }
  status <- object$ep$status
  if (!is.null(status) && status != "converged") {
    warn_sturdy(
      c(
        "This comes from a fit whose EP did not converge ({status}).",
        i = "{.code ep_diagnostics(fit)} says what that means and what to do."
      ),
      "not_converged", status = status
    )
  }
}

#' What only a fit by EP can answer: sites and cavities of the training rows
#' @noRd
check_sites_kept <- function(object, call = rlang::caller_env()) {
  check_posterior(object, call)
  check_by_ep(object, call)
}

check_by_ep <- function(object, call = rlang::caller_env()) {
  if (is.null(object$ep)) {
    abort_sturdy(
      c(
        "The fit keeps nothing of single rows: it has absorbed them by assumed
         density filtering.",
        i = "{.code bpm(..., inference = \"ep\")} keeps a site for each row, until
             {.fn update} absorbs further rows."
      ),
      "no_sites", call = call
    )
  }
}

#' The input column each encoded column belongs to
#' @noRd
blueprint_group <- function(blueprint) {
  widths <- vapply(blueprint$specs, spec_width, integer(1))
  rep(seq_along(widths), widths)
}

#' @export
nobs.sturdy_model <- function(object, ...) {
  object$nobs
}

#' @export
formula.sturdy_model <- function(x, ...) {
  if (is.null(x$blueprint$formula)) {
    abort_sturdy(
      "The model was fitted from {.arg x} and {.arg y}: it has no formula.",
      "no_formula"
    )
  }
  x$blueprint$formula
}

#' Hyperparameters of a fitted model
#'
#' @param object A model fitted by [gpc()] or [stc()].
#' @param ... Not used.
#' @return A named numeric vector on the natural scale: `lengthscale.<column>`
#'   for each input column (`lengthscale` for [kernel_iso()]), `variance`,
#'   `bias`, `nugget`, `epsilon`.
#' @seealso [kernel_ard()] for their meaning, [criterion()] for the gradient with
#'   respect to them; [coef.bpm()] for the weights of a [bpm()].
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' coef(fit)
coef.sturdy_model <- function(object, ...) {
  hyperparameters(object)
}

# Hyperparameters of a fit, named, on the natural scale; epsilon is the last.
hyperparameters <- function(object) {
  UseMethod("hyperparameters")
}

hyperparameters.sturdy_model <- function(object) {
  kernel <- object$kernel
  values <- c(
    kernel$lengthscale, kernel$variance, kernel$bias, kernel$nugget,
    object$epsilon
  )
  stats::setNames(values, kernel_names(object))
}

kernel_names <- function(object) {
  columns <- names(object$kernel$lengthscale)
  lengthscale <- if (object$kernel$type == "iso") {
    "lengthscale"
  } else if (length(columns)) {
    paste0("lengthscale.", columns)
  }
  c(lengthscale, "variance", "bias", "nugget", epsilon_names(object$epsilon))
}

epsilon_names <- function(epsilon) {
  if (length(epsilon) == 2) c("epsilon.neg", "epsilon.pos") else "epsilon"
}

# Which of the hyperparameters were learned.
learned <- function(object) {
  UseMethod("learned")
}

learned.sturdy_model <- function(object) {
  held <- object$kernel$fixed
  free <- c(
    rep(!"lengthscale" %in% held, length(object$kernel$lengthscale)),
    !c("variance", "bias", "nugget") %in% held,
    rep(object$epsilon_learned, length(object$epsilon))
  )
  free & !is.null(object$learning)
}
