# Positive and unlabelled rows: which share of the positives is labelled, and how many there are.

#' The class that is ever labelled
#' @noRd
positive_class <- function(object) setdiff(object$blueprint$levels, object$spec$noise$unlabelled)

#' What a fit says of its positives [M 13.8]
#' @return a data frame, see summary(); `NULL` for other fits and without rows.
#' @noRd
unlabelled_table <- function(object, level = 0.9) {
  if (!labels_one_class(object) || !has_rows(object)) {
    return(NULL)
  }
  object <- judged_by(object)
  positive <- positive_class(object)
  rates <- rate_table(object, level)
  missed <- rates[rates$class == positive, ]
  labelled <- label_code(object$data) == match(positive, object$blueprint$levels)
  known <- sum(report_times(object$data$reports)[labelled]) # labels of this class are right
  share <- (known + unlist(wrong_count(object, level)[c("count", "lower", "upper")])) / label_total(object)
  data.frame(
    of = c(paste0("labelled", if (!is.null(missed$group)) paste(",", missed$group)), "prevalence"),
    estimate = c(1 - missed$rate, share[["count"]]), lower = c(1 - missed$upper, share[["lower"]]),
    upper = c(1 - missed$lower, share[["upper"]])
  )
}

#' The same as lines of print()
#' @noRd
unlabelled_lines <- function(object, digits) {
  table <- unlabelled_table(object)
  if (is.null(table)) {
    return(NULL)
  }
  n <- label_total(object)
  rows <- lapply(n * table[nrow(table), -1], function(v) whole(round(v)))
  shares <- table[-nrow(table), ]
  interval <- if (nrow(shares) == 1 && !is.na(shares$lower)) {
    paste0(" (", range_text(lapply(100 * shares[-1], format_each, digits)), ")")
  }
  are <- paste0("About ", rows$estimate, " of ", whole(n), " rows are ", class_words(positive_class(object)))
  labelled <- paste0(format_range(100 * shares$estimate, digits), "% of them", interval)
  c(
    "How many?" = paste0(are, " (", interval_words(0.9, rows), ")."),
    "Labelled" = paste0(labelled, ", if labelled at random among them.")
  )
}
