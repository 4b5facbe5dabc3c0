# gpc() and stc() with inducing inputs.

curve_table <- function(n, seed = 1, flips = 0.1) {
  withr::with_seed(seed, {
    d <- data.frame(a = rnorm(n), b = rnorm(n), f = factor(sample(c("u", "v", "w"), n, TRUE)))
    f <- d$a + d$b^2 - 0.7 + 0.5 * (d$f == "u") + 0.3 * rnorm(n)
    d$class <- factor(ifelse(f > 0, "yes", "no"))
    wrong <- stats::runif(n) < flips
    d$class[wrong] <- c(no = "yes", yes = "no")[as.character(d$class[wrong])]
    d$truth <- f > 0
    d
  })
}

test_that("inducing inputs at all rows are the dense fit", {
  d <- curve_table(60)
  kernel <- kernel_ard(lengthscale = 1.5, nugget = 0.2, fixed = TRUE)
  for (df in c(10, Inf)) {
    make <- function(...) {
      stc(class ~ a + b + f, d, df = df, kernel = kernel, epsilon = 0.1, ...)
    }
    dense <- make(inducing = NULL)
    low <- make(inducing = d)
    expect_equal(low$ep$log_evidence, dense$ep$log_evidence, tolerance = 1e-6)
    expect_equal(low$ep$loo, dense$ep$loo, tolerance = 1e-5)
    new <- curve_table(30, 2)
    expect_equal(
      predict(low, new, type = "latent"), predict(dense, new, type = "latent"),
      tolerance = 1e-5
    )
    expect_lt(low$inducing$left, 1e-6)
    expect_equal(criterion(low)$gradient, criterion(dense)$gradient, tolerance = 1e-4)
    expect_match(printed(summary(low)), "60 inducing inputs")
  }
})

test_that("a learned fit answers what a dense one does, alike", {
  d <- curve_table(300)
  make <- function(inducing) {
    gpc(
      class ~ a + b + f, d, inducing = inducing, epsilon = "learn",
      control = ep_control(restarts = 0)
    )
  }
  dense <- make(NULL)
  low <- make(40)
  new <- curve_table(200, 2)
  expect_lt(nrow(low$inducing$Z), 41)
  expect_lt(abs(low$epsilon - dense$epsilon), 0.03)
  expect_lt(mean(abs(
    predict(low, new, type = "response") - predict(dense, new, type = "response")
  )), 0.02)
  expect_lt(abs(log_evidence(low) - log_evidence(dense)), 3)
  expect_lt(max(abs(low$ep$flipped - dense$ep$flipped)), 0.3)
  expect_s3_class(mislabelled(low), "sturdy_mislabelled")
  expect_true(is.finite(loo(low)$estimates["elpd_loo", "Estimate"]))
  file <- withr::local_tempfile()
  saveRDS(low, file)
  again <- readRDS(file)
  expect_identical(
    predict(again, new, type = "prob"), predict(low, new, type = "prob")
  )
  more <- absorb(low, new)
  expect_equal(nobs(more), 500)
  expect_equal(more$ep$status, "converged")
  expect_identical(more$inducing$Z, low$inducing$Z)
  expect_error(posterior_sample(low), class = "sturdy_error_inducing")
  expect_identical(update(low, inducing = NULL)$inducing, NULL)
})

test_that("no fit depends on the order of the rows or on the session's seed", {
  d <- curve_table(260)
  make <- function(d) {
    gpc(class ~ a + b, d, inducing = 25, control = ep_control(restarts = 0))
  }
  fit <- make(d)
  withr::with_seed(77, {
    order <- sample(nrow(d))
    mixed <- make(d[order, ])
  })
  expect_identical(mixed$inducing$Z, fit$inducing$Z)
  expect_identical(hyperparameters(mixed), hyperparameters(fit))
  expect_identical(mixed$ep$flipped, fit$ep$flipped[order])
})

test_that("with many rows it is low rank by default, and finds the flips", {
  d <- curve_table(3000)
  fit <- gpc(class ~ a + b, d, epsilon = "learn", control = ep_control(restarts = 0))
  expect_identical(nrow(fit$inducing$Z), 100L)
  expect_equal(fit$ep$status, "converged")
  expect_identical(fit$ep$newton, 0L)
  expect_lt(abs(fit$epsilon - 0.1), 0.03)
  wrong <- (d$class == "yes") != d$truth
  expect_gt(mean(rank(fit$ep$flipped)[wrong]), 2500)
  expect_lt(as.numeric(object.size(fit)), 8 * (3000 * 40 + 2 * 101^2) + 3e5) # with the label stage
  expect_s3_class(mislabelled(fit), "sturdy_mislabelled")
  # each row alone is as each in its turn
  L <- likely(fit$data$y, fit$epsilon)
  one <- native_inducing_fit(
    fit$data$X, fit$inducing$Z, model_columns(fit), kernel_hyper(fit$kernel), L, Inf, NULL,
    ep_control()
  )
  expect_equal(fit$ep$log_evidence, one$log_evidence, tolerance = 1e-8)
  flipped <- wrong_share(truth_posterior(L, one$seen), label_code(fit$data))
  expect_lt(max(abs(fit$ep$flipped - flipped)), 1e-6)
})

test_that("inducing inputs are checked", {
  d <- curve_table(20)
  bad <- function(inducing, class) {
    expect_error(gpc(class ~ a + b, d, inducing = inducing), class = class)
  }
  bad("many", "sturdy_error_inducing")
  bad(c(1, 2), "sturdy_error_inducing")
  bad(0, "sturdy_error_range")
  bad(d[0, ], "sturdy_error_inducing")
  bad(d["a"], "sturdy_error_missing_column")
  bad(transform(d, a = NA_real_), "sturdy_error_inducing")
  # more than there are distinct rows
  fit <- gpc(class ~ a + b, d[rep(1:20, 2), ], inducing = 100, epsilon = 0.1)
  expect_identical(nrow(fit$inducing$Z), 20L)
})

test_that("inducing inputs may be a matrix, by a formula, too", {
  d <- curve_table(20)
  fit <- function(inducing, ...) {
    gpc(class ~ ., d[c("a", "b", "class")], inducing = inducing, epsilon = 0.1, kernel = held(), ...)
  }
  Z <- as.matrix(d[c(1, 5, 9), c("a", "b")])
  expect_equal(fit(Z)$inducing, fit(d[c(1, 5, 9), ])$inducing)
  expect_equal(fit(Z[, 2:1])$inducing, fit(Z)$inducing)
  expect_equal(fit(unname(Z))$inducing, fit(Z)$inducing) # by position
  error <- expect_error(fit(Z[, 1, drop = FALSE]), class = "sturdy_error_missing_column")
  expect_match(conditionMessage(error), "inducing")
  expect_error(fit(unname(Z[, 1, drop = FALSE])), "inducing", class = "sturdy_error_missing_column")
  expect_error(predict(fit(Z), Z), "newdata", class = "sturdy_error_type")
})

test_that("the places of inducing inputs are rows far apart", {
  d <- withr::with_seed(4, matrix(rnorm(800), 400))
  columns <- list(group = 1:2, weight = c(1, 1))
  Z <- place_inducing(d, columns, c(1, 1), 20)
  expect_identical(dim(Z), c(20L, 2L))
  near <- function(Z) mean(apply(squared_distances(d, Z), 1, min))
  expect_lt(near(Z), 0.7 * near(d[1:20, ]))
  expect_gt(min(stats::dist(Z)), 0.05)
  # units so small that squares overflow are no other places
  expect_equal(place_inducing(d * 2^500, columns, 2^-20 * c(1, 1), 20), Z * 2^500, tolerance = 1e-12)
  # a column that does not matter does not count
  flat <- place_inducing(d, columns, c(1, 1e6), 20)
  expect_lt(max(diff(sort(flat[, 1]))), 1.2)
  # with levels they are rows
  snapped <- place_inducing(d, list(group = 1:2, weight = c(1, 0.5)), c(1, 1), 20)
  expect_true(all(apply(snapped, 1, function(z) any(colSums(t(d) == z) == 2))))
})

test_that("where the features do not fit into memory, they are made anew", {
  d <- curve_table(3000)
  fit <- function() {
    gpc(class ~ a + b, d, inducing = 200, epsilon = 0.1,
        kernel = kernel_ard(1.5, nugget = 0.2, fixed = TRUE))
  }
  kept <- fit()
  withr::local_options(sturdy.max_memory = 8 * (3000 * 125 + 10 * 200^2 + 2 * 3000 * 2) + 1000)
  anew <- fit()
  expect_equal(anew$ep$loo, kept$ep$loo, tolerance = 1e-8)
  withr::local_options(sturdy.max_memory = 8 * 3000 * 100)
  expect_error(fit(), class = "sturdy_error_memory")
})

test_that("wrong labels and overlap are told apart through inducing inputs", {
  d <- curve_table(1500, flips = 0.15)
  fit <- gpc(class ~ a + b + f, d, inducing = 30, epsilon = "learn", hyper = "optimum")
  expect_lt(abs(fit$epsilon - 0.15), 0.05)
})

test_that("inducing inputs of several classes stand by the geometric mean of their lengthscales", {
  # of two columns, in each of two classes
  expect_equal(mean_lengthscale(c(1, 2, 4, 8), list(group = c(1L, 2L, 2L))), c(2, 4))
})

test_that("without inputs all rows share one value, through inducing inputs as without", {
  d <- data.frame(class = rep(c("no", "yes", "yes"), 20))
  fits <- lapply(list(8, NULL), function(m) gpc(class ~ 1, d, inducing = m, epsilon = 0.1, hyper = "optimum"))
  expect_identical(nrow(fits[[1]]$inducing$Z), 1L)
  expect_equal(log_evidence(fits[[1]]), log_evidence(fits[[2]]), tolerance = 1e-3)
  expect_equal(predict(fits[[1]], type = "prob"), predict(fits[[2]], type = "prob"), tolerance = 1e-3)
})
