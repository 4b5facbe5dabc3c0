# What a fit is, for those who are given one: which kind, with how many classes and labels; who judges its
# labels, and what it is called.

#' Is it a label stage: are there scores in the place of inputs?
#' @noRd
is_stage <- function(object) !is.null(object$recalibration)

#' Has the fit inducing inputs?
#' @noRd
is_low_rank <- function(object) !is.null(object$inducing)

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

#' How many labels of each class, the event second
#' @noRd
label_counts <- function(object) {
  if (is.null(object$data)) {
    c(object$filter$counts, object$shards$counts)
  } else tabulate(label_code(object$data), length(object$blueprint$levels))
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
