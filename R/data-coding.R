# Codings of features: what is learned of a feature from the training data, and how values become
# columns of numbers and numbers values.

#' What is learned of a feature: levels, or centre and scale
#' @noRd
feature_coding <- function(v, name, scale) {
  kind <- feature_kind(v)
  if (kind == "numeric") {
    return(scale_coding(as.double(v), name, scale, time_of(v)))
  }
  levels <- if (is.factor(v)) levels(droplevels(v)) else text_levels(as.character(v))
  count <- tabulate(match(as.character(v), levels), length(levels))
  list(kind = kind, levels = levels, contrasts = contrasts_of(v), spread = count_spread(count))
}

#' The centre and scale of numbers: x is (v - mean) / sd, or v itself
#' @noRd
scale_coding <- function(v, name, scale, time) {
  if (!scale) {
    check_entries(
      abs(v) > input_most, "be at most {input_most} in size", "larger", "not_finite", name
    )
    return(number_coding(0, 1, time))
  }
  spread <- if (length(v) > 1) stats::sd(v) else 1
  unit <- max(abs(v))
  if ((!is.finite(spread) || spread == 0) && unit < 1e300) { # its square is beyond doubles
    spread <- stats::sd(v / unit) * unit
  }
  must(
    is.finite(spread) && spread > 0, NULL, "be finite and above 0, not {spread}", "not_finite",
    of = "The standard deviation of column {.val {name}}", column = name
  )
  # the last digits depend on the order of the rows, and so would the fit
  number_coding(signif(mean(v), 13), signif(spread, 13), time)
}

#' The coding of numbers: x is (v - center) / scale; and of times, what makes them of numbers
#' @noRd
number_coding <- function(center, scale, time = NULL) {
  c(list(kind = "numeric", center = center, scale = scale), list(time = time)[!is.null(time)])
}

#' The contrasts that a regression on a column would have: its own, or those of the session
#' @noRd
contrasts_of <- function(v) {
  own <- attr(v, "contrasts")
  usual <- getOption("contrasts")
  if (!is.null(own) || length(usual) < 2) own else usual[[1 + is.ordered(v)]]
}

#' The probability that two rows differ in a factor whose levels are counted
#' @noRd
count_spread <- function(count) 1 - sum((count / sum(count))^2)

#' The feature of each encoded column, and the weight of its squared differences: 1/2
#' for indicators, two of which differ where two rows are of different levels [M 6.3]
#' @return list(group, weight), an entry a column each.
#' @noRd
blueprint_columns <- function(blueprint) {
  widths <- lengths(coding_names(blueprint$coding))
  numeric <- vapply(blueprint$coding, function(c) c$kind == "numeric", logical(1))
  list(
    group = rep(seq_along(widths), widths),
    weight = rep(ifelse(unname(numeric), 1, 1 / 2), widths)
  )
}

#' Features as columns: numeric ones centred and scaled, the others one 0/1 indicator a
#' level
#' @noRd
encode_features <- function(features, coding, n) {
  columns <- .mapply(encode_feature, list(features, coding), NULL)
  names <- as.character(unlist(coding_names(coding)))
  X <- do.call(cbind, c(list(matrix(0, n, 0)), columns))
  dimnames(X) <- list(NULL, names)
  X
}

#' Names of the columns of each feature; a number has no levels
#' @noRd
coding_names <- function(coding) {
  .mapply(function(coding, name) paste0(name, coding$levels), list(coding, names(coding)), NULL)
}

#' What the indicators of k levels all are where a row has another level
#'
#' It differs from all of them by as much as they do from each other. The squared distance of the
#' indicators of two levels is 2, and so is that of (c, ..., c) to those of each of k levels,
#' (1 - c)^2 + (k - 1) c^2, with this c.
#' @noRd
novel_indicator <- function(k) (1 + sqrt(1 + k)) / k

#' The columns of one feature
#' @noRd
encode_feature <- function(v, coding) {
  if (coding$kind == "numeric") {
    if (inherits(v, "difftime") && !is.null(coding$time)) units(v) <- units(coding$time)
    return((as.double(v) - coding$center) / coding$scale)
  }
  code <- match(as.character(v), coding$levels)
  X <- outer(code, seq_along(coding$levels), `==`) * 1
  X[is.na(code) & !is.na(v), ] <- novel_indicator(ncol(X))
  X
}

#' New features, encoded
#' @param novel whether levels that training did not have are allowed, and how they count: `FALSE`,
#'   `TRUE` or "weight". @param where they are, if not in the argument `arg`.
#' @noRd
forge_features <- function(blueprint, features, n, novel, arg = NULL, where = "{.arg {arg}}") {
  features <- features[blueprint$columns]
  for (name in blueprint$columns) {
    v <- features[[name]]
    coding <- blueprint$coding[[name]]
    check_new_kind(v, name, coding, arg)
    if (coding$kind == "numeric") {
      check_finite(v, name)
    } else {
      check_new_levels(v, name, coding$levels, novel, arg, where)
    }
  }
  encode_features(features, blueprint$coding, n)
}

#' A new column is of the kind that it was in training; where all of it is missing, of any
#' @noRd
check_new_kind <- function(v, name, coding, arg) {
  kind <- if (is.null(dim(v))) feature_kind(v) else "other"
  as_before <- kind == coding$kind && identical(class(time_of(v)), class(coding$time))
  known <- if (!is.null(coding$time)) {
    with_article(class(coding$time)[1])
  } else if (coding$kind == "factor") "text or a factor" else coding$kind
  must(
    as_before || kind %in% c("logical", coding$kind) && all(is.na(v)), arg,
    "be {known}, as in training", "column_type", got = v,
    of = "Column {.val {name}} of {.arg {arg}}", column = name
  )
}

#' Levels that training did not have: an error, or a message about how they count
#' @param novel,where see forge_features().
#' @noRd
check_new_levels <- function(v, name, levels, novel, arg, where) {
  new <- setdiff(unique(as.character(v)), c(levels, NA))
  must(
    !length(new) || !isFALSE(novel), arg, "have levels that occurred in training", "novel_levels",
    more = c(x = "New: {.val {few(new)}}.", i = "Known: {.val {few(levels)}}."),
    of = "Column {.val {name}} of {.arg {arg}}", column = name, levels = new,
    rows = which(as.character(v) %in% new)
  )
  taken <- if (identical(novel, "weight")) {
    "{?its weight is/their weights are} as under the prior"
  } else {
    "{?it differs/they differ} from every known level"
  }
  inform_these(
    "novel_levels",
    c(i = paste0(
      "Column {.val {name}} of ", where, " has {qty(length(these))}{?a level/levels} that did not occur in training:
       {.val {few(these)}}. Nothing is known of {?it/them}: ", taken, "."
    )),
    levels = new, column = name
  )
}

#' Encoded inputs as features again, a data frame
#' @noRd
decode_features <- function(X, blueprint) {
  group <- blueprint_columns(blueprint)$group
  features <- lapply(seq_along(blueprint$coding), function(j) {
    decode_feature(unname(X[, group == j, drop = FALSE]), blueprint$coding[[j]])
  })
  names(features) <- blueprint$columns
  as.data.frame(features, optional = TRUE, row.names = seq_len(nrow(X)))
}

#' A feature of its encoded columns
#' @noRd
decode_feature <- function(columns, coding) {
  if (coding$kind == "numeric") {
    value <- columns[, 1] * coding$scale + coding$center
    # the last digits go, so that a day is a day
    return(if (is.null(coding$time)) value else as_time(signif(value, 12), coding$time))
  }
  level <- coding$levels[max.col(columns, "first")]
  if (coding$kind == "logical") as.logical(level) else factor(level, coding$levels)
}

unit_columns <- 20L # rows of fewer may be of unit length for other reasons

#' Are the numeric inputs of each row a vector of length 1, as embeddings often are?
#'
#' Rows of zeros don't count. Where a constant column was dropped all rows are a little shorter, by
#' the same. Whole numbers are indicators, and no embedding.
#' @param X encoded inputs.
#' @noRd
are_unit_rows <- function(X, blueprint) {
  numeric <- vapply(blueprint$coding, function(coding) coding$kind == "numeric", NA)
  if (sum(numeric) < unit_columns || nrow(X) == 0) {
    return(FALSE)
  }
  given <- do.call(cbind, lapply(decode_features(X, blueprint)[numeric], as.double))
  size <- rowSums(given^2)
  size <- size[size > 0]
  length(size) > 0 && max(size) < 1.01 && min(size) > 0.98 * max(size) &&
    any(abs(given - round(given)) > 1e-6)
}

# What numbers must be ------------------------------------------------------------------

check_finite <- function(v, name) {
  check_entries(is.infinite(v), "be finite", "infinite", "not_finite", name)
}

# Sums of squares of coded numbers must not overflow
input_most <- 1e152  # of numbers in training
input_reach <- 1e100 # of new ones; what is larger counts as this

#' Coded new rows no further away than the reach: from there on a prediction is what it is at infinity
#' @noRd
within_reach <- function(X) {
  far <- which(abs(X) > input_reach)
  X[far] <- sign(X[far]) * input_reach
  X
}

#' An error that names a column of the inputs and the rows that are bad
#' @param bad logical, one a row. @param what they have, in words.
#' @noRd
check_entries <- function(bad, words, what, class, name, ...) {
  rows <- which(bad)
  must(
    !length(rows), NULL, words, class,
    more = c(x = "Column {.val {name}}: {what} in {qty(length(rows))}row{?s} {few(rows)}.", ...),
    of = "The inputs", column = name, rows = rows
  )
}
