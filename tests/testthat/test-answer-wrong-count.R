test_that("a Poisson-binomial distribution is that of all outcomes", {
  p <- c(0.2, 0, 0.7, 0.5)
  outcomes <- as.matrix(expand.grid(rep(list(0:1), 4)))
  chance <- apply(outcomes, 1, function(o) prod(ifelse(o == 1, p, 1 - p)))
  expect_equal(
    poisson_binomial(p),
    as.vector(tapply(chance, factor(rowSums(outcomes), 0:4), sum))
  )
  expect_equal(poisson_binomial(rep(0.3, 9)), dbinom(0:9, 9, 0.3))
  expect_equal(poisson_binomial(numeric(2)), c(1, 0, 0))
})

test_that("the ends of an interval leave half of the rest outside", {
  density <- dbinom(0:20, 20, 0.3)
  expect_equal(density_ends(density, 0.9), qbinom(c(0.05, 0.95), 20, 0.3))
  many <- dbinom(0:200, 200, 0.3)
  expect_equal(density_ends(many, 0.8), qbinom(c(0.1, 0.9), 200, 0.3))
  expect_equal(density_ends(1, 0.9), c(0, 0))
})

test_that("with a given epsilon the number of flips is Poisson-binomial", {
  fit <- toy_fit()
  expected <- attr(mislabelled(fit, level = 0.8), "expected")
  expect_equal(expected$count, sum(fit$ep$flipped))
  ends <- density_ends(poisson_binomial(fit$ep$flipped), 0.8)
  expect_equal(c(expected$lower, expected$upper), ends)
  expect_equal(expected$epsilon, "given")
  expect_equal(expected$level, 0.8)
  without <- attr(mislabelled(fit, level = NULL), "expected")
  expect_named(without, c("count", "at_fit"))
  expect_equal(without$count, sum(fit$ep$flipped))
})

test_that("with a learned epsilon the interval is wider", {
  d <- toy(80)
  d$class <- flip_labels(d$class, 0.1, seed = 1)
  fit <- gpc(class ~ a + b, d, kernel = held(1, nugget = 0.01))
  expected <- attr(mislabelled(fit), "expected")
  expect_equal(expected$epsilon, "uncertain")
  given <- density_ends(poisson_binomial(fit$ep$flipped), 0.9)
  expect_gt(expected$upper - expected$lower, diff(given))
  expect_equal(expected$at_fit, sum(mislabelled(fit)$probability))
  expect_equal(expected$count, expected$at_fit, tolerance = 1e-6)
})

test_that("the distribution of the number is that of the label stage, integrated in plain R", {
  local_many_points()
  flipped <- toy(20)
  flipped$class <- flip_labels(flipped$class, 0.2, seed = 2)
  fits <- list(
    gpc(class ~ a + b, toy(), kernel = held(), hyper = "optimum", epsilon = "learn"),
    gpc(class ~ a + b, toy(), kernel = held(), hyper = "optimum", epsilon = "learn2"),
    # so few rows leave the rate anywhere up to 1/2: its prior matters
    gpc(class ~ a + b, flipped, kernel = held(), hyper = "optimum", epsilon = "learn")
  )
  for (fit in fits) {
    model <- fit$label_stage$nodes$models$model
    plain <- plain_own_stage(fit, model, draws = 6000)
    found <- average_density(judged_by(fit))
    found <- c(found, numeric(nobs(fit) + 1 - length(found)))
    expect_equal(sum(found), 1)
    # both are of thousands of draws: four standard errors of a share are 0.03
    expect_lt(max(abs(cumsum(found) - cumsum(plain$number()))), 0.03)
    expected <- attr(mislabelled(fit), "expected")
    expect_lt(abs(expected$count - sum(plain$wrong)), 0.1)
    expect_lte(max(abs(unlist(expected[c("lower", "upper")]) - density_ends(plain$number(), 0.9))), 1)
  }
})

extended_test("an interval for simulated labels covers about as often as it says", {
  covered <- vapply(1:60, function(seed) {
    d <- process_table(seed)
    expected <- attr(mislabelled(gpc(d$X, d$y, kernel = kernel_iso(), epsilon = "learn")), "expected")
    flips <- sum(d$y != d$true)
    expected$lower <= flips && flips <= expected$upper
  }, logical(1))
  # how often in 200: experiments/wrong-count.R
  expect_gt(mean(covered), 0.72)
})

# The distribution of a sum, one convolution a trial
ref_sum <- function(p) Reduce(function(d, q) c(d * (1 - q), 0) + c(0, d * q), p, 1)

test_that("rows that stand for several are as many trials", {
  p <- withr::with_seed(1, runif(9)^3)
  times <- c(1, 40, 3, 2, 7, 1, 1, 120, 25)
  found <- binomial_sum(p, times)
  all <- poisson_binomial(rep(p, times))
  expect_close(found, all[seq_along(found)], 1e-13, floor = 1)
  expect_lt(sum(all[-seq_along(found)]), 1e-13)
  # what is left of a weight that is not whole is one trial with its share of the probability
  part <- times + rep(c(0, 0.25, 0.9), 3)
  found <- binomial_sum(p, part)
  all <- ref_sum(c(rep(p, times), (p * (part - times))[part > times]))
  expect_close(found, all[seq_along(found)], 1e-13, floor = 1)
  # and of a row with less than one
  expect_close(binomial_sum(0.3, 0.5), c(0.85, 0.15), 1e-15)
})

test_that("a row that stands for a million is binomial", {
  found <- binomial_sum(0.01, 1e6)
  expect_close(found, dbinom(seq_along(found) - 1, 1e6, 0.01), 1e-15, floor = 1)
  expect_equal(sum(found), 1, tolerance = 1e-12)
})

test_that("many labels by weights are counted as those that are written out", {
  P <- withr::with_seed(2, matrix(runif(16)^2, 8))
  times <- c(1, 30, 2.5, 4, 11, 1, 0.5, 60)
  apart <- wrong_mixture(P, c(0.3, 0.7), times)
  local_mocked(trials_apart = 0L)
  at_once <- wrong_mixture(P, c(0.3, 0.7), times)
  expect_close(at_once, apart, 1e-13, floor = 1)
  expect_error(wrong_mixture(matrix(0.1), 1, 1e12), class = "sturdy_error_memory")
})
