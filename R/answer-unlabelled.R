# Positive and unlabelled rows: which share of the positives is labelled, and how many there are.

#' The class that is ever labelled
#' @noRd
positive_class <- function(object) setdiff(object$blueprint$levels, object$spec$noise$unlabelled)

#' What a fit says of its positives: which share of them is labelled, 1 - rate, and their prevalence,
#' (labelled + wrong among the unlabelled) / n [M 13.8]
#' @return a data frame, see summary(); `NULL` for other fits and without rows.
#' @noRd
unlabelled_table <- function(object, level = 0.9) {
  if (!labels_one_class(object) || !has_rows(object)) {
    return(NULL)
  }
  judge <- judged_by(object)
  positive <- positive_class(judge)
  is_labelled <- label_code(judge$data) == match(positive, judge$blueprint$levels)
  labelled <- sum(report_times(judge$data$reports)[is_labelled]) # these labels are right
  wrong <- unlist(wrong_count(judge, level)[c("count", "lower", "upper")])
  prevalence <- (labelled + wrong) / label_total(judge)
  rates <- rate_table(judge, level)
  missed <- rates[rates$class == positive, ]
  data.frame(
    of = c(paste0("labelled", if (!is.null(missed$group)) paste0(", ", missed$group)), "prevalence"),
    estimate = c(1 - missed$rate, prevalence[["count"]]), lower = c(1 - missed$upper, prevalence[["lower"]]),
    upper = c(1 - missed$lower, prevalence[["upper"]])
  )
}

#' The same as lines of print()
#' @noRd
unlabelled_lines <- function(object, digits, level = 0.9) {
  table <- unlabelled_table(object, level)
  if (is.null(table)) return(NULL)
  n <- label_total(object)
  rows <- lapply(table[table$of == "prevalence", -1], function(prevalence) whole(round(n * prevalence)))
  about <- paste0("About ", rows$estimate, " of ", whole(n), " rows are ")
  shares <- table[table$of != "prevalence", ]
  has_interval <- nrow(shares) == 1 && !is.na(shares$lower)
  interval <- if (has_interval) paste0(" (", range_text(lapply(100 * shares[-1], format_each, digits)), ")")
  labelled <- paste0(format_range(100 * shares$estimate, digits), "% of them", interval)
  c(
    "How many?" = paste0(about, class_words(positive_class(object)), " (", interval_words(level, rows), ")."),
    "Labelled" = paste0(labelled, ", if labelled at random among them.")
  )
}
