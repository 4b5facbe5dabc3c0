#' Fit again with changed arguments or data
#'
#' Without `data`, the model is fitted again to the encoded training rows it
#' holds, with the arguments that are named changed and all others as they were
#' given. With `data` (and, if wanted, a changed formula) it is fitted to that
#' data. Learning starts afresh: nothing is carried over from the old optimum.
#'
#' @param object A model fitted by [gpc()] or [stc()].
#' @param formula. Changes to the formula, as in [stats::update.formula()]; needs
#'   `data` and a model that was fitted by a formula.
#' @param ... Not used.
#' @param data A data frame to fit to, for a model that was fitted by a formula.
#' @param kernel,epsilon,criterion,method,control As in [gpc()].
#' @param df Degrees of freedom; a finite value turns a [gpc()] into an [stc()].
#'   `criterion` stays as it was, unless `df` changes between finite and infinite:
#'   then it is the default of the new model. `method` stays unless `epsilon`
#'   changes. `na.action` stays `na.exclude` if it was.
#' @param scale,na.action As in [gpc()], used only with `data`.
#' @return A fitted model as from [gpc()] or [stc()].
#' @section Conditions:
#' `sturdy_error_missing_argument` when `formula.` or `scale` is changed without
#' `data`, `sturdy_error_no_formula` when the model has no formula, and those of
#' [gpc()].
#' @seealso [gpc()], [stc()]; [update.bpm()] for [bpm()]
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' update(fit, epsilon = 0.2)
#' update(fit, df = 5, kernel = kernel_iso())
update.sturdy_model <- function(object,
                                formula. = NULL,
                                ...,
                                data = NULL,
                                kernel = object$kernel_spec,
                                epsilon = object$epsilon_spec,
                                criterion = update_criterion(object, df),
                                method = "gradient",
                                df = object$df,
                                control = object$control,
                                scale = object$scale,
                                na.action = update_na_action(object)) {
  check_no_dots(...)
  call <- rlang::current_env()
  if (missing(method) && identical(epsilon, object$epsilon_spec)) {
    method <- object$method
  }
  criterion <- check_choice(criterion, c("evidence", "loo"), "criterion")
  spec <- gp_spec(df, kernel, epsilon, criterion, control, call, method)
  class <- if (inherits(object, "stc") || is.finite(spec$df)) "stc" else "gpc"
  molded <- if (is.null(data)) {
    if (!is.null(formula.) || !identical(scale, object$scale)) {
      abort_sturdy(
        "{.arg data} must be given to change the formula or the scaling: the
         model does not keep its data.",
        "missing_argument", arg = "data"
      )
    }
    stored_mold(object)
  } else {
    new_formula <- formula(object)
    if (!is.null(formula.)) {
      new_formula <- stats::update.formula(new_formula, formula.)
    }
    mold_formula(new_formula, data, scale, na.action, call)
  }
  gp_impl(molded, spec, call, class)
}

#' The old criterion, unless a change between finite and infinite df asks for the
#' default of the other model: t-EP evidence misleads learning
#' @noRd
update_criterion <- function(object, df) {
  finite <- isTRUE(is.finite(df))
  if (finite == is.finite(object$df)) {
    object$criterion
  } else if (finite) {
    "loo"
  } else {
    "evidence"
  }
}

update_na_action <- function(object) {
  if (inherits(object$na_action, "exclude")) stats::na.exclude else stats::na.omit
}

stored_mold <- function(object) {
  list(
    X = object$X,
    group = blueprint_group(object$blueprint),
    blueprint = object$blueprint,
    y = object$y,
    rows = object$rows,
    row_names = object$row_names,
    na_action = object$na_action
  )
}
