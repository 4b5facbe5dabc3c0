# Features of the published examples of three and six points, with a constant.
three <- cbind(c(0, 0, 1), c(0, 1, 0), 1)
six <- cbind(c(0, 0, 1, 0, 1.5, 0.1), c(0, 1, 0, 0.5, 0, 1.5), 1)
six_y <- c(1, 1, -1, 1, -1, -1)

test_that("published EP evidences come out", {
  evidence <- function(X, y, ...) {
    ep_fit(tcrossprod(X), y, control = ep_control(tol = 1e-12), ...)$log_evidence
  }
  expect_equal(evidence(three, c(1, 1, -1)), -2.486152518337251, tolerance = 1e-9)
  expect_equal(evidence(six, six_y, epsilon = 0.1), -4.553117742706541, tolerance = 1e-9)
  probit <- ep_fit(tcrossprod(six) + diag(6), six_y, control = ep_control(tol = 1e-12))
  expect_equal(probit$log_evidence, -4.652691936530638, tolerance = 1e-9)
})

test_that("a result holds every field its help names", {
  fit <- ep_fit(tcrossprod(three), c(1, 1, -1))
  expect_s3_class(fit, "sturdy_ep")
  expect_named(fit, c(
    "sites", "m", "C_diag", "log_det", "kappa", "log_evidence", "log_evidence_zp",
    "loo", "loo_pointwise", "flipped", "cavity", "b", "residual", "sweeps",
    "skipped", "status", "message", "rival", "trace", "df", "epsilon", "y"
  ))
  expect_equal(fit$loo, sum(fit$loo_pointwise))
  expect_equal(drop(tcrossprod(three) %*% fit$b), fit$m, tolerance = 1e-8)
})

test_that("sites to start from shorten the way and do not change the end", {
  cold <- ep_fit(tcrossprod(six), six_y, epsilon = 0.1)
  warm <- ep_fit(tcrossprod(six), six_y, epsilon = 0.1, sites = cold$sites)
  expect_lt(warm$sweeps, cold$sweeps)
  expect_equal(warm$m, cold$m, tolerance = 1e-7)
})

test_that("labels may be of any two-class kind, one class included", {
  K <- tcrossprod(three)
  expect_equal(ep_fit(K, c(TRUE, TRUE, FALSE))$m, ep_fit(K, c(1, 1, -1))$m)
  expect_equal(ep_fit(K, c("b", "b", "a"))$m, ep_fit(K, c(1, 1, 0))$m)
  # equicorrelated, all labels +1: exact -log(n + 1), EP near it
  one_class <- ep_fit(diag(2) / 2 + 1 / 2, c(1, 1))
  expect_equal(one_class$log_evidence, -1.1004, tolerance = 1e-4)
})

test_that("bad input is refused by name", {
  K <- diag(3)
  y <- c(1, 1, -1)
  expect_error(ep_fit(1:3, y), class = "sturdy_error_gram")
  expect_error(ep_fit(matrix(1, 2, 3), y), class = "sturdy_error_gram")
  expect_error(ep_fit(replace(K, 2, NA), y), class = "sturdy_error_gram")
  expect_error(ep_fit(replace(K, 2, 0.5), y), class = "sturdy_error_gram")
  expect_error(ep_fit(-K, y), class = "sturdy_error_gram")
  expect_error(ep_fit(1 - K, y), class = "sturdy_error_gram")
  expect_error(ep_fit(2 - K, y), class = "sturdy_error_gram")
  expect_error(ep_fit(K[0, 0], y), class = "sturdy_error_no_rows")
  expect_error(ep_fit(K, y[-1]), class = "sturdy_error_length")
  expect_error(ep_fit(K, 1:3), class = "sturdy_error_outcome_levels")
  expect_error(ep_fit(K, c(1, NA, 1)), class = "sturdy_error_missing")
  expect_error(ep_fit(K, y, df = 0), class = "sturdy_error_df")
  expect_error(ep_fit(K, y, epsilon = "learn"), class = "sturdy_error_epsilon")
  expect_error(ep_fit(K, y, sites = list(tau = 1)), class = "sturdy_error_sites")
  expect_error(ep_fit(K, y, sites = as.POSIXlt(Sys.time())), class = "sturdy_error_sites")
  expect_error(ep_fit(K, y, control = 3), class = "sturdy_error_type")
  expect_snapshot({
    said(ep_fit(matrix(1, 2, 3), y))
    said(ep_fit(replace(K, 2, 0.5), y))
    said(ep_fit(replace(K, 2:3, NA), y))
    said(ep_fit(-K, y))
    said(ep_fit(2 - K, y))
  })
})

test_that("a singular matrix is positive semidefinite enough", {
  expect_equal(ep_fit(matrix(1, 4, 4), rep(1, 4))$status, "converged")
})

test_that("a result prints its kind, status and scores", {
  fit <- ep_fit(diag(2), c(1, -1))
  fit$sweeps <- 2L
  fit$residual <- c(0, 1e-12)
  fit$log_evidence <- fit$loo <- -1.38629436
  fit$m <- c(-0.5, 0.5)
  expect_snapshot({
    fit
    replace(fit, "df", 10)
  })
})

test_that("the evidence at a tiny df is that of its largest term", {
  K <- tcrossprod(cbind(1:6, c(1, -1))) / 9 + diag(6)
  for (df in c(1e-3, 1e-10)) {
    fit <- ep_fit(K, c(0, 1, 0, 0, 1, 1), df = df, epsilon = 0.1)
    expect_identical(fit$status, "converged")
    # Z^(-2/df) is a sum of such powers: as df tends to 0 the largest alone counts
    largest <- max(fit$log_det, -2 * fit$loo_pointwise)
    expect_equal(fit$log_evidence_zp, -largest / 2, tolerance = 20 * df)
  }
  # one row is exact
  expect_equal(ep_fit(matrix(2), 1, df = 1e-8, epsilon = 0.1)$log_evidence_zp, log(0.5))
})

test_that("an evidence that is not defined is not passed over in silence", {
  fit <- ep_fit(diag(2), c(1, -1), df = 3)
  fit$log_evidence <- NaN
  expect_warning(warn_ep(fit), class = "sturdy_warning_evidence_undefined")
})
