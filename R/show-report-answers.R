# What a report asks of each row, and what its script (inst/report/answers.js) has to know.

#' The fields in which a row is answered: none of them is filled
#' @param row its position, @param name what else identifies it, or `NA`. @param label recorded.
#' @noRd
answer_fields <- function(row, name, label, levels) {
  other <- which(levels != label)
  option <- function(code) tag("option", html_text(levels[code]), .attr = c(value = code))
  html(fill_template("answer.html", list(
    row = row, name = if (!is.na(name)) name, label = label, other = if (length(other) == 1) levels[other],
    classes = html(lapply(other, option))
  )))
}

#' The data of the script
#'
#' @param listed positions in `found`. @param ids of row_ids().
#' @param saved name of the file that the page saves.
#' @noRd
report_answers <- function(object, found, listed, ids, saved, title) {
  levels <- object$blueprint$levels
  rows <- found[listed, ]
  expected <- attr(found, "expected")
  test <- attr(found, "test")
  place <- match(rows$row, object$data$rows)
  times <- attr(found, "times")
  by_label <- function(p) if (is.null(times)) p else times * p # of rows that stand for several
  some <- if (!is.null(test)) by_label(found$if_some)
  total <- list(expected = expected$count, p = expected$at_fit, some = if (!is.null(test)) sum(some))
  html(json(list(
    key = report_key(object, ids, title), saved = saved, levels = I(levels),
    identifier = if (!is.null(ids)) unbroken(ids$name),
    row = I(rows$row), id = if (!is.null(ids)) I(id_text(ids$value)[place]),
    recorded = I(as.integer(rows$label)), p = I(by_label(found$probability)[listed]),
    some = if (!is.null(test)) I(some[listed]), total = total,
    counted = expected$at_fit > 0 && (is.null(test) || test$kind != "curve"),
    sign = is.null(test) || test$kind != "no sign"
  )))
}

#' Under what name a browser keeps the answers: the same for the same rows, labels and title
#'
#' Of values alone: what R knows of a vector beside its values may change when a fit is saved.
#' @noRd
report_key <- function(object, ids, title) {
  data <- object$data
  numbers <- unname(c(data[c("X", "y", "rows")], data$reports[c("row", "source", "value")]))
  digest(list(
    lapply(numbers, function(v) as.vector(v) + 0),
    paste0(c(object$blueprint$levels, id_text(ids$value), title), ";")
  ))
}

#' What the page saves its answers as, by the name of its own file
#' @noRd
answers_file <- function(file) paste0(sub("[.][^.]*$", "", basename(file)), "-answers.csv")

#' How the answers are taken in, as code
#' @param id as label_report() was given it. @param data,written expressions of `data` and `id`.
#' @noRd
answers_code <- function(file, id, data, written) {
  quoted <- function(text) encodeString(text, quote = "\"")
  column <- rlang::is_string(id) && is.symbol(data)
  by <- if (column) paste0(deparse1(data), "[", quoted(id), "]") else deparse1(written)
  said <- function(name, code, fine) if (fine && nchar(code) <= 60) paste0(", ", name, " = ", code)
  saved <- answers_file(file)
  list(saved = saved, code = paste0(
    "fit <- update(fit, checked = ", quoted(saved), said("id", by, !is.null(id)), ")\n",
    "label_report(fit, ", quoted(basename(file)), said("data", deparse1(data), is.symbol(data)),
    said("id", if (column) quoted(id) else deparse1(written), !is.null(id)), ")"
  ))
}
