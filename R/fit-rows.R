# What the rows of a fit may have that is not for every verb: several labels each, weights, offsets.

#' The number of rows: a double where shards or a stream have more than there are integers
#' @noRd
row_count <- function(object) {
  n <- sum(label_counts(object))
  if (n > .Machine$integer.max) n else as.integer(n)
}

#' The number of labels
#' @noRd
label_total <- function(object) {
  reports <- object$data$reports
  if (has_readers(object)) {
    return(sum(reports$source > 0L))
  }
  if (is.null(reports$times)) row_count(object) else sum(reports$times)
}

#' Is a fit to the labels of readers?
#' @noRd
has_readers <- function(object) by_readers(object$data$reports)

#' For what needs the rows, with one recorded label each
#' @noRd
check_label_each <- function(object) {
  check_sites_kept(object)
  check_one_label(object)
}

#' For what is about one recorded label of each row: an error for readers and for probabilities
#' @noRd
check_one_label <- function(object) {
  refuse(has_readers(object), c(
    "This is about one recorded label of each row, and these rows have labels of
     {length(object$data$reports$sources)} reader{?s}.",
    i = "{.code predict(fit, type = \"true\")}, {.fn reader_rates} and {.fn mislabelled} answer
         for readers."
  ), "readers")
  refuse(has_soft(object$data$reports), c(
    "This is about one recorded label of each row, and these labels are probabilities.",
    i = "{.code predict(fit, type = \"true\")} has those of the true classes."
  ), "soft_labels")
}

# What else rows may have: whether they do, in words, and the class of an error about it
row_parts <- list(
  known = list(
    has = function(data) report_beside(data$reports), class = "known_labels",
    words = "{.arg trusted} or checked rows, {.arg rates} by group, {.fn readers} or probabilities in the place of labels"
  ),
  weights = list(has = function(data) !is.null(data$reports$times), class = "weights", words = "case weights"),
  offset = list(
    has = function(data) !is.null(row_offset(data$X)), class = c("offset", "formula"), words = "an {.fn offset}"
  ),
  units = list(has = function(data) !is.null(data$units), class = "units", words = "{.arg units}")
)

#' An error for what is not for rows that have some of these
#' @param what it is. @param parts names of row_parts. @param hint what to do.
#' @noRd
check_rows_without <- function(data, what, parts, hint = NULL) {
  for (part in row_parts[parts]) {
    refuse(part$has(data), c(paste0("{what} can't have ", part$words, "."), i = hint), part$class)
  }
}

check_has_readers <- function(object) {
  must(has_readers(object), "object", "be a fit to {.fn readers}", "readers")
}

#' What is said of readers who gave one answer alone or share errors, and of classes that they report although
#' hardly a row is of them
#' @param p n x C, probabilities of the true classes.
#' @noRd
inform_readers <- function(reports, levels, p) {
  inform_these(
    "constant_readers",
    c(i = "{qty(length(these))}Reader{?s} {.val {few(these)}} gave one answer alone, which tells nothing of the rows."),
    readers = reports$sources[report_constant(reports)]
  )
  inform_these("shared_errors", c(i = "{these}."), pairs = shared_words(reports))
  inform_these("unexpected_class", c(
    i = "Readers report {.val {these}}, and less than one row is expected to be of {qty(length(these))}{?this class/these classes}.",
    i = "With the true classes of some rows, in {.arg gold} of {.fn readers}, their rates are known better."
  ), levels = levels[colSums(p) < 1])
}
