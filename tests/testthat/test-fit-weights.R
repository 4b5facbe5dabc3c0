# The numbers of the weight space. All fits are converged to 1e-12.

test_that("weight space is kernel space with K = X diag(s) X'", {
  problem <- linear_problem()
  K <- problem$X %*% (problem$s * t(problem$X))
  for (epsilon in c(0.05, 0.2)) {
    fit <- bare_bpm(problem, epsilon = epsilon)
    kernel <- ep_fit(K, problem$y, epsilon = epsilon, control = ep_control(tol = 1e-12))
    expect_equal(fit$ep$status, "converged")
    expect_close(log_evidence(fit), kernel$log_evidence, 1e-8)
    expect_close(loo_terms(fit), kernel$loo_pointwise, 1e-8)
    expect_close(fitted(fit), with(kernel, pnorm(m / sqrt(C_diag))), 1e-8)
    expect_close(fit$ep$flipped, kernel$flipped, 1e-8, floor = 1e-3)
  }
})

test_that("fits agree with the plain-R reference at every df", {
  problem <- linear_problem()
  Xnew <- withr::with_seed(1, matrix(rnorm(15), 5, dimnames = list(NULL, letters[1:3])))
  for (df in c(3, 10, 100, Inf)) {
    fit <- bare_bpm(problem, df)
    ref <- ref_ep_weights(diag(problem$s), problem$X, problem$y, df, 0.1)
    expect_equal(c(fit$ep$status, ref$status), rep("converged", 2))
    criteria <- ref_criteria(ref)
    expect_close(fit$weights$mean, ref$mean, 1e-8)
    expect_close(fit$weights$C, ref$C, 1e-8, floor = 1e-3)
    expect_close(fit$ep$log_det, ref$log_det, 1e-8)
    expect_close(log_evidence(fit), criteria$log_evidence, 1e-8)
    expect_close(log_evidence(fit, "ep_zp"), criteria$log_evidence_zp, 1e-8)
    expect_close(fit$ep$loo, criteria$loo_pointwise, 1e-8)
    latent <- predict(fit, Xnew, type = "latent")
    there <- ref_predict_weights(ref, Xnew)
    expect_close(latent$location, there$location, 1e-8, floor = 1e-2)
    expect_close(latent$scale, there$scale, 1e-8)
    expect_close(predict(fit, Xnew, "prob", noise = TRUE)[, 2], there$prob_noisy, 1e-8)
    expect_close(predict(fit, problem$X, "latent")$m, fit$ep$m, 1e-8, floor = 1)
  }
})

test_that("the small Bayes point machines have their published values", {
  for (machine in published_cases()$machines[c("three_points", "six_points_flips")]) {
    fit <- bpm(
      machine$X[, 1:2], machine$y, nugget = 0, epsilon = machine$epsilon, scale = FALSE,
      control = ep_control(tol = 1e-12)
    )
    expect_close(log_evidence(fit), machine$log_evidence, 1e-9)
    # the published moments with flips are themselves 2e-9 from the fixed point
    tolerance <- if (machine$epsilon > 0) 5e-9 else 1e-9
    first <- c(2, 3, 1) # theirs has the intercept last
    expect_close(coef(fit)[first], machine$mean, tolerance, floor = 1)
    expect_close(vcov(fit)[first, first], machine$cov, tolerance, floor = 1)
  }
})

test_that("the Gaussian evidence beside a t fit is that of the Gaussian fit", {
  problem <- linear_problem()
  gauss <- bare_bpm(problem)
  fit <- bare_bpm(problem, df = 5)
  expect_close(log_evidence(fit, "gaussian"), log_evidence(gauss), 1e-9)
  expect_gt(abs(log_evidence(fit) - log_evidence(gauss)), 1)
  expect_equal(log_evidence(gauss, "gaussian"), log_evidence(gauss))
  fit$spec$control$max_sweeps <- 1L
  expect_warning(log_evidence(fit, "gaussian"), class = "sturdy_warning_not_converged")
})

test_that("a t prior tends to the normal one as df grows", {
  problem <- linear_problem()
  gauss <- bare_bpm(problem)
  near <- bare_bpm(problem, df = 1e9)
  expect_close(near$weights$mean, gauss$weights$mean, 1e-6)
  expect_close(log_evidence(near), log_evidence(gauss), 1e-6)
})

test_that("the order of the rows does not matter to EP", {
  problem <- linear_problem(60)
  fits <- lapply(1:3, function(seed) {
    order <- withr::with_seed(seed, sample(60))
    bpm(problem$X[order, ], problem$y[order], df = 8, epsilon = 0.1,
        control = ep_control(tol = 1e-11))
  })
  for (other in fits[-1]) {
    expect_close(coef(other), coef(fits[[1]]), 1e-7, floor = 1)
    expect_close(log_evidence(other), log_evidence(fits[[1]]), 1e-8)
  }
})

test_that("gradients are those of central differences", {
  d <- linear_data(60)
  prior <- c("(Intercept)" = 0.7, a = 2, b = 0.5, f = 1.5)
  at <- function(par, df) {
    bpm(
      class ~ ., d, df = df, prior_scale = exp(par[1:4]), nugget = exp(par[[5]]),
      epsilon = par[[6]], control = ep_control(tol = 1e-12)
    )
  }
  par <- c(log(prior), nugget = log(0.4), epsilon = 0.12)
  for (df in c(5, Inf)) {
    for (type in c("evidence", "loo")) {
      value <- function(par) {
        fit <- at(par, df)
        if (type == "loo") loo_sum(fit) else log_evidence(fit)
      }
      exact <- criterion(at(par, df), type)
      expect_named(exact$gradient, names(hyperparameters(at(par, df))))
      expect_close(exact$value, value(par), 1e-9)
      slope <- vapply(1:6, function(j) {
        h <- replace(numeric(6), j, if (j == 6) 1e-3 else 1e-2)
        (8 * (value(par + h) - value(par - h)) - value(par + 2 * h) +
          value(par - 2 * h)) / (12 * max(h))
      }, 0)
      # fourth-order differences: 1e-8 of the largest entry
      expect_close(exact$gradient, slope, 2e-6, floor = 0.05)
      # only signs are seen: the common scale does nothing
      expect_lt(abs(sum(exact$gradient[1:5])), 1e-6)
    }
  }
})

test_that("learning raises the criterion and stops where the gradient does", {
  d <- linear_data()
  start <- bpm(class ~ ., d, epsilon = 0.05)
  fit <- bpm(class ~ ., d, prior_scale = "learn", epsilon = "learn")
  expect_equal(fit$learning$convergence, 0)
  expect_gt(log_evidence(fit), log_evidence(start))
  expect_true(fit$epsilon > 0.01 && fit$epsilon < 0.2)
  expect_equal(fit$prior$scale[["(Intercept)"]], 1)
  table <- tidy(fit, component = "weights")
  expect_length(unique(table$prior_scale[table$term %in% c("fu", "fv", "fw")]), 1)
  g <- criterion(fit)$gradient
  z <- log(fit$prior$scale[-1]) / 2^2 # the weak prior pulls back
  expect_lt(max(abs(g[2:4] - z)), 0.05)
  expect_lt(abs(g[["epsilon"]]) * fit$epsilon, 0.05)
  loo <- bpm(class ~ ., d, df = 10, epsilon = "learn")
  expect_equal(loo$spec$criterion, "loo")
  expect_lt(abs(criterion(loo, "loo")$gradient[["epsilon"]]), 0.5)
})

test_that("the weight of a level that training did not have is as under the prior", {
  d <- linear_data()
  m <- mold(class ~ ., d)
  for (df in c(Inf, 4)) {
    fit <- bpm(
      class ~ ., d, df = df, nugget = 0, epsilon = 0.1, prior_scale = c(a = 1, b = 0.5, f = 2)
    )
    # the same model with an indicator of that level, which is 0 in every row
    prior <- fit$prior
    prior$group <- c(prior$group, 4L)
    prior$weights <- c(prior$weights, "fz")
    X <- cbind(m$data$X, 0)
    latent <- latent_weight(bpm_design(X, prior), plain_labels(m$data$y), prior)
    ep <- ep_run(latent, model_hyper(fit), df, as_omega(0.1, 2), control = fit$spec$control)
    wide <- ep_weights(ep, prior, df)
    new <- transform(d[3:4, ], f = c("z", "v"))
    expect_message(
      got <- predict(fit, new, type = "latent"), "its weight is as under the prior",
      class = "sturdy_message_novel_levels"
    )
    # the t family of one more dimension is another one: t-EP there differs a little
    tolerance <- if (is.finite(df)) 0.05 else 1e-7
    x <- cbind(1, X[3:4, 1:2], rbind(c(0, 0, 0, 1), c(0, 1, 0, 0)))
    expect_equal(got$m, drop(x %*% wide$mean), ignore_attr = TRUE, tolerance = tolerance)
    expect_equal(
      got$scale^2, exp(wide$log_scale) * rowSums((x %*% wide$C) * x),
      ignore_attr = TRUE, tolerance = tolerance
    )
    known <- predict(fit, transform(new, f = "v"), type = "latent")
    expect_equal(got[2, ], known[2, ])
  }
  # a filtered fit is in the size of the prior, so that the same is added
  fit <- update(fit, inference = "adf")
  x <- cbind(1, X[3, 1:2, drop = FALSE], 0, 0)
  got <- suppressMessages(predict(fit, new[1, ], type = "latent"))
  spread <- drop(x %*% fit$weights$C[1:5, 1:5] %*% t(x)) + 2
  expect_equal(got$scale^2, exp(fit$weights$log_scale) * spread)
})
