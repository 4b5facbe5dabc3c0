# knitr: fits and lists of suspects as tables of a page.

#' Fits in documents of knitr
#'
#' In R Markdown and Quarto a fit at the end of a chunk is a table of what [print()] says, and so is the
#' result of [mislabelled()]. The chunk option `render = knitr::normal_print` shows the text of the
#' console in their place, and `print(fit)` always does.
#'
#' @param x A fit, or what [mislabelled()] returned.
#' @param n How many rows to show (10 by default).
#' @param digits Significant digits (3 by default, and 2 of probabilities).
#' @param ... Not used: `options` of the chunk and what else knitr hands over.
#' @return As [knitr::knit_print()] has it: text that is put into the document as it is.
#' @seealso [mislabelled()], [tidy()][tidy.sturdy_model]
#' @name sturdy-knitr
#' @examplesIf rlang::is_installed("knitr")
#' d <- data.frame(x = c(-2, -1, 1, 2), y = factor(c("no", "no", "yes", "yes")))
#' fit <- gpc(y ~ x, d, epsilon = 0.05, kernel = kernel_iso(1, fixed = TRUE))
#' knitr::opts_knit$set(out.format = "markdown")
#' cat(knitr::knit_print(mislabelled(fit)))
#' knitr::opts_knit$restore()
NULL

#' @rdname sturdy-knitr
#' @exportS3Method knitr::knit_print
knit_print.sturdy_model <- function(x, digits = 3, ...) {
  check_model(x)
  if (!into_markdown()) {
    return(knitr::normal_print(x))
  }
  fields <- fit_fields(x, check_digits(digits))
  markdown(field_table(fields[names(fields) != "More"]))
}

#' @rdname sturdy-knitr
#' @exportS3Method knitr::knit_print
knit_print.sturdy_mislabelled <- function(x, n = 10, digits = 2, ...) {
  if (!into_markdown() || is.null(attr(x, "expected"))) {
    return(knitr::normal_print(x))
  }
  shown <- shown_rows(utils::head(as.data.frame(x), check_count(n, "n")))
  rows <- vapply(shown, is.numeric, NA)
  shown[rows] <- lapply(shown[rows], function(v) format_each(v, check_digits(digits)))
  shown[!rows] <- lapply(shown[!rows], function(v) in_markdown(as.character(v)))
  markdown(
    field_table(mislabelled_fields(x, digits)),
    if (nrow(shown)) {
      knitr::kable(
        shown, "pipe", row.names = FALSE, align = ifelse(rows, "r", "l"),
        col.names = in_markdown(names(shown))
      )
    },
    not_shown(x, nrow(shown))
  )
}

into_markdown <- function() identical(knitr::opts_knit$get("out.format"), "markdown")

# Parts of a document, one below the other
markdown <- function(...) {
  parts <- lapply(list(...), paste, collapse = "\n")
  text <- paste(Filter(nzchar, unlist(parts)), collapse = "\n\n")
  knitr::asis_output(paste0("\n\n", text, "\n\n"))
}

field_table <- function(fields) {
  table <- data.frame(names(fields), in_markdown(unname(fields)))
  knitr::kable(table, "pipe", row.names = FALSE, col.names = c("", ""), align = "ll")
}

# Text with nothing in it that markdown would take for a sign of its own; kable() sees to bars
in_markdown <- function(text) gsub("([][\\\\`*_<>#$~^@])", "\\\\\\1", text)
