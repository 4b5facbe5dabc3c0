test_that("numbers outside their range give an error that says the range", {
  expect_equal(check_number(2L, "x"), 2)
  expect_error(check_number("a", "x"), class = "sturdy_error_type")
  expect_error(check_number(NaN, "x"), class = "sturdy_error_type")
  expect_error(check_number(1:2, "x"), class = "sturdy_error_type")
  expect_error(check_number(Inf, "x"), class = "sturdy_error_range")
  expect_error(check_number(0, "x", min = 0, open = TRUE), class = "sturdy_error_range")
  expect_snapshot({
    said(check_number(-1, "tol", min = 0, open = TRUE))
    said(check_number(2, "damping", min = 0, max = 1))
  })
})

test_that("counts are whole numbers", {
  expect_identical(check_count(3, "k"), 3L)
  expect_error(check_count(2.5, "k"), class = "sturdy_error_type")
  expect_error(check_count(0, "k", min = 1), class = "sturdy_error_range")
  expect_error(check_count(1e12, "k"), class = "sturdy_error_type")
})

test_that("flags and choices are checked", {
  expect_error(check_flag(NA, "scale"), class = "sturdy_error_type")
  expect_equal(check_choice(c("a", "b"), c("a", "b"), "type"), "a")
  expect_error(check_choice("c", c("a", "b"), "type"), class = "sturdy_error_choice")
  expect_error(check_choice(NULL, c("a", "b"), "type"), class = "sturdy_error_choice")
})

test_that("df is above 0 and may be infinite", {
  expect_equal(check_df(Inf), Inf)
  for (bad in list(0, -1)) {
    expect_error(check_df(bad), class = "sturdy_error_df")
  }
  expect_error(check_df(NA_real_), class = "sturdy_error_type")
})

test_that("epsilon is in [0, 0.5) or \"learn\"", {
  expect_equal(check_epsilon(0), 0)
  expect_equal(check_epsilon("learn"), "learn")
  expect_equal(check_epsilon("learn2"), "learn2")
  expect_equal(check_epsilon(c(pos = 0.2, neg = 0.1)), c(neg = 0.1, pos = 0.2))
  for (bad in list(-0.1, 0.5, NA, NaN, Inf, "learned", c(0.1, 0.1), NULL)) {
    expect_error(check_epsilon(bad), class = "sturdy_error_epsilon")
  }
  expect_error(check_epsilon("learn", learn = FALSE), class = "sturdy_error_epsilon")
  expect_snapshot(said(check_epsilon(0.5)))
})

test_that("a kernel given as a function is recognised", {
  f <- function(kernel) check_kernel(kernel)
  expect_error(f(kernel_ard), "parentheses", class = "sturdy_error_type")
  expect_error(check_control(list()), class = "sturdy_error_type")
})

test_that("an argument that is not known is an error", {
  f <- function(...) check_no_dots(...)
  expect_error(f(epsilom = 0), "epsilom", class = "sturdy_error_unknown_argument")
  expect_error(f(1), "without a name", class = "sturdy_error_unknown_argument")
  expect_null(f())
})

test_that("sites must be finite and one a label", {
  expect_null(check_sites(NULL, 2))
  good <- list(tau = c(0, -1), nu = 1:2)
  expect_equal(check_sites(good, 2)$nu, c(1, 2))
  for (bad in list(good$tau, list(tau = 1, nu = 1), list(tau = c(NA, 1), nu = 1:2))) {
    expect_error(check_sites(bad, 2), class = "sturdy_error_sites")
  }
})
