# Which fit a verb is asked of: the object that it was given, or the fit of ours inside of that.

#' The fit that a verb asks: what it was given, or that inside of it
#' @param ... of a verb that takes no other arguments. @param level of the intervals of a verb that has some.
#' @noRd
fit_of <- function(object, ..., level) {
  fit <- if (!missing(object) && inherits(object, "sturdy_model")) object else needed_own_fit(object)
  check_model(fit)
  check_no_dots(...)
  if (!missing(level)) check_level(level)
  fit
}

#' What is asked of a workflow, a parsnip fit, a learner of mlr3 or a `train` of caret around a fit of
#' ours, is asked of that fit
#' @param verb the generic whose default method this is.
#' @noRd
by_own_fit <- function(verb, object, ..., arg = "object") verb(needed_own_fit(object, arg), ...)

#' The fit of ours inside of an object, or an error where there is none
#' @noRd
needed_own_fit <- function(object, arg = "object") {
  fit <- own_fit(object, arg)
  must(
    !is.null(fit), arg, "be a model fitted by {.fn gpc}, {.fn stc}, {.fn bpm} or {.fn second_stage}", got = object
  )
  fit
}

#' The fit of ours inside of an object, `NULL` where there is none
#' @noRd
own_fit <- function(object, arg = "object") {
  check_given(missing(object), arg)
  around <- intersect(c("workflow", "model_fit", "Learner", "train"), class(object))
  inside <- switch(c(around, "none")[1],
    workflow = object$fit$fit$fit, model_fit = object$fit, Learner = object$model,
    train = object$finalModel
  )
  if (inherits(inside, "sturdy_model")) inside
}
