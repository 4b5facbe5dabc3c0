# What a fit is asked inside the package: whether it has a posterior, sites, rows, several
# classes; who judges its labels, and what it is called.

#' Has the fit inducing inputs?
#' @noRd
is_low_rank <- function(object) !is.null(object$inducing)

#' An error for what is no fit
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
  around <- intersect(c("workflow", "model_fit", "Learner", "train"), class(object))
  inside <- switch(c(around, "none")[1],
    workflow = object$fit$fit$fit, model_fit = object$fit, Learner = object$model,
    train = object$finalModel
  )
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
  if (inherits(object, "bpm")) !is.null(object$weights) else has_numbers(object$ep$b)
}

#' An error for a fit whose EP left no posterior, and a warning for one whose EP did not converge
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

check_by_ep <- function(object) UseMethod("check_by_ep")

#' What judges the labels, checked, for answers that need numbers of labels alone: a fit to shards, which
#' has cells of scores in the place of rows, will do
#' @noRd
check_judge <- function(object) {
  judge <- judged_by(object)
  check_by_ep(judge)
  check_posterior(object)
  judge
}

check_by_ep.sturdy_model <- function(object) invisible(object)

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
#' @return the fit
#' @noRd
check_has_latent <- function(object) {
  refuse(
    !is.null(object$recalibration),
    c(
      "A second stage has no latent function, and its likelihood needs no EP: it is exact.",
      i = "{.code predict(fit, type = \"prob\")} has probabilities of the true classes."
    ),
    "no_latent"
  )
  object
}

# What a model is asked -------------------------------------------------------

#' How many labels of each class, the event second
#' @noRd
label_counts <- function(object) {
  if (is.null(object$data)) {
    return(c(object$filter$counts, object$shards$counts))
  }
  tabulate(label_code(object$data), length(object$blueprint$levels))
}

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

