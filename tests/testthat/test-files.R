text_of <- function(file) rawToChar(readBin(file, "raw", file.size(file)))

test_that("a file is written whole, from pieces of both kinds", {
  file <- withr::local_tempfile()
  writeLines("old", file)
  write_file(file, function(put) {
    put(as.raw(c(65, 0, 66)))
    put(c("gr\u00fcn", "rot"))
  })
  expect_identical(
    readBin(file, "raw", 100), c(as.raw(c(65, 0, 66)), charToRaw(enc2utf8("gr\u00fcn\nrot\n")))
  )
  write_file(file, function(put) NULL)
  expect_identical(file.size(file), 0)
})

test_that("where writing stops the old file stays, and nothing beside it", {
  folder <- withr::local_tempdir()
  file <- file.path(folder, "f")
  writeLines("old", file)
  before <- nrow(showConnections())
  error <- caught(write_file(file, function(put) {
    put("new")
    abort_sturdy("It is over.", "of_the_writer")
  }))
  expect_s3_class(error, "sturdy_error_of_the_writer")
  expect_identical(text_of(file), "old\n")
  expect_identical(dir(folder), "f")
  expect_identical(nrow(showConnections()), before)
  long <- strrep("f", 5000)
  expect_error(write_file(long, function(put) put("new")), class = "sturdy_error_file")
  error <- caught(write_file(file.path(folder, "none", "f"), function(put) put("new")))
  expect_s3_class(error, "sturdy_error_file")
  dir.create(file.path(folder, "taken"))
  error <- caught(write_file(file.path(folder, "taken"), function(put) put("new")))
  expect_s3_class(error, "sturdy_error_file")
  expect_setequal(dir(folder), c("f", "taken"))
})

test_that("a link stays one", {
  skip_on_os("windows")
  folder <- withr::local_tempdir()
  file <- file.path(folder, "f")
  writeLines("old", file)
  file.symlink(file, file.path(folder, "link"))
  write_file(file.path(folder, "link"), function(put) put("new"))
  expect_identical(text_of(file), "new\n")
})

test_that("a * in the name of a folder is not another folder", {
  skip_on_os("windows") # which has no such names
  folder <- withr::local_tempdir()
  dir.create(file.path(folder, "k*"))
  dir.create(file.path(folder, "kx"))
  checkpoint <- file.path(folder, "k*", "s")
  there <- file.path(folder, "kx", "s-12ab.sturdy-part")
  file.create(there)
  file.create(file.path(folder, "k*", "s-12ab.sturdy-part"))
  expect_identical(unfinished(checkpoint), paste0(checkpoint, "-12ab.sturdy-part"))
  remove_files(unfinished(checkpoint))
  expect_true(file.exists(there))
  expect_length(dir(file.path(folder, "k*")), 0)
  write_file(checkpoint, function(put) put("new"))
  expect_identical(text_of(checkpoint), "new\n")
  # nobody calls unlink() in another way
  package <- asNamespace("sturdy")
  callers <- Filter(function(name) {
    object <- get(name, package)
    is.function(object) && any(c("unlink", "file.copy") %in% all.names(body(object)))
  }, ls(package, all.names = TRUE))
  expect_identical(callers, "remove_files")
})

# Writes of every kind in another process, in which no file may have more than 8 blocks of 512
# bytes: for it the disk is full
test_that("on a full disk every file stays as it was, and the error is one of ours", {
  skip_unless_workers()
  skip_on_os("windows")
  folder <- withr::local_tempdir()
  script <- file.path(folder, "child.R")
  report <- file.path(folder, "said")
  file.create(report) # appended to by cat(), a line a write
  writeLines(c(
    sprintf(".libPaths(%s)", deparse1(.libPaths())),
    "library(sturdy)",
    sprintf("folder <- %s", deparse1(folder)),
    "full <- Sys.getenv('FULL') == 'yes'",
    "set.seed(1)",
    "d <- data.frame(matrix(rnorm(600 * 25), 600))",
    "d$class <- d$X1 + rnorm(600) > 0",
    "at <- function(name) file.path(folder, name)",
    "say <- function(name, code) {",
    "  said <- tryCatch({ suppressMessages(code); 'done' }, error = function(cnd) {",
    "    grep('sturdy_error_', class(cnd), value = TRUE)[1]",
    "  })",
    "  cat(name, said, '\\n')",
    "}",
    "control <- ep_control(max_sweeps = 2)",
    "sites <- function(n) {",
    "  rows <- shards(d, 1, checkpoint = at('sites'), resume = TRUE)",
    "  suppressWarnings(bpm(class ~ ., rows, nugget = 1, epsilon = 0.1))",
    "}",
    "say('stream', bpm_stream(class ~ ., d[1:(if (full) 600 else 200), ], batch_size = 100,",
    "  checkpoint = at('stream'), resume = TRUE, progress = FALSE))",
    "say('sites', sites())",
    "fit <- bpm(class ~ ., d[1:100, ], nugget = 1, epsilon = 0.1)",
    "say('answers', predict(fit, shards(d, 1), type = 'prob', to = at('answers')))",
    "say('report', label_report(fit, at('report.html'), n = 2))"
  ), script)
  for (name in c("sites", "answers")) dir.create(file.path(folder, name))
  run <- function(before, full) {
    command <- paste0(
      before, "FULL=", full, " ", shQuote(file.path(R.home("bin"), "Rscript")), " ",
      shQuote(script), " 2>&1"
    )
    system(command, intern = TRUE)
  }
  expect_match(run("", "no"), "done", all = TRUE)
  unlink(file.path(folder, "answers", "*"))
  kept <- c("stream", "sites/shard-00001.sites", "report.html")
  whole <- tools::md5sum(file.path(folder, kept))
  before <- list.files(folder, recursive = TRUE)
  said <- run("trap '' XFSZ; ulimit -f 8; ", "yes")
  expect_identical(trimws(said), c(
    "stream sturdy_error_checkpoint", "sites sturdy_error_shard",
    "answers sturdy_error_shard", "report sturdy_error_file"
  ))
  expect_identical(tools::md5sum(file.path(folder, kept)), whole)
  expect_identical(list.files(folder, recursive = TRUE), before)
  # and each run goes on where there is room again
  expect_match(run("", "yes"), "done", all = TRUE)
})
