# The order in which the rows are taken, so that results do not depend on how a table
# is sorted.

#' The order in which EP takes the rows
#'
#' A function of the rows and not of how they are arranged, and so is then the fixed
#' point that EP ends at, and what is learned. Sorted, the rows are taken at steps of the
#' golden ratio, so that any block of them, and the first k, are spread over all.
#'
#' @param keys vectors, one entry a row, to sort by.
#' @noRd
row_order <- function(keys) in_golden_steps(radix_order(keys))

radix_order <- function(keys) do.call(order, c(keys, list(method = "radix")))

#' Sorted positions, taken at steps of the golden ratio
#' @noRd
in_golden_steps <- function(sorted) sorted[order(golden_share(seq_along(sorted)))]

#' Steps of the golden ratio, which spread over [0, 1) however many there are
#' @noRd
golden_share <- function(step) (step * (sqrt(5) - 1) / 2) %% 1

#' At most k rows that stand for all of a table, the same ones however it is sorted
#' @noRd
rows_for_all <- function(X, k) {
  if (nrow(X) <= k) seq_len(nrow(X)) else sort(utils::head(table_order(X), k))
}

#' The order in which the rows of a table are taken: see row_order() and table_sorted()
#' @noRd
table_order <- function(X, y = NULL, across = FALSE) in_golden_steps(table_sorted(X, y, across))

#' The rows of a table sorted
#'
#' Where its first columns, in cells, tell all of them apart, as they nearly always do of measurements, the others are
#' not looked at.
#' @param across whether the rows are the columns of X.
#' @noRd
table_sorted <- function(X, y = NULL, across = FALSE) {
  if (dim(X)[2 - across] > order_first) {
    first <- lapply(seq_len(order_first), function(j) in_cells(if (across) X[j, ] else X[, j]))
    sorted <- radix_order(first)
    differ <- Reduce(`|`, lapply(first, function(v) diff(v[sorted]) != 0)) # from the row before
    if (all(differ)) return(sorted)
  }
  radix_order(table_keys(if (across) t(X) else X, y))
}
order_first <- 4L # one may be an intercept

#' What the rows of a table are sorted by: rounding alone, in any column, does not decide their order
#' before all else does
#' @noRd
table_keys <- function(X, y = NULL) {
  columns <- lapply(seq_len(ncol(X)), function(j) X[, j])
  c(lapply(columns, in_cells), list(y)[!is.null(y)], columns)
}

#' Numbers as those of equal cells of their range, so that rounding makes no difference
#' @noRd
in_cells <- function(v, cells = 1e6) {
  width <- if (length(v)) diff(range(v)) else 0
  # what is at even steps is off the ends of cells
  if (width > 0 && is.finite(width)) round((v - min(v)) / width * cells * sqrt(3) / 2) else v
}

#' Encoded rows as columns, their offsets among them
#' @noRd
columns_apart <- function(X) {
  c(lapply(seq_len(ncol(X)), function(j) X[, j]), if (!is.null(row_offset(X))) list(row_offset(X)))
}

#' A number for each row, the same for rows that are alike in all columns, but for rounding
#'
#' Two rounds, but for equal values: in the first, rows that differ in a later column may lie between two and join
#' them.
#' @param width of values that are one, as a share of the range of their column.
#' @noRd
alike_groups <- function(columns, width) {
  n <- length(columns[[1]])
  group <- rep(1, n)
  open <- seq_len(n) # rows whose group has others
  for (v in c(columns, if (width > 0) columns)) {
    if (length(open) < 2) break
    most <- width * diff(range(v))
    open <- open[order(group[open], v[open])]
    sorted <- v[open]
    first <- c(TRUE, diff(group[open]) > 0 | diff(sorted) > most)
    # a chain of neighbours may lead far: away from its first only equal values are alike
    first <- first | sorted - sorted[first][cumsum(first)] > most & c(TRUE, diff(sorted) > 0)
    group[open] <- cumsum(first) + max(group)
    open <- open[!(first & c(first[-1], TRUE))]
  }
  if (length(open)) match(group, unique(group)) else seq_len(n)
}

#' The same for rows whose values are equal, be they numbers or not
#' @noRd
row_groups <- function(columns) {
  number <- function(v) if (is.double(v) && all(is.finite(v))) v else match(v, unique(v))
  alike_groups(lapply(columns, number), 0)
}

#' The order in which classes have coordinates where several are integrated over, so that results do
#' not depend on that of the levels: those with most labels first
#' @param code labels, 1..C. @param times how many each stands for. @param then of each class, what
#'   is largest first among those with as many.
#' @noRd
class_turn <- function(code, classes, times, then) {
  count <- tapply(times, factor(code, seq_len(classes)), sum, default = 0)
  order(-signif(count, 12), -then)
}
