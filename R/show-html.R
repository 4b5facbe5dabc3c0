# HTML as strings: what the report is made of. Text is escaped where it enters.

#' Text that is HTML already
#' @noRd
html <- function(...) structure(paste(c(...), collapse = "\n"), class = "sturdy_html")

#' Text as HTML shows it
#' @noRd
html_text <- function(x) {
  x <- iconv(enc2utf8(as.character(x)), "UTF-8", "UTF-8", sub = "byte")
  x[is.na(x)] <- "NA"
  x <- gsub("&", "&amp;", x, fixed = TRUE)
  x <- gsub("<", "&lt;", x, fixed = TRUE)
  x <- gsub(">", "&gt;", x, fixed = TRUE)
  gsub("\"", "&quot;", x, fixed = TRUE)
}

html_value <- function(v) html_text(if (is.numeric(v)) number_words(v) else v)

#' An element; contents are HTML, attributes text
#' @noRd
tag <- function(name, ..., .attr = character()) {
  given <- if (length(.attr)) {
    paste0(" ", names(.attr), "=\"", html_text(.attr), "\"", collapse = "")
  }
  inside <- paste(c(...), collapse = "")
  paste0("<", name, given, ">", inside, "</", name, ">")
}

#' A table of texts that are escaped here; numbers stand on the right
#' @noRd
html_table <- function(frame, class = NULL, emphasis = integer()) {
  right <- vapply(frame, is.numeric, logical(1))
  side <- ifelse(right, "number", "text")
  head <- tag("tr", Map(function(name, side) {
    tag("th", html_text(name), .attr = c(scope = "col", class = side))
  }, names(frame), side))
  words <- lapply(frame, html_value)
  body <- vapply(seq_len(nrow(frame)), function(i) {
    cells <- Map(function(v, side) tag("td", v[i], .attr = c(class = side)), words, side)
    tag("tr", cells, .attr = if (i %in% emphasis) c(class = "this"))
  }, character(1))
  html(tag(
    "div", tag("table", tag("thead", head), tag("tbody", body), .attr = c(class = class)),
    .attr = c(class = "scroll", tabindex = "0")
  ))
}

#' Numbers in four digits, whole ones in all theirs
#' @noRd
number_words <- function(v) {
  is_whole <- v == round(v) & abs(v) < 1e15
  text <- format_each(signif(v, 3), 4)
  replace(text, which(is_whole), vapply(v[which(is_whole)], format, "", scientific = FALSE))
}
