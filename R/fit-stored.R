# The rows that a fit keeps, to be fitted again: without the inputs that a changed formula leaves out.

#' The rows a model holds, without the inputs that a changed formula leaves out
#' @noRd
stored_rows <- function(object, formula., spec) {
  refuse(is_several(object) && spec_model(spec) %in% c("stc", "bpm"), c(
    "A {.fn {spec_model(spec)}} is of two classes.",
    i = "It can tell one class from the others, as in
         {.code {spec_model(spec)}(I(class == \"a\") ~ ., data)}."
  ), c("several_classes", "outcome_levels"))
  if (is.null(object$data)) abort_needs_data("to fit again, because the fit keeps no rows")
  if (!identical(spec$scale, object$spec$scale)) {
    abort_needs_data("to change the scaling, because the model keeps its inputs as scaled")
  }
  molded <- object[c("blueprint", "data")]
  if (is.null(formula.)) molded else drop_inputs(molded, changed_formula(object, formula.))
}

#' Stored rows without the inputs that a formula leaves out, or an error where it has others
#' @noRd
drop_inputs <- function(molded, formula) {
  blueprint <- molded$blueprint
  terms <- stats::terms(formula)
  # of the formula, for some of its terms may be constant
  old <- stats::terms(blueprint$formula)
  known <- term_keys(attr(old, "term.labels"))
  new <- term_keys(attr(terms, "term.labels"))
  offset <- function(terms) as.character(attr(terms, "variables"))[1 + attr(terms, "offset")]
  if (!identical(formula[[2]], old[[2]]) || !identical(offset(terms), offset(old)) || !all(new %in% known)) {
    abort_needs_data(
      "to change the response or to add an input, because the model keeps only its own
       response and inputs"
    )
  }
  kept <- term_keys(blueprint[["term"]]) %in% new # `$` may match terms
  columns <- blueprint_columns(blueprint)$group %in% which(kept)
  of_inputs <- c("coding", "columns", "term")
  blueprint[of_inputs] <- lapply(blueprint[of_inputs], function(part) part[kept])
  blueprint <- with_used_terms(blueprint, blueprint$terms)
  attr(blueprint$terms, "intercept") <- attr(terms, "intercept")
  blueprint$formula <- strip_environment(stats::formula(terms))
  molded$blueprint <- blueprint
  molded$data$X <- molded$data$X[, columns, drop = FALSE]
  open <- molded$data$unlabelled
  if (!is.null(open)) molded$data$unlabelled$X <- open$X[, columns, drop = FALSE]
  molded
}

#' Labels of terms, whatever the order of the variables in a product: update.formula()
#' changes it
#' @noRd
term_keys <- function(labels) {
  parts <- strsplit(as.character(labels), ":", fixed = TRUE) # NULL without terms
  vapply(parts, function(v) paste(sort(v), collapse = ":"), "")
}

#' What is known of labels where there are no data to evaluate it in
#' @param none in the place of `NULL`.
#' @noRd
given_known <- function(value, arg, none) {
  value <- tryCatch(value, error = identity)
  refuse(
    inherits(value, c("error", "formula")),
    "{.arg {arg}} needs {.arg data}, or a vector with one entry per row of the data.",
    c("missing_argument", arg), arg = arg, parent = if (inherits(value, "error")) value
  )
  if (is.null(value)) none else value
}

#' The formula of a fit as update() is to change it
#' @noRd
changed_formula <- function(object, formula.) {
  must(
    is.null(formula.) || inherits(formula., "formula"), "formula.",
    "be a formula, as in {.code . ~ . - x}", "formula", got = formula.
  )
  old <- stats::formula(object)
  if (is.null(formula.)) {
    return(old)
  }
  trying( # R's parser takes fewer levels than a formula may have
    stats::update.formula(old, formula.),
    "{.fn update.formula} can't apply {.arg formula.} to the formula of the fit.",
    "formula", arg = "formula."
  )
}

abort_needs_data <- function(why, .envir = rlang::caller_env()) {
  must(FALSE, "data", paste("be given", why), "missing_argument", .envir = .envir)
}
