# How a selection shows itself, and what it passes on to its selected fit.

#' @param digits Significant digits (3 by default).
#' @rdname select_model
#' @export
print.sturdy_selection <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  table <- x$table
  by <- criterion_words[[x$criterion]]
  print_title("<sturdy_selection> ", count(nrow(table), "candidate"), " by ", by, ", ", count(nobs(x), "row"))
  print(selection_shown(table, x$criterion, digits), row.names = FALSE, right = FALSE)
  if (any(is.finite(table$df))) {
    print_title("Log evidences are those of Gaussian EP at every df: see ?select_model.")
  }
  said <- table[nzchar(table$message), ]
  words <- paste0(said$candidate, ": ", said$message, recycle0 = TRUE)
  if (length(words)) cat(strwrap(words, exdent = 2), sep = "\n")
  cat("Selected: ", table$candidate[table$selected], "\n", sep = "")
  invisible(x)
}

criterion_words <- c(evidence = "log evidence", integrated = "integrated log evidence", loo = "leave-one-out")

#' The table in words, best first
#' @noRd
selection_shown <- function(table, criterion, digits) {
  value <- table[[selection_criteria[[criterion]]]]
  table <- table[order(!table$selected, table$status != "converged", -value), ]
  number <- function(v, digits) ifelse(is.na(v), "-", format_each(v, digits))
  rates <- lapply(table[c("epsilon", "epsilon_neg", "epsilon_pos")], number, max(digits - 1, 1))
  two <- (table$epsilon_neg != table$epsilon_pos) %in% TRUE
  se <- ifelse(is.finite(table$loo_se), paste0(" (", number(table$loo_se, 2), ")"), "")
  weight <- ifelse(table$status == "converged", format(round(table$weight, 2), nsmall = 2), "-")
  shown <- data.frame(
    candidate = table$candidate, integrated = number(table$log_integrated, digits + 1),
    evidence = number(table$log_evidence, digits + 1), "loo (se)" = paste0(number(table$loo, digits + 1), se),
    weight = weight, epsilon = ifelse(two, paste(rates[[2]], rates[[3]], sep = "|"), rates[[1]]),
    df = number(table$df, 3), seconds = number(round(table$seconds, 1), 3),
    status = gsub("_", " ", table$status), check.names = FALSE
  )
  # a line has no room for both
  shown[if (criterion == "integrated") "seconds" else "integrated"] <- NULL
  shown
}

#' @rdname select_model
#' @export
tidy.sturdy_selection <- function(x, ...) {
  check_no_dots(...)
  x$table
}

#' Rows are absorbed by the selected fit: the comparison was of other data
#' @export
#' @noRd
absorb.sturdy_selection <- function(object, ...) absorb(object$selected, ...)

#' @export
glance.sturdy_selection <- function(x, ...) {
  chosen <- x$table[x$table$selected, c("candidate", "weight")]
  cbind(chosen, NextMethod(), row.names = NULL)
}

#' `$selected`, and its place in `$fits`, are made of the fields of the selection: it
#' holds the selected fit once
#' @export
#' @noRd
`[[.sturdy_selection` <- function(x, i, ...) {
  class <- class(x)[-1]
  x <- unclass(x)
  if (!identical(i, "selected") && !identical(i, "fits")) {
    return(x[[i]])
  }
  own <- c("table", "fits", "criterion", "candidates")
  selected <- structure(x[setdiff(names(x), own)], class = class)
  if (i == "selected") selected else replace(x$fits, x$table$selected, list(selected))
}

#' @export
`$.sturdy_selection` <- `[[.sturdy_selection`
