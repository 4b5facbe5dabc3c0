test_that("plots leave par() as it was and return the fit invisibly", {
  fit <- toy_fit()
  for (which in c("model", "trace")) {
    d <- draw(fit, which = which)
    expect_equal(d$after[looks], d$before[looks])
    expect_false(d$result$visible)
    expect_identical(d$result$value, fit)
  }
})

test_that("one input, factors, many inputs and both kernels can be drawn", {
  d <- transform(toy(), f = rep(c("u", "v"), 20), l = a > 0.2)
  draw_model <- function(formula, kernel = held()) {
    draw(gpc(formula, d, kernel = kernel, epsilon = 0.05))
  }
  expect_silent(draw_model(class ~ a))
  expect_silent(draw_model(class ~ f))
  expect_silent(draw_model(class ~ a + f))
  expect_silent(draw_model(class ~ .))
  expect_silent(draw_model(class ~ ., kernel_ard(c(1, 2, 3, 4), fixed = TRUE)))
  expect_silent(draw(gpc(matrix(1), 1, kernel = held(), epsilon = 0)))
  expect_silent(draw(stc(class ~ a + b, d, kernel = held(), epsilon = 0), main = "t"))
})

test_that("curves go into the panels of a page that the user divided", {
  d <- transform(toy(), c = rev(a))
  fit <- gpc(class ~ a + b + c, d, kernel = held(), epsilon = 0.05)
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  graphics::par(mfrow = c(2, 2))
  plot(fit)
  expect_equal(graphics::par("mfrow"), c(2, 2))
  expect_equal(graphics::par("mfg")[1:2], c(2, 1)) # the third panel is the last drawn
})

test_that("the strongest inputs have the shortest lengthscales", {
  d <- transform(toy(), f = rep(c("u", "v"), 20))
  fit <- gpc(class ~ a + b + f, d, kernel = kernel_ard(c(3, 1, 2), fixed = TRUE), epsilon = 0.05)
  expect_equal(strongest_inputs(fit, 2), c(2, 3))
})

test_that("a partial curve of a single input is its predicted probability", {
  fit <- gpc(class ~ a, toy(), kernel = held(), epsilon = 0.05)
  curve <- partial_curve(1, fit)
  p <- predict(fit, data.frame(a = curve$at), type = "prob")[, "yes"]
  expect_equal(curve$p, unname(p))
})

test_that("what can't be drawn is said", {
  fit <- toy_fit(control = ep_control(trace = FALSE))
  expect_error(draw(fit, which = "trace"), class = "sturdy_error_no_trace")
  expect_error(draw(fit, which = "roc"), class = "sturdy_error_choice")
  expect_error(draw(fit, inputs = 0), class = "sturdy_error_range")
  none <- gpc(class ~ 1, toy(), kernel = held(), epsilon = 0.1)
  expect_error(draw(none), class = "sturdy_error_no_inputs")
})
