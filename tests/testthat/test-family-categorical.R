# Distributions over finitely many outcomes, against their definitions

p4 <- c(a = 0.5, b = 0.3, c = 0.15, d = 0.05)
r4 <- c(0.1, 0.2, 0.3, 0.4)
orders <- c(0.3, 0.9, 0.999, 1.001, 1.1, 1.5, 2, 4)
ln <- function(x, q) (x^(1 - q) - 1) / (1 - q)

test_that("entropies of a probability vector are their definitions", {
  x <- categorical(p4)
  for (q in orders) {
    s <- sum(p4^q)
    # 1e-16 / |1 - q| is what these forms lose
    expect_equal(renyi_entropy(x, q), log(s) / (1 - q), tolerance = 1e-11)
    expect_equal(tsallis_entropy(x, q), (s - 1) / (1 - q), tolerance = 1e-11)
    expect_equal(q_entropy(x, q), -sum(p4^q * ln(p4, q)) / s, tolerance = 1e-11)
  }
  for (q in c(1 - 1e-10, 1, 1 + 1e-10)) {
    for (entropy in list(renyi_entropy, tsallis_entropy, q_entropy)) {
      expect_equal(entropy(x, q), -sum(p4 * log(p4)), tolerance = 1e-9)
    }
  }
  expect_equal(renyi_entropy(x, c(0, 200)), c(log(4), 200 / 199 * log(2)))
  expect_equal(renyi_entropy(categorical(rep(1, 5) / 5), c(0, 0.7, 1, 3)), rep(log(5), 4))
})

test_that("two outcomes are a Bernoulli distribution", {
  x <- categorical(c(0.3, 0.7))
  y <- categorical(c(0.9, 0.1))
  for (q in c(0, 0.4, 1, 1 + 1e-9, 1.6, 20)) {
    expect_equal(q_entropy(x, q), q_entropy(0.3, q), tolerance = 1e-13)
    expect_equal(tsallis_entropy(x, q), tsallis_entropy(0.3, q), tolerance = 1e-13)
    expect_equal(renyi_entropy(x, q), renyi_entropy(0.3, q), tolerance = 1e-13)
    expect_equal(escort(x, q)$prob[1], escort(0.3, q), tolerance = 1e-13)
    if (q > 0) expect_equal(q_divergence(x, y, q), q_divergence(0.3, 0.9, q), tolerance = 1e-13)
  }
})

test_that("the divergence is its definition, and 0 for equal ones", {
  x <- categorical(p4)
  y <- categorical(r4)
  for (q in orders) {
    value <- sum(p4^q * (ln(p4, q) - ln(r4, q))) / sum(p4^q)
    expect_equal(q_divergence(x, y, q), value, tolerance = 1e-11)
    expect_identical(q_divergence(x, x, q), 0)
  }
  expect_equal(q_divergence(x, y, 1), sum(p4 * log(p4 / r4)), tolerance = 1e-13)
  # nearly equal ones: the second-order term, q / 2 times chi-square over s
  near <- categorical(p4 + 1e-6 * c(1, -1, 1, -1))
  expect_equal(
    q_divergence(x, near, 1.5) / (0.75 * sum(1e-12 / p4) / sum(p4^1.5)), 1, tolerance = 1e-4
  )
})

test_that("probabilities near 0 and large indices are as any", {
  u <- categorical(c(0.5, 0.5))
  rare <- categorical(c(1e-310, 1)) # of a one-sided divergence only the sure outcome is left
  expect_equal(q_divergence(rare, u, 1), log(2))
  expect_equal(q_divergence(rare, u, 0.5), (1 - sqrt(0.5)) / 0.5)
  for (q in c(0.5, 1, 1.5, 3)) {
    expect_equal(q_divergence(rare, u, q), q_divergence(1e-310, 0.5, q))
    expect_equal(q_divergence(u, rare, q), q_divergence(0.5, 1e-310, q))
  }
  # by logs: p^q r^(1 - q) of the first outcome alone counts, over s (q - 1)
  x <- categorical(c(1e-300, 1))
  y <- categorical(c(1e-323, 1))
  expect_equal(log(q_divergence(x, y, 15)), 15 * log(x$prob[1]) - 14 * log(y$prob[1]) - log(14))
  expect_identical(q_divergence(u, u, 2000), 0)
  expect_identical(q_divergence(0.5, 0.5, 2000), 0)
  for (q in c(500, 2000)) {
    expect_equal(renyi_entropy(0.3, q), log(0.7) * q / (1 - q))
    expect_equal(renyi_entropy(categorical(c(0.3, 0.7)), q), log(0.7) * q / (1 - q))
  }
  # r = p + h, at which it is q h^2 / (2 p (1 - p) s)
  near <- c(0.5 + 1e-4, 0.5 - 1e-4)
  wanted <- log(1000 / 2 * 1e-8 * 4) + 999 * log(2)
  expect_equal(log(q_divergence(u, categorical(near), 1000)), wanted, tolerance = 1e-5)
  expect_equal(log(q_divergence(0.5, near[1], 1000)), wanted, tolerance = 1e-5)
})

test_that("an index that is not given is asked for", {
  u <- categorical(c(0.5, 0.5))
  for (ask in list(
    quote(q_divergence(u, u)), quote(q_entropy(u)), quote(renyi_entropy(u)), quote(escort(u)),
    quote(q_divergence(0.5, 0.4)), quote(q_divergence(0.5)), quote(tsallis_entropy(0.5)),
    quote(escort(0.5)), quote(exp_q(1)), quote(q_product(1, q = 2))
  )) {
    error <- expect_error(eval(ask), class = "sturdy_error_missing_argument")
    expect_match(conditionMessage(error), "`(q|order|y)` must be given")
  }
})

test_that("outcomes that can't occur do not count, and rule out", {
  x <- categorical(c(0.4, 0.6, 0))
  y <- categorical(c(0.3, 0.3, 0.4))
  two <- categorical(c(0.4, 0.6))
  for (q in c(0, 0.5, 1, 2)) {
    expect_equal(q_entropy(x, q), q_entropy(two, q))
    expect_equal(escort(x, q)$prob, c(escort(two, q)$prob, 0))
  }
  expect_identical(q_divergence(y, x, 1), Inf)
  expect_identical(q_divergence(y, x, 1.5), Inf)
  value <- function(q) {
    p <- y$prob
    sum(p^q * (ln(p, q) - ln(x$prob, q))) / sum(p^q)
  }
  expect_equal(q_divergence(y, x, 0.5), value(0.5))
  expect_equal(q_divergence(x, y, 1), 0.4 * log(4 / 3) + 0.6 * log(2))
})

test_that("the escort is proportional to the power, and has an inverse", {
  x <- categorical(p4)
  for (q in orders) {
    expect_equal(escort(x, q)$prob, p4^q / sum(p4^q), tolerance = 1e-14)
    expect_equal(escort(escort(x, q), 1 / q)$prob, p4, tolerance = 1e-13)
  }
  expect_equal(escort(x, 5000)$prob, c(a = 1, b = 0, c = 0, d = 0))
  expect_identical(escort(c(0, 1, NA), 0), c(0, 1, NA))
  expect_equal(escort(c(0.2, 0.5), 2), c(0.04 / 0.68, 0.5))
  expect_warning(nan <- escort(c(-1, 0.5), 2), class = "sturdy_warning_nan")
  expect_identical(nan, c(NaN, 0.5))
  t <- mvt(c(0, 1), diag(2), 3)
  expect_identical(escort(t), mvt_escort(t))
})

test_that("what is not a distribution is refused", {
  for (bad in list("a", numeric(), c(0.5, NA), c(1.2, -0.2), c(0.4, 0.4))) {
    expect_error(categorical(bad), class = "sturdy_error_probabilities")
  }
  x <- categorical(p4)
  expect_error(q_entropy(x, "1"), class = "sturdy_error_type")
  expect_error(q_entropy(x, -1), class = "sturdy_error_range")
  expect_error(escort(x, c(1, 2)), class = "sturdy_error_type")
  expect_error(escort(x, -1), class = "sturdy_error_range")
  expect_error(escort("a"), class = "sturdy_error_type")
  expect_error(escort(x, 1, 2), class = "sturdy_error_unknown_argument")
  expect_error(q_divergence(x, 0.5, 1), class = "sturdy_error_type")
  expect_error(q_divergence(x, categorical(1), 1), class = "sturdy_error_length")
  expect_snapshot({
    print(categorical(p4))
    family_error(categorical(c(a = 0.4, b = 0.4)))
    family_error(q_divergence(x, categorical(1), 1))
  })
})
