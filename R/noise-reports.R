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

#' Are the sources readers?
#' @noRd
by_readers <- function(reports) isTRUE(reports$readers)

#' Are labels probabilities?
#' @noRd
has_soft <- function(reports) !is.null(reports$soft)

#' Rows whose class is not known and that were reported to be of different classes
#' @noRd
report_disputed <- function(reports) {
  first <- reports$value[match(reports$row, reports$row)]
  setdiff(reports$row[reports$value != first], which(report_known(reports)))
}

#' Is it a table of reports on n rows of so many classes?
#' @noRd
is_reports <- function(reports, n, classes) {
  columns <- reports[c("row", "source", "value")]
  within <- function(values, lower, upper) all(values >= lower & values <= upper)
  identical(reports[c("n", "classes")], list(n = n, classes = classes)) &&
    are_strings(reports$sources) && all(vapply(columns, is.integer, NA)) &&
    length(unique(lengths(columns))) == 1 && !anyNA(unlist(columns)) &&
    within(reports$row, 1, n) && within(reports$source, 0, length(reports$sources)) &&
    within(reports$value, 1, classes) &&
    (is.null(reports$times) || length(reports$times) == n &&
      are_numbers(reports$times, above = 0)) &&
    (is.null(reports$soft) || identical(dim(reports$soft), c(length(reports$row), classes)) &&
      are_numbers(stats::na.omit(c(reports$soft, 0, 0))))
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
label_code <- function(data) {
  as.integer(class_numbers(data$y, data$reports$classes))
}

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
report_misread <- function(reports) {
  sort(unique(certain_class(reports)[report_corrected(reports)]))
}

#' Which reports another one, right for certain, has shown to be wrong
#' @noRd
report_corrected <- function(reports) which(reports$value != certain_class(reports))

#' The class of the row of each report where it is known for certain, otherwise `NA`
#' @noRd
certain_class <- function(reports) {
  certain <- reports$source == 0L
  reports$value[certain][match(reports$row, reports$row[certain])]
}

#' Which reports are the first of their rows, which the second, ...
#' @noRd
report_turns <- function(reports) {
  turn <- rep(1L, length(reports$row))
  if (anyDuplicated(reports$row)) {
    order <- order(reports$row)
    turn[order] <- sequence(rle(reports$row[order])$lengths)
  }
  split(seq_along(turn), turn)
}

#' The cell of each report in a table of probabilities by source and class reported: first
#' those of the source that is right for certain, one a class
#' @noRd
report_cell <- function(reports) {
  sources <- length(reports$sources)
  certain <- reports$source == 0L
  cell <- reports$classes + reports$source + sources * (reports$value - 1L)
  cell[certain] <- reports$value[certain]
  cell
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

#' P(report | true class), a row a report and a column a class, to the power of how much it counts
#'
#' Soft reports are what they are whatever omega is. What omega calls impossible of a row whose class is certain is left out: a rate of 0 that
#' a check has disproved is its user's word.
#' @return the matrix, with the attribute `left_out` (logical, a report each).
#' @noRd
report_factors <- function(reports, omega) {
  classes <- reports$classes
  by_cell <- rbind(diag(classes), matrix(aperm(omega, c(1, 3, 2)), ncol = classes))
  factors <- by_cell[report_cell(reports), , drop = FALSE]
  if (has_soft(reports)) {
    soft <- !is.na(reports$soft[, 1])
    factors[soft, ] <- reports$soft[soft, ]
  }
  class <- certain_class(reports)
  left_out <- reports$source > 0L & factors[cbind(seq_along(class), class)] %in% 0
  factors[left_out, ] <- 1
  if (!is.null(reports$together)) factors <- factors^report_counted(reports)
  structure(factors, left_out = left_out)
}

#' The likelihood of each true class: the product of P(report | true class) over a row's
#' reports [M 13.1]
#'
#' @param omega S x C x C.
#' @return n x C; all 1 in a row without reports.
#' @noRd
report_likelihood <- function(reports, omega) {
  factors <- report_factors(reports, omega)
  if (report_one_each(reports)) {
    return(structure(factors, left_out = NULL))
  }
  running_product(report_turns(reports), reports, factors)$of_row
}

#' Derivatives in omega from those in the likelihoods L of report_likelihood() [M 13.4]
#'
#' @param slope n x C, d E / d L. @return S x C x C, d E / d omega, each entry by itself.
#' @noRd
report_slope <- function(reports, omega, slope) {
  part <- slope[reports$row, , drop = FALSE]
  if (!anyDuplicated(reports$row)) {
    return(report_sums(reports, part))
  }
  factors <- report_factors(reports, omega)
  turns <- report_turns(reports)
  # what the others of its row say, those before it and those after it
  rest <- running_product(turns, reports, factors)$before *
    running_product(rev(turns), reports, factors)$before
  part <- part * rest
  part[rest == 0] <- 0 # also where the slope is infinite
  if (!is.null(reports$together)) {
    counted <- report_counted(reports)
    part <- part * counted * factors^(1 - 1 / counted)
  }
  report_sums(reports, part, !attr(factors, "left_out"))
}

#' The factors of each row multiplied, turn by turn
#' @return list(of_row, n x C; before, what a row has come to before each of its reports)
#' @noRd
running_product <- function(turns, reports, factors) {
  before <- factors
  of_row <- matrix(1, reports$n, reports$classes)
  for (at in turns) {
    row <- reports$row[at]
    before[at, ] <- of_row[row, ]
    of_row[row, ] <- of_row[row, , drop = FALSE] * factors[at, , drop = FALSE]
  }
  list(of_row = of_row, before = before)
}

#' Expected number of reports of class v by each source on rows of class t
#' @param p n x C, probabilities of the true classes. @return S x C x C (s, t, v)
#' @noRd
report_counts <- function(reports, p) {
  if (!is.null(reports$times)) p <- reports$times * p
  report_sums(reports, p[reports$row, , drop = FALSE])
}

#' Sums of `part` (a row a report, a column a true class) by source and class reported
#' @noRd
report_sums <- function(reports, part, which = TRUE) {
  sources <- length(reports$sources)
  classes <- reports$classes
  cell <- report_cell(reports) - classes
  counted <- cell > 0L & which
  sums <- matrix(0, sources * classes, classes)
  if (any(counted)) {
    by_cell <- rowsum(part[counted, , drop = FALSE], cell[counted])
    sums[as.integer(rownames(by_cell)), ] <- by_cell
  }
  aperm(array(sums, c(sources, classes, classes)), c(1, 3, 2))
}

#' log(rowSums(exp(x)))
#' @noRd
row_log_sum <- function(x) {
  top <- row_max(x)
  top[top == -Inf] <- 0
  top + log(rowSums(exp(x - top)))
}

#' log(sum(exp(x)))
#' @noRd
log_sum <- function(x) {
  top <- max(x)
  if (is.finite(top)) top + log(sum(exp(x - top))) else top
}

#' Shares in proportion to exp(x), 0 for all where none is finite
#' @noRd
softmax <- function(x) {
  total <- log_sum(x)
  if (is.finite(total)) exp(x - total) else 0 * exp(x)
}

#' Weights that sum to 1, alike where all are 0: nodes of a noise model that is out of question
#' @noRd
shares <- function(weight) {
  if (sum(weight) == 0) weight[] <- 1
  weight / sum(weight)
}

#' The first label of each reader on each row, n x S
#' @noRd
reader_labels <- function(reports) {
  labels <- matrix(NA_integer_, reports$n, length(reports$sources))
  first <- reports$source > 0L & !duplicated(cbind(reports$row, reports$source))
  labels[cbind(reports$row, reports$source)[first, , drop = FALSE]] <- reports$value[first]
  labels
}

#' How much each report counts: those of readers who share errors less than one where both have labelled
#' @noRd
report_counted <- function(reports) {
  counted <- rep(1, length(reports$source))
  for (k in seq_len(nrow(reports$together))) {
    pair <- reports$together[k, ]
    rows <- lapply(pair[1:2], function(s) reports$row[reports$source == s])
    both <- reports$source %in% pair[1:2] & reports$row %in% intersect(rows[[1]], rows[[2]])
    counted[both] <- pair[3] / 2
  }
  counted
}

#' What is said of readers who share errors
#' @noRd
shared_words <- function(reports) {
  pairs <- reports$together
  name <- function(k) reports$sources[pairs[, k]]
  sprintf("%s and %s share errors: they count as %s readers", name(1), name(2), format(pairs[, 3], digits = 2))
}

#' Rates of readers to start with: as if the most of them were right, all who do not always say the
#' same or, of few, those without each
#' @return list of rates of wrong labels, S x C
#' @noRd
reader_guesses <- function(reports) {
  vary <- setdiff(seq_along(reports$sources), report_constant(reports))
  kinds <- report_kinds(reports)
  said <- with_times(kinds$reports, tabulate(kinds$kind))
  few <- length(vary) %in% 2:guess_readers
  lapply(c(list(vary), lapply(vary[few], setdiff, x = vary)), function(who) {
    votes <- report_votes(said, said$n, said$classes, said$source %in% c(0L, who)) + 0.1
    N <- report_counts(said, votes / rowSums(votes)) + 0.5
    1 - t(apply(N, 1, diag)) / rowSums(N, dims = 2)
  })
}
guess_readers <- 8L # of more no one decides who the most are

#' How many labels each source gave of rows whose class is not known
#' @noRd
source_counts <- function(reports) {
  counts <- numeric(max(1L, length(reports$sources)))
  if (is.null(reports)) {
    return(counts)
  }
  open <- !report_known(reports)[reports$row]
  source <- factor(reports$source[open], seq_along(counts))
  counts + unname(vapply(split(report_times(reports)[reports$row[open]], source), sum, 0))
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
