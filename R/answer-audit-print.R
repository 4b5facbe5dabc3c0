# How audit() shows itself: the alarm and the counts in words, which the report has, too.

#' Is there an alarm, and why?
#' @param x the result of audit().
#' @noRd
audit_words <- function(x) {
  answer <- if (x$alarm) "Yes" else "No"
  probability <- format(round(min(max(x$higher, 0.01), 0.99), 2))
  c( # the first that is the case
    if (x$counts[["kept"]] == 0) "No: no label is as before, to compare with.",
    if (sum(x$counts[c("changed", "added")]) == 0) "No: no label came in.",
    if (is.na(x$higher)) "No: all labels before, or all that came in, are known to be right, with no rates to compare.",
    paste0(answer, ": what came in is wrong more often than before with probability ", probability, ".")
  )[1]
}

audit_counts <- function(x) {
  words <- c(kept = "as before", changed = "changed", added = "new", removed = "gone")
  paste(vapply(x$counts[names(words)], whole, ""), words, collapse = ", ")
}

#' @param x The result of `audit()`.
#' @param n Number of rows shown (10 by default).
#' @param digits Significant digits.
#' @rdname audit
#' @order 2
#' @export
print.sturdy_audit <- function(x, n = 10, digits = 2, ...) {
  digits <- check_digits(digits)
  n <- check_count(n, "n")
  cat("<sturdy_audit> labels: ", audit_counts(x), "\n", sep = "")
  called <- paste0(count(nrow(x$suspects), "label"), " of these, at a false-discovery rate of ", format(x$fdr))
  print_fields(c("Alarm?" = audit_words(x), "Called wrong" = called))
  print(x$rates, digits = digits, row.names = FALSE)
  if (nrow(x$suspects)) print(utils::head(x$suspects, n), digits = digits, row.names = FALSE)
  invisible(x)
}
