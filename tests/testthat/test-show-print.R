# Numbers in the snapshots are given, not computed.
shown <- function(fit) {
  fit$ep$log_evidence <- -12.3456
  fit$ep$sweeps <- 6L
  fit$ep$residual <- rep(3.2e-10, nobs(fit))
  with_scores(fit, rep(-0.25, nobs(fit)))
}

test_that("a fit prints in at most eight lines", {
  expect_lte(length(capture.output(print(toy_fit()))), 8)
  expect_lte(length(capture.output(print(update(toy_fit(), df = 3)))), 8)
})

test_that("print() says what was fitted and how it went", {
  d <- toy()
  d$a[1:2] <- NA
  learned <- toy_fit()
  learned$learning <- list(
    convergence = 1, message = "", on_bound = "nugget", starts = 1, method = "gradient"
  )
  learned$kernel$fixed <- "variance"
  expect_snapshot({
    shown(toy_fit())
    shown(toy_fit(data = d))
    shown(update(toy_fit(), df = 3, kernel = kernel_ard(c(1, 2), fixed = TRUE)))
    shown(gpc(class ~ 1, toy(), kernel = held(), epsilon = 0))
    shown(learned)
  })
})

test_that("print() returns its argument and takes digits", {
  fit <- toy_fit()
  capture.output(shown <- withVisible(print(fit)))
  expect_identical(shown$value, fit)
  expect_false(shown$visible)
  expect_output(print(toy_fit(epsilon = 0.012345), digits = 2), "epsilon = 0.012 ")
})
