# Few nodes against all of them, and variances through inducing inputs against exact ones.

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
    answers <- node_answers(stage)
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

test_that("variances through inducing inputs are exact ones where these are the rows", {
  local_fewer_points()
  fit <- averaged_some(60, kernel = kernel_iso(2, nugget = 0.1, fixed = TRUE))$fit
  X <- fit$data$X
  node <- which.max(fit$nodes$table$weight)
  made <- inducing_variances(fit, node, few_inputs(fit, nrow(X)))
  new <- X[1:20, ] + 0.1
  hyper <- function_hyper(fit, node)
  tau <- node_columns(fit, "tau", node)
  b <- node_columns(fit, "b", node)
  exact <- native_gp_predict_nodes(X, model_columns(fit), hyper, tau, b, new)
  mixed <- node_latent(fit, new, c(list(node = node, weight = 1), made))
  expect_equal(as.vector(mixed$s2), as.vector(exact$s2), tolerance = 1e-5)
  expect_equal(native_gp_means(X, model_columns(fit), hyper, b, new), exact$m, tolerance = 1e-12)
  K <- native_gram(X, new, model_columns(fit), hyper[[1]])
  expect_equal(native_gp_means(X, model_columns(fit), hyper, b, new), crossprod(K, b))
})

test_that("rows that stand for several are looked at as often, and have as small a nugget", {
  local_fewer_points()
  times <- rep_len(1:3, 40)
  fit <- suppressMessages(averaged_some(
    40, weights = rep_len(1:3, 40), kernel = kernel_iso(2, nugget = 0.4, fixed = TRUE)
  ))$fit
  expect_equal(tabulate(rows_looked_at(fit), 40), times)
  at <- list(node = which.max(fit$nodes$table$weight), weight = 1)
  new <- fit$data$X[1:20, ] + 0.1
  through <- node_latent(fit, new, c(at, inducing_variances(fit, at$node, few_inputs(fit, 40))))
  expect_equal(through$s2, node_latent(fit, new, at)$s2, tolerance = 1e-5)
})

test_that("variances may go through one inducing input that is the only feature", {
  local_fewer_points()
  fit <- averaged_some(120, kernel = kernel_iso(2, bias = 0, nugget = 0.1, fixed = TRUE))$fit
  made <- inducing_variances(fit, 1, few_inputs(fit, 1))
  expect_identical(dim(made$C), c(1L, 1L, 1L))
  expect_true(is.finite(variance_gap(fit, list(node = 1, weight = 1), made)))
})

extended_test("inducing inputs are used where their variances are near enough", {
  made <- averaged_some(500)
  few <- made$fit$nodes$few
  expect_false(is.null(few$C))
  all <- prob_new(with_all(made$fit), made$X)
  expect_lt(rms(prob_new(made$fit, made$X) - all), 0.005)
})

test_that("the first inducing inputs that are enough are taken, and none where none are", {
  local_fewer_points()
  fit <- averaged_some(120, kernel = kernel_iso(3, nugget = 0.1, fixed = TRUE))
  chosen <- fit$fit$nodes$few
  expect_null(chosen$C) # rows are few
  # the node that weighs most is neither the first nor the last
  order <- order(chosen$weight)
  order <- c(order[1], rev(order)[1], order[-c(1, length(order))])
  chosen <- list(node = chosen$node[order], weight = chosen$weight[order])
  taken <- function(...) {
    local_mocked(few_times = 2, ...)
    few_covariance(fit$fit, chosen)
  }
  gap <- function(made) variance_gap(fit$fit, chosen, made)
  through <- function(node, m) inducing_variances(fit$fit, node, few_inputs(fit$fit, m))
  some <- lapply(c(5, 40), through, node = chosen$node)
  expect_gt(gap(some[[1]]), few_gap)
  expect_lt(gap(some[[2]]), few_gap)
  expect_equal(taken(few_inducing = c(5, 40)), some[[2]])
  expect_null(taken(few_inducing = c(5, 80))) # not twice as many rows
  # the gap is that of probabilities by the variances alone, at the node that weighs most
  node <- chosen$node[which.max(chosen$weight)]
  one <- latent_at(fit$fit, node)
  X <- one$data$X[spread_over(120, few_checked), ]
  exact <- latent_new(one, X)
  made <- through(node, 5)
  s2 <- drop(node_latent(fit$fit, X, c(list(node = node, weight = 1), made))$s2)
  expect_equal(
    gap(some[[1]]),
    rms(stats::pnorm(drop(exact$m / sqrt(exact$s2))) - stats::pnorm(drop(exact$m) / drop(sqrt(s2)))),
    tolerance = 1e-6
  )
  # and predictions by what was taken are near those of all
  fit$fit$nodes$few <- c(chosen, some[[2]])
  all <- prob_new(with_all(fit$fit), fit$X)
  expect_lt(rms(prob_new(fit$fit, fit$X) - all), 0.005)
})

test_that("variances through inducing inputs are of nodes with and without a linear part", {
  local_fewer_points()
  d <- withr::with_seed(7, {
    X <- matrix(rnorm(3 * 460), 460, dimnames = list(NULL, c("a", "b", "c")))
    data.frame(X, class = factor(X[, 1] + X[, 2] / 2 + 0.4 * rnorm(460) > 0))
  })
  for (part in c(1, 0)) {
    fit <- gpc(
      class ~ ., d[1:410, ], kernel = kernel_ard(linear = part), hyper = "integrate", inducing = NULL
    )
    linear <- vapply(nodes(fit)$hyper, `[[`, 1, "linear")
    expect_true(all(if (part > 0) linear > 0 else linear == 0))
    X <- rows_to_predict(fit, d[411:460, ])$X
    at <- c(all_nodes(fit), inducing_variances(fit, all_nodes(fit)$node, few_inputs(fit, 100)))
    near <- node_latent(fit, X, at)
    exact <- node_latent(fit, X, all_nodes(fit))
    expect_equal(near$m, exact$m, tolerance = 1e-10)
    expect_lt(rms(pnorm(near$m / sqrt(near$s2)) - pnorm(exact$m / sqrt(exact$s2))), 0.005)
    expect_true(all(is.finite(predict(fit, d[411:460, ], type = "prob"))))
  }
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
