# Errors of weighted means against their spread over many sets of draws

by <- function(method, laplace = 0) data.frame(model = "one", method = method, laplace = laplace)

test_that("stated errors of means over nodes are those of repeated draws", {
  # two noise models, whose evidences and means are estimated by weighted draws from a normal
  # distribution of the wrong width
  size <- c(60, 90)
  width <- c(1.4, 1.7)
  once <- function(seed) {
    withr::with_seed(seed, {
      x <- Map(function(n, s) stats::rnorm(n, 0, s), size, width)
    })
    ratio <- Map(function(x, s) stats::dnorm(x) / stats::dnorm(x, 0, s), x, width)
    z <- vapply(ratio, mean, 1) * c(0.3, 0.7)
    value <- c(x[[1]], 2 + 0.5 * x[[2]])
    within <- cbind(
      c(ratio[[1]] / sum(ratio[[1]]), numeric(size[2])),
      c(numeric(size[1]), ratio[[2]] / sum(ratio[[2]]))
    )
    share <- z / sum(z)
    evidence <- evidence_errors(within, seq_along(value), by(c("nodes", "nodes")), size)
    c(
      mean = sum(value * (within %*% share)), log_z = log(z[2]),
      error = unname(mean_error(rbind(value), within, share, evidence, seq_along(value))), error_z = evidence[2]
    )
  }
  all <- vapply(1:400, once, numeric(4))
  expect_equal(mean(all["error", ]) / stats::sd(all["mean", ]), 1, tolerance = 0.1)
  expect_equal(mean(all["error_z", ]) / stats::sd(all["log_z", ]), 1, tolerance = 0.1)
})

test_that("nodes of no weight that are not kept count as drawn", {
  ratio <- stats::dnorm(seq(-4, 4, length.out = 41)) / 0.12
  within <- cbind(ratio / sum(ratio))
  kept <- within > 1e-3
  expect_equal(
    evidence_error(within[kept, ], seq_len(sum(kept)), 41), evidence_error(within, 1:41),
    tolerance = 1e-3
  )
})

test_that("a point that is exact has no error, and modes do not know theirs", {
  one <- cbind(1)
  expect_identical(evidence_errors(one, 1, by("exact"), 1), 0)
  expect_identical(evidence_errors(one, 1, by("mode (scores)"), 1), NA_real_)
  # what is far behind was not sought long
  behind <- by(c("exact", "carried", "carried"), c(0, -1, -30))
  expect_identical(evidence_errors(diag(3), 1:3, behind, c(1, 1, 1)), c(0, 0.3, 2))
  d <- toy()
  fit <- suppressMessages(gpc(
    class ~ a + b, d, kernel = kernel_iso(1, fixed = TRUE), epsilon = "average",
    hyper = "integrate"
  ))
  test <- noise_test(fit)
  expect_named(test$error, c("log_bayes_factor", "count", "rates", "probability"))
  expect_true(all(unlist(test$error) >= 0))
  expect_match(node_error_words(test$error, 12), "By 12 nodes", fixed = TRUE)
  test$error$count <- NA
  expect_match(node_error_words(test$error, 12), "not known", fixed = TRUE)
})

test_that("errors of mirrored draws are those of repeated draws", {
  # pairs z and -z, of which the value is odd but for its square
  once <- function(seed) {
    z <- withr::with_seed(seed, stats::rnorm(50, 0, 1.3))
    z <- c(z, -z)
    w <- stats::dnorm(z) / stats::dnorm(z, 0, 1.3)
    value <- z + 0.3 * z^2
    within <- cbind(w / sum(w))
    pair <- rep(1:50, 2)
    evidence <- evidence_errors(within, pair, by("nodes"), 50)
    c(
      mean = sum(value * within), log_z = log(mean(w)), error_z = evidence,
      error = mean_error(rbind(value), within, 1, evidence, pair)
    )
  }
  all <- vapply(1:400, once, numeric(4))
  expect_equal(mean(all[4, ]) / stats::sd(all[1, ]), 1, tolerance = 0.15)
  expect_equal(mean(all[3, ]) / stats::sd(all[2, ]), 1, tolerance = 0.15)
})
