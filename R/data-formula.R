# What a formula needs of stats: the model frame, its missing rows, and an
# environment that can be saved.

#' @param offset whether there may be one.
#' @noRd
model_frame <- function(formula, data, arg = "data", offset = FALSE) {
  must(length(formula) > 2, "formula", "have a response, as in {.code class ~ .}", "formula")
  must(is.null(data) || is.data.frame(data), arg, "be a data frame", got = data)
  # of lists, which model.frame() refuses without a name
  lists <- names(data)[vapply(data, is.list, NA)]
  read <- if (length(lists)) all.vars(by_formula(stats::terms(formula, data = data), arg))
  for (name in intersect(lists, read)) check_feature_type(data[[name]], name)
  if (is.null(data)) data <- environment(formula)
  frame <- by_formula(
    stats::model.frame(formula, data, na.action = stats::na.pass), arg, formula, data
  )
  refuse(
    !offset && !is.null(attr(attr(frame, "terms"), "offset")),
    "{.arg formula} can't contain {.fn offset} here: {.fn gpc} and {.fn bpm} take it with a data
     frame.", c("offset", "formula"), arg = "formula"
  )
  check_formula_variables(attr(frame, "terms"), data, arg)
  frame
}

#' Inputs must come from `data`, functions from where they are still found later, and
#' the response must not be an input
#'
#' Anything else the right-hand side reads could not be found, or be another
#' thing of the same name, when predicting.
#' @noRd
check_formula_variables <- function(terms, data, arg) {
  right <- stats::delete.response(terms)
  inputs <- all.vars(right)
  check_response_apart(stats::formula(terms)[[2]], inputs, data, arg)
  env <- environment(terms)
  differ <- function(names, home, mode) {
    Filter(function(name) {
      !identical(get0(name, env, mode), get0(name, home, mode))
    }, names)
  }
  outside <- if (!is.null(data)) differ(setdiff(inputs, names(data)), baseenv(), "any")
  refuse(length(outside), c(
    "Every input of {.arg formula} must be a column of {.arg {arg}}.",
    x = "Not found there: {.val {outside}}.",
    i = "Add it to {.arg {arg}}, or write the value of a constant into the formula."
  ), "formula", arg = "formula", columns = outside)
  local <- differ(setdiff(all.names(right), inputs), topenv(env), "function")
  refuse(length(local), c(
    "{.arg formula} can't use functions that exist only where it was written,
     because {.fn predict} would not find them.",
    x = "Found only there: {.fn {local}}.",
    i = "Define {qty(length(local))}{?it/them} in the workspace or in a package."
  ), "formula", arg = "formula")
}

#' The response is none of the inputs: `d$y ~ d$x` has `d` on both sides
#' @noRd
check_response_apart <- function(response, inputs, data, arg) {
  leak <- intersect(inputs, data_variables(response, data))
  taken_out <- is.call(response) && as.character(response[[1]])[1] %in% c("$", "[[", "[")
  refuse(
    length(leak), if (taken_out) {
      c(
        "{.arg formula} must name columns of {.arg {arg}}, not take them out of {.val {leak}}.",
        i = "For example {.code class ~ ., data = {leak[1]}}."
      )
    } else {
      "{.arg formula} can't have the response {.val {leak}} among its inputs."
    },
    "formula", arg = "formula"
  )
}

#' Which variables are not there, where the data have no column for them: R may have a function of
#' the name, such as class()
#' @noRd
absent_columns <- function(formula, data) {
  if (!is.data.frame(data) || is.null(names(data))) return(NULL)
  Filter(function(name) {
    v <- get0(name, environment(formula))
    is.null(v) || is.function(v)
  }, setdiff(all.vars(formula), c(names(data), ".")))
}

#' What a formula computes
#' @param formula,data what it is computed of, where a column may be missing.
#' @noRd
by_formula <- function(code, where, formula = NULL, data = NULL) {
  tryCatch(code, error = function(cnd) {
    absent <- absent_columns(formula, data)
    abort_sturdy(c(
      "The variables of the formula can't be evaluated in {.arg {where}}.",
      x = if (length(absent)) "There is no column {.or {.val {absent}}}, but {.val {few(names(data))}}.",
      i = if (length(absent) && length(data) == 1) {
        "Files separated by semicolons are read by {.fn read.csv2}."
      }
    ), "formula", arg = where, parent = cnd)
  })
}

#' Names or calls as the right side of a formula has them; of none the intercept
#' @noRd
sum_of <- function(terms) if (length(terms)) Reduce(function(sum, one) call("+", sum, one), terms) else 1

#' The rows of a model frame that `subset` selects
#' @noRd
subset_rows <- function(frame, subset, data, env) {
  rows <- trying(
    eval(subset, data, env), "{.arg subset} can't be evaluated.", "subset", arg = "subset"
  )
  n <- nrow(frame)
  if (is.null(rows)) {
    return(seq_len(n))
  }
  picked <- if (is.logical(rows) || is.numeric(rows) || is.character(rows)) {
    tryCatch(stats::setNames(seq_len(n), row.names(frame))[rows], error = function(cnd) NULL)
  }
  must(
    !is.null(picked) && sum(is.na(picked)) == sum(is.na(rows)) && (!is.logical(rows) || length(rows) == n),
    "subset", "be a logical vector with one entry for each of the {n} row{?s}, or
     positions or names of rows", "subset", got = rows
  )
  unname(picked[!is.na(picked)])
}

check_na_action <- function(na.action) {
  act <- tryCatch(match.fun(na.action), error = function(cnd) NULL)
  must(
    is.function(act), "na.action", "be a function such as {.fn na.fail} or {.fn na.omit}",
    got = na.action
  )
  act
}

#' The rows of a model frame that `na.action` keeps
#' @noRd
apply_na_action <- function(frame, na.action) {
  if (is.null(na.action) || identical(na.action, stats::na.omit) && !anyNA(frame)) {
    return(frame)
  }
  na.action <- check_na_action(na.action)
  kept <- trying(
    na.action(frame), "{.arg na.action} stopped with an error.", "missing", arg = "na.action"
  )
  must(is.data.frame(kept), "na.action", "return a data frame, as {.fn na.omit} does", got = kept)
  kept
}

#' Positions of the rows that `na.action` keeps, where it is known which are complete
#' @noRd
rows_kept <- function(complete, na.action) {
  marks <- data.frame(row = seq_along(complete), complete = ifelse(complete, TRUE, NA))
  apply_na_action(marks, na.action)$row
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

#' The terms that still have a feature, those of constant columns and the like being
#' dropped: new data need not have them
#'
#' Not by a new formula: labels that are parsed again may group and order otherwise, as
#' those of `(a == "u") + b` and `b:a + a` do.
#' @noRd
used_terms <- function(terms, used) {
  terms <- stats::delete.response(terms)
  kept <- attr(terms, "term.labels") %in% used
  factors <- attr(terms, "factors")
  if (length(factors)) {
    factors <- factors[, kept, drop = FALSE]
    read <- rowSums(factors) > 0
    attr(terms, "factors") <- factors[read, , drop = FALSE]
    attr(terms, "dataClasses") <- attr(terms, "dataClasses")[read]
    for (what in c("variables", "predvars")) {
      attr(terms, what) <- attr(terms, what)[c(TRUE, read)]
    }
  }
  attr(terms, "offset") <- NULL # see new_offset()
  attr(terms, "term.labels") <- attr(terms, "term.labels")[kept]
  attr(terms, "order") <- attr(terms, "order")[kept]
  strip_environment(terms)
}
