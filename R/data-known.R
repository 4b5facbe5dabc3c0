# What is known about labels beside the labels: rows whose labels are trusted, and the
# group (clinic, annotator, batch) that decides which flip rate a row has.

inform_checked <- function(rows, changed) {
  changed <- length(unique(changed))
  inform_sturdy(
    c(i = "Of {length(rows)} checked label{?s} {changed} {qty(changed)}{?was/were} changed and
           {length(rows) - changed} confirmed."),
    "checked", changed = changed, confirmed = length(rows) - changed
  )
}

#' Labels that were looked up, for positions in the data given
#'
#' @param checked a data frame, or a file with one, as a report saves it.
#' @param data of the fit. @param id see row_ids(). @param arg the argument they came by.
#' @return list(row, label: number of the class), each row once.
#' @noRd
check_checked <- function(checked, data, levels, id, arg = "checked") {
  check <- function(fine, words, class = "checked", ..., of = NULL, frame = rlang::caller_env()) {
    of <- paste0(c(of, "{.arg {arg}}"), collapse = " of ")
    must(fine, arg, words, class, ..., of = of, .envir = force(frame))
  }
  if (rlang::is_string(checked)) checked <- read_answers(checked, check)
  ids <- row_ids(data, id)
  if (!is.null(data$units) && is.data.frame(checked) && is.numeric(checked$row)) {
    place <- fit_place(data, checked$row) # any row of a unit stands for it
    checked$row <- ifelse(is.na(place), checked$row, data$rows[place])
  }
  row <- check_checked_rows(checked, data, id, ids, check)
  if (are_answers(checked)) {
    checks <- check_answers(checked, row, data, levels, check)
    checked <- checked[checks, ]
    row <- row[checks]
  }
  check_labels(checked, row, data, levels, check)
}

#' @param id as it was given. @param ids of row_ids(). @param check as must(), of the argument.
#' @return positions, one for each row of `checked`.
#' @noRd
check_checked_rows <- function(checked, data, id, ids, check) {
  check(
    is.data.frame(checked),
    "be a data frame with the columns {.field row} and {.field label}, or a file of such answers",
    got = checked
  )
  own <- if (are_answers(checked)) utils::head(setdiff(names(checked), answer_columns), 1)
  # identifiers without a name are those that a file of answers has
  named_id <- c(names_in_file(ids$name), "id", if (!is.null(id) && identical(ids$name, "id")) own)
  key <- utils::head(intersect(named_id, names(checked)), 1)
  named <- "row" %in% names(checked) || length(ids) && length(key)
  missing <- c(if (!named) "row", setdiff("label", names(checked)))
  check(
    !length(missing), "have the columns {.field row} and {.field label}",
    more = c(
      x = "Missing: {.val {missing}}.",
      i = if (!named) "To go by identifiers give the argument {.arg id}, too: {.code id = data[\"name\"]}.",
      i = if (!named && length(ids)) {
        "In the place of {.field row} there may be {.field {ids$name}}."
      }
    )
  )
  key <- if (length(ids)) key
  row <- checked_rows(checked, key, ids, data$rows, check)
  if (is.null(id) && is.null(data$units) && !length(key)) { # names of units are none of rows
    check_one_meaning(row, ids, data$rows, check, own)
  }
  row
}

#' The classes that rows were found to have
#' @return list(row, label: number of the class), each row once
#' @noRd
check_labels <- function(checked, row, data, levels, check) {
  label <- match(unix_lines(as.character(checked$label)), unix_lines(levels))
  unknown <- unique(as.character(checked$label)[is.na(label)])
  check(
    !length(unknown), "be {.or {.val {levels}}}", of = "Each {.field label}",
    more = c(x = "Found: {.val {few(unknown)}}, in row{?s} {few(row[is.na(label)])}.")
  )
  edited <- any(label_codes(label, levels) != data$y[match(row, data$rows)])
  check(
    edited || !inherits(checked, c("sturdy_review", "sturdy_mislabelled")),
    "have the labels that were found: {.field label} of the unchanged list is the recorded one",
    more = c(
      i = "Put the true classes into {.field label}.",
      i = "If all of them are right as recorded, {.code as.data.frame()} of the list says so."
    )
  )
  apart <- unique(row[label != label[match(row, row)]])
  check(
    !length(apart), "have one {.field label} for each {.field row}",
    more = c(x = "With different labels: {.val {few(apart)}}.")
  )
  once <- !duplicated(row)
  list(row = row[once], label = label[once])
}

#' The rows that were looked up: by position, by identifier, or by both where these agree
#' @param key the column with identifiers, if any. @param rows of the fit.
#' @noRd
checked_rows <- function(checked, key, ids, rows, check) {
  inside <- function(row, said, name) {
    outside <- unique(said[!row %in% rows])
    check(
      !length(outside), "be a row of the fit", of = "Each {.field {name}}",
      more = c(
        x = "Not in the fit: {.val {few(outside)}}.",
        i = if (name == "row") "Rows are positions in the data that the fit was given."
      )
    )
    row
  }
  text <- if (length(key)) ids_as(checked[[key]], ids)
  named <- rows[match(text$asked, text$known)]
  if (!"row" %in% names(checked)) {
    first <- rows[match(text$known, text$known)]
    shared <- intersect(text$asked, text$known[first != rows])
    check(
      !length(shared), "be that of one row", c("ambiguous", "checked"), of = "Each {.field {key}}",
      more = c(
        x = "Of several rows: {.val {few(shared)}}.",
        i = "A column {.field row} beside it says which: the position in the data."
      )
    )
    return(inside(named, checked[[key]], key))
  }
  row <- inside(as_positions(checked[["row"]], ids, check), checked[["row"]], "row")
  # an identifier may be that of several rows: beside their positions it confirms them
  if (length(key)) inside(named, checked[[key]], key)
  apart <- which(text$asked != text$known[match(row, rows)])
  check(
    !length(apart), "say the same as {.field {key}}", of = "{.field row}",
    more = c(x = "Another row than {.field {key}}: {.val {few(row[apart])}}.")
  )
  row
}

#' Rows as numbers, or as text that files and forms make of them
#'
#' Text that may be the name of a row as well as the position of another is neither.
#' @noRd
as_positions <- function(row, ids, check) {
  number <- function(v) grepl("^[0-9]+$", v)
  hint <- c(i = if (length(ids)) "Names of rows go into a column {.field {ids$name}}.")
  text <- is.character(row) && all(number(row) | is.na(row))
  check(
    !text || !any(number(id_text(ids$value))), "be numeric: as text it may be the position of a
     row or the name of another", c("ambiguous", "checked"), of = "The column {.field row}",
    more = hint
  )
  if (text) row <- as.numeric(row)
  check(is.numeric(row), "be numeric", got = row, of = "The column {.field row}", more = hint)
  row
}

#' A number that is the position of one row and the name of another is neither, either
#' @param ids names of the rows, where these are not their positions. @param rows of the fit.
#' @param own the column with identifiers that a file of answers has.
#' @noRd
check_one_meaning <- function(row, ids, rows, check, own = NULL) {
  named <- rows[match(id_text(row), ids$value)]
  twofold <- unique(row[!is.na(named) & named != row])
  check(
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

#' Positions of trusted rows in the data given
#' @noRd
trusted_rows <- function(trusted, data) {
  n <- data$n_given
  missing <- if (is.logical(trusted) && length(trusted) == n) which(is.na(trusted))
  must(
    !length(missing), "trusted", "have no missing values", "trusted",
    more = c(x = "Missing in {qty(length(missing))}row{?s} {few(missing)}.")
  )
  if (is.logical(trusted) && length(trusted) == n) trusted <- which(trusted)
  indicator <- are_numbers(trusted) && length(trusted) == n && n > 1 && all(trusted %in% 0:1)
  must(
    are_numbers(trusted) && !indicator &&
      all(trusted == round(trusted) & trusted >= 1 & trusted <= n),
    "trusted", "be logical with an entry for each of the {n} row{?s} of the data, without
     missing values, or positions of rows", "trusted", got = trusted,
    more = c(i = if (indicator) "Of 0 and 1 {.code trusted = (x == 1)} makes it.")
  )
  as.integer(trusted)
}

check_rates <- function(rates, data) {
  droplevels(as.factor(one_for_each(rates, data, "rates", "the group", "~ clinic")))
}

#' Rates are of groups: identifiers and measurements have a value of their own in every row
#' @noRd
check_groups_shared <- function(rates) {
  alone <- sum(tabulate(rates) == 1)
  must(
    alone <= max(length(rates) / 2, 10), "rates", "be groups of rows", "rates",
    more = c(
      x = "{alone} of {length(rates)} rows are alone in their group.",
      i = "A rate of its own can't be told for a single row: join small groups, and numbers by
           {.fn cut}."
    )
  )
}

#' Evaluate an argument in the data, as subset is
#' @noRd
eval_known <- function(expr, data, env, arg) {
  failed <- "{.arg {arg}} can't be evaluated."
  value <- trying(eval(expr, if (is.data.frame(data)) data, env), failed, arg, arg = arg)
  if (!inherits(value, "formula")) {
    return(value)
  }
  must(length(value) == 2, arg, "be a one-sided formula such as {.code ~ clinic}", arg)
  # what the formula computes, not the columns it reads; functions are those of its writer
  variables <- as.list(attr(trying(stats::terms(value), failed, arg, arg = arg), "variables"))[-1]
  home <- environment(value)
  if (is.null(home)) home <- env
  parts <- lapply(variables, function(expr) eval_known(expr, data, home, arg))
  if (!length(parts)) {
    return(NULL)
  }
  if (arg == "trusted" && length(parts) == 1) {
    return(parts[[1]])
  }
  vectors <- vapply(parts, function(v) is.atomic(v) && is.null(dim(v)), NA)
  must(
    all(vectors) && length(unique(lengths(parts))) == 1, arg,
    "be a vector with an entry for each row of the data", arg,
    of = "Every variable of the formula {.arg {arg}}"
  )
  interaction(parts, drop = TRUE, sep = ", ")
}

