# The 18 reference cases through the functions a user calls.

fit_case <- function(case) {
  kernel <- kernel_ard(
    case$lengthscale, case$theta0, case$theta2, case$theta3, fixed = TRUE,
    prior = NULL
  )
  fit <- function(model, ...) {
    model(
      case$X, case$y, kernel = kernel, epsilon = case$epsilon, scale = FALSE,
      control = ep_control(tol = 1e-11), ...
    )
  }
  if (is.finite(case$df)) fit(stc, df = case$df) else fit(gpc)
}

test_that("fits reach the reference values", {
  for (case in reference_cases()) {
    fit <- fit_case(case)
    expect_identical(fit$ep$status, "converged")
    # converged to 1e-11 here and to 1e-12 there; 1e-7 is what is promised
    expect_close(log_evidence(fit), case$log_evidence_Z1, 1e-9)
    expect_close(log_evidence(fit, "ep_zp"), case$log_evidence_Zp, 1e-9)
    expect_close(loo_sum(fit), case$loo, 1e-9)
    expect_close(criterion(fit)$value, case$log_evidence_Z1, 1e-9)
    expect_close(criterion(fit, "loo")$value, case$loo, 1e-9)
    # the smallest m are 1e-4
    expect_close(fit$ep$m, case$m, 1e-7)
    expect_close(fit$ep$C_diag, case$C_diag, 1e-9)
    expect_close(fit$ep$log_det, case$log_det, 1e-9)
    expect_close(fit$ep$kappa, case$kappa, 1e-9)
    found <- suppressMessages(mislabelled(fit))
    expect_close(
      found$probability[order(found$row)], case$prob_flipped_loo, 1e-7
    )
  }
})

test_that("gradients reach the reference values", {
  for (case in reference_cases()) {
    fit <- fit_case(case)
    keep <- if (is.na(case$d_loo[["epsilon"]])) -length(case$d_loo) else TRUE
    # the reference gradients are good to 1e-6
    expect_close(
      criterion(fit)$gradient[keep], case$d_evidence_Z1[keep], 1e-5, floor = 1
    )
    expect_close(
      criterion(fit, "loo")$gradient[keep], case$d_loo[keep], 1e-5, floor = 1
    )
  }
})

test_that("predictions at new points reach the reference values", {
  for (case in reference_cases()) {
    fit <- fit_case(case)
    latent <- predict(fit, case$X_new, type = "latent")
    expect_close(latent$m, case$latent_new_m, 1e-9, floor = 1)
    expect_close(latent$s2, case$latent_new_s2, 1e-9)
    expect_close(
      predict(fit, case$X_new, type = "prob")[, 2], case$prob_true_class_new, 1e-9
    )
    expect_close(
      predict(fit, case$X_new, type = "prob", noise = TRUE)[, 2],
      case$prob_observed_new, 1e-9
    )
  }
})
