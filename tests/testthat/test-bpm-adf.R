# Assumed density filtering.

absorbed <- function(mu, S, x, y, df, epsilon) {
  out <- native_adf(
    matrix(x), y, df, epsilon, list(mu = mu, S = S, log_scale = 0)
  )
  list(
    mean = exp(out$log_scale / 2) * out$mu, cov = exp(out$log_scale) * out$S,
    log_zp = out$log_zp, prob = out$prob
  )
}

test_that("one step has the escort moments of 2-d quadrature", {
  mu <- c(0.4, -0.7)
  S <- matrix(c(1.5, 0.6, 0.6, 0.8), 2)
  x <- c(1, 0.5)
  for (df in c(2, 5, 30, Inf)) {
    for (y in c(-1, 1)) {
      step <- absorbed(mu, S, x, y, df, 0.05)
      brute <- escort_moments_2d(mu, S, x, y, df, 0.05)
      expect_close(step$mean, brute$mean, 1e-7, floor = 0.1)
      expect_close(step$cov, brute$cov, 1e-7, floor = 0.1)
      z <- sum(mu * x) / sqrt(drop(t(x) %*% S %*% x))
      expect_close(step$prob, pt(z, df), 1e-12)
      expect_close(exp(step$log_zp), 0.05 + 0.9 * pt(y * z, df), 1e-12)
    }
  }
})

test_that("a surprising label without flips is matched too", {
  mu <- c(1, 1)
  step <- absorbed(mu, diag(2), c(1, 1), -1, 5, 0)
  brute <- escort_moments_2d(mu, diag(2), c(1, 1), -1, 5, 0)
  expect_close(step$mean, brute$mean, 1e-7, floor = 0.1)
  expect_close(step$cov, brute$cov, 1e-7, floor = 0.1)
})

test_that("a whole pass agrees with the plain-R reference", {
  problem <- linear_problem(150, 4)
  for (df in c(2, 5, 30, Inf)) {
    fit <- bpm(
      problem$X, problem$y, df = df, prior_scale = problem$s, epsilon = 0.02,
      inference = "adf", intercept = FALSE, scale = FALSE
    )
    mu <- numeric(4)
    S <- diag(problem$s)
    log_zp <- numeric(150)
    for (i in 1:150) {
      step <- ref_adf(mu, S, problem$X[i, ], problem$y[i], df, 0.02)
      mu <- step$mu
      S <- step$S
      log_zp[i] <- step$log_Zp
    }
    expect_close(coef(fit), mu, 1e-10)
    scale <- exp(fit$weights$log_scale) * fit$weights$C
    expect_close(scale, S, 1e-10, floor = max(S) / 10)
    expect_close(fit$filter$log_score, sum(log_zp), 1e-10)
    expect_equal(log_evidence(fit), fit$filter$log_score)
    expect_equal(fit$filter$rows, 150)
  }
})

test_that("the first row has even odds, and counts follow predictions", {
  d <- linear_data()[c("a", "b", "class")]
  fit <- bpm(class ~ ., d[1, ], inference = "adf", scale = FALSE)
  expect_equal(log_evidence(fit), log(0.5))
  wrong <- 0
  for (i in 2:20) {
    wrong <- wrong + (predict(fit, d[i, ]) != d$class[i])
    fit <- absorb(fit, d[i, ])
  }
  expect_equal(fit$filter$errors, wrong + (d$class[1] == "yes"))
  expect_equal(nobs(fit), 20)
  expect_equal(label_counts(fit), c(sum(d$class[1:20] == "no"), sum(d$class[1:20] == "yes")))
})

test_that("a filter learns the boundary, in whatever pieces rows arrive", {
  d <- linear_data(400)
  for (df in c(3, Inf)) {
    whole <- bpm(class ~ ., d, df = df, inference = "adf")
    expect_gt(mean(predict(whole, d) == d$class), 0.9)
    blank <- whole
    blank$weights <- list(
      mean = 0 * whole$weights$mean, C = diag(whole$prior$scale[whole$prior$group]), log_scale = 0
    )
    for (rows in split(1:400, rep(1:7, length.out = 400) |> sort())) {
      blank <- absorb(blank, d[rows, ])
    }
    expect_identical(blank$weights, whole$weights)
  }
})

test_that("rows of zeros change nothing", {
  problem <- linear_problem()
  fit <- bpm(problem$X, problem$y, inference = "adf", intercept = FALSE, scale = FALSE)
  again <- absorb(fit, 0 * problem$X[1:3, ], problem$y[1:3])
  expect_identical(again$weights, fit$weights)
  expect_equal(log_evidence(again), log_evidence(fit) + 3 * log(0.5))
})

test_that("the t posterior widens at a surprise, the normal one does not", {
  d <- linear_data(300)
  d$class[201:300] <- ifelse(d$class[201:300] == "yes", "no", "yes")
  size <- function(fit) sum(diag(exp(fit$weights$log_scale) * fit$weights$C))
  for (df in c(3, Inf)) {
    before <- bpm(class ~ ., d[1:200, ], df = df, inference = "adf")
    after <- absorb(before, d[201:210, ])
    if (is.finite(df)) {
      expect_gt(size(after), size(before))
    } else {
      expect_lt(size(after), 1.05 * size(before))
    }
  }
})

test_that("a posterior that rounding has destroyed is a classed error", {
  problem <- linear_problem()
  fit <- bpm(problem$X, problem$y, inference = "adf", intercept = FALSE, scale = FALSE)
  broken <- fit
  broken$weights$C[] <- -diag(3)
  cnd <- expect_error(
    absorb(broken, problem$X[1:5, ], problem$y[1:5]),
    class = "sturdy_error_not_positive_definite"
  )
  expect_equal(cnd$row, 1)
})

test_that("1e5 rows pass in seconds and leave a small model", {
  X <- withr::with_seed(1, matrix(rnorm(1e6), ncol = 10))
  y <- X[, 1] > X[, 2]
  time <- system.time(fit <- bpm(X, y, inference = "adf"))[["elapsed"]]
  expect_lt(time, 30)
  expect_lt(length(serialize(fit, NULL)), 2e4)
  expect_gt(mean(predict(fit, X[1:1000, ]) == y[1:1000]), 0.98)
})
