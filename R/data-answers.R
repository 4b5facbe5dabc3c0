# The answers of a report (label_report()): the file that its page saves, and what in it is a check. A line
# for each row that was looked at: its position, often its identifier, the label `recorded`, an `answer`,
# one of the words below, and the true class as its `label`, where that was said.

answer_words <- c(
  right = "right", wrong = "wrong", open = "can't say", part = "wrong, class not given", none = ""
)

# of the file, beside identifiers
answer_columns <- c("row", "recorded", "answer", "label", "note")

#' must(), of the argument `checked` or a part of it
#' @noRd
must_checked <- function(fine, words, class = "checked", ..., of = NULL, .envir = rlang::caller_env()) {
  of <- paste0(c(of, "{.arg checked}"), collapse = " of ")
  must(fine, "checked", words, class, ..., of = of, .envir = .envir)
}

#' A file of answers, or another table of checks, as text: no number, date or NA is made of it
#' @noRd
read_answers <- function(file) {
  check <- function(fine, words, of = "{.file {file}}", ..., .envir = rlang::caller_env()) {
    must_checked(fine, words, c("file", "checked"), of = of, ..., .envir = .envir)
  }
  check(
    file.exists(file) && !dir.exists(file), "be a data frame, or the file of the answers", NULL,
    more = c(x = "There is no file {.file {file}}.")
  )
  bytes <- readBin(file, "raw", file.size(file))
  text <- if (any(bytes == 0)) NA else rawToChar(bytes)
  check(
    !is.na(text) && validUTF8(text), "be text in UTF-8",
    more = c(i = "A spreadsheet program may have rewritten it: save it as CSV in UTF-8.")
  )
  Encoding(text) <- "UTF-8"
  text <- sub("^\ufeff", "", text) # some programs begin a file of UTF-8 with it
  # programs for tables put another sign where numbers have a comma
  sep <- if (grepl("^\"?row\"?;", text)) ";" else if (grepl("^\"?row\"?\t", text)) "\t" else ","
  table <- tryCatch(
    utils::read.csv(
      text = text, sep = sep, colClasses = "character", na.strings = character(),
      check.names = FALSE, fill = FALSE, encoding = "UTF-8"
    ),
    error = identity, warning = identity
  )
  check(
    is.data.frame(table), "be a table with a comma between its columns", more = c(x = "{conditionMessage(table)}.")
  )
  check(nrow(table) > 0, "have a line for each row that was looked up: there are no answers in the file")
  # a position, and not the name of a row
  if ("row" %in% names(table)) table$row <- utils::type.convert(table$row, as.is = TRUE)
  table
}

#' Names that a column has in a file, and after read.csv()
#' @noRd
names_in_file <- function(name) unique(c(name, unbroken(name), make.names(unbroken(name))))

unbroken <- function(text) gsub("[\r\n]+", " ", text)

#' Line ends as reading a file leaves them
#' @noRd
unix_lines <- function(text) gsub("\r\n?", "\n", text)

#' Is a table of checks one of a report's answers, by its columns?
#' @noRd
are_answers <- function(checked) {
  "answer" %in% names(checked) &&
    ("recorded" %in% names(checked) || all(answer_text(checked$answer) %in% answer_words))
}

#' Answers as they are written, blanks and capitals aside
#' @noRd
answer_text <- function(v) tolower(trimws(replace(as.character(v), is.na(v), "")))

#' Which of the answers are checks: those that say what the class is
#'
#' @param row positions of the rows.
#' @return logical, one for each.
#' @noRd
check_answers <- function(checked, row, data, levels) {
  if (is.null(checked$recorded)) {
    checked$recorded <- levels[class_numbers(data$y, length(levels))[match(row, data$rows)]]
  }
  text <- lapply(checked[c("recorded", "label")], function(v) {
    unix_lines(replace(as.character(v), is.na(v), ""))
  })
  text$answer <- answer_text(checked$answer)
  unknown <- unique(text$answer[!text$answer %in% answer_words])
  must_checked(
    !length(unknown), "be {.or {.val {utils::head(answer_words, -1)}}}, or nothing",
    of = "Each {.field answer}", more = c(x = "Found: {.val {few(unknown)}}.")
  )
  said <- names(answer_words)[match(text$answer, answer_words)]
  same <- text$label == text$recorded
  apart <- said == "right" & !same | said == "wrong" & same
  must_checked(
    !any(apart),
    "go with its {.field label}: that recorded if {.val right}, another if {.val wrong}",
    of = "Each {.field answer}", more = c(x = "Another in row {.val {few(row[apart])}}.")
  )
  # what is known of a row that was checked before: that class, and what had been recorded
  code <- match(text$recorded, unix_lines(levels))
  known <- paste(data$reports$row, data$reports$value)
  other <- !paste(match(row, data$rows), code) %in% known
  must_checked(
    !any(other), "be the label that the fit has of that row", of = "Each {.field recorded}",
    more = c(
      x = "Another in row {.val {few(row[other])}}.",
      i = "Are these the answers of another report? If not, give the file itself: its text is then
           taken as it is."
    )
  )
  checks <- said %in% c("right", "wrong")
  if (!all(checks)) {
    inform_sturdy(
      c(i = "{sum(!checks)} of {length(checks)} answer{?s} {qty(sum(!checks))}{?leaves/leave} the
             class open and {?is/are} no check{?s}."),
      "open_answers", rows = row[!checks]
    )
  }
  checks
}
