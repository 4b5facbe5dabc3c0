band_fit <- function(df = Inf, nugget = 0.3, seed = 2, p = 3) {
  X <- withr::with_seed(seed, matrix(rnorm(40 * p), 40))
  y <- withr::with_seed(seed + 1, X[, 1] + 0.5 * rnorm(40)) > 0
  gpc_or_stc <- if (is.finite(df)) function(...) stc(..., df = df) else gpc
  gpc_or_stc(X, y, kernel = held(nugget = nugget), epsilon = 0.05)
}

banded <- function(fit, j = 1) add_bands(list(partial_curve(j, fit)), fit)[[1]]

test_that("the covariance of g has the variances that predict() reports", {
  for (df in c(Inf, 5)) {
    fit <- band_fit(df)
    X <- fit$data$X[1:7, ] + 0.3
    s2 <- drop(latent_new(fit, X)$s2)
    C <- latent_covariance(fit)(X)
    expect_equal(diag(C), s2 - 0.3, tolerance = 1e-10)
    expect_equal(C, t(C))
  }
})

test_that("the covariance of g allows for sites of either sign and none", {
  fit <- band_fit(5)
  fit$ep$sites$tau <- rep_len(c(0.8, 0, 0.3, -0.02), 40)
  X <- fit$data$X
  hyper <- kernel_hyper(fit$kernel)
  gram <- function(new) native_gram(X, new, model_columns(fit), hyper)
  G <- gram(X[1:5, ] + 0.3)
  R <- fit$ep$sites$tau * solve(diag(40) + gram(NULL) * rep(fit$ep$sites$tau, each = 40))
  K_new <- native_gram(X[1:5, ], X[1:5, ], model_columns(fit), hyper)
  expect_equal(
    latent_covariance(fit)(X[1:5, ] + 0.3), K_new - t(G) %*% R %*% G, tolerance = 1e-10
  )
})

test_that("sites without a proper posterior are an error in words", {
  fit <- band_fit(5)
  X <- fit$data$X
  fit$ep$sites$tau <- rep_len(c(0.8, -1e3), 40)
  expect_error(latent_covariance(fit)(X), class = "sturdy_error_no_posterior")
  # I + K++ of rows that are equal is lost in its rounding
  fit$kernel$nugget <- 0
  fit$data$X[] <- rep(X[1, ], each = 40)
  fit$ep$sites$tau <- seq(1, 3, length.out = 40) * 1e25
  expect_error(latent_covariance(fit)(X), class = "sturdy_error_no_posterior")
})

test_that("of one row alone the band is the interval of predict(), also of a t process", {
  for (df in c(Inf, 5)) {
    fit <- band_fit(df, p = 1)
    curve <- banded(fit)
    ends <- predict(fit, data.frame(x1 = curve$at), interval = 0.9)
    at <- spread_over(60, 21) # between these a line stands for the band
    # 4 standard errors of a level of .05 by 400 draws, on the normal scale
    for (end in c("lower", "upper")) {
      expect_lt(max(abs(qnorm(curve[[end]][at]) - qnorm(ends[[end]][at]))), 0.5)
    }
  }
})

test_that("the band holds the averaged probability in nine draws of ten", {
  fit <- band_fit()
  curve <- banded(fit)
  problem <- ais_problem(fit)
  withr::local_seed(3)
  f <- matrix(sample_moves(problem, sample_start(problem), 2000, 3, FALSE), 40)
  z <- forwardsolve(problem$B, f)
  covered <- vapply(c(5, 20, 30, 40, 55), function(k) {
    rows <- seq(k, nrow(curve$X), by = 60)
    given <- conditional_latent(fit, kernels_of(problem)[[1]], curve$X[rows, ])
    smooth <- given$cov - diag(0.3, length(rows))
    g <- crossprod(given$V, z) + chol_jitter(smooth)$L %*%
      matrix(rnorm(length(rows) * ncol(z)), length(rows))
    average <- colMeans(pnorm(g / sqrt(0.3)))
    expect_equal(mean(average), curve$prob[, 2][k], tolerance = 0.1)
    mean(average >= curve$lower[k] & average <= curve$upper[k])
  }, numeric(1))
  # EP and the beta distribution are approximations
  expect_gt(mean(covered), 0.87)
  expect_lt(mean(covered), 0.95)
})

test_that("the band holds its curve, and there is none without a nugget", {
  fits <- list(
    band_fit(nugget = 1e-6, p = 1), band_fit(df = 4), band_fit(nugget = 5, p = 1)
  )
  for (fit in fits) {
    expect_silent(curve <- banded(fit))
    expect_true(all(curve$lower >= 0 & curve$lower <= curve$prob[, 2]))
    expect_true(all(curve$upper <= 1 & curve$upper >= curve$prob[, 2]))
  }
  expect_true(all(is.na(banded(band_fit(nugget = 0))$lower)))
})

test_that("through inducing inputs at all rows the covariance of g is that of the kernel", {
  X <- band_fit()$data$X
  y <- band_fit()$data$y > 0
  fit <- gpc(X, y, kernel = held(nugget = 0.3), epsilon = 0.05, inducing = 40, scale = FALSE)
  new <- X[1:6, ] # elsewhere what the inputs leave of the variance is taken for noise
  gram <- function(X, Y) {
    ref_kernel(X, Y, fit$kernel$lengthscale, fit$kernel$variance, fit$kernel$bias)
  }
  G <- gram(X, new)
  R <- solve(gram(X, X) + diag(0.3, 40) + diag(1 / fit$ep$sites$tau))
  expect_equal(
    latent_covariance(fit)(new), gram(new, new) - t(G) %*% R %*% G, tolerance = 1e-4
  )
})
