# What the usual generics take out of a fit.

#' @export
nobs.sturdy_model <- function(object, ...) {
  check_model(object)
  row_count(object)
}

#' @export
formula.sturdy_model <- function(x, ...) {
  check_model(x)
  refuse(
    is.null(x$blueprint$formula),
    "The model was fitted from {.arg x} and {.arg y}: it has no formula.", "no_formula"
  )
  x$blueprint$formula
}

#' @importFrom stats terms
#' @export
terms.sturdy_model <- function(x, ...) {
  check_model(x)
  stats::terms(stats::formula(x))
}

#' @importFrom stats model.frame
#' @export
model.frame.sturdy_model <- function(formula, ...) {
  abort_sturdy(
    "A fit has no model frame: {.code augment(fit)} returns the inputs and labels it keeps.",
    "no_model_frame"
  )
}

#' @importFrom stats anova
#' @export
anova.sturdy_model <- function(object, ...) {
  abort_sturdy(c(
    "A fit has no analysis of variance or deviance.",
    i = "{.fn select_model} compares fits, with and without a column, by their evidence.",
    i = "{.code emmeans::joint_tests(fit)} tests the terms of a fit of two classes."
  ), "no_anova")
}

#' @importFrom stats weights
#' @export
weights.sturdy_model <- function(object, ...) {
  check_model(object)
  times <- object$data$reports$times
  refuse(
    is.null(times), "A fit has no case weights. {.fn coef} returns the weights of a {.fn bpm}.",
    "no_case_weights"
  )
  times
}

#' Hyperparameters of a fitted model
#'
#' @param object A model fitted by [gpc()] or [stc()].
#' @param ... Not used.
#' @return A named numeric vector on the natural scale: `lengthscale.<column>`
#'   for each input column (`lengthscale` for [kernel_iso()]), `variance`,
#'   `bias`, `nugget`, and `epsilon` (or `epsilon.neg` and `epsilon.pos`). For a fit that
#'   averages, those of the point it is held at, see [averaging].
#' @seealso [kernel_ard()] for their meaning; [coef.bpm()] for the weights of a [bpm()], whose hyperparameters
#'   are shown by [summary()][summary.sturdy_model].
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' coef(fit)
coef.sturdy_model <- function(object, ...) {
  check_model(object)
  hyperparameters(object)
}
