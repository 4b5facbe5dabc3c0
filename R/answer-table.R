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

#' @export
as.data.frame.sturdy_ends <- function(x, ...) structure(x, class = "data.frame")

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
as.data.frame.sturdy_reading <- plain_frame

#' @export
as.data.frame.sturdy_review <- plain_frame

#' A list of what to do next, beneath what its rows are as a whole
#' @param title,fields in words, not looked at where columns or rows were taken out of it.
#' @noRd
print_list <- function(x, digits, title, fields) {
  whole <- identical(attr(x, "listed"), nrow(x))
  if (whole) {
    cat(title, "\n", sep = "")
    print_fields(fields)
  }
  print(as.data.frame(x), digits = digits, row.names = !whole)
  invisible(x)
}
