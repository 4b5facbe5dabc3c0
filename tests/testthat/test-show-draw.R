test_that("a text takes lines between its words, and is smaller where a word is too wide", {
  text <- "Probability of malignant neoplasm of the stomach, stage 3"
  on_page({
    for (width in c(1, 2, 4)) {
      fitted <- fit_text(text, width)
      expect_identical(gsub("\n", " ", fitted$text), text)
      expect_lte(text_width(fitted$text, fitted$cex), width * 1.001)
      lines <- lengths(strsplit(fitted$text, "\n"))
      expect_equal(fitted$height, lines * line_height(fitted$cex))
    }
    expect_identical(fit_text(text, 20)$text, text)
    expect_lt(fit_text(strrep("m", 20), 1.5)$cex, 1)
    expect_identical(fit_text("", 1)$height, 0)
  })
})

test_that("names beside an axis keep both ends, and have the room they are given", {
  long <- sprintf("%02d inflammation of the lower extremities", 1:12)
  on_page({
    fitted <- fit_ticks_beside(long, 1.2, 3)
    expect_lte(fitted$reach, 1.3)
    expect_match(fitted$words, "^[0-9]{2}.*[.][.].*ies$")
    expect_lte(12 * line_height(fitted$cex), 3.01)
    expect_identical(fit_ticks_beside(c("a", "b"), 1, 3)$words, c("a", "b"))
    short <- fit_ticks_below(new_axis("", levels = letters[1:5]), 5, 1)
    expect_identical(short$las, 1)
    expect_identical(fit_ticks_below(new_axis("", levels = long), 5, 1)$las, 2)
  })
})

test_that("where a heading has to be lower, the note goes first, then the key, then the title", {
  picture <- list(title = "title", note = "note", key = c(no = "class 1"))
  on_page({
    low <- function(height) names(fit_heading(picture, 3, height)$parts)
    expect_identical(low(2), c("title", "note", "key"))
    expect_identical(low(0.85), c("title", "key"))
    expect_identical(low(0.4), "title")
    expect_identical(low(0.1), character())
    expect_identical(fit_heading(NULL, 3, 1)$height, 0)
  }, c(3, 3))
})

test_that("a key takes the columns there is room for", {
  short <- c(no = "class 1", yes = "class 2")
  long <- setNames(short, c(
    "benign lesion of no further consequences", "malignant neoplasm of the stomach, stage 3"
  ))
  on_page({
    expect_equal(fit_key(short, 7)$columns, 2)
    expect_equal(fit_key(long, 3.5)$columns, 1)
    expect_gt(fit_key(long, 3.5)$height, fit_key(short, 7)$height)
  })
})
