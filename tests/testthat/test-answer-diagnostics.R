test_that("every status has words, and every code of the core a status", {
  for (status in names(ep_statuses)) {
    for (linear in c(FALSE, TRUE)) {
      words <- ep_advice(status, linear)
      expect_true(all(nzchar(words$means)))
      expect_true(status == "converged" || length(words$do) > 0)
    }
    expect_true(nzchar(ep_message(status, list(sweeps = 3L, residual = 0.1), 5)))
  }
  expect_identical(ep_status(c(0L, 1L, 2L, 5L, 6L, -1L, -2L)), setdiff(
    names(ep_statuses), "no_fixed_point"
  ))
})

test_that("diagnostics count what the sentences are about", {
  fit <- toy_fit()
  report <- ep_diagnostics(fit)
  expect_s3_class(report, "ep_diagnostics")
  expect_equal(report$status, "converged")
  expect_equal(report$negative_sites, sum(fit$ep$sites$tau < 0))
  expect_equal(report$residual, max(fit$ep$residual))
  expect_null(report$do)
})

test_that("where a fit keeps no sites, how many are negative is not known", {
  ep <- toy_fit()$ep
  ep$sites <- held_sites # as over shards
  expect_identical(diagnose_ep(ep)$numbers$negative_sites, NA_integer_)
})

test_that("diagnostics of all kinds of fits have the same fields", {
  d <- toy_scores(2, 40)
  stage <- second_stage(d$prob, d$labels, hyper = "optimum")
  expect_setequal(names(ep_diagnostics(stage)), names(ep_diagnostics(toy_fit())))
})

test_that("the filter says how often it was wrong before it knew better", {
  fit <- suppressWarnings(bpm(class ~ ., toy(), epsilon = 0.05, inference = "adf"))
  expect_match(ep_diagnostics(fit)$means, "predicted wrongly beforehand", all = FALSE)
})

test_that("where EP converged at no starting point there is no optimum to be near to", {
  fit <- toy_fit()
  fit$learning <- list(convergence = 99L, message = "EP converged at no starting point", penalised = -Inf)
  report <- diagnose_search(fit)
  expect_null(report$means)
  expect_match(report$do, "more starts")
  fit$learning$penalised <- -10
  expect_match(diagnose_search(fit)$means, "optimum nearby")
})

test_that("a fit stopped early says what that means and what to do", {
  expect_warning(
    fit <- toy_fit(control = ep_control(max_sweeps = 1)),
    class = "sturdy_warning_not_converged"
  )
  expect_equal(ep_diagnostics(fit)$status, "max_sweeps")
  fit$ep$message <- "EP did not converge."
  fit$ep$sites$tau[] <- rep(c(-1, 1), c(1, nobs(fit) - 1))
  expect_snapshot(ep_diagnostics(fit))
})

test_that("trouble while learning is reported", {
  fit <- toy_fit()
  fit$kernel$fixed <- "variance"
  fit$ep$message <- "EP converged in 5 sweeps (largest residual 1e-10)."
  fit$ep$sites$tau[] <- 1
  fit$learning <- list(
    convergence = 1, message = "NEW_X", penalised = -10, cold_start = FALSE, starts = data.frame(start = 1:3),
    on_bound = c(upper = "lengthscale", lower = "epsilon"), method = "gradient"
  )
  expect_snapshot(ep_diagnostics(fit))
})

test_that("a bound is explained by the end it lies at", {
  expect_length(bound_words(character()), 0)
  expect_match(bound_words(c(upper = "lengthscale.a")), "no influence")
  expect_match(bound_words(c(lower = "lengthscale.b")), "carry no information")
  expect_match(bound_words(c(lower = "nugget")), "show no need")
  expect_match(bound_words(c(upper = "epsilon")), "coin tosses")
  expect_match(bound_words(c(upper = "bias")), "almost nothing")
  # several that mean the same say it once
  expect_length(bound_words(c(lower = "bias", lower = "nugget@a", lower = "epsilon.neg")), 1)
})

test_that("whatever is on a bound is told about", {
  for (name in names(learn_bounds)) {
    for (end in c("lower", "upper")) expect_match(bound_words(stats::setNames(name, end)), "^[[:alpha:]].*[.]$")
  }
  expect_match(bound_words(c(upper = "variance")), "^variance on its upper bound")
})

test_that("which end it is does not hang on how large the value is", {
  # what is believed of overlap bounds the nugget far below 1
  noisy <- withr::with_seed(3, {
    x <- rnorm(60)
    data.frame(x = x, class = x + 2 * rnorm(60) > 0)
  })
  fit <- gpc(class ~ ., noisy, hyper = "optimum", epsilon = "learn", noise = noise_prior(overlap = c(0.001, 0.02)))
  expect_lt(fit$kernel$nugget, 1)
  expect_identical(fit$learning$on_bound[fit$learning$on_bound == "nugget"], c(upper = "nugget"))
  expect_match(ep_diagnostics(fit)$means, "nugget on its upper bound", all = FALSE)
})

test_that("ep_fit() results have diagnostics too", {
  report <- ep_diagnostics(ep_fit(diag(3), c(1, -1, 1)))
  expect_equal(report$status, "converged")
  expect_match(printed(report), "What it means")
})

test_that("bounds of kernels for each class and of a matrix are those of the fit", {
  x <- c(-2.1, -1.8, -1.5, -1.2, -0.3, -0.1, 0.2, 0.4, 1.2, 1.6, 1.9, 2.3)
  data <- data.frame(
    x = x, junk = rep(c(0, 1), 6), y = factor(rep(c("a", "b", "c"), each = 4))
  )
  kernel <- kernel_ard(prior = NULL)
  own <- gpc(y ~ ., data, hyper = "optimum", kernels = "per class", kernel = kernel, epsilon = 0.01)
  bounds <- own$learning$on_bound
  expect_gt(length(bounds), 0)
  expect_true(all(bounds %in% names(coef(own))))
  expect_false(anyDuplicated(bounds) > 0)
  expect_match(ep_diagnostics(own)$happened, "On a bound", all = FALSE)
  expect_match(ep_diagnostics(own)$means, "lengthscale on its upper|nugget", all = FALSE)

  # the search for one rate, from which the matrix starts, ends at a rate of 0
  matrix <- gpc(y ~ x, data, hyper = "optimum", epsilon = "matrix", kernel = kernel_ard())
  expect_true(all(matrix$learning$on_bound %in% names(coef(matrix))))
  expect_equal(matrix$learning$value, matrix$ep$log_evidence)
  expect_no_error(ep_diagnostics(matrix))
})

test_that("diagnostics and summary count the nodes of the fit, a test the points of its evidences", {
  fit <- gpc(class ~ a + b, toy(), hyper = "integrate")
  nodes <- nrow(fit$nodes$table)
  for (said in list(ep_diagnostics(fit), summary(fit))) {
    expect_match(paste(printed(said), collapse = " "), sprintf("over %d\\s+nodes", nodes))
  }
  test <- noise_test(fit)
  expect_match(printed(test), paste("By", format(sum(test$models$nodes), big.mark = ","), "points"))
})

test_that("no kernel is recommended to a fit that has none", {
  d <- toy()
  kernel <- kernel_ard(fixed = c("variance", "bias", "nugget"))
  fits <- list(
    gpc(class ~ a + b, d, kernel = kernel, epsilon = "average", hyper = "integrate"),
    bpm(class ~ a + b, d, epsilon = "average", hyper = "integrate")
  )
  advice <- vapply(fits, function(fit) {
    fit$nodes$models$ess[] <- 2
    fit$nodes$models$method[] <- "nodes"
    grep("hyperparameters: the fewer", diagnose_average(fit)$do, value = TRUE)
  }, "")
  expect_match(advice[1], "^Use kernel_iso")
  expect_match(advice[2], "^Hold some hyperparameters")
})
