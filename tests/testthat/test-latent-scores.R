# Recalibrated scores: the likelihood, its gradient, and what is integrated over.

test_that("the likelihood of scores and its gradient are those of plain R and of differences", {
  for (classes in c(2, 3, 7)) {
    d <- toy_scores(classes, 70)
    S <- unname(log(d$prob))
    L <- label_likelihood(as.integer(d$labels), as_omega(0.1, classes))
    shift <- seq(-0.5, 0.7, length.out = classes)
    out <- native_scores(S, shift, 1.7, L, gradient = TRUE)
    expect_equal(out$seen, ref_recalibrated(S, shift, 1.7), tolerance = 1e-12)
    expect_equal(out$log_evidence, ref_scores_likelihood(S, shift, 1.7, L), tolerance = 1e-12)
    expect_equal(out$loo, log(rowSums(L * exp(out$seen))), tolerance = 1e-12)
    expect_equal(out$slope, exp(out$seen - out$loo), tolerance = 1e-12)
    value <- function(u) ref_scores_likelihood(S, u[seq_len(classes)], u[classes + 1], L)
    u <- c(shift, 1.7)
    differences <- vapply(seq_along(u), function(k) {
      (value(replace(u, k, u[k] + 1e-5)) - value(replace(u, k, u[k] - 1e-5))) / 2e-5
    }, 0)
    expect_equal(out$gradient, differences, tolerance = 1e-7)
  }
})

test_that("a row that stands for several is as many alike", {
  d <- toy_scores(2, 30)
  S <- unname(log(d$prob))
  L <- label_likelihood(as.integer(d$labels), as_omega(0.1, 2))
  times <- rep_len(c(1, 2, 4), 30)
  again <- rep(1:30, times)
  out <- native_scores(S, c(0, 0.4), 1.3, L, TRUE, times)
  all <- native_scores(S[again, ], c(0, 0.4), 1.3, L[again, ], TRUE)
  expect_equal(out[c("log_evidence", "gradient")], all[c("log_evidence", "gradient")])
  expect_equal(out$slope, unname(rowsum(all$slope, again)), ignore_attr = TRUE)
  expect_equal(out$loo[again], all$loo)
})

test_that("rows that contradict their scores beyond the range of numbers have a likelihood", {
  S <- rbind(c(-900, 0), c(0, -900), c(-3, -0.05))
  L <- rbind(c(1, 0), c(1, 0), c(0.9, 0.1))
  out <- native_scores(S, c(0, 0), 1, L, gradient = TRUE)
  expect_equal(out$loo[1:2], c(-900, 0))
  # what the first row says of its class is certain, and so is what its scores say
  third <- native_scores(S[3, , drop = FALSE], c(0, 0), 1, L[3, , drop = FALSE], TRUE)
  expect_equal(out$gradient[1:2], third$gradient[1:2] + c(1, -1), tolerance = 1e-12)
  expect_equal(out$slope[2, 1], 1)
  expect_true(all(is.finite(out$gradient)))
})

test_that("some rows of a table that is sorted by class are of all classes, in their proportions", {
  d <- toy_scores(3, 300)
  sorted <- order(d$labels)
  code <- as.integer(d$labels)[sorted]
  S <- log(d$prob[sorted, ])
  labels <- list(y = code, reports = label_reports(code, 3))
  latent <- latent_scores(S, labels, new_recalibration(S, NULL, NULL))
  for (k in c(10, 45)) {
    part <- latent$some(k)
    expect_equal(part$n, k)
    expect_true(all(abs(tabulate(part$y, 3) - k * tabulate(code, 3) / 300) <= 2))
    expect_equal(part$reports$value, part$y)
  }
})

# The evidence of a noise model with one rate, or none, on a grid of the standard normals
# (a, log b / .7, rate), with the possibility that the scores say nothing
ref_scores_grid <- function(d, rate) {
  S <- log(d$prob)
  code <- as.integer(d$labels)
  z <- seq(-5, 5, length.out = 41)
  weight <- stats::dnorm(z) * diff(z)[1]
  rates <- if (rate) rate_quantile_each(z) else 0
  rate_weight <- if (rate) weight else 1
  at <- expand.grid(a = seq_along(z), b = seq_along(z), e = seq_along(rates))
  each <- mapply(function(a, b, e) {
    pi <- exp(ref_recalibrated(S, c(0, z[a]), exp(0.7 * z[b])))
    joint <- pi * label_likelihood(code, as_omega(rates[e], 2))
    total <- rowSums(joint)
    c(sum(log(total)), sum(1 - joint[cbind(seq_along(code), code)] / total))
  }, at$a, at$b, at$e)
  log_weight <- each[1, ] + log(weight[at$a]) + log(weight[at$b]) + log(rate_weight[at$e])
  # a constant beta in the place of the scores: N(0, b'), log b' ~ N(log .3, 4)
  beta <- seq(-6, 6, length.out = 601)
  sd <- exp(stats::qnorm((1:200 - 0.5) / 200, log(0.3), 2) / 2)
  prior <- rowMeans(outer(beta, sd, function(x, s) stats::dnorm(x, 0, s)))
  null <- vapply(seq_along(rates), function(k) {
    p <- rates[k] + (1 - 2 * rates[k]) * stats::pnorm(beta)
    value <- sum(code == 2) * log(p) + sum(code == 1) * log1p(-p)
    log(sum(exp(value - max(value)) * prior) * diff(beta)[1]) + max(value)
  }, 0)
  null <- log_sum(null + log(rate_weight))
  list(
    log_evidence = log_sum(c(log(0.75) + log_sum(log_weight), log(0.25) + null)),
    count = sum(exp(log_weight - log_sum(log_weight)) * each[2, ])
  )
}

rate_quantile_each <- function(z) {
  vapply(z, rate_quantile, 0, prior = list(a = 1, b = 4, size = 0.5, most = 0.5))
}

test_that("nodes have the evidence and the number of wrong labels of a grid", {
  d <- toy_scores(2, 60, strength = 8)
  fit <- averaged_stage(d, noise = noise_prior(models = c(none = 1, one = 1)))
  models <- fit$nodes$models
  grid <- lapply(c(FALSE, TRUE), ref_scores_grid, d = d)
  # the standard error of some 60 nodes
  expect_lt(max(abs(models$log_evidence - vapply(grid, `[[`, 0, "log_evidence"))), 0.1)
  some <- density_summary(average_density(fit, "one"), 0.9)
  expect_lt(abs(some$count - grid[[2]]$count), 0.4)
})

test_that("the optimum is that of a general optimiser", {
  d <- toy_scores(3, 90)
  fit <- second_stage(d$prob, d$labels, hyper = "optimum", epsilon = 0.1)
  S <- log(d$prob)
  L <- label_likelihood(as.integer(d$labels), as_omega(0.1, 3))
  loss <- function(u) {
    value <- ref_scores_likelihood(S, c(0, u[1:2]), exp(u[3]), L)
    -value + sum(u[1:2]^2) + u[3]^2 / (2 * 0.49)
  }
  best <- stats::optim(numeric(3), loss, method = "BFGS", control = list(reltol = 1e-12))
  expect_equal(
    unname(coef(fit)[1:3]), exp(best$par), tolerance = 0.005 # a climb ends 2e-5 nats short
  )
})
