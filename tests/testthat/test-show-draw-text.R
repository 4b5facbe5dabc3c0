test_that("wrapped lines fit, break between words, and lose nothing", {
  text <- "concentration_of_thyroxin in the blood, in milligrams per litre"
  on_page(for (cex in c(0.6, 1)) {
    for (width in c(0.8, 1.5, 3)) {
      wrapped <- wrap_text(text, width, cex)
      expect_equal(gsub("[ \n]", "", wrapped), gsub(" ", "", text))
      lines <- strsplit(wrapped, "\n", fixed = TRUE)[[1]]
      expect_lte(max(text_width(lines, cex)), width)
    }
    expect_equal(wrap_text(text, 20, cex), text)
    expect_equal(wrap_text("", 1, cex), "")
  })
})

test_that("a word is broken only where it is wider than the line", {
  on_page({
    expect_equal(wrap_text("one two", text_width("one two") - 0.01), "one\ntwo")
    parts <- strsplit(wrap_text(strrep("m", 40), 1), "\n")[[1]]
    expect_equal(paste(parts, collapse = ""), strrep("m", 40))
    expect_lte(max(text_width(parts)), 1)
    expect_equal(nchar(wrap_text("mmm", 0.001)), 5) # a letter a line at least
    expect_equal(words_of("1.25, a.b"), c("1.25,", " ", "a.", "b"))
  })
})

test_that("texts are as large as they can be", {
  on_page({
    expect_equal(fit_text("short", 3)$cex, 1)
    long <- c("a name of many words and more words", "short")
    line <- fit_text(long, 0.85 * text_width(long))
    expect_equal(line$text, long)
    expect_lt(line$cex, 1)
    fitted <- fit_text(long, 0.5 * text_width(long))
    expect_true(fitted$fits)
    expect_lte(fitted$width, 0.5 * text_width(long))
    expect_equal(fitted$height, 2 * line_height(fitted$cex))
    expect_false(fit_text(strrep("long", 20), 0.5, 1)$fits)
    expect_equal(fit_text("", 1)$height, 0)
  })
})

test_that("shortened texts keep both ends and fit", {
  on_page({
    expect_equal(shorten("short", 3), "short")
    expect_match(shorten("beginning and end", 0.9), "^b.*[.]{3}.*d$")
    expect_lte(text_width(shorten("beginning and end", 0.9)), 0.9)
  })
})

test_that("a heading of 40 letters fits a narrow page", {
  on_page({
    heading <- fit_heading(
      paste("Probability of", strrep("malignant ", 4)), strrep("note ", 30), NULL, 3, 1.5
    )
    for (text in heading$texts) expect_lte(text$width, 3)
    expect_lt(heading$height, 1)
    # where it has to be lower, the note goes first, then the key, then the title
    low <- function(height) fit_heading("title", "note", c(no = "class 1"), 3, height)
    expect_length(low(1)$texts, 2)
    expect_named(low(0.7)$texts, "title")
    expect_false(is.null(low(0.7)$key))
    expect_null(low(0.5)$key)
    expect_length(low(0.1)$texts, 0)
    expect_equal(fit_heading("", NULL, NULL, 3, 1.5)$height, 0)
  }, c(3, 3))
})

test_that("a key takes the columns there is room for", {
  short <- c(no = "class 1", yes = "class 2")
  long <- setNames(short, c(
    "benign lesion of no further consequences", "malignant neoplasm of the stomach, stage 3"
  ))
  on_page({
    expect_equal(fit_key(short, 7)$columns, 2)
    expect_equal(fit_key(long, 7)$columns, 2)
    narrow <- fit_key(long, 3.5)
    expect_equal(narrow$columns, 1)
    expect_lte(text_width(narrow$text, narrow$cex), 3.5)
    expect_gt(narrow$height, fit_key(short, 7)$height)
  })
})

test_that("labels of an axis fit the figure, from either side", {
  name <- "m01_concentration_in_milligrams_per_litre"
  panel <- new_panel(new_axis(name, c(0, 1)), new_axis(name, c(0, 1)), list())
  for (size in list(c(4, 3), c(2, 2), c(12, 9))) {
    on_page({
      frame <- frame_panel(panel)
      expect_lte(frame$x$width, size[1])
      expect_lte(frame$y$width, size[2])
      expect_lt(sum(frame$mai[c(2, 4)]), size[1] / 2)
    }, size)
  }
})

test_that("one long name leaves two thirds of a panel's height", {
  levels <- c(letters[1:11], "A very long city name indeed, on the river")
  on_page({
    fitted <- fit_levels_low(levels, 4, 5)
    expect_true(fitted$fits)
    expect_lte(fitted$below, 0.3 * 5)
    # names that do not fit into a third have more
    long <- vapply(1:12, function(k) strrep(letters[k], 20), "")
    low <- fit_levels(long, 3, 0.3 * 3)
    more <- fit_levels_low(long, 3, 3)
    expect_false(low$fits)
    expect_lte(more$below, 0.45 * 3)
    expect_gt(more$below, 0.3 * 3)
  })
})

test_that("the texts of a key keep away from the next symbol", {
  on_page({
    graphics::plot.new()
    key <- fit_key(c(setosa = "class 1", versicolor = "class 2", virginica = "class 3"), 7)
    at <- draw_key(key, 3, 1)$text$x
    columns <- diff(graphics::grconvertX(at, "user", "inches"))
    # symbol and text, with room between
    expect_gt(min(columns), text_width(key$text, key$cex) + 2 * text_width("M", key$cex))
  })
})
