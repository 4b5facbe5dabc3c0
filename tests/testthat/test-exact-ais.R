# Exact evidences ------------------------------------------------------------

# The run of log_evidence(method = "ais") on a Gram matrix
ais_of <- function(K, y, epsilon = 0, se = 0.03, seed = 1, ...) {
  withr::with_seed(seed, {
    ais_run(ais_problem_gram(K, y, epsilon), se, max_moves = 5e6, FALSE)
  })
}

expect_within <- function(run, exact, se = 0.03) {
  expect_lte(run$se, se)
  expect_lt(abs(run$log_z - exact) / run$se, 3)
}

equicorrelated <- function(n) matrix(0.5, n, n) + diag(0.5, n)

# Sum over all sign patterns of n <= 3 latent values: orthant x likelihood
pattern_evidence <- function(K, y, epsilon) {
  neg <- rep_len(epsilon, 2)[1]
  pos <- rep_len(epsilon, 2)[2]
  patterns <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(y))))
  terms <- apply(patterns, 1, function(side) {
    recorded <- ifelse(side > 0, 1 - pos, neg) # probability of a recorded +1
    orthant_evidence(K, side) * prod(ifelse(y > 0, recorded, 1 - recorded))
  })
  log(sum(terms))
}

test_that("AIS of independent labels is n log 1/2", {
  y <- rep(c(1, -1, 1), length.out = 20)
  expect_within(ais_of(diag(20), y, se = 0.05), -20 * log(2), 0.05)
})

extended_test("AIS of more independent labels is n log 1/2", {
  run <- ais_of(diag(50), rep(c(1, -1), 25), se = 0.0199)
  expect_within(run, -50 * log(2), 0.02)
})

test_that("AIS of equicorrelated labels is -log(n + 1)", {
  for (n in c(2, 3, 10, 50)) {
    run <- ais_of(equicorrelated(n), rep(1, n), se = 0.0199)
    expect_within(run, -log(n + 1), 0.02)
  }
})

extended_test("AIS of equicorrelated labels is -log(n + 1) for every n up to 50", {
  z <- vapply(2:50, function(n) {
    run <- ais_of(equicorrelated(n), rep(1, n), se = 0.0199, seed = n)
    (run$log_z + log(n + 1)) / run$se
  }, numeric(1))
  expect_lt(max(abs(z)), 3.5) # the largest of 49
  expect_gt(sd(z), 0.75)
  expect_lt(sd(z), 1.25)
})

test_that("AIS gives the orthants of two and three labels", {
  two <- matrix(c(2, -0.9, -0.9, 1), 2)
  expect_within(ais_of(two, c(1, 1)), log(orthant_evidence(two, c(1, 1))))
  three <- crossprod(matrix(c(1, 0.5, -0.3, 0.2, 1, 0.8, 0, -0.4, 1), 3))
  for (y in list(c(1, 1, 1), c(1, -1, 1))) {
    expect_within(ais_of(three, y), log(orthant_evidence(three, y)))
  }
})

test_that("AIS gives the sum over sign patterns, with one flip rate or two", {
  K <- matrix(c(1, 0.8, 0.1, 0.8, 1.5, 0.4, 0.1, 0.4, 0.7), 3)
  y <- c(1, -1, 1)
  for (epsilon in list(0.1, c(neg = 0.02, pos = 0.3), c(neg = 0.2, pos = 0))) {
    expect_within(ais_of(K, y, epsilon, seed = 3), pattern_evidence(K, y, epsilon))
  }
})

test_that("AIS equals a two-dimensional grid", {
  K <- matrix(c(1.2, 0.9, 0.9, 1), 2)
  epsilon <- c(neg = 0.05, pos = 0.25)
  at <- seq(-8, 8, length.out = 1601)[-1] - 0.005 # no point on an axis
  f <- as.matrix(expand.grid(at, at))
  density <- exp(-rowSums((f %*% solve(K)) * f) / 2)
  plus <- function(f) ifelse(f > 0, 1 - 0.25, 0.05)
  for (y in list(c(1, 1), c(1, -1))) {
    lik <- abs((y[1] < 0) - plus(f[, 1])) * abs((y[2] < 0) - plus(f[, 2]))
    grid <- log(sum(density * lik) / sum(density))
    expect_within(ais_of(K, y, epsilon, seed = 2), grid)
  }
})

test_that("AIS gives the arcs of two weights for any number of rows", {
  n <- 30
  X <- withr::with_seed(4, matrix(rnorm(2 * n), n))
  y <- ifelse(X[, 1] + 0.3 * X[, 2] > 0, 1, -1)
  y[c(2, 9)] <- -y[c(2, 9)]
  epsilon <- c(0.15, 0.05)
  turns <- sort((atan2(X[, 2], X[, 1]) + rep(c(-1, 1), each = n) * pi / 2) %% (2 * pi))
  ends <- c(turns, turns[1] + 2 * pi)
  middle <- (ends[-1] + ends[-length(ends)]) / 2
  side <- sign(X %*% rbind(cos(middle), sin(middle)))
  recorded <- ifelse(side > 0, 1 - epsilon[2], epsilon[1])
  recorded[y < 0, ] <- 1 - recorded[y < 0, ]
  lik <- apply(recorded, 2, prod)
  exact <- log(sum(diff(ends) * lik) / (2 * pi))
  # rank two: K = XX' has no Cholesky factor, but B = X will do
  problem <- ais_problem_gram(diag(n), y, epsilon)
  problem$K <- tcrossprod(X)
  problem$B <- X
  run <- withr::with_seed(1, ais_run(problem, 0.03, 5e6, FALSE))
  expect_within(run, exact)
  # a jitter stands in for the factor otherwise
  with_jitter <- ais_of(tcrossprod(X), y, epsilon)
  expect_within(with_jitter, exact)
  expect_gt(ais_problem_gram(tcrossprod(X), y, epsilon)$jitter, 0)
})

test_that("AIS gives the published evidences", {
  published <- published_cases()
  flips <- subset(published$intercept, epsilon > 0)
  for (k in seq_len(nrow(flips))) {
    case <- flips[k, ]
    y <- rep(c(1, -1), c(case$n1, case$n0))
    K <- matrix(1, length(y), length(y)) + diag(length(y))
    expect_within(ais_of(K, y, case$epsilon, se = 0.05), case$exact, 0.05)
  }
  for (case in published$machines) {
    K <- tcrossprod(case$X) + diag(case$noise, nrow(case$X))
    if (max(K) > 100) next # unscaled inputs: next test
    expect_within(ais_of(K, case$y, case$epsilon), case$exact)
  }
})

test_that("AIS bears inputs of very different size", {
  case <- published_cases()$machines$income
  K <- tcrossprod(case$X) + diag(6)
  expect_within(ais_of(K, case$y, se = 0.1), case$exact, 0.1)
})

# The run --------------------------------------------------------------------

extended_test("the standard error is the spread over repetitions", {
  K <- equicorrelated(10)
  y <- rep(c(1, 1, 1, 1, -1), 2)
  runs <- lapply(1:60, function(seed) ais_of(K, y, 0.05, se = 0.1, seed = seed))
  values <- vapply(runs, `[[`, numeric(1), "log_z")
  errors <- vapply(runs, `[[`, numeric(1), "se")
  ratio <- sd(values) / sqrt(mean(errors^2)) # spread of its own: 1 / sqrt(120)
  expect_gt(ratio, 0.7)
  expect_lt(ratio, 1.3)
})

test_that("the levels give log weights the variance aimed at", {
  run <- ais_of(diag(50), rep(c(1, -1), 25), se = 0.1)
  expect_gt(run$levels, ais_least_levels)
  expect_gt(var(run$log_w), ais_variance / 2)
  expect_lt(var(run$log_w), ais_variance * 2)
})

test_that("levels rise to the barriers of the flip rates", {
  problem <- ais_problem_gram(diag(3), c(1, -1, 1), c(0.1, 0))
  expect_equal(problem$barrier, c(Inf, log(1 / 0.1)))
  expect_equal(problem$offset, log(0.9))
  levels <- ais_levels(problem, c(0.5, 1))
  expect_equal(levels[2, ], log(10) * c(0.5, 1, 1))
  expect_equal(levels[1, ], c((log(3) + 15) * c(0.5, 1), Inf))
})

test_that("the mean of weights and its error do not overflow, and tell how many chains are missing", {
  at <- ais_estimate(c(-1e4, -1e4 - log(2)))
  expect_equal(at$log_z, -1e4 + log(0.75))
  expect_equal(at$ess, (1.5)^2 / 1.25)
  expect_equal(at$se, sd(c(1, 0.5)) / 0.75 / sqrt(2))
  # half of the chains that are missing: an error is their number to the power -1/2
  of <- function(se, affordable = 1e9) ais_next_chains(list(se = 0.1, log_w = numeric(64)), se, affordable)
  expect_identical(of(0.05), 96L) # 256 - 64 are missing
  expect_identical(of(0.1), 0L)
  expect_identical(of(0.05, 70), 64L)
  none <- ais_estimate(c(-Inf, -Inf))
  expect_identical(none$log_z, -Inf)
  expect_identical(none$ess, 0)
})

# On a fit -------------------------------------------------------------------

test_that("gpc() and stc() have the same exact evidence at equal kernels", {
  g <- toy_fit()
  s <- stc(class ~ a + b, toy(), df = 3, kernel = held(), epsilon = 0.05)
  exact <- function(fit, seed) {
    withr::with_seed(seed, log_evidence(fit, "ais", se = 0.05))
  }
  a <- exact(g, 1)
  b <- exact(s, 1)
  c <- exact(s, 2)
  expect_identical(a$log_evidence, b$log_evidence)
  expect_lt(abs(a$log_evidence - c$log_evidence), 3 * sqrt(a$se^2 + c$se^2))
  # EP of the Gaussian process is near it, t-EP is not
  expect_lt(abs(a$log_evidence - log_evidence(g)), 0.4)
  expect_gt(log_evidence(s) - b$log_evidence, 2)
})

test_that("the value of AIS is a list that tells its error", {
  fit <- toy_fit(data = toy(12))
  value <- withr::with_seed(1, log_evidence(fit, "ais", se = 0.1))
  expect_s3_class(value, "sturdy_ais")
  expect_named(
    value, c("log_evidence", "se", "ess", "chains", "levels", "moves", "jitter")
  )
  expect_lt(abs(value$log_evidence - log_evidence(fit)), 1)
  expect_lte(value$se, 0.1)
  expect_gt(value$ess, 10)
  expect_identical(value$jitter, 0)
})

test_that("the value of AIS prints with its error", {
  run <- list(log_z = -24.3251, se = 0.0481, ess = 47.2, log_w = numeric(64),
              levels = 500, moves = 41600)
  value <- new_ais(run, list(jitter = 0))
  expect_snapshot(value)
  expect_identical(withVisible(print(value)), list(value = value, visible = FALSE)) |>
    capture.output()
})

test_that("the seed moves on by what a simulation has drawn that was ended early", {
  K <- diag(5) + 0.5
  B <- t(chol(K))
  ended <- function(at) {
    withr::local_seed(1)
    stop_at <- function(done) if (done == at) stop("enough")
    try(native_ais(K, B, rep(1, 5), matrix(1, 2, 9), 2L, stop_at), silent = TRUE)
    try(native_ais_move(K, B, rep(1, 5), c(1, 1), matrix(1, 5, 2), 9L, 1L, stop_at), silent = TRUE)
    rnorm(1)
  }
  drawn <- vapply(c(0:4, 99), ended, numeric(1))
  expect_identical(anyDuplicated(drawn), 0L)
  # normals drawn until the first call is ended before its level `at`, the second before
  # its move `at`
  expect_identical(drawn[1:5], vapply(0:4, function(at) {
    withr::with_seed(1, rnorm(10 * (1 + 2 * at) + 1)[10 * (1 + 2 * at) + 1])
  }, numeric(1)))
})

test_that("AIS follows the seed", {
  fit <- toy_fit(data = toy(12))
  run <- function(seed) withr::with_seed(seed, log_evidence(fit, "ais", se = 0.1))
  expect_identical(run(1), run(1))
  expect_false(identical(run(1), run(2)))
})

test_that("labels that are impossible are named as such", {
  d <- data.frame(a = c(0, 0, 1), class = factor(c("no", "yes", "yes")))
  fit <- suppressWarnings(suppressMessages(gpc(
    class ~ a, d, kernel = kernel_iso(1, nugget = 0, fixed = TRUE), epsilon = 0
  )))
  found <- withr::with_seed(1, suppressMessages(expect_warning(
    value <- log_evidence(fit, "ais", max_moves = 1), "labels contradict each other",
    class = "sturdy_warning_ais_weights"
  )))
  expect_identical(value$log_evidence, -Inf)
  expect_identical(value$moves, ais_least_moves + 3L * ais_chains) # the least
})

test_that("a spent budget and useless weights are said", {
  fit <- toy_fit()
  withr::local_seed(1)
  expect_warning(
    value <- log_evidence(fit, "ais", se = 1e-3, max_moves = 2e4),
    class = "sturdy_warning_ais_budget"
  )
  expect_lte(value$moves, 2e4)
  hard <- toy_fit(epsilon = 0)
  expect_warning(
    log_evidence(hard, "ais", max_moves = 1),
    class = "sturdy_warning_ais_weights"
  )
})

test_that("a singular kernel is reported, a model without a kernel refused", {
  x <- matrix(c(-1, -1, 1, 1, 2, 2))
  fit <- gpc(x, c(0, 0, 1, 1, 1, 0), kernel = held(nugget = 0), epsilon = 0.1)
  expect_message(
    value <- log_evidence(fit, "ais", se = 0.2), class = "sturdy_message_jitter"
  )
  expect_gt(value$jitter, 0)
  linear <- bpm(x, c(0, 0, 1, 1, 1, 0), epsilon = 0.1)
  expect_error(log_evidence(linear, "ais"), class = "sturdy_error_no_kernel")
})

test_that("arguments of AIS are checked", {
  fit <- toy_fit(data = toy(12))
  expect_error(log_evidence(fit, "ais", se = 0), class = "sturdy_error_range")
  expect_error(log_evidence(fit, "ais", max_moves = "a"), class = "sturdy_error_type")
  expect_error(log_evidence(fit, "ais", chains = 3), class = "sturdy_error_unknown_argument")
  expect_error(log_evidence(fit, "ep", se = 0.1), class = "sturdy_error_unknown_argument")
})
