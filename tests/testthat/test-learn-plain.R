# Two classes: a plain kernel beside one with a lengthscale for each column (8.19).

plain_rows <- function(n = 70) {
  set.seed(12)
  X <- matrix(stats::rnorm(3 * n), n, dimnames = list(NULL, c("a", "b", "c")))
  y <- X[, 1] + X[, 2] / 2 + 0.4 * stats::rnorm(n) > 0
  wrong <- stats::runif(n) < 0.1
  list(X = X, y = factor(xor(y, wrong), labels = c("no", "yes")))
}

fitted_by <- function(d, kernel, ...) {
  suppressMessages(gpc(
    d$X, d$y, kernel = kernel, epsilon = "average", hyper = "integrate",
    control = ep_control(progress = FALSE), ...
  ))
}

test_that("the evidence of each noise model is the mean of those of the two kernels", {
  d <- plain_rows()
  # without what hangs on the columns a plain kernel is one that a user can write
  many <- kernel_ard(1, prior = weak_prior(lengthscale = c(0, 0.7)))
  plain <- kernel_iso(1, linear = 1, prior = weak_prior(lengthscale = c(0, plain_sd)))
  both <- noise_test(fitted_by(d, many))$models
  first <- noise_test(fitted_by(d, many, kernels = "shared"))$models
  second <- noise_test(fitted_by(d, plain))$models
  expect_identical(first$model, both$model)
  expect_identical(second$model, both$model)
  mean <- log((exp(first$log_evidence) + exp(second$log_evidence)) / 2)
  likely <- both$probability > 0.05
  expect_lt(max(abs(both$log_evidence - mean)[likely]), 0.25) # nodes of three averages
  expect_gt(sum(likely), 1)
})

test_that("nodes are of both kernels, and the best of them is the fit", {
  d <- plain_rows()
  fit <- fitted_by(d, kernel_ard())
  linear <- vapply(nodes(fit)$hyper, `[[`, 1, "linear")
  expect_true(any(linear == 0) && any(linear > 0))
  scales <- vapply(nodes(fit)$hyper, function(h) diff(range(log(h$lengthscale))), 1)
  expect_lt(max(scales[linear > 0]), 0.3) # medians of the columns alone
  expect_gt(min(scales[linear == 0 & is.na(fit$nodes$table$constant)]), 0)
  expect_identical("linear" %in% tidy(fit)$term, fit$kernel$linear > 0)
  if (fit$kernel$linear > 0) expect_true(tidy(fit)$learned[tidy(fit)$term == "linear"])
  p <- predict(fit, d$X, type = "prob")
  expect_true(all(is.finite(p)))
  one <- fitted_by(d, kernel_ard(), kernels = "shared")
  expect_true(all(vapply(nodes(one)$hyper, `[[`, 1, "linear") == 0))
  expect_equal(update(fit, kernels = "shared")$nodes$table, one$nodes$table)
})

test_that("there is no plain kernel where lengthscales are one, held, or rows are by inducing inputs", {
  d <- plain_rows(40)
  none <- function(...) {
    fit <- fitted_by(d, ...)
    expect_true(all(vapply(nodes(fit)$hyper, `[[`, 1, "linear") == 0))
  }
  none(kernel_iso())
  none(kernel_ard(1, fixed = c("variance", "lengthscale")))
  none(kernel_ard(), inducing = 10)
})

test_that("a plain kernel that is far behind on all rows takes no more time", {
  n <- 320
  set.seed(3)
  X <- matrix(stats::rnorm(6 * n), n, dimnames = list(NULL, letters[1:6]))
  d <- list(X = X, y = factor(sin(2 * X[, 2]) + X[, 1] / 4 + 0.1 * stats::rnorm(n) > 0))
  both <- fitted_by(d, kernel_ard())
  one <- fitted_by(d, kernel_ard(), kernels = "shared")
  expect_true(all(vapply(nodes(both)$hyper, `[[`, 1, "linear") == 0))
  expect_lt(sum(both$learning$evaluations), sum(one$learning$evaluations) + 5)
  expect_equal(noise_test(both)$bayes_factor, noise_test(one)$bayes_factor, tolerance = 0.2)
})
