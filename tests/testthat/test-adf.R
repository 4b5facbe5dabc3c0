# Assumed density filtering.

absorbed <- function(mu, S, x, y, df, epsilon) {
  out <- native_adf(
    matrix(x), likely(y, epsilon), df, diag(S), 0, list(mu = mu, S = S, log_scale = 0)
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
    drift <- exp(fit$filter$log_scale)
    expect_close(sqrt(drift) * fit$weights$mean, mu, 1e-10)
    expect_close(drift * fit$weights$C, S, 1e-10, floor = max(S) / 10)
    # reported in the size of the prior
    size <- 4 / sum((mu^2 + diag(S)) / problem$s)
    expect_close(coef(fit, "weights"), sqrt(size) * mu, 1e-10)
    expect_close(exp(fit$weights$log_scale) * fit$weights$C, size * S, 1e-10, floor = 0.1)
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
    blank <- bpm(class ~ ., d, df = df, inference = "adf")
    k <- length(blank$weights$mean)
    blank$weights <- new_weights(numeric(k), diag(k), blank$prior)
    blank$filter$log_scale <- 0
    for (rows in split(1:400, rep(1:7, length.out = 400) |> sort())) {
      blank <- absorb(blank, d[rows, ])
    }
    expect_identical(blank$weights, whole$weights)
    expect_identical(blank$filter$log_scale, whole$filter$log_scale)
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
  size <- function(fit) sum(diag(exp(fit$filter$log_scale) * fit$weights$C))
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
  broken$weights$C[] <- 2 - diag(3)
  X <- problem$X[1:5, ]
  X[1, ] <- c(1, -1, 0)
  cnd <- expect_error(
    absorb(broken, X, problem$y[1:5]),
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

# Streams ---------------------------------------------------------------------

# 20 batches of 1000 rows of two classes that overlap
overlapping <- function(label = function(x) x + rnorm(1000) > 0) {
  left <- 20
  function() {
    left <<- left - 1
    if (left >= 0) {
      x <- rnorm(1000)
      data.frame(a = x, b = rnorm(1000), class = label(x))
    }
  }
}

test_that("a stream of overlapping classes goes on, at every df", {
  for (df in c(1, 3, 10, Inf)) {
    fit <- withr::with_seed(1, {
      bpm_stream(class ~ ., overlapping(), df = df, progress = FALSE)
    })
    expect_equal(fit$filter$rows, 20000)
    expect_gt(abs(fit$filter$log_scale), 500) # far beyond what a double holds
    expect_lt(fit$filter$errors / 20000, 0.36)
    widths <- eigen(fit$weights$C, TRUE, TRUE)$values
    expect_gt(min(widths), max(widths) / 1000)
    # the size of the prior: sum E w^2 / s = k
    expect_equal(sum(coef(fit, "weights")^2 + exp(fit$weights$log_scale) * diag(fit$weights$C)), 3)
    expect_true(all(is.finite(as.matrix(tidy(fit)[c("conf.low", "conf.high")]))))
  }
})

test_that("labels that are noise do not stop a stream", {
  noise <- overlapping(function(x) runif(1000) < 0.5)
  fit <- withr::with_seed(1, bpm_stream(class ~ ., noise, progress = FALSE))
  expect_equal(fit$filter$rows, 20000)
  expect_lt(abs(fit$filter$errors / 20000 - 0.5), 0.02)
})

test_that("the scale is taken out without changing a prediction by a bit", {
  X <- withr::with_seed(1, rbind(1, matrix(rnorm(4000), 2)))
  y <- withr::with_seed(2, sign(X[2, ] + rnorm(2000)))
  for (df in c(1, 3, Inf)) {
    run <- function(power, rows = 1:2000) {
      state <- list(mu = c(0, 0, 1) * 2^power, S = diag(3) * 4^power, log_scale = 0)
      native_adf(X[, rows], likely(y[rows], 0.01), df, rep(1, 3), 0, state)
    }
    plain <- run(0)
    for (power in c(-400, -37, -3, 31, 400)) {
      forced <- run(power)
      expect_identical(forced[c("log_zp", "prob")], plain[c("log_zp", "prob")])
      back <- (plain$log_scale - forced$log_scale) / 2 + power * log(2)
      expect_equal(log(forced$mu[1] / plain$mu[1]), back)
    }
    # the reference takes its scale out in its own way, row by row
    mu <- c(0, 0, 1)
    S <- diag(3)
    log_zp <- log_scale <- 0
    for (i in 1:2000) {
      step <- ref_adf(mu, S, X[, i], y[i], df, 0.01)
      size <- sum(diag(step$S))
      mu <- step$mu / sqrt(size)
      S <- step$S / size
      log_scale <- log_scale + log(size)
      log_zp <- log_zp + step$log_Zp
    }
    expect_close(sum(plain$log_zp), log_zp, 1e-9)
    expect_close(plain$log_scale + log(sum(diag(plain$S))), log_scale, 1e-9)
    expect_close(plain$mu / sqrt(sum(diag(plain$S))), mu, 1e-7, floor = 0.1)
  }
})

test_that("a direction that no row shows does not end a stream", {
  d <- withr::with_seed(1, {
    data.frame(a = rnorm(5000), f = sample(c("u", "v", "w"), 5000, TRUE, c(5, 4, 1)))
  })
  d$class <- withr::with_seed(2, d$a + rnorm(5000) > 0)
  for (df in c(1, Inf)) {
    fit <- bpm(class ~ ., d, df = df, inference = "adf")
    expect_lt(fit$filter$errors / 5000, 0.4)
    widths <- eigen(fit$weights$C, TRUE, TRUE)$values
    expect_true(all(widths > 2^-48 * max(widths)))
  }
})

test_that("labels far on the wrong side are absorbed, inputs that overflow are named", {
  X <- withr::with_seed(1, cbind(c(1, 0, 0), matrix(rnorm(600), 3)))
  y <- c(-1, sign(X[1, -1] + X[2, -1]))
  for (df in c(1, 3, 10, Inf)) {
    for (epsilon in c(0, 0.01, 0.1)) {
      for (far in c(40, 1e6, 1e15)) {
        state <- list(mu = c(far, 0, 0), S = diag(3), log_scale = 0)
        out <- native_adf(X, likely(y, epsilon), df, rep(1, 3), 0, state)
        expect_equal(out$status, 0)
        expect_true(all(is.finite(unlist(out))))
        expect_true(all(eigen(out$S, TRUE, TRUE)$values > 0))
      }
    }
  }
  fit <- bare_bpm(linear_problem(), inference = "adf")
  cnd <- expect_error(absorb(fit, matrix(1e200, 1, 3, dimnames = list(NULL, letters[1:3])), 1),
    class = "sturdy_error_not_finite"
  )
  expect_equal(cnd$row, 1)
})

test_that("a nugget is a weight of its own for every row", {
  # that of row i has the feature 1 in that row alone
  d <- linear_problem(12)
  wide <- rbind(t(d$X), diag(12))
  for (case in list(list(Inf, 0.05), list(5, 0))) { # at epsilon = 0 q has no influence
    few <- native_adf(
      t(d$X), likely(d$y, case[[2]]), case[[1]], d$s, 0.3,
      list(mu = numeric(3), S = diag(d$s), log_scale = 0)
    )
    prior <- c(d$s, rep(0.3, 12))
    all <- native_adf(
      wide, likely(d$y, case[[2]]), case[[1]], prior, 0,
      list(mu = numeric(15), S = diag(prior), log_scale = 0)
    )
    expect_equal(few$log_zp, all$log_zp, tolerance = 1e-12)
    expect_equal(few$mu, all$mu[1:3], tolerance = 1e-11)
    expect_equal(few$S, all$S[1:3, 1:3], tolerance = 1e-11)
    expect_equal(few$log_scale, all$log_scale, tolerance = 1e-12)
  }
})
