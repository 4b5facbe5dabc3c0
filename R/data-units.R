# Rows of one unit (the visits of a patient, the crops of an image) share a label, and the error of it. Without
# knowing, a fit explains the labels of a unit by each other. A unit is one row, with the means of its rows: its
# label and its latent value are one, and what is said of it without its own label is said without all of it [M 16.11].

#' Molded rows as units
#' @param units of each row of the data given, or `NULL`. @param name what they are called.
#' @return `molded`, its data a row a unit, with `units`: list(name; rows, row_names: those of each row; of: its
#'   unit). As it was where each row is a unit of its own.
#' @noRd
with_units <- function(molded, units, name = "unit") {
  data <- molded$data
  unit <- if (!is.null(units)) check_units(units, data)
  if (!anyDuplicated(unit)) {
    return(molded)
  }
  of <- match(unit, unique(unit))
  first <- which(!duplicated(of))
  if (are_unit_rows(data$X, molded$blueprint)) molded$blueprint$sphere <- TRUE # means are shorter
  data$X <- unit_rows(data$X, of, !is.null(molded$blueprint$floor))
  data$units <- list(name = name, rows = data$rows, row_names = data$row_names, of = of)
  data$row_names <- id_text(unit[first])
  check_units_share(data, data$y, "y", "The label", "Labels of single rows are judged without {.arg units}.")
  data[c("y", "rows")] <- lapply(data[c("y", "rows")], `[`, first)
  molded$data <- data
  molded
}

#' The unit of each row, or an error
#' @noRd
check_units <- function(units, data) {
  refuse(
    !is.null(data$said), "{.arg units} can't be used with {.fn readers}, nor with probabilities in the place of
     labels: each unit has one label.", c("units", "readers"), arg = "units"
  )
  one_for_each(units, data, "units", "the unit", "~ patient")
}

#' All rows of a unit must have the same value
#' @param value of each row in the fit where `arg` is "y", else of the data given.
#' @noRd
check_units_share <- function(data, value, arg, of = "{.arg {arg}}", hint = NULL) {
  at <- data$units
  if (is.null(at)) {
    return(invisible())
  }
  if (arg != "y") value <- value[at$rows]
  differ <- data$row_names[unique(at$of[(value != value[match(at$of, at$of)]) %in% TRUE])]
  must(
    !length(differ), arg, "be the same in all rows of a unit", "units", of = of,
    more = c(x = "Different ones in {qty(length(differ))}unit{?s} {.val {few(differ)}}.", i = hint), units = differ
  )
}

#' Means of rows by unit; of scores those of their logs
#' @noRd
unit_rows <- function(X, of, scores) {
  plain <- plain_rows(X)
  mean <- function(v) rowsum(v, of) / tabulate(of)
  means <- mean(if (scores) log(plain) else plain)
  if (scores) {
    means <- exp(means - row_max(means))
    means <- means / rowSums(means)
  }
  rownames(means) <- NULL
  offset <- row_offset(X)
  with_offset(means, if (!is.null(offset)) mean(offset))
}

#' Which row of a fit is that at a position in the data given: of units, that of its unit
#' @noRd
fit_place <- function(data, rows) {
  if (is.null(data$units)) match(rows, data$rows) else data$units$of[match(rows, data$units$rows)]
}

#' The row of a fit that each row in it is of, as answers for all rows have them
#' @noRd
row_of_each <- function(data) if (is.null(data$units)) seq_along(data$y) else data$units$of

# Without the argument ------------------------------------------------------------------

units_least <- 5L     # values that a column of units has at least, and
units_chance <- 1e-4  # the probability below which it is no chance that each has one label

#' Columns whose values repeat, each with one label throughout, may be units
#' @param table the data as given. @param data molded.
#' @noRd
inform_units <- function(table, molded) {
  data <- molded$data
  if (is.null(table) || length(data$y) <= 10 || !is.null(data$said)) {
    return(invisible())
  }
  inputs <- setdiff(colnames(table), molded$blueprint$response)
  found <- vapply(inputs, function(name) {
    v <- if (is.data.frame(table)) table[[name]] else table[, name]
    is.null(dim(v)) && may_be_units(v[data$rows], data$y)
  }, NA)
  inform_these("units", c(
    i = "All rows with the same {.val {these[1]}} have the same label.",
    i = "If they are of one unit (a patient, an image), {.code units = ~ {these[1]}} says so: else the rows of
         a unit confirm each other, and no label looks wrong."
  ), columns = inputs[found])
}

#' Are there enough values of text or whole numbers, each with more rows of one class than by chance?
#' @noRd
may_be_units <- function(v, y) {
  kind <- feature_kind(v)
  if (anyNA(v) || !(kind == "factor" || kind == "numeric" && is_whole(v))) {
    return(FALSE)
  }
  of <- match(v, unique(v))
  size <- tabulate(of)
  first <- !duplicated(of)
  repeats <- length(size) >= units_least && 2 * length(size) <= length(of)
  if (!repeats || any(y != y[first][of])) {
    return(FALSE)
  }
  share <- tabulate(match(y, unique(y))) / length(y)
  chance <- sum(log(rowSums(outer(size, share, function(m, p) p^m))))
  changes <- sum(diff(y[first][order(v[first])]) != 0) # by size numbers may tell classes apart
  chance < log(units_chance) && (kind == "factor" || 2 * changes > length(size) * (1 - sum(share^2)))
}
