# What a Bayes point machine has in the place of a kernel: features, the prior of their
# weights, the posterior of the weights, and filtering, which absorbs rows in turn.

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
#'   `nugget_prior`; `intercept`, whether there is one; `effects`, whether the prior is the one for
#'   effects; and `weights` (k), the names of the weights.
#' @noRd
bpm_prior <- function(spec, blueprint) {
  # a formula can take the intercept out too: y ~ x - 1
  intercept <- spec$intercept &&
    !identical(attr(blueprint$terms, "intercept"), 0L)
  columns <- blueprint$columns
  learn <- identical(spec$prior_scale, "learn")
  effects <- identical(spec$prior_scale, "effects")
  at_intercept <- if (effects) effects_intercept else 1
  given <- if (learn) 1 else if (effects) effects_scales(blueprint) else spec$prior_scale
  mine <- match(intercept_name, names(given))
  if (!is.na(mine)) {
    at_intercept <- given[[mine]]
    given <- given[-mine]
  }
  by_column <- match_columns(given, columns, blueprint$all_columns, "prior_scale", "prior_scale")
  scale <- stats::setNames(
    c(if (intercept) at_intercept, by_column), c(if (intercept) intercept_name, columns)
  )
  group <- blueprint_columns(blueprint)$group
  weights <- c(if (intercept) intercept_name, unlist(coding_names(blueprint$coding)))
  must(
    length(weights) > 0, NULL, "have an input column or an intercept", "no_inputs", of = "The model"
  )
  normal <- list(meanlog = 0, sdlog = 2)
  learned <- identical(spec$nugget, "learn")
  own <- list(
    nugget = if (learned) 1 else spec$nugget, held = !learned,
    prior = if (effects) effects_nugget else normal
  )
  # of standardised inputs the variance is the sum of the scales
  nugget <- overlap_believed(own, sum(scale), if (spec$inference == "ep") spec$noise$overlap)
  prior <- list(
    scale = scale,
    group = if (intercept) c(1L, 1L + group) else group,
    free = c(if (intercept) FALSE, rep(learn, length(columns))),
    prior = normal,
    nugget = nugget$nugget,
    free_nugget = !nugget$held,
    nugget_prior = nugget$prior,
    intercept = intercept,
    weights = weights
  )
  c(prior, if (effects) list(effects = TRUE))
}

# The prior for effects (`prior_scale = "effects"`): coefficients of standardised columns are
# normal, and their standard deviation, one over the root of the nugget, is log-normal with
# median 1. Settled on simulated tables of seeds below 5000: a wider one shrinks small effects,
# and one held at 1 or more makes them too large where rates are learned. The intercept is no
# effect.
effects_nugget <- list(meanlog = 0, sdlog = 1)
effects_intercept <- 10

#' Prior scales that let each input add as much to the variance of the latent function over the
#' rows: a factor of two levels as a standardised column of zeros and ones
#' @noRd
effects_scales <- function(blueprint) {
  as.numeric(vapply(blueprint$coding, function(coding) {
    if (coding$kind == "numeric") 1 else 1 / coding$spread
  }, 0))
}

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
  if (!has_numbers(ep$b) || anyNA(ep$C)) {
    return(NULL)
  }
  new_weights(ep$b, ep$C, prior, -ep$log_det / df)
}

# Assumed density filtering -------------------------------------------------

#' A fit that keeps no rows; the log evidence goes on from that of EP
#' @noRd
as_filtered <- function(object) {
  if (inherits(object, "bpm_filtered")) {
    return(object)
  }
  has_ep <- !is.null(object$ep)
  object$filter <- list(
    rows = 0, errors = 0, log_score = 0,
    log_evidence = if (has_ep) object$ep$log_evidence else 0,
    counts = if (has_ep) label_counts(object) else c(0, 0),
    log_scale = 0
  )
  object[c("data", "ep", "nodes", "label_stage")] <- list(NULL) # it goes on from the point of an average
  class(object) <- c("bpm_filtered", class(object))
  object
}

#' Absorb rows in their order
#'
#' @param object a bpm fit with a posterior. @param X encoded inputs n x p without
#'   missing values. @param y labels -1/+1.
#' @return the fit, filtered from then on.
#' @noRd
absorb_rows <- function(object, X, y) {
  object <- as_filtered(object)
  n <- length(y)
  k <- length(object$prior$weights)
  check_memory(n * (3 * k + 20) + 4 * k^2, n, FALSE)
  before <- object$filter
  state <- list(
    mu = object$weights$mean, S = object$weights$C, log_scale = before$log_scale
  )
  out <- native_adf(
    bpm_design(X, object$prior), label_likelihood(1 + (y > 0), as_omega(object$epsilon, 2)),
    object$spec$df, weight_scales(object$prior), object$prior$nugget, state
  )
  if (out$status < 0) abort_not_absorbed(out)
  # a nugget has the scale of the prior
  scaled <- if (object$prior$nugget > 0) {
    object$weights$log_scale + out$log_scale - before$log_scale
  }
  object$weights <- new_weights(out$mu, out$S, object$prior, scaled)
  object$filter[filter_counts] <- list(
    before$rows + n,
    before$errors + sum((out$prob > 0.5) != (y > 0)),
    before$log_score + sum(out$log_zp),
    before$log_evidence + sum(out$log_zp),
    before$counts + c(sum(y < 0), sum(y > 0)),
    out$log_scale
  )
  object
}

# what every absorbed row changes in the field `filter`
filter_counts <- c(
  "rows", "errors", "log_score", "log_evidence", "counts", "log_scale"
)

abort_not_absorbed <- function(out) {
  row <- out$done + 1L
  which <- c(x = "Row {row} could not be absorbed.")
  must(
    out$status != -3L, NULL, "be small enough to be squared", "not_finite", more = which,
    of = "The inputs", row = row
  )
  abort_sturdy(
    c("The posterior of the weights is not positive definite.", which),
    "not_positive_definite", row = row
  )
}

moved_to.bpm <- function(object, nodes, k) {
  object$prior <- prior_at(object$prior, nodes$hyper[[k]])
  C <- matrix(last_slice(nodes$C, k), length(object$prior$weights))
  object$weights <- new_weights(nodes$b[, k], C, object$prior, 0)
  with_rates(object, nodes, k)
}
