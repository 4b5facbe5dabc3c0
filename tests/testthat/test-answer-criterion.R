test_that("a gradient that could not be solved for is NA with a warning, beside the value", {
  fit <- toy_fit()
  right <- criterion(fit)
  real <- refit_ep
  local_mocked(refit_ep = function(...) utils::modifyList(real(...), list(gradient_solved = FALSE)))
  expect_warning(found <- criterion(fit), class = "sturdy_warning_gradient")
  expect_equal(found$value, right$value)
  expect_named(found$gradient, names(right$gradient))
  expect_true(all(is.na(found$gradient)) && !anyNA(right$gradient))
})
