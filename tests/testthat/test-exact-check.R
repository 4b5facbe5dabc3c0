check_toy <- function(fit, ...) {
  withr::with_seed(1, check_fit(fit, draws = 1000, se = 0.1, ...))
}

test_that("a check holds EP against the exact posterior", {
  fit <- toy_fit()
  check <- check_toy(fit)
  expect_s3_class(check, "sturdy_check")
  expect_identical(check$evidence$method, "gaussian")
  expect_equal(check$evidence$gap, log_evidence(fit) - check$ais$log_evidence)
  expect_equal(check$probability$ep, unname(fitted(fit)))
  expect_equal(
    check$largest_gap, max(abs(check$probability$ep - check$probability$exact))
  )
  expect_lt(abs(check$evidence$gap), 0.5)
  expect_lt(check$largest_gap, 0.05)
  expect_true(all(check$probability$error < 0.02))
})

test_that("one row is checked, too", {
  one <- suppressMessages(gpc(matrix(1), 1, kernel = held(), epsilon = 0.1))
  expect_lt(check_toy(one)$largest_gap, 0.05)
})

test_that("the exact probabilities are those of posterior_sample()", {
  fit <- toy_fit()
  check <- check_toy(fit)
  skip_if_not_installed("posterior") # for the standard errors
  f <- withr::with_seed(2, posterior_sample(fit, 4000, newdata = toy()))
  error <- sqrt(check$probability$error^2 + 0.25 / attr(f, "ess"))
  expect_true(all(abs(colMeans(f > 0) - check$probability$exact) < 4 * error))
})

test_that("a check of stc() shows the t-EP gap as large as it is", {
  fit <- stc(class ~ a + b, toy(), df = 4, kernel = held(), epsilon = 0.05)
  check <- check_toy(fit)
  expect_identical(check$evidence$method, c("gaussian", "t-ep"))
  expect_lt(abs(check$evidence$gap[1]), 0.5)
  expect_gt(check$evidence$gap[2], 2)
  expect_true(any(grepl("not an approximation", check$means)))
  expect_true(any(grepl("gaussian", check$do)))
})

test_that("indices are drawn in proportion to the weights", {
  withr::local_seed(1)
  expect_identical(tabulate(systematic(c(1, 2, 0, 1), 8), 4), c(2L, 4L, 0L, 2L))
  expect_identical(systematic(c(0, 0, 5), 4), rep(3L, 4))
})

test_that("the words follow the numbers", {
  check <- check_toy(toy_fit())
  saying <- function(gap, se = 0.05, largest = 0.01, df = Inf) {
    check$evidence$gap <- gap
    check$ais$se <- se
    check$se_wanted <- 0.05
    check$largest_gap <- largest
    check$df <- df
    check_words(check)
  }
  expect_match(saying(0.01)$means[1], "within the error of the simulation")
  expect_match(saying(0.09)$means[1], "within the error of the simulation") # two standard errors
  expect_match(saying(0.11)$means[1], "too little to affect")
  expect_match(saying(-0.3)$means[1], "too little to affect")
  expect_match(saying(-1)$means[1], "below")
  expect_match(saying(-1)$do[1], "ais")
  expect_match(saying(5)$means[1], "do not choose a model")
  expect_match(saying(0, se = 0.5)$do[1], "larger max_moves")
  expect_match(saying(0, largest = 0.3)$means[2], "far off")
  expect_match(saying(0, largest = 0.3)$do[1], "posterior_sample")
  expect_null(saying(0)$do)
})

test_that("a check prints its numbers and words", {
  check <- check_toy(stc(class ~ a + b, toy(), df = 4, kernel = held(), epsilon = 0.05))
  out <- capture.output(shown <- print(check))
  expect_identical(shown, check)
  expect_match(out[1], "EP against simulation")
  expect_true(any(grepl("t-EP .* gap", out)))
  expect_true(any(grepl("^What to do", out)))
})

test_that("a check refuses what it can't do", {
  expect_error(check_fit(toy_fit(), draws = 5), class = "sturdy_error_range")
  expect_error(check_fit(toy_fit(), drawz = 5), class = "sturdy_error_unknown_argument")
  linear <- bpm(matrix(c(-1, 1, 2)), c(0, 1, 1), epsilon = 0.1)
  expect_error(check_fit(linear), class = "sturdy_error_no_kernel")
})

test_that("a sample of the rows is checked where there are many, under the dense kernel", {
  d <- toy(60)
  dense <- gpc(class ~ a + b, d, kernel = held(), epsilon = 0.05)
  low <- gpc(class ~ a + b, d, kernel = held(), epsilon = 0.05, inducing = 10)
  check <- check_toy(low, rows = 20)
  expect_identical(check, check_toy(low, rows = 20)) # the same sample
  expect_identical(c(check$nobs, check$of), c(20L, 60L))
  expect_match(printed(check), "20 rows of 60")
  expect_equal(check$probability[c("row", "ep")], check_toy(dense, rows = 20)$probability[c("row", "ep")])
  # the posterior given the sample alone
  some <- d[match(check$probability$row, rownames(d)), ]
  scaled <- dense$data$X[match(check$probability$row, rownames(d)), ]
  alone <- gpc(
    as.data.frame(scaled), some$class, kernel = held(), epsilon = 0.05, scale = FALSE
  )
  expect_equal(check$probability$ep, unname(fitted(alone)), tolerance = 1e-6)
  expect_identical(check_toy(low)$nobs, 60L) # 300 are not to be had
  expect_error(check_fit(low, rows = 1), class = "sturdy_error_range")
})

test_that("some rows of an average are checked at the point at which all of them are", {
  d <- toy(24)
  of <- function(d, ...) {
    suppressMessages(gpc(class ~ a + b, d, kernel = kernel_iso(1, fixed = TRUE), scale = FALSE, ...))
  }
  fit <- of(d, epsilon = "average", hyper = "integrate")
  some <- some_rows(fit, 18)
  direct <- of(d[some$data$rows, ], epsilon = fit$epsilon, hyper = "optimum")
  expect_equal(log_evidence(some), log_evidence(direct), tolerance = 1e-6)
  expect_null(some$label_stage) # it is of all rows
})

test_that("labels that are known, or rates by group, are not simulated", {
  d <- toy(24)
  for (known in list(list(trusted = 1:3), list(rates = rep(c("u", "v"), 12)))) {
    fit <- suppressMessages(do.call(gpc, c(
      list(class ~ a + b, d, kernel = kernel_iso(1, fixed = TRUE), epsilon = 0.1,
           hyper = "optimum"), known
    )))
    expect_error(check_fit(fit), class = "sturdy_error_known_labels")
  }
})
