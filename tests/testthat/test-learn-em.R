# Three ways to learn the flip rate by the evidence: gradient and em have the same
# optimum, em_kg08 has a fixed point of its own.

# Case 12 of the reference, everything held but epsilon
case_12 <- function(method) {
  case <- reference_cases()[[12]]
  gpc(
    case$X, case$y,
    scale = FALSE, epsilon = "learn", method = method,
    kernel = kernel_ard(
      case$lengthscale, case$theta0, case$theta2, case$theta3,
      fixed = TRUE, prior = NULL
    )
  )
}

# Half of New Thyroid with flips, everything of the kernel held but the nugget, as in
# Table 2 of Kim and Ghahramani (2008)
thyroid_fits <- function(rate, seed) {
  d <- sturdy_data("newthyroid")
  rows <- withr::with_seed(
    seed, sort(sample.int(nrow(d), nrow(d) %/% 2)),
    .rng_kind = "Mersenne-Twister", .rng_normal_kind = "Inversion",
    .rng_sample_kind = "Rejection"
  )
  y <- factor(ifelse(d$class == "normal", "normal", "abnormal"), c("normal", "abnormal"))
  y <- flip_labels(y[rows], rate, seed = 1000 + seed)
  attr(y, "flipped") <- NULL
  kernel <- kernel_iso(
    lengthscale = sqrt(10), variance = 1, bias = 1e-8, nugget = 0.1,
    fixed = c("lengthscale", "variance", "bias"), prior = NULL
  )
  x <- d[rows, names(d) != "class"]
  function(method) gpc(x, y, kernel = kernel, epsilon = "learn", method = method)
}

test_that("gradient and em reach the same optimum, em_kg08 overshoots", {
  skip_if_not_installed("jsonlite")
  fits <- lapply(c("gradient", "em", "em_kg08"), case_12)
  epsilon <- vapply(fits, `[[`, 0, "epsilon")
  evidence <- vapply(fits, log_evidence, 0)
  # found by a search of its own, for the sites were computed elsewhere
  expect_close(epsilon[1:2], c(0.027, 0.027), 5e-4, floor = 1)
  expect_close(epsilon[3], 0.091, 5e-4, floor = 1)
  # the gradient search ends when a step gains less than 1e-4
  expect_close(epsilon[1], epsilon[2], 3e-4, floor = 1)
  expect_close(evidence[1], evidence[2], 1e-4, floor = 1)
  expect_lt(evidence[3], evidence[2] - 1)
})

test_that("em ends at the mean flip probability, em_kg08 at that of the marginals", {
  skip_if_not_installed("jsonlite")
  fit <- case_12("em")
  expect_close(fit$epsilon, mean(fit$ep$flipped), 1e-6, floor = 1)
  fit <- case_12("em_kg08")
  wrong <- pnorm(-fit$data$y * fit$ep$m / sqrt(fit$ep$C_diag))
  expect_close(fit$epsilon, mean(wrong), 1e-6, floor = 1)
  expect_gt(abs(fit$epsilon - mean(fit$ep$flipped)), 0.01)
})

test_that("with a kernel to learn, too, em and gradient agree", {
  fit <- thyroid_fits(0.1, 2)
  gradient <- fit("gradient")
  em <- fit("em")
  expect_identical(em$learning$convergence, 0L)
  expect_close(log_evidence(em), log_evidence(gradient), 0.01, floor = 1)
  expect_close(em$epsilon, gradient$epsilon, 2e-3, floor = 1)
  # Its trace starts inside and ends where the fit is
  trace <- em$learning$trace
  expect_equal(trace$epsilon[1], 0.05)
  expect_close(trace$epsilon[nrow(trace)], em$epsilon, 1e-6, floor = 1)
  expect_close(
    trace$log_evidence[nrow(trace)], log_evidence(em), 1e-5, floor = 1
  )
  expect_match(printed(summary(em)), "by evidence [(]em[)]")
})

test_that("two rates are learned by em as by the gradient", {
  d <- toy(60)
  fit <- function(method) {
    gpc(class ~ ., d, kernel = held(), epsilon = "learn2", method = method)
  }
  gradient <- fit("gradient")
  em <- fit("em")
  expect_named(em$epsilon, c("neg", "pos"))
  expect_close(em$epsilon, gradient$epsilon, 2e-3, floor = 1)
  expect_close(log_evidence(em), log_evidence(gradient), 1e-3, floor = 1)
})

test_that("em tells the rate of one class from that of the other", {
  # three in ten of the truly negative are recorded as positive, none the other way
  d <- data.frame(a = seq(-2, 2, length.out = 80))
  flipped <- withr::with_seed(2, d$a < 0 & runif(80) < 0.3)
  d$class <- factor(ifelse(xor(d$a > 0, flipped), "yes", "no"))
  fit <- function(method) {
    gpc(class ~ a, d, kernel = held(), epsilon = "learn2", method = method)
  }
  em <- fit("em")
  expect_lt(em$epsilon[["pos"]], 1e-5)
  expect_lt(abs(em$epsilon[["neg"]] - mean(flipped[d$a < 0])), 0.1)
  expect_close(em$epsilon, fit("gradient")$epsilon, 1e-3, floor = 1)
  # the M-step: flips expected among those expected to be truly negative
  p <- em$ep$flipped
  negative <- sum(p[em$data$y > 0]) + sum(1 - p[em$data$y < 0])
  expect_close(em$epsilon[["neg"]], sum(p[em$data$y > 0]) / negative, 1e-5)
})

test_that("em is refused where it has no closed M-step", {
  d <- toy()
  refused <- function(...) {
    expect_error(
      gpc(class ~ ., d, kernel = held(), ...), class = "sturdy_error_method"
    )
  }
  refused(method = "em", epsilon = 0.1)
  refused(method = "em_kg08", criterion = "loo")
})

test_that("em goes on where EP stalls at first", {
  # half 8 at 0 % flips: from the sites of the last step EP stalls
  for (at in list(c(0, 3), c(0, 8))) {
    fit <- thyroid_fits(at[1], at[2])
    em <- fit("em")
    expect_identical(em$learning$convergence, 0L)
    expect_close(log_evidence(em), log_evidence(fit("gradient")), 0.05, floor = 1)
  }
})
