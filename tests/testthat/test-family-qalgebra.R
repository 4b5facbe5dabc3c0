indices <- c(-2, 0, 0.5, 0.9, 1.1, 1.5, 2, 3.5)

test_that("exp_q and ln_q are what their definitions say", {
  x <- c(-0.2, -0.01, 0, 0.1, 0.25)
  for (q in indices) {
    expect_equal(exp_q(x, q), (1 + (1 - q) * x)^(1 / (1 - q)), tolerance = 1e-13)
    y <- c(1e-3, 0.2, 1, 7, 300)
    expect_equal(ln_q(y, q), (y^(1 - q) - 1) / (1 - q), tolerance = 1e-13)
  }
  expect_equal(exp_q(x, 1), exp(x), tolerance = 0)
  expect_equal(ln_q(1:9, 1), log(1:9), tolerance = 0)
})

test_that("ln_q inverts exp_q", {
  x <- seq(-0.9, 0.25, by = 0.05)
  for (q in c(0.1, 0.5, 1 - 1e-9, 1, 1 + 1e-9, 1.5, 2, 4)) {
    expect_equal(ln_q(exp_q(x, q), q), x, tolerance = 1e-13)
  }
})

test_that("q = 1 is reached continuously", {
  x <- c(-20, -3, -0.5, 1e-8, 0.5, 3, 20)
  y <- exp(x)
  for (delta in c(1e-11, 1e-13, 1e-15) * rep(c(-1, 1), each = 3)) {
    q <- 1 + delta
    # the first-order terms: x^2/2 and log(y)^2/2 times delta
    expect_equal(exp_q(x, q), exp(x), tolerance = 1e-8)
    expect_equal(ln_q(y, q), log(y), tolerance = 1e-8)
    expect_equal(q_product(y, 0.7, q), y * 0.7, tolerance = 1e-8)
    expect_equal(q_quotient(y, 0.7, q), y / 0.7, tolerance = 1e-8)
  }
  # the slope at q = 1 survives at 1e-7, so the digits do
  slope <- (exp_q(3, 1 + 1e-7) / exp(3) - exp_q(3, 1 - 1e-7) / exp(3)) / 2e-7
  expect_equal(slope, 9 / 2, tolerance = 1e-7)
  nearest <- 1 + c(-1, 1) * .Machine$double.eps
  expect_equal(exp_q(3, nearest), rep(exp(3), 2), tolerance = 1e-14)
  expect_equal(ln_q(3, nearest), rep(log(3), 2), tolerance = 1e-15)
})

test_that("the q-logarithm turns product and quotient into sum and difference", {
  x <- c(0.3, 0.9, 1, 1.2, 2)
  y <- c(0.8, 1.1, 0.6, 1.4, 1.3)
  for (q in c(0.2, 0.8, 1, 1.05, 1.4)) {
    sum <- ln_q(x, q) + ln_q(y, q)
    difference <- ln_q(x, q) - ln_q(y, q)
    expect_equal(ln_q(q_product(x, y, q), q), sum, tolerance = 1e-12)
    expect_equal(ln_q(q_quotient(x, y, q), q), difference, tolerance = 1e-12)
    expect_equal(q_product(x, y, q), q_product(y, x, q), tolerance = 1e-15)
    expect_identical(q_product(x, 1, q), x)
    expect_identical(q_quotient(x, 1, q), x)
    expect_identical(q_quotient(x, x, q), rep(1, 5))
  }
})

test_that("the quotient inverts the product, as the printed one would not", {
  x <- c(0.3, 0.9, 1.2, 2)
  y <- c(0.8, 1.1, 1.4, 0.7)
  for (q in c(0.2, 0.8, 0.999999, 1, 1.000001, 1.05, 1.4)) {
    expect_equal(q_quotient(q_product(x, y, q), y, q), x, tolerance = 1e-12)
    expect_equal(q_product(q_quotient(x, y, q), y, q), x, tolerance = 1e-12)
  }
  z <- q_product(1.2, 1.4, 0.8)
  printed <- (z^0.2 - 1.4^0.2 - 1)
  expect_false(isTRUE(all.equal(printed, 1.2^0.2)))
})

test_that("derivatives are exp_q^q and x^-q", {
  x <- c(-0.4, 0.1, 0.3)
  y <- c(0.2, 1, 5)
  h <- 1e-5
  for (q in c(0.5, 1, 1 + 1e-6, 1.7, 3)) {
    slope <- (exp_q(x + h, q) - exp_q(x - h, q)) / (2 * h)
    # the error of central differences: h^2 times the third derivative
    expect_equal(slope, exp_q(x, q)^q, tolerance = 1e-8)
    slope <- (ln_q(y + h, q) - ln_q(y - h, q)) / (2 * h)
    expect_equal(slope, y^-q, tolerance = 1e-8)
  }
})

test_that("the ends of the domains have their limits", {
  expect_identical(exp_q(c(-2, -3, -Inf, Inf), 0.5), c(0, 0, 0, Inf))
  expect_identical(exp_q(c(2, 3, Inf, -Inf), 1.5), c(Inf, Inf, Inf, 0))
  expect_identical(exp_q(c(-Inf, Inf), 1), c(0, Inf))
  expect_identical(ln_q(0, c(0.5, 1, 1.5)), c(-2, -Inf, -Inf))
  expect_identical(ln_q(Inf, c(0.5, 1, 1.5)), c(Inf, Inf, 2))
  expect_identical(q_product(0.1, 0.1, 0.5), 0)
  expect_identical(q_product(4, 9, 1.5), Inf)
  expect_identical(q_product(0, c(0.5, Inf), 1.5), c(0, 0))
  expect_identical(q_quotient(1, 9, 0.5), 0)
  expect_identical(q_quotient(2, 0, c(1, 1.5)), c(Inf, Inf))
  expect_equal(q_quotient(4, 0, 0.5), 9)
})

test_that("what over- or underflows on the way still gives the right result", {
  # (x^4 + y^4 - 1)^(1/4) at q = -3
  expect_equal(q_product(3e200, 4e200, -3), 337^0.25 * 1e200, tolerance = 1e-13)
  expect_equal(q_quotient(4e200, 3e200, -3), 175^0.25 * 1e200, tolerance = 1e-13)
  expect_identical(q_quotient(3e200, 4e200, -3), 0)
  # the smaller factor is kept beside the unit element
  expect_equal(q_product(1e-200, 1, -3), 1e-200)
  expect_equal(exp_q(-1e300, 1.001), exp(-1000 * log1p(1e297)), tolerance = 1e-9)
})

test_that("out-of-domain arguments give NaN with a warning", {
  expect_warning(out <- ln_q(c(-1, 2), 1.5), class = "sturdy_warning_nan")
  expect_identical(is.nan(out), c(TRUE, FALSE))
  expect_warning(ln_q(-1, 1.5), "NaNs produced")
  expect_warning(out <- q_product(-1, 2, 1), class = "sturdy_warning_nan")
  expect_identical(out, NaN)
  expect_warning(q_product(0, Inf, 1), class = "sturdy_warning_nan")
  expect_warning(q_quotient(0, 0, 1.5), class = "sturdy_warning_nan")
  expect_warning(q_quotient(2, -1, 1.5), class = "sturdy_warning_nan")
  expect_warning(exp_q(1, Inf), class = "sturdy_warning_nan")
})

test_that("missing arguments pass silently", {
  expect_silent(out <- exp_q(c(NA, NaN, 1), 1.5))
  expect_identical(is.nan(out), c(FALSE, TRUE, FALSE))
  expect_identical(is.na(out), c(TRUE, TRUE, FALSE))
  expect_silent(out <- q_product(NA, 2, c(1, 1.5)))
  expect_identical(is.na(out), c(TRUE, TRUE))
  expect_silent(ln_q(2, NA))
})

test_that("arguments recycle and keep attributes as in arithmetic", {
  expect_identical(exp_q(numeric(0), 1:3), numeric(0))
  expect_identical(q_product(1, 2, numeric(0)), numeric(0))
  expect_equal(exp_q(0.1, c(1, 2)), c(exp_q(0.1, 1), exp_q(0.1, 2)))
  expect_equal(q_quotient(1:4, 1:2, 0.5)[3], q_quotient(3, 1, 0.5))
  expect_warning(out <- exp_q(1:3, 1:2), class = "sturdy_warning_recycling")
  expect_length(out, 3)

  named <- c(a = 0.1, b = 0.2)
  expect_named(exp_q(named, 2), c("a", "b"))
  expect_named(exp_q(0.1, c(u = 1, v = 2)), c("u", "v"))
  expect_named(exp_q(named, c(u = 1, v = 2)), c("a", "b"))
  m <- matrix(1:4, 2, dimnames = list(c("r", "s"), NULL))
  expect_identical(attributes(ln_q(m, 1.2)), attributes(m))
  expect_identical(attributes(q_product(2, 1:4, m)), attributes(m))
  expect_s3_class(exp_q(ts(1:3, start = 2000), 0.5), "ts")
  expect_identical(exp_q(1L, 0), 2)
})

test_that("arguments of another kind are errors", {
  expect_error(exp_q("a", 1), class = "sturdy_error_type")
  expect_error(ln_q(factor("a"), 1), class = "sturdy_error_type")
  expect_error(q_product(1, 2, list(1)), class = "sturdy_error_type")
  m <- matrix(1, 2, 2)
  expect_error(q_product(m, matrix(1, 1, 4), 1), class = "sturdy_error_shape")
  expect_error(q_product(m, 1:8, 1), class = "sturdy_error_shape")
  expect_snapshot({
    family_error(exp_q("a", 1))
    family_error(q_product(m, matrix(1, 1, 4), 1))
  })
})
