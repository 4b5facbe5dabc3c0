# Inputs: formula and data, data frame, or matrix -> expanded numeric matrix,
# and back again for new data.
#
# A *feature* is one input column as the kernel sees it: a numeric vector, or a
# factor-like one (factor, character, logical). `mold_*()` turns the training
# data into features, learns a *coding* for each (centre and scale, or levels) and
# encodes them; `forge()` does the same for new data with the known codings. The
# blueprint holds the codings and nothing of the data.

# Mold ----------------------------------------------------------------------

#' The rows that a formula takes from a data frame
#'
#' Frames in turn: `all` rows, those `picked` by `subset`, those `given`, with one row an item where readers have
#' several labels of it, and the `frame` that na.action keeps.
#' @param subset `NULL` or an unevaluated expression, as in [stats::lm()], that is
#'   evaluated in `data` and then in `env`. @param many whether the response may have more
#'   than two classes.
#' @return list(data, blueprint); `data` is a list of the encoded inputs `X` (n x p),
#'   labels `y` (-1/+1, or 1, 2, .. with more classes), `rows` (their positions in the data given),
#'   `row_names`, `na_action`, what na.action left out, and `n_given`, the rows of the data given.
#' @noRd
mold_formula <- function(formula, data, scale, na.action = stats::na.omit, subset = NULL,
                         env = environment(formula), many = FALSE) {
  all <- model_frame(formula, data, offset = TRUE)
  at <- subset_rows(all, subset, data, env)
  picked <- if (identical(at, seq_len(nrow(all)))) all else all[at, , drop = FALSE]
  given <- one_a_item(picked)
  frame <- apply_na_action(given, na.action)
  check_rows(nrow(frame), nrow(given), given)
  open <- rows_without_label(given, frame)
  inform_lost_rows(given, nrow(frame), open)
  outcome <- mold_response(
    stats::model.response(frame), rlang::as_label(formula[[2]]), many = many, single = nrow(given) == 1
  )
  molded <- mold_terms(formula, frame, data, scale, outcome)
  # by name, as a row that a subset repeats has several
  items <- attr(given, "items")
  table <- list(
    rows = at[row_places(given, picked)],
    names = if (is.null(items)) row.names(given) else items,
    na_action = attr(frame, "na.action"), n_given = nrow(all)
  )
  molded <- with_labels(molded, outcome, table, row_places(frame, given))
  given <- given[open, , drop = FALSE]
  molded <- with_unlabelled(molded, formula_features(given, attr(frame, "terms")), table, open)
  with_formula_offset(molded, frame, given, data)
}

#' Labels of a response, be they one a row or several, or probabilities
#' @noRd
mold_response <- function(y, arg = "y", ...) {
  if (is_readers_response(y)) {
    mold_readers(y, arg, ...)
  } else if (is_soft_response(y)) mold_soft(y, arg, ...) else mold_outcome(y, arg, ...)
}

#' Where the rows of a frame are among those that it was taken from
#' @noRd
row_places <- function(frame, given) {
  same <- identical(attr(frame, "row.names"), attr(given, "row.names"))
  if (same) seq_len(nrow(frame)) else match(row.names(frame), row.names(given))
}

#' Molded rows with their labels
#' @param outcome see mold_response(). @param table list(rows, names: positions and names of the rows of
#'   the data given that na.action saw; na_action, what it left out; n_given, how many rows the data have).
#' @param kept which of the rows of `table` these are.
#' @noRd
with_labels <- function(molded, outcome, table, kept) {
  molded$data <- c(molded$data, list(
    y = outcome$y, rows = table$rows[kept], row_names = table$names[kept],
    na_action = table$na_action, n_given = table$n_given
  ), outcome[names(outcome) == "said"])
  molded
}

#' Rows that were left out as na.omit() notes them
#' @param names of all rows.
#' @noRd
as_omitted <- function(rows, names) {
  if (length(rows)) structure(rows, names = names[rows], class = "omit")
}

#' Molded rows with others that have no label beside them
#'
#' @param features theirs. @param table see with_labels(). @param open which of its rows they are.
#' @return `molded`, its data with `unlabelled`, list(X, at, rows, row_names).
#' @noRd
with_unlabelled <- function(molded, features, table, open) {
  if (!length(open)) {
    return(molded)
  }
  inform_unlabelled(table$rows[open])
  X <- forge_features(molded$blueprint, features, length(open), TRUE, where = "the rows without a label")
  molded$data$unlabelled <- list(
    X = X, at = as.integer(open), rows = table$rows[open], row_names = table$names[open]
  )
  molded
}

#' Features of the terms, encoded; terms without any are forgotten
#' @noRd
mold_terms <- function(formula, frame, data, scale, outcome) {
  terms <- attr(frame, "terms")
  features <- formula_features(frame, terms)
  check_features(features)
  blueprint <- formula_blueprint(formula, terms, data, outcome)
  molded <- mold_features(features, nrow(frame), scale, blueprint, outcome$y)
  molded$blueprint <- with_used_terms(molded$blueprint, terms)
  molded
}

#' A blueprint that reads only the terms and variables that have a feature
#' @noRd
with_used_terms <- function(blueprint, terms) {
  blueprint$terms <- used_terms(terms, blueprint[["term"]])
  read <- all.vars(attr(blueprint$terms, "variables"))
  blueprint$variables <- intersect(blueprint$variables, read)
  blueprint
}

#' A blueprint of a formula, before features are coded
#' @noRd
formula_blueprint <- function(formula, terms, data, outcome) {
  c(
    list(
      interface = "formula",
      formula = strip_environment(stats::formula(terms)),
      variables = data_variables(stats::delete.response(terms), data),
      response = data_variables(formula[[2]], data)
    ), outcome[names(outcome) %in% c("levels", "ordered")]
  )
}

#' The rows of a data frame or matrix x with labels y: see mold_formula()
#' @noRd
mold_xy <- function(x, y, scale, many = FALSE) {
  must(
    !rlang::is_missing(y), "y", "be given along with {.arg x}", "missing_argument",
    more = c(i = "Or use a formula: {.code gpc(class ~ ., data)}.")
  )
  features <- xy_features(x)
  check_rows(nrow(x), nrow(x))
  must(
    is.null(attr(y, "items")), "y", "be a wide table of readers where {.arg x} has the inputs: long
     ones go into a formula, with {.arg data}", "readers"
  )
  y <- one_a_row(y, nrow(x), "y", "x")
  labelled <- has_label(y)
  if (!any(labelled)) labelled[] <- TRUE # which is refused
  if (!all(labelled)) y <- if (is.null(dim(y))) y[labelled] else y[labelled, , drop = FALSE]
  outcome <- mold_response(y, many = many)
  blueprint <- c(
    list(
      interface = if (is.matrix(x)) "matrix" else "data.frame",
      named = is.data.frame(x) || !is.null(colnames(x)), variables = as.character(names(features))
    ), outcome[names(outcome) %in% c("levels", "ordered")]
  )
  rows <- which(labelled)
  open <- which(!labelled)
  some <- function(rows) lapply(features, `[`, rows)
  names <- row_names_of(x)
  table <- list(
    rows = seq_len(nrow(x)), names = names, na_action = as_omitted(open, names), n_given = nrow(x)
  )
  check_features(features)
  molded <- mold_features(some(rows), length(rows), scale, blueprint, outcome$y)
  with_unlabelled(with_labels(molded, outcome, table, rows), some(open), table, open)
}

#' Which rows have a label, or a probability of each class
#' @noRd
has_label <- function(y) {
  if (is_soft_response(y)) {
    return(!is.na(rowSums(y)))
  }
  if (is.null(dim(y)) || is_readers_response(y)) drop(!is.na(y)) else rep(TRUE, nrow(y))
}

#' Names of rows, their positions where they have none
#' @param before how many rows there are before these.
#' @noRd
row_names_of <- function(x, before = 0) {
  automatic <- if (is.data.frame(x)) .row_names_info(x) < 0 else is.null(rownames(x))
  if (automatic) as.character(as.integer(before) + seq_len(nrow(x))) else rownames(x)
}

#' Features as encoded columns, and how they are coded
#' @param y labels, for messages about columns that tell them. @return list(data: list(X), blueprint)
#' @noRd
mold_features <- function(features, n, scale, blueprint, y) {
  if (n > 10) inform_doubts(features, y)
  blueprint <- code_features(blueprint, features, n, function(name) {
    feature_coding(features[[name]], name, scale)
  })
  kept <- features[names(features) %in% blueprint$columns]
  list(data = list(X = encode_features(kept, blueprint$coding, n)), blueprint = blueprint)
}

#' The blueprint with a coding for each feature that says something
#'
#' @param features n values each, or a few that show what there are. @param code makes the
#'   coding of the feature of a name.
#' @noRd
code_features <- function(blueprint, features, n, code) {
  kept <- !are_useless(features, n)
  names <- as.character(names(features))
  blueprint$coding <- lapply(rlang::set_names(names[kept]), code)
  blueprint$columns <- names[kept]
  blueprint$all_columns <- names
  blueprint$term <- attr(features, "term")[kept]
  structure(blueprint, class = "sturdy_blueprint")
}

#' Features without missing or infinite values, nor numbers that are text
#' @noRd
check_features <- function(features) {
  for (name in names(features)) {
    v <- features[[name]]
    check_entries(
      is.na(v), "not have missing values", "missing", "missing", name,
      i = "A formula leaves such rows out, as in {.code gpc(class ~ ., data)}."
    )
    check_finite(v, name)
    check_decimals(v, name)
  }
}

#' Numbers that were read as text would be levels, one each
#' @noRd
check_decimals <- function(v, name) {
  text <- if (feature_kind(v) == "factor") feature_text(v)
  comma <- grepl(",", text, fixed = TRUE)
  must(
    !any(comma) || !all(grepl("^[-+]?[0-9]*,?[0-9]+([eE][-+]?[0-9]+)?$", text)), NULL,
    "be numeric: its values look like numbers written with a decimal comma, as in
     {.val {text[comma][1]}}", "column_type",
    more = c(i = "Read the data with {.code dec = \",\"}. If the values are names of
             categories, write them without a comma."),
    of = "Column {.val {name}}", column = name
  )
}
