# One latent value a row, prior N(0, K), likelihood of signs: probabilities of sign
# patterns given the labels, from orthants (n <= 3)
pattern_probability <- function(K, y, epsilon) {
  patterns <- as.matrix(expand.grid(rep(list(c(-1, 1)), nrow(K))))
  weight <- apply(patterns, 1, function(side) {
    right <- side[seq_along(y)] * y > 0
    orthant_evidence(K, side) * prod(ifelse(right, 1 - epsilon, epsilon))
  })
  weight <- weight / sum(weight)
  colSums(weight * (patterns > 0))
}

pair <- function(epsilon = 0.1, ..., df = Inf) {
  x <- matrix(c(-0.5, 0.8), dimnames = list(NULL, "x"))
  stc(x, c("no", "yes"), kernel = held(1), epsilon = epsilon, df = df, scale = FALSE, ...)
}

test_that("draws have the signs of the exact posterior", {
  skip_if_not_installed("posterior") # for the standard errors
  withr::local_seed(1)
  for (epsilon in c(0, 0.1)) {
    fit <- pair(epsilon)
    K <- native_gram(fit$data$X, NULL, model_columns(fit), kernel_hyper(fit$kernel))
    exact <- pattern_probability(K, fit$data$y, epsilon)
    f <- posterior_sample(fit, 8000)
    expect_equal(dim(f), c(8000, 2))
    error <- sqrt(pmax(exact * (1 - exact), 1e-12) / attr(f, "ess"))
    expect_true(all(abs(colMeans(f > 0) - exact) <= 3.5 * error))
  }
})

test_that("draws at new rows have the signs of the exact posterior", {
  skip_if_not_installed("posterior") # for the standard errors
  withr::local_seed(2)
  fit <- pair()
  new <- data.frame(x = c(0.3, NA, -2))
  f <- posterior_sample(fit, 8000, newdata = new)
  expect_equal(dim(f), c(8000, 3))
  expect_identical(colnames(f), c("1", "2", "3"))
  expect_true(all(is.na(f[, 2])))
  X <- rbind(fit$data$X, as.matrix(new[c(1, 3), , drop = FALSE]))
  for (k in 1:2) {
    K <- native_gram(X[c(1, 2, 2 + k), , drop = FALSE], NULL, model_columns(fit), kernel_hyper(fit$kernel))
    exact <- pattern_probability(K, fit$data$y, 0.1)[3]
    column <- c(1, 3)[k]
    error <- sqrt(exact * (1 - exact) / attr(f, "ess")[column])
    expect_lt(abs(mean(f[, column] > 0) - exact), 3.5 * error)
  }
})

test_that("draws at new rows are joint", {
  withr::local_seed(3)
  fit <- pair()
  f <- posterior_sample(fit, 4000, newdata = data.frame(x = c(5, 5.01)))
  K <- native_gram(matrix(c(5, 5.01)), NULL, model_columns(fit), kernel_hyper(fit$kernel))
  # far from the data: the prior, bias included
  expect_equal(cor(f)[1, 2], cov2cor(K)[1, 2], tolerance = 0.05)
})

test_that("draws of a t process have its scale", {
  withr::local_seed(4)
  # absolute values know nothing of the label: |f| is half a t
  x <- matrix(c(0, 40), dimnames = list(NULL, "x"))
  kernel <- held(1, bias = 0)
  for (df in c(3, Inf)) {
    fit <- stc(x, 0:1, kernel = kernel, epsilon = 0.2, df = df, scale = FALSE)
    f <- posterior_sample(fit, 4000)
    scaled <- abs(f[, 1]) / sqrt(1 + 0.1)
    for (p in c(0.25, 0.5, 0.9)) {
      below <- mean(scaled < qt((1 + p) / 2, df))
      expect_lt(abs(below - p), 4 * sqrt(p * (1 - p) / 3000))
    }
  }
})

test_that("class probabilities of many rows are near EP's", {
  withr::local_seed(5)
  fit <- toy_fit()
  new <- toy()[1:10, ]
  f <- posterior_sample(fit, 2000, newdata = new)
  expect_lt(max(abs(colMeans(f > 0) - predict(fit, new, type = "prob")[, 2])), 0.05)
  skip_if_not_installed("posterior")
  expect_true(all(attr(f, "rhat") < 1.1))
  expect_true(all(attr(f, "ess") > 200))
})

test_that("draws follow the seed, and their number is as asked", {
  fit <- toy_fit(data = toy(12))
  draw <- function(n, seed) withr::with_seed(seed, posterior_sample(fit, n))
  expect_identical(draw(10, 1), draw(10, 1))
  expect_false(identical(draw(10, 1), draw(10, 2)))
  for (n in c(1, 3, 4, 5, 207)) {
    f <- draw(n, 1)
    expect_equal(dim(f), c(n, 12))
    expect_length(attr(f, "chain"), n)
    expect_false(anyNA(f))
  }
})

test_that("a chain's draws stand together in their order", {
  draws <- array(seq_len(2 * 3 * 4), c(2, 3, 4)) # rows x chains x draws
  out <- sample_matrix(draws, 10, c("a", "b"), 0)
  expect_identical(attr(out, "chain"), rep(1:3, c(4, 3, 3)))
  expect_equal(out[1:4, "a"], draws[1, 1, ])
  expect_equal(out[5:7, "b"], draws[2, 2, 1:3])
})

test_that("diagnostics are those of the posterior package, or none", {
  draws <- withr::with_seed(1, array(rnorm(2 * 4 * 60), c(2, 4, 60)))
  without <- without_packages("posterior", sample_matrix(draws, 240, c("a", "b"), 0))
  expect_null(attr(without, "ess"))
  expect_null(attr(without, "rhat"))
  skip_if_not_installed("posterior")
  out <- sample_matrix(draws, 240, c("a", "b"), 0)
  expect_identical(out[, ], without[, ])
  second <- matrix(out[, "b"], 60) # iterations x chains
  expect_equal(attr(out, "ess")[2], posterior::ess_bulk(second))
  expect_equal(attr(out, "rhat")[2], posterior::rhat(second))
  alternating <- array(rep(c(-1, 1), each = 8), c(2, 4, 60)) + draws / 100
  expect_silent(sample_matrix(alternating, 240, c("a", "b"), 0)) # more than all draws are worth
  few <- sample_matrix(draws[, , 1:3], 12, c("a", "b"), 0)
  expect_identical(attr(few, "rhat"), c(NA_real_, NA_real_))
  expect_identical(attr(few, "ess"), c(NA_real_, NA_real_))
})

test_that("chains that disagree are noticed, where that is known", {
  draws <- withr::with_seed(1, array(rnorm(2 * 100) + c(0, 5), c(1, 2, 100)))
  expect_silent(without_packages("posterior", sample_matrix(draws, 200, "a", 0)))
  skip_if_not_installed("posterior")
  expect_warning(
    sample_matrix(draws, 200, "a", 0), class = "sturdy_warning_not_mixed"
  )
  # in short chains it may be chance
  expect_silent(sample_matrix(draws[, , 1:10, drop = FALSE], 20, "a", 0))
})

test_that("what can't be sampled is said", {
  expect_error(posterior_sample(toy_fit(), 0), class = "sturdy_error_range")
  expect_error(posterior_sample(toy_fit(), 5, thinn = 2), class = "sturdy_error_unknown_argument")
  expect_error(
    posterior_sample(toy_fit(), 5, newdata = data.frame(a = 1)),
    class = "sturdy_error_missing_column"
  )
  linear <- bpm(matrix(c(-1, 1, 2)), c(0, 1, 1), epsilon = 0.1)
  expect_error(posterior_sample(linear), class = "sturdy_error_no_kernel")
})
