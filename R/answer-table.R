# Answers that are data frames: what their ends look like when printed, and what they are without what
# print() says beside them.

#' A table of probabilities or rates with the ends of their intervals
#' @noRd
with_ends <- function(frame) structure(frame, class = c("sturdy_ends", "data.frame"))

#' An end that is far out in a tail would make all others scientific
#' @export
#' @noRd
print.sturdy_ends <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  shown <- as.data.frame(x)
  shares <- intersect(names(shown), c("estimate", "rate", "lower", "upper"))
  shown[shares] <- lapply(shown[shares], format_shares, digits)
  print(shown, digits = digits, ...)
  invisible(x)
}

#' The rows and columns alone
#' @noRd
plain_frame <- function(x, ...) {
  attributes(x) <- c(attributes(x)[c("names", "row.names")], class = "data.frame")
  x
}

#' @export
as.data.frame.sturdy_mislabelled <- plain_frame

#' @export
as.data.frame.sturdy_reader_rates <- plain_frame

#' @export
as.data.frame.sturdy_review <- plain_frame

#' A table below its title, after an empty line; nothing without a table
#' @param ... the title, in parts.
#' @noRd
print_part <- function(table, digits, ...) {
  if (!is.null(table)) {
    cat("\n")
    print_title(...)
    print(table, digits = digits, row.names = FALSE)
  }
}
