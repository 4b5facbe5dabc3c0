# Published and closed-form values through ep_fit(). EP values are compared with
# EP values to 1e-9, exact ones only in bands.

sharp <- ep_control(tol = 1e-12)

# Posterior of the weights w ~ N(0, I) from a fit with K = X X' + noise I, whose
# sites see the weights through the noise.
weights <- function(fit, X, noise) {
  tau <- with(fit$sites, tau / (1 + noise * tau))
  list(
    mean = drop(crossprod(X, fit$b)),
    cov = solve(diag(ncol(X)) + crossprod(X, tau * X))
  )
}

test_that("small Bayes point machines have their published values", {
  for (machine in published_cases()$machines) {
    K <- with(machine, tcrossprod(X) + diag(noise, nrow(X)))
    fit <- ep_fit(K, machine$y, epsilon = machine$epsilon, control = sharp)
    expect_identical(fit$status, "converged")
    expect_close(fit$log_evidence, machine$log_evidence, 1e-9)
    expect_lt(abs(fit$log_evidence - machine$exact), 0.1)
    if (!is.null(machine$mean)) {
      w <- weights(fit, machine$X, machine$noise)
      # the published moments with flips are themselves 2e-9 from the fixed point
      # (their evidence, stationary there, is not)
      tolerance <- if (machine$epsilon > 0) 5e-9 else 1e-9
      expect_close(w$mean, machine$mean, tolerance, floor = 1)
      expect_close(w$cov, machine$cov, tolerance, floor = 1)
    }
  }
})

test_that("sites of negative precision are kept, not clipped", {
  machine <- published_cases()$machines$six_points_flips
  fit <- ep_fit(tcrossprod(machine$X), machine$y, epsilon = 0.1, control = sharp)
  expect_lt(min(fit$sites$tau), 0)
  expect_gt(abs(fit$log_evidence - -4.57316358225882), 0.02) # the clipped value
})

test_that("intercept-only probit has its published values", {
  known <- published_cases()$intercept
  for (i in seq_len(nrow(known))) {
    row <- known[i, ]
    n <- row$n1 + row$n0
    fit <- ep_fit(
      matrix(1, n, n) + diag(n), rep(c(1, -1), c(row$n1, row$n0)),
      epsilon = row$epsilon, control = sharp
    )
    # the table has 12 decimals
    expect_close(fit$log_evidence, row$log_evidence, 1e-11)
    expect_lt(abs(fit$log_evidence - row$exact), 0.06)
  }
})

test_that("equicorrelated rows have their tabled evidence", {
  known <- published_cases()$equicorrelated
  for (i in seq_len(nrow(known))) {
    n <- known$n[i]
    evidence <- function(df) {
      ep_fit((matrix(1, n, n) + diag(n)) / 2, rep(1, n), df, control = sharp)$log_evidence
    }
    # four decimals
    expect_lt(abs(evidence(Inf) - known$gaussian[i]), 5.001e-5)
    expect_lt(abs(evidence(10) - known$df_10[i]), 5.001e-5)
    expect_lt(abs(evidence(Inf) + log(n + 1)), 0.025) # exact
  }
})

test_that("Gaussian EP is near the orthant probability for n up to 3", {
  withr::local_seed(5)
  for (n in 1:3) for (draw in 1:5) {
    K <- tcrossprod(matrix(rnorm(n * n), n)) + diag(n)
    y <- sample(c(-1, 1), n, replace = TRUE)
    value <- ep_fit(K, y, control = sharp)$log_evidence
    exact <- log(orthant_evidence(K, y))
    if (n == 1) expect_close(value, exact, 1e-13)
    # n = 2 and 3: measured, below 0.02 on 1,000 draws
    expect_lt(abs(value - exact), 0.03)
  }
})

test_that("independent rows give n log 2, and the t-EP evidence does not", {
  known <- published_cases()$diagonal
  y <- rep(c(1, -1), known$n / 2)
  gauss <- ep_fit(diag(known$n), y)
  student <- ep_fit(diag(known$n), y, df = 10)
  expect_close(gauss$log_evidence, known$exact, 1e-12)
  expect_close(c(gauss$loo, student$loo), rep(known$exact, 2), 1e-12)
  expect_lt(abs(student$log_evidence - known$df_10), 5.001e-3)
})

test_that("the far tail of the normal is exact", {
  known <- published_cases()$log_pnorm
  tail <- tilted_labels(c(1, 1), known$x, c(1, 1), Inf, 0, 1)
  expect_close(tail[, "log_z1"], known$value, 64 * .Machine$double.eps)
})
