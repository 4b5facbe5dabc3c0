# New data -> the encoded inputs a blueprint describes.

#' Encode new data
#'
#' @return list(X, complete, row_names): all rows in their order; which have no
#'   missing value; their names. Rows with NA have NA in X.
#' @noRd
forge <- function(blueprint, newdata, call) {
  check_newdata(newdata, blueprint, call)
  row_names <- rownames(newdata)
  newdata <- named_newdata(newdata, blueprint, call)
  check_new_columns(newdata, blueprint$variables, call)
  features <- if (nrow(newdata) == 0) {
    lapply(blueprint$specs, empty_feature)
  } else if (blueprint$interface == "formula") {
    forge_formula_features(blueprint, newdata, call)
  } else {
    as.list(newdata)
  }
  features <- features[blueprint$columns]
  for (name in blueprint$columns) {
    check_new_feature(features[[name]], name, blueprint$specs[[name]], call)
  }
  X <- encode_features(features, blueprint$specs, nrow(newdata))
  if (is.null(row_names)) {
    row_names <- as.character(seq_len(nrow(newdata)))
  }
  list(X = X, complete = !rowSums(is.na(X)), row_names = row_names)
}

check_newdata <- function(newdata, blueprint, call) {
  if (is.data.frame(newdata)) {
    return(invisible())
  }
  if (is.matrix(newdata) && blueprint$interface != "formula") {
    return(invisible())
  }
  or_matrix <- if (blueprint$interface != "formula") " or a matrix" else ""
  abort_sturdy(
    "{.arg newdata} must be a data frame{or_matrix}, not {describe(newdata)}.",
    "type", arg = "newdata", call = call
  )
}

#' Columns of a matrix without names are known by position
#' @noRd
named_newdata <- function(newdata, blueprint, call) {
  if (is.matrix(newdata)) {
    unnamed <- is.null(colnames(newdata)) || !blueprint$named
    if (unnamed && ncol(newdata) != length(blueprint$variables)) {
      abort_sturdy(
        "{.arg newdata} must have {length(blueprint$variables)} column{?s},
         not {ncol(newdata)}.",
        "missing_column", arg = "newdata", call = call
      )
    }
    if (unnamed) {
      colnames(newdata) <- blueprint$variables
    }
    return(as.data.frame(newdata, optional = TRUE))
  }
  as.data.frame(newdata)
}

check_new_columns <- function(newdata, variables, call) {
  missing <- setdiff(variables, names(newdata))
  if (length(missing)) {
    abort_sturdy(
      c(
        "{.arg newdata} must have every input column of the training data.",
        x = "Missing: {.val {missing}}."
      ),
      "missing_column", arg = "newdata", columns = missing, call = call
    )
  }
}

forge_formula_features <- function(blueprint, newdata, call) {
  frame <- tryCatch(
    stats::model.frame(
      blueprint$terms, newdata, na.action = stats::na.pass, xlev = NULL
    ),
    error = function(cnd) abort_formula(cnd, "newdata", call)
  )
  formula_features(frame, blueprint$terms, call)
}

empty_feature <- function(spec) {
  switch(spec$kind, numeric = double(), factor = character(), logical())
}

check_new_feature <- function(v, name, spec, call) {
  kind <- if (is.null(dim(v))) feature_kind(v) else "other"
  # a column of NA is logical whatever it stands for
  if (kind == "logical" && all(is.na(v))) {
    kind <- spec$kind
  }
  if (kind != spec$kind) {
    abort_sturdy(
      "Column {.val {name}} of {.arg newdata} must be {spec$kind} as in
       training, not {describe(v)}.",
      "column_type", arg = "newdata", column = name, call = call
    )
  }
  if (kind == "numeric") {
    return(check_finite(v, name, call))
  }
  novel <- setdiff(unique(as.character(v)), c(spec$levels, NA))
  if (length(novel)) {
    abort_sturdy(
      c(
        "Column {.val {name}} of {.arg newdata} must hold levels seen in
         training.",
        x = "New: {.val {few(novel)}}.",
        i = "Known: {.val {few(spec$levels)}}."
      ),
      "novel_levels", arg = "newdata", column = name, levels = novel,
      call = call
    )
  }
}
