# What a fit is asked inside the package: whether it has a posterior, sites, rows, several
# classes, and its hyperparameters by name.

#' Has the fit inducing inputs?
#' @noRd
is_low_rank <- function(object) !is.null(object$inducing)

#' Something else is asked what only a fit can answer
#' @noRd
abort_no_fit <- function(object, arg = "object") {
  must(
    FALSE, arg, "be a model fitted by {.fn gpc}, {.fn stc}, {.fn bpm} or {.fn second_stage}",
    got = object
  )
}

#' What is asked of a workflow, a parsnip fit, a learner of mlr3 or a `train` of caret around a fit of
#' ours, is asked of that fit
#' @param verb the generic whose default method this is.
#' @noRd
by_own_fit <- function(verb, object, ..., arg = "object") {
  fit <- own_fit(object, arg)
  if (is.null(fit)) abort_no_fit(object, arg)
  verb(fit, ...)
}

own_fit <- function(object, arg = "object") {
  check_given(missing(object), arg)
  inside <- if (inherits(object, "workflow")) {
    object$fit$fit$fit
  } else if (inherits(object, "model_fit")) {
    object$fit
  } else if (inherits(object, "Learner")) {
    object$model
  } else if (inherits(object, "train")) {
    object$finalModel
  }
  if (inherits(inside, "sturdy_model")) inside
}

#' What tells of the labels of a fit: its label stage, else itself
#' @noRd
judged_by <- function(object) if (is.null(object$label_stage)) object else object$label_stage

#' Has a fit three classes or more?
#' @noRd
is_several <- function(object) length(object$blueprint$levels) > 2

#' Are they in an order, with one latent function?
#' @noRd
is_in_order <- function(object) !is.null(object$kernel$width)

thresholds <- function(object) native_cuts(object$kernel$width)

#' What two classes have and several have not
#' @param instead what to use, a bullet.
#' @noRd
abort_several <- function(what, instead) {
  abort_sturdy(
    c("A fit with three classes or more has no {what}.", i = instead),
    c("several_classes", "type"), arg = "object"
  )
}

# Posterior -------------------------------------------------------------------

has_posterior <- function(object) {
  UseMethod("has_posterior")
}

has_posterior.default <- function(object) has_numbers(object$ep$b)

has_posterior.bpm <- function(object) !is.null(object$weights)

#' An error for a fit whose EP left no posterior
#' @noRd
check_posterior <- function(object) {
  refuse(
    !has_posterior(object),
    c(
      "The fit has no posterior: {object$ep$message}",
      i = "See {.code ep_diagnostics(fit)} for what to do."
    ),
    "no_posterior", status = object$ep$status
  )
  status <- object$ep$status
  if (!is.null(status) && status != "converged") {
    warn_sturdy(
      c(
        "This result is from a fit whose EP did not converge ({status}).",
        i = "See {.code ep_diagnostics(fit)} for what that means and what to do."
      ),
      "not_converged", status = status
    )
  }
}

#' What only a fit that keeps its rows can answer
#' @noRd
check_sites_kept <- function(object) {
  check_by_ep(object)
  check_posterior(object)
}

check_by_ep <- function(object) {
  UseMethod("check_by_ep")
}

#' What judges the labels, for answers by their number: that of shards has cells in the place of rows
#' @noRd
check_judge <- function(object) {
  judge <- judged_by(object)
  check_by_ep(judge)
  check_posterior(object)
  judge
}

check_by_ep.sturdy_model <- function(object) {
  invisible(object)
}

check_by_ep.bpm_filtered <- function(object) {
  abort_sturdy(
    c(
      "The fit has nothing on single rows: it absorbed them by assumed density
       filtering.",
      i = "{.code bpm(..., inference = \"ep\")} keeps a site for each row, until
           {.fn absorb} takes in further rows."
    ),
    "no_sites"
  )
}

#' What is about the latent function, or about EP
#' @noRd
check_has_latent <- function(object) {
  UseMethod("check_has_latent")
}

check_has_latent.sturdy_model <- function(object) invisible(object)

# What a model is asked -------------------------------------------------------

#' How many labels of each class, the event second
#' @noRd
label_counts <- function(object) {
  UseMethod("label_counts")
}

label_counts.sturdy_model <- function(object) {
  tabulate(label_code(object$data), length(object$blueprint$levels))
}

label_counts.bpm_filtered <- function(object) object$filter$counts

fit_formula <- function(x) {
  refuse(
    is.null(x$blueprint$formula),
    "The model was fitted from {.arg x} and {.arg y}: it has no formula.", "no_formula"
  )
  x$blueprint$formula
}

# Hyperparameters of a fit, named, on the natural scale; epsilon is the last.
hyperparameters <- function(object) {
  UseMethod("hyperparameters")
}

hyperparameters.sturdy_model <- function(object) {
  kernel <- kernel_hyper(object$kernel)
  kernels <- seq_along(kernel$nugget) # one, or one for each class
  shown <- c("lengthscale", scalar_names(kernel), if (!is.null(kernel$width)) "width")
  one <- function(c) class_hyper(kernel, c)[shown]
  values <- unlist(lapply(kernels, one), use.names = FALSE)
  names <- kernel_names(object)
  if (length(kernels) > 1) {
    names <- paste0(names, "@", rep(object$blueprint$levels, each = length(names)))
  }
  c(stats::setNames(values, names), named_rates(object))
}

#' The hyperparameters of a kernel that are one number: of a linear part where there is one
#' @noRd
scalar_names <- function(kernel) {
  c("variance", "bias", "nugget", if (any(kernel$linear > 0)) "linear")
}

kernel_names <- function(object) {
  columns <- object$blueprint$columns
  lengthscale <- if (object$kernel$type == "iso") {
    "lengthscale"
  } else if (length(columns)) {
    paste0("lengthscale.", columns)
  }
  width <- names(object$kernel$width)
  c(lengthscale, scalar_names(object$kernel), if (length(width)) paste0("width.", width))
}

named_rates <- function(object) {
  rates <- unname(object$epsilon)
  if (length(rates) == 1) {
    return(c(epsilon = rates))
  }
  of <- if (length(rates) == 2) c("neg", "pos") else object$blueprint$levels
  stats::setNames(rates, paste0("epsilon.", of))
}

hyperparameters.bpm <- function(object) {
  scale <- object$prior$scale
  c(
    stats::setNames(scale, sprintf("prior_scale.%s", names(scale))),
    nugget = if (object$prior$nugget > 0) object$prior$nugget,
    named_rates(object)
  )
}

# Which of the hyperparameters were learned.
learned <- function(object) {
  UseMethod("learned")
}

learned.sturdy_model <- function(object) {
  held <- object$kernel$fixed
  kernels <- length(object$kernel$nugget)
  scales <- length(object$kernel$lengthscale) / kernels
  one <- c(
    rep(!"lengthscale" %in% held, scales), !scalar_names(object$kernel) %in% held,
    rep(TRUE, length(object$kernel$width))
  )
  free <- c(rep(one, kernels), rep(rate_learned(object), length(object$epsilon)))
  free & !is.null(object$learning)
}

learned.bpm <- function(object) {
  c(
    object$prior$free, if (object$prior$nugget > 0) object$prior$free_nugget,
    rep(rate_learned(object), length(object$epsilon))
  )
}

rate_learned <- function(object) is.character(object$spec$epsilon)

#' What the model is called
#' @noRd
model_title <- function(object) {
  df <- object$spec$df
  name <- switch(spec_model(object$spec),
    gpc = "Gaussian process classifier",
    stc = "process classifier",
    bpm = "Bayes point machine",
    second_stage = "second stage on out-of-sample scores"
  )
  if (is.finite(df)) paste0("Student-t ", name, ", df = ", format(df)) else name
}

#' Share of the filtered labels that were predicted wrongly before
#' @noRd
filter_error <- function(object) object$filter$errors / object$filter$rows

filter_settled <- 1000 # rows from which the share above says something

#' Were many more labels predicted wrongly than epsilon expects? Then ADF takes rows for better
#' evidence than they are, and remembers the last few dozens only (?bpm_stream)
#' @noRd
filter_forgets <- function(object) {
  !is.null(object$filter) && object$filter$rows >= filter_settled &&
    filter_error(object) > 3 * max(object$epsilon)
}
