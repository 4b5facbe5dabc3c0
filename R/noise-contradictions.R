# Rows that are alike in every input and have different labels: one of these is wrong, or the inputs
# don't decide.

alike_width <- 1e-6 # of the range of a column: values so close are one

#' For each row one that is alike in every input and has another label, as positions among the rows of
#' the fit, or `NA`; `NULL` without any
#'
#' Nothing is said where this is so of most rows, of inputs of a few values each: there the classes
#' overlap. Rows whose classes are all known contradict nothing.
#' @noRd
contradictions <- function(data) {
  X <- data$X
  reports <- data$reports
  if (ncol(X) == 0 || !has_one_label(reports)) {
    return(NULL)
  }
  group <- alike_groups(columns_apart(X), alike_width)
  label <- label_code(data)
  first <- match(group, group)
  differ <- which(label != label[first])
  open <- group %in% group[!report_known(reports)]
  partner <- differ[match(group, group[differ])] # the first of another label than the first
  partner[differ] <- first[differ]
  partner[!open] <- NA
  if (all(is.na(partner)) || mean(!is.na(partner)) > 1 / 2) NULL else partner
}

#' A message where rows contradict each other
#' @noRd
inform_contradictions <- function(molded) {
  rows <- if (is.null(molded$blueprint$floor)) which(!is.na(contradictions(molded$data))) # not of scores
  if (length(rows) && length(molded$data$y) > 10) {
    inform_sturdy(c(
      i = "{length(rows)} rows are alike in every input with a row of another label: one of the two
           is wrong, or the inputs don't decide.",
      i = "The column {.field contradicts} of {.fn mislabelled} has them."
    ), "contradictions", rows = molded$data$rows[rows])
  }
}
