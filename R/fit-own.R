# Which fit a verb is asked of: the object that it was given, or the fit of ours inside of that.

#' The fit that a verb asks, once it is seen to be one that is whole, and the verb's other arguments to be none
#' @param ... of a verb that takes no others. @param .level of the intervals of a verb that has some: with a name
#'   that no user's argument can have.
#' @noRd
fit_of <- function(object, ..., .level) {
  fit <- if (!missing(object) && inherits(object, "sturdy_model")) object else needed_own_fit(object)
  check_model(fit)
  check_no_dots(...)
  if (!missing(.level)) check_level(.level)
  fit
}

#' A verb's default method: what it is asked of a workflow, a parsnip fit, a learner of mlr3 or a `train` of caret
#' @param .verb the generic. @param .arg what it calls its first argument.
#' @noRd
by_own_fit <- function(.verb, object, ..., .arg = "object") .verb(needed_own_fit(object, .arg), ...)

#' An error where there is none
#' @noRd
needed_own_fit <- function(object, arg = "object") {
  fit <- own_fit(object, arg)
  ours <- "be a model fitted by {.fn gpc}, {.fn stc}, {.fn bpm} or {.fn second_stage}"
  must(!is.null(fit), arg, ours, got = object)
  fit
}

#' `NULL` where there is none
#' @noRd
own_fit <- function(object, arg = "object") {
  check_given(missing(object), arg)
  fit <- if (inherits(object, "workflow")) {
    object$fit$fit$fit
  } else if (inherits(object, "model_fit")) {
    object$fit
  } else if (inherits(object, "Learner")) {
    object$model
  } else if (inherits(object, "train")) object$finalModel
  if (inherits(fit, "sturdy_model")) fit
}
