# New data -> the encoded inputs a blueprint describes.

#' Encode new data
#'
#' @param novel whether levels that training did not have are accepted; `"weight"`: by a model
#'   that has a weight for each. @param arg what the user calls the new data.
#' @return list(X, complete, row_names): all rows in their order; which have no
#'   missing value; their names. Rows with NA have NA in X.
#' @noRd
forge <- function(blueprint, newdata, novel = FALSE, arg = "newdata") {
  newdata <- new_scores(newdata, blueprint)
  # a formula may compute with its columns; inducing inputs may have been computed
  takes_matrix <- blueprint$interface != "formula" || arg == "inducing"
  must(
    is.data.frame(newdata) || takes_matrix && is.matrix(newdata), arg,
    paste0("be a data frame", if (takes_matrix) " or a matrix"), got = newdata
  )
  row_names <- row_names_of(newdata)
  newdata <- named_newdata(newdata, blueprint, arg)
  check_new_columns(
    newdata, used_columns(blueprint), arg, hint = if (!is.null(blueprint$floor)) {
      "The fit is of scores: {.arg {arg}} has those of the new rows, a column for each class."
    }
  )
  features <- if (nrow(newdata) == 0) {
    lapply(blueprint$coding, function(coding) logical())
  } else if (blueprint$interface == "formula") {
    forge_formula_features(blueprint, newdata, arg)
  } else {
    as.list(newdata)
  }
  X <- forge_features(blueprint, features, nrow(newdata), novel, arg)
  offset <- new_offset(blueprint, newdata, arg)
  complete <- !rowSums(is.na(cbind(X, offset)))
  if (!is.null(blueprint$floor)) {
    X[complete, ] <- score_rows(X[complete, , drop = FALSE], blueprint$floor, arg)
  }
  list(X = with_offset(X, offset), complete = complete, row_names = row_names)
}

#' The offsets of new rows, or `NULL` where the formula has none
#' @noRd
new_offset <- function(blueprint, newdata, arg) {
  check_new_columns(newdata, blueprint$offset$variables, arg, "the {.fn offset}")
  env <- environment(blueprint$formula)
  parts <- lapply(blueprint$offset$parts, function(part) {
    rep_len(by_formula(eval(part, newdata, env), arg), nrow(newdata))
  })
  sum_offset(parts, arg)
}

#' The columns of the data that a fit reads
#' @noRd
used_columns <- function(blueprint) {
  if (blueprint$interface == "formula") blueprint$variables else blueprint$columns
}

read_columns <- function(blueprint) c(used_columns(blueprint), blueprint$offset$variables)

labelled_columns <- function(blueprint) c(read_columns(blueprint), blueprint$response)

#' Columns of a matrix without names are known by position
#' @noRd
named_newdata <- function(newdata, blueprint, arg) {
  # as xy_features() takes those of a matrix
  if (blueprint$interface == "matrix" && is.matrix(newdata) && is.logical(newdata)) {
    storage.mode(newdata) <- "double"
  }
  if (is.matrix(newdata) && (is.null(colnames(newdata)) || isFALSE(blueprint$named))) {
    must(
      ncol(newdata) == length(blueprint$variables), arg,
      "have {length(blueprint$variables)} column{?s}, not {ncol(newdata)}", "missing_column"
    )
    colnames(newdata) <- blueprint$variables
  }
  as.data.frame(newdata, optional = TRUE)
}

#' New data have the columns of some variables, or an error
#' @param what these are, in words.
#' @noRd
check_new_columns <- function(newdata, variables, arg, what = "every input column", hint = NULL) {
  missing <- setdiff(variables, names(newdata))
  must(
    !length(missing), arg, "have {what} of the training data", "missing_column",
    more = c(x = "Missing: {.val {missing}}.", i = hint), columns = missing
  )
}

#' The features of a formula in new data
#' @noRd
forge_formula_features <- function(blueprint, newdata, arg) {
  variables <- as.list(attr(blueprint$terms, "variables"))[-1]
  frame <- if (all(vapply(variables, is.name, NA))) {
    # columns as they stand: a model frame takes longer than all that follows for one row
    newdata[vapply(variables, as.character, "")]
  } else {
    by_formula(
      stats::model.frame(blueprint$terms, newdata, na.action = stats::na.pass, xlev = NULL), arg
    )
  }
  formula_features(frame, blueprint$terms)
}

# Labelled rows -------------------------------------------------------------

#' Encode new rows with their labels
#'
#' @param y labels for a fit from `x` and `y`; `NULL` for a fit by a formula, whose
#'   response is computed from `newdata`.
#' @param na.action what to do with rows that lack an input or the label. @param y_arg what the
#'   user calls the labels.
#' @return list(X, y, rows): encoded inputs, labels -1/+1, the positions of the
#'   rows kept.
#' @noRd
forge_labelled <- function(blueprint, newdata, y, na.action, arg = "newdata", y_arg = "y") {
  new <- forge(blueprint, newdata, arg = arg)
  label <- y_arg
  if (blueprint$interface == "formula") {
    label <- rlang::as_label(blueprint$formula[[2]])
    must(
      is.null(y), y_arg, "not be given: the response of the formula is taken from {.arg {arg}}",
      "unknown_argument"
    )
    check_new_columns(newdata, blueprint$response, arg, "the response")
    y <- by_formula(eval(blueprint$formula[[2]], newdata, environment(blueprint$formula)), arg)
  } else {
    must(
      !is.null(y), y_arg, "be given along with {.arg newdata}: the model was not fitted by a
       formula", "missing_argument"
    )
  }
  y <- one_a_row(y, nrow(newdata), label, arg)
  rows <- seq_len(nrow(newdata))
  complete <- if (is.null(dim(y))) new$complete & !is.na(y) else new$complete
  if (!all(complete)) {
    rows <- rows_kept(complete, na.action)
    new$X <- new$X[rows, , drop = FALSE]
    if (is.null(dim(y))) y <- y[rows] # what has columns is refused below
    check_none_missing(rows[!complete[rows]], arg)
  }
  list(X = new$X, y = forge_outcome(y, blueprint$levels, label), rows = rows)
}
