# numeric columns, each of the group given
coding <- function(group) list(group = group, weight = rep(1, length(group)))

inputs <- function(n = 30) {
  withr::with_seed(1, matrix(rnorm(3 * n), n))
}

test_that("the median heuristic is the median distance", {
  X <- inputs()
  expect_equal(median_heuristic(X, coding(rep(1L, 3)), 1), median(dist(X)))
  expect_equal(
    median_heuristic(X, coding(1:3), 3)[2], sqrt(3) * median(dist(X[, 2]))
  )
})

test_that("the median heuristic works where distances vanish", {
  expect_equal(median_heuristic(matrix(1, 4, 1), coding(1L), 1), 1)
  expect_equal(median_heuristic(matrix(1, 1, 1), coding(1L), 1), 1)
  expect_equal(median_heuristic(matrix(0, 3, 0), coding(integer()), 0), numeric())
  expect_equal(median_heuristic(matrix(c(rep(0, 99), 2)), coding(1L), 1), 2)
  # what differs by rounding is tied
  expect_equal(median_heuristic(matrix(c(seq(0, 1e-9, length.out = 99), 2)), coding(1L), 1), 2)
})

test_that("the median heuristic looks at no more than 500 rows", {
  X <- matrix(as.double(1:5000))
  rows <- order((1:5000 * (sqrt(5) - 1) / 2) %% 1)[1:500] # spread over all
  expect_equal(median_heuristic(X, coding(1L), 1), median(dist(X[rows, ])))
  # whatever their order
  expect_equal(
    median_heuristic(X[5000:1, , drop = FALSE], coding(1L), 1), median(dist(X[rows, ]))
  )
})

test_that("lengthscales are matched by number, position and name", {
  X <- inputs()
  resolve <- function(lengthscale, columns = c("a", "b", "c"), all = columns) {
    kernel <- kernel_ard(lengthscale)
    unname(kernel_resolve(kernel, X, coding(seq_along(columns)), columns, all)$lengthscale)
  }
  expect_equal(resolve(2), c(2, 2, 2))
  expect_equal(resolve(c(c = 3, a = 1, b = 2)), 1:3)
  # one entry for a constant column that was dropped
  expect_equal(resolve(1:4, all = c("a", "k", "b", "c")), c(1, 3, 4))
  expect_error(resolve(1:2), class = "sturdy_error_lengthscales")
  expect_error(resolve(c(a = 1, b = 1, d = 1)), class = "sturdy_error_lengthscales")
  for (more in list(c(d = 4), c(b = 4), stats::setNames(4, ""), stats::setNames(4, NA))) {
    expect_error(
      resolve(c(c = 3, a = 1, b = 2, more)), "have one entry for each column",
      class = "sturdy_error_lengthscales"
    )
  }
  two <- match_columns(c(c = 3, a = 1, b = 2), c("a", "c"), c("a", "b", "c"), "scales", "scales")
  expect_equal(two, c(1, 3))
  expect_snapshot(said(resolve(1:2)))
})

test_that("a hyperparameter at 0 is held there", {
  kernel <- kernel_resolve(
    kernel_ard(bias = 0, fixed = character()), inputs(), coding(1:3), letters[1:3]
  )
  expect_setequal(kernel$fixed, c("bias", "linear"))
})

test_that("a prior centred on the data follows the median heuristic", {
  X <- inputs()
  kernel <- kernel_resolve(kernel_ard(5), X, coding(1:3), letters[1:3])
  expect_equal(unname(kernel$lengthscale), c(5, 5, 5))
  expect_equal(exp(kernel$prior$lengthscale$meanlog), median_heuristic(X, coding(1:3), 3))
  kernel <- kernel_resolve(
    kernel_ard(prior = weak_prior(lengthscale = c(0, 1))), X, coding(1:3), letters[1:3]
  )
  expect_equal(kernel$prior$lengthscale$meanlog, c(0, 0, 0))
})

test_that("an isotropic kernel has one lengthscale for all columns", {
  X <- inputs()
  named <- kernel_resolve(kernel_iso(c(a = 2)), X, coding(1:3), letters[1:3])
  expect_identical(named$lengthscale, 2)
  kernel <- kernel_resolve(kernel_iso(), X, coding(1:3), letters[1:3])
  expect_equal(kernel$lengthscale, median(dist(X)))
  expect_equal(kernel_columns(kernel, coding(1:3))$group, c(1, 1, 1))
})

test_that("a mismatch of a factor counts as a distance of 1 in the median heuristic", {
  X <- outer(rep(1:3, 4), 1:3, `==`) * 1
  columns <- list(group = rep(1L, 3), weight = rep(1 / 2, 3))
  expect_equal(median_heuristic(X, columns, 1), 1)
})

test_that("the usual prior of a nugget is large where it is integrated, of two classes as large as the variance", {
  prior <- function(kernel = kernel_ard(), ...) {
    kernel_resolve(kernel, inputs(), coding(1:3), letters[1:3], ...)$prior$nugget[c("meanlog", "sdlog")]
  }
  expect_equal(prior(integrate = TRUE), list(meanlog = 0, sdlog = 1.5))
  expect_equal(prior(kernel_iso(variance = 4), integrate = TRUE), list(meanlog = log(4), sdlog = 1.5))
  expect_equal(prior(integrate = TRUE, classes = 3), list(meanlog = log(0.03), sdlog = 1.5))
  expect_equal(prior(), list(meanlog = log(0.1), sdlog = 2))
  # a narrower one of the user stays as narrow, and what he says of its centre stays
  narrow <- kernel_ard(prior = weak_prior(nugget = c(NA, 0.5)))
  expect_equal(prior(narrow, integrate = TRUE), list(meanlog = 0, sdlog = 0.5))
  told <- kernel_ard(prior = weak_prior(nugget = c(log(0.01), 1)))
  expect_equal(prior(told, integrate = TRUE), list(meanlog = log(0.01), sdlog = 1))
})

test_that("the usual kernel of two classes has a linear part where it is integrated, also at its mode", {
  d <- toy(20)
  linear <- function(...) gpc(class ~ a + b, d, ..., control = ep_control(progress = FALSE))$kernel
  expect_gt(linear(hyper = "integrate")$linear, 0)
  expect_gt(linear(hyper = "optimum")$linear, 0)
  expect_identical(linear(hyper = "optimum", epsilon = "learn")$linear, 0)
  expect_identical(linear(kernel = kernel_ard(), hyper = "integrate")$linear, 0)
  three <- gpc(Species ~ ., iris[seq(1, 150, 8), ], hyper = "integrate", control = ep_control(progress = FALSE))
  expect_identical(three$kernel$linear, 0)
})
