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

test_that("one row alone has the variance of the probability itself", {
  # by quadrature over g ~ N(m, s^2)
  for (m in c(0, -1.3, 2)) {
    for (s in c(0.3, 2)) {
      nugget <- 0.4
      moment <- function(k) {
        integrate(function(z) {
          pnorm((m + s * z) / sqrt(nugget))^k * dnorm(z)
        }, -12, 12, rel.tol = 1e-10)$value
      }
      total <- sqrt(s^2 + nugget)
      expect_equal(
        average_variance(m / total, matrix(s^2 / total^2), Inf) / (moment(2) - moment(1)^2), 1, tolerance = 0.01
      )
    }
  }
})

test_that("a common random scale adds its own variance", {
  # without any posterior variance of g: Var Phi(h sqrt(W))
  df <- 5
  value <- withr::with_seed(1, {
    var(pnorm(1.2 * sqrt(rchisq(1e5, df) / df)))
  })
  # seven quantiles stand for W: its tails are cut
  expect_equal(average_variance(1.2, matrix(0), df) / value, 1, tolerance = 0.15)
  expect_equal(
    average_variance(c(1, -2), diag(c(0.5, 0.2)), 1e8),
    average_variance(c(1, -2), diag(c(0.5, 0.2)), Inf), tolerance = 1e-3
  )
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

test_that("a band is within 0 and 1 and holds its mean, whatever the share", {
  # of some of these qbeta() is beyond 1, by up to 50
  grid <- expand.grid(p = seq(0.005, 0.995, length.out = 199), share = 1 - 10^seq(-2, -0.3, 0.01))
  ends <- beta_band(grid$p, grid$share, 0.9)
  expect_true(all(ends$lower >= 0 & ends$lower <= grid$p))
  expect_true(all(ends$upper <= 1 & ends$upper >= grid$p))
  # the uniform distribution has a third of the largest variance
  expect_equal(beta_band(0.5, 1 / 3, 0.9), list(lower = 0.05, upper = 0.95))
  expect_equal(beta_band(c(0, 1), c(0.1, 0.1), 0.9), list(lower = c(0, 1), upper = c(0, 1)))
})
