d <- shard_data(300)
d$f <- as.character(d$f) # as files and databases have it
d[c("a", "b")] <- round(d[c("a", "b")], 6)
d$class <- as.character(d$class)

fit_to <- function(rows, ...) bpm(class ~ ., rows, nugget = 0.5, epsilon = 0.2, ...)

# all but the call
expect_same_fit_of <- function(rows, fit) {
  other <- fit_to(rows)
  other$call <- fit$call
  expect_identical(other, fit)
}

write_parts <- function(ends, env = parent.frame()) {
  first <- c(1, utils::head(ends, -1) + 1)
  unlist(Map(function(from, to) csv_file(d[from:to, ], env = env), first, ends))
}

test_that("files, ranges of a file, queries and functions give the fit of a cut table", {
  fit <- fit_to(shards(d, 3))
  expect_same_fit_of(shards(write_parts(c(100, 200, 300))), fit)
  expect_same_fit_of(shards(csv_file(d), n = 3), fit)
  ends <- c(100, 200, 300)
  parts <- lapply(ends, function(end) function() d[end - 99:0, ])
  expect_same_fit_of(shards(parts), fit)
  skip_if_not_installed("RSQLite")
  file <- withr::local_tempfile()
  con <- DBI::dbConnect(RSQLite::SQLite(), file)
  DBI::dbWriteTable(con, "points", cbind(id = seq_len(300), d))
  DBI::dbDisconnect(con)
  query <- sprintf(
    "SELECT a, b, f, class FROM points WHERE id BETWEEN %d AND %d ORDER BY id", ends - 99, ends
  )
  connect <- function() DBI::dbConnect(RSQLite::SQLite(), file)
  expect_same_fit_of(shards(query, connect = connect), fit)
})

test_that("rows that are read in every pass give the fit of rows that are kept", {
  files <- write_parts(c(100, 180, 300))
  fit <- fit_to(shards(files, batch_size = 30))
  expect_same_fit_of(shards(files, batch_size = 30, keep = FALSE), fit)
  kept <- gpc(class ~ ., shards(files, batch_size = 30), kernel = held_kernel(), epsilon = 0.1,
              inducing = 10)
  read <- gpc(class ~ ., shards(files, batch_size = 30, keep = FALSE), kernel = held_kernel(),
              epsilon = 0.1, inducing = 10)
  expect_identical(read$ep, kept$ep)
})

test_that("the encoding is that of all rows, whatever the cut", {
  sorted <- d[order(d$f, d$class, d$a), ]
  sorted$z <- c(rep(1, 299), 2) # constant in all shards but one
  whole <- bpm(class ~ ., sorted, nugget = 0.5, epsilon = 0.2)
  fit <- fit_to(shards(sorted, 7))
  expect_equal(fit$blueprint, whole$blueprint, tolerance = 1e-12)
  expect_equal(coef(fit), coef(whole), tolerance = 1e-5)
  expect_identical(nobs(fit), 300L)
})

test_that("columns that are constant in all shards are dropped, with the message of bpm()", {
  d$z <- 1
  expect_message(fit <- fit_to(shards(d, 3)), class = "sturdy_message_constant_columns")
  expect_identical(fit$blueprint$columns, c("a", "b", "f"))
})

test_that("rows with missing values are left out and counted, or stop the fit", {
  gaps <- d
  gaps$a[c(5, 150)] <- NA
  gaps$class[299] <- NA
  fit <- fit_to(shards(gaps, 3))
  expect_identical(fit$shards$left_out, 3)
  whole <- bpm(class ~ ., gaps, nugget = 0.5, epsilon = 0.2)
  expect_equal(coef(fit), coef(whole), tolerance = 1e-5)
  expect_error(
    bpm(class ~ ., shards(gaps, 3), nugget = 0.5, epsilon = 0.2, na.action = stats::na.fail),
    class = "sturdy_error_shard"
  )
  # also of a batch of which none is kept
  gaps$b[31:60] <- NA
  fit <- fit_to(shards(gaps, 3, batch_size = 30))
  expect_identical(fit$shards$left_out, 33)
  expect_identical(sum(fit$shards$rows), 267)
})

test_that("the shard that can't be used is named, with its cause", {
  files <- write_parts(c(100, 200, 300))
  lines <- readLines(files[2])
  writeLines(c(lines[1:50], "1,2", lines[51:101]), files[2])
  error <- caught(fit_to(shards(files)))
  expect_s3_class(error, "sturdy_error_shard")
  expect_identical(error$shard, 2L)
  expect_match(conditionMessage(error), basename(files[2]), fixed = TRUE)
  unlink(files[3])
  error <- caught(fit_to(shards(files[c(1, 3)])))
  expect_s3_class(error, "sturdy_error_source")
  expect_identical(error$shard, 2L)
  third <- list(function() d[1:100, ], function() transform(d[101:200, ], class = "maybe"))
  expect_error(fit_to(shards(third)), class = "sturdy_error_outcome_levels")
  other <- list(function() d[1:100, ], function() transform(d[101:200, ], a = "text"))
  expect_error(fit_to(shards(other)), class = "sturdy_error_column_type")
})

test_that("a run leaves nothing behind, also when it fails", {
  before <- ls(shard_states)
  fit_to(shards(d, 2))
  try(fit_to(shards(list(function() stop("no")))), silent = TRUE)
  expect_identical(ls(shard_states), before)
})

test_that("shards() says what it takes", {
  expect_error(shards(), class = "sturdy_error_missing_argument")
  expect_error(shards(1:3), class = "sturdy_error_type")
  expect_error(shards(d[0, ]), class = "sturdy_error_type")
  expect_error(shards(list(identity, 1)), class = "sturdy_error_type")
  expect_error(shards(list(identity), n = 2), class = "sturdy_error_unknown_argument")
  expect_error(shards(d, 0), class = "sturdy_error_range")
  expect_error(shards(d, sep = ";"), class = "sturdy_error_unknown_argument")
  expect_error(shards("no such file", n = 2), class = "sturdy_error_source")
  expect_match(printed(shards(d, 3)), "3 shards.*rows 1 to 100.*rows 201 to 300")
})

test_that("what shards can't do is refused", {
  rows <- shards(d, 2)
  refused <- function(code) expect_error(code, class = "sturdy_error_shards")
  refused(bpm(class ~ ., rows, inference = "adf"))
  refused(bpm(class ~ ., rows, df = 10))
  refused(gpc(class ~ ., rows, inducing = NULL))
  refused(gpc(class ~ ., rows, method = "em"))
  refused(gpc(class ~ ., rows, criterion = "loo"))
  expect_error(fit_to(rows, subset = a > 0), class = "sturdy_error_subset")
  expect_error(bpm(class ~ poly(a, 2), rows), class = "sturdy_error_formula")
  expect_error(fit_to(d, cluster = list()), class = "sturdy_error_unknown_argument")
})
