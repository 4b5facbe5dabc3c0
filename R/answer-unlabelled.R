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
  rates <- rates[rates$class == positive, ]
  ends <- c("count", "lower", "upper")
  # labels of positives are right
  of <- label_code(object$data) == match(positive, object$blueprint$levels)
  known <- sum(report_times(object$data$reports)[of])
  share <- (known + unlist(wrong_count(object, level)[ends])) / label_total(object)
  data.frame(
    of = c(paste0("labelled", if (!is.null(rates$group)) paste(",", rates$group)), "prevalence"),
    estimate = c(1 - rates$rate, share[[1]]), lower = c(1 - rates$upper, share[[2]]),
    upper = c(1 - rates$lower, share[[3]])
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
  percent <- lapply(100 * shares[-1], format_each, digits)
  held <- !anyNA(shares$lower) && nrow(shares) == 1
  c(
    "How many?" = paste0(
      "About ", rows$estimate, " of ", whole(n), " rows are ",
      class_words(positive_class(object)), " (", interval_words(0.9, rows), ")."
    ),
    "Labelled" = paste0(
      paste(unique(range(percent$estimate)), collapse = " to "), "% of them",
      if (held) paste0(" (", range_text(percent), ")"), ", if labelled at random among them."
    )
  )
}
