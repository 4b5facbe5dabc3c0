# The Bayes point machine: a weight-space latent for the engine of the other
# models, and assumed density filtering. The fitted model keeps no rows.

# Features ------------------------------------------------------------------

intercept_name <- "(Intercept)"

#' Features of encoded inputs, an observation a column
#'
#' @param object a bpm fit, or any list with `blueprint` and `intercept`.
#' @param X encoded inputs n x p. @return matrix k x n: the intercept first,
#'   factor indicators 0/1 instead of the kernel's 0/sqrt(1/2).
#' @noRd
bpm_design <- function(object, X) {
  specs <- object$blueprint$specs
  numeric <- vapply(specs, function(s) s$kind == "numeric", logical(1))
  indicator <- !numeric[blueprint_group(object$blueprint)]
  if (any(indicator)) {
    X[, indicator] <- X[, indicator] != 0
  }
  dimnames(X) <- NULL
  t(if (object$intercept) cbind(1, X) else X)
}

#' Names of the features, in the order of bpm_design()
#' @noRd
bpm_weight_names <- function(blueprint, intercept) {
  columns <- Map(function(spec, name) {
    if (spec$kind == "numeric") name else paste0(name, spec$levels)
  }, blueprint$specs, blueprint$columns)
  c(if (intercept) intercept_name, unlist(columns, use.names = FALSE))
}

# Assumed density filtering -------------------------------------------------

#' Absorb rows in their order
#'
#' @param object a bpm fit with a posterior. @param X encoded inputs n x p without
#'   missing values. @param y labels -1/+1.
#' @return the updated fit, of inference "adf" from then on; `last$prequential`
#'   is a data frame of `prob` (of the event) and `log_zp` (of the label) as
#'   predicted before each row was absorbed.
#' @noRd
bpm_absorb <- function(object, X, y, call = rlang::caller_env()) {
  state <- list(
    mu = object$weights$mean, S = object$weights$C,
    log_scale = object$weights$log_scale
  )
  out <- native_adf(bpm_design(object, X), y, object$df, object$epsilon, state)
  if (out$status < 0) {
    row <- out$done + 1L
    abort_sturdy(
      c(
        "The posterior of the weights is not positive definite any more after
         {out$done} row{?s}.",
        x = "It was row {row} that could not be absorbed.",
        i = "Inputs of very different size do this: scale them."
      ),
      "not_positive_definite", row = row, call = call
    )
  }
  names(out$mu) <- object$weight_names
  dimnames(out$S) <- list(object$weight_names, object$weight_names)
  object$weights <- list(mean = out$mu, C = out$S, log_scale = out$log_scale)
  object$log_evidence <- object$log_evidence + sum(out$log_zp)
  object$inference <- "adf"
  object[c("ep", "y", "rows", "row_names", "na_action", "last")] <- NULL
  object$nobs <- object$nobs + length(y)
  object$counts <- object$counts + c(sum(y < 0), sum(y > 0))
  object$stream <- list(
    rows = object$stream$rows + length(y),
    errors = object$stream$errors + sum((out$prob > 0.5) != (y > 0)),
    log_score = object$stream$log_score + sum(out$log_zp)
  )
  object$last <- list(
    prequential = data.frame(prob = out$prob, log_zp = out$log_zp)
  )
  object
}
