# Inputs: formula and data, data frame, or matrix -> expanded numeric matrix,
# and back again for new data.
#
# A *feature* is one input column as the kernel sees it: a numeric vector, or a
# factor-like one (factor, character, logical). `mold_*()` turns the training
# data into features, learns a *coding* for each (centre and scale, or levels) and
# encodes them; `forge()` does the same for new data with the known codings. The
# blueprint holds the codings and nothing of the data.

# Mold ----------------------------------------------------------------------

#' @param subset `NULL` or an unevaluated expression, as in [stats::lm()], that is
#'   evaluated in `data` and then in `env`. @param many whether the response may have more
#'   than two classes.
#' @return list(data, blueprint); `data` is a list of the encoded inputs `X` (n x p),
#'   labels `y` (-1/+1, or 1, 2, .. with more classes), `rows` (their positions in the data given),
#'   `row_names`, `na_action`, what na.action left out, and `n_given`, the rows of the data given.
#' @noRd
mold_formula <- function(formula, data, scale, na.action = stats::na.omit, subset = NULL,
                         env = environment(formula), many = FALSE) {
  frame <- model_frame(formula, data, offset = TRUE)
  n_given <- nrow(frame)
  # a name for each position, since a subset may repeat rows
  position <- stats::setNames(seq_len(n_given), row.names(frame))
  frame <- subset_frame(frame, subset, data, env)
  frame <- one_a_item(frame)
  items <- attr(frame, "items")
  n_subset <- nrow(frame)
  given <- frame
  frame <- apply_na_action(frame, na.action)
  check_rows(nrow(frame), n_subset, given)
  open <- rows_without_label(given, frame)
  inform_lost_rows(given, nrow(frame), open)
  terms <- attr(frame, "terms")
  outcome <- mold_response(
    stats::model.response(frame), rlang::as_label(formula[[2]]), many = many, single = n_subset == 1
  )
  blueprint <- formula_blueprint(formula, terms, data, outcome)
  molded <- mold_terms(frame, terms, scale, blueprint, outcome$y)
  rows <- original_rows(row.names(frame), position)
  named <- function(names) if (is.null(items)) names else unname(items[names])
  molded <- with_labels(
    molded, outcome, rows, named(row.names(frame)), n_given, attr(frame, "na.action")
  )
  if (length(open)) {
    names <- row.names(given)[open]
    features <- formula_features(given[open, , drop = FALSE], terms)
    molded <- with_unlabelled(molded, features, open, original_rows(names, position), named(names))
  }
  with_formula_offset(molded, frame, given[open, , drop = FALSE], data)
}

#' Labels of a response, be they one a row or several, or probabilities
#' @noRd
mold_response <- function(y, arg = "y", ...) {
  if (is_readers_response(y)) {
    return(mold_readers(y, arg, ...))
  }
  if (is_soft_response(y)) {
    return(mold_soft(y, arg, ...))
  }
  mold_outcome(y, arg, ...)
}

#' @param outcome see mold_response().
#' @noRd
with_labels <- function(molded, outcome, rows, row_names, n_given, na_action = NULL) {
  molded$data <- c(molded$data, list(
    y = outcome$y, rows = rows, row_names = row_names, na_action = na_action, n_given = n_given
  ), outcome["said"[!is.null(outcome$said)]])
  molded
}

#' Molded rows with others that have no label beside them
#'
#' @param features theirs. @param at their positions among the rows from which na.action took some.
#' @param rows their positions in the data given.
#' @return `molded`, its data with `unlabelled`, list(X, at, rows, row_names).
#' @noRd
with_unlabelled <- function(molded, features, at, rows, names) {
  coding <- molded$blueprint$coding
  features <- features[molded$blueprint$columns]
  check_features(features)
  inform_unlabelled(rows, features, coding)
  molded$data$unlabelled <- list(
    X = encode_features(features, coding, length(at)), at = as.integer(at), rows = rows,
    row_names = names
  )
  molded
}

#' Positions of rows by their names; one that a subset repeats is called "5.1", "5.2"
#' @noRd
original_rows <- function(names, position) {
  rows <- unname(position[names])
  again <- is.na(rows)
  rows[again] <- unname(position[sub("[.][0-9]+$", "", names[again])])
  rows
}

#' Features of the terms, encoded; terms without any are forgotten
#' @noRd
mold_terms <- function(frame, terms, scale, blueprint, y) {
  features <- formula_features(frame, terms)
  molded <- mold_features(features, nrow(frame), scale, blueprint, y)
  molded$blueprint <- with_used_terms(molded$blueprint, terms)
  molded
}

with_used_terms <- function(blueprint, terms) {
  blueprint$terms <- used_terms(terms, blueprint[["term"]])
  read <- all.vars(attr(blueprint$terms, "variables"))
  blueprint$variables <- intersect(blueprint$variables, read)
  blueprint
}

formula_blueprint <- function(formula, terms, data, outcome) {
  with_order(list(
    interface = "formula",
    formula = strip_environment(stats::formula(terms)),
    variables = input_variables(terms, data),
    response = data_variables(formula[[2]], data),
    levels = outcome$levels
  ), outcome)
}

#' Whether the classes are in an order, where they are
#' @noRd
with_order <- function(blueprint, outcome) {
  blueprint$ordered <- outcome$ordered
  blueprint
}

#' @noRd
mold_xy <- function(x, y, scale, many = FALSE) {
  must(
    !rlang::is_missing(y), "y", "be given along with {.arg x}", "missing_argument",
    more = c(i = "Or use a formula: {.code gpc(class ~ ., data)}.")
  )
  features <- xy_features(x)
  check_rows(nrow(x), nrow(x))
  y <- readers_a_row(y, nrow(x), "y", "x")
  soft <- is_soft_response(y)
  open <- if (soft) {
    which(is.na(rowSums(y)))
  } else if (is.null(dim(y)) || is_readers_response(y)) {
    which(is.na(y))
  }
  if (length(open) == nrow(x)) open <- integer()
  if (length(open)) y <- if (is.null(dim(y))) y[-open] else y[-open, , drop = FALSE]
  outcome <- mold_response(y, many = many)
  blueprint <- list(
    interface = if (is.matrix(x)) "matrix" else "data.frame",
    named = is.data.frame(x) || !is.null(colnames(x)),
    variables = names(features),
    levels = outcome$levels
  )
  blueprint <- with_order(blueprint, outcome)
  names <- row_names_of(x)
  if (!length(open)) {
    molded <- mold_features(features, nrow(x), scale, blueprint, outcome$y)
    return(with_labels(molded, outcome, seq_len(nrow(x)), names, nrow(x)))
  }
  check_features(features)
  some <- function(rows) structure(lapply(features, `[`, rows), term = attr(features, "term"))
  rows <- seq_len(nrow(x))[-open]
  molded <- mold_features(some(rows), length(rows), scale, blueprint, outcome$y)
  left_out <- structure(stats::setNames(open, names[open]), class = "omit")
  molded <- with_labels(molded, outcome, rows, names[rows], nrow(x), left_out)
  with_unlabelled(molded, some(open), open, open, names[open])
}

#' Names of rows, their positions where they have none
#' @param before how many rows there are before these.
#' @noRd
row_names_of <- function(x, before = 0) {
  automatic <- if (is.data.frame(x)) .row_names_info(x) < 0 else is.null(rownames(x))
  if (automatic) as.character(as.integer(before) + seq_len(nrow(x))) else rownames(x)
}

mold_features <- function(features, n, scale, blueprint, y) {
  check_features(features)
  if (n > 10) inform_doubts(features, y)
  blueprint <- code_features(blueprint, features, n, scale, function(name) {
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
code_features <- function(blueprint, features, n, scale, code) {
  constant <- n > 1 & vapply(features, is_constant, NA)
  inform_these(
    "constant_columns",
    c(i = "Constant {qty(length(these))}column{?s} {.val {these}} {?is/are} dropped."),
    columns = names(which(constant))
  )
  # text that differs in every row: all rows are equally unlike each other
  unlike <- n > 10 & vapply(features, function(v) {
    feature_kind(v) == "factor" && !anyDuplicated(as.character(v))
  }, NA)
  inform_these(
    "likely_id",
    c(i = "{qty(length(these))}Column{?s} {.val {these}} differ{?s/} in every row, as identifiers
           do, and {?is/are} dropped."),
    columns = names(which(unlike))
  )
  useless <- constant | unlike
  names <- as.character(names(features))
  blueprint$coding <- lapply(rlang::set_names(names[!useless]), code)
  blueprint$columns <- names[!useless]
  blueprint$all_columns <- names
  blueprint$term <- attr(features, "term")[!useless]
  blueprint$scale <- scale
  structure(blueprint, class = "sturdy_blueprint")
}

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
