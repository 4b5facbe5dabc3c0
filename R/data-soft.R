# Soft labels: a row of class probabilities in the place of a label. The row is its likelihood of
# the true classes; of certainty it is a label that is right for certain.

#' Is a response a matrix, or a data frame, of numbers, a column a class?
#' @noRd
is_soft_response <- function(y) {
  numbers <- if (is.data.frame(y)) all(vapply(y, is.numeric, NA)) else is.matrix(y) && is.numeric(y)
  isTRUE(numbers) && NCOL(y) > 1 && !inherits(y, "sturdy_readers")
}

#' Class probabilities as molded rows have them [M 13.1]
#' @param y as is_soft_response() has it, no row with a missing value.
#' @return as mold_readers(), `said` with `soft`: see new_reports().
#' @noRd
mold_soft <- function(y, arg, many = FALSE, ...) {
  check <- function(fine, words, ...) must(fine, arg, words, c("soft_labels", "outcome_type"), ...)
  levels <- colnames(y)
  P <- unname(as.matrix(y))
  check(
    !is.null(levels) && !anyDuplicated(levels) && all(nzchar(levels)),
    "have a column for each class, by name, where labels are probabilities",
    of = "The matrix {.arg {arg}}"
  )
  check_classes(levels, many, arg)
  storage.mode(P) <- "double"
  apart <- which(!is.finite(rowSums(P)) | rowSums(P < 0) > 0 | abs(rowSums(P) - 1) > 1e-6)
  check(
    !length(apart), "have rows that sum to 1", of = "Class probabilities {.arg {arg}}",
    more = c(
      x = "Others: {qty(length(apart))}row{?s} {few(apart)}.",
      i = "Counts of labels are no probabilities: see {.fn readers}."
    )
  )
  P <- P / rowSums(P)
  most <- max.col(P, "first")
  sure <- rowSums(P > 0) == 1
  said <- list(
    row = seq_along(most), source = ifelse(sure, 0L, 1L), value = most, sources = "label",
    soft = replace(P, sure, NA)
  )
  list(y = label_codes(most, levels), levels = levels, said = said)
}
