# Parquet files as sources, by another package's writer.

parquet_of <- function(d, ..., env = parent.frame()) {
  skip_if_not_installed("nanoparquet")
  file <- withr::local_tempfile(fileext = ".parquet", .local_envir = env)
  nanoparquet::write_parquet(d, file, ...)
  file
}

# The rows in files of these sizes in a folder
parquet_folder <- function(d, sizes, env = parent.frame()) {
  skip_if_not_installed("nanoparquet")
  folder <- withr::local_tempdir(.local_envir = env)
  ends <- cumsum(sizes)
  for (k in seq_along(sizes)) {
    part <- d[ends[k] - sizes[k] + seq_len(sizes[k]), ]
    nanoparquet::write_parquet(part, file.path(folder, sprintf("part-%02d.parquet", k)))
  }
  folder
}

test_that("a stream of a Parquet file is that of its rows", {
  d <- stream_data()
  expected <- stream(d)
  file <- parquet_of(d, row_groups = c(1L, 71L, 72L))
  expect_identical(stream(file)$weights, expected$weights)
  expect_identical(stream(file, batch_size = 1000)$filter$rows, 300)
  d$f <- factor(d$f)
  d$yes <- d$class == "yes"
  d$big <- d$b * 2^40
  typed <- stream(parquet_of(d), yes ~ a + f + big, batch_size = 300)
  expect_identical(typed$weights, stream(d, yes ~ a + f + big, batch_size = 300)$weights)
})

test_that("a folder is its files one after the other, empty ones among them", {
  d <- stream_data()
  expected <- stream(batches(d, c(50, 50, 20, 50, 50, 50, 30)))
  fit <- stream(parquet_folder(d, c(120, 0, 150, 30)))
  expect_identical(fit$weights, expected$weights)
  expect_identical(fit$filter$batches, 7)
})

test_that("a stream of Parquet goes on from its checkpoint", {
  d <- stream_data()
  expected <- stream(d)
  checkpoint <- withr::local_tempfile()
  bad <- parquet_of(set_at("a", NA)(d))
  expect_error(stream(bad, checkpoint = checkpoint), class = "sturdy_error_batch")
  fit <- stream(parquet_of(d), checkpoint = checkpoint, resume = TRUE)
  expect_identical(fit$weights, expected$weights)
})

test_that("columns that no one needs are not read", {
  read <- list()
  whole <- parquet_rows
  local_mocked(parquet_rows = function(file, wanted) {
    data <- whole(file, wanted)
    read[[length(read) + 1]] <<- names(data)
    data
  })
  stream(parquet_folder(stream_data(), c(150, 150)))
  expect_identical(read, list(names(stream_data()), c("a", "b", "f", "class")))
  read <- list()
  fit <- bpm(class ~ a + f, stream_data(), nugget = 1, epsilon = 0.1)
  rows <- shards(parquet_of(stream_data()))
  predict(fit, rows, to = withr::local_tempdir())
  mislabelled(fit, newdata = rows, to = withr::local_tempdir())
  expect_identical(read, list(c("a", "f"), c("a", "f", "class")))
})

test_that("shards of Parquet files have the rows of these files", {
  d <- shard_data(300)
  folder <- parquet_folder(d, c(100, 150, 50))
  fit <- function(rows) bpm(class ~ ., rows, nugget = 1, epsilon = 0.1)
  parts <- lapply(split(d, rep(1:3, c(100, 150, 50))), function(part) function() part)
  expected <- fit(shards(unname(parts)))
  rows <- shards(folder)
  expect_length(rows$sources, 3)
  expect_identical(fit(rows)$weights, expected$weights)
  expect_identical(fit(shards(dir(folder, full.names = TRUE), keep = FALSE))$weights,
                   expected$weights)
  expect_identical(fit(shards(parquet_of(d), n = 3))$weights, fit(shards(d, n = 3))$weights)
})

test_that("answers in Parquet files are those in CSV files", {
  d <- shard_data(100)
  d$a[c(3, 66)] <- NA
  skip_if_not_installed("nanoparquet")
  rows <- shards(list(function() d[1:60, ], function() d[0, ], function() d[61:100, ]),
                 batch_size = 7)
  fit <- bpm(class ~ ., rows, nugget = 1, epsilon = 0.1)
  local_mocked(parquet_group = 20)
  written <- function(answer, ...) {
    folder <- withr::local_tempdir(.local_envir = parent.frame())
    answer(fit, rows, to = folder, ...)
  }
  csv <- function(file) {
    found <- utils::read.csv(file, check.names = FALSE)
    if (nrow(found) == 0) found[] <- lapply(names(found), function(name) numeric())
    found
  }
  for (type in c("class", "prob", "latent", "response")) {
    one <- written(predict, type = type)
    two <- written(predict, type = type, format = "parquet")
    expect_identical(basename(two$file), sprintf("shard-%05d.parquet", 1:3))
    expect_identical(one$rows, two$rows)
    for (k in c(1, 3)) {
      found <- as.data.frame(nanoparquet::read_parquet(two$file[k]))
      expect_equal(found, csv(one$file[k]), tolerance = 1e-12, ignore_attr = "class")
    }
    none <- nanoparquet::read_parquet(two$file[2])
    expect_identical(names(none), names(csv(one$file[2])))
    expect_identical(nrow(none), 0L)
  }
  one <- written(mislabelled)
  two <- written(mislabelled, format = "parquet")
  found <- as.data.frame(nanoparquet::read_parquet(two$file[1]))
  expect_equal(found, csv(one$file[1]), tolerance = 1e-12, ignore_attr = "class")
  expect_identical(one$wrong, two$wrong)
  expect_gt(nrow(nanoparquet::read_parquet_metadata(two$file[1])$row_groups), 1)
  expect_error(written(predict, format = "feather"), class = "sturdy_error_choice")
})

test_that("a Parquet file that is not written has no name", {
  skip_if_not_installed("nanoparquet")
  folder <- withr::local_tempdir()
  file <- file.path(folder, "x.parquet")
  some <- data.frame(row = 1, p = 2)
  expect_error(write_parquet(file, some[0, ], function(put) {
    put(some)
    stop("no more")
  }), "no more")
  expect_error(
    write_parquet(file.path(folder, "none", "x.parquet"), some[0, ], function(put) put(some)),
    class = "sturdy_error_file"
  )
  expect_length(dir(folder, all.files = TRUE, no.. = TRUE), 0)
})

test_that("what is no Parquet is said at once", {
  d <- stream_data()
  file <- parquet_of(d)
  damaged <- withr::local_tempfile(fileext = ".parquet")
  writeBin(readBin(file, "raw", 500), damaged)
  expect_error(stream(damaged), class = "sturdy_error_source")
  expect_error(stream("nothing.parquet"), class = "sturdy_error_source")
  expect_error(stream(withr::local_tempdir()), class = "sturdy_error_source")
  expect_error(stream(file, sep = ";"), class = "sturdy_error_unknown_argument")
  expect_error(shards(file, sep = ";"), class = "sturdy_error_unknown_argument")
  without_packages("nanoparquet", {
    expect_error(stream(file), class = "sturdy_error_package")
    fit <- bpm(class ~ a, d, epsilon = 0.1, nugget = 1)
    expect_error(
      predict(fit, shards(d), to = tempdir(), format = "parquet"), class = "sturdy_error_package"
    )
  })
})
