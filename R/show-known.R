# What is known of labels, in words.

#' What is known of labels beside them: trusted rows, checks and groups; `NULL` for nothing
#' @noRd
describe_known <- function(x) {
  reports <- x$data$reports
  if (is.null(reports) || !report_beside(reports) && !by_readers(reports)) {
    return(NULL)
  }
  known <- sum(report_known(reports))
  if (by_readers(reports)) {
    each <- sum(reports$source > 0L) / reports$n
    return(paste0(
      count(length(reports$sources), "reader"), ", ", format(each, digits = 2),
      if (each == 1) " label a row" else " labels a row",
      if (known) paste0("; the class of ", count(known, "row"), " known"),
      paste0("; ", shared_words(judged_by(x)$data$reports), recycle0 = TRUE, collapse = "")
    ))
  }
  if (has_soft(reports)) {
    certain <- if (known) paste0("; ", known, " certain")
    return(paste0("probabilities of ", count(reports$n - known, "row"), certain))
  }
  checked <- length(recorded_before(reports)$row)
  groups <- length(reports$sources)
  by_check <- if (checked) paste0(", ", checked, " of them by a check")
  trusted <- paste0(count(known, if (is.null(x$data$units)) "row" else "unit"), " trusted", by_check)
  said <- c(trusted, paste("a flip rate for each of", count(groups, "group")))
  paste(said[c(known > 0, groups > 1)], collapse = "; ")
}
