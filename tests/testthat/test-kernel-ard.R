test_that("fixed = TRUE holds all hyperparameters", {
  expect_setequal(
    kernel_ard(fixed = TRUE)$fixed, c("lengthscale", "variance", "bias", "nugget")
  )
  expect_equal(kernel_ard(fixed = character())$fixed, character())
  expect_equal(kernel_ard(fixed = FALSE)$fixed, character())
})

test_that("hyperparameters that can't be are refused", {
  for (bad in list(-1, NA_real_, Inf, c(1, -2))) {
    expect_error(kernel_ard(lengthscale = bad), class = "sturdy_error_hyperparameter")
  }
  expect_error(kernel_ard(lengthscale = 0), class = "sturdy_error_hyperparameter")
  expect_error(kernel_ard(variance = 0), class = "sturdy_error_hyperparameter")
  expect_error(kernel_ard(bias = -1), class = "sturdy_error_hyperparameter")
  expect_error(kernel_iso(nugget = -1), class = "sturdy_error_hyperparameter")
  expect_error(kernel_ard(nugget = "a"), class = "sturdy_error_type")
  expect_error(kernel_ard(nugget = 1:2), class = "sturdy_error_type")
  expect_error(kernel_ard(fixed = "sigma"), class = "sturdy_error_choice")
  expect_error(kernel_ard(prior = list()), class = "sturdy_error_type")
  expect_error(kernel_iso(lengthscale = 1:2), class = "sturdy_error_lengthscales")
  expect_snapshot(said(kernel_ard(lengthscale = -1)))
})

test_that("priors are pairs with a spread above 0", {
  expect_null(weak_prior(bias = NULL)$bias)
  for (bad in list(1, c(0, 0), c(0, NA), c(NA, 1), "a")) {
    expect_error(weak_prior(nugget = bad), class = "sturdy_error_prior")
  }
  expect_snapshot(weak_prior())
})

test_that("a kernel prints its values and what is held", {
  expect_snapshot({
    kernel_ard()
    kernel_iso(2, bias = 0, fixed = TRUE, prior = NULL)
  })
})
