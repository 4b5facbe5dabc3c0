# The response: anything with two classes -> labels -1 and +1 with the names of
# the levels. The second level is the event.

#' Labels of a two-class response
#'
#' @param y A factor, character or logical vector, or a numeric vector of 0 and
#'   1 or of -1 and 1.
#' @param one_class Whether a response that shows only one of two known classes
#'   is accepted; a single row always is. @param many Whether more than two classes are.
#' @return `list(y, levels)`: doubles -1 or +1, or with more than two classes 1, 2, ..; the
#'   names of the levels.
#' @noRd
mold_outcome <- function(y,
                         arg = "y",
                         one_class = FALSE,
                         call = rlang::caller_env(),
                         many = FALSE) {
  y <- check_outcome(y, arg, call)
  if (many && has_many_classes(y)) {
    return(mold_classes(y, arg, call))
  }
  one_class <- one_class || length(y) == 1
  if (is.logical(y)) {
    y <- factor(y, levels = c(FALSE, TRUE))
  } else if (is.character(y)) {
    y <- factor(enc2utf8(y), levels = text_levels(y))
  } else if (is.numeric(y) && !is.factor(y)) {
    y <- numeric_outcome(y, arg, call)
  }
  y <- drop_outcome_levels(y, arg, one_class, call)
  inform_similar_levels(levels(y), arg)
  list(y = ifelse(as.integer(y) == 2L, 1, -1), levels = levels(y))
}

#' More than two classes, of a factor or text: numbers with more values stay an error
#' @noRd
has_many_classes <- function(y) {
  (is.factor(y) || is.character(y)) && length(unique(as.character(y))) > 2
}

mold_classes <- function(y, arg, call) {
  if (is.character(y)) y <- factor(enc2utf8(y), levels = text_levels(y))
  used <- levels(y)[levels(y) %in% as.character(y)]
  if (length(used) > classes_most) {
    abort_sturdy(
      c(
        "{.arg {arg}} must have at most {classes_most} classes, not {length(used)}.",
        x = "Found: {.val {few(used)}}."
      ),
      "outcome_levels", arg = arg, call = call
    )
  }
  inform_unused_levels(setdiff(levels(y), used), arg)
  inform_similar_levels(used, arg)
  list(y = as.double(factor(y, levels = used)), levels = used)
}

inform_unused_levels <- function(unused, arg) {
  if (length(unused)) {
    inform_sturdy(
      c(i = "Unused {qty(length(unused))}level{?s} {.val {unused}} of
             {.arg {arg}} {?is/are} dropped."),
      "unused_levels", levels = unused
    )
  }
}

#' "ill" and "Ill " are most often one class, in tables that were typed
#' @noRd
inform_similar_levels <- function(levels, arg) {
  plain <- tolower(gsub("[[:space:]]+", " ", trimws(levels)))
  same <- levels[plain %in% plain[duplicated(plain)]]
  if (length(same)) {
    inform_sturdy(
      c(i = "Levels {.val {few(same)}} of {.arg {arg}} differ only in blanks or capitals, and
             count as different classes."),
      "similar_levels", levels = same
    )
  }
}

classes_most <- 20L # levels of a response

#' Labels of a response whose levels are known
#'
#' @param y As for mold_outcome(). @param levels the levels of a fit.
#' @return doubles -1 or +1, or with more than two levels 1, 2, ...
#' @noRd
forge_outcome <- function(y,
                          levels,
                          call = rlang::caller_env(),
                          arg = "y") {
  y <- check_outcome(y, arg, call)
  code <- match(as.character(y), levels)
  rows <- which(is.na(code))
  if (length(rows)) {
    novel <- unique(as.character(y[rows]))
    abort_sturdy(
      c(
        "{.arg {arg}} must contain the classes {.val {levels}} only.",
        x = "New: {.val {few(novel)}}, in {qty(length(rows))}row{?s} {few(rows)}."
      ),
      c("novel_levels", "outcome_levels"), arg = arg, rows = rows,
      levels = novel, call = call
    )
  }
  label_codes(code, levels)
}

#' Positions among the levels as labels are kept
#' @noRd
label_codes <- function(code, levels) {
  if (length(levels) > 2) as.double(code) else 2 * code - 3
}

one_column <- function(y) {
  flat <- length(dim(y)) == 1 || (is.matrix(y) && ncol(y) == 1)
  if (flat) as.vector(y) else y
}

check_outcome <- function(y, arg, call) {
  y <- one_column(y)
  vector <- is.factor(y) || is.logical(y) || is.character(y) || is.numeric(y)
  if (!vector || !is.null(dim(y))) {
    abort_sturdy(
      c(
        "{.arg {arg}} must be a factor, a logical or character vector, or a
         numeric vector of 0/1 or -1/+1, not {describe(y)}.",
        i = if (is.data.frame(y)) "Use the column itself, {.code data$column}."
      ),
      "outcome_type", arg = arg, call = call
    )
  }
  check_none_missing(which(is.na(y) | is.na(as.character(y))), arg, call)
  y
}

check_none_missing <- function(rows, arg, call) {
  if (length(rows)) {
    abort_sturdy(
      c(
        "{.arg {arg}} must not have missing values.",
        x = "Missing in {qty(length(rows))}row{?s} {few(rows)}."
      ),
      "missing", arg = arg, rows = rows, call = call
    )
  }
}

numeric_outcome <- function(y, arg, call) {
  values <- unique(as.double(y))
  for (codes in list(c(0, 1), c(-1, 1))) {
    if (all(values %in% codes)) {
      return(factor(y, levels = codes))
    }
  }
  abort_sturdy(
    c(
      "A numeric {.arg {arg}} must contain only 0 and 1, or only -1 and 1.",
      x = "It contains {.val {few(signif(sort(values), 6))}}.",
      i = "For other codes of two classes use {.code factor()}."
    ),
    "outcome_levels", arg = arg, call = call
  )
}

drop_outcome_levels <- function(y, arg, one_class, call) {
  used <- levels(y)[levels(y) %in% as.character(y)]
  unused <- setdiff(levels(y), used)
  if (length(used) == 2 && length(unused)) {
    inform_unused_levels(unused, arg)
    return(droplevels(y))
  }
  if (length(used) == 2 || (one_class && nlevels(y) == 2)) {
    return(y)
  }
  abort_sturdy(
    c(
      "{.arg {arg}} must have two classes, not {length(used)}.",
      x = "Found: {.val {few(used)}}.",
      i = if (length(used) > 2) {
        "{.fn gpc} fits a factor of three to {classes_most} classes; {.fn stc} and {.fn bpm}
         can tell one class from the others, as in {.code stc(I(class == \"a\") ~ ., data)}."
      }
    ),
    "outcome_levels", arg = arg, call = call
  )
}
