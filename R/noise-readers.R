# Reports by readers, several of whom may have labelled a row.

#' Are the sources readers?
#' @noRd
by_readers <- function(reports) isTRUE(reports$readers)

#' Has each row one recorded label, and not labels of readers or probabilities?
#' @noRd
has_one_label <- function(reports) !by_readers(reports) && !has_soft(reports)

by_several_readers <- function(reports) by_readers(reports) && length(reports$sources) > 1

#' Rows whose class is not known and that were reported to be of different classes
#' @noRd
report_disputed <- function(reports) {
  first <- reports$value[match(reports$row, reports$row)]
  setdiff(reports$row[reports$value != first], which(report_known(reports)))
}

#' The first label of each reader on each row, n x S
#' @noRd
reader_labels <- function(reports) {
  labels <- matrix(NA_integer_, reports$n, length(reports$sources))
  first <- reports$source > 0L & !duplicated(cbind(reports$row, reports$source))
  labels[cbind(reports$row, reports$source)[first, , drop = FALSE]] <- reports$value[first]
  labels
}

#' Rates of readers to start with: as if the most of them were right, all who do not always say the
#' same or, of few, those without each
#' @return list of rates of wrong labels, S x C
#' @noRd
reader_guesses <- function(reports) {
  vary <- setdiff(seq_along(reports$sources), report_constant(reports))
  without_each <- if (length(vary) %in% 2:guess_readers) lapply(vary, setdiff, x = vary)
  kinds <- report_kinds(reports)
  said <- with_times(kinds$reports, tabulate(kinds$kind))
  lapply(c(list(vary), without_each), function(who) {
    votes <- report_votes(said, said$n, said$classes, said$source %in% c(0L, who)) + 0.1
    counts <- report_counts(said, votes / rowSums(votes)) + 0.5
    1 - t(apply(counts, 1, diag)) / rowSums(counts, dims = 2)
  })
}
guess_readers <- 8L # of more no one decides who the most are

#' What is said of readers who share errors
#' @noRd
shared_words <- function(reports) {
  pairs <- reports$together
  name <- function(k) reports$sources[pairs[, k]]
  sprintf("%s and %s share errors: they count as %s readers", name(1), name(2), format(pairs[, 3], digits = 2))
}
