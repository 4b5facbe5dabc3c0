# Fits and lists of suspects in documents.

as_markdown <- function(x, ...) {
  old <- knitr::opts_knit$get("out.format")
  knitr::opts_knit$set(out.format = "markdown")
  on.exit(knitr::opts_knit$set(out.format = old))
  shown <- knitr::knit_print(x, ...)
  expect_s3_class(shown, "knit_asis")
  lines <- strsplit(as.character(shown), "\n", fixed = TRUE)[[1]]
  lines[nzchar(lines)]
}

# The cells of each line of the table
cells <- function(lines) {
  lapply(strsplit(grep("^\\|", lines, value = TRUE), "(?<!\\\\)\\|", perl = TRUE), function(cell) {
    trimws(gsub("\\\\(.)", "\\1", cell))
  })
}

test_that("a fit is a table of the lines that print() has", {
  skip_if_not_installed("knitr")
  for (fit in list(gpc(class ~ a + b, toy(), kernel = held()), toy_fit())) {
    told <- cells(as_markdown(fit))[-(1:2)]
    said <- capture.output(print(fit))
    for (row in told) {
      line <- said[startsWith(trimws(said), row[2])]
      expect_length(line, 1)
      expect_match(line, row[3], fixed = TRUE)
    }
  }
  expect_false(any(grepl("[^\\]<", as_markdown(fit)))) # markdown would take <gpc> for a tag
})

test_that("suspects are a table of rows, cut and told how many follow", {
  skip_if_not_installed("knitr")
  found <- mislabelled(toy_fit())
  lines <- as_markdown(found, n = 3)
  rows <- cells(lines)
  rows <- rows[lengths(rows) == ncol(found) + 1]
  expect_identical(rows[[1]][-1], names(found))
  expect_length(rows, 2 + 3)
  expect_identical(rows[[3]][2], as.character(found$row[1]))
  expect_identical(tail(lines, 1), "(37 less suspicious rows not shown)")
  expect_match(as_markdown(found, n = 39), "(1 less suspicious row not shown)", fixed = TRUE, all = FALSE)
})

test_that("names that markdown would take for its own signs stand as they are", {
  skip_if_not_installed("knitr")
  d <- toy()
  levels(d$class) <- c("a|b", "*c_d*")
  lines <- as_markdown(mislabelled(gpc(class ~ a + b, d, kernel = held(), epsilon = 0.05)))
  expect_true("a&#124;b" %in% unlist(cells(lines)))
  expect_match(lines, "\\*c\\_d\\*", fixed = TRUE, all = FALSE)
})

test_that("elsewhere it is the text of the console", {
  skip_if_not_installed("knitr")
  old <- knitr::opts_knit$get("out.format")
  withr::defer(knitr::opts_knit$set(out.format = old))
  knitr::opts_knit$set(out.format = "latex")
  expect_output(knitr::knit_print(toy_fit()), "Wrong labels?", fixed = TRUE)
  expect_output(knitr::knit_print(mislabelled(toy_fit())), "<sturdy_mislabelled>", fixed = TRUE)
})
