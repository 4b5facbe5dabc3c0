test_that("the three evidences agree for a Gaussian process", {
  fit <- toy_fit()
  expect_equal(log_evidence(fit), log_evidence(fit))
  expect_equal(log_evidence(fit, "ep_zp"), log_evidence(fit), tolerance = 1e-10)
  expect_identical(log_evidence(fit, "gaussian"), log_evidence(fit))
})

test_that("the Gaussian evidence of stc() is that of gpc() at the same kernel", {
  s <- stc(class ~ a + b, toy(), df = 5, kernel = held(), epsilon = 0.05)
  expect_equal(log_evidence(s, "gaussian"), log_evidence(toy_fit()))
  expect_false(isTRUE(all.equal(log_evidence(s), log_evidence(s, "gaussian"))))
})

test_that("the evidence of an average is its own, whatever its label stage holds", {
  fit <- gpc(class ~ a + b, toy(), kernel = kernel_iso(), hyper = "integrate")
  expect_equal(log_evidence(fit), log_evidence(first_stage(fit)))
  other <- update(fit, noise = noise_prior(unusual = 0.1))
  expect_equal(log_evidence(other), log_evidence(fit))
  apart <- noise_test(other)$models$log_evidence - noise_test(fit)$models$log_evidence
  expect_gt(max(abs(apart)), 0.1)
})

test_that("an undefined t-EP evidence is NA with a warning", {
  fit <- toy_fit()
  fit$ep$log_evidence <- NaN
  expect_warning(value <- log_evidence(fit), class = "sturdy_warning_evidence_undefined")
  expect_identical(value, NA_real_)
})

test_that("criterion() gives value and gradient named as coef()", {
  for (df in c(4, Inf)) {
    fit <- stc(class ~ a + b, toy(), df = df, kernel = kernel_ard(1, fixed = TRUE), epsilon = 0.05)
    for (type in c("evidence", "loo")) {
      at <- criterion(fit, type)
      expect_equal(at$value, if (type == "loo") loo_sum(fit) else log_evidence(fit))
      expect_named(at$gradient, names(coef(fit)))
      # the scale of the kernel is not identified
      expect_equal(sum(at$gradient[c("variance", "bias", "nugget")]), 0, tolerance = 1e-8)
    }
  }
})

test_that("the gradient is that of central differences", {
  value <- function(theta, type) {
    kernel <- kernel_ard(
      exp(theta[1:2]), variance = exp(theta[3]), bias = exp(theta[4]),
      nugget = exp(theta[5]), fixed = TRUE
    )
    control <- ep_control(tol = 1e-12)
    fit <- stc(class ~ a + b, toy(), df = 8, kernel = kernel, epsilon = theta[6], control = control)
    criterion(fit, type)
  }
  theta <- c(log(c(1.2, 2, 1, 0.3, 0.2)), 0.07)
  for (type in c("evidence", "loo")) {
    h <- 1e-4
    central <- vapply(1:6, function(j) {
      up <- value(theta + h * (1:6 == j), type)$value
      down <- value(theta - h * (1:6 == j), type)$value
      (up - down) / (2 * h)
    }, numeric(1))
    # h^2 times a third derivative of order 1
    expect_equal(unname(value(theta, type)$gradient), central, tolerance = 1e-6)
  }
})

test_that("the generics refuse what they do not know", {
  fit <- toy_fit()
  expect_error(log_evidence(fit, "exact"), class = "sturdy_error_choice")
  expect_error(log_evidence(fit, methd = "ep"), class = "sturdy_error_unknown_argument")
})

test_that("with several classes the criterion has the gradient of the evidence", {
  d <- iris[c(1:10, 51:60, 101:110), ]
  d$Species[c(2, 14)] <- c("virginica", "setosa")
  at <- function(u, epsilon) {
    h <- exp(u)
    gpc(
      Species ~ Petal.Length + Sepal.Width, d, epsilon = epsilon, control = ep_control(tol = 1e-10),
      kernel = kernel_iso(h[1], h[2], h[3], h[4], fixed = TRUE)
    )
  }
  u <- log(c(1.3, 1, 0.4, 0.3))
  omega <- matrix(c(0.8, 0.15, 0.05, 0.1, 0.85, 0.05, 0.1, 0.2, 0.7), 3, byrow = TRUE)
  found <- criterion(at(u, 0.1))
  expect_equal(found$value, log_evidence(at(u, 0.1)), tolerance = 1e-8)
  slope <- function(f) (f(1e-4) - f(-1e-4)) / 2e-4
  by_hyper <- vapply(seq_along(u), function(j) {
    slope(function(step) log_evidence(at(replace(u, j, u[j] + step), 0.1)))
  }, numeric(1))
  expect_named(found$gradient, names(coef(at(u, 0.1))))
  expect_equal(unname(found$gradient[1:4]), by_hyper, tolerance = 1e-5)
  by_rate <- slope(function(step) log_evidence(at(u, 0.1 + step)))
  expect_equal(found$gradient[["epsilon"]], by_rate, tolerance = 1e-5)
  # of a matrix by its rates, each shared by the other classes as it is
  rates <- criterion(at(u, omega))$gradient[5:7]
  by_class <- vapply(1:3, function(t) {
    slope(function(step) {
      moved <- omega
      moved[t, -t] <- omega[t, -t] * (1 + step / (1 - omega[t, t]))
      moved[t, t] <- omega[t, t] - step
      log_evidence(at(u, moved))
    })
  }, numeric(1))
  expect_equal(unname(rates), by_class, tolerance = 1e-5)
})

test_that("the rate's slope is of the labels that are not trusted", {
  d <- toy(40)
  at <- function(epsilon, type) {
    fit <- gpc(
      class ~ a + b, d, kernel = held(), epsilon = epsilon, trusted = 1:15,
      control = ep_control(tol = 1e-10)
    )
    criterion(fit, type)
  }
  for (type in c("evidence", "loo")) {
    slope <- (at(0.1 + 1e-4, type)$value - at(0.1 - 1e-4, type)$value) / 2e-4
    expect_equal(at(0.1, type)$gradient[["epsilon"]], slope, tolerance = 1e-4)
  }
})
