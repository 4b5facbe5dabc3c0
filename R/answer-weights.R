# Coefficients and weights of a Bayes point machine, as the usual generics give them; what they are
# is in answer-coefficients.R.

# Coefficients and weights ----------------------------------------------------

#' Coefficients of a Bayes point machine
#'
#' The location, covariance and credible intervals of coefficients under their posterior, as those
#' of `glm(family = binomial("probit"))` are read: slopes per unit of a column as it was given,
#' contrasts of the levels of a factor, and an intercept; or of the weights that the
#' machine has of its encoded inputs.
#'
#' @details Given the latent function the event has probability `Phi(w'x / sqrt(nugget))`.
#' Coefficients are those of `w'x / sqrt(nugget)` as a function of the columns that
#' [stats::model.matrix()] makes of the inputs: on the probit scale, of what is true and not of
#' what was recorded. A factor has the contrasts that its column had when the model was fitted,
#' or `options("contrasts")` asked for then, as with [stats::glm()]. Averages over the nodes of a fit ([averaging]) are over their coefficients: the
#' posterior is a mixture of t or normal distributions, one a node, whose mean, covariance and
#' quantiles are exact. They are of the first stage. The default prior shrinks; `prior_scale =
#' "effects"` does little, see [bpm()].
#'
#' Without a nugget (`nugget = 0`, the default of `inference = "adf"`) the class is certain given
#' the latent function and there is no probit scale. The data then tell only ratios of
#' coefficients, and their common size is that of the prior.
#'
#' With `component = "weights"` they are the weights themselves, at one point of the
#' hyperparameters where the fit averages: of numeric columns centred and scaled (unless `scale
#' = FALSE`), and of one indicator per level of every other column. Their common size comes from
#' the prior, beside the nugget. A filtered fit is reported in the size of the prior, whatever
#' the length of its stream; see [bpm()]. The posterior is `St(df, location, S)` with `location
#' = exp(log_scale / 2) mean` and scale matrix `S = exp(log_scale) C` from the field `weights`
#' of the fit.
#'
#' The covariance of a t distribution is `S df / (df - 2)`. It does not exist for `df` at or
#' below 2, where `vcov()` is an error. `confint()` uses quantiles, at every `df`.
#'
#' @param object A model fitted by [bpm()].
#' @param parm Names or positions of the coefficients; `NULL`, the default, means all.
#' @param level Probability of the interval, strictly between 0 and 1 (0.95 by default).
#' @param component `"coefficients"`, the default, or `"weights"`, those of the encoded inputs.
#' @param ... Not used.
#' @return For k coefficients, `coef()` returns their locations, a named vector (k); `vcov()`
#'   their covariance matrix (k x k); `confint()` a matrix (k x 2) with the lower and
#'   upper end of a central interval for each.
#' @section Conditions:
#' `sturdy_error_no_covariance` from `vcov()` at `df <= 2`, `sturdy_error_parm` for a
#' coefficient that does not exist, `sturdy_error_no_posterior` when EP left none.
#' `sturdy_error_no_weights` from `vcov()` and `confint()` of a [gpc()] or an [stc()], with
#' what to use instead.
#' @name bpm-weights
#' @seealso [bpm()], [tidy()][tidy.sturdy_model], which has them as a table;
#'   [marginal effects][sturdy-marginaleffects] for risk differences and odds ratios
#' @examples
#' d <- data.frame(dose = c(1, 2, 4, 5, 7, 8), arm = c("a", "b", "a", "b", "a", "b"))
#' fit <- bpm(d, c(0, 0, 1, 0, 1, 1), epsilon = 0.05)
#' coef(fit)
#' vcov(fit)
#' confint(fit, level = 0.9)
#' coef(fit, component = "weights")
NULL

#' @rdname bpm-weights
#' @export
coef.bpm <- function(object, component = c("coefficients", "weights"), ...) {
  check_model(object)
  coefficient_mean(coefficient_nodes(object, component))
}

#' @rdname bpm-weights
#' @importFrom stats vcov
#' @export
vcov.bpm <- function(object, component = c("coefficients", "weights"), ...) {
  check_model(object)
  df <- object$spec$df
  refuse(df <= 2, c(
    "A t distribution with {format(df)} degrees of freedom has no covariance;
     {.field df} must be above 2.",
    i = "{.fn confint} gives intervals, and {.code fit$weights} holds the scale matrix."
  ), "no_covariance", df = df)
  coefficient_covariance(coefficient_nodes(object, component))
}

latent_hint <-
  " What is uncertain is the latent function: {.code predict(fit, newdata, type = \"latent\")} has its scale at each row."

#' @export
vcov.sturdy_model <- function(object, ...) {
  check_model(object)
  abort_sturdy(c(
    "{.fn vcov} and {.fn confint} are for the weights of a {.fn bpm}; a
     {.fn {spec_model(object$spec)}} has none.",
    i = paste0("Its {.fn coef} are hyperparameters, without a covariance.", if (is.null(object$recalibration)) latent_hint)
  ), "no_weights")
}

#' @export
confint.sturdy_model <- function(object, parm, level = 0.95, ...) vcov.sturdy_model(object)

#' @rdname bpm-weights
#' @importFrom stats confint
#' @export
confint.bpm <- function(object, parm = NULL, level = 0.95,
                        component = c("coefficients", "weights"), ...) {
  fit_of(object, ..., .level = level)
  nodes <- coefficient_nodes(object, component)
  names <- rownames(nodes$A)
  at <- stats::setNames(seq_along(names), names)
  rows <- tryCatch(at[if (is.null(parm)) TRUE else parm], error = function(cnd) NA) # of mixed signs
  must(
    !anyNA(rows) && (length(rows) || !length(parm)) && !is.factor(parm), "parm", # position 0 is none
    "name coefficients of the model, {.val {few(names)}}, or be their positions", "parm", got = parm
  )
  tails <- c((1 - level) / 2, (1 + level) / 2)
  ends <- coefficient_quantiles(nodes, tails)
  colnames(ends) <- paste(format(100 * tails, trim = TRUE, digits = 3), "%")
  ends[rows, , drop = FALSE]
}

#' A row a coefficient; `NULL` for models without weights
#' @noRd
weight_table <- function(object, level = 0.95, component = weight_components[1]) {
  if (!inherits(object, "bpm")) return(NULL)
  nodes <- coefficient_nodes(object, component)
  mean <- coefficient_mean(nodes)
  averaged <- function(of) unname(drop(of %*% nodes$weight))
  variance <- averaged(t_stretch(nodes$df) * nodes$sd^2 + (nodes$mean - mean)^2)
  above <- averaged(stats::pt(nodes$mean / nodes$sd, nodes$df))
  ends <- coefficient_quantiles(nodes, c((1 - level) / 2, (1 + level) / 2))
  table <- data.frame(
    term = rownames(nodes$A), estimate = unname(mean), std.error = sqrt(variance),
    conf.low = ends[, 1], conf.high = ends[, 2],
    pd = pmax(above, 1 - above), row.names = NULL # of the more probable of its signs
  )
  if (identical(component, "weights")) table$prior_scale <- weight_scales(object$prior)
  table
}
