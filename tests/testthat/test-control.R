test_that("the defaults of ep_control() are those documented", {
  control <- ep_control(progress = FALSE)
  expect_s3_class(control, "sturdy_control")
  expect_equal(control$tol, 1e-9)
  expect_identical(control$max_sweeps, 200L)
  expect_snapshot(control)
})

test_that("ep_control() refuses what can't be", {
  expect_error(ep_control(tol = 0), class = "sturdy_error_range")
  expect_error(ep_control(max_sweeps = 0), class = "sturdy_error_range")
  expect_error(ep_control(damping = 0), class = "sturdy_error_range")
  expect_error(ep_control(damping = 1.5), class = "sturdy_error_range")
  expect_error(ep_control(block = 0), class = "sturdy_error_range")
  expect_error(ep_control(restarts = -1), class = "sturdy_error_range")
  expect_error(ep_control(trace = NA), class = "sturdy_error_type")
  expect_error(ep_control(progress = "yes"), class = "sturdy_error_type")
})

test_that("a control that was changed by hand is checked again", {
  forge <- function(...) utils::modifyList(ep_control(), list(...))
  expect_equal(check_control(ep_control()), ep_control())
  for (bad in list(
    structure(list(), class = "sturdy_control"), structure(1, class = "sturdy_control"),
    forge(tol = "a"), forge(damping = NaN), forge(more = 1)
  )) {
    expect_error(gpc_spec(control = bad), class = "sturdy_error_type")
  }
  expect_error(ep_fit(diag(2), 0:1, control = forge(block = -1)), class = "sturdy_error_range")
})
