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

test_that("a score prints its sum, error and worst row", {
  score <- structure(
    list(pointwise = log(c(0.5, 0.9, 0.1)), estimate = log(0.045), se = 1.5),
    class = "sturdy_loo"
  )
  expect_snapshot({
    score
    as_loo(score)
  })
})

# The loo package -------------------------------------------------------------

test_that("as_loo() gives the matrices of the loo package", {
  score <- loo(toy_fit())
  converted <- as_loo(score)
  expect_s3_class(converted, "loo")
  expect_equal(converted$pointwise[, "elpd_loo"], score$pointwise)
  expect_equal(converted$estimates["elpd_loo", ], c(Estimate = score$estimate, SE = score$se))
  expect_equal(converted$estimates["looic", "Estimate"], -2 * score$estimate)
  expect_error(as_loo(toy_fit()), class = "sturdy_error_type")
})

test_that("loo::loo() finds the method", {
  skip_if_not_installed("loo")
  fit <- toy_fit()
  expect_equal(loo::loo(fit), loo(fit))
  expect_true(loo::is.loo(as_loo(loo(fit))))
})

test_that("loo::loo_compare() takes scores one by one and as a list", {
  skip_if_not_installed("loo")
  fits <- list(noise = toy_fit(), none = toy_fit(epsilon = 0))
  a <- loo(fits$noise)
  b <- loo(fits$none)
  one <- loo::loo_compare(a, b)
  named <- loo::loo_compare(lapply(fits, loo))
  expect_s3_class(named, "compare.loo")
  expect_equal(rownames(named), c("noise", "none"))
  expect_equal(unclass(one)[, 1:2], unclass(named)[, 1:2], ignore_attr = TRUE)
  difference <- b$pointwise - a$pointwise
  expect_equal(named[["none", "elpd_diff"]], sum(difference))
  expect_equal(named[["none", "se_diff"]], sqrt(40) * sd(difference))
})

test_that("loo::loo_compare() still takes what is not ours, and both together", {
  skip_if_not_installed("loo")
  ours <- loo(toy_fit())
  theirs <- as_loo(loo(toy_fit(epsilon = 0)))
  class(theirs) <- "loo"
  expect_s3_class(loo::loo_compare(list(theirs, theirs)), "compare.loo")
  expect_s3_class(loo::loo_compare(list(theirs, ours)), "compare.loo")
  expect_s3_class(loo::loo_compare(theirs, as_loo(ours)), "compare.loo")
  expect_error(loo::loo_compare(list(1, 2)))
})

test_that("loo::loo_compare() warns of scores of other labels", {
  skip_if_not_installed("loo")
  d <- toy()
  d$class[1] <- setdiff(levels(d$class), d$class[1])
  expect_warning(loo::loo_compare(loo(toy_fit()), loo(toy_fit(data = d))), "yhash")
})
