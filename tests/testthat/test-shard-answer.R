d <- shard_data(300)
d$f <- as.character(d$f)
rows <- shards(d, 3)
fit <- gpc(class ~ ., rows, inducing = 12, kernel = held_kernel(), epsilon = 0.1)
new <- shard_data(70, seed = 5)
new$a[c(3, 66)] <- NA

read_all <- function(folder) {
  files <- sort(dir(folder, full.names = TRUE))
  do.call(rbind, lapply(files, utils::read.csv, check.names = FALSE))
}

test_that("predictions over shards are those of all rows, in their order", {
  for (type in c("class", "prob", "latent", "response", "link")) {
    folder <- withr::local_tempdir()
    done <- predict(fit, shards(new, 4, batch_size = 7), type = type, noise = TRUE, to = folder)
    expect_identical(done$rows, c(18, 17, 17, 18))
    expect_identical(normalizePath(done$file), sort(dir(folder, full.names = TRUE)))
    written <- read_all(folder)
    expect_identical(written$row, sequence(done$rows))
    direct <- predict(fit, new, type = type, noise = TRUE)
    if (type == "class") {
      expect_identical(written$class, as.character(direct))
    } else {
      values <- as.matrix(written[setdiff(names(written), "row")])
      expect_equal(unname(values), unname(as.matrix(direct)), tolerance = 1e-12)
    }
  }
  expect_error(predict(fit, shards(new), to = folder), class = "sturdy_error_exists")
  expect_error(predict(fit, shards(new)), class = "sturdy_error_missing_argument")
  expect_error(predict(fit, shards(new), to = "no folder"), class = "sturdy_error_type")
})

test_that("intervals are written, of several classes, too", {
  folder <- withr::local_tempdir()
  predict(fit, shards(new, 2), type = "response", interval = 0.8, to = folder)
  direct <- predict(fit, new, type = "response", interval = 0.8)
  expect_equal(read_all(folder)[-1], as.data.frame(direct), tolerance = 1e-12, ignore_attr = TRUE)
  three <- gpc(Species ~ Petal.Length, iris[c(1:12, 51:62, 101:112), ], epsilon = 0.1, hyper = "optimum")
  folder <- withr::local_tempdir()
  predict(three, shards(iris[c(1, 60, 140), ], 1), interval = 0.8, to = folder)
  written <- read_all(folder)
  direct <- predict(three, iris[c(1, 60, 140), ], interval = 0.8)
  expect_equal(written$upper.virginica, unname(direct$upper[, "virginica"]), tolerance = 0.05)
  expect_equal(written$estimate.setosa, unname(direct$estimate[, "setosa"]), tolerance = 1e-12)
  expect_length(written, 10)
})

test_that("files have whole numbers for rows, and their text in UTF-8", {
  odd <- c("n\u00e9", "a \"b\", c", NA, "row")
  lines <- csv_lines(data.frame(row = c(99999, 1e5, 2e5, 3), class = odd, p = c(0.1, 1 / 3, NA, 1)))
  expect_identical(lines[2], "100000,\"a \"\"b\"\", c\",0.333333333333333")
  expect_identical(lines[3], "200000,NA,NA")
  expect_identical(Encoding(lines[1]), "UTF-8")
  back <- utils::read.csv(text = lines, header = FALSE, encoding = "UTF-8")
  expect_identical(back[[2]], odd)
  # classes that are called as the number of a row is
  d$class <- factor(d$class, labels = c("row", "column"))
  named <- bpm(class ~ a + b, d, nugget = 1, epsilon = 0.1)
  folder <- withr::local_tempdir()
  predict(named, shards(new, 1), type = "prob", to = folder)
  written <- utils::read.csv(dir(folder, full.names = TRUE), check.names = FALSE)
  expect_equal(unname(as.matrix(written[-1])), unname(predict(named, new, type = "prob")), tolerance = 1e-12)
})

test_that("the flip probabilities over shards are those of a fit that has its rows", {
  whole <- gpc(class ~ ., d, inducing = 12, kernel = held_kernel(), epsilon = 0.1)
  expected <- mislabelled(whole, level = NULL)
  expected <- expected[order(expected$row), ]
  folder <- withr::local_tempdir()
  found <- mislabelled(fit, rows, to = folder)
  written <- read_all(folder)
  expect_identical(written$label, as.character(expected$label))
  for (column in c("probability", "loo_wrong", "loo")) {
    expect_equal(written[[column]], expected[[column]], tolerance = 1e-5)
  }
  expect_equal(sum(found$wrong), sum(expected$probability), tolerance = 1e-5)
  linear <- bpm(class ~ ., rows, nugget = 0.5, epsilon = 0.2)
  whole <- bpm(class ~ ., d, nugget = 0.5, epsilon = 0.2)
  folder <- withr::local_tempdir()
  mislabelled(linear, rows, to = folder)
  expect_equal(read_all(folder)$probability, whole$ep$flipped, tolerance = 1e-5)
  more <- absorb(linear, d[1:3, ])
  expect_identical(nobs(more), 303L)
  expect_equal(more[c("filter", "weights")], absorb(whole, d[1:3, ])[c("filter", "weights")], tolerance = 1e-5)
  expect_match(printed(more), "303, 3 inputs.*3 of 303 rows absorbed")
  expect_error(
    mislabelled(fit, shards(d[-1, ], 3), to = withr::local_tempdir()),
    class = "sturdy_error_rows"
  )
})

# The fit of rows that are in one place at the rates that shards have learned, and its label stage on
# the rows themselves
judged_whole <- function(fit, whole) {
  local_mocked(label_rows_most = c(two = 1e5L, several = 5000L))
  whole[c("spec", "learning")] <- fit[c("spec", "learning")]
  with_label_stage(whole)
}

# The stage of each is by EP to 1e-6, and of many rows by cells
# @param new_rows the same of new rows, which few points answer: chosen by other cells these are others
expect_judged_alike <- function(fit, whole, rows, probability, evidence, new_rows = probability) {
  whole <- judged_whole(fit, whole)
  expect_equal(sum(fit$label_stage$data$reports$times), nobs(whole))
  models <- lapply(list(fit, whole), function(one) one$label_stage$nodes$models)
  expect_lt(max(abs(models[[1]]$log_evidence - models[[2]]$log_evidence)), evidence)
  folder <- withr::local_tempdir()
  found <- mislabelled(fit, rows, to = folder)
  written <- read_all(folder)
  expected <- suspicion(
    whole$label_stage, truth(whole$label_stage), NULL, whole$label_stage$nodes$unusual, order = seq_len(nobs(whole))
  )
  expect_identical(written$label, as.character(expected$label))
  expect_identical(written$suggested, as.character(expected$suggested))
  for (column in c("probability", "loo_wrong", "loo", "unusual")) {
    expect_lt(max(abs(written[[column]] - expected[[column]])), probability)
  }
  expect_equal(sum(found$wrong), sum(expected$probability), tolerance = probability)
  said <- lapply(list(fit, whole), predict, new, type = "prob")
  expect_lt(max(abs(said[[1]] - said[[2]]), na.rm = TRUE), new_rows)
  expect_equal(flip_rates(fit), flip_rates(whole), tolerance = 10 * probability)
  expect_equal(matrix_counts(judged_by(fit)), matrix_counts(judged_by(whole)), tolerance = 10 * probability)
  # and none of this is what the first stage says
  expect_gt(max(abs(written$probability - row_flipped(first_stage(whole)))), 0.01)
  whole
}

test_that("the label stage of shards is that of rows in one place", {
  fit <- gpc(class ~ ., rows, inducing = d[1:12, ], kernel = held_kernel(), epsilon = "learn2")
  whole <- gpc(class ~ ., d, inducing = d[1:12, ], kernel = held_kernel(), epsilon = fit$epsilon)
  expect_judged_alike(fit, whole, rows, 1e-4, 1e-4)
  expect_error(noise_test(fit), "from the start", class = "sturdy_error_no_average")
  expect_match(printed(fit), "How many\\? +About [0-9]+ of 300, if such")
})

test_that("so it is by cells of the scores of many rows in files", {
  many <- shard_data(2600, seed = 3)
  files <- withr::local_tempfile(pattern = paste0("part-", 1:2), fileext = ".csv")
  utils::write.csv(many[1:1100, ], files[1], row.names = FALSE)
  utils::write.csv(many[1101:2600, ], files[2], row.names = FALSE)
  rows <- shards(files, keep = FALSE, batch_size = 700)
  fit <- bpm(class ~ ., rows, nugget = 0.5, epsilon = "average")
  whole <- bpm(class ~ ., many, nugget = 0.5, epsilon = fit$epsilon)
  expect_lt(length(fit$label_stage$data$y), 1300)
  whole <- expect_judged_alike(fit, whole, rows, 1e-3, 0.01, new_rows = 4 * few_gap_label)
  tests <- lapply(list(fit, whole), noise_test)
  expect_equal(log(tests[[1]]$bayes_factor), log(tests[[2]]$bayes_factor), tolerance = 0.01)
  for (part in c("average", "some", "verdict", "suspects", "contradicted")) {
    expect_equal(tests[[1]][[part]], tests[[2]][[part]], tolerance = 0.01)
  }
  expect_null(tests[[1]]$noticed) # for what labels tell of themselves takes their rows
  expect_match(printed(fit), "How many\\? +About [0-9]+ of 2,600 \\(90% interval")
})

test_that("a row is called by its position in its shard, with those left out counted", {
  d$a[c(1, 2, 103, 299)] <- NA
  d$class[250] <- NA
  for (keep in c(TRUE, FALSE)) {
    rows <- shards(d, 3, batch_size = 9, keep = keep)
    fit <- suppressMessages(bpm(class ~ ., rows, nugget = 1, epsilon = 0.1))
    folder <- withr::local_tempdir()
    done <- mislabelled(fit, rows, to = folder)
    expect_equal(done$rows, c(98, 99, 98))
    written <- read_all(folder)
    position <- rep(c(0, 100, 200), done$rows) + written$row
    expect_equal(position, setdiff(1:300, c(1, 2, 103, 250, 299)))
    expect_identical(written$label, as.character(d$class[position]))
  }
  # as mislabelled() of the rows at once has them
  whole <- suppressMessages(bpm(class ~ ., d, nugget = 1, epsilon = 0.1))
  found <- mislabelled(whole, level = NULL)
  expect_equal(
    written$probability[match(found$row, position)], found$probability, tolerance = 1e-5
  )
})

test_that("answers go to a table of a database, too", {
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite())
  withr::defer(DBI::dbDisconnect(con))
  predict(fit, shards(new, 4), type = "response", to = con, table = "answers")
  written <- DBI::dbReadTable(con, "answers")
  expect_equal(written$response, unname(predict(fit, new, type = "response")))
  expect_identical(written$shard, rep(1:4, c(18, 17, 17, 18)))
  expect_error(
    predict(fit, shards(new), to = con, table = "answers"), class = "sturdy_error_exists"
  )
  expect_error(predict(fit, shards(new), to = con), class = "sturdy_error_type")
  found <- mislabelled(fit, rows, to = con, table = "suspects")
  suspects <- DBI::dbReadTable(con, "suspects")
  expect_equal(as.vector(rowsum(suspects$probability, suspects$shard)), found$wrong)
})

test_that("what needs the rows says where they are", {
  for (verb in list(mislabelled, loo, log_evidence_zp = function(f) log_evidence(f, "ep_zp"))) {
    expect_error(verb(fit), class = "sturdy_error_no_sites")
  }
  expect_error(predict(fit), class = "sturdy_error_no_sites")
  expect_error(fitted(fit), class = "sturdy_error_no_sites")
  expect_identical(nobs(fit), 300L)
  expect_match(printed(fit), "300 in 3 shards, 3 inputs")
  expect_match(printed(summary(fit)), "EP +converged.*Log evidence")
})

test_that("every answer to a user is there, or a classed error", {
  verbs <- list(
    loo, residuals, plot, summary, coef, update, ep_diagnostics, augment, glance, tidy,
    function(f) absorb(f, d), posterior_sample, check_fit, calibration,
    function(f) log_evidence(f, "integrated"), logLik
  )
  for (verb in verbs) {
    error <- caught(suppressWarnings(verb(fit)))
    if (inherits(error, "error")) expect_s3_class(error, "sturdy_error")
  }
})

test_that("EP that does not end on the rows of a fit is told of, and what it reached is written", {
  short <- fit
  short$spec$control <- ep_control(max_sweeps = 1, tol = 1e-14)
  folder <- withr::local_tempdir()
  expect_warning(
    found <- mislabelled(short, rows, to = folder), "On these rows",
    class = "sturdy_warning_not_converged"
  )
  # one round from the sites of the fit is near them
  whole <- withr::local_tempdir()
  expect_equal(found$wrong, mislabelled(fit, rows, to = whole)$wrong, tolerance = 0.05)
})

# Answers for further rows in shards against those for the data frame
expect_labelled_apart <- function(fit, new, ..., tolerance = 1e-12) {
  folder <- withr::local_tempdir()
  done <- mislabelled(fit, newdata = shards(new, 3, batch_size = 7), to = folder, ...)
  found <- read_all(folder)
  expect_identical(names(done), c("shard", "rows", "wrong", "file"))
  first <- cumsum(c(0, lengths(cut_sizes(nrow(new), 3))))[rep(1:3, done$rows)]
  expected <- mislabelled(fit, newdata = new, level = NULL, ...)
  expected <- expected[order(expected$row), ]
  expect_identical(found$row + first, as.double(expected$row))
  expect_equal(sum(done$wrong), sum(expected$probability), tolerance = tolerance)
  shown <- setdiff(names(found), "row")
  expect_true(all(shown %in% names(expected)))
  for (column in shown) {
    said <- expected[[column]]
    if (is.factor(said)) said <- as.character(said)
    expect_equal(found[[column]], said, tolerance = tolerance)
  }
  found
}

cut_sizes <- function(rows, n) lapply(cut_rows(rows, n), function(range) seq_len(range$rows))

test_that("labels of further rows in shards are told as those of a data frame", {
  local_fewer_points()
  found <- expect_labelled_apart(fit, new)
  expect_identical(names(found), c("row", "label", "probability", "loo", "suggested", "loo_wrong"))
  expect_identical(nrow(found), 68L) # two have missing values
  folder <- withr::local_tempdir()
  mislabelled(fit, newdata = shards(new[1:5, ], 1, batch_size = 1), to = folder)
  expect_length(readLines(dir(folder, full.names = TRUE)), 5) # a batch without a whole row has no line
  expect_labelled_apart(bpm(class ~ ., d, hyper = "integrate"), new)
  d$group <- rep(c("k", "l"), 150)
  new$group <- rep(c("l", "k"), 35)
  grouped <- bpm(class ~ . - group, d, rates = group, nugget = 1)
  expect_labelled_apart(grouped, new)
  several <- gpc(Species ~ ., iris[seq(1, 150, 3), ], kernel = held(), epsilon = 0.05)
  found <- expect_labelled_apart(several, iris[seq(2, 150, 4), ])
  expect_true(all(c("p_suggested", "runner_up", "p_runner_up") %in% names(found)))
})

test_that("scoring reads no column of a text but those of the fit, and all rows of a fit of none", {
  file <- withr::local_tempfile(fileext = ".csv")
  new$late <- c(rep("1", 60), rep("x", 10)) # a text only in a later batch
  utils::write.csv(new, file, row.names = FALSE)
  wide <- shards(file, batch_size = 50)
  folder <- withr::local_tempdir()
  predict(fit, wide, type = "response", to = folder)
  expect_equal(read_all(folder)$response, unname(predict(fit, new, type = "response")),
               tolerance = 1e-12)
  none <- bpm(class ~ 1, d, nugget = 1, epsilon = 0.1)
  expect_identical(predict(none, shards(new), to = withr::local_tempdir())$rows, 70)
})

test_that("for a fit from x and y the column of labels has a name", {
  old <- bpm(d[c("a", "f")], d$class, nugget = 1, epsilon = 0.1)
  folder <- withr::local_tempdir()
  mislabelled(old, newdata = shards(new), labels = "class", to = folder)
  direct <- mislabelled(old, newdata = new, labels = new$class)
  expect_equal(read_all(folder)$probability, direct$probability[order(direct$row)],
               tolerance = 1e-12)
  failed <- function(..., class) {
    expect_error(mislabelled(old, newdata = shards(new), ...), class = class)
  }
  failed(labels = "class", class = "sturdy_error_missing_argument")
  to <- withr::local_tempdir()
  failed(to = to, class = "sturdy_error_missing_argument")
  failed(labels = "none", to = to, class = "sturdy_error_missing_column")
  failed(labels = new$class, to = to, class = "sturdy_error_type")
  failed(labels = "class", fdr = 0.1, to = to, class = "sturdy_error_unknown_argument")
  failed(labels = "class", id = "a", to = to, class = "sturdy_error_unknown_argument")
  failed(labels = "class", unknown = 1, to = to, class = "sturdy_error_unknown_argument")
  expect_length(dir(to), 0)
})
