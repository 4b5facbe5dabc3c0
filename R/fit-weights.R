# The Bayes point machine: a weight-space latent for the engine of the other
# models, and assumed density filtering. The fitted model keeps no rows.

intercept_name <- "(Intercept)"

# Features ------------------------------------------------------------------

#' Features of encoded inputs, an observation a column
#'
#' @param object a bpm fit, or any list with `blueprint` and `intercept`.
#' @param X encoded inputs n x p. @return matrix k x n: the intercept first,
#'   factor indicators 0/1 instead of the kernel's 0/sqrt(1/2).
#' @noRd
bpm_design <- function(object, X) {
  numeric <- vapply(
    object$blueprint$specs, function(s) s$kind == "numeric", logical(1)
  )
  Xt <- t(if (object$intercept) cbind(rep(1, nrow(X)), X) else X)
  dimnames(Xt) <- NULL
  indicator <- which(!numeric[blueprint_group(object$blueprint)])
  if (length(indicator)) {
    rows <- indicator + object$intercept
    Xt[rows, ] <- Xt[rows, ] != 0
  }
  Xt
}

#' Names of the features, in the order of bpm_design()
#' @noRd
bpm_weight_names <- function(blueprint, intercept) {
  columns <- Map(
    function(spec, name) {
      if (spec$kind == "numeric") name else paste0(name, spec$levels)
    },
    blueprint$specs, blueprint$columns
  )
  c(if (intercept) intercept_name, unlist(columns, use.names = FALSE))
}

# Prior ---------------------------------------------------------------------

#' Prior scales by input column (the intercept first), as weight_space() wants
#' them
#' @noRd
bpm_prior <- function(prior_scale, blueprint, intercept, call) {
  columns <- blueprint$columns
  learn <- identical(prior_scale, "learn")
  at_intercept <- 1
  if (!learn) {
    mine <- names(prior_scale) %in% intercept_name
    if (any(mine)) {
      at_intercept <- prior_scale[mine][[1]]
      prior_scale <- prior_scale[!mine]
    }
    by_column <- match_columns(
      prior_scale, columns, blueprint$all_columns, "prior_scale",
      "prior_scale", call
    )
  } else {
    by_column <- rep(1, length(columns))
  }
  group <- blueprint_group(blueprint)
  scale <- c(if (intercept) at_intercept, by_column)
  list(
    scale = stats::setNames(scale, c(if (intercept) intercept_name, columns)),
    group = if (intercept) c(1L, 1L + group) else group,
    free = c(if (intercept) FALSE, rep(learn, length(columns))),
    prior = list(meanlog = 0, sdlog = 2)
  )
}

check_prior_scale <- function(prior_scale, inference, call) {
  if (identical(prior_scale, "learn")) {
    if (inference == "adf") {
      abort_no_learning("prior_scale", call)
    }
    return(prior_scale)
  }
  if (!is.numeric(prior_scale)) {
    abort_sturdy(
      "{.arg prior_scale} must be numeric or {.val learn},
       not {describe(prior_scale)}.",
      "type", arg = "prior_scale", call = call
    )
  }
  check_hyper(prior_scale, "prior_scale", TRUE, call = call)
}

abort_no_learning <- function(arg, call) {
  abort_sturdy(
    c(
      "{.arg {arg}} must be numeric with {.code inference = \"adf\"},
       not {.val learn}.",
      i = "Learning compares fits to the same rows; assumed density filtering sees
           each row once.",
      i = "Learn on a sample with {.code inference = \"ep\"}, then
           {.fn update} that fit with the other rows."
    ),
    if (arg == "epsilon") "epsilon" else "prior_scale", arg = arg, call = call
  )
}

# Fit -----------------------------------------------------------------------

#' The checked arguments of a fit, besides the data
#' @noRd
bpm_spec <- function(df, prior_scale, epsilon, inference, intercept, criterion,
                     control, call) {
  inference <- check_choice(inference, c("ep", "adf"), "inference", call)
  df <- check_df(df, call = call)
  epsilon <- check_epsilon(epsilon, call = call)
  if (inference == "adf" && is.character(epsilon)) {
    abort_no_learning("epsilon", call)
  }
  list(
    df = df,
    prior_scale = check_prior_scale(prior_scale, inference, call),
    epsilon = epsilon,
    inference = inference,
    intercept = check_flag(intercept, "intercept", call),
    criterion = check_choice(
      criterion, c("evidence", "loo"), "criterion", call
    ),
    control = check_control(control, call)
  )
}

#' What the fit holds in memory, for check_memory()
#' @noRd
bpm_space <- function(spec) {
  if (spec$inference == "adf") "filter" else "weight"
}

#' Fit molded data
#' @noRd
bpm_impl <- function(molded, spec, call) {
  start <- new_bpm(molded, spec, call)
  model <- if (spec$inference == "adf") {
    bpm_absorb(start, molded$X, molded$y, call)
  } else {
    bpm_fit_ep(start, molded, spec)
  }
  model$last <- NULL
  model
}

#' The model before it has seen a row: its posterior is the prior
#' @noRd
new_bpm <- function(molded, spec, call) {
  blueprint <- molded$blueprint
  # a formula can take the intercept out too: y ~ x - 1
  intercept <- spec$intercept &&
    !identical(attr(blueprint$terms, "intercept"), 0L)
  prior <- bpm_prior(spec$prior_scale, blueprint, intercept, call)
  names <- bpm_weight_names(blueprint, intercept)
  if (length(names) == 0) {
    abort_sturdy(
      "The model must have an input column or an intercept.",
      "no_inputs", call = call
    )
  }
  scales <- stats::setNames(unname(prior$scale[prior$group]), names)
  structure(
    list(
      df = spec$df,
      epsilon = spec$epsilon,
      epsilon_learned = is.character(spec$epsilon),
      criterion = if (spec$inference == "ep") spec$criterion else NA_character_,
      inference = "adf",
      prior_scale = scales,
      intercept = intercept,
      blueprint = blueprint,
      weight_names = names,
      weights = list(
        mean = 0 * scales,
        C = matrix(diag(scales, length(scales)), length(scales),
                   dimnames = list(names, names)),
        log_scale = 0
      ),
      log_evidence = 0,
      filter = list(rows = 0, errors = 0, log_score = 0),
      nobs = 0,
      counts = c(0, 0),
      prior = prior,
      control = spec$control,
      scale = blueprint$scale,
      spec = spec
    ),
    class = c("bpm", "sturdy_model")
  )
}

#' EP, with learning where it is asked for
#' @noRd
bpm_fit_ep <- function(model, molded, spec) {
  space <- weight_space(bpm_design(model, molded$X), molded$y, model$prior)
  fit <- learn_fit(
    space, spec$df, spec$epsilon, spec$criterion, spec$control
  )
  ep <- fit$ep
  model$inference <- "ep"
  model$epsilon <- fit$epsilon
  model$prior$scale[model$prior$free] <- fit$hyper$prior_scale
  model$prior_scale[] <- weight_scales(model$prior, fit$hyper)
  model["weights"] <- list(ep_weights(ep, model))
  if (is.finite(spec$df) && !is.null(model$weights)) {
    ep$log_evidence_gaussian <- gaussian_ep_evidence(
      space, fit$hyper, fit$epsilon, spec$control
    )
  }
  ep$extra <- NULL
  model$ep <- ep
  model$log_evidence <- if (is.null(ep$log_evidence)) NA_real_ else ep$log_evidence
  model["learning"] <- list(fit$learning)
  model$nobs <- length(molded$y)
  model$counts <- c(sum(molded$y < 0), sum(molded$y > 0))
  model[c("y", "rows", "row_names", "na_action")] <-
    molded[c("y", "rows", "row_names", "na_action")]
  warn_not_converged(model)
  model
}

#' Posterior of the weights from an `ep` list, `NULL` when there is none
#' @noRd
ep_weights <- function(ep, model) {
  if (is.null(ep$b) || anyNA(ep$b) || anyNA(ep$extra)) {
    return(NULL)
  }
  names <- model$weight_names
  list(
    mean = stats::setNames(ep$b, names),
    C = matrix(ep$extra, length(names), dimnames = list(names, names)),
    log_scale = if (is.finite(model$df)) -ep$log_det / model$df else 0
  )
}

#' Gaussian EP at the prior of a t fit; `NA` when it does not converge
#' @noRd
gaussian_ep_evidence <- function(space, hyper, epsilon, control) {
  ep <- engine_fit(space, hyper, Inf, epsilon, control = control)
  if (ep$status == "converged") ep$log_evidence else NA_real_
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
  check_posterior(object, call)
  state <- list(
    mu = object$weights$mean, S = object$weights$C,
    log_scale = object$weights$log_scale
  )
  out <- native_adf(bpm_design(object, X), y, object$df, object$epsilon, state)
  if (out$status < 0) {
    abort_not_absorbed(out$done + 1L, call)
  }
  names <- object$weight_names
  object$weights <- list(
    mean = stats::setNames(out$mu, names),
    C = matrix(out$S, length(names), dimnames = list(names, names)),
    log_scale = out$log_scale
  )
  object$log_evidence <- object$log_evidence + sum(out$log_zp)
  object$inference <- "adf"
  object[c("ep", "y", "rows", "row_names", "na_action")] <- list(NULL)
  object$nobs <- object$nobs + length(y)
  object$counts <- object$counts + c(sum(y < 0), sum(y > 0))
  object$filter <- list(
    rows = object$filter$rows + length(y),
    errors = object$filter$errors + sum((out$prob > 0.5) != (y > 0)),
    log_score = object$filter$log_score + sum(out$log_zp)
  )
  object$last <- list(
    prequential = data.frame(prob = out$prob, log_zp = out$log_zp)
  )
  object
}

abort_not_absorbed <- function(row, call) {
  abort_sturdy(
    c(
      "The posterior of the weights is not positive definite any more.",
      x = "Row {row} could not be absorbed.",
      i = "Inputs of very different size do this: scale them."
    ),
    "not_positive_definite", row = row, call = call
  )
}
