# Inputs: formula and data, data frame, or matrix -> expanded numeric matrix,
# and back again for new data.
#
# A *feature* is one input column as the kernel sees it: a numeric vector, or a
# factor-like one (factor, character, logical). `mold_*()` turns the training
# data into features, learns a *spec* for each (centre and scale, or levels) and
# encodes them; `forge()` does the same for new data with the known specs. The
# blueprint holds the specs and nothing of the data.

# Mold ----------------------------------------------------------------------

#' @return list(X, group, y, rows, row_names, na_action, blueprint): the encoded
#'   inputs (n x p), the feature of each column, labels -1/+1, the positions of
#'   the rows kept in the data given, their names, what na.action left out.
#' @noRd
mold_formula <- function(formula, data, scale, na.action, call,
                         space = "kernel") {
  scale <- check_flag(scale, "scale", call = call)
  frame <- model_frame(formula, data, call)
  all_rows <- row.names(frame)
  frame <- apply_na_action(frame, na.action, call)
  na_action <- attr(frame, "na.action")
  check_rows(nrow(frame), length(all_rows), call)
  terms <- attr(frame, "terms")
  outcome <- mold_outcome(
    stats::model.response(frame), rlang::as_label(formula[[2]]), call = call
  )
  features <- formula_features(frame, terms, call)
  blueprint <- list(
    interface = "formula",
    terms = strip_environment(stats::delete.response(terms)),
    formula = strip_environment(stats::formula(terms)),
    variables = input_variables(terms, data),
    response = data_variables(formula[[2]], data)
  )
  molded <- mold_features(features, nrow(frame), scale, blueprint, call, space)
  molded$blueprint$levels <- outcome$levels
  c(molded, list(
    y = outcome$y,
    rows = match(row.names(frame), all_rows),
    row_names = row.names(frame),
    na_action = na_action
  ))
}

#' @noRd
mold_xy <- function(x, y, scale, interface, call, space = "kernel") {
  if (rlang::is_missing(y)) {
    abort_sturdy(
      c(
        "{.arg y} must be given beside {.arg x}.",
        i = "Or use a formula: {.code gpc(class ~ ., data)}."
      ),
      "missing_argument", arg = "y", call = call
    )
  }
  scale <- check_flag(scale, "scale", call = call)
  features <- xy_features(x, call)
  check_rows(nrow(x), nrow(x), call)
  if (is.null(dim(y)) && length(y) != nrow(x)) {
    abort_sturdy(
      "{.arg y} must have one entry for each of the {nrow(x)} row{?s} of
       {.arg x}, not {length(y)}.",
      "length", arg = "y", call = call
    )
  }
  outcome <- mold_outcome(y, call = call)
  blueprint <- list(
    interface = interface,
    named = interface == "data.frame" || !is.null(colnames(x)),
    variables = names(features)
  )
  molded <- mold_features(features, nrow(x), scale, blueprint, call, space)
  molded$blueprint$levels <- outcome$levels
  row_names <- rownames(x)
  c(molded, list(
    y = outcome$y,
    rows = seq_len(nrow(x)),
    row_names = if (is.null(row_names)) as.character(seq_len(nrow(x))) else row_names,
    na_action = NULL
  ))
}

mold_features <- function(features, n, scale, blueprint, call, space) {
  check_features(features, call)
  constant <- vapply(features, is_constant, logical(1)) & n > 1
  if (any(constant)) {
    inform_sturdy(
      c(i = "Constant {qty(sum(constant))}column{?s}
             {.val {names(features)[constant]}} {?is/are} dropped."),
      "constant_columns", columns = names(features)[constant]
    )
  }
  kept <- features[!constant]
  specs <- Map(
    function(v, name) feature_spec(v, name, scale, call), kept, names(kept)
  )
  check_memory(
    n, sum(vapply(specs, spec_width, integer(1))), space, call = call
  )
  blueprint$specs <- specs
  blueprint$columns <- as.character(names(kept))
  blueprint$all_columns <- as.character(names(features))
  blueprint$scale <- scale
  list(
    X = encode_features(kept, specs, n),
    group = rep(seq_along(specs), vapply(specs, spec_width, integer(1))),
    blueprint = structure(blueprint, class = "sturdy_blueprint")
  )
}

check_rows <- function(n, n_all, call) {
  if (n == 0) {
    abort_sturdy(
      c(
        "The training data must have at least one row.",
        i = if (n_all > 0) "All {n_all} row{?s} had missing values."
      ),
      "no_rows", call = call
    )
  }
}

check_features <- function(features, call) {
  for (name in names(features)) {
    v <- features[[name]]
    rows <- which(is.na(v))
    if (length(rows)) {
      abort_sturdy(
        c(
          "The inputs must not have missing values.",
          x = "Column {.val {name}}: missing in {qty(length(rows))}row{?s}
               {few(rows)}."
        ),
        "missing", column = name, rows = rows, call = call
      )
    }
    check_finite(v, name, call)
  }
}

check_finite <- function(v, name, call) {
  rows <- which(is.infinite(v))
  if (length(rows)) {
    abort_sturdy(
      c(
        "The inputs must be finite.",
        x = "Column {.val {name}}: infinite in {qty(length(rows))}row{?s}
             {few(rows)}."
      ),
      "not_finite", column = name, rows = rows, call = call
    )
  }
}

# Features ------------------------------------------------------------------

feature_kind <- function(v) {
  if (is.factor(v) || is.character(v)) {
    return("factor")
  }
  if (is.logical(v)) {
    return("logical")
  }
  if (is.numeric(v)) "numeric" else "other"
}

is_constant <- function(v) {
  if (is.factor(v)) {
    v <- as.integer(v)
  }
  length(unique(v)) <= 1
}

#' The features of a data frame or matrix
#' @noRd
xy_features <- function(x, call) {
  if (is.matrix(x)) {
    if (!is.numeric(x) && !is.logical(x)) {
      abort_sturdy(
        c(
          "{.arg x} must be a numeric matrix, not {describe(x)}.",
          i = "Use a data frame for columns of different types."
        ),
        "type", arg = "x", call = call
      )
    }
    storage.mode(x) <- "double"
    colnames(x) <- column_names(x)
  }
  x <- as.data.frame(x, optional = TRUE)
  if (anyDuplicated(names(x))) {
    twice <- unique(names(x)[duplicated(names(x))])
    abort_sturdy(
      "The columns of {.arg x} must have different names; {.val {twice}}
       {?occurs/occur} more than once.",
      "column_names", arg = "x", call = call
    )
  }
  features <- as.list(x)
  for (name in names(features)) {
    check_feature_type(features[[name]], name, call)
  }
  features
}

column_names <- function(x) {
  if (!is.null(colnames(x))) {
    return(colnames(x))
  }
  paste0("x", seq_len(ncol(x)), recycle0 = TRUE)
}

check_feature_type <- function(v, name, call) {
  if (feature_kind(v) == "other" || !is.null(dim(v))) {
    abort_sturdy(
      c(
        "Column {.val {name}} must be numeric, factor, character or logical,
         not {describe(v)}.",
        i = if (inherits(v, c("Date", "POSIXt", "difftime")))
          "Dates and times can be turned into numbers by {.fn as.numeric}."
      ),
      "column_type", column = name, call = call
    )
  }
}

#' The features of a model frame, one or more a term
#'
#' A numeric variable is a feature, a matrix one a feature a column, a product of
#' numeric variables the features `model.matrix()` makes of it. Contrasts are not
#' used: a factor is one feature, all levels alike.
#' @noRd
formula_features <- function(frame, terms, call) {
  factors <- attr(terms, "factors")
  if (length(factors) == 0) {
    return(list())
  }
  features <- lapply(seq_len(ncol(factors)), function(j) {
    # by position: rownames(factors) have backticks where names(frame) have none
    values <- as.list(frame)[factors[, j] > 0]
    variables <- names(values)
    if (length(variables) == 1) {
      main_effect(values[[1]], variables, call)
    } else {
      numeric_product(values, variables, colnames(factors)[j], call)
    }
  })
  unlist(features, recursive = FALSE)
}

main_effect <- function(v, name, call) {
  if (is.matrix(v) && is.numeric(v)) {
    columns <- if (is.null(colnames(v))) seq_len(ncol(v)) else colnames(v)
    v <- lapply(seq_len(ncol(v)), function(k) as.vector(v[, k]))
    return(stats::setNames(v, paste0(name, columns)))
  }
  check_feature_type(v, name, call)
  stats::setNames(list(v), name)
}

numeric_product <- function(values, variables, term, call) {
  if (!all(vapply(values, is.numeric, logical(1)))) {
    abort_sturdy(
      c(
        "An interaction must be between numeric variables, not {.code {term}}.",
        i = "In {.fn gpc} and {.fn stc} the kernel lets all inputs interact.",
        i = "To let every combination of two factors count as a level, use
             {.code interaction(a, b)}."
      ),
      "interaction", term = term, call = call
    )
  }
  parts <- Map(function(v, name) main_effect(v, name, call), values, variables)
  product <- function(a, b) {
    pairs <- expand.grid(i = seq_along(a), j = seq_along(b))
    stats::setNames(
      Map(function(i, j) a[[i]] * b[[j]], pairs$i, pairs$j),
      paste(names(a)[pairs$i], names(b)[pairs$j], sep = ":")
    )
  }
  Reduce(product, parts)
}

# Specs ---------------------------------------------------------------------

#' What is learned of a feature: levels, or centre and scale
#' @noRd
feature_spec <- function(v, name, scale, call) {
  kind <- feature_kind(v)
  if (kind != "numeric") {
    levels <- if (is.factor(v)) levels(v) else sort(unique(as.character(v)))
    return(list(kind = kind, levels = levels[levels %in% as.character(v)]))
  }
  if (!scale) {
    return(list(kind = kind, center = 0, scale = 1))
  }
  v <- as.double(v)
  spread <- if (length(v) > 1) stats::sd(v) else 1
  if (!is.finite(spread) || spread == 0) {
    abort_sturdy(
      "Column {.val {name}} must have a spread that can be computed, but its
       standard deviation is {spread}.",
      "not_finite", column = name, call = call
    )
  }
  list(kind = kind, center = mean(v), scale = spread)
}

spec_width <- function(spec) {
  if (spec$kind == "numeric") 1L else length(spec$levels)
}

#' Features as columns: numeric ones centred and scaled; the others one
#' indicator a level times sqrt(1/2), whose squared differences sum to the 0/1
#' mismatch of the kernel
#' @noRd
encode_features <- function(features, specs, n) {
  columns <- Map(encode_feature, features, specs, names(specs))
  X <- do.call(cbind, unname(columns))
  if (is.null(X)) matrix(0, n, 0) else X
}

encode_feature <- function(v, spec, name) {
  if (spec$kind == "numeric") {
    X <- matrix((as.double(v) - spec$center) / spec$scale, ncol = 1)
    colnames(X) <- name
    return(X)
  }
  code <- match(as.character(v), spec$levels)
  X <- outer(code, seq_along(spec$levels), `==`) * sqrt(1 / 2)
  colnames(X) <- paste0(name, spec$levels)
  X
}
