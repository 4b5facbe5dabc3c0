# The linear part of a kernel, against sums written out.

linear_rows <- function(n = 40) {
  set.seed(61)
  X <- matrix(stats::rnorm(3 * n), n, dimnames = list(NULL, c("u", "v", "w")))
  y <- X[, 1] + sin(2 * X[, 2]) + 0.4 * stats::rnorm(n) > 0
  data.frame(X, g = factor(sample(letters[1:3], n, TRUE)), y = factor(y, labels = c("a", "b")))
}

# Encoded columns U: numeric ones scaled, all indicators of a factor with weight 1/2
by_hand <- function(d, at = d, lengthscale, variance, bias, linear) {
  numeric <- c("u", "v", "w")
  scaled <- function(x) {
    scale(as.matrix(x[numeric]), colMeans(d[numeric]), vapply(d[numeric], stats::sd, 1))
  }
  a <- scaled(d)
  b <- scaled(at)
  same <- outer(as.character(d$g), as.character(at$g), "==")
  r2 <- (!same) / (2 * lengthscale[4]^2)
  for (j in 1:3) r2 <- r2 + outer(a[, j], b[, j], "-")^2 / (2 * lengthscale[j]^2)
  lines <- (a %*% t(b) + same / 2) / 6
  variance * (exp(-r2) + linear * lines) / (1 + linear) + bias
}

variances_by_hand <- function(d, at, variance, bias, linear) {
  numeric <- c("u", "v", "w")
  b <- scale(as.matrix(at[numeric]), colMeans(d[numeric]), vapply(d[numeric], stats::sd, 1))
  variance * (1 + linear * (rowSums(b^2) + 1 / 2) / 6) / (1 + linear) + bias
}

test_that("the Gram matrix is that of the sum, and EP's answers are those of EP on it", {
  d <- linear_rows()
  scales <- c(1, 1.3, 0.9, 2)
  kernel <- kernel_ard(scales, 1.4, bias = 0.3, nugget = 0.2, linear = 0.7, fixed = TRUE)
  fit <- gpc(y ~ ., d, kernel = kernel, epsilon = 0.1, control = ep_control(tol = 1e-12))
  K <- by_hand(d, d, scales, 1.4, 0.3, 0.7)
  gram <- native_gram(fit$data$X, NULL, model_columns(fit), kernel_hyper(fit$kernel))
  expect_equal(gram, K + diag(0.2, nrow(K)), tolerance = 1e-11, ignore_attr = TRUE)
  known <- ep_fit(K + diag(0.2, nrow(K)), d$y, epsilon = 0.1, control = ep_control(tol = 1e-12))
  expect_equal(fit$ep$log_evidence, known$log_evidence, tolerance = 1e-11)
  # new rows by RW06, 3.60 and 3.61, in plain R
  new <- d[1:7, ]
  new$u <- new$u + 0.3
  G <- by_hand(d, new, scales, 1.4, 0.3, 0.7)
  own <- variances_by_hand(d, new, 1.4, 0.3, 0.7) + 0.2
  latent <- predict(fit, new, type = "latent")
  expect_equal(latent[, 1], drop(crossprod(G, known$b)), tolerance = 1e-10, ignore_attr = TRUE)
  s2 <- own - colSums(G * solve(K + diag(0.2 + 1 / known$sites$tau), G))
  expect_equal(latent[, 2]^2, s2, tolerance = 1e-10, ignore_attr = TRUE)
})

# Derivatives of the evidence in the logs of what is learned, against differences
expect_linear_gradient <- function(fit_at, tolerance = 1e-6) {
  at <- c(lengthscale = 1.2, bias = 0.4, nugget = 0.5, linear = 0.8)
  exact <- criterion(fit_at(at), type = "evidence")$gradient
  for (name in names(at)) {
    side <- function(h) {
      values <- replace(at, name, at[[name]] * exp(h))
      criterion(fit_at(values), type = "evidence")$value
    }
    slope <- function(h) (side(h) - side(-h)) / (2 * h)
    expect_equal(
      exact[[name]], (4 * slope(0.01) - slope(0.02)) / 3, tolerance = tolerance, label = name
    )
  }
}

linear_kernel <- function(at) {
  kernel_iso(
    at[["lengthscale"]], 1, at[["bias"]], at[["nugget"]], linear = at[["linear"]], prior = NULL,
    fixed = TRUE
  )
}

test_that("gradients of kernels with a linear part equal differences", {
  d <- linear_rows()
  d3 <- transform(d, y = factor(ifelse(d$v > 0.5, "c", as.character(d$y))))
  sharp <- ep_control(tol = 1e-12, max_sweeps = 500)
  for (inducing in list(NULL, d[1:12, ])) {
    for (data in list(d, d3)) {
      expect_linear_gradient(function(at) {
        gpc(
          y ~ ., data, kernel = linear_kernel(at), epsilon = 0.1, inducing = inducing,
          control = sharp
        )
      }, if (nlevels(data$y) == 3 && !is.null(inducing)) 1e-4 else 1e-6)
    }
  }
})

test_that("inducing inputs at all rows leave the kernel with a linear part as it is", {
  d <- linear_rows()
  kernel <- linear_kernel(c(lengthscale = 1.2, bias = 0.4, nugget = 0.5, linear = 3))
  dense <- gpc(y ~ ., d, kernel = kernel, epsilon = 0.1)
  low <- gpc(y ~ ., d, kernel = kernel, epsilon = 0.1, inducing = nrow(d))
  expect_equal(low$ep$log_evidence, dense$ep$log_evidence, tolerance = 1e-6)
  expect_equal(predict(low, d, type = "prob"), predict(dense, d, type = "prob"), tolerance = 1e-5)
})

test_that("rows in shards give what they give together, with a linear part", {
  d <- linear_rows(200)
  kernel <- linear_kernel(c(lengthscale = 1.2, bias = 0.4, nugget = 0.5, linear = 3))
  fit <- function(data) gpc(y ~ ., data, kernel = kernel, epsilon = 0.1, inducing = 15)
  split <- fit(shards(d, 3))
  # its inducing inputs are among other rows
  whole <- gpc(y ~ ., d, kernel = kernel, epsilon = 0.1, inducing = 15)
  expect_equal(split$ep$log_evidence, whole$ep$log_evidence, tolerance = 0.05)
})

test_that("a linear part is learned where there is a trend, printed and kept by update()", {
  d <- linear_rows(80)
  fit <- gpc(
    y ~ ., d, kernel = kernel_iso(linear = 1), hyper = "optimum", epsilon = 0.05
  )
  expect_true("linear" %in% tidy(fit)$term)
  expect_true(tidy(fit)$learned[tidy(fit)$term == "linear"])
  expect_gt(fit$kernel$linear, 0)
  plain <- update(fit, kernel = kernel_iso())
  expect_identical(plain$kernel$linear, 0)
  expect_false("linear" %in% tidy(plain)$term)
  # an average predicts by all nodes, and draws have the moments of the posterior
  average <- update(fit, epsilon = "average", hyper = "integrate")
  expect_true(all(is.finite(predict(average, d, type = "prob"))))
  expect_match(capture.output(print(kernel_iso(linear = 1)))[1], "linear", fixed = TRUE)
  expect_error(kernel_ard(linear = -1), "linear", class = "sturdy_error_hyperparameter")
})
