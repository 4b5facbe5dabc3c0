# Probabilities of the true classes of n rows.
drawn_classes <- function(n, classes, seed) {
  withr::with_seed(seed, p <- exp(2.5 * matrix(rnorm(n * classes), n)))
  p / rowSums(p)
}

softmax_of <- function(p, at) {
  eta <- exp(at[1] * log(p) + rep(c(0, at[-1]), each = nrow(p)))
  eta / rowSums(eta)
}

test_that("the rival without flips explains their labels best, by another search", {
  for (classes in 2:3) {
    p <- drawn_classes(60, classes, 1)
    q <- p %*% rate_matrix(replace(numeric(classes), 2, 0.2), classes)
    value <- function(at) sum(q * log(softmax_of(p, at)))
    best <- optim(c(1, numeric(classes - 1)), value, method = "BFGS",
                  control = list(fnscale = -1, reltol = 1e-14))
    expect_equal(sum(q * log(without_flips(p, q))), best$value, tolerance = 1e-9)
    expect_equal(without_flips(p, q), softmax_of(p, best$par), tolerance = 1e-3)
  }
})

test_that("mean and variance are those of drawn labels, the width is that of the curvature", {
  p <- drawn_classes(80, 3, 2)
  rates <- c(0.1, 0.1, 0.1)
  ratio <- evidence_ratio(p, rates, 4)
  q <- p %*% rate_matrix(rates, 3)
  r <- without_flips(p, q)
  withr::with_seed(3, logs <- replicate(4000, {
    y <- max.col(log(q) - log(-log(matrix(runif(240), 80)))) # Gumbel's: draws from q
    sum(log(q / r)[cbind(1:80, y)])
  }))
  expect_equal(sd(logs), ratio$sd, tolerance = 0.05)
  # minus the Hessian of the expected log likelihood at the truth
  value <- function(at) {
    sum(q * log(softmax_of(p, at[-1]) %*% rate_matrix(at[1], 3)))
  }
  H <- -optimHess(c(0.1, 1, 0, 0), value, control = list(ndeps = rep(1e-4, 4)))
  width <- sqrt(solve(H)[1, 1])
  penalty <- log(2 * dbeta(0.2, 1, 4) * sqrt(2 * pi) * width)
  expect_equal(ratio$mean, sum(q * log(q / r)) + min(0, penalty), tolerance = 1e-4)
  expect_lt(abs(mean(logs) - sum(q * log(q / r))), 4 * sd(logs) / sqrt(4000))
  # a row that speaks for two
  twice <- evidence_ratio(p[rep(1:80, 2), ], rates, 4)
  expect_equal(evidence_ratio(p, rates, 4, times = 2), twice, tolerance = 1e-6)
})

test_that("more rows and clearer classes show more, and overlap hides everything", {
  share <- function(p) noticed_probability(evidence_ratio(p, c(0.1, 0.1), 4))
  p <- drawn_classes(100, 2, 4)
  expect_gt(share(p[rep(1:100, 3), ]), share(p))
  clear <- p^3 / rowSums(p^3)
  expect_gt(share(clear), share(p))
  expect_lt(share(p^0.3 / rowSums(p^0.3)), 0.01)
})

test_that("probabilities of 0 and 1, and a class that no row can be of, leave a number", {
  sure <- cbind(rep(c(1, 0), 50), rep(c(0, 1), 50))
  none <- cbind(sure, 0)
  alike <- matrix(1e-300, 20, 3) + rep(c(1, 0, 0), each = 20)
  for (p in list(sure, none, alike, sure[1:2, ])) {
    for (wrong in seq_len(ncol(p))) {
      rates <- replace(numeric(ncol(p)), wrong, 0.1)
      said <- noticed_probability(evidence_ratio(p, rates, 4))
      expect_true(said >= 0 && said <= 1)
    }
  }
})

test_that("a fit says what would be noticed, of any number of classes", {
  fit <- gpc(class ~ a + b, toy(), kernel = held(), epsilon = "average", hyper = "integrate")
  said <- noticed(fit)
  expect_equal(said$of, c("all", "no", "yes"))
  expect_true(all(said$probability > 0 & said$probability < 1))
  expect_equal(noise_test(fit)$noticed, said)
  expect_null(noticed(toy_fit(trusted = 1:40)))
  expect_null(noticed(bpm(class ~ a + b, toy(), inference = "adf")))
  three <- gpc(Species ~ ., iris, kernel = held(), epsilon = 0.05)
  expect_equal(noticed(three)$of, c("all", levels(iris$Species)))
})

test_that("where the classes are known but for overlap, so many tables are noticed", {
  skip_unless_extended()
  # by the mean over the rate of the likelihood, at its best overlap for each rate
  share_of <- function(p, rates, tables) {
    wrong <- which(rates > 0)
    grid <- seq(0, 0.4, by = 0.02)
    mean(replicate(tables, {
      q <- p %*% rate_matrix(rates, 2)
      y <- 1 + (runif(nrow(p)) < q[, 2])
      log_at <- function(at, e) {
        by <- rate_matrix(replace(numeric(2), wrong, e), 2)
        sum(log((softmax_of(p, at) %*% by)[cbind(seq_along(y), y)]))
      }
      best <- vapply(grid, function(e) {
        optim(c(1, 0), log_at, e = e, control = list(fnscale = -1))$value
      }, 0)
      prior <- 2 * dbeta(2 * grid, 1, 4) * 0.02
      log(sum(prior * exp(best - best[1])) / sum(prior)) > log(3)
    }))
  }
  withr::with_seed(5, for (rates in list(c(0.1, 0.1), c(0, 0.15))) {
    for (sharp in c(1.5, 3)) {
      p <- drawn_classes(150, 2, 6)^sharp
      p <- p / rowSums(p)
      expect_equal(
        noticed_probability(evidence_ratio(p, rates, 4)), share_of(p, rates, 150), tolerance = 0.15
      )
    }
  })
})
