# EP under a low-rank prior against ep_fit() on the matrix K = Phi Phi' + diag(lambda)
# itself, built here in plain R.

# Features of FITC by their definition [M 9.6].
ref_inducing <- function(X, Z, hyper, jitter = 1e-8) {
  distance <- function(a, b) {
    scaled <- function(x) t(t(x) / hyper$lengthscale)
    d <- outer(rowSums(scaled(a)^2), rowSums(scaled(b)^2), "+") -
      2 * tcrossprod(scaled(a), scaled(b))
    hyper$variance * exp(-pmax(d, 0) / 2)
  }
  Kuu <- distance(Z, Z)
  diag(Kuu) <- hyper$variance * (1 + jitter)
  Phi <- t(forwardsolve(t(chol(Kuu)), t(distance(X, Z))))
  list(
    Phi = cbind(Phi, if (hyper$bias > 0) sqrt(hyper$bias)),
    lambda = hyper$variance - rowSums(Phi^2) + hyper$nugget
  )
}

# Rows on two sides of a curve, some labels wrong.
curve_rows <- function(n, p = 2, seed = 1, flips = 0.1) {
  withr::with_seed(seed, {
    X <- matrix(rnorm(n * p), n)
    y <- ifelse(X[, 1] + X[, 2]^2 - 0.7 + 0.3 * rnorm(n) > 0, 1, -1)
    wrong <- stats::runif(n) < flips
    y[wrong] <- -y[wrong]
    list(X = X, y = y, Z = matrix(rnorm(12 * p), 12), Xnew = matrix(rnorm(20 * p), 20))
  })
}

columns_of <- function(X) list(group = seq_len(ncol(X)), weight = rep(1, ncol(X)))
curve_hyper <- list(lengthscale = c(1.2, 0.8), variance = 1, bias = 0.1, nugget = 0.15)
tight <- function() ep_control(tol = 1e-12)

expect_same_fit <- function(low, dense) {
  L <- likely(dense$y, dense$epsilon)
  expect_identical(low$status, 0L)
  expect_equal(low$log_evidence, dense$log_evidence, tolerance = 1e-8)
  expect_equal(low$log_evidence_zp, dense$log_evidence_zp, tolerance = 1e-8)
  expect_equal(low$loo, dense$loo_pointwise, tolerance = 1e-8)
  flipped <- wrong_share(truth_posterior(L, low$seen), 1 + (dense$y > 0))
  expect_equal(flipped, dense$flipped, tolerance = 1e-8)
  # sites in the units of the residual
  expect_lt(max(abs(low$sites$tau - dense$sites$tau) * dense$C_diag), 1e-8)
  expect_lt(max(abs(low$sites$nu - dense$sites$nu) * sqrt(dense$C_diag)), 1e-8)
}

# m* = k*'b and s2* = k** - k*' (K + T^-1)^-1 k* of the dense fit.
expect_same_prediction <- function(new, dense, K, K_new, prior_new) {
  R <- solve(diag(nrow(K)) + dense$sites$tau * K, diag(dense$sites$tau))
  expect_equal(new$m, drop(K_new %*% dense$b), tolerance = 1e-8)
  expect_equal(new$s2, prior_new - rowSums((K_new %*% R) * K_new), tolerance = 1e-8)
}

cases <- expand.grid(n = c(50, 300), df = c(3, 10, Inf), epsilon = c(0, 0.1))

test_that("inducing inputs give the fit of their matrix", {
  negative <- 0
  for (k in seq_len(nrow(cases))) {
    case <- cases[k, ]
    d <- curve_rows(case$n, flips = case$epsilon)
    columns <- columns_of(d$X)
    low <- native_inducing_fit(
      d$X, d$Z, columns, curve_hyper, likely(d$y, case$epsilon), case$df, NULL, tight()
    )
    made <- ref_inducing(d$X, d$Z, curve_hyper)
    K <- tcrossprod(made$Phi) + diag(made$lambda)
    dense <- ep_fit(
      K, d$y, case$df, case$epsilon, sites = low$sites, control = tight()
    )
    expect_same_fit(low, dense)
    negative <- negative + sum(low$sites$tau < 0)
    new <- native_inducing_predict(
      d$Z, columns, curve_hyper, low$b, low$extra, d$Xnew
    )
    at_new <- ref_inducing(d$Xnew, d$Z, curve_hyper)
    expect_same_prediction(
      new, dense, K, tcrossprod(at_new$Phi, made$Phi),
      rowSums(at_new$Phi^2) + at_new$lambda
    )
  }
  expect_gt(negative, 20) # that path has been taken
})

test_that("linear features with a nugget give the fit of their matrix", {
  s0 <- c(0.5, 2, 1)
  for (k in seq_len(nrow(cases))) {
    case <- cases[k, ]
    d <- curve_rows(case$n, 3, flips = case$epsilon)
    low <- native_weight_fit(
      t(d$X), s0, 0.4, likely(d$y, case$epsilon), case$df, NULL, tight()
    )
    K <- d$X %*% (s0 * t(d$X)) + diag(0.4, case$n)
    dense <- ep_fit(
      K, d$y, case$df, case$epsilon, sites = low$sites, control = tight()
    )
    expect_same_fit(low, dense)
    new <- lapply(native_weight_predict_nodes(t(d$Xnew), low$b, low$extra), as.vector)
    expect_same_prediction(
      list(m = new$m, s2 = new$s2 + 0.4), dense, K, d$Xnew %*% (s0 * t(d$X)),
      rowSums(d$Xnew^2 * rep(s0, each = 20)) + 0.4
    )
  }
})

test_that("a nugget that vanishes gives the weights without one", {
  d <- linear_problem(60)
  fit <- function(nugget) {
    native_weight_fit(t(d$X), d$s, nugget, likely(d$y, 0.1), Inf, NULL, tight(), "evidence", TRUE)
  }
  none <- fit(0)
  little <- fit(1e-11)
  expect_equal(little$b, none$b, tolerance = 1e-7)
  expect_equal(little$log_evidence, none$log_evidence, tolerance = 1e-8)
  expect_identical(none$gradient$nugget, 0)
})

test_that("gradients are those of differences, for every criterion and df", {
  d <- curve_rows(70)
  value <- function(log_hyper, df, criterion, gradient = FALSE) {
    at <- exp(log_hyper)
    hyper <- list(lengthscale = at[1:2], variance = at[3], bias = at[4], nugget = at[5])
    native_inducing_fit(
      d$X, d$Z, columns_of(d$X), hyper, likely(d$y, 0.1), df, NULL, tight(), criterion, gradient
    )
  }
  at <- log(unlist(curve_hyper))
  for (df in c(3, 10, Inf)) {
    for (criterion in c("evidence", "evidence_zp", "loo")) {
      slopes <- vapply(seq_along(at), function(j) {
        h <- 1e-3 * (seq_along(at) == j)
        (8 * (value(at + h, df, criterion)$value - value(at - h, df, criterion)$value) -
          (value(at + 2 * h, df, criterion)$value - value(at - 2 * h, df, criterion)$value)) /
          12e-3
      }, numeric(1))
      got <- value(at, df, criterion, TRUE)$gradient
      expect_equal(
        unname(unlist(got[c("lengthscale", "variance", "bias", "nugget")])), unname(slopes),
        tolerance = 1e-6
      )
    }
  }
})

test_that("inducing inputs at all rows are the dense kernel", {
  d <- curve_rows(80)
  columns <- columns_of(d$X)
  for (df in c(10, Inf)) {
    low <- native_inducing_fit(
      d$X, d$X, columns, curve_hyper, likely(d$y, 0.1), df, NULL, tight(), "evidence", TRUE
    )
    dense <- native_gp_fit(
      d$X, columns, curve_hyper, likely(d$y, 0.1), df, NULL, tight(), "evidence", TRUE
    )
    # the jitter: 1e-8 of the variance in a kernel with a nugget of 0.15
    expect_equal(low$log_evidence, dense$log_evidence, tolerance = 1e-6)
    expect_equal(low$loo, dense$loo, tolerance = 1e-6)
    expect_equal(low$gradient, dense$gradient, tolerance = 1e-5)
  }
})

test_that("all sites at once end at the fixed point of one after the other", {
  at_once <- function(control) utils::modifyList(unclass(control), list(parallel = TRUE))
  for (df in c(3, 10, Inf)) {
    for (seed in 1:3) {
      d <- curve_rows(400, seed = seed)
      fit <- function(control) {
        native_inducing_fit(
          d$X, d$Z, columns_of(d$X), curve_hyper, likely(d$y, 0.1), df, NULL, control, "evidence", TRUE
        )
      }
      one <- fit(ep_control(tol = 1e-10))
      all <- fit(at_once(ep_control(tol = 1e-8)))
      expect_identical(c(one$status, all$status), c(0L, 0L))
      expect_lt(all$sweeps, 60)
      expect_identical(all$newton, 0L)
      # where it is stationary in the sites its error is the square of theirs
      near <- if (is.finite(df)) 1e-7 else 1e-9
      expect_equal(all$log_evidence, one$log_evidence, tolerance = near)
      expect_lt(max(abs(all$sites$tau - one$sites$tau) * one$C_diag), 1e-6)
      expect_lt(max(abs(all$sites$nu - one$sites$nu) * sqrt(one$C_diag)), 1e-6)
      expect_equal(all$gradient, one$gradient, tolerance = 1e-5)
      # from sites that have no posterior it starts from the prior
      far <- list(tau = rep(-6, 400), nu = rep(5, 400))
      again <- native_inducing_fit(
        d$X, d$Z, columns_of(d$X), curve_hyper, likely(d$y, 0.1), df, far,
        at_once(ep_control(tol = 1e-8))
      )
      expect_equal(again$log_evidence, one$log_evidence, tolerance = near)
    }
  }
})

test_that("sites that have no posterior are begun from without their negative precisions", {
  d <- curve_rows(300)
  fit <- function(tau) {
    control <- utils::modifyList(unclass(tight()), list(parallel = TRUE))
    native_inducing_fit(
      d$X, d$Z, columns_of(d$X), curve_hyper, likely(d$y, 0.1), Inf, list(tau = tau, nu = d$y), control
    )
  }
  # lambda is at most 1.15: 1 + lambda tau is far from 0 for all
  tau <- ifelse(seq_along(d$y) %% 3 == 0, 0.1, -0.5)
  from <- fit(tau)
  expect_identical(from$trace, fit(pmax(tau, 0))$trace)
  expect_false(identical(from$trace[1, ], fit(0 * tau)$trace[1, ]))
  # those that have one are begun from as they are
  few <- ifelse(seq_along(d$y) == 3, -1, 0.5)
  expect_false(identical(fit(few)$trace[1, ], fit(pmax(few, 0))$trace[1, ]))
})

test_that("without memory for Newton steps there is the gradient of the evidence", {
  d <- curve_rows(200)
  fit <- function(lean) {
    control <- utils::modifyList(unclass(tight()), list(parallel = TRUE, lean = lean))
    control$tol <- 1e-8
    native_inducing_fit(
      d$X, d$Z, columns_of(d$X), curve_hyper, likely(d$y, 0.1), Inf, NULL, control, "evidence", TRUE
    )
  }
  expect_identical(fit(TRUE), fit(FALSE))
})

test_that("features that are made anew in every pass give the same fit and gradient", {
  d <- curve_rows(700, p = 2)
  columns <- columns_of(d$X)
  fit <- function(keep, df, parallel) {
    control <- utils::modifyList(
      unclass(ep_control(tol = 1e-8)), list(keep = keep, parallel = parallel, block = 50)
    )
    native_inducing_fit(
      d$X, d$Z, columns, curve_hyper, likely(d$y, 0.1), df, NULL, control, "evidence", TRUE
    )
  }
  for (df in c(8, Inf)) {
    for (parallel in c(FALSE, TRUE)) {
      kept <- fit(TRUE, df, parallel)
      anew <- fit(FALSE, df, parallel)
      expect_identical(anew$status, 0L)
      parts <- c("log_evidence", "loo", "b", "extra", "gradient")
      expect_equal(anew[parts], kept[parts], tolerance = 1e-7)
    }
  }
})
