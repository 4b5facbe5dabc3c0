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
    expect_identical(fit_in(checkpoint, saved), saved)
    expect_message(
      resumed <- stream(file, df = 3, checkpoint = checkpoint, resume = TRUE),
      class = "sturdy_message_resumed"
    )
    expect_identical(resumed, unbroken)
    expect_identical(fit_in(checkpoint, unbroken), unbroken)
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
  expect_identical(resumed(batches(d, c(70, 80, 150)))$filter$rows, 300)
  expect_identical(resumed(textConnection(csv_text(d)))$weights, unbroken$weights)
  expect_identical(resumed(d, batch_size = 30)$weights, unbroken$weights)
  # with quoted line ends, lines are not rows
  d$note[c(20, 99, 130)] <- "two\nlines"
  expect_identical(resumed(csv_file(d))$weights, unbroken$weights)
})

test_that("a run is resumed whose first batches had no row that could be used", {
  d <- stream_data()
  d$a[1:110] <- NA # two batches, and some of the third
  unbroken <- stream(d, na.action = stats::na.omit)
  checkpoint <- withr::local_tempfile()
  stream(d[1:200, ], na.action = stats::na.omit, checkpoint = checkpoint)
  resumed <- suppressMessages(stream(d, na.action = stats::na.omit, checkpoint = checkpoint, resume = TRUE))
  expect_identical(resumed$weights, unbroken$weights)
  expect_identical(resumed$filter$begun, c(100, 50))
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
  expect_identical(fit_in(checkpoint, fit), fit)
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

test_that("what the terms learned of the first batch is resumed, whatever the formula", {
  d <- stream_data()
  d$`odd name` <- d$a^2
  formulas <- list(
    class ~ ., class ~ . - note, class ~ b + ., class ~ poly(a, 2) + scale(b) + log(b + 1),
    class ~ scale(a, scale = FALSE):b, class ~ I(a^2) + a:b - 1, (class == "yes") ~ a,
    class ~ splines::ns(a, df = 3) + cut(b, c(0, 3, 9)), class ~ 1
  )
  for (formula in formulas) {
    run <- function(source, ...) suppressMessages(stream(source, formula, ...))
    checkpoint <- withr::local_tempfile()
    run(d[1:100, ], checkpoint = checkpoint)
    resumed <- run(d, checkpoint = checkpoint, resume = TRUE)
    unbroken <- run(d)
    expect_identical(resumed, unbroken, info = deparse1(formula))
    expect_identical(predict(resumed, d), predict(unbroken, d))
  }
})

test_that("a run is not resumed where terms would learn something else of the first batch", {
  d <- stream_data()
  formula <- stats::as.formula("class ~ poly(b, 2) + a", globalenv())
  checkpoint <- withr::local_tempfile()
  stream(d[1:100, ], formula, scale = FALSE, checkpoint = checkpoint)
  d$b[1] <- d$b[1] + 3
  expect_error(
    stream(d, formula, scale = FALSE, checkpoint = checkpoint, resume = TRUE), class = "sturdy_error_checkpoint_rows"
  )
})

test_that("a checkpoint is read as numbers and names: nothing that is hidden there is run", {
  checkpoint <- withr::local_tempfile()
  stream(formula = class ~ poly(a, 2) + f, checkpoint = checkpoint)
  payload <- readBin(checkpoint, "raw", 1e5)[-seq_along(seal(state_kind, raw()))]
  expect_error(unserialize(payload))
  # the code of the package never takes what is in a file for an object of R, but what driver and
  # workers of one run have written for each other
  package <- asNamespace("sturdy")
  calls <- lapply(ls(package, all.names = TRUE), function(name) {
    object <- get(name, package)
    if (is.function(object)) all.names(body(object))
  })
  names(calls) <- ls(package, all.names = TRUE)
  reads <- vapply(calls, function(names) any(c("readRDS", "load", "unserialize") %in% names), NA)
  expect_setequal(names(calls)[reads], c("packed_task", "read_made", "ask_nodes"))
  # a forger has the seal right
  ran <- withr::local_tempfile()
  forged <- list(
    bquote(writeLines("ran", .(ran))),
    structure(list(1), class = "a", print = function(...) writeLines("ran", ran))
  )
  for (object in forged) {
    bytes <- serialize(object, NULL)
    writeBin(c(seal(state_kind, bytes), bytes), checkpoint)
    error <- caught(stream(checkpoint = checkpoint, resume = TRUE))
    expect_s3_class(error, "sturdy_error_checkpoint_damaged")
  }
  expect_false(file.exists(ran))
})

test_that("the source of a resumed run must begin as it did", {
  d <- stream_data()
  checkpoint <- withr::local_tempfile()
  stream(d[1:100, ], checkpoint = checkpoint)
  before <- tools::md5sum(checkpoint)
  for (changed in list(set_at("a", 9, 7)(d), d[c(51:300, 1:50), ])) {
    error <- caught(stream(changed, checkpoint = checkpoint, resume = TRUE))
    expect_s3_class(error, "sturdy_error_checkpoint_rows")
    expect_s3_class(error, "sturdy_error_checkpoint")
  }
  expect_identical(tools::md5sum(checkpoint), before)
})

test_that("a checkpoint that is none is an error", {
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  resume <- function(kind, ...) {
    error <- caught(stream(checkpoint = checkpoint, resume = TRUE, ...))
    expect_s3_class(error, paste0("sturdy_error_checkpoint_", kind))
    expect_s3_class(error, "sturdy_error_checkpoint")
  }
  writeLines("nothing", checkpoint)
  resume("damaged")
  file.create(checkpoint)
  resume("damaged")
  saveRDS(1, checkpoint)
  resume("damaged")
  saveRDS(bpm(class ~ a, stream_data(), inference = "adf"), checkpoint, compress = FALSE)
  resume("damaged")
  folder <- withr::local_tempdir()
  expect_error(stream(checkpoint = folder), class = "sturdy_error_checkpoint")
  nowhere <- file.path(withr::local_tempdir(), "no", "folder.rds")
  expect_error(stream(checkpoint = nowhere), class = "sturdy_error_checkpoint")
  expect_error(stream(checkpoint = 1), class = "sturdy_error_checkpoint")
  expect_error(stream(resume = TRUE), class = "sturdy_error_missing_argument")
  expect_error(stream(resume = NA), class = "sturdy_error_type")
})

test_that("no damaged checkpoint is accepted", {
  checkpoint <- withr::local_tempfile()
  stream(checkpoint = checkpoint)
  whole <- readBin(checkpoint, "raw", file.size(checkpoint))
  expect_error(stream(checkpoint = checkpoint), class = "sturdy_error_checkpoint")
  refused <- function(bytes) {
    writeBin(bytes, checkpoint)
    error <- caught(read_state(checkpoint))
    expect_s3_class(error, "sturdy_error_checkpoint")
    error
  }
  # bytes of each part of the header, and some behind it
  for (k in c(seq(1, 80, by = 3), length(whole))) {
    bytes <- whole
    bytes[k] <- xor(bytes[k], as.raw(4))
    refused(bytes)
  }
  for (n in c(1, 40, 68, 100, length(whole) - 1)) refused(whole[seq_len(n)])
  refused(c(whole, as.raw(0)))
  newer <- whole
  newer[18] <- charToRaw("4")
  expect_s3_class(refused(newer), "sturdy_error_checkpoint_version")
})

test_that("the digest is that of other machines and years", {
  expect_identical(
    rawToChar(seal(state_kind, as.raw(1:3))),
    "sturdy stream 0003 000000000000003 d0aa6218672cf5abc90bc85a33ee7dfb\n"
  )
})

test_that("a state that contradicts itself or the call is refused", {
  checkpoint <- withr::local_tempfile()
  fit <- stream(csv_file(), checkpoint = checkpoint)
  refused <- function(change) {
    unlink(checkpoint)
    save_state(change(fit), checkpoint)
    error <- caught(stream(csv_file(), checkpoint = checkpoint, resume = TRUE))
    expect_s3_class(error, "sturdy_error_checkpoint_damaged")
  }
  set <- function(...) {
    at <- c(...)
    function(value) function(fit) {
      fit[[at]] <- value
      fit
    }
  }
  refused(set("filter", "errors")(-1))
  refused(set("filter", "counts")(c(1, 1)))
  refused(set("weights", "log_scale")(NA_real_))
  refused(set("weights", "mean")(fit$weights$mean[-1]))
  refused(set("weights", "C")(fit$weights$C[1:2, 1:2]))
  refused(set("weights", "C")(replace(fit$weights$C, 2, 9)))
  refused(set("weights", "C")(fit$weights$C - 1))
  refused(set("weights", "C")(fit$weights$C + 9 * (1 - diag(nrow(fit$weights$C)))))
  refused(set("filter", "begun")(c(-1, 50)))
  refused(set("filter", "source_rows")(numeric()))
  # and one that does not is taken
  unlink(checkpoint)
  save_state(fit, checkpoint)
  expect_identical(fit_in(checkpoint, fit), fit)
  # columns of which nothing but missing values was seen have no class yet
  fit$filter$classes[2] <- NA
  unlink(checkpoint)
  save_state(fit, checkpoint)
  expect_identical(read_state(checkpoint)$filter[c("columns", "classes")], fit$filter[c("columns", "classes")])
})

test_that("resuming removes what a killed run left, and nothing else", {
  folder <- withr::local_tempdir()
  checkpoint <- file.path(folder, "s.bin")
  left <- file.path(folder, c("s.bin-12ab.sturdy-part", "s.bin-0.sturdy-part"))
  # named as they are while a checkpoint is written
  left[3] <- tempfile("s.bin-", folder, ".sturdy-part")
  others <- file.path(folder, c("s.bin-12", "s.bin-x.sturdy-part", "t.bin-1.sturdy-part"))
  file.create(left, others)
  stream(checkpoint = checkpoint, resume = TRUE)
  expect_setequal(list.files(folder), c("s.bin", basename(others)))
})

test_that("a file is resumed whatever the order of its columns, but not without one that is read", {
  d <- stream_data()
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  unbroken <- stream(csv_file(d))
  saved <- function() {
    unlink(checkpoint)
    stream(csv_file(d[1:100, ]), checkpoint = checkpoint)
  }
  resume <- function(columns, ...) {
    suppressMessages(stream(csv_file(d[columns]), ..., checkpoint = checkpoint, resume = TRUE))
  }
  saved()
  expect_identical(resume(c("b", "a", "f", "note", "class"))$weights, unbroken$weights)
  saved()
  expect_error(resume(c("a", "f", "note", "class")), class = "sturdy_error_formula")
  every <- function(source, ...) stream(source, class ~ ., checkpoint = checkpoint, ...)
  unlink(checkpoint)
  every(csv_file(d[1:100, c("a", "b", "class")]))
  expect_error(
    every(csv_file(d[c("a", "b", "f", "class")]), resume = TRUE), class = "sturdy_error_checkpoint"
  )
})

test_that("a resumed file has the types that its first batch had", {
  d <- stream_data()
  d$f <- ifelse(seq_len(300) <= 10, "1", d$f) # the first ten alone are numbers
  unbroken <- stream(csv_file(d))
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  stream(csv_file(d[1:100, ]), checkpoint = checkpoint)
  resumed <- suppressMessages(
    stream(csv_file(d), batch_size = 5, checkpoint = checkpoint, resume = TRUE)
  )
  expect_identical(resumed$weights, unbroken$weights)
})

test_that("a checkpoint that can't be written leaves the one before", {
  fit <- stream()
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  dir.create(checkpoint) # a folder can't be replaced by a file
  error <- caught(save_state(fit, checkpoint))
  expect_s3_class(error, "sturdy_error_checkpoint")
  expect_identical(error$fit, fit)
  expect_length(list.files(dirname(checkpoint), paste0("^", basename(checkpoint), "-")), 0)
})

# Bad batches --------------------------------------------------------------------

unbroken_run <- made_once(function(rows = 1:300, as_file = FALSE) {
  d <- stream_data()[rows, ]
  stream(if (as_file) csv_file(d) else d)
})

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
  expect_identical(error$fit$weights, unbroken_run(seq_len(50 * (batch - 1)))$weights)
  expect_identical(fit_in(checkpoint, error$fit), error$fit)
  unbroken <- unbroken_run(as_file = as_file)
  expect_identical(
    suppressMessages(stream(source(d), checkpoint = checkpoint, resume = TRUE)),
    unbroken
  )
  # or on from the fit that the error carries
  rest <- absorb(error$fit, d[-seq_len(nobs(error$fit)), ])
  expect_identical(rest$weights, unbroken$weights)
  invisible(error)
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
  expect_equal(nobs(error$fit), 100)
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

test_that("a formula reads what the checkpoint can be used with", {
  d <- linear_data()
  limit <- 5
  local_log <- function(x) log(x)
  for (formula in list(a > limit ~ b, class ~ local_log(a), class ~ I(a / limit))) {
    cnd <- expect_error(bpm_stream(formula, d), class = "sturdy_error_formula")
    expect_match(conditionMessage(cnd$parent), "`?source`?")
  }
})

test_that("errors of a stream speak of its source", {
  d <- linear_data()
  said_of <- function(change, batch_size) {
    cnd <- expect_error(
      bpm_stream(class ~ ., change(d), batch_size = batch_size),
      class = "sturdy_error_batch"
    )
    expect_no_match(conditionMessage(cnd$parent), "newdata|`data`")
  }
  changes <- list(
    function(d) replace(d, cbind(117, 1), NA),
    function(d) transform(d, f = replace(as.character(f), 117, "x"))
  )
  for (change in changes) said_of(change, 50)
  parts <- list(d[1:60, ], d[61:120, c("b", "f", "class")], transform(d[61:120, ], a = "p"))
  for (k in 2:3) {
    batches <- parts[c(1, k)]
    step <- 0
    cnd <- expect_error(
      bpm_stream(class ~ ., function() {
        step <<- step + 1
        if (step <= 2) batches[[step]]
      }),
      class = "sturdy_error_batch"
    )
    expect_match(conditionMessage(cnd$parent), "`source` must")
  }
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
