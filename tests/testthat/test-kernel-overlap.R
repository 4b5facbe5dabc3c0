# Overlap as a belief: against simulation, distribution functions and differences.

quiet <- ep_control(progress = FALSE)

test_that("overlap is how often noise changes the sign, or the largest function", {
  withr::local_seed(1)
  expect_equal(
    nugget_overlap(c(0.02, 0.1, 0.3, 1, 3)), c(0.045, 0.098, 0.16, 0.25, 1 / 3), tolerance = 0.01
  )
  for (classes in 2:4) {
    f <- matrix(rnorm(4e5 * classes), ncol = classes)
    g <- f + sqrt(0.3) * matrix(rnorm(4e5 * classes), ncol = classes)
    moved <- mean(max.col(f) != max.col(g))
    expect_equal(nugget_overlap(0.3, classes), moved, tolerance = 0.01) # s.e. .001
    expect_equal(overlap_nugget(moved, classes), 0.3, tolerance = 0.02)
  }
})

test_that("the log of a nugget within bounds is a truncated normal, and the way back is the inverse", {
  plain <- list(meanlog = log(0.3), sdlog = 2)
  expect_null(nugget_curve(plain))
  z <- c(-4, -2, -1, -0.3, 0, 0.2, 1, 3, 4)
  bounds <- list(
    c(0.001, 0.03), c(0.05, 2), c(1, 30),
    c(1e-9, 1e-6), c(1e5, 1e7), # far in the tails of what is believed without
    c(0.3, 0.3001)
  )
  for (within in lapply(bounds, log)) {
    prior <- c(plain, list(within = within))
    curve <- nugget_curve(prior)
    x <- curve$value(z)
    expect_true(all(diff(x) > 0) && all(x > within[1] & x < within[2]))
    # from the tail in which there is no cancellation
    lower <- within[1] < plain$meanlog
    below <- function(x) pnorm(x, plain$meanlog, plain$sdlog, lower.tail = lower)
    expect_equal(
      (below(x) - below(within[1])) / diff(below(within)), pnorm(z), tolerance = 1e-6
    )
    expect_equal(curve$normal(x), z, tolerance = 1e-5)
    inner <- z[2:8]
    slope <- (curve$value(inner + 1e-4) - curve$value(inner - 1e-4)) / 2e-4
    expect_equal(curve$slope(inner) / slope, rep(1, 7), tolerance = 1e-4)
    expect_equal(curve$value(c(-40, 40)), within, tolerance = 1e-4)
    expect_true(all(is.finite(c(curve$slope(c(-40, -8, 8, 40)), curve$value(c(-8, 8))))))
    # what is beyond the bounds comes back as one of them
    expect_equal(curve$value(curve$normal(within + c(-1, 1))), within, tolerance = 1e-6)
  }
})

test_that("quantiles of the log of a nugget within bounds are those of draws that fall there", {
  prior <- list(meanlog = log(0.3), sdlog = 2, within = log(c(0.05, 2)))
  draws <- withr::with_seed(1, rnorm(4e5, prior$meanlog, prior$sdlog))
  draws <- draws[draws > prior$within[1] & draws < prior$within[2]]
  at <- c(0.05, 0.25, 0.5, 0.75, 0.95)
  expect_equal(
    nugget_curve(prior)$value(qnorm(at)), unname(quantile(draws, at)), tolerance = 0.02
  ) # s.e. of a quantile .005
})

test_that("a nugget starts within the bounds of what is believed, however near these are", {
  for (believed in list(c(0.01, 0.3), c(0.1, 0.101), c(0.1, 0.1001))) {
    for (nugget in c(1e-9, tan(pi * sum(believed) / 2)^2, 1e3)) {
      start <- overlap_believed(list(nugget = nugget, held = TRUE, prior = list()), 2, believed)
      expect_false(start$held)
      share <- nugget_overlap(start$nugget / 2)
      expect_true(share > believed[1] && share < believed[2])
      # not at one of them, from where no coordinate leads back
      prior <- list(meanlog = 0, sdlog = 2, within = start$prior$within)
      expect_lt(abs(nugget_curve(prior)$normal(log(start$nugget))), 4)
    }
  }
})

test_that("overlap is learned, held or bounded", {
  d <- toy(40)
  nuggets <- function(...) {
    fit <- gpc(
      class ~ a + b, d, kernel = kernel_iso(1.5), noise = noise_prior(...),
      epsilon = "average", hyper = "integrate", control = quiet
    )
    vapply(nodes(fit)$hyper, `[[`, 0, "nugget")
  }
  learned <- log(range(nuggets()))
  expect_lt(learned[1], log(0.01))
  expect_gt(learned[2], log(0.3))
  expect_equal(range(nugget_overlap(nuggets(overlap = 0.05))), c(0.05, 0.05))
  bounded <- nugget_overlap(range(nuggets(overlap = c(0.05, 0.2))))
  expect_true(bounded[1] >= 0.05 && bounded[2] <= 0.2)
})

test_that("overlap takes the place of what the model says of its nugget", {
  d <- toy(40)
  held <- kernel_iso(1.5, nugget = 0.5, fixed = TRUE)
  fit <- gpc(class ~ a + b, d, kernel = held, noise = noise_prior(overlap = 0.1), control = quiet)
  expect_equal(fit$kernel$nugget, tan(pi * 0.1)^2)
  bounds <- noise_prior(overlap = c(0.01, 0.02))
  for (hyper in c("integrate", "optimum")) {
    again <- update(fit, noise = bounds, hyper = hyper)
    expect_true(all(abs(nugget_overlap(again$kernel$nugget) - 0.015) < 0.005 + 1e-6))
  }
  # inputs and an intercept with prior scales 1: the latent function has a variance of 3
  linear <- bpm(class ~ a + b, d, noise = noise_prior(overlap = 0.1), control = quiet)
  expect_equal(linear$prior$nugget, 3 * tan(pi * 0.1)^2)
  three <- gpc(
    Species ~ Petal.Length, iris[seq(1, 150, 5), ], kernel = kernel_iso(), control = quiet,
    epsilon = 0.05, noise = noise_prior(overlap = 0.05)
  )
  expect_equal(nugget_overlap(three$kernel$nugget, 3), 0.05, tolerance = 1e-3)
})

test_that("overlap that is none is an error", {
  for (bad in list(0, 0.5, c(0.2, 0.1), c(0.1, 0.1), "little", c(0.1, 0.2, 0.3), NA)) {
    expect_error(noise_prior(overlap = bad), class = "sturdy_error_prior")
  }
  expect_snapshot(print(noise_prior(overlap = 0.01)))
  expect_snapshot(print(noise_prior(overlap = c(0.01, 0.05))))
})
