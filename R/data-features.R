# What the columns and terms of a table are to a kernel: features, one numeric or
# factor-like vector each.

#' What a column is to a kernel: "factor", "logical", "numeric" (times, too) or "other"
#' @noRd
feature_kind <- function(v) {
  if (is.factor(v) || is.character(v)) {
    "factor"
  } else if (is.logical(v)) {
    "logical"
  } else if (is.numeric(v) || !is.null(time_of(v))) "numeric" else "other"
}

#' What makes a time of numbers: a column of times without its values, or `NULL` of another column
#' @noRd
time_of <- function(v) if (inherits(v, c("Date", "POSIXct", "difftime"))) v[0]

#' Numbers as times
#' @param time see time_of().
#' @noRd
as_time <- function(x, time) {
  if (!is.null(time)) attributes(x) <- attributes(time)
  x
}

#' The values of text in the order of their bytes in UTF-8 ("radix", as in the C locale):
#' which class is the event must not depend on the locale of the session
#' @noRd
text_levels <- function(v) sort(unique(enc2utf8(v)), method = "radix")

#' The features of a data frame or matrix
#' @noRd
xy_features <- function(x) {
  if (is.matrix(x)) {
    must(
      is.numeric(x) || is.logical(x), "x", "be a numeric matrix", got = x,
      more = c(i = "Use a data frame for columns of different types.")
    )
    storage.mode(x) <- "double"
    if (is.null(colnames(x))) colnames(x) <- paste0("x", seq_len(ncol(x)), recycle0 = TRUE)
  }
  x <- as.data.frame(x, optional = TRUE)
  nameless <- !nzchar(rlang::names2(x))
  twice <- unique(names(x)[duplicated(names(x)) & !nameless])
  must(
    !any(nameless) && !length(twice), "x", "have names, all different", "column_names",
    of = "The columns of {.arg x}", more = c(
      x = if (any(nameless)) "{sum(nameless)} of {ncol(x)} {?has/have} none.",
      x = if (length(twice)) "More than once: {.val {twice}}."
    )
  )
  for (name in names(x)) check_feature_type(x[[name]], name)
  as.list(x)
}

#' A column that can be a feature, or an error
#' @return v
#' @noRd
check_feature_type <- function(v, name) {
  must(
    feature_kind(v) != "other" && is.null(dim(v)), NULL,
    "be numeric, factor, character, logical or a time", "column_type", got = v,
    more = c(i = if (inherits(v, "POSIXlt")) {
      "{.code as.POSIXct({name})} makes one of it."
    } else if (is.list(v)) "{.code data${name} <- NULL} leaves it out."),
    of = "Column {.val {name}}", column = name
  )
  v
}

#' The features of a model frame, one or more a term
#'
#' A numeric variable is a feature, a matrix one a feature a column, a product of
#' numeric variables the features `model.matrix()` makes of it. Contrasts are not
#' used: a factor is one feature, all levels alike.
#'
#' @return named list of vectors with the attribute `term`, the term of each.
#' @noRd
formula_features <- function(frame, terms) {
  factors <- attr(terms, "factors")
  if (length(factors) == 0) {
    return(list())
  }
  columns <- as.list(frame)
  features <- lapply(seq_len(ncol(factors)), function(j) {
    # by position: rownames(factors) have backticks where names(frame) have none
    values <- columns[factors[, j] > 0]
    variables <- names(values)
    if (length(variables) == 1) {
      main_effect(values[[1]], variables)
    } else {
      numeric_product(values, variables, colnames(factors)[j])
    }
  })
  structure(unlist(features, recursive = FALSE), term = rep(colnames(factors), lengths(features)))
}

#' The features of one variable of a term, by name: a matrix has one for each of its columns
#' @noRd
main_effect <- function(v, name) {
  if (is.matrix(v) && is.numeric(v)) {
    columns <- if (is.null(colnames(v))) seq_len(ncol(v)) else colnames(v)
    v <- lapply(seq_len(ncol(v)), function(k) as.vector(v[, k]))
    return(stats::setNames(v, paste0(name, columns)))
  }
  stats::setNames(list(check_feature_type(v, name)), name)
}

#' The features of a product of numeric variables: one for each combination of their columns
#' @noRd
numeric_product <- function(values, variables, term) {
  must(
    all(vapply(values, is.numeric, logical(1))), NULL,
    "be between numeric variables, not {.code {term}}", "interaction",
    more = c(
      i = "In {.fn gpc} and {.fn stc} the kernel lets all inputs interact.",
      i = "To treat every combination of two factors as a level, use {.code interaction(a, b)}."
    ),
    of = "An interaction", term = term
  )
  parts <- Map(main_effect, values, variables)
  product <- function(a, b) {
    each <- lapply(b, function(v) lapply(a, `*`, v))
    stats::setNames(unlist(each, recursive = FALSE), c(outer(names(a), names(b), paste, sep = ":")))
  }
  Reduce(product, parts)
}
