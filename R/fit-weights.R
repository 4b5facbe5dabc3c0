# What a Bayes point machine has in the place of a kernel: features, the prior of their
# weights, and the posterior of the weights.

intercept_name <- "(Intercept)"

# Features and prior --------------------------------------------------------

#' Features of encoded inputs, k x n: a row is a column
#' @noRd
bpm_design <- function(X, prior) {
  X <- plain_rows(X)
  Xt <- t(if (prior$intercept) cbind(rep(1, nrow(X)), X) else X)
  dimnames(Xt) <- NULL
  Xt
}

#' Prior scales
#'
#' @return list of `scale`, the prior scale of the intercept and of each input column,
#'   named; `group` (k), which of them each weight uses; `free`, which are learned;
#'   `prior`, their log-normal prior; `nugget`, `free_nugget`, whether it is learned, and
#'   `nugget_prior`; `intercept`, whether there is one; and `weights` (k), the names of the weights.
#' @noRd
bpm_prior <- function(spec, blueprint) {
  # a formula can take the intercept out too: y ~ x - 1
  intercept <- spec$intercept && !identical(attr(blueprint$terms, "intercept"), 0L)
  weights <- c(if (intercept) intercept_name, unlist(coding_names(blueprint$coding)))
  must(
    length(weights) > 0, NULL, "have an input column or an intercept", "no_inputs", of = "The model"
  )
  scale <- prior_scales(spec$prior_scale, blueprint, intercept)
  group <- blueprint_columns(blueprint)$group
  nugget <- nugget_prior(spec, scale)
  list(
    scale = scale,
    group = if (intercept) c(1L, 1L + group) else group,
    free = seq_along(scale) > intercept & identical(spec$prior_scale, "learn"),
    prior = weak_scale,
    nugget = nugget$nugget,
    free_nugget = !nugget$held,
    nugget_prior = nugget$prior,
    intercept = intercept,
    weights = weights
  )
}

# The log-normal prior of what is learned: of scales, and of the nugget unless effects are reported
weak_scale <- list(meanlog = 0, sdlog = 2)

#' The nugget, whether it is held, and its prior
#' @param scale of prior_scales(): of standardised inputs the variance is their sum.
#' @return list(nugget, held, prior)
#' @noRd
nugget_prior <- function(spec, scale) {
  held <- !identical(spec$nugget, "learn")
  nugget <- list(
    nugget = if (held) spec$nugget else 1, held = held,
    prior = if (identical(spec$prior_scale, "effects")) effects_nugget else weak_scale
  )
  if (spec$inference == "adf") nugget else overlap_believed(nugget, sum(scale), spec$noise$overlap)
}

#' The scale of the intercept, where there is one, and of each input column
#' @param given of the spec: numbers or a word. @return named by them.
#' @noRd
prior_scales <- function(given, blueprint, intercept) {
  at_intercept <- 1
  if (identical(given, "learn")) given <- 1
  if (identical(given, "effects")) { # each input adds as much to the variance over the rows
    given <- unname(vapply(blueprint$coding, function(of) if (of$kind == "numeric") 1 else 1 / of$spread, 0))
    at_intercept <- effects_intercept
  }
  if (intercept && intercept_name %in% names(given)) {
    at_intercept <- given[[intercept_name]]
    given <- given[-match(intercept_name, names(given))]
  }
  by_column <- match_columns(
    given, blueprint$columns, blueprint$all_columns, "prior_scale", "prior_scale"
  )
  names <- c(intercept_name[intercept], blueprint$columns)
  stats::setNames(c(at_intercept[intercept], by_column), names)
}

# The prior for effects (`prior_scale = "effects"`): coefficients of standardised columns are
# normal, and their standard deviation, one over the root of the nugget, is log-normal with
# median 1. Settled on simulated tables of seeds below 5000: a wider one shrinks small effects,
# and one held at 1 or more makes them too large where rates are learned. The intercept is no
# effect.
effects_nugget <- list(meanlog = 0, sdlog = 1)
effects_intercept <- 10

#' Numbers, or a word for what finds them
#' @param says which of these it must be. @param ... of check_hyper().
#' @noRd
check_open <- function(value, arg, words, says, inference, ...) {
  if (is_one_of(value, words)) {
    if (inference == "adf") abort_no_learning(arg, value)
    return(value[[1]]) # without a name
  }
  must(is.numeric(value), arg, says, got = value)
  check_hyper(value, arg, ...)
}

#' The error for what is to be learned and can't be by filtering
#' @noRd
abort_no_learning <- function(arg, given) {
  must(
    FALSE, arg, "be numeric with {.code inference = \"adf\"}, not {.val {given}}",
    if (arg == "nugget") "hyperparameter" else arg,
    more = c(
      i = "Learning compares fits to the same rows, and assumed density filtering
           reads each row once.",
      i = "Fit a sample of the rows with {.code inference = \"ep\"}, then {.fn absorb}
           the other rows."
    )
  )
}

# Posterior -----------------------------------------------------------------

#' The posterior St(df, exp(log_scale/2) mean, exp(log_scale) C) of the weights
#'
#' @param log_scale by default what gives the weights the size that they have in the
#'   prior: labels say nothing about it [M 2.14].
#' @noRd
new_weights <- function(mean, C, prior, log_scale = NULL) {
  k <- length(prior$weights)
  size <- sum((mean^2 + diag(C)) / weight_scales(prior))
  list(
    mean = stats::setNames(as.vector(mean), prior$weights),
    C = matrix(C, k, k, dimnames = list(prior$weights, prior$weights)),
    log_scale = if (is.null(log_scale)) log(k / size) else log_scale
  )
}

#' Posterior of the weights from an `ep` list, `NULL` when there is none
#' @noRd
ep_weights <- function(ep, prior, df) {
  if (has_numbers(ep$b) && !anyNA(ep$C)) new_weights(ep$b, ep$C, prior, -ep$log_det / df)
}

moved_to.bpm <- function(object, nodes, k) {
  object$prior <- prior_at(object$prior, nodes$hyper[[k]])
  C <- matrix(node_covariance(nodes, k), length(object$prior$weights))
  object$weights <- new_weights(nodes$b[, k], C, object$prior, 0)
  with_rates(object, nodes, k)
}
