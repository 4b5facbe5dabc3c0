# The error of EP's evidence to second order [M 4.8, 4.9, 12.14, 12.15].

# Skewness and excess kurtosis of N(mean, var) times lo below 0 and hi above, by quadrature
shape_of <- function(lo, hi, mean, var) {
  sd <- sqrt(var)
  over <- function(f) {
    part <- function(level, from, to) {
      if (level == 0) {
        return(0)
      }
      level * integrate(
        function(x) f(x) * dnorm(x, mean, sd), from, to, rel.tol = 1e-13, abs.tol = 0,
        subdivisions = 1000L
      )$value
    }
    far <- 12 * sd
    part(lo, min(mean, 0) - far, 0) + part(hi, 0, max(mean, 0) + far)
  }
  z <- over(function(x) 1)
  centre <- over(function(x) x) / z
  m <- vapply(2:4, function(k) over(function(x) (x - centre)^k) / z, numeric(1))
  c(m[2] / m[1]^1.5, m[3] / m[1]^2 - 3)
}

# The correction in plain R from cavities and sites
second_of <- function(K, L, out) {
  S <- solve(solve(K) + diag(out$sites$tau))
  g <- vapply(seq_len(nrow(L)), function(i) {
    shape_of(L[i, 1], L[i, 2], out$cavity$mean[i], out$cavity$var[i])
  }, numeric(2))
  Q <- cov2cor(S)
  diag(Q) <- 0
  sum(g[1, ] * (Q^3 %*% g[1, ])) / 12 + sum(g[2, ] * (Q^4 %*% g[2, ])) / 48
}

quietly <- function(fit) suppressMessages(suppressWarnings(fit))

# Labels of all kinds: two rates, right for certain, none, larger below 0 than above
second_problem <- function(n = 40) {
  withr::with_seed(7, {
    X <- matrix(rnorm(2 * n), n)
    up <- X[, 1] + 0.5 * X[, 2] + 0.5 * rnorm(n) > 0
  })
  L <- cbind(ifelse(up, 0.05, 0.85), ifelse(up, 0.95, 0.15))
  L[1, ] <- c(0, 1)
  L[2, ] <- c(1, 0)
  L[3, ] <- 1
  list(
    X = X, L = L, columns = list(group = 1:2, weight = c(1, 1)),
    hyper = list(lengthscale = c(1, 2), variance = 1, bias = 0.3, nugget = 0.2)
  )
}

test_that("the second order is that of plain R, by quadrature", {
  p <- second_problem()
  out <- native_gp_fit(p$X, p$columns, p$hyper, p$L, Inf, NULL, with_second())
  K <- native_gram(p$X, NULL, p$columns, p$hyper)
  expect_equal(out$second, second_of(K, p$L, out), tolerance = 1e-8)
  expect_gt(abs(out$second), 1e-3)
  # nothing else is touched by it
  plain <- native_gp_fit(p$X, p$columns, p$hyper, p$L, Inf, NULL, ep_control())
  expect_identical(plain$second, 0)
  expect_identical(plain$log_evidence, out$log_evidence)
  with_gradient <- native_gp_fit(
    p$X, p$columns, p$hyper, p$L, Inf, NULL, with_second(), "evidence", TRUE
  )
  expect_equal(with_gradient$second, out$second)
  finite <- native_gp_fit(p$X, p$columns, p$hyper, p$L, 4, NULL, with_second())
  expect_identical(finite$second, 0)
})

test_that("one row, and rows that know nothing of each other, have none", {
  p <- second_problem(5)
  for (rows in list(4L, 4:5)) {
    far <- 1e6 * p$X[rows, , drop = FALSE]
    hyper <- utils::modifyList(p$hyper, list(bias = 0))
    L <- p$L[rows, , drop = FALSE]
    out <- native_gp_fit(far, p$columns, hyper, L, Inf, NULL, with_second())
    expect_identical(out$second, 0)
  }
})

test_that("all latent spaces have the same second order of the same kernel matrix", {
  p <- second_problem()
  on_gram <- function(K) native_ep_fit(K, p$L, Inf, NULL, with_second())$second
  # inducing inputs: K from the features
  Z <- p$X[1:6, ]
  features <- native_features(p$X, Z, p$columns, p$hyper)
  low <- native_inducing_fit(p$X, Z, p$columns, p$hyper, p$L, Inf, NULL, with_second())
  expect_equal(
    low$second, on_gram(crossprod(features$Phi) + diag(features$lambda)), tolerance = 1e-8
  )
  # the nugget may be in the kernel, or noise that the likelihood sees through
  Xt <- rbind(1, t(p$X))
  s0 <- c(0.5, 1, 2)
  weights <- native_weight_fit(Xt, s0, 0.2, p$L, Inf, NULL, with_second())
  expect_equal(
    weights$second, on_gram(crossprod(sqrt(s0) * Xt) + diag(0.2, ncol(Xt))), tolerance = 1e-8
  )
})

# Signs of normals with mean 0 in two or three dimensions
exact_orthants <- function(K, L) {
  n <- nrow(L)
  signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), n)))
  R <- cov2cor(K)
  total <- apply(signs, 1, function(s) {
    angle <- sum(asin((R * outer(s, s))[lower.tri(R)]))
    p <- if (n == 2) 1 / 4 + angle / (2 * pi) else 1 / 8 + angle / (4 * pi)
    p * prod(ifelse(s > 0, L[, 2], L[, 1]))
  })
  log(sum(total))
}

test_that("log_evidence(method = \"corrected\") is nearer to the exact evidence", {
  withr::local_seed(8)
  gaps <- vapply(1:30, function(k) {
    n <- 2 + k %% 2
    x <- matrix(rnorm(n))
    y <- factor(c("no", "yes"))[sample(rep(1:2, length.out = n))]
    rate <- runif(1, 0, 0.4)
    kernel <- kernel_iso(runif(1, 0.5, 2), nugget = runif(1, 0.01, 1), bias = 0.2, fixed = TRUE)
    fit <- quietly(gpc(x, y, kernel = kernel, epsilon = rate, scale = FALSE))
    K <- native_gram(x, NULL, list(group = 1, weight = 1), unclass(fit$kernel)[hyper_names])
    exact <- exact_orthants(K, report_likelihood(fit$data$reports, as_omega(rate, 2, 1)))
    s <- quietly(stc(x, y, df = 4, kernel = kernel, epsilon = rate, scale = FALSE))
    expect_equal(log_evidence(s, "corrected"), log_evidence(fit, "corrected"), tolerance = 1e-6)
    expect_false(identical(log_evidence(fit, "corrected"), log_evidence(fit)))
    exact - c(log_evidence(fit), log_evidence(fit, "corrected"))
  }, numeric(2))
  expect_gt(mean(abs(gaps[2, ]) < abs(gaps[1, ])), 0.9)
  expect_lt(mean(abs(gaps[2, ])), mean(abs(gaps[1, ])) / 2.5)
})

test_that("what is no fixed point has no correction", {
  # 40 labels that have nothing to do with the inputs, next to no nugget: the second order is 77 nats
  withr::local_seed(7)
  x <- matrix(rnorm(80), 40)
  kernel <- kernel_ard(c(2.4, 2.6), nugget = 0.001, bias = 42, fixed = TRUE)
  withr::local_seed(7)
  y <- factor(sample(c("a", "b", "c"), 40, TRUE, c(0.8, 0.18, 0.02)), c("a", "b", "c"))
  y[1:2] <- c("c", "b")
  fit <- quietly(gpc(x, y, epsilon = 0.001, kernel = kernel))
  expect_true(fit$ep$status %in% c("no_fixed_point", "max_sweeps")) # by the last bits of a machine
  expect_warning(
    expect_warning(value <- log_evidence(fit, "corrected"), "did not converge"), "Gaussian fit"
  )
  expect_identical(value, NA_real_)
})

test_that("for several classes, too: it is the exact evidence of two rows nearer", {
  withr::local_seed(9)
  draws <- 2e5
  U <- matrix(rnorm(6 * draws), draws)
  gaps <- vapply(1:8, function(k) {
    classes <- 3L
    x <- matrix(c(0, runif(1, 0, 1)))
    code <- c(1L, sample(1:2, 1))
    hyper <- list(lengthscale = 1, variance = 2, bias = 0.5, nugget = 0.1)
    L <- matrix(runif(1, 0.02, 0.1), 2, classes)
    L[cbind(1:2, code)] <- 0.9
    columns <- list(group = 1, weight = 1)
    out <- native_classes_fit(x, NULL, columns, hyper, L, NULL, with_second())
    low <- native_classes_fit(x, x, columns, hyper, L, NULL, with_second())
    expect_equal(low$second, out$second, tolerance = 1e-3) # the jitter of inducing inputs
    root <- chol(native_gram(x, NULL, columns, hyper))
    f <- lapply(1:classes, function(c) U[, 2 * c - 1:0] %*% root)
    largest <- lapply(1:2, function(i) {
      max.col(vapply(f, function(draw) draw[, i], numeric(draws)), "first")
    })
    exact <- log(mean(L[1, largest[[1]]] * L[2, largest[[2]]]))
    exact - c(out$log_evidence, out$log_evidence + out$second)
  }, numeric(2))
  expect_gte(sum(abs(gaps[2, ]) < abs(gaps[1, ])), 7) # the truth has a standard error of .003
  expect_lt(sum(gaps[2, ]^2), sum(gaps[1, ]^2) / 3)
})

# Averages ---------------------------------------------------------------------

extended_test("of a large correction less is taken, where that is nearer to the exact evidence", {
  withr::local_seed(501)
  X <- matrix(rnorm(220), ncol = 2)
  y <- seq_len(110) %in% sample(110, 6)
  kernel <- kernel_ard(c(2.9, 1.6), 1, 0.11, 0.026, fixed = TRUE) # useless inputs, saturated
  fit <- quietly(gpc(X, y, kernel = kernel, epsilon = 0.042))
  out <- latent_ep(model_latent(fit), model_hyper(fit), Inf, row_likelihood(fit), NULL, with_second())
  exact <- withr::with_seed(1, quietly(log_evidence(fit, "ais", se = 0.05)))[[1]]
  expect_lt(
    abs(corrected_evidence(out) - exact), abs(out$log_evidence + out$second - exact) - 0.1
  )
})

test_that("nodes are weighed by the corrected evidence", {
  fit <- quietly(gpc(
    class ~ a + b, toy(), kernel = kernel_iso(), epsilon = "average", hyper = "integrate"
  ))
  expect_identical(fit$nodes$models$corrected, TRUE)
  # the evidence of each node, anew
  latent <- model_latent(fit)
  anew <- vapply(seq_along(fit$nodes$hyper), function(k) {
    out <- latent_ep(
      latent, fit$nodes$hyper[[k]], Inf, row_likelihood(fit, k), NULL, with_second()
    )
    out$log_evidence + c(second_taken(out), 0)
  }, numeric(2))
  expect_equal(fit$nodes$table$log_evidence, anew[1, ], tolerance = 1e-4)
  expect_gt(max(abs(anew[1, ] - anew[2, ])), 0.01)
  # what is maximised is EP's own
  expect_equal(fit$ep$log_evidence, criterion(fit)$value, tolerance = 1e-6)
})

test_that("where it costs much all nodes are weighed by EP's own evidence, and it is said", {
  cheap <- second_is_cheap(c(1000, 1001, 530, 531), c(100, 100, 6, 6))
  expect_identical(cheap, c(TRUE, FALSE, TRUE, FALSE))
  d <- toy(530)
  fit <- quietly(bpm(class ~ a + b, d, epsilon = "average"))
  expect_false(any(fit$nodes$models$corrected))
  latent <- model_latent(fit)
  k <- which.max(fit$nodes$table$weight)
  out <- latent_ep(latent, fit$nodes$hyper[[k]], Inf, row_likelihood(fit, k), NULL, with_second())
  expect_equal(fit$nodes$table$log_evidence[k], out$log_evidence, tolerance = 1e-6)
  expect_gt(abs(out$second), 1e-3)
  # asked for it is there
  expect_false(identical(log_evidence(fit, "corrected"), log_evidence(fit)))
})

# Against simulation ------------------------------------------------------------

extended_test("it is most of what EP's evidence lacks of the exact one with wrong labels", {
  withr::local_seed(10)
  x <- matrix(rnorm(120), 60)
  up <- x[, 1] + 0.5 * x[, 2] + 0.3 * rnorm(60) > 0
  y <- factor(ifelse(xor(up, seq_len(60) %% 8 == 0), "yes", "no"))
  gaps <- vapply(1:12, function(k) {
    kernel <- kernel_iso(
      exp(rnorm(1, 0.5, 0.3)), bias = 0.3, nugget = exp(rnorm(1, -2, 1)), fixed = TRUE
    )
    fit <- quietly(gpc(x, y, kernel = kernel, epsilon = c(0.05, 0.12, 0.2)[k %% 3 + 1]))
    exact <- log_evidence(fit, "ais", se = 0.02, progress = FALSE)
    exact$log_evidence - c(log_evidence(fit), log_evidence(fit, "corrected"))
  }, numeric(2))
  expect_gt(mean(gaps[1, ]), 0.05)
  expect_lt(abs(mean(gaps[2, ])), mean(gaps[1, ]) / 2)
  expect_lt(mean(gaps[2, ]^2), mean(gaps[1, ]^2) / 2)
})
