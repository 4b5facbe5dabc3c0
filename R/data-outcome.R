# The response: anything with two classes -> labels -1 and +1, with more 1, 2, ..., and the names
# of the levels. Of two the second is the event.

#' Labels of a response
#'
#' @param y A factor, character or logical vector, or a numeric vector of 0 and
#'   1 or of -1 and 1.
#' @param one_class Whether a response that shows only one of two known classes
#'   is accepted. @param single Whether that of a single row is.
#' @param many Whether more than two classes are.
#' @return `list(y, levels)`: doubles -1 or +1, or with more than two classes 1, 2, ..; the
#'   names of the levels; and `ordered`, `TRUE`, where there are more than two in an order.
#' @noRd
mold_outcome <- function(y, arg = "y", one_class = FALSE, many = FALSE, single = TRUE) {
  y <- outcome_factor(check_outcome(y, arg), arg)
  used <- levels(droplevels(y))
  if (length(used) < 2 && nlevels(y) == 2 && (one_class || single && length(y) == 1)) {
    used <- levels(y)
  }
  check_classes(used, many, arg, third_class(y))
  inform_levels(y, used, arg)
  outcome <- list(y = label_codes(match(as.character(y), used), used), levels = used)
  if (is.ordered(y) && length(used) > 2) outcome$ordered <- TRUE
  outcome
}

#' A response as a factor: of text in the order of its bytes, of numbers as their codes
#' @noRd
outcome_factor <- function(y, arg) {
  if (is.logical(y)) {
    factor(y, levels = c(FALSE, TRUE))
  } else if (is.character(y)) {
    factor(enc2utf8(y), levels = text_levels(y))
  } else if (is.numeric(y)) {
    numeric_outcome(y, arg)
  } else {
    y
  }
}

#' The rows that bring further classes than two
#' @noRd
third_class <- function(y) which(!duplicated(y))[-(1:2)]

#' Two classes, or as many as there may be
#' @noRd
check_classes <- function(used, many, arg, rows = NULL) {
  most <- if (many) classes_most else 2L
  several <- length(used) > 2
  must(
    length(used) >= 2 && length(used) <= most, arg,
    paste("have", if (many && several) "at most {most}" else "two", "classes, not {length(used)}"), "outcome_levels",
    more = c(x = "Found: {.val {few(used)}}.", i = if (several && !many) {
      "{.fn gpc} fits a factor of three to {classes_most} classes; {.fn stc} and {.fn bpm}
       can tell one class from the others, as in {.code stc(I(class == \"a\") ~ ., data)}."
    }), rows = rows
  )
}

#' What is said of levels: those dropped; blank ones; "ill" and "Ill ", which are most often one class in
#' tables that were typed
#' @noRd
inform_levels <- function(y, used, arg) {
  inform_these(
    "unused_levels",
    c(i = "Unused {qty(length(these))}level{?s} {.val {these}} of {.arg {arg}} {?is/are} dropped."),
    levels = setdiff(levels(y), used)
  )
  inform_these("blank_level", c(
    i = "Labels of {.arg {arg}} that are blank count as a class of their own: {.val {these}}.",
    i = "If they are missing, {.code na.strings = \"\"} of {.fn read.csv} says so."
  ), levels = used[!nzchar(trimws(used))])
  plain <- tolower(gsub("[[:space:]]+", " ", trimws(used)))
  inform_these(
    "similar_levels",
    c(i = "Levels {.val {few(these)}} of {.arg {arg}} differ only in blanks or capitals, and
           count as different classes.",
      i = "{.fn trimws} takes blanks away, {.fn tolower} capitals."),
    levels = used[plain %in% plain[duplicated(plain)]]
  )
}

classes_most <- 20L # of a response, for their number is what a fit takes time for

#' Labels of a response whose levels are known
#'
#' @param y As for mold_outcome(). @param levels the levels of a fit.
#' @return doubles -1 or +1, or with more than two levels 1, 2, ...
#' @noRd
forge_outcome <- function(y, levels, arg = "y") {
  y <- check_outcome(y, arg)
  code <- match(as.character(y), levels)
  rows <- which(is.na(code))
  novel <- unique(as.character(y[rows]))
  must(
    !length(rows), arg, "contain the classes {.val {levels}} only",
    c("novel_levels", "outcome_levels"),
    more = c(x = "New: {.val {few(novel)}}, in {qty(length(rows))}row{?s} {few(rows)}."),
    rows = rows, levels = novel
  )
  label_codes(code, levels)
}

#' Positions among the levels as labels are kept
#' @noRd
label_codes <- function(code, levels) {
  if (length(levels) > 2) as.double(code) else 2 * code - 3
}

#' And back
#' @noRd
class_numbers <- function(y, classes) if (classes > 2) y else (y + 3) / 2

#' Numbers of classes as a factor
#' @noRd
class_factor <- function(code, levels) factor(levels[code], levels = levels)

#' One column as a vector, unless it is that of a reader; a factor keeps its levels
#' @noRd
one_column <- function(y) {
  one <- length(dim(y)) == 1 || is.matrix(y) && ncol(y) == 1
  if (one && !inherits(y, "sturdy_readers")) dim(y) <- NULL
  y
}

#' Labels with an entry, or one of each reader, for each of n rows; other shapes are refused later
#' @noRd
one_a_row <- function(y, n, arg, of) {
  y <- one_column(y)
  must(
    NROW(y) == n || is.matrix(y) && !inherits(y, "sturdy_readers"), arg,
    "have one entry for each of the {n} row{?s} of {.arg {of}}, not {NROW(y)}", "length",
    more = c(i = if (arg == "y" && (rlang::is_formula(y) || rlang::is_string(y))) {
      "A formula names the column of the labels: {.code gpc(class ~ ., data)}."
    })
  )
  y
}

#' A response with one label of each row, of a type that labels have, or an error
#' @return y as a vector
#' @noRd
check_outcome <- function(y, arg) {
  refuse(
    inherits(y, "sturdy_readers"),
    "{.arg {arg}} can't be {.fn readers} here: what is asked takes one label of each row.",
    c("readers", "outcome_type"), arg = arg
  )
  y <- one_column(y)
  vector <- is.factor(y) || is.logical(y) || is.character(y) || is.numeric(y)
  must(
    vector && is.null(dim(y)), arg,
    "be a factor, a logical or character vector, or a numeric vector of 0/1 or -1/+1",
    "outcome_type", got = y,
    more = c(i = if (is.data.frame(y)) "Use the column itself, {.code data$column}.")
  )
  check_none_missing(which(is.na(y) | is.na(as.character(y))), arg)
  y
}

check_none_missing <- function(rows, arg, class = "missing") {
  must(
    !length(rows), arg, "not have missing values", class,
    more = c(x = "Missing in {qty(length(rows))}row{?s} {few(rows)}."), rows = rows
  )
}

#' Numbers 0 and 1, or -1 and 1, as a factor, or an error
#' @noRd
numeric_outcome <- function(y, arg) {
  codes <- two_codes(y)
  must(
    length(codes) > 0, arg, "contain only 0 and 1, or only -1 and 1", "outcome_levels",
    more = c(
      x = "It contains {.val {few(signif(sort(unique(as.double(y))), 6))}}.",
      i = if (all(y >= 0 & y <= 1, na.rm = TRUE)) {
        "Probabilities of the second class go in as a matrix, {.code cbind(1 - y, y)} with the names
         of the classes."
      } else {
        "For other codes use {.code factor()}."
      }
    ),
    of = "A numeric {.arg {arg}}", rows = third_class(y)
  )
  factor(y, levels = codes[[1]])
}

#' The codes of two classes that numbers may be: 0 and 1, -1 and 1, or both
#' @noRd
two_codes <- function(y) Filter(function(codes) all(y %in% codes), list(0:1, c(-1L, 1L)))
