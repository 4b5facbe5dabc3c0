test_that("the leave-one-out score is the sum of its terms", {
  fit <- toy_fit()
  score <- loo(fit)
  expect_s3_class(score, "sturdy_loo")
  expect_length(score$pointwise, 40)
  expect_equal(score$estimate, sum(score$pointwise))
  expect_equal(score$se, sqrt(40) * sd(score$pointwise))
  expect_true(all(score$pointwise < 0))
})

test_that("leave-one-out is near the probability from a fit without the row", {
  d <- toy()
  fit <- toy_fit()
  left_out <- vapply(1:8, function(i) {
    without <- gpc(
      class ~ a + b, d[-i, ], epsilon = 0.05, scale = FALSE, kernel = held()
    )
    label <- as.character(d$class[i])
    predict(without, d[i, ], type = "prob", noise = TRUE)[, label]
  }, numeric(1))
  whole <- gpc(class ~ a + b, d, epsilon = 0.05, scale = FALSE, kernel = held())
  expect_equal(exp(loo(whole)$pointwise[1:8]), left_out, tolerance = 0.05)
})

test_that("one row has a score without a standard error", {
  fit <- gpc(matrix(1), 1, kernel = held(), epsilon = 0.1)
  expect_equal(loo(fit)$estimate, log(0.5))
  expect_identical(loo(fit)$se, NA_real_)
})

test_that("loo::loo() finds the method", {
  skip_if_not_installed("loo")
  fit <- toy_fit()
  expect_equal(loo::loo(fit), loo(fit))
})

test_that("a score prints its sum, error and worst row", {
  score <- structure(
    list(pointwise = log(c(0.5, 0.9, 0.1)), estimate = log(0.045), se = 1.5),
    class = "sturdy_loo"
  )
  expect_snapshot(score)
})
