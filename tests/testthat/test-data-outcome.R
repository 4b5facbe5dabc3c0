test_that("the second level is the event, whatever the coding", {
  expect_equal(mold_outcome(c(0, 1, 1)), list(y = c(-1, 1, 1), levels = c("0", "1")))
  expect_equal(mold_outcome(c(-1, 1))$levels, c("-1", "1"))
  expect_equal(mold_outcome(c(TRUE, FALSE)), list(y = c(1, -1), levels = c("FALSE", "TRUE")))
  expect_equal(mold_outcome(c("b", "a"))$levels, c("a", "b"))
  expect_equal(mold_outcome(factor(c("b", "a"), levels = c("b", "a")))$y, c(-1, 1))
})

test_that("unused levels are dropped with a message when two are left", {
  y <- factor(c("a", "b"), levels = c("a", "x", "b"))
  expect_message(out <- mold_outcome(y), class = "sturdy_message_unused_levels")
  expect_equal(out$levels, c("a", "b"))
})

test_that("a response without two classes is refused", {
  for (bad in list(
    c(1, 1), c(TRUE, TRUE), c("a", "a"), factor(c("a", "a")),
    factor(c("a", "a"), levels = c("a", "b")), letters[1:3], 1:2, numeric()
  )) {
    expect_error(mold_outcome(bad), class = "sturdy_error_outcome_levels")
  }
  expect_snapshot({
    said(mold_outcome(c(1, 2, 2)))
    said(mold_outcome(letters))
  })
})

test_that("one row is enough when the two classes are known", {
  expect_equal(mold_outcome(1), list(y = 1, levels = c("0", "1")))
  expect_equal(mold_outcome(factor("b", levels = c("a", "b")))$y, 1)
  expect_error(mold_outcome("a"), class = "sturdy_error_outcome_levels")
  expect_equal(mold_outcome(c(1, 1), one_class = TRUE)$y, c(1, 1))
})

test_that("a response of another type is refused", {
  for (bad in list(NULL, list(1, 0), data.frame(y = 0:1), matrix(0:1, 1), mean, 1i)) {
    expect_error(mold_outcome(bad), class = "sturdy_error_outcome_type")
  }
})

test_that("missing values of the response are refused", {
  for (bad in list(c(0, NA), c(0, NaN), factor(c("a", NA, "b")), addNA(factor(c("a", NA))))) {
    expect_error(mold_outcome(bad), class = "sturdy_error_missing")
  }
  expect_error(mold_outcome(c(0, Inf)), class = "sturdy_error_outcome_levels")
  expect_snapshot(said(mold_outcome(c(0, NA, 1))))
})

test_that("labels of known classes are read in any form", {
  levels <- c("no", "yes")
  expect_equal(forge_outcome(c("yes", "no"), levels), c(1, -1))
  expect_equal(forge_outcome(factor("yes", levels = c("yes", "no")), levels), 1)
  expect_equal(forge_outcome(c(TRUE, FALSE), c("FALSE", "TRUE")), c(1, -1))
  expect_equal(forge_outcome(c(1, 0, 1), c("0", "1")), c(1, -1, 1))
  expect_equal(forge_outcome(c(-1L, 1L), c("-1", "1")), c(-1, 1))
  expect_equal(forge_outcome(character(), levels), numeric())
  expect_error(forge_outcome("maybe", levels), class = "sturdy_error_outcome_levels")
  expect_error(forge_outcome(1:2, levels), class = "sturdy_error_novel_levels")
  expect_error(forge_outcome(c("no", NA), levels), class = "sturdy_error_missing")
  expect_error(forge_outcome(NULL, levels), class = "sturdy_error_outcome_type")
  expect_error(
    forge_outcome(matrix("no", 1, 2), levels), class = "sturdy_error_outcome_type"
  )
})
