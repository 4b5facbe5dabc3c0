# Rows of one unit: each unit is one row, with the means of its rows, and has one answer.

patients <- function(n = 40, rows = 6, wrong = 4, seed = 13) {
  withr::with_seed(seed, {
    patient <- rep(seq_len(n), each = rows)
    u <- matrix(stats::rnorm(3 * n), n)
    d <- data.frame(u[patient, ] + matrix(stats::rnorm(3 * n * rows, 0, 0.15), n * rows))
    label <- u[, 1] + u[, 2] > 0
    wrong <- sample(n, wrong)
    label[wrong] <- !label[wrong]
  })
  d$y <- factor(label[patient])
  d$patient <- paste0("p", patient)
  list(d = d, wrong = paste0("p", wrong), patient = patient)
}
few_patients <- made_once(function() patients(12, 3, 1))
patients_fit <- made_once(function() {
  gpc(y ~ X1 + X2 + X3, few_patients()$d, units = ~patient, kernel = kernel_iso())
})

test_that("four of 40 patients with wrong labels are found, which nothing shows without units", {
  local_fewer_points()
  made <- patients()
  fit <- gpc(y ~ . - patient, made$d, units = ~patient, hyper = "integrate")
  found <- mislabelled(fit)
  expect_setequal(found$patient[1:4], made$wrong)
  expect_no_match(noise_test(fit)$verdict, verdict_sentences[["no sign"]])
  expect_equal(attr(found, "n"), 40)
  expect_snapshot(fit)
})

test_that("a fit of units is the fit of their means", {
  d <- few_patients()$d
  X <- scale(as.matrix(d[1:3]))
  patient <- factor(d$patient, unique(d$patient))
  means <- apply(X, 2, function(v) tapply(v, patient, mean))
  first <- !duplicated(patient)
  plain <- gpc(unname(means), d$y[first], kernel = kernel_iso(), scale = FALSE)
  expect_equal(patients_fit()$ep$log_evidence, plain$ep$log_evidence, tolerance = 1e-8)
  expect_equal(mean_wrong(truth(patients_fit())), mean_wrong(truth(plain)), tolerance = 1e-8)
  linear <- bpm(d[1:3], d$y, units = d$patient)
  expect_equal(
    mean_wrong(truth(linear)), mean_wrong(truth(bpm(unname(means), d$y[first], scale = FALSE))),
    tolerance = 1e-8
  )
})

test_that("one row a unit is the fit without units, to the last bit", {
  d <- few_patients()$d
  d <- d[!duplicated(d$patient), ]
  d$patient <- NULL
  bare <- function(fit) {
    fit$call <- NULL
    fit
  }
  held <- kernel_iso(1, fixed = TRUE)
  expect_identical(
    bare(gpc(y ~ ., d, units = seq_len(12), kernel = held)), bare(gpc(y ~ ., d, kernel = held))
  )
  p <- seq(0.1, 0.9, length.out = 12)
  expect_identical(
    bare(second_stage(p, d$y, units = letters[1:12])), bare(second_stage(p, d$y))
  )
})

test_that("units are numbers, factors or text, of a column, a formula or a vector", {
  d <- few_patients()$d
  fit <- function(units) {
    mean_wrong(truth(gpc(d[1:3], d$y, units = units, epsilon = 0.1, kernel = kernel_iso(1, fixed = TRUE))))
  }
  expect_equal(fit(factor(d$patient)), fit(d$patient))
  expect_equal(fit(few_patients()$patient), fit(d$patient))
  by_name <- gpc(
    y ~ X1 + X2 + X3, d, units = patient, epsilon = 0.1, kernel = kernel_iso(1, fixed = TRUE)
  )
  expect_equal(mean_wrong(truth(by_name)), fit(d$patient))
  # of a table whose rows are mixed the same
  turn <- withr::with_seed(1, sample(36))
  again <- gpc(
    d[turn, 1:3], d$y[turn], units = d$patient[turn], epsilon = 0.1, kernel = kernel_iso(1, fixed = TRUE)
  )
  expect_equal(mean_wrong(truth(again))[match(by_name$data$row_names, again$data$row_names)], fit(d$patient))
})

test_that("scores of a unit are the means of their logs", {
  d <- few_patients()$d
  p <- stats::plogis(d$X1 + d$X2)
  eta <- tapply(stats::qlogis(p), factor(d$patient, unique(d$patient)), mean)
  first <- !duplicated(d$patient)
  by_hand <- mislabelled(as.vector(stats::plogis(eta)), d$y[first])
  found <- mislabelled(p, d$y, units = d$patient)
  expect_equal(found$probability, by_hand$probability, tolerance = 1e-8)
  expect_equal(found$row, (by_hand$row - 1) * 3 + 1)
  expect_equal(found$unit, paste0("p", by_hand$row))
})

test_that("answers about rows are those of their units, and those about labels one a unit", {
  fit <- patients_fit()
  d <- few_patients()$d
  expect_equal(nrow(mislabelled(fit)), 12)
  prob <- predict(fit, type = "prob")
  expect_equal(rownames(prob), row.names(d))
  expect_equal(unname(prob[1:3, 2]), rep(prob[[1, 2]], 3))
  expect_length(residuals(fit), 36)
  expect_equal(deviance(fit), sum(residuals(fit)[!duplicated(d$patient)]^2))
  drawn <- simulate(fit, 2, seed = 1)
  expect_equal(nrow(drawn), 36)
  expect_true(all(lengths(tapply(drawn$sim_2, d$patient, unique)) == 1))
  expect_equal(dim(predict(fit, type = "true")), c(36, 2))
  expect_equal(nrow(augment(fit, d)), 36)
  expect_equal(augment(fit, d)$.flipped[4:6], rep(row_flipped(fit)[2], 3))
  expect_equal(attr(true_performance(fit, predict(fit)), "n"), 12)
  # rows that lack a value or a label are at their places
  d$X1[2] <- NA
  d$y[36] <- NA
  some <- suppressMessages(gpc(
    y ~ X1 + X2 + X3, d, units = ~patient, na.action = stats::na.exclude, epsilon = 0.1,
    kernel = kernel_iso(1, fixed = TRUE)
  ))
  prob <- predict(some, type = "prob")
  expect_equal(unname(which(is.na(prob[, 1]))), 2)
  expect_equal(nrow(prob), 36)
  expect_equal(prob[[1, 1]], prob[[3, 1]])
})

test_that("a checked or trusted row is its unit", {
  d <- few_patients()$d
  held <- kernel_iso(1, fixed = TRUE)
  fit <- gpc(y ~ X1 + X2 + X3, d, units = ~patient, epsilon = 0.1, kernel = held)
  check <- function(...) suppressMessages(update(fit, checked = data.frame(..., label = "FALSE")))
  by_row <- check(row = 5)
  expect_equal(which(report_known(by_row$data$reports)), 2L)
  expect_identical(check(patient = "p2")$data, by_row$data)
  expect_identical(check(row = "5")$data, by_row$data)
  expect_error(
    update(fit, checked = data.frame(row = 4:5, label = c("FALSE", "TRUE"))), class = "sturdy_error_checked"
  )
  # units that are called by numbers are no rows called by numbers
  d$patient <- few_patients()$patient
  numbered <- gpc(y ~ X1 + X2 + X3, d, units = ~patient, epsilon = 0.1, kernel = held)
  found <- suppressMessages(update(numbered, checked = data.frame(row = 5, label = "FALSE")))
  expect_equal(which(report_known(found$data$reports)), 2L)
  expect_error(
    update(numbered, checked = data.frame(row = 99, label = "FALSE")), "99", class = "sturdy_error_checked"
  )
  d <- few_patients()$d
  trusted <- gpc(y ~ X1 + X2 + X3, d, units = ~patient, trusted = 8, epsilon = 0.1, kernel = held)
  expect_equal(which(report_known(trusted$data$reports)), 3L)
  expect_equal(which(report_known(update(fit, trusted = 9)$data$reports)), 3L)
  path <- withr::local_tempfile()
  saveRDS(fit, path)
  expect_equal(mislabelled(readRDS(path)), mislabelled(fit))
})

test_that("several classes have units, too", {
  d <- few_patients()$d
  d$y <- factor(c("a", "b", "c")[1 + (few_patients()$patient %% 3)])
  fit <- gpc(y ~ X1 + X2 + X3, d, units = ~patient, epsilon = 0.1, kernel = kernel_iso(1, fixed = TRUE))
  expect_equal(nrow(mislabelled(fit)), 12)
  expect_equal(dim(predict(fit, type = "prob")), c(36, 3))
})

test_that("what units can't be is refused", {
  d <- few_patients()$d
  held <- kernel_iso(1, fixed = TRUE)
  fit <- function(..., data = d) {
    gpc(y ~ X1 + X2 + X3, data, ..., epsilon = 0.1, kernel = held)
  }
  two <- d
  two$y[1] <- setdiff(levels(d$y), d$y[1])
  expect_snapshot({
    said(fit(units = ~patient, data = two))
    said(fit(units = 1:3))
    said(fit(units = replace(d$patient, 3, NA)))
    said(fit(units = ~patient, weights = 1:36))
    said(fit(units = ~patient, rates = rep(c("u", "v"), 18)))
    said(update(fit(units = ~patient), data = d))
  })
  refused <- function(code, class = "units") expect_error(code, class = paste0("sturdy_error_", class))
  refused(update(fit(units = ~patient), units = 1:36), "missing_argument")
  refused(absorb(fit(units = ~patient), d))
  groups <- list(rep(c("u", "v"), 18), d$patient > "p4") # within units, and of them
  expect_error(group_rates(fit(units = ~patient), by = groups[[1]]), "by.* must be the same in all rows of a unit")
  refused(group_rates(fit(units = ~patient), by = groups[[2]], predicted = rep(levels(d$y), 18)))
  refused(bpm(y ~ X1, d, units = ~patient, inference = "adf"))
  d$z <- d$y
  refused(gpc(readers(y, z) ~ X1, d, units = ~patient))
  refused(bpm_stream(y ~ X1, d, units = ~patient), "unknown_argument")
  expect_equal(fit(units = ~patient, weights = rep(2, 36))$data$reports$times, rep(2, 12))
  by_unit <- fit(units = ~patient, rates = ~ patient > "p4")$data$reports
  expect_identical(by_unit$sources[by_unit$source], as.character(unique(d$patient) > "p4"))
  expect_null(update(fit(units = ~patient), data = d, units = NULL)$data$units)
})

test_that("a column whose values repeat, each with one label, gets a message that names the argument", {
  made <- patients(20, 3, 4)
  held <- kernel_iso(1, fixed = TRUE)
  fit <- function(...) gpc(..., epsilon = 0.1, kernel = held)
  expect_message(fit(y ~ X1 + X2, made$d), "units = ~patient|units = ~ patient", class = "sturdy_message_units")
  expect_message(fit(made$d[c("X1", "patient")], made$d$y), class = "sturdy_message_units")
  expect_no_message(fit(y ~ X1 + X2, made$d, units = ~patient), class = "sturdy_message_units")
  said <- function(v, y) may_be_units(v, as.double(y))
  y <- rep(c(1, 2, 2, 1, 2, 1, 1, 2), each = 4)
  expect_true(said(rep(1:8, each = 4), y))
  expect_false(said(rep(1:8, each = 4), replace(y, 3, 2)))    # two labels
  expect_false(said(rep(1:8, each = 4), rep(1:2, each = 16))) # a number that tells the classes
  expect_false(said(rep(1:8, each = 4) / 3, y))               # a measurement
  expect_false(said(rep(letters[1:4], each = 8), rep(1:2, 16)))
  # of five pairs chance makes each of one label once in 30 times
  expect_false(said(rep(letters[1:5], each = 2), rep(c(1, 2, 1, 2, 1), each = 2)))
})

test_that("folds leave whole units out", {
  d <- few_patients()$d
  seen <- list()
  fit <- function(x, y) {
    seen[[length(seen) + 1]] <<- x$patient
    mean(y == "TRUE")
  }
  share <- function(model, x) rep(model, nrow(x))
  p <- withr::with_seed(1, cross_fit(d, d$y, fit, share, folds = 4, units = d$patient, progress = FALSE))
  left_out <- lapply(seen, setdiff, x = d$patient)
  expect_setequal(unlist(left_out), d$patient)
  expect_equal(lengths(left_out), rep(3, 4))
  expect_true(all(lengths(Map(intersect, seen, left_out)) == 0))
  # the units go with the scores
  expect_equal(nrow(suppressMessages(mislabelled(p))), 12)
  expect_error(
    cross_fit(d, d$y, fit, share, folds = rep(1:2, 18), units = d$patient), class = "sturdy_error_units"
  )
})

test_that("rows of unit length keep one lengthscale as units, whose means are shorter", {
  made <- withr::with_seed(1, {
    u <- matrix(stats::rnorm(20 * 25), 20)
    X <- u[rep(1:20, each = 2), ] + stats::rnorm(40 * 25, 0, 0.3)
    list(X = X / sqrt(rowSums(X^2)), y = factor(rep(u[, 1] > 0, each = 2)), unit = rep(1:20, each = 2))
  })
  fit <- suppressMessages(gpc(made$X, made$y, units = made$unit, epsilon = 0.1))
  expect_equal(fit$kernel$type, "iso")
  expect_equal(suppressMessages(update(fit, epsilon = 0.2))$kernel$type, "iso")
})

test_that("offsets and columns that are no numbers have means, too", {
  d <- few_patients()$d
  d$site <- factor(rep(c("u", "v", "v"), 12))
  d$known <- d$X1
  fit <- gpc(
    y ~ X1 + site + offset(known), d, units = ~patient, epsilon = 0.1, kernel = kernel_iso(1, nugget = 1, fixed = TRUE)
  )
  expect_equal(row_offset(fit$data$X), as.vector(tapply(d$known, factor(d$patient, unique(d$patient)), mean)))
  expect_equal(unname(plain_rows(fit$data$X)[, 2:3]), matrix(c(1, 2) / 3, 12, 2, byrow = TRUE))
  expect_equal(nrow(predict(fit, d[1:2, ], type = "prob")), 2)
})

test_that("the page lists units by their names, and takes in what was found of them", {
  path <- withr::local_tempfile(fileext = ".html")
  label_report(patients_fit(), path, n = 3, data = few_patients()$d)
  page <- paste(readLines(path), collapse = "\n")
  expect_match(page, mislabelled(patients_fit())$patient[1], fixed = TRUE)
})
