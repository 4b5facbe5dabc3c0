# Shapes of kernels: against their formulas in plain R, and differences.

shape_value <- list(
  "squared exponential" = function(r2, alpha) exp(-r2),
  "matern 5/2" = function(r2, alpha) {
    d <- sqrt(5 * 2 * r2)
    (1 + d + d^2 / 3) * exp(-d)
  },
  "matern 3/2" = function(r2, alpha) {
    d <- sqrt(3 * 2 * r2)
    (1 + d) * exp(-d)
  },
  "rational quadratic" = function(r2, alpha) (1 + r2 / alpha)^-alpha,
  cosine = function(r2, alpha) exp(-r2)
)

shape_gram <- function(A, B, hyper, shape, alpha) {
  if (shape == "cosine") {
    A <- A / sqrt(rowSums(A^2))
    B <- B / sqrt(rowSums(B^2))
  }
  apart <- function(j) outer(A[, j], B[, j], `-`)^2 / (2 * hyper$lengthscale[j]^2)
  r2 <- Reduce(`+`, lapply(seq_len(ncol(A)), apart))
  hyper$variance * shape_value[[shape]](r2, alpha) + hyper$bias
}

shape_columns <- function(shape, alpha = 1) {
  list(group = 1:2, weight = c(1, 1), shape = match(shape, kernel_shapes) - 1L, alpha = alpha)
}

shape_rows <- function(n) withr::with_seed(8, matrix(rnorm(2 * n), n))

shape_hyper <- list(lengthscale = c(0.8, 1.5), variance = 1.3, bias = 0.2, nugget = 0.3, linear = 0)

test_that("Gram matrices of all shapes are their formulas", {
  X <- shape_rows(30)
  X[2, ] <- X[1, ] # a distance of 0
  X[3, ] <- X[1, ] + 1e-7
  new <- X[1:5, ] * 3 + 1
  for (shape in kernel_shapes) {
    for (alpha in c(0.3, 4)) {
      columns <- shape_columns(shape, alpha)
      expect_equal(
        native_gram(X, new, columns, shape_hyper), shape_gram(X, new, shape_hyper, shape, alpha),
        tolerance = 1e-13
      )
      expect_equal(
        native_gram(X, NULL, columns, shape_hyper),
        shape_gram(X, X, shape_hyper, shape, alpha) + diag(0.3, 30), tolerance = 1e-13
      )
    }
  }
})

test_that("columns have their weights in distances and in the length of a row", {
  X <- shape_rows(20)
  new <- 2 * X[1:5, ] + 1
  weight <- c(1, 0.3)
  weighted <- function(X) X * rep(sqrt(weight), each = nrow(X))
  for (shape in kernel_shapes) {
    columns <- replace(shape_columns(shape), "weight", list(weight))
    expect_equal(
      native_gram(X, new, columns, shape_hyper),
      shape_gram(weighted(X), weighted(new), shape_hyper, shape, 1), tolerance = 1e-13
    )
  }
})

test_that("a rational quadratic with many alpha is a squared exponential", {
  X <- shape_rows(10)
  at <- function(...) native_gram(X, NULL, shape_columns(...), shape_hyper)
  expect_equal(at("rational quadratic", 1e8), at("squared exponential"), tolerance = 1e-7)
})

test_that("gradients of all shapes are differences: dense, of low rank, of several classes", {
  X <- shape_rows(18)
  y <- ifelse(X[, 1] + X[, 2]^2 > 0.5, 1, -1)
  three <- diag(3)[rep(1:3, 6), ] * 0.9 + 0.1 / 3
  sharp <- ep_control(tol = 1e-11)
  for (shape in kernel_shapes[-1]) {
    columns <- shape_columns(shape, 0.7)
    fits <- list(
      function(hyper, ...) {
        native_gp_fit(X, columns, hyper, likely(y, 0.05), Inf, NULL, sharp, ..., gradient = TRUE)
      },
      function(hyper, ...) {
        native_inducing_fit(
          X, X[1:6, ] + 0.1, columns, hyper, likely(y, 0.05), Inf, NULL, sharp, ..., gradient = TRUE
        )
      },
      function(hyper, criterion) {
        out <- native_classes_fit(X, NULL, columns, hyper, three, NULL, sharp, gradient = TRUE)
        list(value = out$log_evidence, gradient = out$gradient)
      }
    )
    for (k in seq_along(fits)) {
      for (criterion in c("evidence", if (k < 3) "loo")) {
        at <- function(par) {
          hyper <- list(
            lengthscale = exp(par[1:2]), variance = exp(par[3]), bias = exp(par[4]),
            nugget = exp(par[5]), linear = exp(par[6])
          )
          fits[[k]](hyper, criterion = criterion)
        }
        par <- log(c(0.8, 1.5, 1.2, 0.3, 0.2, 0.4))
        differences <- vapply(1:6, function(j) {
          move <- replace(numeric(6), j, 1e-4)
          (8 * (at(par + move)$value - at(par - move)$value) -
            at(par + 2 * move)$value + at(par - 2 * move)$value) / 12e-4
        }, 0)
        got <- unname(unlist(at(par)$gradient))
        expect_equal(got, differences, tolerance = 1e-6)
      }
    }
  }
})

test_that("fits of all shapes answer, dense and of low rank alike", {
  d <- toy()
  for (shape in kernel_shapes) {
    kernel <- kernel_iso(1.5, bias = 0.2, nugget = 0.3, fixed = TRUE, shape = shape)
    fit <- gpc(class ~ a + b, d, kernel = kernel, epsilon = 0.05, scale = FALSE)
    K <- shape_gram(
      fit$data$X, fit$data$X, list(lengthscale = c(1.5, 1.5), variance = 1, bias = 0.2), shape, 1
    )
    there <- ref_ep(K + diag(0.3, 40), fit$data$y, epsilon = 0.05)
    expect_equal(fit$ep$log_evidence, ref_criteria(there)$log_evidence, tolerance = 1e-8)
    low <- update(fit, inducing = d[c("a", "b")])
    expect_equal(
      predict(low, d[1:5, ], type = "prob"), predict(fit, d[1:5, ], type = "prob"), tolerance = 1e-3
    )
    expect_output(print(kernel), shape)
  }
})

test_that("paths of all shapes have the variances of their kernels", {
  X <- shape_rows(12)
  for (shape in kernel_shapes) {
    columns <- shape_columns(shape, 1.5)
    at <- withr::with_seed(2, fourier_features(shape_hyper, columns))(X)
    K <- native_gram(X, NULL, columns, shape_hyper) - diag(0.3, 12)
    expect_lt(max(abs(tcrossprod(at) - K)), 5 * 1.3 / sqrt(paths_pairs))
  }
})

extended_test("learning finds the shape that made the labels", {
  better <- vapply(1:6, function(seed) {
    d <- withr::with_seed(100 + seed, {
      X <- matrix(runif(400, -3, 3), 200)
      K <- shape_gram(X, X, list(lengthscale = c(1, 1), variance = 1, bias = 0), "matern 3/2", 1)
      f <- drop(t(chol(K + diag(1e-8, 200))) %*% rnorm(200))
      data.frame(a = X[, 1], b = X[, 2], class = f + 0.1 * rnorm(200) > 0)
    })
    evidence <- vapply(c("matern 3/2", "squared exponential"), function(shape) {
      log_evidence(gpc(class ~ ., d, kernel = kernel_iso(shape = shape), epsilon = 0,
                       hyper = "optimum"))
    }, 0)
    evidence[1] - evidence[2]
  }, 0)
  expect_gt(mean(better), 0)
})

test_that("a sum of a linear kernel and another has the linear part", {
  expect_identical(kernel_linear(2) + kernel_ard(), kernel_ard(linear = 2))
  expect_identical(kernel_iso(1) + kernel_linear(), kernel_iso(1, linear = 1))
  expect_error(kernel_ard() + kernel_iso(), class = "sturdy_error_kernel")
  expect_error(kernel_ard() + 1, class = "sturdy_error_kernel")
  # two linear parts are one too many: neither is left out in silence
  expect_error(kernel_linear(2) + kernel_ard(linear = 3), "one linear part", class = "sturdy_error_kernel")
  expect_error(gpc(class ~ a, toy(), kernel = kernel_linear()), class = "sturdy_error")
})

test_that("a shape that is not there is refused, and others are shown", {
  expect_error(kernel_ard(shape = "cosine"), class = "sturdy_error_choice")
  expect_error(kernel_ard(shape = "matern"), class = "sturdy_error_choice")
  expect_error(kernel_iso(alpha = 0), class = "sturdy_error_hyperparameter")
  expect_snapshot({
    kernel_ard(shape = "matern 5/2", linear = 1)
    kernel_iso(shape = "rational quadratic", alpha = 0.5)
    gpc(class ~ a + b, toy(), kernel = held(shape = "matern 3/2"), epsilon = 0.1) |> summary()
  })
})

test_that("kernels are compared by select_model()", {
  candidates <- list(
    smooth = candidate("gpc", kernel = kernel_iso()),
    rough = candidate("gpc", kernel = kernel_iso(shape = "matern 3/2")),
    trend = candidate("gpc", kernel = kernel_iso(shape = "matern 5/2", linear = 1))
  )
  chosen <- select_model(class ~ a + b, toy(), candidates, criterion = "evidence")
  expect_true(all(is.finite(chosen$table$log_evidence)))
  expect_gt(length(unique(chosen$table$log_evidence)), 2)
})

test_that("a query of another shape is refused", {
  fit <- gpc(class ~ a + b, toy(), kernel = held(shape = "matern 3/2"), epsilon = 0.1, inducing = 5)
  expect_error(predict_sql(fit), class = "sturdy_error_no_sql")
})
