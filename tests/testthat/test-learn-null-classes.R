# Inputs that say nothing of several classes: against integrals of Dirichlet distributions, and
# draws from the prior.

null_latent <- function(n, ...) {
  y <- rep(seq_along(n), n)
  list(
    n = length(y), classes = length(n), functions = length(n), y = y,
    reports = label_reports(y, length(n), ...),
    constant = function(m) list(hyper = list(nugget = 1), b = m, extra = NULL)
  )
}
null_evidence <- function(latent, models = c("none", "one", "matrix")) {
  noise <- noise_model("average", noise_prior(), latent$reports)
  vapply(models, function(model) {
    null_classes(latent, null_omegas(latent, model, noise))$log_evidence
  }, 0)
}

test_that("without wrong labels its evidence is that of Dirichlet distributions", {
  for (n in list(c(40, 40, 40), c(100, 15, 5), c(2000, 2500, 500), c(5, 3, 60, 2, 10))) {
    classes <- length(n)
    a <- exp(qnorm((1:2000 - 0.5) / 2000, -log(0.3), 2))
    given <- lgamma(classes * a) - lgamma(classes * a + sum(n)) +
      rowSums(vapply(n, function(k) lgamma(a + k) - lgamma(a), a))
    exact <- log_sum(given) - log(2000)
    expect_lt(abs(null_evidence(null_latent(n), "none") - exact), 0.03)
  }
})

test_that("with one rate it is the integral over the rate and the shares", {
  n <- c(30, 8, 4)
  draws <- withr::with_seed(2, {
    a <- exp(rnorm(2e5, -log(0.3), 2))
    gamma <- matrix(rgamma(6e5, rep(a, 3)), 2e5)
    list(share = gamma / rowSums(gamma), e = rbeta(2e5, 1, 4) / 2)
  })
  fine <- is.finite(draws$share[, 1])
  p <- draws$share * (1 - 1.5 * draws$e) + draws$e / 2
  log_f <- drop(log(p) %*% n)[fine]
  # 160 rates and 120 shares each are within some 0.1 of it
  expect_lt(abs(null_evidence(null_latent(n), "one") - log_sum(log_f) + log(length(log_f))), 0.2)
})

test_that("by itself it says nothing of wrong labels, however many rows", {
  for (share in list(c(1, 1, 1) / 3, c(0.8, 0.15, 0.05), c(0.4, 0.3, 0.2, 0.1))) {
    for (n in c(100, 1000, 20000)) {
      z <- null_evidence(null_latent(round(n * share)))
      expect_true(all(abs(z[-1] - z[[1]]) < log(1.7)))
    }
  }
})

test_that("constants have the shares that they are made of", {
  share <- rbind(c(0.2, 0.5, 0.3), c(1e-4, 0.6, 0.4 - 1e-4), c(1, 1, 1) / 3)
  beta <- null_locations(share)
  withr::local_seed(1)
  for (k in c(1, 3)) {
    best <- max.col(rep(beta[k, ], each = 1e5) + matrix(rnorm(3e5), 1e5))
    expect_equal(tabulate(best, 3) / 1e5, share[k, ], tolerance = 0.02)
  }
  expect_equal(exp(native_classes_prob(beta, 0 * beta + 1)), share, tolerance = 1e-5)
})

test_that("useless inputs leave it open whether labels are wrong, and its nodes are constants", {
  for (seed in 31:32) {
    withr::local_seed(seed)
    x <- matrix(rnorm(160), 80)
    y <- factor(sample(3, 80, TRUE, if (seed == 31) c(1, 1, 1) else c(8, 1.2, 0.8)))
    fit <- gpc(
      x, y, kernel = kernel_iso(), epsilon = "average", hyper = "integrate", kernels = "shared",
      inducing = if (seed == 32) 10, control = ep_control(progress = FALSE)
    )
    factor <- noise_test(fit)$bayes_factor
    expect_true(factor > 1 / 3 && factor < 3)
    expect_no_error(check_model(fit))
    at <- at_constant(fit$nodes$table)
    expect_gt(sum(node_weight(fit)[at]), 0.2)
    k <- which(at)
    new <- truth_new(fit, x[1:5, ], used = list(node = k, weight = node_weight(fit)[k]))
    shares <- exp(native_classes_prob(
      unclass(fit$nodes$table$constant)[k, ], matrix(1, length(k), 3)
    ))
    expect_equal(new$p[1, , ], t(shares), tolerance = 1e-6)
    expect_equal(new$p[5, , ], t(shares), tolerance = 1e-6)
    expect_equal(node_truth(fit)$loo[1, , k], t(shares), tolerance = 1e-8)
    # with a row less to doubt it has the evidence of the rest
    known <- update(fit, checked = data.frame(row = 1, label = y[1]))
    omega <- known$nodes$omega[[which(at_constant(known$nodes$table))[1]]][1, , ]
    p <- exp(native_classes_prob(
      unclass(known$nodes$table$constant)[which(at_constant(known$nodes$table))[1], , drop = FALSE],
      matrix(1, 1, 3)
    ))
    by_row <- log((p %*% omega)[as.integer(y)])
    code <- as.integer(y[1])
    by_row[1] <- log(p[code] * omega[code, code])
    at <- which(at_constant(known$nodes$table))[1]
    expect_equal(known$nodes$table$log_evidence[at], sum(by_row), tolerance = 1e-5)
  }
})

test_that("noise models under which readers can't contradict each other have no weight", {
  y <- c(rep(1:3, c(12, 8, 5)), 2)
  other <- replace(y, 26, 3)
  latent <- null_latent(c(12, 9, 5))
  latent$reports <- new_reports(
    26, 3, rep(1:26, 2), rep(1:2, each = 26), c(y, other), c("a", "b"), readers = TRUE
  )
  alike <- function(e) aperm(array(diag(1 - 1.5 * e, 3) + e / 2, c(3, 3, 2)), c(3, 1, 2))
  none <- alike(0) # or so near to it that products of three are below the least number
  draws <- lapply(c(0.05, 0.1, 0.2), alike)
  alone <- null_classes(latent, draws)
  found <- null_classes(latent, append(draws, list(none), 1))
  expect_equal(found$log_evidence, alone$log_evidence + log(3 / 4))
  expect_identical(found[c("beta", "omega")], alone[c("beta", "omega")])
  expect_null(null_classes(latent, list(none, none)))
  part <- list(log_evidence = -3, out = list(1))
  expect_equal(with_null(part, NULL, 3)$log_evidence, -3 + log(1 / 2))
  # likelihoods that are small without being 0 are what they are
  L <- rbind(c(3, 1, 2), c(1, 4, 1))
  prior <- null_shares_prior(3)
  usual <- null_shares_given(L, c(4, 6), prior, 50)
  small <- null_shares_given(1e-305 * L, c(4, 6), prior, 50)
  expect_equal(small$share, usual$share)
  expect_equal(small$log_weight, usual$log_weight + 10 * log(1e-305))
})
