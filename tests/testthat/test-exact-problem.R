# The exact posterior of several classes, held against draws from the prior, weighed by their
# likelihood, and against two classes.

prior_draws <- function(grams, L, draws = 1e5) {
  n <- nrow(L)
  f <- vapply(seq_len(ncol(L)), function(c) {
    B <- t(chol(grams[[min(c, length(grams))]]))
    as.vector(B %*% matrix(stats::rnorm(n * draws), n))
  }, numeric(n * draws))
  top <- matrix(max.col(f), n)
  each <- matrix(log(L)[cbind(rep(seq_len(n), draws), as.vector(top))], n)
  w <- exp(colSums(each))
  list(
    log_z = log(mean(w)), se = stats::sd(w) / mean(w) / sqrt(draws),
    p = vapply(seq_len(ncol(L)), function(c) drop((top == c) %*% w) / sum(w), numeric(n))
  )
}

five_rows <- function() {
  withr::with_seed(1, matrix(stats::rnorm(10), 5))
}
smooth_gram <- function(X, size = 1, length = 1) {
  size * exp(-as.matrix(stats::dist(X))^2 / 2 / length^2) + 0.1 * diag(nrow(X)) + 0.2
}
# Evidence and probabilities of the classes by simulation
simulated <- function(problem, C, se = 0.02) {
  run <- ais_run(problem, se, 2e6, FALSE)
  f <- matrix(sample_moves(problem, sample_start(problem), 4000, 3, FALSE), 5 * C)
  f <- aperm(array(f, c(5, C, ncol(f))), c(1, 3, 2))
  top <- matrix(max.col(matrix(f, ncol = C)), 5)
  c(run, list(p = vapply(seq_len(C), function(c) rowMeans(top == c), numeric(5))))
}

test_that("evidence and posterior of several classes are those of weighted draws of the prior", {
  withr::local_seed(2)
  X <- five_rows()
  cases <- list(
    list(omega = as_omega(0.1, 3)[1, , ], grams = list(smooth_gram(X))),
    list(omega = diag(3), grams = list(smooth_gram(X))), # no label can be wrong
    list(
      omega = as_omega(0.3, 4)[1, , ],
      grams = lapply(1:4, function(c) smooth_gram(X, c / 2, c)) # kernels of their own
    ),
    # some mistakes are never made
    list(
      omega = rbind(c(0.7, 0.3, 0), c(0, 1, 0), c(0.1, 0.2, 0.7)),
      grams = lapply(1:3, function(c) smooth_gram(X, 1, c))
    )
  )
  for (case in cases) {
    C <- ncol(case$omega)
    code <- rep_len(seq_len(C), 5)
    L <- t(case$omega)[code, ]
    exact <- prior_draws(case$grams, L)
    problem <- classes_problem(case$grams, L)
    found <- simulated(problem, C)
    expect_lt(abs(found$log_z - exact$log_z), 4 * sqrt(found$se^2 + exact$se^2))
    expect_lt(max(abs(found$p - exact$p)), 0.05)
    # a known class is one that it is for certain
    if (any(case$omega == 0)) expect_true(all(found$p[L == 0] == 0))
  }
})

test_that("two functions are as the sign of one with twice the kernel", {
  withr::local_seed(3)
  K <- smooth_gram(five_rows())
  code <- c(1, 2, 2, 1, 2)
  omega <- as_omega(c(0.05, 0.2), 2)[1, , ]
  several <- simulated(classes_problem(list(K), t(omega)[code, ]), 2, 0.01)
  two <- ais_run(ais_problem_gram(2 * K, 2 * code - 3, c(0.05, 0.2)), 0.01, 4e6, FALSE)
  expect_lt(abs(several$log_z - two$log_z), 4 * sqrt(several$se^2 + two$se^2))
})

fit_inputs <- function(fit) {
  as.data.frame(decode_features(fit$data$X, fit$blueprint))
}

simulated_iris <- function(...) {
  d <- datasets::iris[c(1:8, 51:58, 101:108), ]
  d$Species[c(3, 12)] <- c("versicolor", "virginica")
  row.names(d) <- NULL
  d$group <- rep(c("a", "b"), 12)
  gpc(Species ~ . - group, d, kernel = kernel_iso(2, nugget = 0.2, fixed = TRUE), epsilon = 0.1,
      ...)
}

test_that("a check holds EP of several classes against the exact posterior", {
  fit <- simulated_iris()
  check <- withr::with_seed(1, check_fit(fit, draws = 1000, se = 0.1))
  expect_identical(check$evidence$method, c("ep", "corrected"))
  expect_equal(check$evidence$log_evidence[1], log_evidence(fit))
  expect_equal(check$evidence$log_evidence[2], log_evidence(fit, "corrected"))
  ais <- withr::with_seed(2, log_evidence(fit, "ais", se = 0.1))
  expect_lt(abs(ais$log_evidence - check$ais$log_evidence), 4 * sqrt(ais$se^2 + check$ais$se^2))
  # factorised sites lie below, to second order by less [M 12.15]
  expect_lt(check$evidence$gap[1], check$evidence$gap[2])
  table <- check$probability
  expect_equal(table$ep, as.vector(unname(predict(fit, type = "prob"))))
  expect_equal(unname(tapply(table$exact, table$row, sum)), rep(1, 24), ignore_attr = TRUE)
  expect_lt(check$largest_gap, 0.15)
  worst <- table[table$row == check$largest_row & table$class == check$largest_class, ]
  expect_equal(abs(worst$ep - worst$exact), check$largest_gap)
  expect_match(printed(check), paste("as", check$largest_class))
  expect_match(printed(check), "Corrected to second order")
  # the exact ones are the shares of joint draws of new observations
  withr::local_seed(3)
  f <- posterior_sample(fit, 4000, newdata = fit_inputs(fit))
  expect_identical(dim(f), c(4000L, 24L, 3L))
  expect_identical(dimnames(f)[[3]], fit$blueprint$levels)
  top <- apply(f, 2, function(row) tabulate(max.col(row), 3) / 4000)
  expect_lt(max(abs(as.vector(t(top)) - table$exact)), 0.04)
})

test_that("draws of several classes keep missing rows missing, and averages have their point", {
  withr::local_seed(4)
  fit <- simulated_iris()
  new <- fit_inputs(fit)[1:3, ]
  new[2, 1] <- NA
  f <- posterior_sample(fit, 40, newdata = new)
  expect_true(all(is.na(f[, 2, ])))
  expect_false(anyNA(f[, -2, ]))
  expect_identical(dim(posterior_sample(fit, 7)), c(7L, 24L, 3L))
  d <- datasets::iris[c(1:8, 51:58, 101:108), ]
  own <- gpc(Species ~ ., d, epsilon = 0.1, hyper = "optimum", kernels = "per class",
             kernel = kernel_iso(), control = ep_control(budget = 3))
  expect_identical(dim(posterior_sample(own, 5)), c(5L, 24L, 3L))
  check <- check_fit(own, rows = 10, draws = 200, se = 0.3)
  expect_equal(c(check$nobs, check$of), c(10, 24))
})

test_that("known labels and rates by group are simulated as they are", {
  withr::local_seed(5)
  fit <- simulated_iris(trusted = c(1, 10), rates = ~group)
  problem <- ais_problem(fit)
  expect_identical(problem$y[10, -fit$data$y[10]], c(Inf, Inf))
  f <- posterior_sample(fit, 200)
  expect_true(all(max.col(f[, 10, ]) == fit$data$y[10]))
  check <- check_fit(fit, draws = 400, se = 0.2)
  expect_lt(abs(check$evidence$gap[2]), 1.5)
})
