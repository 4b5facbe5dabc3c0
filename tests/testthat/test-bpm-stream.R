# Rows with a column of every kind; the second class is rare at first.
stream_data <- function(n = 300) {
  withr::with_seed(11, {
    d <- data.frame(
      a = round(rnorm(n), 4), b = sample(1:9, n, TRUE), f = sample(c("u", "v"), n, TRUE),
      note = paste("row", seq_len(n))
    )
    d$class <- ifelse(d$a + d$b / 5 + (d$f == "u") + rnorm(n) / 4 > 1.5, "yes", "no")
    d
  })
}

# in the workspace, whose name alone is saved with a formula
stream_formula <- stats::as.formula("class ~ a + b + f", globalenv())

stream <- function(source = stream_data(), formula = stream_formula, ...,
                   batch_size = 50, progress = FALSE) {
  bpm_stream(source, formula, ..., batch_size = batch_size, progress = progress)
}

csv_file <- function(d = stream_data(), lines = csv_text(d), env = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = env)
  writeLines(lines, file)
  file
}

csv_text <- function(d = stream_data()) {
  con <- textConnection(NULL, "w")
  on.exit(close(con))
  utils::write.csv(d, con, row.names = FALSE)
  textConnectionValue(con)
}

# A function that hands out the rows in batches of the given sizes
batches <- function(d, sizes) {
  ends <- cumsum(sizes)
  i <- 0
  function() {
    i <<- i + 1
    if (i <= length(sizes)) d[ends[i] - sizes[i] + seq_len(sizes[i]), ]
  }
}

caught <- function(code) tryCatch(code, error = identity)

# Sources --------------------------------------------------------------------

test_that("a stream is one pass of bpm() with the encoding of its first batch", {
  d <- stream_data()
  first <- bpm(class ~ a + b + f, d[1:50, ], inference = "adf", epsilon = 0.01, df = 3)
  whole <- update(first, d[51:300, ])
  fit <- stream(df = 3)
  expect_s3_class(fit, c("bpm", "sturdy_model"))
  expect_identical(fit$weights, whole$weights)
  expect_identical(fit$blueprint$specs, first$blueprint$specs)
  expect_equal(fit$log_evidence, whole$log_evidence)
  expect_equal(fit$stream$errors, whole$stream$errors)
  expect_identical(predict(fit, d), predict(whole, d))
  expect_identical(fit$nobs, whole$nobs)
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
  expect_identical(by_file$stream$history, fit$stream$history)
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

test_that("the counts and the history of a stream add up", {
  d <- stream_data()
  fit <- stream(d, batch_size = 70)
  expect_identical(fit$stream$rows, 300)
  expect_identical(fit$stream$batches, 5)
  expect_identical(fit$stream$history$rows, c(70, 140, 210, 280, 300))
  expect_equal(fit$stream$history$errors[5], fit$stream$errors)
  expect_equal(fit$stream$history$log_score[5], fit$log_evidence)
  # predict, then update: the prequential error by hand
  wrong <- 0
  so_far <- stream(d[1:70, ], batch_size = 70)
  wrong <- so_far$stream$errors
  for (i in 71:300) {
    wrong <- wrong + (predict(so_far, d[i, ]) != d$class[i])
    so_far <- update(so_far, d[i, ])
  }
  expect_equal(fit$stream$errors, wrong)
})

test_that("a long history is thinned, the last line kept", {
  d <- stream_data(250)
  d <- d[rep(1:250, 5), ]
  fit <- bpm_stream(d, class ~ a, batch_size = 1, levels = c("no", "yes"),
    scale = FALSE, progress = FALSE)
  history <- fit$stream$history
  expect_lt(nrow(history), 1000)
  expect_identical(fit$stream$batches, 1250)
  expect_identical(history$rows[nrow(history)], 1250)
  expect_false(is.unsorted(history$rows, strictly = TRUE))
})

# CSV ------------------------------------------------------------------------

test_that("options of read.csv() reach it", {
  d <- stream_data()
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv2(d, file, row.names = FALSE)
  expect_identical(stream(file, sep = ";", dec = ",")$weights, stream(d)$weights)
  d$b[20] <- NA
  utils::write.csv(d, file, row.names = FALSE, na = "?")
  error <- caught(stream(file, na.strings = "?"))
  expect_s3_class(error, "sturdy_error_missing")
  expect_identical(error$row, 20)
  d <- stream_data()
  d$f <- ifelse(d$f == "u", 1, 2)
  file <- csv_file(d)
  fit <- stream(file, colClasses = c(f = "character"))
  expect_identical(fit$weight_names[4:5], c("f1", "f2"))
  expect_error(stream(file, separator = ";"), class = "sturdy_error_unknown_argument")
  expect_error(stream(file, nrows = 3), class = "sturdy_error_unknown_argument")
  expect_error(stream(d, sep = ";"), class = "sturdy_error_unknown_argument")
  expect_error(stream(file, quote = "'\""), class = "sturdy_error_choice")
})

test_that("quoted fields may hold commas and line ends, blank lines are passed over", {
  d <- stream_data()
  d$note[c(2, 60, 120)] <- c("a, b", "two\nlines", "a \"word\"\n\nand more")
  plain <- stream(stream_data())
  file <- csv_file(d)
  # a batch ends inside the quoted field: batches are of other sizes then
  expect_equal(stream(file, batch_size = 50)$weights, plain$weights)
  text <- csv_text()
  text <- append(append(text, "", 30), c("", ""), 200)
  expect_equal(stream(csv_file(lines = c(text, "")), batch_size = 60)$weights,
    stream(batch_size = 60)$weights, tolerance = 0.2)
  first <- stream(csv_file(lines = append(text, "", 0)[-1]), batch_size = 60)
  expect_identical(first$nobs, 300)
})

test_that("numbers may be quoted", {
  d <- stream_data()
  quoted <- csv_file(transform(d, a = as.character(a), b = as.character(b)))
  expect_match(readLines(quoted, 2)[2], "^\"[-0-9.]*\",\"[0-9]\",")
  expect_identical(stream(quoted)$weights, stream(d)$weights)
  d$l <- d$b > 4
  fit <- stream(csv_file(d), formula = class ~ a + l)
  as_text <- csv_file(transform(d, l = as.character(l)))
  expect_identical(stream(as_text, formula = class ~ a + l)$weights, fit$weights)
})

test_that("whole numbers at first, fractions later, are one numeric column", {
  d <- stream_data()
  d$b[200] <- 2.5
  file <- csv_file(d)
  expect_identical(stream(file)$weights, stream(d)$weights)
  # a byte-order mark is no part of the first name
  text <- csv_text(d)
  text[1] <- paste0("\ufeff", text[1])
  file <- withr::local_tempfile(fileext = ".csv")
  con <- file(file, "wb")
  writeBin(charToRaw(enc2utf8(paste0(paste(text, collapse = "\n"), "\n"))), con)
  close(con)
  skip_if_not(l10n_info()[["UTF-8"]])
  expect_identical(stream(file)$weights, stream(d)$weights)
})

# Levels ---------------------------------------------------------------------

test_that("levels make up for a first batch of one class", {
  d <- stream_data()
  d <- d[order(d$class != "no"), ]
  expect_error(stream(d), class = "sturdy_error_outcome_levels")
  fit <- stream(d, levels = c("no", "yes"))
  expect_identical(fit$blueprint$levels, c("no", "yes"))
  # the other way round: weights change sign
  other <- stream(d, levels = c("yes", "no"))
  expect_equal(other$weights$mean, -fit$weights$mean)
  # a factor, a logical and 0/1 know their classes without
  expect_identical(stream(transform(d, class = factor(class)))$weights, fit$weights)
  expect_identical(stream(transform(d, class = class == "yes"))$weights, fit$weights)
  expect_identical(stream(transform(d, class = +(class == "yes")))$weights, fit$weights)
  expect_error(stream(d, levels = "no"), class = "sturdy_error_outcome_levels")
  expect_error(stream(d, levels = c("a", "a")), class = "sturdy_error_outcome_levels")
  expect_error(stream(d, levels = c("no", "maybe")), class = "sturdy_error_novel_levels")
})

# Saving and resuming ----------------------------------------------------------

test_that("a resumed run is bitwise the unbroken one, from every batch", {
  d <- stream_data()
  file <- csv_file(d)
  folder <- withr::local_tempdir()
  unbroken <- stream(file, df = 3)
  for (stop_after in c(1, 3, 6)) {
    checkpoint <- file.path(folder, paste0(stop_after, ".rds"))
    part <- csv_file(d[seq_len(50 * stop_after), ])
    saved <- stream(part, df = 3, checkpoint = checkpoint)
    expect_identical(readRDS(checkpoint), saved)
    expect_message(
      resumed <- stream(file, df = 3, checkpoint = checkpoint, resume = TRUE),
      class = "sturdy_message_resumed"
    )
    expect_identical(resumed, unbroken)
    expect_identical(readRDS(checkpoint), unbroken)
  }
  # nothing but the checkpoints is left in the folder
  expect_setequal(list.files(folder), c("1.rds", "3.rds", "6.rds"))
})

test_that("runs of the other sources are resumed as well", {
  d <- stream_data()
  unbroken <- stream(d)
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  resumed <- function(source, ...) {
    unlink(checkpoint)
    stream(d[1:100, ], checkpoint = checkpoint)
    suppressMessages(stream(source, checkpoint = checkpoint, resume = TRUE, ...))
  }
  expect_identical(resumed(d), unbroken)
  expect_identical(resumed(batches(d, rep(50, 6))), unbroken)
  # rows are skipped, not batches
  expect_identical(resumed(batches(d, c(70, 80, 150)))$weights, unbroken$weights)
  expect_identical(resumed(batches(d, c(70, 80, 150)))$stream$rows, 300)
  expect_identical(resumed(textConnection(csv_text(d)))$weights, unbroken$weights)
  expect_identical(resumed(d, batch_size = 30)$weights, unbroken$weights)
  # with quoted line ends, lines are not rows
  d$note[c(20, 99, 130)] <- "two\nlines"
  expect_identical(resumed(csv_file(d))$weights, unbroken$weights)
})

test_that("resume without a checkpoint starts at the first row", {
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  expect_silent(fit <- stream(checkpoint = checkpoint, resume = TRUE))
  expect_identical(fit, stream())
})

test_that("a checkpoint is never overwritten by another run", {
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  fit <- stream(checkpoint = checkpoint)
  expect_error(stream(checkpoint = checkpoint), class = "sturdy_error_checkpoint")
  resume <- function(...) stream(..., checkpoint = checkpoint, resume = TRUE)
  error <- caught(resume(df = 3, scale = FALSE))
  expect_s3_class(error, "sturdy_error_checkpoint")
  expect_identical(error$different, c("df", "scale"))
  expect_error(resume(formula = class ~ a), class = "sturdy_error_checkpoint")
  expect_error(resume(stream_data()[1:200, ]), class = "sturdy_error_checkpoint")
  expect_identical(readRDS(checkpoint), fit)
  hide <- function(expr) {
    cat(gsub("'[^']*[.]rds'", "'fit.rds'", utils::capture.output(said(expr))), sep = "\n")
  }
  expect_snapshot({
    hide(stream(checkpoint = checkpoint))
    hide(resume(df = 3, scale = FALSE))
    said(resume(stream_data()[1:200, ]))
    said(suppressMessages(stream(resume = TRUE)))
  })
})

test_that("a checkpoint that is none is an error", {
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  resume <- function() stream(checkpoint = checkpoint, resume = TRUE)
  writeLines("nothing", checkpoint)
  expect_error(resume(), class = "sturdy_error_checkpoint")
  saveRDS(1, checkpoint)
  expect_error(resume(), class = "sturdy_error_checkpoint")
  d <- stream_data()
  saveRDS(bpm(class ~ a, d, inference = "adf"), checkpoint)
  expect_error(resume(), class = "sturdy_error_checkpoint")
  nowhere <- file.path(withr::local_tempdir(), "no", "folder.rds")
  expect_error(stream(checkpoint = nowhere), class = "sturdy_error_checkpoint")
  expect_error(stream(checkpoint = 1), class = "sturdy_error_checkpoint")
  expect_error(stream(resume = TRUE), class = "sturdy_error_missing_argument")
  expect_error(stream(resume = NA), class = "sturdy_error_type")
})

test_that("a file with other columns can't be resumed", {
  d <- stream_data()
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  stream(csv_file(d[1:100, ]), checkpoint = checkpoint)
  other <- csv_file(d[c("b", "a", "f", "note", "class")])
  expect_error(
    stream(other, checkpoint = checkpoint, resume = TRUE),
    class = "sturdy_error_checkpoint"
  )
})

test_that("a checkpoint that can't be written leaves the one before", {
  fit <- stream()
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  dir.create(checkpoint) # a folder can't be replaced by a file
  expect_error(
    save_checkpoint(fit, checkpoint, rlang::current_env()),
    class = "sturdy_error_checkpoint"
  )
  expect_length(list.files(dirname(checkpoint), paste0("^", basename(checkpoint), "-")), 0)
})

# Bad batches --------------------------------------------------------------------

# Spoils row 117 (row 17 of batch 3), runs, corrects, resumes.
spoiled <- function(spoil, class, row = 117, batch = 3, as_file = FALSE) {
  d <- stream_data()
  bad <- spoil(d)
  here <- environment()
  source <- function(d) if (as_file) csv_file(d, env = here) else d
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  error <- caught(stream(source(bad), checkpoint = checkpoint))
  expect_s3_class(error, "sturdy_error_batch")
  expect_s3_class(error, paste0("sturdy_error_", class))
  expect_equal(c(error$batch, error$row), c(batch, row))
  expect_equal(error$batch_row, row - 50 * (batch - 1))
  expect_identical(error$fit$weights, stream(d[seq_len(50 * (batch - 1)), ])$weights)
  expect_identical(readRDS(checkpoint), error$fit)
  unbroken <- stream(source(d))
  expect_identical(
    suppressMessages(stream(source(d), checkpoint = checkpoint, resume = TRUE)),
    unbroken
  )
  # or on from the fit that the error carries
  rest <- update(error$fit, d[-seq_len(error$fit$nobs), ])
  expect_identical(rest$weights, unbroken$weights)
  invisible(error)
}

set_at <- function(column, value, row = 117) {
  function(d) {
    d[[column]][row] <- value
    d
  }
}

test_that("a bad row stops the stream, named, with the state before it intact", {
  for (as_file in c(FALSE, TRUE)) {
    spoiled(set_at("a", NA), "missing", as_file = as_file)
    spoiled(set_at("f", NA), "missing", as_file = as_file)
    spoiled(set_at("class", NA), "missing", as_file = as_file)
    spoiled(set_at("a", Inf), "not_finite", as_file = as_file)
    spoiled(set_at("class", "maybe"), "outcome_levels", as_file = as_file)
    spoiled(set_at("f", "w"), "novel_levels", as_file = as_file)
  }
  spoiled(set_at("f", c("w", "x"), c(140, 117)), "novel_levels")
  spoiled(set_at("a", "x"), "column_type", as_file = TRUE)
})

test_that("wrong columns stop the stream at the first row of the batch", {
  d <- stream_data()
  at <- function(change) {
    function() {
      source <- batches(d, rep(50, 6))
      i <- 0
      function() {
        batch <- source()
        i <<- i + 1
        if (i == 3) change(batch) else batch
      }
    }
  }
  wrong <- list(
    missing_column = function(b) b[names(b) != "b"],
    missing_column = function(b) b[names(b) != "class"],
    column_type = function(b) transform(b, a = "x"),
    column_type = function(b) transform(b, f = 1),
    type = function(b) as.list(b)
  )
  for (i in seq_along(wrong)) {
    error <- caught(stream(at(wrong[[i]])()))
    expect_s3_class(error, "sturdy_error_batch")
    expect_s3_class(error, paste0("sturdy_error_", names(wrong)[i]))
    expect_equal(c(error$batch, error$row, error$batch_row), c(3, 101, 1))
    expect_identical(error$fit$weights, stream(d[1:100, ])$weights)
  }
  # an error of the source itself
  error <- caught(stream(at(function(b) stop("the line is dead"))()))
  expect_s3_class(error, "sturdy_error_batch")
  expect_match(conditionMessage(error$parent), "the line is dead")
  expect_identical(error$fit$nobs, 100)
})

test_that("a file that was cut off, or has a line too long, names the line", {
  text <- csv_text()
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  cut <- text[1:118]
  cut[118] <- substr(cut[118], 1, 9) # row 117
  error <- caught(stream(csv_file(lines = cut), checkpoint = checkpoint))
  expect_s3_class(error, c("sturdy_error_batch", "sturdy_error_fields"), exact = FALSE)
  expect_equal(c(error$batch, error$row, error$batch_row), c(3, 117, 17))
  expect_identical(error$fit, readRDS(checkpoint))
  resumed <- suppressMessages(
    stream(csv_file(), checkpoint = checkpoint, resume = TRUE)
  )
  expect_identical(resumed, stream(csv_file()))
  long <- text
  long[118] <- paste0(long[118], ",1")
  error <- caught(stream(csv_file(lines = long)))
  expect_s3_class(error, "sturdy_error_fields")
  expect_equal(error$row, 117)
  # in the first lines, where read.csv() counts the columns
  long[2] <- paste0(long[2], ",1")
  expect_equal(caught(stream(csv_file(lines = long)))$row, 1)
  open <- text
  open[118] <- sub("\"row", "row", open[118])
  error <- caught(stream(csv_file(lines = open)))
  expect_s3_class(error, "sturdy_error_fields")
  expect_equal(error$row, 117)
  # a label that is cut off, with and without its closing quotation mark
  for (last in c("\"y", "y")) {
    cut[118] <- sub("\"(yes|no)\"$", last, text[118])
    error <- caught(stream(csv_file(lines = cut)))
    expect_s3_class(error, "sturdy_error_batch")
    expect_equal(error$row, 117)
  }
})

test_that("the first batch has no fit before it, and its rows are named, too", {
  spoil <- list(
    missing = set_at("a", NA, 7), not_finite = set_at("a", Inf, 7),
    missing = set_at("class", NA, 7), outcome_levels = set_at("class", "maybe", 7)
  )
  for (i in seq_along(spoil)) {
    error <- caught(stream(spoil[[i]](stream_data())))
    expect_s3_class(error, "sturdy_error_batch")
    expect_s3_class(error, paste0("sturdy_error_", names(spoil)[i]))
    expect_equal(c(error$batch, error$row), c(1, 7))
    expect_null(error$fit)
  }
  # one text among numbers is not a factor of a hundred levels
  error <- caught(stream(csv_file(set_at("a", "x", 7)(stream_data()))))
  expect_s3_class(error, "sturdy_error_column_type")
  expect_equal(error$row, 7)
  expect_error(stream(formula = class ~ a + nothing), class = "sturdy_error_formula")
})

test_that("what is wrong with a batch is said in words", {
  d <- stream_data()
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  # what the error says itself, then what its cause says, paths hidden
  tell <- function(expr) {
    withr::local_options(cli.width = 10000, cli.unicode = FALSE, cli.num_colors = 1L)
    error <- caught(expr)
    text <- strsplit(conditionMessage(error), "\nCaused by", fixed = TRUE)[[1]][1]
    cat(gsub("'[^']*[.]rds'", "'fit.rds'", text), "\n", sep = "")
    said(stop(error$parent))
  }
  expect_snapshot({
    tell(stream(set_at("a", NA)(d)))
    tell(stream(set_at("class", "maybe")(d), checkpoint = checkpoint))
    tell(stream(csv_file(set_at("a", "x")(d))))
    tell(stream(csv_file(set_at("a", "x", 7)(d))))
    tell(stream(csv_file(lines = c(csv_text(d), "1,2"))))
  })
})

# Arguments ----------------------------------------------------------------------

test_that("an empty source has no rows", {
  d <- stream_data()
  expect_error(stream(d[0, ]), class = "sturdy_error_no_rows")
  expect_error(stream(function() NULL), class = "sturdy_error_no_rows")
  expect_error(stream(csv_file(lines = csv_text()[1])), class = "sturdy_error_no_rows")
  expect_error(stream(csv_file(lines = character())), class = "sturdy_error_source")
  expect_error(stream("no such file.csv"), class = "sturdy_error_source")
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
  expect_error(stream(df = 0), class = "sturdy_error_df")
  expect_error(stream(epsilon = "learn"), class = "sturdy_error_epsilon")
  expect_error(stream(prior_scale = "learn"), class = "sturdy_error_prior_scale")
  expect_error(stream(intercept = NA), class = "sturdy_error_type")
  expect_error(stream(scale = 2), class = "sturdy_error_type")
  expect_error(stream(progress = "yes"), class = "sturdy_error_type")
  expect_error(stream(batchsize = 3), class = "sturdy_error_unknown_argument")
  expect_snapshot({
    said(stream(1))
    said(stream(levels = "no"))
    said(stream("no such file.csv"))
  })
})

test_that("one row is a stream, and a fit may lack the intercept", {
  d <- stream_data()
  fit <- stream(d[1, ], formula = class ~ a, levels = c("no", "yes"), scale = FALSE)
  expect_identical(fit$nobs, 1)
  fit <- stream(d, intercept = FALSE, prior_scale = c(a = 2, b = 1, f = 3))
  expect_identical(fit$weight_names, c("a", "b", "fu", "fv"))
  expect_identical(unname(fit$prior_scale), c(2, 1, 3, 3))
})

test_that("progress shows rows, speed and the prequential error", {
  withr::local_options(
    cli.progress_show_after = 0, cli.progress_clear = FALSE, cli.dynamic = TRUE,
    cli.progress_handlers_only = "cli"
  )
  output <- utils::capture.output(fit <- stream(progress = TRUE), type = "message")
  expect_identical(fit, stream())
  expect_match(paste(output, collapse = ""), "rows.*rows/s.*prequential error 0[.]")
})
