# Columns that say what others say: copies of them, and sums.

summed_most <- 400L # columns: of more a decomposition takes long

#' Which features are copies of others, or sums; a message names them
#'
#' The later one of them is left out. Sums are looked for among numbers of more than two values, where
#' there are rows enough and not too many columns: of indicators, whose sum is 1, a kernel needs all.
#' @param features n values each.
#' @return logical, one a feature
#' @noRd
copied_features <- function(features, n) {
  number <- vapply(features, function(v) {
    feature_kind(v) == "numeric" && length(unique(v)) > 2
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
