# What a t prior is for: after a change of target it recovers faster. Streams of
# section 6.1 of Ding, Qi and Vishwanathan (2011).

sim_drift <- function(...) script_env("drift")$sim_drift(...)

drift_error <- function(case, df, seed) {
  d <- sim_drift(case, seed = seed)
  fit <- bpm(
    d$x, d$y,
    df = df, epsilon = 0.01, inference = "adf", intercept = FALSE, scale = FALSE
  )
  fit$filter$errors / fit$filter$rows
}

# mean prequential errors over seeds: a row a case, a column a df
drift_errors <- function(seeds, df = c(Inf, 3, 10)) {
  one <- function(case, df) {
    mean(vapply(seeds, function(seed) drift_error(case, df, seed), numeric(1)))
  }
  errors <- outer(1:2, df, Vectorize(one))
  dimnames(errors) <- list(NULL, as.character(df))
  errors
}

test_that("the t priors follow a drifting target better than the normal one", {
  # two seeds; the difference of a pair on one stream has a standard deviation of
  # about 0.008 in case 1 and 0.005 in case 2 between seeds
  errors <- drift_errors(1:2)
  expect_gt(errors[1, "Inf"] - max(errors[1, c("3", "10")]), 0.06)
  expect_gt(errors[2, "Inf"] - max(errors[2, c("3", "10")]), 0.01)
})

extended_test("ten streams: at least 0.08 in case 1, at least 0.02 in case 2", {
  errors <- drift_errors(1:10)
  expect_gt(errors[1, "Inf"] - max(errors[1, c("3", "10")]), 0.08)
  expect_gt(errors[2, "Inf"] - max(errors[2, c("3", "10")]), 0.02)
  # two other programs with other seeds found case 1: 0.346-0.351, 0.234-0.244,
  # 0.243-0.255, case 2: 0.165-0.172, 0.140, 0.139; the means of ten seeds have
  # standard errors of 0.001-0.003, theirs of three or four seeds about twice that
  expected <- rbind(c(0.348, 0.239, 0.249), c(0.168, 0.140, 0.139))
  expect_lt(max(abs(errors - expected)), 0.01)
})

test_that("the scale of the t posterior grows on such a stream, the normal's stays", {
  d <- sim_drift(1, seed = 1)
  fit <- function(df) {
    bpm(
      d$x, d$y,
      df = df, epsilon = 0.01, inference = "adf", intercept = FALSE, scale = FALSE
    )
  }
  expect_equal(fit(Inf)$filter$log_scale, 0, tolerance = 1e-10)
  t <- fit(3)
  expect_gt(t$filter$log_scale, 10)
  expect_true(all(is.finite(t$weights$C)))
})
