# EP with several classes: stored fixed points, probabilities, gradients, low rank.

test_that("the stored fixed points are found", {
  for (case in classes_cases()) {
    out <- classes_fit_case(case, labels = TRUE)
    expect_equal(out$status, 0L)
    expect_close(out$sites$tau, case$tau, 1e-9, floor = 1)
    expect_close(out$sites$nu, case$nu, 1e-9, floor = 1)
    expect_close(out$m, case$m, 1e-9, floor = 1)
    expect_close(out$C_diag, case$A, 1e-9)
    expect_close(out$cavity$mean, case$cavity_mean, 1e-9, floor = 1)
    expect_close(out$cavity$var, case$cavity_var, 1e-9)
    expect_close(out$log_det, case$log_det, 1e-9)
    expect_close(out$loo, case$log_Z, 1e-9)
    expect_close(sum(out$loo), case$loo, 1e-9)
    expect_close(out$log_evidence, case$log_evidence, 1e-9)
    expect_close(out$seen, case$log_P_cavity, 1e-9, floor = 1)
  }
})

test_that("coefficients of a row add up to 0", {
  for (case in classes_cases()) {
    out <- classes_fit_case(case)
    expect_close(rowSums(out$b), rep(0, nrow(out$b)), 1e-9, floor = 1)
    expect_close(out$sites$nu - out$sites$tau * out$m, out$b, 1e-9, floor = 1)
  }
})

test_that("the stored gradients are found", {
  for (case in classes_cases()) {
    out <- classes_fit_case(case, labels = TRUE, gradient = TRUE)
    got <- c(
      -out$gradient$lengthscale / 2, out$gradient$variance, out$gradient$bias,
      out$gradient$nugget
    )
    want <- c(case$d_log_l, case$d_log_theta0, case$d_log_theta2, case$d_log_theta3)
    expect_close(got, want, 1e-7, floor = 1)
    reports <- label_reports(case$y, case$C)
    d_omega <- report_slope(reports, as_omega(case$Omega, case$C), out$slope)
    expect_close(d_omega[1, , ], case$d_Omega, 1e-7, floor = 1)
    expect_lt(abs(sum(got[-seq_along(case$l)])), 1e-9)
  }
})

test_that("new rows have the stored latent moments and probabilities", {
  for (case in classes_cases()) {
    out <- classes_fit_case(case)
    new <- lapply(seq_len(case$C), function(c) {
      native_gp_predict(
        case$X, case$columns, case$hyper, list(tau = out$sites$tau[, c]), out$b[, c], case$X_new
      )
    })
    m <- vapply(new, `[[`, numeric(5), "m")
    s2 <- vapply(new, `[[`, numeric(5), "s2")
    expect_close(m, case$latent_new_m, 1e-9, floor = 1)
    expect_close(s2, case$latent_new_s2, 1e-9)
    prob <- exp(native_classes_prob(m, s2))
    expect_close(prob, case$prob_class_new, 1e-9, floor = 1)
    expect_close(rowSums(prob), rep(1, 5), 1e-12)
  }
})

test_that("classes may have kernels of their own", {
  case <- classes_cases()[[2]]
  hyper <- rep(list(case$hyper), 3)
  at <- function(hyper, ...) {
    native_classes_fit(
      case$X, NULL, case$columns, hyper, likely(case$y, case$Omega), NULL, ep_control(tol = 1e-12), ...
    )
  }
  same <- at(hyper)
  expect_close(same$log_evidence, case$log_evidence, 1e-10)
  hyper[[2]]$nugget <- 0.4
  hyper[[3]]$lengthscale <- c(0.7, 1.9)
  out <- at(hyper, gradient = TRUE)
  slope <- function(class, name, entry = 1) {
    value <- vapply(c(-1e-4, 1e-4), function(step) {
      hyper[[class]][[name]][entry] <- hyper[[class]][[name]][entry] * exp(step)
      at(hyper)$log_evidence
    }, numeric(1))
    diff(value) / 2e-4
  }
  expect_close(out$gradient$nugget, vapply(1:3, slope, numeric(1), "nugget"), 1e-6, floor = 1)
  expect_close(
    out$gradient$lengthscale[2, ], vapply(1:3, slope, numeric(1), "lengthscale", 2), 1e-6,
    floor = 1
  )
})

inducing_case <- function() {
  set.seed(4)
  X <- matrix(rnorm(120), 60)
  y <- 1 + (X[, 1] > 0.3) + (X[, 2] > 0)
  y[c(5, 20, 40)] <- c(1, 3, 1)
  list(
    X = X, y = y, C = 3, Omega = matrix(c(0.9, 0.05, 0.1, 0.05, 0.85, 0.1, 0.05, 0.1, 0.8), 3),
    columns = list(group = 1:2, weight = c(1, 1)),
    hyper = list(lengthscale = c(0.8, 1.1), variance = 1, bias = 0.2, nugget = 0.1)
  )
}

inducing_fit <- function(case, Z, hyper = case$hyper, ...) {
  native_classes_fit(
    case$X, Z, case$columns, hyper, likely(case$y, case$Omega), NULL, ep_control(tol = 1e-11), ...
  )
}

test_that("inducing inputs at all rows give the dense fit", {
  case <- inducing_case()
  low <- inducing_fit(case, case$X)
  dense <- inducing_fit(case, NULL)
  expect_equal(low$status, 0L)
  # the jitter of 1e-8 of the variance
  expect_close(low$log_evidence, dense$log_evidence, 1e-6)
  expect_close(low$loo, dense$loo, 1e-5, floor = 1)
})

test_that("gradients with inducing inputs equal differences", {
  case <- inducing_case()
  Z <- case$X[seq(1, 60, 6), ]
  out <- inducing_fit(case, Z, gradient = TRUE)
  expect_equal(out$status, 0L)
  for (name in names(case$hyper)) {
    for (entry in seq_along(case$hyper[[name]])) {
      value <- vapply(c(-1e-4, 1e-4), function(step) {
        hyper <- case$hyper
        hyper[[name]][entry] <- hyper[[name]][entry] * exp(step)
        inducing_fit(case, Z, hyper)$log_evidence
      }, numeric(1))
      expect_close(out$gradient[[name]][entry], diff(value) / 2e-4, 1e-6, floor = 1)
    }
  }
})

test_that("kernels of classes that are alike are one kernel, with inducing inputs, too", {
  case <- inducing_case()
  Z <- case$X[seq(1, 60, 6), ]
  shared <- inducing_fit(case, Z, gradient = TRUE)
  # each class then has features of its own
  own <- inducing_fit(case, Z, rep(list(case$hyper), ncol(case$Omega)), gradient = TRUE)
  expect_equal(own$log_evidence, shared$log_evidence, tolerance = 1e-12)
  expect_equal(own$m, shared$m, tolerance = 1e-10)
  expect_equal(own$extra, shared$extra, tolerance = 1e-10)
  expect_equal(sum(own$gradient$nugget), shared$gradient$nugget, tolerance = 1e-8)
  expect_equal(rowSums(own$gradient$lengthscale), drop(shared$gradient$lengthscale), tolerance = 1e-8)
})

test_that("a record that only one class can have is as a rate of 0 for its row", {
  case <- classes_cases()[[1]]
  C <- ncol(case$Omega)
  sure <- seq_along(case$y) %% 2 == 0
  reports <- label_reports(case$y, C, ifelse(sure, 0L, 1L))
  fit <- function(L) {
    native_classes_fit(
      case$X, NULL, case$columns, case$hyper, L, NULL,
      ep_control(tol = 1e-10, max_sweeps = 300), labels = TRUE, gradient = TRUE
    )
  }
  L <- report_likelihood(reports, as_omega(case$Omega, C))
  out <- fit(L)
  expect_equal(out$status, 0L)
  # sum of b is 0 in every row, whatever is recorded
  expect_lt(max(abs(rowSums(out$b))), 1e-8)
  expect_equal(unname(exp(out$seen[cbind(which(sure), case$y[sure])])), exp(out$loo[sure]))
  # derivatives in the likelihoods, of a trusted row, too, and in omega
  for (at in list(c(1, 2), c(1, 3), c(2, case$y[2]))) {
    value <- vapply(c(-1e-5, 1e-5), function(step) {
      fit(replace(L, t(at), L[t(at)] + step))$log_evidence
    }, 0)
    expect_equal(out$slope[t(at)], diff(value) / 2e-5, tolerance = 1e-5)
  }
  d_omega <- report_slope(reports, as_omega(case$Omega, C), out$slope)
  value <- vapply(c(-1e-5, 1e-5), function(step) {
    moved <- replace(case$Omega, cbind(1, 2), case$Omega[1, 2] + step)
    fit(report_likelihood(reports, as_omega(moved, C)))$log_evidence
  }, 0)
  expect_equal(d_omega[1, 1, 2], diff(value) / 2e-5, tolerance = 1e-5)
})

test_that("a fit that can't converge says so", {
  case <- classes_cases()[[4]]
  out <- native_classes_fit(
    case$X, NULL, case$columns, case$hyper, likely(case$y, case$Omega), NULL,
    ep_control(tol = 1e-12, max_sweeps = 3)
  )
  expect_equal(ep_status(out$status), "max_sweeps")
  expect_true(all(is.finite(out$m)))
})

# The last sweep allowed may find the fixed point by updates, before a factorisation has shown it.
test_that("a fixed point that the last sweep has found is one", {
  case <- classes_cases()[[4]]
  K <- exp(-as.matrix(dist(case$X))^2 / 8) + 0.1 * diag(nrow(case$X))
  runs <- list(
    function(sweeps) {
      native_classes_fit(
        case$X, NULL, case$columns, case$hyper, likely(case$y, case$Omega), NULL,
        ep_control(tol = 1e-6, max_sweeps = sweeps)
      )
    },
    function(sweeps) ep_fit(K, case$y > 1, epsilon = 0.1, control = ep_control(tol = 1e-3, max_sweeps = sweeps))
  )
  for (run in runs) {
    whole <- run(300)
    expect_identical(nrow(whole$trace), as.integer(whole$sweeps) + 1L) # one for the start
    cut <- suppressWarnings(run(whole$sweeps - 1))
    expect_identical(cut$status, whole$status)
    expect_equal(cut$log_evidence, whole$log_evidence, tolerance = 1e-3)
  }
})

# With a nugget of next to nothing the residual of the first sweeps is a thousand times that
# of the prior; they are on their way all the same.
test_that("a search whose residual first rises is not given up", {
  set.seed(101)
  d <- datasets::iris[sample(150, 60), ]
  y <- as.integer(d$Species)
  wrong <- runif(60) < 0.2
  y[wrong] <- (y[wrong] + sample(2, sum(wrong), TRUE) - 1) %% 3 + 1
  out <- native_classes_fit(
    scale(as.matrix(d[1:4])), NULL, list(group = rep(1L, 4), weight = rep(1, 4)),
    list(lengthscale = sqrt(40), variance = 1, bias = 0.1, nugget = 1e-6), likely(y, diag(3)),
    NULL,
    ep_control(tol = 1e-6, max_sweeps = 150)
  )
  expect_gt(max(out$trace[, "residual"]), 100 * out$trace[1, "residual"])
  expect_equal(out$status, ep_codes[["converged"]])
})
