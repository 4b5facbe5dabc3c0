# What is known of labels: a table of reports. A report says what a source recorded of a
# row; given the true class t of the row the reports on it are independent, and source s
# reports v with probability omega[s, t, v]. Source 0 is right for certain. [M 13.1]

#' A table of reports
#'
#' @param n rows. @param classes their number, C. @param row,source,value of each report: the
#'   row, 1..n; the source, 0..S; the class reported, 1..C. A row may have none.
#' @param sources names of the S sources. @param readers whether they are readers, several of whom
#'   may have labelled a row: see readers(). @param soft of reports that are probabilities of the
#'   classes these, `NA` of others, a row a report.
#' @return list(n, classes, sources, row, source, value), and `readers` and `soft` where they are; with
#'   `together` where readers share errors, see shared_errors()
#' @noRd
new_reports <- function(n, classes, row, source, value, sources = "label", readers = FALSE,
                        soft = NULL) {
  reports <- list(
    n = as.integer(n), classes = as.integer(classes), sources = as.character(sources),
    row = as.integer(row), source = as.integer(source), value = as.integer(value)
  )
  if (isTRUE(readers)) reports$readers <- TRUE
  reports$soft <- soft
  reports
}

#' Rows that stand for several alike
#' @param times of each row, above 0, or `NULL`: once each.
#' @noRd
with_times <- function(reports, times) {
  if (length(times)) reports$times <- as.double(times)
  reports
}

#' How many rows each stands for
#' @noRd
report_times <- function(reports) {
  if (is.null(reports$times)) rep(1, max(0L, reports$n)) else reports$times
}

#' Are labels probabilities?
#' @noRd
has_soft <- function(reports) !is.null(reports$soft)

#' Is it a table of reports on n rows of so many classes?
#' @noRd
is_reports <- function(reports, n, classes) {
  columns <- reports[c("row", "source", "value")]
  size <- length(reports$row)
  whole <- all(vapply(columns, is.integer, NA)) && all(lengths(columns) == size) && !anyNA(columns, recursive = TRUE)
  places <- whole && are_places(reports$row, n) && are_places(reports$value, classes) &&
    are_places(reports$source + 1L, length(reports$sources) + 1L)
  times <- reports$times
  soft <- reports$soft
  identical(reports[c("n", "classes")], list(n = n, classes = classes)) && are_strings(reports$sources) && places &&
    (is.null(times) || are_numbers(times, n, above = 0)) &&
    (is.null(soft) || identical(dim(soft), c(size, classes)) && are_numbers(soft[!is.na(soft)]))
}

#' Has each row one report, in the order of the rows? Then tables of a million rows need no sorting.
#' @noRd
report_one_each <- function(reports) identical(reports$row, seq_len(reports$n))

#' One report of each label, by the source of its row (0: right for certain)
#' @param code classes 1..C.
#' @noRd
label_reports <- function(code, classes, source = 1L, sources = "label") {
  n <- length(code)
  new_reports(n, classes, seq_len(n), rep_len(source, n), code, sources)
}

#' The reports on some rows, which are then rows 1..k in this order
#' @noRd
reports_of <- function(reports, rows) {
  at <- if (report_one_each(reports)) {
    seq_len(reports$n)[rows]
  } else {
    split(seq_along(reports$row), factor(reports$row, seq_len(reports$n)))[rows]
  }
  which <- as.integer(unlist(at, use.names = FALSE))
  some <- new_reports(
    length(rows), reports$classes, rep(seq_along(rows), lengths(at)), reports$source[which],
    reports$value[which], reports$sources, reports$readers,
    if (has_soft(reports)) reports$soft[which, , drop = FALSE]
  )
  some$together <- reports$together
  with_times(some, reports$times[rows])
}

#' Some of the rows of a fit, with what is reported of them
#' @noRd
data_of <- function(data, rows) {
  data$X <- data$X[rows, , drop = FALSE]
  data[c("y", "rows", "row_names")] <- lapply(data[c("y", "rows", "row_names")], `[`, rows)
  data["reports"] <- list(reports_of(data$reports, rows))
  data$unlabelled <- NULL
  data
}

#' Labels as classes 1..C, whatever their codes in the data: -1 and +1 are 1 and 2
#' @param data list(y, reports)
#' @noRd
label_code <- function(data) as.integer(class_numbers(data$y, data$reports$classes))

#' Which rows have a report that is right for certain
#' @noRd
report_known <- function(reports) seq_len(reports$n) %in% reports$row[reports$source == 0L]

#' Is there anything known beside a label of each row by one source?
#' @noRd
report_beside <- function(reports) {
  length(reports$sources) > 1 || any(reports$source == 0L) || has_soft(reports)
}

#' The true classes of rows of which a report that is right for certain has shown another to be
#' wrong
#' @noRd
report_misread <- function(reports) sort(unique(certain_class(reports)[report_corrected(reports)]))

#' Which reports another one, right for certain, has shown to be wrong
#' @noRd
report_corrected <- function(reports) which(reports$value != certain_class(reports))

#' The class of the row of each report where it is known for certain, otherwise `NA`
#' @noRd
certain_class <- function(reports) {
  certain <- reports$source == 0L
  reports$value[certain][match(reports$row, reports$row[certain])]
}

#' Rows of which the same is reported, as one
#' @return list(reports, of one row of each kind; kind of each row, 1, 2, ..)
#' @noRd
report_kinds <- function(reports) {
  kind <- reports$source * reports$classes + reports$value
  if (!report_one_each(reports)) {
    order <- order(reports$row, kind)
    said <- split(kind[order], factor(reports$row[order], seq_len(reports$n)))
    kind <- vapply(said, paste, "", collapse = " ")
  }
  if (has_soft(reports)) kind <- paste(kind, seq_along(kind)) # each is of its own
  first <- which(!duplicated(kind))
  some <- reports_of(reports, first)
  some$times <- NULL
  list(reports = some, kind = match(kind, kind[first]))
}

#' How many labels each source gave of rows whose class is not known
#' @noRd
source_counts <- function(reports) {
  counts <- numeric(max(1L, length(reports$sources)))
  if (is.null(reports)) {
    return(counts)
  }
  open <- !report_known(reports)[reports$row]
  by_source <- rowsum(report_times(reports)[reports$row[open]], reports$source[open])
  replace(counts, as.integer(rownames(by_source)), by_source)
}

#' Shares of the sources among these labels; of a fit without rows, and where all are known, equal
#' ones
#' @noRd
source_sizes <- function(reports) shares(source_counts(reports))

#' The source of the label of each row, 0 where the label is right for certain
#' @noRd
label_source <- function(reports) {
  if (is.null(reports)) {
    return(integer())
  }
  source <- reports$source[match(seq_len(reports$n), reports$row)]
  replace(source, report_known(reports), 0L)
}
