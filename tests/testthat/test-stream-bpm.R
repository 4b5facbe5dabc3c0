# Sources --------------------------------------------------------------------

test_that("a stream is one pass of bpm() with the encoding of its first batch", {
  d <- stream_data()
  first <- bpm(class ~ a + b + f, d[1:50, ], inference = "adf", epsilon = 0.01, df = 3)
  whole <- absorb(first, d[51:300, ])
  fit <- stream(df = 3)
  expect_s3_class(fit, c("bpm", "sturdy_model"))
  expect_identical(fit$weights, whole$weights)
  expect_identical(fit$blueprint$coding, first$blueprint$coding)
  expect_equal(log_evidence(fit), log_evidence(whole))
  expect_equal(fit$filter$errors, whole$filter$errors)
  expect_identical(predict(fit, d), predict(whole, d))
  expect_identical(nobs(fit), nobs(whole))
})

test_that("data frame, file, compressed file, connection and function agree", {
  d <- stream_data()
  fit <- stream(d)
  file <- csv_file(d)
  by_file <- stream(file)
  packed <- withr::local_tempfile(fileext = ".csv.gz")
  con <- gzfile(packed, "wt")
  writeLines(csv_text(d), con)
  close(con)
  expect_identical(by_file$weights, fit$weights)
  expect_identical(by_file$filter$history, fit$filter$history)
  expect_identical(stream(packed), by_file)
  expect_identical(stream(file(file)), by_file)
  expect_identical(stream(batches(d, rep(50, 6))), fit)
  # batches of other sizes after the first give the same posterior
  expect_identical(stream(batches(d, c(50, 0, 1, 99, 150)))$weights, fit$weights)
  expect_identical(stream(batches(d, 50 * 1:3))$weights, fit$weights)
})

test_that("an open connection is read from where it stands and left open", {
  con <- textConnection(c("something else", csv_text()))
  readLines(con, 1)
  fit <- stream(con)
  expect_true(isOpen(con))
  expect_identical(fit$weights, stream()$weights)
  close(con)
  con <- file(csv_file())
  stream(con)
  expect_error(isOpen(con)) # it was opened here, so it is closed and gone
})

# Levels ---------------------------------------------------------------------

test_that("levels make up for a first batch of one class", {
  d <- stream_data()
  d <- d[order(d$class != "no"), ]
  expect_error(
    stream(d), 'levels = c("no", "yes")', fixed = TRUE, class = "sturdy_error_outcome_levels"
  )
  fit <- stream(d, levels = c("no", "yes"))
  expect_identical(fit$blueprint$levels, c("no", "yes"))
  # the other way round: weights change sign
  other <- stream(d, levels = c("yes", "no"))
  expect_equal(other$weights$mean, -fit$weights$mean)
  # a factor, a logical and 0/1 know their classes without
  expect_identical(stream(transform(d, class = factor(class)))$weights, fit$weights)
  expect_identical(stream(transform(d, class = class == "yes"))$weights, fit$weights)
  expect_identical(stream(transform(d, class = +(class == "yes")))$weights, fit$weights)
  # of 1 alone the other class may be 0 or -1
  first <- transform(d[rev(seq_len(nrow(d))), ], class = ifelse(class == "yes", 1, -1))
  error <- expect_error(stream(first), class = "sturdy_error_outcome_levels")
  expect_match(conditionMessage(error), "or be told them")
  expect_identical(stream(first, levels = c(-1, 1))$blueprint$levels, c("-1", "1"))
  expect_error(stream(d, levels = "no"), class = "sturdy_error_outcome_levels")
  expect_error(stream(d, levels = c("a", "a")), class = "sturdy_error_outcome_levels")
  expect_error(stream(d, levels = c("no", "maybe")), class = "sturdy_error_novel_levels")
})

# Arguments ----------------------------------------------------------------------

test_that("an empty source has no rows", {
  d <- stream_data()
  expect_error(stream(d[0, ]), class = "sturdy_error_no_rows")
  expect_error(stream(function() NULL), class = "sturdy_error_no_rows")
  expect_error(stream(csv_file(lines = csv_text()[1])), class = "sturdy_error_no_rows")
  expect_error(stream(csv_file(lines = character())), class = "sturdy_error_source")
  expect_error(stream("no such file.csv"), class = "sturdy_error_source")
  expect_error(suppressWarnings(stream(tempdir())), class = "sturdy_error_source")
  parquet <- withr::local_tempfile(fileext = ".parquet", lines = "PAR1")
  expect_error(stream(parquet), "dbi_source", class = "sturdy_error_source")
})

test_that("bad arguments are errors", {
  d <- stream_data()
  for (source in list(1, NULL, c("a", "b"), as.matrix(d), NA_character_)) {
    expect_error(stream(source), class = "sturdy_error_type")
  }
  expect_error(stream(batch_size = 0), class = "sturdy_error_range")
  expect_error(stream(batch_size = 1.5), class = "sturdy_error_type")
  expect_error(stream(formula = "class"), class = "sturdy_error_formula")
  expect_error(stream(formula = ~a), class = "sturdy_error_formula")
  expect_error(bpm_stream(d, class ~ a), "bpm_stream(formula, source)",
               class = "sturdy_error_formula", fixed = TRUE)
  expect_error(bpm_stream(source = d), class = "sturdy_error_missing_argument")
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(d, file, row.names = FALSE)
  for (source in list(d, file)) {
    cnd <- expect_error(
      bpm_stream(class ~ a, source, call = 1), class = "sturdy_error_unknown_argument"
    )
    expect_equal(cnd$arg, "call")
  }
  expect_error(bpm_stream(class ~ a), class = "sturdy_error_missing_argument")
  expect_error(bpm_stream(d), class = "sturdy_error_formula")
  expect_error(stream(df = 0), class = "sturdy_error_df")
  expect_error(stream(epsilon = "learn"), class = "sturdy_error_epsilon")
  expect_error(stream(prior_scale = "learn"), class = "sturdy_error_prior_scale")
  expect_error(stream(prior_scale = quote(x)), class = "sturdy_error")
  expect_error(stream(intercept = NA), class = "sturdy_error_type")
  expect_error(stream(scale = 2), class = "sturdy_error_type")
  expect_error(stream(progress = "yes"), class = "sturdy_error_type")
  expect_error(stream(batchsize = 3), class = "sturdy_error_unknown_argument")
  expect_snapshot({
    said(stream(1))
    said(bpm_stream(d, class ~ a))
    said(bpm_stream(class ~ a))
    said(stream(levels = "no"))
    said(stream("no such file.csv"))
  })
})

test_that("one row is a stream, and a fit may lack the intercept", {
  d <- stream_data()
  fit <- stream(d[1, ], formula = class ~ a, levels = c("no", "yes"), scale = FALSE)
  expect_equal(nobs(fit), 1)
  fit <- stream(d, intercept = FALSE, prior_scale = c(a = 2, b = 1, f = 3))
  expect_identical(fit$prior$weights, c("a", "b", "fu", "fv"))
  expect_identical(unname(fit$prior$scale[fit$prior$group]), c(2, 1, 3, 3))
})

test_that("progress shows rows, speed and the prequential error", {
  withr::local_options(
    cli.progress_show_after = 0, cli.progress_clear = FALSE, cli.dynamic = TRUE,
    cli.progress_handlers_only = "cli", cli.tick_time = 0, cli.width = 200
  )
  output <- utils::capture.output(fit <- stream(progress = TRUE), type = "message")
  expect_identical(fit, stream())
  expect_match(paste(output, collapse = ""), "rows.*rows/s.*prequential error 0[.]")
})

test_that("a filter that is wrong far more often than epsilon says so, given enough rows", {
  d <- withr::with_seed(1, data.frame(a = rnorm(1200), class = sample(c("no", "yes"), 1200, TRUE)))
  run <- function(rows = 1:1200, ...) {
    stream(d[rows, ], formula = class ~ a, batch_size = 400, ...)
  }
  cnd <- expect_message(fit <- run(epsilon = 0.02), class = "sturdy_message_forgets")
  # labels are those of a coin, which are predicted wrongly half of the time
  expect_lt(abs(cnd$error - 0.5), 4 * sqrt(0.25 / 1200))
  expect_match(printed(fit), "Note The filter forgets: .* epsilon = 0.02")
  for (quiet in list(run(epsilon = 0.3), run(1:900, epsilon = 0.02))) {
    expect_no_match(printed(quiet), "forgets")
  }
  expect_no_message(run(epsilon = 0.3))
  expect_no_message(run(1:900, epsilon = 0.02))
})
