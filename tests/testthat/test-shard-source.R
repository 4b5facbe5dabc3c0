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

test_that("rows that lack a value of a column that is dropped are left out, as without shards", {
  d <- shard_data(300)
  d$site <- "north" # constant
  d$id <- sprintf("P%03d", 1:300) # differs in every row
  d$site[c(2, 150)] <- NA
  d$id[c(7, 290)] <- NA
  d$a[9] <- NA
  fit_to <- function(data) {
    suppressMessages(bpm(class ~ a + b + f + site + id, data, nugget = 1, epsilon = 0.1))
  }
  whole <- fit_to(d)
  expect_equal(nobs(whole), 295)
  for (keep in c(TRUE, FALSE)) {
    rows <- shards(d, 3, batch_size = 30, keep = keep)
    fit <- fit_to(rows)
    expect_equal(nobs(fit), 295)
    expect_equal(fit$shards$left_out, 5)
    expect_equal(fit$blueprint$coding, whole$blueprint$coding)
    expect_equal(coef(fit), coef(whole), tolerance = 1e-6)
    done <- mislabelled(fit, rows, to = withr::local_tempdir())
    expect_equal(sum(done$rows), 295)
  }
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

# A shard without rows is a shard: the fit is that of the others
test_that("shards without rows are passed over, wherever they are and whatever made them so", {
  header <- csv_text(d)[1]
  gaps <- d
  gaps[c("a", "b")] <- NA
  empty <- list(
    csv_file(lines = header), csv_file(lines = c(header, "", "", "")), csv_file(gaps[1:20, ]),
    csv_file(lines = c(header, rep("NA,NA,NA,NA", 5)))
  )
  files <- write_parts(c(100, 200, 300))
  fit <- fit_to(shards(files))
  for (k in 1:4) {
    for (at in if (k == 1) 0:3 else k - 1) {
      other <- fit_to(shards(append(files, empty[[k]], at)))
      expect_identical(other$ep, fit$ep)
      expect_identical(other$shards$rows, append(c(100, 100, 100), 0, at))
    }
  }
  both <- gpc(class ~ ., shards(c(empty[[1]], files, empty[[3]]), keep = FALSE), inducing = 10)
  kept <- gpc(class ~ ., shards(files), inducing = 10)
  expect_identical(both$ep, kept$ep)
  # functions and queries
  parts <- lapply(c(100, 200, 300), function(end) function() d[end - 99:0, ])
  none <- list(function() d[0, ], function() function() NULL)
  expect_identical(fit_to(shards(c(none, parts, none)))$ep, fit$ep)
  expect_error(fit_to(shards(none)), class = "sturdy_error_no_rows")
  expect_error(fit_to(shards(unlist(empty))), class = "sturdy_error_no_rows")
  skip_if_not_installed("RSQLite")
  file <- withr::local_tempfile()
  con <- DBI::dbConnect(RSQLite::SQLite(), file)
  DBI::dbWriteTable(con, "points", cbind(id = seq_len(300), d))
  DBI::dbDisconnect(con)
  query <- sprintf("SELECT a, b, f, class FROM points WHERE id BETWEEN %d AND %d ORDER BY id",
                   c(1, 501, 101, 201), c(100, 600, 200, 300))
  connect <- function() DBI::dbConnect(RSQLite::SQLite(), file)
  expect_identical(fit_to(shards(query, connect = connect))$ep, fit$ep)
})

test_that("answers and sites of shards without rows are files without rows", {
  none <- list(function() d[0, ], function() d[1:150, ], function() d[151:300, ])
  folder <- withr::local_tempdir()
  fit <- fit_to(shards(none, checkpoint = folder))
  expect_length(dir(folder), 3)
  again <- fit_to(shards(none, checkpoint = folder, resume = TRUE))
  expect_identical(again$ep$sweeps, 0L)
  unlink(file.path(folder, "shard-00001.sites"))
  again <- fit_to(shards(none, checkpoint = folder, resume = TRUE))
  expect_identical(again$ep$sweeps, 0L)
  to <- withr::local_tempdir()
  found <- mislabelled(fit, shards(none), to = to)
  expect_identical(found$rows, c(0, 150, 150))
  expect_identical(found$wrong[1], 0)
  first <- utils::read.csv(found$file[1])
  expect_identical(nrow(first), 0L)
  expect_identical(names(first), names(utils::read.csv(found$file[2])))
  for (type in c("class", "prob", "latent", "response", "link")) {
    to <- withr::local_tempdir()
    done <- predict(fit, shards(none), type = type, to = to)
    files <- lapply(done$file, utils::read.csv, check.names = FALSE)
    expect_identical(names(files[[1]]), names(files[[2]]))
    expect_identical(vapply(files, nrow, 1L), c(0L, 150L, 150L))
  }
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite())
  withr::defer(DBI::dbDisconnect(con))
  predict(fit, shards(none), to = con, table = "answers")
  expect_identical(nrow(DBI::dbReadTable(con, "answers")), 300L)
})

test_that("ranges of a file are cut by its rows, not by its lines", {
  many <- d
  many$note <- ifelse(seq_len(300) %% 3 == 0, "two\nlines", "one")
  fit <- fit_to(shards(many[1:4], 7))
  text <- c(csv_text(many), "", "", "")
  rows <- shards(csv_file(lines = text), n = 7)
  other <- bpm(class ~ a + b + f, rows, nugget = 0.5, epsilon = 0.2)
  expect_identical(other$shards$rows, fit$shards$rows)
  expect_identical(other$ep, fit$ep)
  # more pieces than rows
  few <- shards(csv_file(d[1:5, ]), n = 9)
  expect_length(few$sources, 5)
})

test_that("rows that are not the same in the next pass are noticed, whatever has changed", {
  local_few()
  # from its `nth` reading on the second shard gives other rows
  changing <- function(change, nth) {
    calls <- 0
    list(function() d[1:150, ], function() {
      calls <<- calls + 1
      if (calls < nth) d[151:300, ] else change(d[151:300, ])
    })
  }
  changes <- list(
    function(x) x[150:1, ], function(x) x[-150, ], function(x) rbind(x, x[1, ]),
    function(x) replace(x, cbind(7, 1), 0), function(x) x[0, ],
    function(x) transform(x, class = rev(class))
  )
  of <- function(rows, ...) {
    gpc(class ~ ., rows, inducing = 8, kernel = held_kernel(), epsilon = 0.1, ...)
  }
  for (change in changes) {
    for (nth in if (identical(change, changes[[1]])) c(3, 5, 8) else 5) {
      error <- caught(of(shards(changing(change, nth), keep = FALSE, batch_size = 40)))
      expect_s3_class(error, "sturdy_error_rows")
      expect_identical(error$shard, 2L)
    }
  }
  # also between the scan and the encoding, of rows that are kept as well
  for (change in changes) {
    error <- caught(fit_to(shards(changing(change, 2))))
    expect_s3_class(error, "sturdy_error_rows")
    error <- caught(of(shards(changing(change, 2), keep = FALSE, batch_size = 40)))
    expect_s3_class(error, "sturdy_error_rows")
  }
  # but text that was made of numbers, which R keeps as such until it is read, has not changed
  text <- transform(d, f = as.character(rep(1:3, 100)))
  as_text <- lapply(list(1:150, 151:300), function(rows) {
    force(rows)
    function() transform(text[rows, ], f = as.character(seq_along(rows) %% 3))
  })
  expect_identical(of(shards(as_text, keep = FALSE))$ep$status, "converged")
  # columns that the formula does not read may change
  apart <- changing(function(x) transform(x, note = "other"), 4)
  expect_identical(of(shards(apart, keep = FALSE))$ep$status, "converged")
})

test_that("columns are known by their names, and one that is missing is named with its shard", {
  parts <- list(d[1:100, ], d[101:200, c("class", "b", "f", "a")], d[201:300, ])
  fit <- fit_to(shards(write_parts(c(100, 200, 300))))
  files <- vapply(parts, csv_file, "", env = environment())
  expect_identical(fit_to(shards(files))$ep, fit$ep)
  parts[[2]]$b <- NULL
  files[2] <- csv_file(parts[[2]])
  for (rows in list(shards(files), shards(lapply(parts, function(part) function() part)))) {
    error <- caught(fit_to(rows))
    expect_s3_class(error, c("sturdy_error_shard", "sturdy_error_missing_column"), exact = FALSE)
    expect_identical(error$shard, 2L)
    expect_match(conditionMessage(error$parent), "\"b\"", fixed = TRUE)
    expect_no_match(conditionMessage(error$parent), "resume")
  }
  # one that the formula does not read may be missing, or be there besides
  for (k in c(1, 3)) parts[[k]]$note <- "x"
  files <- vapply(parts, csv_file, "", env = environment())
  expect_identical(
    bpm(class ~ a + f, shards(files), nugget = 0.5, epsilon = 0.2)$ep,
    bpm(class ~ a + f, shards(d, 3), nugget = 0.5, epsilon = 0.2)$ep
  )
})

test_that("a column without values in one shard has the type of the others", {
  gaps <- d
  gaps$b[1:100] <- NA
  gaps$f[201:300] <- NA
  parts <- lapply(list(1:100, 101:200, 201:300), function(at) gaps[at, ])
  files <- vapply(parts, csv_file, "", env = environment())
  fit <- fit_to(shards(files))
  expect_identical(fit$shards$rows, c(0, 100, 0))
  expect_identical(fit$ep, fit_to(shards(d[101:200, ]))$ep)
})

test_that("what was opened is closed, also where a shard can't be opened", {
  gc()
  before <- nrow(showConnections())
  bad <- list(csv_file(lines = character()), csv_file(d[1:3]), csv_file(lines = c("a;b", "1;2")))
  for (file in bad) {
    error <- caught(suppressWarnings(fit_to(shards(c(csv_file(d), file)))))
    expect_s3_class(error, "sturdy_error_shard")
  }
  opened <- function() file(csv_file(d), "r") # by whoever made it
  fit <- fit_to(shards(list(opened, opened), keep = FALSE))
  expect_identical(fit$shards$rows, c(300, 300))
  expect_identical(nrow(showConnections()), before)
  skip_if_not_installed("RSQLite")
  made <- list()
  connect <- function() {
    made[[length(made) + 1]] <<- DBI::dbConnect(RSQLite::SQLite())
    made[[length(made)]]
  }
  expect_closed <- function(x, ...) {
    made <<- list()
    expect_s3_class(caught(fit_to(shards(x, ...))), "sturdy_error_shard")
    expect_gt(length(made), 0)
    expect_false(any(vapply(made, DBI::dbIsValid, NA)))
  }
  error <- caught(fit_to(shards("SELECT * FROM nowhere", connect = connect)))
  expect_s3_class(error, "sturdy_error_source")
  expect_false(any(vapply(made, DBI::dbIsValid, NA)))
  # no reader can be made of it
  expect_closed(list(connect))
  local_mocked(dbi_source = function(con, ...) stop("refused"))
  expect_closed("points", connect = connect)
  # or closed
  local_mocked(dbi_source = function(con, ...) {
    new_source(function() NULL, function() NULL, close = function() stop("not now"))
  })
  expect_closed("points", connect = connect)
})

# 2^40 times the same rows
test_that("counts of what shards have seen are beyond integers", {
  v <- c(1, 2, 6)
  number <- seen_values(v)
  text <- seen_values(c("a", "b", "a"))
  for (k in 1:40) {
    number <- merge_values(number, number)
    text <- merge_values(text, text)
  }
  expect_identical(number$n, 3 * 2^40)
  expect_equal(number[c("mean", "squares")], list(mean = 3, squares = 14 * 2^40))
  expect_equal(unname(text$count[match(c("a", "b"), text$used)]), c(2, 1) * 2^40)
  state <- list2env(list(source = list(x = d), options = list(batch_size = 100)))
  seen <- shard_scan(state, stats::terms(class ~ a), c("class", "a"), stats::na.omit, NULL)$seen
  for (k in 1:40) seen <- merge_seen(seen, seen)
  expect_identical(seen$n, 300 * 2^40)

  ends <- vapply(cut_rows(10000000L, 300), function(range) range$first + range$rows - 1, 0)
  expect_identical(ends, round(1e7 * (1:300) / 300))
  expect_identical(row_count(list(shards = list(counts = c(100, 200)))), 300L)
  expect_identical(row_count(list(shards = list(counts = c(100, 200) * 2^40))), 300 * 2^40)
})

test_that("levels and the event don't depend on which shard is first", {
  parts <- list(
    transform(d[1:150, ], f = factor(f, c("w", "v", "u")), class = factor(class, c("yes", "no"))),
    transform(d[151:300, ], f = factor(f, c("u", "v", "w")), class = factor(class, c("no", "yes")))
  )
  fit_of <- function(parts) fit_to(shards(lapply(parts, function(part) function() part)))
  for (order in list(1:2, 2:1)) {
    fit <- fit_of(parts[order])
    expect_identical(fit$blueprint$levels, c("no", "yes"))
    expect_identical(fit$blueprint$coding$f$levels, c("u", "v", "w"))
  }
  # the order that all have is kept, and text among factors is text
  fit <- fit_of(list(parts[[1]][1:70, ], parts[[1]][71:150, ]))
  expect_identical(fit$blueprint$levels, c("yes", "no"))
  expect_identical(fit$blueprint$coding$f$levels, c("w", "v", "u"))
  parts[[1]]$f <- ifelse(parts[[1]]$f == "w", "t", as.character(parts[[1]]$f))
  expect_identical(fit_of(parts)$blueprint$coding$f$levels, c("t", "u", "v", "w"))
  for (k in 1:2) parts[[k]]$f <- factor(d$f[1:150], c("u", "v", "w"), ordered = TRUE)
  expect_identical(fit_of(parts)$blueprint$coding$f$levels, c("u", "v", "w"))
  parts[[2]]$f <- factor(d$f[1:150], c("w", "v", "u"), ordered = TRUE)
  expect_error(fit_of(parts), "levels are a part of it", class = "sturdy_error_column_type")
})

test_that("three classes in shards get advice that helps", {
  three <- d
  three$class[c(1, 299)] <- "maybe"
  error <- expect_error(
    gpc(class ~ ., shards(three, 3), inducing = 10), class = "sturdy_error_outcome_levels"
  )
  expect_match(conditionMessage(error), "with shards")
  expect_no_match(conditionMessage(error), "gpc")
  fit <- bpm(I(class == "yes") ~ ., shards(three, 3), nugget = 0.5, epsilon = 0.2)
  whole <- bpm(I(class == "yes") ~ ., three, nugget = 0.5, epsilon = 0.2)
  expect_equal(coef(fit), coef(whole), tolerance = 1e-5)
})

test_that("a run leaves nothing behind, also when it fails", {
  before <- ls(shard_cache)
  fit_to(shards(d, 2))
  try(fit_to(shards(list(function() stop("no")))), silent = TRUE)
  expect_identical(ls(shard_cache), before)
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
  refused(gpc(class ~ ., rows, noise = noise_prior(sensitivity = c(45, 5))))
  refused(gpc(class ~ ., rows, criterion = "loo"))
  expect_error(fit_to(rows, subset = a > 0), class = "sturdy_error_subset")
  expect_error(bpm(class ~ poly(a, 2), rows), class = "sturdy_error_formula")
  expect_error(fit_to(d, cluster = list()), class = "sturdy_error_unknown_argument")
})

test_that("noise matrices over shards are the rates of two classes, and kernels by class refused", {
  d <- withr::with_seed(2, data.frame(x1 = rnorm(200), x2 = rnorm(200)))
  d$class <- factor(d$x1 + d$x2 > 0, labels = c("neg", "pos"))
  rows <- shards(d, n = 2)
  fit <- function(...) gpc(class ~ ., rows, inducing = 10, ...)
  held <- kernel_iso(2, nugget = 0.1, fixed = TRUE)
  omega <- rbind(pos = c(pos = 0.8, neg = 0.2), neg = c(0.1, 0.9))
  by_matrix <- fit(epsilon = omega, kernel = held)
  by_rates <- fit(epsilon = c(neg = 0.1, pos = 0.2), kernel = held)
  expect_equal(by_matrix$epsilon, c(neg = 0.1, pos = 0.2))
  expect_equal(by_matrix$ep$log_evidence, by_rates$ep$log_evidence, tolerance = 1e-8)
  learned <- fit(epsilon = "matrix", kernel = held)
  expect_equal(learned$epsilon, fit(epsilon = "learn2", kernel = held)$epsilon)
  expect_error(fit(kernels = "per class"), class = "sturdy_error_kernels")
  expect_error(second_stage(rows, d$class), class = "sturdy_error_type")
})

test_that("types that the first rows leave open are those of the next shard that has them", {
  heads <- list(
    list(rows = NULL), list(rows = 1, types = c(a = "numeric", b = NA, c = NA)),
    list(rows = 2, types = c(a = "character", b = "character", c = NA)),
    list(rows = 3, types = c(a = NA, b = NA, c = "logical")), list(rows = 4, types = c(a = "a", b = "b", c = "c"))
  )
  first <- first_rows(list(size = 5, ask = function(verb, only) heads[only]))
  expect_identical(first, list(rows = 1, types = c(a = "numeric", b = "character", c = "logical")))
})

test_that("rows of a sample are those of all blocks at their places", {
  block <- function(from, n) {
    list2env(list(n = n, before = from, X = cbind(from + seq_len(n), 0), y = rep(1, n), Phi = 1, lambda = 1))
  }
  state <- list2env(list(options = list(keep = TRUE), blocks = list(block(0, 3), block(3, 1), block(4, 4))))
  expect_equal(shard_rows(state, 1:8)$X[, 1], 1:8)
  expect_equal(shard_rows(state, c(3, 4, 8))$X[, 1], c(3, 4, 8))
})
