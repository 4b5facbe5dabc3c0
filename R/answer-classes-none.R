# What two classes have and several have not: an error that says what to use instead.

#' @export
residuals.gpc_classes <- function(object, ...) {
  abort_several("residuals", "{.fn mislabelled} ranks its rows, {.fn loo} scores them.")
}

#' @export
deviance.gpc_classes <- function(object, ...) {
  abort_several("deviance", "{.fn log_score} and {.fn brier_score} judge its probabilities.")
}

#' @export
simulate.gpc_classes <- function(object, nsim = 1, seed = NULL, ...) {
  abort_several("simulated labels", "{.fn predict} has the probabilities to draw them from.")
}

#' @export
weights.gpc_classes <- function(object, ...) {
  abort_several("case weights", "{.fn gpc} takes none.")
}

#' @export
logLik.gpc_classes <- function(object, ...) {
  structure(
    log_evidence(object), df = sum(learned(object)), nobs = nobs(object), class = "logLik"
  )
}

#' @export
criterion.gpc_classes <- function(object, ...) {
  abort_several(
    "criterion with a gradient", "{.fn log_evidence} has its value, at other hyperparameters
     that of {.code update(fit, kernel = , epsilon = )}."
  )
}

#' @export
flip_rates.gpc_classes <- function(object, ...) {
  abort_several("flip rates by group", "{.fn noise_matrix} has its rates.")
}

#' @importFrom stats terms
#' @export
terms.gpc_classes <- function(x, ...) terms.sturdy_model(x, ...)

#' @importFrom stats model.frame
#' @export
model.frame.gpc_classes <- function(formula, ...) model.frame.sturdy_model(formula, ...)
