# Draws of the latent function, against its exact moments.

averaged_toy <- made_once(function() gpc(class ~ a + b, toy(), hyper = "integrate"))

path_moments <- function(fit, X, draws = 4000L) {
  z <- path_link(fit, X, draws)
  p <- path_prob(fit, X, draws)[[2]]
  list(p = rowMeans(p), cor = cor(t(z)), sd = apply(z, 1, sd))
}

test_that("paths of a kernel have the posterior's correlations, and its spread at each input", {
  kernels <- list(
    kernel_ard(1.5, variance = 1, nugget = 0.1, fixed = TRUE),
    kernel_ard(1.5, variance = 10, nugget = 0.001, fixed = TRUE),
    kernel_ard(0.4, variance = 3, nugget = 0.1, bias = 1, fixed = TRUE),
    kernel_ard(1.5, variance = 3, nugget = 0.1, linear = 2, fixed = TRUE)
  )
  data <- toy()
  data$g <- factor(rep(c("u", "v"), 20))
  for (kernel in kernels) {
    fit <- gpc(class ~ a + b + g, data, kernel = kernel, epsilon = 0.05)
    X <- fit$data$X[1:12, ]
    X[, 1:2] <- X[, 1:2] + 0.3
    exact <- latent_covariance(fit)(X)
    found <- path_moments(fit, X)
    # of 4000 draws: 4 standard errors of a correlation are 0.064; Fourier features add some
    expect_lt(max(abs(found$cor - cov2cor(exact))), 0.1)
    expect_equal(found$sd * sqrt(fit$kernel$nugget), sqrt(diag(exact)), tolerance = 0.05)
  }
})

test_that("the mean of the draws is the probability that predict() returns", {
  fits <- list(
    toy_fit(), toy_fit(inducing = 10), bpm(class ~ a + b, toy()),
    averaged_toy(),
    bpm(class ~ a + b, toy(), inference = "adf", nugget = 0.5)
  )
  for (fit in fits) {
    new <- forge(fit$blueprint, toy()[1:20, ])$X
    p <- unname(predict(fit, toy()[1:20, ], type = "response"))
    # the standard deviation of a probability is at most 1/2: 4 / sqrt(4000) / 2 and nodes
    expect_lt(max(abs(path_moments(fit, new)$p - p)), 0.035)
  }
})

test_that("quantiles of the draws are the interval of predict(), also of a t process", {
  for (fit in list(toy_fit(), first_stage(averaged_toy()),
                   stc(class ~ a + b, toy(), df = 4, kernel = held(), epsilon = 0.05))) {
    ends <- predict(fit, interval = 0.8)
    p <- path_prob(fit, fit$data$X, 4000L)[[2]]
    # 4 standard errors of a share of 4000 draws; where both ends are 0 or 1 no draw is beyond them
    inner <- ends$lower > 1e-9 & ends$upper < 1 - 1e-9
    expect_gt(sum(inner), 10)
    expect_lt(max(abs(rowMeans(p < ends$lower) - 0.1)[inner]), 4 * 0.3 / sqrt(4000))
    expect_lt(max(abs(rowMeans(p > ends$upper) - 0.1)[inner]), 4 * 0.3 / sqrt(4000))
  }
})

test_that("through the label stage draws are those in plain R, moved to what predict() says", {
  fit <- averaged_toy()
  rows <- seq(2, 40, 3)
  p <- path_prob(fit, fit$data$X[rows, ], 4000L)[[2]]
  mean <- unname(predict(fit, type = "response")[rows])
  expect_equal(rowMeans(p), mean, tolerance = 1e-6)
  drawn <- withr::with_seed(1, plain_staged(fit, toy()[rows, ]))
  at <- c(0.1, 0.5, 0.9)
  for (i in seq_along(rows)) {
    # 4 standard errors of a level by 4000 draws, and what Fourier features add; at the least probability
    # that a point leaves to a class are many draws
    level <- stats::ecdf(drawn[[i]]$moved(mean[i]))
    ends <- quantile(p[i, ], at)
    expect_lt(max(level(ends - 1e-4) - at), 0.05)
    expect_gt(min(level(ends + 1e-4) - at), -0.05)
  }
})

test_that("a path is a function: the same value whatever else is asked", {
  fits <- list(
    toy_fit(), toy_fit(inducing = 10), bpm(class ~ a + b, toy()),
    stc(class ~ a + b, toy(), df = 4, kernel = held(), epsilon = 0.05),
    averaged_toy()
  )
  for (fit in fits) {
    X <- fit$data$X[1:10, ]
    path <- function(X) {
      p <- path_prob(fit, X, 50L)
      tail_quantile(p[[1]], p[[2]])
    }
    expect_equal(path(X[4:6, ]), path(X)[4:6, ], tolerance = 1e-8)
  }
})

test_that("paths leave the random numbers of the session alone", {
  fit <- toy_fit()
  set.seed(3)
  before <- .Random.seed
  path_prob(fit, fit$data$X[1:2, ], 10L)
  expect_identical(.Random.seed, before)
})

test_that("without a nugget the class of a path is certain", {
  fit <- gpc(
    class ~ a, toy(), kernel = kernel_iso(1.5, nugget = 0, fixed = TRUE), epsilon = 0.05
  )
  p <- path_prob(fit, fit$data$X, 400L)[[2]]
  expect_setequal(unique(as.vector(p)), c(0, 1))
  expect_lt(max(abs(rowMeans(p) - unname(fitted(fit)))), 0.1)
})

test_that("paths of several classes have the mean that predict() returns", {
  data <- iris[c(1:15, 51:65, 101:115), ]
  species <- function(...) gpc(Species ~ ., data, epsilon = 0.05, ...)
  fits <- list(
    species(kernel = held(2)), species(kernel = held(2), inducing = 8),
    gpc( # of few rows, where the average is far from its mode
      Species ~ ., iris[c(1:4, 51:54, 101:104), ], epsilon = 0.05, kernel = kernel_iso(),
      hyper = "integrate"
    ),
    species(kernel = kernel_iso(), kernels = "per class", hyper = "optimum")
  )
  for (fit in fits) {
    new <- iris[seq(1, 150, 7), ]
    p <- path_prob(fit, forge(fit$blueprint, new)$X, 1000L)
    expect_named(p, levels(data$Species))
    expect_equal(Reduce(`+`, p), matrix(1, 22, 1000), tolerance = 1e-10)
    expect_lt(max(abs(vapply(p, rowMeans, numeric(22)) - predict(fit, new, type = "prob"))), 0.06)
  }
})
