# How the list of mislabelled() shows itself.

#' @param n Number of rows shown (10 by default).
#' @param digits Significant digits of probabilities (2 by default).
#' @rdname mislabelled
#' @param x The result of `mislabelled()`.
#' @export
print.sturdy_mislabelled <- function(x, n = 10, digits = 2, ...) {
  n <- check_count(n, "n")
  digits <- check_digits(digits)
  expected <- attr(x, "expected")
  if (is.null(expected)) { # columns or rows were taken out of it
    print(as.data.frame(x), digits = digits)
    return(invisible(x))
  }
  cat("<sturdy_mislabelled> ", count(attr(x, "n"), "label"), "\n", sep = "")
  print_fields(mislabelled_fields(x, digits))
  shown <- utils::head(as.data.frame(x), n)
  if (nrow(shown)) print(small_shares(shown_rows(shown), digits), digits = digits, row.names = FALSE)
  rest <- nrow(x) - nrow(shown)
  if (rest > 0) cat("(", count(rest, paste("less suspicious", called_what(x))), " not shown)\n", sep = "")
  invisible(x)
}

#' What stands above the rows
#' @noRd
mislabelled_fields <- function(x, digits) {
  cutoff <- attr(x, "cutoff")
  if (!isTRUE(cutoff$rows == nrow(x))) cutoff <- NULL # rows were taken out of it
  test <- attr(x, "test")
  expected <- attr(x, "expected")
  called <- isTRUE(cutoff$rows > 0)
  times <- attr(x, "times") # of all rows
  if (is.null(times)) times <- rep(1, attr(x, "n"))
  first <- if (is.null(x$reader) && (called || nrow(x) == length(times))) {
    first_checks(times[seq_len(nrow(x))] * x$probability, expected$count, if (called) cutoff$rows else checks_first)
  }
  answers <- if (is.null(test)) {
    c("How many?" = describe_wrong(expected, digits, attr(x, "n")), "What next?" = next_words(first))
  } else {
    test$first <- first
    c(verdict_lines(test, digits), named_notes(verdict_notes(test)))
  }
  unlikely <- if (isTRUE(cutoff$unlikely > 0)) unlikely_words(cutoff$unlikely, cutoff$rows, called_what(x))
  c(
    answers, "Checks alone" = checks_alone(expected),
    "Called wrong" = if (!is.null(cutoff)) describe_cutoff(cutoff, digits, called_what(x)),
    "Note" = paste0(unlikely, ".", recycle0 = TRUE)
  )
}

# A probability next to 0 would make a whole column scientific
small_shares <- function(shown, digits) {
  small <- vapply(shown, function(v) is.double(v) && any(v > 0 & v < 1e-4, na.rm = TRUE), NA)
  replace(shown, small, lapply(shown[small], format_shares, digits))
}

# The rows as they are shown: of several classes a column says in words what the label
# should be.
shown_rows <- function(shown) {
  classes <- vapply(shown, is.factor, NA)
  shown[classes] <- lapply(shown[classes], function(f) `levels<-`(f, quoted_empty(levels(f))))
  if (length(shown$contradicts)) {
    shown$contradicts <- ifelse(is.na(shown$contradicts), "-", shown$contradicts)
    shown[c("rank", "loo_wrong")] <- NULL # the order says one and loo the other, and lines are full
  }
  several <- !is.null(shown$runner_up)
  words <- as.character(shown$suggested)
  if (several) {
    words <- ifelse(shown$p_suggested >= 0.5, words, paste0("unclear: ", words, " or ", shown$runner_up))
  }
  shown$suggested <- ifelse(shown$probability > 0.5, words, "-")
  shown[setdiff(names(shown), if (several) c("runner_up", "p_runner_up", "loo_wrong", "if_some"))]
}

describe_wrong <- function(expected, digits, n = NULL) {
  number <- function(x) count_text(x, digits)
  if (is.null(expected$level)) {
    return(number(expected$count))
  }
  at_fit <- expected$at_fit
  far <- at_fit < expected$lower - 0.5 || at_fit > expected$upper + 0.5
  by <- if (isTRUE(expected$newdata)) "by each row alone" else "at the epsilon of the fit"
  paste0(
    number(expected$count), if (!is.null(n)) paste(" of", whole(n)), " (",
    interval_words(expected$level, lapply(expected[c("lower", "upper")], whole)),
    if (expected$epsilon == "given") ", epsilon taken as known",
    if (far) paste0("; ", number(at_fit), " ", by), ")"
  )
}

describe_cutoff <- function(cutoff, digits, what) {
  if (isTRUE(cutoff$open)) {
    return("no row: there is no clear sign that any label is wrong")
  }
  rows <- cutoff$rows
  paste0(
    if (rows == 0) "no row" else count(rows, what), " at a false-discovery rate of ", format(cutoff$fdr),
    if (!is.null(cutoff$checks)) paste0(" (by ", count(cutoff$checks, "check"), " at random)"),
    if (rows > 0 && is.null(cutoff$checks)) paste0(": probability ", format(cutoff$probability, digits = digits), " and above"),
    if (rows > 0 && identical(cutoff$given, "some")) ", if some labels are wrong"
  )
}

checks_alone <- function(expected) {
  said <- expected$by_checks
  if (!is.null(said)) {
    left <- paste(range_text(said), "left among the other", count(said$rows, "row"), "drawn from")
    level <- paste0(" (", format(100 * expected$level), "% interval, whatever the model).")
    paste0(whole(said$found), " of ", count(said$checks, "check"), " found one; ", left, level)
  }
}
