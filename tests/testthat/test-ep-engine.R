# The engine against the plain-R reference, and what must hold of any fit.

sharp <- ep_control(tol = 1e-11)

# n points in the plane, labels by a wavy line, a share of them flipped.
random_problem <- function(n, flips = 0.2, nugget = 0.2, bias = 0.3) {
  X <- matrix(rnorm(2 * n), n)
  y <- ifelse(X[, 1] + sin(2 * X[, 2]) > 0, 1, -1)
  wrong <- sample(n, round(flips * n))
  y[wrong] <- -y[wrong]
  list(X = X, y = y, K = ref_kernel(X, NULL, 1, 1, bias, nugget))
}

numbers <- c("m", "C_diag", "log_det", "log_evidence", "log_evidence_zp", "loo")

test_that("C and the plain-R reference agree at every df", {
  withr::local_seed(1)
  negative <- compared <- 0
  dfs <- c(0.5, 1, 3, 10, 29, 31, 100, 1e4, 1e8, Inf)
  for (df in rep(dfs, if (extended()) 20 else 1)) {
    for (epsilon in c(0, 0.01, 0.2)) {
      # small df has a fixed point only with enough noise
      noise <- if (df < 5) 2 else 0.2
      problem <- random_problem(sample(5:20, 1), nugget = noise)
      reference <- ref_ep(problem$K, problem$y, df, epsilon)
      if (reference$status != "converged") next
      fit <- ep_fit(problem$K, problem$y, df, epsilon, control = sharp)
      expect_identical(fit$status, "converged")
      criteria <- ref_criteria(reference)
      compared <- compared + 1
      negative <- negative + sum(fit$sites$tau < 0)
      expect_close(fit$sites$tau, reference$tau, 1e-8, floor = 1)
      expect_close(fit$sites$nu, reference$nu, 1e-8, floor = 1)
      expect_close(
        fit[c("m", "C_diag", "log_det", "kappa")],
        reference[c("m", "C_diag", "log_det", "kappa")], 1e-8, floor = 1
      )
      expect_close(fit$cavity$mean, criteria$cavity$mean, 1e-8, floor = 1)
      expect_close(fit$cavity$var, criteria$cavity$s2, 1e-8, floor = 1)
      expect_close(
        fit[c("log_evidence", "log_evidence_zp", "loo")],
        criteria[c("log_evidence", "log_evidence_zp", "loo")], 1e-8
      )
      expect_close(fit$loo_pointwise, criteria$loo_pointwise, 1e-8, floor = 1)
      expect_close(fit$flipped, criteria$flipped, 1e-8, floor = 1)
      expect_lt(max(fit$residual), 1e-10)
      expect_lt(max(ref_residual(reference)), 1e-10)
    }
  }
  expect_gt(compared, 20)
  expect_gt(negative, 20) # the path of negative precisions was taken
})

test_that("m, C_diag and log_det are those of the sites", {
  withr::local_seed(2)
  for (n in c(1, 2, 30, 150)) {
    problem <- random_problem(n)
    for (df in c(8, Inf)) {
      fit <- ep_fit(problem$K, problem$y, df, 0.05)
      post <- ref_posterior(problem$K, diag(n), fit$sites$tau, fit$sites$nu)
      expect_close(fit$m, post$m, 1e-10, floor = 1)
      expect_close(fit$C_diag, post$A, 1e-10, floor = 1)
      expect_close(fit$log_det, post$D, 1e-10, floor = 1)
      expect_close(fit$kappa, if (is.finite(df)) exp(-post$D / df) else 1, 1e-10)
      expect_close(drop(problem$K %*% fit$b), fit$m, 1e-9, floor = 1)
    }
  }
})

test_that("one row is exact at every df and epsilon", {
  for (df in c(0.5, 1, 3, 10, 100, 1e8, Inf)) for (epsilon in c(0, 0.1, 0.49)) {
    fit <- ep_fit(matrix(2.3), -1, df, epsilon)
    expect_identical(fit$status, "converged")
    expect_close(fit$loo, log(1 / 2), 1e-13)
    expect_close(fit$log_evidence_zp, log(1 / 2), 1e-12)
    # Z1 is a probability at q = 1 or without flips only
    if (epsilon == 0 || is.infinite(df)) {
      expect_close(fit$log_evidence, log(1 / 2), 1e-12)
    }
  }
})

test_that("flipping all labels flips the means and keeps the evidence", {
  withr::local_seed(3)
  problem <- random_problem(40)
  for (df in c(5, 10, Inf)) {
    a <- ep_fit(problem$K, problem$y, df, 0.05)
    b <- ep_fit(problem$K, -problem$y, df, 0.05)
    expect_close(b$m, -a$m, 1e-12, floor = 1)
    expect_close(
      b[c("C_diag", "log_evidence", "loo")], a[c("C_diag", "log_evidence", "loo")],
      1e-12
    )
  }
})

test_that("permuted rows reach the same fixed point", {
  withr::local_seed(4)
  for (n in c(7, 60, 150)) {
    problem <- random_problem(n)
    order <- sample(n)
    for (df in c(5, 10, Inf)) for (epsilon in c(0, 0.05)) {
      a <- ep_fit(problem$K, problem$y, df, epsilon)
      b <- ep_fit(problem$K[order, order], problem$y[order], df, epsilon)
      expect_identical(b$status, a$status)
      if (a$status != "converged") next
      expect_close(b$m, a$m[order], 1e-7, floor = 1)
      expect_close(b$C_diag, a$C_diag[order], 1e-7, floor = 1)
      expect_close(b$log_evidence, a$log_evidence, 1e-7)
    }
  }
})

test_that("labels that say nothing leave the prior", {
  withr::local_seed(5)
  problem <- random_problem(30)
  gap <- 1e-9
  for (df in c(3, 10, Inf)) {
    fit <- ep_fit(problem$K, problem$y, df, 0.5 - gap)
    # the sites are of order gap
    expect_close(fit$C_diag, diag(problem$K), 1e-7)
    expect_lt(max(abs(fit$m)), 1e-6)
    expect_close(fit$loo, 30 * log(1 / 2), 1e-7)
    expect_close(
      fit$log_evidence_zp,
      if (is.finite(df)) {
        -df / 2 * log1p(30 * expm1(2 / df * log(2)))
      } else {
        30 * log(1 / 2)
      },
      1e-7
    )
  }
  expect_close(
    ep_fit(problem$K, problem$y, Inf, 0.5 - gap)$log_evidence, 30 * log(1 / 2), 1e-7
  )
})

test_that("df = 1e8 is df = Inf to 1e-5, and larger df is nearer", {
  withr::local_seed(6)
  problem <- random_problem(50)
  for (epsilon in c(0, 0.05)) {
    limit <- unlist(ep_fit(problem$K, problem$y, Inf, epsilon)[numbers])
    gap <- vapply(c(1e6, 1e8, 1e10, 1e12), function(df) {
      fit <- ep_fit(problem$K, problem$y, df, epsilon)
      max(abs(unlist(fit[numbers]) - limit) / pmax(1, abs(limit)))
    }, 0)
    expect_lt(gap[2], 1e-5)
    expect_lt(gap[3], 1e-7)
    expect_lt(gap[4], 1e-8)
    expect_true(all(diff(gap[1:3]) < 0))
  }
})

test_that("independent rows do not see each other", {
  withr::local_seed(7)
  y <- sample(c(-1, 1), 40, replace = TRUE)
  for (df in c(10, Inf)) for (epsilon in c(0, 0.1)) {
    fit <- ep_fit(diag(runif(40, 0.1, 9)), y, df, epsilon)
    expect_close(fit$loo, 40 * log(1 / 2), 1e-12)
    expect_close(fit$flipped, rep(epsilon, 40), 1e-12)
    if (is.infinite(df)) expect_close(fit$log_evidence, 40 * log(1 / 2), 1e-12)
  }
})

test_that("the scale of the kernel leaves probabilities unchanged", {
  withr::local_seed(8)
  problem <- random_problem(60)
  for (df in c(5, Inf)) for (scale in c(1e-8, 1e-3, 50, 1e8)) {
    a <- ep_fit(problem$K, problem$y, df, 0.05)
    b <- ep_fit(scale * problem$K, problem$y, df, 0.05)
    expect_close(b$m / sqrt(b$C_diag), a$m / sqrt(a$C_diag), 1e-7, floor = 1)
    expect_close(b$loo_pointwise, a$loo_pointwise, 1e-7)
    expect_close(b$flipped, a$flipped, 1e-7, floor = 1)
    expect_close(
      b[c("log_evidence", "log_evidence_zp")], a[c("log_evidence", "log_evidence_zp")],
      1e-7
    )
  }
})

test_that("the block size changes speed only", {
  withr::local_seed(9)
  problem <- random_problem(130)
  for (df in c(8, Inf)) {
    fits <- lapply(c(1, 7, 64, 1000), function(block) {
      ep_fit(
        problem$K, problem$y, df, 0.03, control = ep_control(tol = 1e-10, block = block)
      )
    })
    for (fit in fits[-1]) {
      expect_identical(fit$sweeps, fits[[1]]$sweeps)
      expect_close(fit[numbers], fits[[1]][numbers], 1e-9, floor = 1)
      expect_close(fit$sites, fits[[1]]$sites, 1e-8, floor = 1)
    }
  }
})

test_that("warm and damped starts reach the same point", {
  withr::local_seed(10)
  problem <- random_problem(80)
  for (df in c(8, Inf)) {
    cold <- ep_fit(problem$K, problem$y, df, 0.03)
    starts <- list(
      cold$sites,
      lapply(cold$sites, function(s) s * exp(rnorm(80) / 4)),
      ep_fit(problem$K, problem$y, df, 0.2)$sites,
      list(tau = rep(-1e3, 80), nu = rep(1e3, 80)) # no posterior: not used
    )
    fits <- c(
      lapply(starts, function(s) ep_fit(problem$K, problem$y, df, 0.03, sites = s)),
      list(ep_fit(
        problem$K, problem$y, df, 0.03, control = ep_control(damping = 0.3)
      ))
    )
    for (fit in fits) {
      expect_identical(fit$status, "converged")
      expect_close(fit[numbers], cold[numbers], 1e-7, floor = 1)
    }
    expect_lte(fits[[1]]$sweeps, 1)
  }
})

test_that("Gaussian EP in kernel space is the Bayes point machine", {
  withr::local_seed(11)
  X <- matrix(rnorm(60), 20)
  y <- ifelse(X[, 1] - X[, 2] > 0.3, 1, -1)
  y[3] <- -y[3]
  direct <- ref_ep_weights(diag(3), X, y, Inf, 0.05)
  fit <- ep_fit(tcrossprod(X), y, Inf, 0.05)
  expect_close(crossprod(X, fit$b), direct$mean, 1e-8, floor = 1)
  expect_close(fit$m, direct$m, 1e-8, floor = 1)
  expect_close(fit$log_evidence, ref_criteria(direct)$log_evidence, 1e-9)
})

test_that("a wrong label gets a site of negative precision, and is found", {
  withr::local_seed(12)
  X <- matrix(c(rnorm(30, -2), rnorm(30, 2)))
  y <- rep(c(-1, 1), each = 30)
  y[7] <- 1
  K <- ref_kernel(X, NULL, 2, 1, 0.1, 0.05)
  for (df in c(10, Inf)) {
    fit <- ep_fit(K, y, df, 0.03)
    expect_identical(which.max(fit$flipped), 7L)
    expect_lt(fit$sites$tau[7], 0)
    expect_gt(fit$flipped[7], 0.8)
  }
})

# Plain EP stalls at df = 2, epsilon = 0.01
stalling_problem <- function() {
  withr::with_seed(4, {
    X <- matrix(rnorm(24), 12)
    y <- ifelse(X[, 1] + sin(2 * X[, 2]) > 0, 1, -1)
    wrong <- sample(12, 2)
    list(K = ref_kernel(X, NULL, 1, 1, 0.3, 0.2), y = replace(y, wrong, -y[wrong]))
  })
}

test_that("where plain EP finds no fixed point, one is followed there", {
  problem <- stalling_problem()
  plain <- native_ep_fit(problem$K, likely(problem$y, 0.01), 2, NULL, ep_control())
  expect_false(plain$status %in% c(0L, 4L))
  fit <- ep_fit(problem$K, problem$y, 2, 0.01)
  expect_identical(fit$status, "converged")
  at <- c(fit$sites, fit[c("C_diag", "m", "y", "df", "epsilon")], d = 12)
  expect_lt(max(ref_residual(at)), 1e-6)
})

test_that("EP that does not converge ends where it was nearest to", {
  problem <- stalling_problem()
  out <- native_ep_fit(problem$K, likely(problem$y, 0.01), 2, NULL, ep_control())
  seen <- out$trace[, "residual"]
  expect_gt(seen[length(seen)], 1.1 * min(seen))
  expect_close(max(out$residual), min(seen), 1e-6)
})

test_that("two contradicting twins have the orthant's evidence or none", {
  # the posterior variance is about the nugget: from some nugget on it has no digit
  for (nugget in 10^-c(8, 10, 12:17)) {
    K <- 1 + diag(nugget, 2)
    fit <- suppressWarnings(ep_fit(K, c(1, -1), Inf, 0))
    if (nugget == 1e-8) expect_identical(fit$status, "converged")
    if (fit$status != "converged") next
    expect_close(fit$log_evidence, log(orthant_evidence(K, c(1, -1))), 0.01)
  }
})

# Ends without a fixed point ----------------------------------------------------

hard_problem <- function(seed) {
  withr::with_seed(seed, {
    n <- sample(4:25, 1)
    X <- matrix(rnorm(2 * n), n)
    df <- sample(c(.3, .7, 1, 2, 5, Inf), 1)
    epsilon <- sample(c(0, 1e-6, .001, .02, .1), 1)
    nugget <- sample(c(1e-12, 1e-8, 1e-4, .01), 1)
    lengthscale <- sample(c(.3, 1, 5, 20), 1)
    K <- exp(-as.matrix(dist(X))^2 / (2 * lengthscale^2)) + diag(nugget, n)
    K <- K + sample(c(0, 1e4, 1e8), 1)
    list(K = K, y = sample(c(-1, 1), n, TRUE), df = df, epsilon = epsilon)
  })
}

test_that("EP that fails says what happened: lost, stalled or sites skipped", {
  ends <- function(seed) {
    p <- hard_problem(seed)
    fit <- suppressWarnings(ep_fit(p$K, p$y, p$df, p$epsilon))
    expect_match(fit$message, "EP (found|did not converge)")
    fit
  }
  # t-EP without noise: the fixed point at a large epsilon is lost on the way down
  lost <- ends(1)
  expect_identical(lost$status, "no_fixed_point")
  expect_gt(max(lost$residual), 0.1)
  # near its fixed point, kept from it by the rounding of a large constant in K
  near <- ends(57)
  expect_identical(near$status, "stalled")
  expect_lt(max(near$residual), 1e-3)
  near <- ends(1202) # at df = 5
  expect_identical(near$status, "stalled")
})

test_that("a fixed point that must exist is not said to be missing", {
  # Gaussian, without flips, with a nugget; the bias is too large for the digits
  x <- withr::with_seed(3, matrix(rnorm(24), 12))
  kernel <- kernel_iso(1, bias = 1e13, nugget = 0.01, fixed = TRUE)
  fit <- suppressWarnings(gpc(x, rep(0:1, 6), kernel = kernel, epsilon = 0))
  expect_true(fit$ep$status %in% c("stalled", "sites_skipped"))
  # without a nugget contrary labels in one place leave no posterior at all
  fit <- suppressWarnings(ep_fit(matrix(1, 4, 4), c(-1, 1, -1, 1), epsilon = 0))
  expect_identical(fit$status, "no_fixed_point")
  linear <- suppressWarnings(bpm(class ~ a + b, toy(), epsilon = 0, nugget = 0))
  expect_identical(linear$ep$status, "no_fixed_point")
})
