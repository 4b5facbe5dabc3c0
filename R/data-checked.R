# Labels that were looked up and come back: a table of rows and the classes they were found to have, or
# the file of a report's answers. Rows are told by `row`, their position in the data given, by an
# identifier, or by both.

#' Labels that were looked up
#'
#' @param checked a data frame, or a file with one, as a report saves it.
#' @param data of the fit. @param id see row_ids().
#' @return list(row: position in the data given, each once; label: number of the class; of rows that review()
#'   has drawn also drawn, see drawn_checks(), and the rows `asked`).
#' @noRd
check_checked <- function(checked, data, levels, id) {
  if (rlang::is_string(checked)) checked <- read_answers(checked)
  must_checked(
    is.data.frame(checked),
    "be a data frame with the columns {.field row} and {.field label}, or a file of such answers",
    got = checked
  )
  asked <- check_checked_rows(checked, data, id)
  drawn <- checked[["drawn"]]
  found <- rep(TRUE, nrow(checked))
  if (!is.null(drawn)) found <- !is.na(checked$label) & nzchar(as.character(checked$label))
  if (!all(found)) checked <- as.data.frame(checked)[found, ] # no unchanged list
  row <- asked[found]
  if (are_answers(checked)) {
    checks <- check_answers(checked, row, data, levels)
    checked <- checked[checks, ]
    row <- row[checks]
  }
  c(check_labels(checked, row, data, levels), list(drawn = drawn, asked = asked))
}

#' The rows that were looked up
#'
#'     columns         which rows
#'     `row`           those at these positions, none of which may be the name of another row
#'     identifiers     those of these names, each of which must be that of one row
#'     both            those at these positions, which the names confirm
#' @param id as it was given.
#' @return positions, one for each row of `checked`.
#' @noRd
check_checked_rows <- function(checked, data, id) {
  ids <- row_ids(data, id)
  key <- id_key(checked, ids, id)
  check_columns(checked, key, ids)
  position <- if ("row" %in% names(checked)) rows_at(checked$row, data, ids)
  if (length(key)) {
    return(rows_called(checked[[key]], key, position, ids, data$rows))
  }
  # a number is a position where `id` was given, too, and where names are those of units; text may be either
  told <- !is.null(id) && !is.character(checked$row) || !is.null(data$units)
  if (!told) check_one_meaning(position, ids, data$rows, own_key(checked))
  position
}

#' The column of `checked` that has the identifiers of the rows, empty where none has
#'
#' Identifiers without a name are those that a file of answers has.
#' @noRd
id_key <- function(checked, ids, id) {
  nameless <- !is.null(id) && identical(ids$name, "id")
  called <- c(names_in_file(ids$name), "id", if (nameless) own_key(checked))
  if (length(ids)) utils::head(intersect(called, names(checked)), 1)
}

#' The column with identifiers that a file of answers has, whatever it is called
#' @noRd
own_key <- function(checked) {
  if (are_answers(checked)) utils::head(setdiff(names(checked), answer_columns), 1)
}

#' The columns that a table of checks needs
#' @param key see id_key().
#' @noRd
check_columns <- function(checked, key, ids) {
  nameless <- !"row" %in% names(checked) && !length(key)
  missing <- c(if (nameless) "row", setdiff("label", names(checked)))
  must_checked(
    !length(missing), "have the columns {.field row} and {.field label}",
    more = c(
      x = "Missing: {.val {missing}}.",
      i = if (nameless) "To go by identifiers give the argument {.arg id}, too: {.code id = data[\"name\"]}.",
      i = if (nameless && length(ids)) "In the place of {.field row} there may be {.field {ids$name}}."
    )
  )
}

#' @param position of each row, `NA` where it is not in the fit. @param said,name what came, and by which column.
#' @noRd
check_in_fit <- function(position, said, name, ids) {
  outside <- unique(said[is.na(position)])
  must_checked(
    !length(outside), "be a row of the fit", of = "Each {.field {name}}",
    more = c(
      x = "Not in the fit: {.val {few(outside)}}.",
      i = if (name == "row") "Rows are positions in the data that the fit was given.",
      i = if (name == "row" && length(ids)) "Names of rows go into a column {.field {ids$name}}."
    )
  )
}

#' Rows by their positions: numbers, or text that files and forms make of them. Any row of a unit stands
#' for it.
#' @noRd
rows_at <- function(said, data, ids) {
  number <- is.character(said) && all(grepl("^[0-9]+$", said) | is.na(said))
  row <- if (number) as.numeric(said) else said
  must_checked(is.numeric(row), "be numeric", got = row, of = "The column {.field row}")
  position <- data$rows[fit_place(data, row)]
  check_in_fit(position, said, "row", ids)
  position
}

#' Rows by their identifiers
#'
#' An identifier may be that of several rows: it says which only beside their positions, which it confirms.
#' @param said identifiers, of the column `key`. @param position see rows_at(), or `NULL`. @param rows of the fit.
#' @noRd
rows_called <- function(said, key, position, ids, rows) {
  text <- ids_as(said, ids)
  place <- match(replace(text$asked, is.na(said), NA), text$known, incomparables = NA)
  if (is.null(position)) {
    first <- match(text$known, text$known)
    shared <- intersect(text$asked, text$known[rows[first] != rows])
    must_checked(
      !length(shared), "be that of one row", c("ambiguous", "checked"), of = "Each {.field {key}}",
      more = c(
        x = "Of several rows: {.val {few(shared)}}.",
        i = "A column {.field row} beside it says which: the position in the data."
      )
    )
    position <- rows[place]
  }
  check_in_fit(rows[place], said, key, ids)
  apart <- which(text$asked != text$known[match(position, rows)])
  must_checked(
    !length(apart), "say the same as {.field {key}}", of = "{.field row}",
    more = c(x = "Another row than {.field {key}}: {.val {few(position[apart])}}.")
  )
  position
}

#' A number that is the position of one row and the name of another is neither, either
#' @param ids names of the rows, where these are not their positions. @param rows of the fit.
#' @param own see own_key().
#' @noRd
check_one_meaning <- function(row, ids, rows, own) {
  named <- rows[match(id_text(row), ids$value)]
  twofold <- unique(row[!is.na(named) & named != row])
  must_checked(
    !length(twofold), "be one row: rows of these data have numbers for names",
    c("ambiguous", "checked"), of = "Each {.field row}",
    more = c(
      x = "The position of one row and the name of another: {.val {few(twofold)}}.",
      i = if (length(own)) {
        "Give the argument {.arg id}, too: {.code id = data[\"{own}\"]}."
      } else {
        "Give a column {.field {ids$name}} with the names, as {.fn review} has it, with
         {.field row} or in its place."
      }
    )
  )
}

#' The classes that rows were found to have
#' @return list(row, label: number of the class), each row once
#' @noRd
check_labels <- function(checked, row, data, levels) {
  label <- match(unix_lines(as.character(checked$label)), unix_lines(levels))
  unknown <- unique(as.character(checked$label)[is.na(label)])
  must_checked(
    !length(unknown), "be {.or {.val {levels}}}", of = "Each {.field label}",
    more = c(x = "Found: {.val {few(unknown)}}, in row{?s} {few(row[is.na(label)])}.")
  )
  edited <- any(label_codes(label, levels) != data$y[match(row, data$rows)])
  must_checked(
    edited || !inherits(checked, c("sturdy_review", "sturdy_mislabelled")),
    "have the labels that were found: {.field label} of the unchanged list is the recorded one",
    more = c(
      i = "Put the true classes into {.field label}.",
      i = "If all of them are right as recorded, {.code as.data.frame()} of the list says so."
    )
  )
  apart <- unique(row[label != label[match(row, row)]])
  must_checked(
    !length(apart), "have one {.field label} for each {.field row}",
    more = c(x = "With different labels: {.val {few(apart)}}.")
  )
  once <- !duplicated(row)
  list(row = row[once], label = label[once])
}

inform_checked <- function(rows, changed) {
  changed <- length(unique(changed))
  inform_sturdy(
    c(i = "Of {length(rows)} checked label{?s} {changed} {qty(changed)}{?was/were} changed and
           {length(rows) - changed} confirmed."),
    "checked", changed = changed, confirmed = length(rows) - changed
  )
}
