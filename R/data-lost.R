# Rows that lack a value. Those that lack a label alone say nothing of the others: they take no part
# in a fit, which answers for them all the same.

#' Rows of a model frame that were left out for want of a label alone
#' @param given the frame. @param kept what na.action kept of it.
#' @return their positions in `given`.
#' @noRd
rows_without_label <- function(given, kept) {
  left_out <- attr(kept, "na.action")
  if (!inherits(left_out, c("omit", "exclude"))) {
    return(integer())
  }
  at <- as.integer(left_out)
  at[stats::complete.cases(given[at, -attr(attr(given, "terms"), "response"), drop = FALSE], at)]
}

inform_unlabelled <- function(rows) {
  inform_sturdy(c(
    i = "{length(rows)} row{?s} {?has/have} no label and {?takes/take} no part in the fit.",
    i = "{.fn predict} without {.arg newdata} answers for {qty(length(rows))}{?it/them}, too."
  ), "no_label", rows = rows)
}

#' @param frame what the rows were left out of, or `NULL`.
#' @noRd
check_rows <- function(n, n_all, frame = NULL) {
  empty <- function() names(frame)[vapply(frame, function(v) all(is.na(v)), NA)]
  must(
    n > 0, NULL, "have at least one row", "no_rows",
    more = c(
      i = if (n_all > 0) "All {n_all} row{?s} had missing values.",
      x = if (n_all > 0 && length(empty())) {
        "{qty(length(empty()))}Column{?s} without a value: {.val {few(empty())}}."
      }
    ),
    of = "The training data"
  )
}

#' Rows that lack a value are left out: how many, and the columns that cost most
#' @param given the model frame with all rows. @param n rows kept. @param open positions of those
#'   that lack a label alone, which are not lost.
#' @noRd
inform_lost_rows <- function(given, n, open = integer()) {
  all <- nrow(given)
  if (length(open)) given <- given[-open, , drop = FALSE]
  lost <- nrow(given) - n
  if (lost == 0) {
    return(invisible())
  }
  missing <- vapply(given, function(v) sum(rowSums(is.na(as.matrix(v))) > 0), numeric(1))
  missing <- sort(missing[missing > 0], decreasing = TRUE)
  most <- name_some(paste0("\"", names(missing), "\" (", missing, ")"))
  inform_sturdy(c(
    i = "{lost} of {all} row{?s} ({format(100 * lost / all, digits = 2)} %)
         {qty(lost)}{?has/have} missing values and {?is/are} left out.",
    i = if (length(missing)) "Missing most often: {most}."
  ), "rows_left_out", rows = lost, columns = missing)
}
