# What reports say of the true classes: the likelihood of each, L (n x C), its derivatives in omega, and
# expected counts. Products over the reports of a row are taken turn by turn: first the first
# report of each row, then the second, ..

#' P(report | true class), a row a report and a column a class, to the power of how much it counts
#'
#' Soft reports are what they are whatever omega is. A report that omega calls impossible, on a row whose class is
#' certain, is left out: there a check has disproved a rate of 0 that the user gave.
#' @return the matrix, with the attribute `left_out` (logical, a report each).
#' @noRd
report_factors <- function(reports, omega) {
  classes <- reports$classes
  by_cell <- rbind(diag(classes), matrix(aperm(omega, c(1, 3, 2)), ncol = classes)) # see report_cell()
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

#' Where the likelihood of each row and class stands in omega, if all rows have one report each, none of them
#' certain: then it is one entry, and no product. `NULL` of other reports
#' @noRd
report_cells <- function(reports) {
  plain <- is.null(reports$together) && !has_soft(reports) && all(reports$source > 0L)
  sorted <- plain && report_one_each(reports)
  if (sorted || plain && length(reports$row) == reports$n && !anyDuplicated(reports$row)) {
    sources <- length(reports$sources)
    classes <- reports$classes
    at <- if (sorted) reports$row else order(reports$row)
    true <- rep(seq_len(classes), each = reports$n)
    reports$source[at] + sources * (true - 1L + classes * (reports$value[at] - 1L))
  }
}

#' The likelihood of each true class: the product of P(report | true class) over a row's
#' reports [M 13.1]
#'
#' @param omega S x C x C. @param cells see report_cells().
#' @return n x C; all 1 in a row without reports.
#' @noRd
report_likelihood <- function(reports, omega, cells = report_cells(reports)) {
  if (!is.null(cells)) {
    return(matrix(omega[cells], reports$n, reports$classes))
  }
  running_product(report_turns(reports), reports, report_factors(reports, omega))$of_row
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

#' Which reports are the first of their rows, which the second, ...
#' @noRd
report_turns <- function(reports) {
  turn <- occurrence(reports$row)
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
