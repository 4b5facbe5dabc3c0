# How gpc(), stc() and bpm() take rows, and arguments of the model: their methods are made here, of
# the constructor of a spec. The name of this file comes before those that make them.

#' The method for formulas
#' @noRd
formula_face <- function(spec_of) {
  force(spec_of)
  function(formula, data = NULL, ..., subset = NULL, na.action = stats::na.omit, trusted = NULL,
           rates = NULL, weights = NULL, units = NULL, cluster = NULL) {
    spec <- spec_of(...)
    # as `subset` is: an argument that a function hands on is evaluated where its formula was written
    known <- as.list(substitute(list(units = units, trusted = trusted, rates = rates, weights = weights)))[-1]
    molded <- mold_rows(data, spec, formula, substitute(subset), na.action, cluster, environment(formula), known)
    fit_spec(spec, molded)
  }
}

#' The method for data frames and matrices
#' @noRd
table_face <- function(spec_of) {
  force(spec_of)
  function(x, y, ..., trusted = NULL, rates = NULL, weights = NULL, units = NULL) {
    spec <- spec_of(...)
    known <- list(units = units, trusted = trusted, rates = rates, weights = weights)
    molded <- in_one_block(known_in(mold_xy(x, y, spec$scale, takes_many(spec)), x, known))
    fit_spec(spec, molded)
  }
}

#' The method for all else, also of select_model()
#' @noRd
no_face <- function(verb) {
  force(verb)
  function(x, ...) {
    vector <- is.atomic(x) && is.null(dim(x)) && !is.null(x)
    must(
      FALSE, "x", "be a formula, a data frame or a matrix", got = x,
      more = c(
        i = "For example {.code {verb}(class ~ ., data)} or {.code {verb}(x, y)}.",
        i = if (vector) "For a single input column use {.code data.frame(x = x)}.",
        i = if (inherits(x, "Matrix")) "For a sparse matrix use {.code as.matrix(x)}."
      )
    )
  }
}

#' The rows that a formula takes from `data`, or a fit to them, where they can be had only while it is
#' made
#'
#' @param subset unevaluated. @param env of the formula.
#' @param known list(units, trusted, rates, weights), unevaluated.
#' @noRd
mold_rows <- function(data, spec, formula, subset, na.action, cluster, env, known) {
  UseMethod("mold_rows")
}

mold_rows.default <- function(data, spec, formula, subset, na.action, cluster, env, known) {
  refuse(
    !is.null(cluster), "{.arg cluster} can be used with {.fn shards} only.", "unknown_argument",
    arg = "cluster"
  )
  in_one_block(known_in(
    mold_formula(formula, data, spec$scale, na.action, subset, env, many = takes_many(spec)),
    data, known, formula
  ))
}
