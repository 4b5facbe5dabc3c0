# The templates of the report, inst/report/*.html: the words of the page, with slots for what a
# fit has to say. `{{name}}` is a slot: text is escaped there, and html() is not. What stands
# between `{{?name}}` and `{{/name}}` is kept where there is a value of that name, and
# between `{{^name}}` and `{{/name}}` where there is none.

#' A file of the report that is installed with the package
#' @noRd
report_part <- function(name) {
  path <- system.file("report", name, package = "sturdy", mustWork = TRUE)
  paste(readLines(path, encoding = "UTF-8", warn = FALSE), collapse = "\n")
}

#' A template with its slots filled, in one pass: what is put in is not looked at
#' @param values by name; no value is `NULL` or `FALSE`.
#' @noRd
fill_template <- function(name, values) {
  values <- Filter(function(value) !is.null(value) && !isFALSE(value), values)
  template <- report_part(name)
  marked <- regmatches(template, gregexpr("\\{\\{/[a-z_]+\\}\\}", template))[[1]]
  for (part in unique(gsub("[{}/]", "", marked))) {
    there <- part %in% names(values)
    template <- keep_parts(template, "?", part, there)
    template <- keep_parts(template, "^", part, !there)
  }
  at <- gregexpr("\\{\\{[a-z_]+\\}\\}", template)
  slots <- gsub("[{}]", "", regmatches(template, at)[[1]])
  stopifnot(all(slots %in% names(values)))
  inside <- vapply(values[slots], function(value) {
    if (inherits(value, "sturdy_html")) unclass(value) else html_text(value)
  }, "")
  around <- regmatches(template, at, invert = TRUE)[[1]]
  paste0(c(rbind(around, c(inside, ""))), collapse = "")
}

keep_parts <- function(template, mark, name, keep) {
  pattern <- sprintf("(?s)\\{\\{\\%s%s\\}\\}(.*?)\\{\\{/%s\\}\\}", mark, name, name)
  gsub(pattern, if (keep) "\\1" else "", template, perl = TRUE)
}
