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

test_that("levels that differ only in blanks or capitals are named", {
  for (y in list(c("ill", "Ill "), factor(c("ill", "well", " ill", "well")), c("a b", "a  b"))) {
    expect_message(
      mold_outcome(y, many = TRUE), "only in blanks or capitals",
      class = "sturdy_message_similar_levels"
    )
  }
  expect_no_message(mold_outcome(c("ill", "well", "unwell"), many = TRUE))
  unused <- factor(c("ill", "well", "well"), levels = c("ill", "well", "Well"))
  expect_message(mold_outcome(unused), class = "sturdy_message_unused_levels")
  expect_no_message(mold_outcome(droplevels(unused)))
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
  left <- data.frame(y = factor(c("a", "b", "b")), x = c(NA, NA, 1))
  expect_error(
    suppressMessages(mold(y ~ x, left)), "two classes, not 1", class = "sturdy_error_outcome_levels"
  )
})

test_that("blank labels are named, and shown in quotes", {
  y <- rep(c("", "pos"), 10)
  cnd <- expect_message(mold_outcome(y), "na.strings = \"\"", class = "sturdy_message_blank_level")
  expect_equal(cnd$levels, "")
  expect_no_message(mold_outcome(rep(c("neg", "pos"), 10)))
  fit <- suppressMessages(gpc(data.frame(x = 1:20 / 2), y, kernel = held(), epsilon = 0.1))
  expect_output(print(fit), 'classes "" (10) and pos (10, event)', fixed = TRUE)
  expect_output(print(mislabelled(fit)), ' "" ', fixed = TRUE)
})

test_that("a factor of one column keeps its levels", {
  y <- factor(c("yes", "no", "no"), levels = c("yes", "no"))
  for (size in list(c(3, 1), 3)) {
    shaped <- y
    dim(shaped) <- size
    expect_equal(mold_outcome(shaped), list(y = c(-1, 1, 1), levels = c("yes", "no")))
  }
  expect_equal(mold_outcome(matrix(c(0, 1, 1)))$y, c(-1, 1, 1))
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

test_that("text is ordered as in the C locale, whatever the locale and the encoding", {
  # testthat sets C; where there is no C.UTF-8 it stays
  suppressWarnings(withr::local_collate("C.UTF-8"))
  expect_equal(mold_outcome(c("no", "Yes"))$levels, c("Yes", "no"))
  expect_equal(mold_outcome(c("no", "Yes"))$y, c(1, -1))
  expect_equal(
    suppressMessages(mold_outcome(c("\u0130", "i", "i")))$levels, c("i", "\u0130") # alike as capitals
  )
  latin1 <- iconv(c("\u00e9", "z"), "UTF-8", "latin1")
  expect_equal(mold_outcome(c(latin1, "\u00e9")), list(
    y = c(1, -1, 1), levels = c("z", "\u00e9")
  ))
  x <- data.frame(text = c("b", "B", "a", "\u0130", "b"))
  molded <- mold_xy(x, c(0, 1, 0, 1, 1), TRUE)
  expect_equal(molded$blueprint$coding$text$levels, c("B", "a", "b", "\u0130"))
})

test_that("a fit and a stream are the same in every locale, and print names the event", {
  skip_on_cran()
  script <- withr::local_tempfile(fileext = ".R", lines = c(
    sprintf(".libPaths(%s)", deparse1(.libPaths())),
    "library(sturdy)",
    'd <- data.frame(u = c(1:6, -(1:6)), v = rep(c("b", "B", "\\u0130", "a"), 3))',
    'd$class <- c("no", "Yes")[1 + (d$u < 0)]; d$class[3] <- "Yes"',
    "kernel <- kernel_ard(lengthscale = 1, fixed = TRUE)",
    "fit <- gpc(class ~ ., d, kernel = kernel, epsilon = 0.1)",
    "d$v <- chartr(\"\\u0130\", \"_\", d$v) # R converts files to the locale",
    "file <- tempfile(); write.csv(d, file, row.names = FALSE)",
    'classes <- c(u = "numeric", v = "factor", class = "factor")',
    "stream <- bpm_stream(class ~ ., file, colClasses = classes)",
    "words <- capture.output(print(fit), print(stream))",
    "out <- list(",
    '  event = fit$blueprint$levels[2], said = sum(grepl("no [(][0-9]+, event[)]", words)),',
    "  levels = lapply(list(fit$blueprint, stream$blueprint), function(b) enc2utf8(b$coding$v$levels)),",
    "  prob = unname(predict(fit, d, type = \"response\")), coef = unname(coef(stream))",
    ")",
    "saveRDS(out, commandArgs(TRUE))"
  ))
  installed <- tryCatch(system2("locale", "-a", stdout = TRUE, stderr = FALSE), error = identity)
  others <- grep("^(tr|de|en|et)_", if (is.character(installed)) installed, value = TRUE)
  results <- lapply(c("C", "C.UTF-8", utils::head(others, 2)), function(locale) {
    out <- withr::local_tempfile(fileext = ".rds")
    withr::local_envvar(LC_ALL = locale)
    said <- suppressWarnings(system2(
      file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script), shQuote(out)),
      stdout = TRUE, stderr = TRUE
    ))
    expect_true(file.exists(out), info = said)
    readRDS(out)
  })
  expect_equal(results[[1]]$event, "no")
  expect_equal(results[[1]]$said, 2)
  for (other in results[-1]) expect_equal(other, results[[1]])
})
