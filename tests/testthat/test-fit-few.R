# Few nodes against all of them.

averaged_some <- function(n, p = 3, seed = 5, classes = 2, ...) {
  withr::with_seed(seed, {
    d <- data.frame(matrix(rnorm(2 * n * p), 2 * n))
    f <- d$X1 + d$X2^2 + 0.5 * rnorm(2 * n)
    d$class <- cut(f, quantile(f, 0:classes / classes), letters[seq_len(classes)], include.lowest = TRUE)
    wrong <- seq(7, 2 * n, by = 11)
    d$class[wrong] <- rev(levels(d$class))[d$class[wrong]]
  })
  fit <- gpc(
    class ~ ., d[seq_len(n), ], hyper = "integrate", control = ep_control(progress = FALSE), ...
  )
  list(fit = fit, X = rows_to_predict(fit, d[n + seq_len(n), ])$X)
}
with_all <- function(fit) {
  fit$nodes["few"] <- list(NULL)
  fit
}
rms <- function(x) sqrt(mean(x^2))

test_that("few nodes have the probabilities of all, true and recorded", {
  local_fewer_points()
  for (classes in 2:3) {
    made <- averaged_some(120, classes = classes, kernel = kernel_iso())
    fit <- made$fit
    expect_lt(length(fit$nodes$few$node), node_count(fit) / 2)
    for (noise in c(FALSE, TRUE)) {
      all <- prob_new(with_all(fit), made$X, noise)
      expect_lt(rms(prob_new(fit, made$X, noise) - all), 0.005)
    }
  }
  # absorb() chooses them anew; what is said of latent functions is of all nodes
  expect_equal(sum(fit$nodes$few$weight), 1)
  expect_identical(node_latent(fit, made$X)$node, seq_len(node_count(fit)))
})

test_that("of a label stage scores anywhere count as much as the rows", {
  for (classes in 2:3) {
    d <- toy_scores(classes, 60)
    made <- label_made(d, "scores", models = c("none", "one"))
    made$noise$weights[] <- 0.5
    stage <- list(
      data = c(list(X = made$P), made$data), omega = diag(classes), recalibration = list(kind = "scores"),
      nodes = label_made_average(made, 16L)
    )
    answers <- node_answers(stage, nodes(stage)$weight, 1L)$each
    rows <- nrow(answers) / (3 * classes) # of probabilities of the classes, which sum to 1 before they are weighted
    sums <- Reduce(`+`, lapply(seq_len(classes) - 1, function(t) answers[t * rows + seq_len(rows), 1]))
    expect_equal(sum(sums[1:60]^2), sum(sums[-(1:60)]^2))
    expect_equal(mean(sums^2), 1)
  }
})

test_that("with few rows all nodes are used", {
  local_fewer_points()
  fit <- averaged_some(29, kernel = kernel_iso(1, fixed = TRUE))$fit
  expect_null(fit$nodes$few)
  expect_identical(used_nodes(fit)$weight, fit$nodes$table$weight)
})

test_that("sparse weights are those of least squares without negative ones", {
  said <- withr::with_seed(1, matrix(rnorm(400), 40))
  weight <- c(0.3, 0.05, 0.15, 0.1, 0.1, 0.05, 0.05, 0.1, 0.05, 0.05)
  expect_equal(sparse_weights(said, drop(said %*% weight), 1e-8), weight, tolerance = 1e-6)
  twice <- cbind(said, said)
  found <- sparse_weights(twice, drop(said %*% weight), 1e-8)
  expect_equal(found[1:10] + found[11:20], weight, tolerance = 1e-6)
  near <- sparse_weights(said, drop(said %*% weight), 0.2)
  expect_true(any(near == 0) && all(near >= 0))
  expect_lt(rms(said %*% (near - weight)), 0.25)
  # a mean that they do not have, as of other nodes
  expect_null(sparse_weights(said, drop(said %*% weight) + 1, 1e-3))
})

test_that("rows that stand for several are looked at as often", {
  local_fewer_points()
  times <- rep_len(1:3, 40)
  fit <- suppressMessages(averaged_some(
    40, weights = rep_len(1:3, 40), kernel = kernel_iso(2, nugget = 0.4, fixed = TRUE)
  ))$fit
  expect_equal(tabulate(rows_looked_at(fit), 40), times)
})

test_that("no probability is above 1, and residuals of rows that are certain are 0", {
  set.seed(12)
  d <- data.frame(a = rnorm(300, 0, 4), b = rnorm(300))
  d$y <- factor(d$a > 0)
  fit <- gpc(
    y ~ ., d, kernel = kernel_ard(5, nugget = 1e-4, fixed = TRUE), inducing = 3, epsilon = 0,
    scale = FALSE
  )
  expect_lte(max(predict(fit, type = "prob")), 1)
  expect_false(anyNA(residuals(fit)))
  # the mean over weights that sum to 1 but for rounding
  local_mocked(truth_new = function(...) list(p = array(1, c(2, 2, 3)), weight = c(0.5, 0.5, 4e-16)))
  expect_lte(max(prob_new(fit, NULL, used = list(node = 1:3, weight = rep(1 / 3, 3)))), 1)
})
