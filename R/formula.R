# What a formula needs of stats: the model frame, its missing rows, and an
# environment that can be saved.

model_frame <- function(formula, data, call) {
  if (length(formula) < 3) {
    abort_sturdy(
      "{.arg formula} must have a response, as in {.code class ~ .}.",
      "formula", arg = "formula", call = call
    )
  }
  if (is.null(data)) {
    data <- environment(formula)
  } else if (!is.data.frame(data)) {
    abort_sturdy(
      "{.arg data} must be a data frame, not {describe(data)}.",
      "type", arg = "data", call = call
    )
  }
  frame <- tryCatch(
    stats::model.frame(formula, data, na.action = stats::na.pass),
    error = function(cnd) abort_formula(cnd, "data", call)
  )
  if (!is.null(attr(attr(frame, "terms"), "offset"))) {
    abort_sturdy(
      "{.arg formula} can't hold an {.fn offset}: the model has no place for it.",
      "formula", arg = "formula", call = call
    )
  }
  frame
}

abort_formula <- function(cnd, where, call) {
  abort_sturdy(
    "The variables of the formula can't be computed from {.arg {where}}.",
    "formula", arg = where, parent = cnd, call = call
  )
}

#' Rows with missing values, as `na.action` wants them
#' @noRd
apply_na_action <- function(frame, na.action, call) {
  if (is.null(na.action)) {
    return(frame)
  }
  tryCatch(
    match.fun(na.action)(frame),
    error = function(cnd) {
      abort_sturdy(
        "{.arg na.action} refuses the data.",
        "missing", arg = "na.action", parent = cnd, call = call
      )
    }
  )
}

#' The columns of the data that the right-hand side reads
#' @noRd
input_variables <- function(terms, data) {
  data_variables(stats::delete.response(terms), data)
}

#' The columns of the data that an expression reads
#'
#' Other names in it (a constant, say) live in the environment of the formula.
#' @noRd
data_variables <- function(expr, data) {
  names <- all.vars(expr)
  if (is.null(data)) names else intersect(names, names(data))
}

#' A formula or terms object that does not carry the caller's frame with it
#'
#' The top environment (the workspace or a package) is saved as a name only.
#' @noRd
strip_environment <- function(x) {
  env <- attr(x, ".Environment")
  attr(x, ".Environment") <- if (is.environment(env)) topenv(env) else globalenv()
  x
}
