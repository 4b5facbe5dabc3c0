# What a fitted Bayes point machine answers in its own way: the weights, its
# latent values, its words. Everything else is that of any sturdy_model.

# Weights -------------------------------------------------------------------

#' Weights of a Bayes point machine
#'
#' The location, covariance and credible intervals of the weights under their
#' posterior, a normal (`df = Inf`) or a multivariate t distribution.
#'
#' @details
#' Weights are those of the encoded inputs: numeric columns centred and scaled
#' (unless `scale = FALSE`), and one indicator per level of every other column. The
#' likelihood depends on the sign of the weighted sum only, so the data say nothing about
#' the common size of the weights: it comes from the prior, and only their ratios are
#' informative. A filtered fit is reported in the size of the prior, whatever the length of
#' its stream; see [bpm()].
#'
#' The posterior is `St(df, location, S)` with
#' `location = exp(log_scale / 2) mean` and scale matrix `S = exp(log_scale) C` from the
#' field `weights` of the fit. Its covariance is `S df / (df - 2)`, which `vcov()`
#' returns. It does not exist for `df` at or below 2, where `vcov()` is an error.
#' `confint()` uses the quantiles of the marginal t distributions, at every `df`.
#'
#' @param object A model fitted by [bpm()].
#' @param parm Names or positions of the weights; `NULL`, the default, means all.
#' @param level Probability of the interval, strictly between 0 and 1 (0.95 by default).
#' @param ... Not used.
#' @return For k weights, `coef()` returns their locations, a named vector (k); `vcov()`
#'   their covariance matrix (k x k); `confint()` a matrix (k x 2) with the lower and
#'   upper end of a central interval for each weight.
#' @section Conditions:
#' `sturdy_error_no_covariance` from `vcov()` at `df <= 2`, `sturdy_error_parm` for a
#' weight that does not exist, `sturdy_error_no_posterior` when EP left none.
#' `sturdy_error_no_weights` from `vcov()` and `confint()` of a [gpc()] or an [stc()], with
#' what to use instead.
#' @name bpm-weights
#' @seealso [bpm()]
#' @examples
#' fit <- bpm(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' coef(fit)
#' vcov(fit)
#' confint(fit, level = 0.9)
NULL

#' @rdname bpm-weights
#' @export
coef.bpm <- function(object, ...) {
  check_model(object)
  check_posterior(object)
  exp(object$weights$log_scale / 2) * object$weights$mean
}

#' @rdname bpm-weights
#' @importFrom stats vcov
#' @export
vcov.bpm <- function(object, ...) {
  check_model(object)
  check_posterior(object)
  df <- object$spec$df
  refuse(
    df <= 2,
    c(
      "A t distribution with {format(df)} degrees of freedom has no covariance;
       {.field df} must be above 2.",
      i = "{.fn confint} gives intervals, and {.code fit$weights} holds the scale matrix."
    ),
    "no_covariance", df = df
  )
  stretch <- if (is.finite(df)) df / (df - 2) else 1
  stretch * exp(object$weights$log_scale) * object$weights$C
}

#' @export
vcov.sturdy_model <- function(object, ...) {
  check_model(object)
  abort_no_weights(object, "vcov")
}

#' @export
confint.sturdy_model <- function(object, parm, level = 0.95, ...) {
  check_model(object)
  abort_no_weights(object, "confint")
}

#' A model with a kernel is asked for the spread of its coefficients
#' @noRd
abort_no_weights <- function(object, fun, call = rlang::caller_env()) {
  abort_sturdy(
    c(
      "{.fn {fun}} is for the weights of a {.fn bpm}; a {.fn {spec_model(object$spec)}} has
       none.",
      i = "Its {.fn coef} are hyperparameters, held or at the optimum of a criterion,
           without a covariance.",
      i = "What is uncertain is the latent function:
           {.code predict(fit, newdata, type = \"latent\")} has its scale at each row, and
           {.fn posterior_sample} draws from it."
    ),
    "no_weights", call = call
  )
}

#' @rdname bpm-weights
#' @importFrom stats confint
#' @export
confint.bpm <- function(object, parm = NULL, level = 0.95, ...) {
  check_model(object)
  check_no_dots(...)
  check_posterior(object)
  level <- check_level(level)
  rows <- weight_rows(object, parm)
  tails <- c((1 - level) / 2, (1 + level) / 2)
  ends <- coef(object) + outer(weight_scale(object), stats::qt(tails, object$spec$df))
  dimnames(ends) <- list(
    object$prior$weights,
    paste(format(100 * tails, trim = TRUE, digits = 3), "%")
  )
  ends[rows, , drop = FALSE]
}

weight_rows <- function(object, parm, call = rlang::caller_env()) {
  names <- object$prior$weights
  if (is.null(parm)) {
    return(seq_along(names))
  }
  rows <- if (is.character(parm)) {
    match(parm, names)
  } else if (is.numeric(parm) || is.logical(parm)) {
    # as `[` takes them, but for mixed signs
    tryCatch(seq_along(names)[parm], error = function(cnd) NA)
  } else {
    NA
  }
  must(
    !anyNA(rows), "parm", "name weights of the model, {.val {few(names)}}, or be their positions",
    "parm", got = parm, call = call
  )
  rows
}

#' Scale of each weight's marginal t
#' @noRd
weight_scale <- function(object) {
  sqrt(exp(object$weights$log_scale) * diag(object$weights$C))
}

# A row a weight; `NULL` for models without weights.
weight_table <- function(object, level = 0.95) {
  UseMethod("weight_table")
}

weight_table.default <- function(object, level = 0.95) NULL

weight_table.bpm <- function(object, level = 0.95) {
  ends <- confint(object, level = level)
  df <- object$spec$df
  stretch <- if (df <= 2) NA else if (is.finite(df)) sqrt(df / (df - 2)) else 1
  data.frame(
    term = object$prior$weights,
    estimate = unname(coef(object)),
    std.error = unname(stretch * weight_scale(object)),
    conf.low = unname(ends[, 1]),
    conf.high = unname(ends[, 2]),
    prior_scale = weight_scales(object$prior)
  )
}
