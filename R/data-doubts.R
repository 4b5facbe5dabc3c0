# Columns that may not be what they seem: a message for each kind, and nothing is changed.

#' What a feature may be instead: `seems` tells from the feature and the labels, and `say` and `hint` are cli
#' markup about the names `these`
#' @noRd
column_doubts <- list(
  labels = list(
    seems = function(v, y) names_labels(v, y),
    say = "{qty(length(these))}Column{?s} {.val {these}} {?tells/tell} the label of every row.",
    hint = "If {qty(length(these))}{?it is/they are} the response, or made of it, leave {?it/them}
            out: no label can look wrong beside {?it/them}."
  ),
  text_dates = list(
    seems = function(v, y) mostly(v, is_date_text, least = 3),
    say = "{qty(length(these))}Column{?s} {.val {these}} {?has/have} dates for names, which are compared as
           names, not as times.",
    hint = "Numbers are made of them by {.code as.numeric(as.Date({these[1]}))}, which takes the {.arg format} of
            other dates than {.val 2024-12-31}."
  ),
  text_numbers = list(
    seems = function(v, y) mostly(v, is_number_text, least = 10),
    say = "{qty(length(these))}Column{?s} {.val {these}} {?has/have} numbers for nearly all of {?its/their} values, but
           {?is/are} compared as names, not by size.",
    hint = "Values that are no numbers: {no_numbers(features[these])}."
  )
)

#' A message for each doubt, with the columns that it is about
#' @noRd
inform_doubts <- function(features, y) {
  for (class in names(column_doubts)) {
    doubt <- column_doubts[[class]]
    found <- vapply(features, doubt$seems, NA, y)
    inform_these(class, c(i = doubt$say, i = doubt$hint), columns = names(features)[found])
  }
  inform_repeats(features, y)
}

#' Copies of rows, as joins and double entry make them: a label that was copied confirms itself
#'
#' Without a measurement, which differs in nearly every one of the other rows, rows may be alike by chance.
#' @noRd
inform_repeats <- function(features, y) {
  numbers <- features[vapply(features, feature_kind, "") == "numeric"]
  values <- function(rows) vapply(numbers, function(v) length(unique(v[rows])), 0) / sum(rows)
  first <- !duplicated(row_groups(c(list(y), features)))
  copies <- which(!first)
  if (length(copies) < 2 || !any(values(first) >= 0.9)) {
    return(invisible())
  }
  inform_sturdy(c(
    i = "{length(copies)} rows repeat another row in every input and the label.",
    i = "If they are copies, leave them out ({.fn unique}): a wrong label and its copy confirm each
         other, and neither looks wrong."
  ), "repeated_rows", features = length(features), copies = copies)
}

#' Does a column name or number the rows: text with a value of its own in nearly every one, or whole
#' numbers, all different, that count the rows in their order or are called an identifier?
#' @param v values of n rows, or a few that show which there are.
#' @noRd
names_rows <- function(v, n, name) {
  if (feature_kind(v) == "factor") {
    return(!anyDuplicated(v) || n >= 20 && length(unique(v)) > 0.9 * n)
  }
  length(v) == n && is_identifier(v) &&
    (in_row_order(as.double(v), n) || grepl("(^|[^A-Za-z])(id|ID|Id)$|[a-z](ID|Id)$", name))
}

#' Do numbers count the rows, up or down, with few left out?
#' @noRd
in_row_order <- function(v, n) abs(sum(sign(diff(v)))) == n - 1 && diff(range(v)) < 2 * n

#' Has each class a value of its own, and no other?
#' @noRd
names_labels <- function(v, y) {
  classes <- length(unique(y))
  if (!has_few_values(v, classes)) {
    return(FALSE)
  }
  values <- unique(v)
  length(values) == classes && !anyDuplicated(unique(cbind(match(v, values), y))[, 1])
}

#' Are the values of text or a factor, `least` of them, but for a fifth of a kind?
#' @noRd
mostly <- function(v, kind, least) {
  text <- if (feature_kind(v) == "factor") feature_text(v)
  length(text) >= least && mean(kind(text)) >= 0.8
}

#' The different values of text or a factor, without blanks around them
#' @noRd
feature_text <- function(v) setdiff(trimws(unique(as.character(v))), c("", NA))

# What text looks like that is a date
date_forms <- c(
  "[0-9]{4}([-/.])[0-9]{1,2}\\1[0-9]{1,2}([ T].*)?", "[0-9]{1,2}([-/.])[0-9]{1,2}\\1([0-9]{2}|[0-9]{4})( .*)?",
  "[0-9]{1,2}[-. ]+MONTH[-., ]+[0-9]{2,4}", "MONTH[. ]+[0-9]{1,2},? +[0-9]{4}"
)

is_date_text <- function(text) {
  months <- paste0("(", paste(month.abb, collapse = "|"), ")[a-z]*")
  forms <- sub("MONTH", months, date_forms, fixed = TRUE)
  found <- lapply(paste0("^", forms, "$"), grepl, text, ignore.case = TRUE)
  Reduce(`|`, found)
}

is_number_text <- function(text) {
  grepl("^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$", text)
}

no_numbers <- function(features) {
  text <- unique(unlist(lapply(features, feature_text)))
  odd <- text[!is_number_text(text)]
  if (length(odd)) name_some(encodeString(odd, quote = "\"")) else "none"
}
