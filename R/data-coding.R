# Codings of features: what is learned of one from the training data, and its columns as numbers,
# forth and back.

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
  matrix(as.double(unlist(columns)), n, length(names), dimnames = list(NULL, names))
}

#' Names of the columns of each feature; a number has no levels
#' @noRd
coding_names <- function(coding) {
  .mapply(function(coding, name) paste0(name, coding$levels), list(coding, names(coding)), NULL)
}

#' A level that training did not have differs from all of those by as much as they do
#' from each other: the squared distance of its row of indicators to theirs is 2
#' @noRd
encode_feature <- function(v, coding) {
  if (coding$kind == "numeric") {
    if (inherits(v, "difftime") && !is.null(coding$time)) units(v) <- units(coding$time)
    return((as.double(v) - coding$center) / coding$scale)
  }
  code <- match(as.character(v), coding$levels)
  k <- length(coding$levels)
  X <- outer(code, seq_len(k), `==`) * 1
  X[is.na(code) & !is.na(v), ] <- (1 + sqrt(1 + k)) / k
  X
}

#' New features, encoded
#' @param where they are, if not in the argument `arg`.
#' @noRd
forge_features <- function(blueprint, features, n, novel, arg = NULL, where = "{.arg {arg}}") {
  features <- features[blueprint$columns]
  for (name in blueprint$columns) {
    check_new_feature(features[[name]], name, blueprint$coding[[name]], novel, arg, where)
  }
  encode_features(features, blueprint$coding, n)
}

check_new_feature <- function(v, name, coding, novel_allowed, arg, where) {
  kind <- if (is.null(dim(v))) feature_kind(v) else "other"
  # a column of NA is logical whatever it stands for
  if (kind == "logical" && all(is.na(v))) {
    kind <- coding$kind
  }
  column <- "Column {.val {name}} of {.arg {arg}}"
  known <- if (!is.null(coding$time)) {
    with_article(class(coding$time)[1])
  } else if (coding$kind == "factor") "text or a factor" else coding$kind
  must(
    kind == coding$kind && (all(is.na(v)) || identical(class(time_of(v)), class(coding$time))), arg,
    "be {known}, as in training",
    "column_type", got = v, of = column, column = name
  )
  if (kind == "numeric") {
    return(check_finite(v, name))
  }
  novel <- setdiff(unique(as.character(v)), c(coding$levels, NA))
  must(
    !length(novel) || !isFALSE(novel_allowed), arg, "have levels that occurred in training",
    "novel_levels",
    more = c(x = "New: {.val {few(novel)}}.", i = "Known: {.val {few(coding$levels)}}."),
    of = column, column = name, levels = novel, rows = which(as.character(v) %in% novel)
  )
  taken <- if (identical(novel_allowed, "weight")) {
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
    levels = novel, column = name
  )
}

#' Encoded inputs as features again, a data frame
#' @noRd
decode_features <- function(X, blueprint) {
  group <- blueprint_columns(blueprint)$group
  features <- lapply(seq_along(blueprint$coding), function(j) {
    coding <- blueprint$coding[[j]]
    mine <- unname(X[, group == j, drop = FALSE])
    if (coding$kind == "numeric") {
      value <- mine[, 1] * coding$scale + coding$center
      return(if (is.null(coding$time)) value else as_time(signif(value, 12), coding$time)) # a day is a day
    }
    value <- coding$levels[max.col(mine, "first")]
    if (coding$kind == "logical") {
      as.logical(value)
    } else {
      factor(value, levels = coding$levels)
    }
  })
  names(features) <- blueprint$columns
  as.data.frame(features, optional = TRUE, row.names = seq_len(nrow(X)))
}

unit_columns <- 20L # rows of fewer may be of unit length for other reasons

#' Are the numeric inputs of each row of length 1 together, as embeddings often come?
#'
#' But for rows of zeros, and for a constant column, which was dropped: then all are as short. Whole
#' numbers are indicators.
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

# A coded number and sums of squares of such must be doubles: so large may they be in training, and
# taken to be in new rows
input_most <- 1e152
input_reach <- 1e100

#' Coded new rows no further away than the reach: from there on a prediction is what it is at infinity
#' @noRd
within_reach <- function(X) {
  far <- which(abs(X) > input_reach)
  X[far] <- sign(X[far]) * input_reach
  X
}

check_entries <- function(bad, words, what, class, name, ...) {
  rows <- which(bad)
  must(
    !length(rows), NULL, words, class,
    more = c(x = "Column {.val {name}}: {what} in {qty(length(rows))}row{?s} {few(rows)}.", ...),
    of = "The inputs", column = name, rows = rows
  )
}
