# Counts ---------------------------------------------------------------------

test_that("the counts and the history of a stream add up", {
  d <- stream_data()
  fit <- stream(d, batch_size = 70)
  expect_identical(fit$filter$rows, 300)
  expect_identical(fit$filter$batches, 5)
  expect_identical(fit$filter$history$rows, c(70, 140, 210, 280, 300))
  expect_equal(fit$filter$history$errors[5], fit$filter$errors)
  expect_equal(fit$filter$history$log_score[5], log_evidence(fit))
  # predict, then update: the prequential error by hand
  wrong <- 0
  so_far <- stream(d[1:70, ], batch_size = 70)
  wrong <- so_far$filter$errors
  for (i in 71:300) {
    wrong <- wrong + (predict(so_far, d[i, ]) != d$class[i])
    so_far <- absorb(so_far, d[i, ])
  }
  expect_equal(fit$filter$errors, wrong)
})

test_that("a long history is thinned, the last line kept", {
  d <- stream_data(250)
  d <- d[rep(1:250, 5), ]
  fit <- bpm_stream(class ~ a, d, batch_size = 1, levels = c("no", "yes"),
    scale = FALSE, progress = FALSE)
  history <- fit$filter$history
  expect_lt(nrow(history), 1000)
  expect_identical(fit$filter$batches, 1250)
  expect_identical(history$rows[nrow(history)], 1250)
  expect_false(is.unsorted(history$rows, strictly = TRUE))
})

test_that("the latest line stays when the history is thinned", {
  counts <- function(i) list(
    rows = 2 * i, errors = i / 2, log_score = -i / 3, log_evidence = -i, counts = c(i, i)
  )
  filter <- empty_filter(NULL)
  for (i in 1:1000) {
    filter <- record_batch(filter, counts(i), 2, 2)
  }
  history <- filter$history
  expect_identical(history$rows, 2 * seq(2, 1000, by = 2))
  latest <- as.list(history[nrow(history), ])
  expect_identical(latest, counts(1000)[names(latest)])
  expect_identical(filter[names(latest)], latest)
  filter <- record_batch(filter, counts(1001), 2, 2)
  expect_identical(filter$history$rows, c(history$rows, 2002))
})

# Missing values -------------------------------------------------------------

test_that("na.omit leaves rows out and counts them", {
  d <- stream_data()
  d$a[20] <- NA
  d$f[c(117, 118)] <- NA
  d$class[201] <- NA
  d$note[30] <- NA # is not in the formula
  out <- c(20, 117, 118, 201)
  fit <- stream(d, na.action = stats::na.omit)
  kept <- stream(batches(d[-out, ], c(49, 50, 48, 50, 49, 50)))
  expect_identical(fit$weights, kept$weights)
  expect_identical(fit$filter$history, kept$filter$history)
  counts <- c("rows", "source_rows", "left_out", "batches")
  expect_identical(unlist(fit$filter[counts], use.names = FALSE), c(296, 300, 4, 6))
  expect_equal(nobs(fit), 296)
  expect_identical(kept$filter$left_out, 0)
  for (source in list(csv_file(d), batches(d, rep(50, 6)))) {
    expect_identical(stream(source, na.action = "na.omit")$weights, fit$weights)
  }
  # what the formula computes may be missing as well
  formula <- stats::as.formula("class ~ sqrt(b - 2) + f", globalenv())
  fit <- suppressWarnings(stream(d, formula, na.action = stats::na.omit))
  expect_identical(fit$filter$left_out, sum(d$b < 2 | is.na(d$f) | is.na(d$class)) + 0)
  # a column that first turns up in a later batch is no input; one that is taken out
  # by `-` counts as read, as in lm()
  source <- batches(d, rep(50, 6))
  i <- 0
  wider <- function() {
    batch <- source()
    i <<- i + 1
    if (i == 3) cbind(batch, extra = NA) else batch
  }
  named <- stats::as.formula("class ~ . - note", globalenv())
  expect_equal(nobs(stream(wider, named, na.action = stats::na.omit)), 295)
  # other actions: those that keep the rows are errors
  expect_equal(caught(stream(d, na.action = stats::na.pass))$row, 20)
  expect_identical(stream(d, na.action = stats::na.exclude)$filter$left_out, 4)
  expect_error(stream(d, na.action = 3), class = "sturdy_error_type")
})

test_that("batches without a complete row are passed over", {
  d <- stream_data()
  omitted <- function(d) stream(d, na.action = stats::na.omit)
  later <- omitted(set_at("a", NA, 101:150)(d))
  expect_identical(later$weights, stream(d[-(101:150), ])$weights)
  expect_identical(later$filter$batches, 6)
  expect_identical(later$filter$history$rows, c(50, 100, 100, 150, 200, 250))
  first <- omitted(set_at("class", NA, 1:50)(d))
  expect_identical(first$weights, stream(d[-(1:50), ])$weights)
  expect_identical(unlist(first$filter[c("left_out", "source_rows")]),
                   c(left_out = 50, source_rows = 300))
  error <- caught(omitted(set_at("class", NA, 1:300)(d)))
  expect_s3_class(error, "sturdy_error_no_rows")
  expect_match(conditionMessage(error), "300 rows had missing values")
})

test_that("a run that leaves rows out is resumed at the row where it stopped", {
  d <- stream_data()
  d$a[c(3, 90, 101, 120, 290)] <- NA
  file <- csv_file(d)
  omitted <- function(source, ...) stream(source, na.action = stats::na.omit, ...)
  unbroken <- omitted(file)
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  for (n in c(50, 100, 150)) {
    unlink(checkpoint)
    omitted(csv_file(d[seq_len(n), ]), checkpoint = checkpoint)
    resume <- function(...) {
      suppressMessages(omitted(file, checkpoint = checkpoint, resume = TRUE, ...))
    }
    expect_identical(resume(), unbroken)
  }
  unlink(checkpoint)
  omitted(csv_file(d[1:100, ]), checkpoint = checkpoint)
  expect_identical(resume(batch_size = 33)$weights, unbroken$weights)
  # as an argument it has to be repeated
  error <- caught(stream(file, checkpoint = checkpoint, resume = TRUE))
  expect_identical(error$different, "na.action")
})

test_that("errors count all rows of the source, also those left out", {
  d <- set_at("a", NA, c(2, 60, 101, 110))(stream_data())
  wrong <- list(set_at("class", "maybe"), set_at("f", "w"), set_at("b", Inf))
  for (spoil in wrong) {
    error <- caught(stream(spoil(d), na.action = stats::na.omit))
    expect_s3_class(error, "sturdy_error_batch")
    expect_identical(c(error$batch, error$row, error$batch_row), c(3, 117, 17))
    expect_identical(error$fit$filter$rows, 98)
  }
  error <- caught(stream(set_at("class", "maybe", 7)(d), na.action = stats::na.omit))
  expect_identical(error$row, 7)
})

test_that("a source that fails is not taken for bad rows", {
  left <- 3
  source <- function() {
    left <<- left - 1
    if (left == 0) stop("the disk is gone")
    data.frame(a = c(-1, 0, 1, 2), y = c(0, 1, 0, 1))
  }
  error <- expect_error(
    bpm_stream(y ~ a, source, progress = FALSE), "Batch 3 can't be read",
    class = "sturdy_error_batch"
  )
  expect_identical(error$batch, 3)
  expect_true(is.na(error$row))
  expect_equal(error$fit$filter$rows, 8)
  expect_match(conditionMessage(error$parent), "the disk is gone")
})
