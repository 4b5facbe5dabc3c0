d <- shard_data(300)

fit_to <- function(rows, ...) {
  gpc(class ~ ., rows, inducing = 12, kernel = held_kernel(), epsilon = 0.1, ...)
}

test_that("sites are saved in 16 bytes a row, and a run goes on from them", {
  local_few()
  folder <- withr::local_tempdir()
  fit <- fit_to(shards(d, 3, checkpoint = folder))
  files <- dir(folder, full.names = TRUE)
  expect_identical(basename(files), sprintf("shard-%05d.sites", 1:3))
  header <- length(seal(sites_kind, raw())) + 3 * 4 + 33 # how many there are, and a digest of the rows
  expect_equal(file.size(files), rep(100 * 16, 3) + header)
  again <- fit_to(shards(d, 3, checkpoint = folder, resume = TRUE))
  expect_identical(again$ep$sweeps, 0L)
  expect_equal(again$ep$b, fit$ep$b, tolerance = 1e-6)
})

test_that("a run that was stopped is resumed from what it had", {
  local_few()
  folder <- withr::local_tempdir()
  whole <- fit_to(shards(d, 3))
  control <- ep_control(max_sweeps = 8)
  expect_warning(
    fit_to(shards(d, 3, checkpoint = folder), control = control),
    class = "sturdy_warning_not_converged"
  )
  dir.create(killed <- file.path(folder, "sturdy-run-1"))
  dir.create(file.path(folder, "sturdy-run-2")) # of one that is at work
  Sys.setFileTime(killed, Sys.time() - 7200)
  fit <- fit_to(shards(d, 3, checkpoint = folder, resume = TRUE))
  expect_identical(dir(folder, "^sturdy-run-"), "sturdy-run-2")
  expect_length(dir(folder), 4)
  expect_identical(fit$ep$status, "converged")
  expect_lt(fit$ep$trace$residual[1], 0.1 * whole$ep$trace$residual[1])
  expect_equal(fit$ep$b, whole$ep$b, tolerance = 1e-6)
})

test_that("a checkpoint is not overwritten, nor used for other rows, nor when damaged", {
  local_few()
  folder <- withr::local_tempdir()
  fit_to(shards(d, 3, checkpoint = folder))
  expect_error(shards(d, 3, checkpoint = folder), class = "sturdy_error_checkpoint")
  error <- caught(fit_to(shards(d[300:1, ], 3, checkpoint = folder, resume = TRUE)))
  expect_s3_class(error, "sturdy_error_checkpoint_rows")
  file <- dir(folder, full.names = TRUE)[2]
  bytes <- readBin(file, "raw", 1e5)
  bytes[500] <- xor(bytes[500], as.raw(1))
  writeBin(bytes, file)
  error <- caught(fit_to(shards(d, 3, checkpoint = folder, resume = TRUE)))
  expect_s3_class(error, "sturdy_error_checkpoint_damaged")
  expect_identical(error$shard, 2L)
  writeBin(bytes[1:100], file)
  expect_error(
    fit_to(shards(d, 3, checkpoint = folder, resume = TRUE)),
    class = "sturdy_error_checkpoint_damaged"
  )
  expect_error(shards(d, checkpoint = file), class = "sturdy_error_checkpoint")
  expect_error(shards(d, resume = TRUE), class = "sturdy_error_missing_argument")
})

test_that("a run that is at work is not taken for killed, however long its pass", {
  checkpoint <- withr::local_tempdir()
  runs <- file.path(checkpoint, c("sturdy-run-1a", "sturdy-run-2b"))
  for (run in runs) {
    dir.create(run)
    file.create(file.path(run, "sign-1"))
    Sys.setFileTime(file.path(run, "sign-1"), Sys.time() - if (run == runs[1]) 60 else 7200)
    Sys.setFileTime(run, Sys.time() - 7200)
  }
  run_folder(checkpoint, FALSE)
  expect_identical(dir.exists(runs), c(TRUE, FALSE))
})
