test_that("fixed = TRUE holds all hyperparameters", {
  expect_setequal(
    kernel_ard(fixed = TRUE)$fixed, c("lengthscale", "variance", "bias", "nugget", "linear")
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
  for (bad in list(1, c(0, 0), c(0, NA), c(NA, -1), "a")) {
    expect_error(weak_prior(nugget = bad), class = "sturdy_error_prior")
  }
  expect_snapshot({
    weak_prior()
    said(weak_prior(variance = c(NA, 1)))
    said(weak_prior(lengthscale = c(NA, -1)))
    said(weak_prior(bias = 1:3))
  })
})

test_that("a kernel prints its values and what is held", {
  expect_snapshot({
    kernel_ard()
    kernel_iso(2, bias = 0, fixed = TRUE, prior = NULL)
  })
})

test_that("a kernel or a prior that was changed by hand is checked again", {
  forge <- function(...) utils::modifyList(kernel_ard(1), list(...))
  expect_equal(check_kernel(kernel_ard(1)), kernel_ard(1))
  expect_equal(check_kernel(kernel_iso(prior = NULL)), kernel_iso(prior = NULL))
  for (bad in list(
    structure(list(), class = "sturdy_kernel"), structure(1, class = "sturdy_kernel"),
    forge(type = "x"), forge(more = 1)
  )) {
    expect_error(gpc_spec(kernel = bad), class = "sturdy_error_type")
  }
  expect_error(gpc_spec(kernel = forge(lengthscale = "a")), class = "sturdy_error_type")
  expect_error(gpc_spec(kernel = forge(nugget = NaN)), class = "sturdy_error_hyperparameter")
  expect_error(gpc_spec(kernel = forge(fixed = 3)), class = "sturdy_error_choice")
  for (bad in list(
    list(3), structure(1, class = "sturdy_prior"), structure(list(bias = "a"), class = "sturdy_prior"),
    structure(list(bias = list(meanlog = NaN, sdlog = -1)), class = "sturdy_prior")
  )) {
    expect_error(kernel_ard(prior = bad), class = "sturdy_error_type")
  }
})

test_that("the kernel of a fit is a kernel", {
  d <- data.frame(u = c(-1, 0, 1, 2), v = c(1, 3, 0, 1), class = c(0, 1, 0, 1))
  for (kernel in list(kernel_ard(fixed = TRUE), kernel_iso(fixed = TRUE))) {
    fit <- gpc(class ~ ., d, kernel = kernel, epsilon = 0.1)
    again <- gpc(class ~ ., d, kernel = fit$kernel, epsilon = 0.1)
    expect_equal(again$kernel, fit$kernel)
  }
})
