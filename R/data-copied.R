# Columns that are left out, as they say nothing of their own: constant ones, names and numbers of the
# rows, copies of other columns, and sums of them.

summed_most <- 400L # columns: of more a decomposition takes long
unlike_least <- 10L # rows: columns of fewer are not looked at

#' Which features say nothing of their own; a message names those of each kind
#' @param features n values each, or a few that show what there are.
#' @return logical, one a feature
#' @noRd
are_useless <- function(features, n) {
  constant <- n > 1 & vapply(features, has_few_values, NA, 1)
  inform_these(
    "constant_columns",
    c(i = "Constant {qty(length(these))}column{?s} {.val {these}} {?is/are} dropped."),
    columns = names(which(constant))
  )
  if (n <= unlike_least) {
    return(constant)
  }
  # all rows are equally unlike each other; a single input is one on purpose
  unlike <- !constant & vapply(seq_along(features), function(j) {
    v <- features[[j]]
    names_rows(v, n, names(features)[j]) &&
      (length(features) > 1 || !anyDuplicated(v) && feature_kind(v) == "factor")
  }, NA)
  inform_these(
    "likely_id",
    c(i = "{qty(length(these))}Column{?s} {.val {these}} {?names or numbers/name or number} the rows, as
           identifiers do, and {?is/are} left out."),
    columns = names(features)[which(unlike)]
  )
  useless <- constant | unlike
  if (all(lengths(features) == n)) useless[!useless] <- copied_features(features[!useless], n)
  useless
}

#' Which features are copies of others, or sums; a message names them
#'
#' The later one of them is left out. Sums are looked for among numbers of more than two values, where
#' there are rows enough and not too many columns: of indicators, whose sum is 1, a kernel needs all.
#' @param features n values each.
#' @return logical, one a feature
#' @noRd
copied_features <- function(features, n) {
  number <- vapply(features, function(v) {
    feature_kind(v) == "numeric" && !has_few_values(v, 2)
  }, NA)
  code <- function(v) match(v, unique(v))
  copied <- number
  copied[!number] <- duplicated(lapply(features[!number], code))
  copied[number] <- dependent(lapply(features[number], as.double), n)
  inform_these(
    "collinear",
    c(i = "{qty(length(these))}Column{?s} {.val {these}} {?says/say} what other columns say (a copy, a sum), and {?is/are} left out."),
    columns = names(features)[copied]
  )
  copied
}

#' Which columns are linear in those before them, in some rows first
#' @noRd
dependent <- function(columns, n) {
  p <- length(columns)
  if (p < 2 || n <= 2 * p || p > summed_most) {
    return(duplicated(columns))
  }
  for (rows in list(spread_over(n, 4 * p + 100), seq_len(n))) {
    X <- vapply(columns, function(v) {
      v <- v[rows] / max(abs(v)) # squares are doubles
      c(scale(v, scale = FALSE)) / max(stats::sd(v), 1e-300)
    }, numeric(length(rows)))
    found <- qr(X, tol = 1e-9)
    if (found$rank == p) {
      return(logical(p))
    }
  }
  seq_len(p) %in% found$pivot[-seq_len(found$rank)]
}
