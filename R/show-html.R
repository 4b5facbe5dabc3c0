# HTML as strings: what the report is made of. Text is escaped where it enters.

#' Text that is HTML already
#' @noRd
html <- function(...) structure(paste(c(...), collapse = "\n"), class = "sturdy_html")

#' Text as HTML shows it
#' @noRd
html_text <- function(x) {
  x <- utf8_text(x)
  entities <- c("&" = "&amp;", "<" = "&lt;", ">" = "&gt;", "\"" = "&quot;")
  for (letter in names(entities)) x <- gsub(letter, entities[letter], x, fixed = TRUE)
  x
}

#' Text of which every byte is one of UTF-8
#' @noRd
utf8_text <- function(x) {
  x <- iconv(enc2utf8(as.character(x)), "UTF-8", "UTF-8", sub = "byte")
  replace(x, is.na(x), "NA")
}

#' Data for the script of a page, as JSON that can't end the element it stands in
#'
#' Objects are lists with names; a vector is an array if it is `I()` and else one value; `NULL` and
#' `NA` of numbers are null.
#' @noRd
json <- function(x) {
  if (is.null(x)) {
    "null"
  } else if (is.list(x)) {
    paste0("{", paste0(json_string(names(x)), ":", vapply(x, json, ""), collapse = ",\n"), "}")
  } else if (inherits(x, "AsIs")) {
    paste0("[", paste(json(unclass(x)), collapse = ","), "]")
  } else if (is.numeric(x)) {
    ifelse(is.finite(x), sprintf("%.15g", x), "null")
  } else if (is.logical(x)) {
    ifelse(x, "true", "false")
  } else {
    json_string(x)
  }
}

json_string <- function(x) {
  x <- utf8_text(unclass(x))
  x <- gsub("\\", "\\\\", x, fixed = TRUE)
  # what JSON can't hold as it is, what HTML could take for its own, and ends of lines of scripts
  letters <- c(intToUtf8(c(1:31, 127), multiple = TRUE), strsplit("\"<>&'\u2028\u2029", "")[[1]])
  for (letter in letters[vapply(letters, function(l) any(grepl(l, x, fixed = TRUE)), NA)]) {
    x <- gsub(letter, sprintf("\\u%04x", utf8ToInt(letter)), x, fixed = TRUE)
  }
  sprintf("\"%s\"", x)
}

html_value <- function(v) html_text(if (is.numeric(v)) number_words(v) else if (is.null(time_of(v))) v else format(v))

#' An element; contents are HTML, attributes text
#' @noRd
tag <- function(name, ..., .attr = character()) {
  given <- if (length(.attr)) paste0(" ", names(.attr), "=\"", html_text(.attr), "\"", collapse = "")
  paste0("<", name, given, ">", paste(c(...), collapse = ""), "</", name, ">")
}

#' A table of texts that are escaped here; numbers stand on the right
#' @noRd
html_table <- function(frame, class = NULL, emphasis = integer()) {
  side <- ifelse(vapply(frame, is.numeric, NA), "number", "text")
  title <- function(name, side) tag("th", html_text(name), .attr = c(scope = "col", class = side))
  head <- tag("thead", tag("tr", Map(title, names(frame), side)))
  words <- lapply(frame, html_value)
  body <- vapply(seq_len(nrow(frame)), function(i) {
    cells <- Map(function(v, side) tag("td", v[i], .attr = c(class = side)), words, side)
    tag("tr", cells, .attr = if (i %in% emphasis) c(class = "this"))
  }, character(1))
  table <- tag("table", head, tag("tbody", body), .attr = c(class = class))
  html(tag("div", table, .attr = c(class = "scroll", tabindex = "0")))
}

#' Numbers in four digits, whole ones in all theirs
#' @noRd
number_words <- function(v) {
  is_whole <- v == round(v) & abs(v) < 1e15
  text <- format_each(signif(v, 3), 4)
  replace(text, which(is_whole), vapply(v[which(is_whole)], format, "", scientific = FALSE))
}
