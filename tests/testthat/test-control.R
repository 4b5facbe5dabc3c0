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
