# A latent function that is a constant: against integrals over its value and the rates, and
# Monte Carlo.

quiet <- ep_control(progress = FALSE)

averaged <- function(model, ...) {
  suppressWarnings( # of other fixed points, in a case with next to no signal
    model(..., epsilon = "average", hyper = "integrate", control = quiet),
    "sturdy_warning_fixed_points"
  )
}

# Prior density of the constant, by integrate()
beta_density <- function(beta) {
  vapply(beta, function(b) {
    f <- function(x) dnorm(b, 0, exp(x / 2)) * dnorm(x, log(0.3), 2)
    integrate(f, -14, 14, rel.tol = 1e-8)$value
  }, 0)
}

# Log evidence of n[1] labels + and n[2] labels -, each wrong with probability e
constant_evidence <- function(n, e) {
  top <- sum(n * log(n / sum(n)))
  beta <- seq(-8, 8, by = 0.005)
  prior <- beta_density(seq(-8, 8, by = 0.1))
  prior <- exp(spline(seq(-8, 8, by = 0.1), log(prior), xout = beta)$y)
  p <- e[1] + (1 - sum(e)) * pnorm(beta)
  # beyond, the labels are all of one class
  beyond <- (1 - sum(prior) * 0.005) / 2
  ends <- c(e[1], 1 - e[2])
  likelihood <- function(p) exp(n[1] * log(p) + n[2] * log1p(-p) - top)
  log(sum(likelihood(p) * prior) * 0.005 + sum(beyond * likelihood(ends))) + top
}

null_of <- function(y, model, source = 1L, sources = "label") {
  reports <- label_reports(1 + y, 2, source, sources)
  noise <- noise_of(model, noise_model("average", noise_prior(), reports))
  latent <- list(
    n = length(y), classes = 2L, reports = reports,
    constant = function(m) list(hyper = list(nugget = 1), b = m, extra = NULL)
  )
  null_integral(latent, noise, Inf)
}

test_that("its evidences are integrals over the constant and the rates", {
  for (n in list(c(6, 114), c(25, 475), c(60, 60))) {
    y <- rep(c(1, 0), n)
    expect_equal(null_of(y, "none")$log_evidence, constant_evidence(n, c(0, 0)), tolerance = 2e-4)
    e <- qbeta((seq_len(100) - 0.5) / 100, 1, 4) / 2
    one <- vapply(e, function(e) constant_evidence(n, c(e, e)), 0)
    expect_lt(abs(null_of(y, "one")$log_evidence - log_sum(one) + log(100)), 0.02)
    first <- vapply(e, function(e) constant_evidence(n, c(e, 0)), 0)
    expect_lt(abs(null_of(y, "first")$log_evidence - log_sum(first) + log(100)), 0.02)
    second <- vapply(e, function(e) constant_evidence(n, c(0, e)), 0)
    expect_lt(abs(null_of(y, "second")$log_evidence - log_sum(second) + log(100)), 0.02)
  }
})

test_that("useless inputs say nothing of wrong labels, however many rows", {
  prior <- noise_prior()$models
  for (n in c(110, 500, 5000, 50000)) {
    for (rare in c(0.05, 0.3)) {
      y <- seq_len(n) <= rare * n
      z <- vapply(names(prior), function(model) null_of(y, model)$log_evidence, 0)
      factor <- sum(prior[-1] * exp(z[-1] - z[1])) / sum(prior[-1])
      expect_true(factor > 0.6 && factor < 1.5)
    }
  }
})

test_that("rates by group are integrated, where they differ", {
  y <- c(rep(c(1, 0), c(4, 36)), rep(c(1, 0), c(12, 28)), rep(c(1, 0), c(20, 20)))
  source <- rep(1:3, each = 40)
  found <- null_of(y, "one", source, c("a", "b", "c"))
  draws <- withr::with_seed(1, {
    z <- matrix(rnorm(3 * 4e5), 3)
    rbind(z, rnorm(4e5, 0, exp(rnorm(4e5, log(0.3), 2) / 2)))
  })
  root <- rate_root(3, noise_prior()$pooling)
  e <- qbeta(pnorm(root %*% draws[1:3, ]), 1, 2) / 2
  p <- e + (1 - 2 * e) * rep(pnorm(draws[4, ]), each = 3)
  log_f <- colSums(c(4, 12, 20) * log(p) + c(36, 28, 20) * log1p(-p))
  expect_gt(sum(exp(log_f))^2 / sum(exp(2 * log_f)), 300) # of the draws count
  expect_lt(abs(found$log_evidence - log_sum(log_f) + log(4e5)), 0.1)
})

test_that("rows that are trusted, and those that were checked, take part", {
  y <- rep(c(1, 0), c(8, 32))
  code <- 1 + y
  reports <- new_reports(
    40, 2, c(1:40, 1:4), c(rep(0L, 6), rep(1L, 34), rep(1L, 4)), c(code, 3 - code[1:2], code[3:4])
  )
  kinds <- report_kinds(reports)
  expect_equal(sum(kinds$count), 40)
  omega <- as_omega(c(0.1, 0.2), 2)
  by_row <- rowSums(log(report_likelihood(reports, omega) %*% c(0.7, 0.3)))
  by_kind <- rowSums(log(report_likelihood(kinds$reports, omega) %*% c(0.7, 0.3)))
  expect_equal(sum(by_row), sum(by_kind * kinds$count))
})

test_that("its nodes are constants to whoever asks", {
  withr::local_seed(5)
  X <- matrix(rnorm(120), 60)
  y <- seq_len(60) %% 10 == 0
  at <- matrix(rnorm(40), 20)
  fits <- list(
    averaged(gpc, X, y), averaged(gpc, X, y, inducing = 10),
    averaged(gpc, X, y, kernel = kernel_ard(bias = 0), inducing = 10),
    averaged(stc, X, y, df = 4), averaged(bpm, X, y)
  )
  for (fit in fits) {
    expect_no_error(check_model(fit))
    k <- which(!is.na(fit$nodes$table$constant))
    expect_gt(length(k), 4)
    expect_gt(sum(node_weight(fit)[k]), 0.1)
    expected <- matrix(pnorm(fit$nodes$table$constant[k]), 20, length(k), byrow = TRUE)
    new <- truth_new(fit, at, used = list(node = k, weight = node_weight(fit)[k]))
    expect_equal(new$p[, 2, ], expected, tolerance = 1e-8)
    rows <- node_truth(fit)
    expect_equal(rows$loo[, 2, k], expected[rep(1, 60), ], tolerance = 1e-8)
    # the probability that a label + is wrong is e0 (1 - Phi) / p
    omega <- fit$nodes$omega[[k[1]]][1, , ]
    p <- c(1 - expected[1], expected[1]) * omega[, 2]
    expect_equal(rows$p[which(y)[1], 1, k[1]], p[1] / sum(p), tolerance = 1e-8)
    expect_no_error(simulate(fit, 2))
    expect_no_error(predict(fit, at, type = "latent"))
    expect_no_error(mislabelled(fit))
  }
})

test_that("it has one quarter of the prior probability of each noise model", {
  withr::local_seed(5)
  y <- seq_len(60) %% 10 == 0
  nodes <- averaged(gpc, matrix(rnorm(120), 60), y)$nodes
  for (model in nodes$models$model) {
    mine <- nodes$table$model == model
    share <- sum(nodes$table$weight[mine & !is.na(nodes$table$constant)]) /
      sum(nodes$table$weight[mine])
    total <- nodes$models$log_evidence[nodes$models$model == model]
    # nodes of next to no weight are left out
    expect_equal(share, exp(log(1 / 4) + null_of(y, model)$log_evidence - total), tolerance = 3e-3)
  }
})

test_that("with other rows a constant has the evidence of these", {
  withr::local_seed(5)
  X <- matrix(rnorm(120), 60)
  y <- seq_len(60) %% 10 == 0
  fit <- averaged(gpc, X, y)
  more <- absorb(fit, X[1:5, ], y[1:5])
  table <- more$nodes$table
  k <- which(!is.na(table$constant))[1]
  omega <- more$nodes$omega[[k]][1, , ]
  p <- c(pnorm(-table$constant[k]), pnorm(table$constant[k])) %*% omega
  expect_equal(table$log_evidence[k], sum(log(p[1 + c(y, y[1:5])])))
})

test_that("who holds what the inputs say has no such possibility", {
  d <- toy(40)
  constants <- function(...) {
    fit <- averaged(gpc, class ~ a + b, d, ...)
    sum(!is.na(fit$nodes$table$constant))
  }
  expect_equal(constants(kernel = kernel_iso(1.5, fixed = c("variance", "lengthscale"))), 0)
  expect_equal(constants(kernel = kernel_iso(), noise = noise_prior(overlap = 0.05)), 0)
})

test_that("rates under which readers can't contradict each other have no weight", {
  n <- 20
  reports <- new_reports(
    n, 2, rep(1:n, 2), rep(1:2, each = n), c(rep(1:2, c(8, 12)), rep(1:2, c(9, 11))),
    c("a", "b"), readers = TRUE
  )
  latent <- list(
    n = n, classes = 2L, reports = reports,
    constant = function(m) list(hyper = list(nugget = 1), b = m, extra = NULL)
  )
  at <- function(e) aperm(array(matrix(c(1 - e, e, e, 1 - e), 2), c(2, 2, 2)), c(3, 1, 2))
  held <- null_integral(latent, list(d = 0, omega = function(z) at(0.1)), Inf)
  # impossible with probability one half
  half <- null_integral(latent, list(d = 1, omega = function(z) at(if (z < 0) 0 else 0.1)), Inf)
  expect_equal(half$log_evidence, held$log_evidence - log(2), tolerance = 1e-3)
  expect_true(all(vapply(half$omega, function(omega) omega[1, 1, 2], 0) == 0.1))
  none <- list(d = 1, omega = function(z) at(0))
  expect_null(null_integral(latent, none, Inf))
  part <- list(log_evidence = -3, out = list(1))
  expect_equal(with_null(part, NULL, 2)$log_evidence, -3 + log(3 / 4))
})
