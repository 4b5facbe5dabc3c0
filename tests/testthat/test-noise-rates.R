# Rates as functions of coordinates: against distribution functions and differences.

# Of matrices, sources x kinds at one point
at_one <- function(f, x, priors, ...) {
  parts <- lapply(list(...), function(x) array(x, c(dim(x), 1)))
  matrix(do.call(f, c(list(array(x, c(dim(x), 1)), priors), parts)), ncol = length(priors))
}

test_that("rates have their prior, and the way back is the inverse", {
  z <- c(-7, -2, 0, 0.5, 3, 6)
  usual <- list(a = 1, b = 4, size = 0.5, most = 0.5)
  study <- list(a = 3, b = 20, size = 1, most = 0.5)
  wide <- list(a = 2, b = 2, size = 1, most = 0.5) # cut off at 1/2
  class <- list(a = 1, b = 2, size = 1, most = 0.95)
  for (prior in list(usual, study, wide, class)) {
    e <- rate_quantile(z, prior)
    expect_equal(vapply(z, rate_quantile, 0, prior), e)
    expect_true(all(diff(e) > 0) && all(e > 0 & e < prior$most))
    expect_equal(vapply(e, rate_normal, 0, prior)[1:5], z[1:5], tolerance = 1e-6)
    middle <- z[2:5]
    slope <- (rate_quantile(middle + 1e-5, prior) - rate_quantile(middle - 1e-5, prior)) / 2e-5
    expect_equal(rate_slope(middle, prior), slope, tolerance = 1e-6)
    below <- pbeta(e / prior$size, prior$a, prior$b) / pbeta(prior$most / prior$size, prior$a, prior$b)
    expect_equal(below[2:5], pnorm(middle), tolerance = 1e-8)
  }
  # a study in which nearly all were wrong leaves nearly no mass below 1/2
  most <- list(a = 60, b = 2, size = 1, most = 0.5)
  z <- c(-2, -0.01, 0.01, 2)
  e <- rate_quantile(z, most)
  expect_true(all(diff(e) > 0) && all(e > 0.4 & e < 0.5))
  expect_equal(
    pbeta(e, 60, 2, log.p = TRUE) - pbeta(0.5, 60, 2, log.p = TRUE), pnorm(z, log.p = TRUE),
    tolerance = 1e-6
  )
  # 2e ~ Beta(1, 4), by its distribution function
  expect_equal(1 - (1 - 2 * rate_quantile(0.7, usual))^4, pnorm(0.7))
})

test_that("a rate stays below the most that it can be, and has no slope there", {
  prior <- list(a = 1, b = 2, size = 1, most = 0.95)
  far <- c(9, 20)
  expect_true(all(rate_quantile(far, prior) < 0.95))
  expect_identical(rate_slope(20, prior), 0)
  expect_true(all(is.finite(rate_slope(c(-30, -9, far), prior))))
})

test_that("two rates of which one may be above one half leave their sum below 1", {
  priors <- list(
    list(a = 4, b = 6, size = 1, most = 1, free = FALSE),
    list(a = 7, b = 3, size = 1, most = 1, free = FALSE)
  )
  Z <- withr::with_seed(1, matrix(rnorm(2000), ncol = 2))
  rates <- at_one(rates_at, Z, priors)
  expect_true(all(rowSums(rates) < 1) && max(rates[, 2]) > 0.7)
  expect_gt(suppressWarnings(ks.test(rates[, 1], pbeta, 4, 6)$p.value), 0.01)
  below <- pbeta(rates[, 2], 7, 3) / pbeta(1 - rates[, 1], 7, 3)
  expect_equal(below, pnorm(Z[, 2]), tolerance = 1e-6)
  # one prior alone: the other rate stays below 1/2
  priors[[2]] <- list(a = 1, b = 4, size = 0.5, most = 0.5, free = FALSE)
  rates <- at_one(rates_at, Z, priors)
  expect_true(all(rowSums(rates) < 1) && all(rates[, 2] < 0.5) && max(rates[, 1]) > 0.7)
  # those of readers are free
  priors <- lapply(priors, utils::modifyList, list(free = TRUE))
  expect_gt(max(rowSums(at_one(rates_at, Z, priors))), 1)
})

test_that("slopes of rates in their coordinates are differences, also where one cuts off the other", {
  class <- list(a = 1, b = 2, size = 1, most = 1, free = FALSE)
  wide <- list(a = 7, b = 3, size = 1, most = 1, free = FALSE)
  half <- list(a = 1, b = 4, size = 0.5, most = 0.5, free = FALSE)
  even <- replace(half, "b", 1) # as likely at the most that it can be
  cases <- list(
    list(class, class), list(wide, class), list(class, half), list(half, half), list(half), list(class, even),
    list(class, class, wide)
  )
  for (priors in cases) {
    kinds <- length(priors)
    withr::with_seed(2, {
      Z <- matrix(rnorm(4 * kinds), 4)
      slope <- matrix(rnorm(4 * kinds), 4)
    })
    at <- function(Z) rowSums(slope * at_one(rates_at, Z, priors))
    differences <- vapply(seq_len(kinds), function(kind) {
      by <- replace(0 * Z, cbind(1:4, kind), 1e-5)
      (at(Z + by) - at(Z - by)) / 2e-5
    }, numeric(4))
    expect_equal(at_one(rates_slope, Z, priors, slope), differences, tolerance = 1e-6)
  }
})

test_that("the way back gives rates that are all alike, as far as they may be", {
  class <- list(a = 1, b = 2, size = 1, most = 1, free = FALSE)
  half <- list(a = 1, b = 4, size = 0.5, most = 0.5, free = FALSE)
  back <- function(priors, e) {
    drop(at_one(rates_at, at_one(rates_scores, matrix(e, 1, length(priors)), priors), priors))
  }
  for (e in c(0.01, 0.2, 0.4)) {
    for (priors in list(list(class, class), list(class, half), list(half, half), list(half))) {
      expect_equal(back(priors, e), rep(e, length(priors)), tolerance = 1e-8)
    }
  }
  expect_equal(back(list(class, class), 0.7), c(0.7, 0.27), tolerance = 1e-8)
  expect_equal(back(list(half, half), 0.7), c(0.45, 0.45), tolerance = 1e-8)
})

test_that("rates by logits have a density that is one, and slopes that are differences", {
  z <- c(-4, -1, 0, 2)
  at <- 0.5 / (1 + exp(-z))
  expect_equal(drop(rates_at(matrix(z), NULL)), at)
  slope <- (rates_at(z + 1e-5, NULL) - rates_at(z - 1e-5, NULL)) / 2e-5
  expect_equal(rates_slope(z, NULL, rep(1, 4)), slope, tolerance = 1e-8)
  density <- function(z) vapply(z, function(z) exp(logit_prior(z)$value), 0)
  expect_equal(integrate(density, -40, 40)$value, 1, tolerance = 1e-6)
  # the probability of a rate below e is 1 - (1 - 2 e)^4
  expect_equal(integrate(density, -40, 1)$value, 1 - (1 - plogis(1))^4, tolerance = 1e-6)
  gradient <- (logit_prior(z + 1e-5 * (1:4 == 2))$value - logit_prior(z - 1e-5 * (1:4 == 2))$value) / 2e-5
  expect_equal(logit_prior(z)$gradient[2], gradient, tolerance = 1e-6)
})

test_that("rates of groups are correlated as the prior says, one factor common to all", {
  root <- common_root(4, 0.7, 0.5)
  expect_equal(root %*% t(root), diag(0.49, 4) + 0.25)
  expect_equal(common_root(1, 1.5, 0), matrix(1.5))
  root <- rate_root(3, 0.2)
  expect_equal(root %*% t(root), diag(0.8, 3) + 0.2)
  expect_identical(rate_root(1, 0.2), matrix(1))
})
