# Kernels by class that are alike to a degree, in the average beside the one that classes share.

pooled_groups <- function(n = 40, seed = 3) {
  set.seed(seed)
  x <- matrix(rnorm(2 * n), n, dimnames = list(NULL, c("a", "b")))
  f <- cbind(x[, 1], x[, 2], -x[, 1] - x[, 2]) + matrix(rnorm(3 * n, 0, 0.3), n)
  list(x = x, y = factor(c("a", "b", "c")[max.col(f)]))
}
pooled_fit <- function(d, ..., kernel = kernel_iso()) {
  gpc(d$x, d$y, kernel = kernel, hyper = "integrate", ...)
}
# The latent of a fit with kernels by class, as an average has it
pooled_latent <- function(d, kernel = kernel_iso()) {
  fit <- gpc(d$x, d$y, kernel = kernel, epsilon = 0, kernels = "shared", hyper = "integrate")
  model_latent(fit)$pooled()
}

test_that("logs by class have the variance of a shared kernel and one correlation of classes", {
  covariance <- function(...) tcrossprod(pooled_root(...))
  one <- covariance(3, 3, 1.5, 0, 0.8)
  expect_equal(one, 1.5^2 * (0.2 * diag(3) + 0.8), tolerance = 1e-12)
  # of four columns, the values of the first class first
  several <- covariance(12, 3, 0.7, 0.5, 0.8)
  expect_equal(diag(several), rep(0.7^2 + 0.5^2, 12), tolerance = 1e-12)
  expect_equal(cov2cor(several)[cbind(1:4, 5:8)], rep(0.8, 4), tolerance = 1e-12)
  # what classes differ in is a factor of all columns
  apart <- rep(c(1, -1, 0), each = 4) * c(1, -1, 0, 0)
  expect_equal(drop(several %*% apart), numeric(12), tolerance = 1e-12)
  expect_equal(
    block_diagonal(list(matrix(1:4, 2), matrix(5, 1, 1), matrix(6:7, 2))),
    rbind(c(1, 3, 0, 0), c(2, 4, 0, 0), c(0, 0, 5, 0), c(0, 0, 0, 6), c(0, 0, 0, 7))
  )
})

test_that("the gradient in coordinates by class is that of differences", {
  d <- pooled_groups(30)
  for (kernel in list(kernel_iso(), kernel_ard())) {
    latent <- pooled_latent(d, kernel)
    noise <- noise_model("average", noise_prior(), latent$reports)
    spec <- list(control = ep_control(tol = 1e-10), deadline = Inf)
    problem <- average_problem(latent, noise_of("one", noise), spec)
    problem$search_control$tol <- 1e-10
    z <- 0.3 * cos(seq_along(problem$field))
    at <- function(z) learn_evaluation(problem, z, learn_native(problem, z, NULL))
    slope <- vapply(seq_along(z), function(j) {
      h <- replace(numeric(length(z)), j, 1e-4)
      (at(z + h)$penalised - at(z - h)$penalised) / 2e-4
    }, 0)
    expect_equal(at(z)$gradient, slope, tolerance = 1e-4)
  }
})

test_that("kernels by class begin where the shared one has its mode", {
  d <- pooled_groups()
  fit <- gpc(d$x, d$y, kernel = kernel_ard(), epsilon = 0, kernels = "shared", hyper = "integrate")
  latent <- model_latent(fit)
  noise <- noise_model("average", noise_prior(), latent$reports)
  spec <- list(control = ep_control(), deadline = Inf)
  from <- average_problem(latent, noise_of("one", noise), spec)
  problem <- average_problem(latent$pooled(), noise_of("one", noise), spec)
  mode <- list(par = 0.4 * sin(seq_along(from$field)), H = diag(2, length(from$field)))
  start <- pooled_start(problem, mode, from)
  for (c in 1:3) {
    its <- class_hyper(problem$hyper(start$par), c)
    expect_equal(its, from$hyper(mode$par), tolerance = 1e-5, ignore_attr = TRUE)
  }
  expect_equal(problem$rates(start$par), from$rates(mode$par))
  # a common step of all classes is told of as much as the shared kernel is
  step <- replace(numeric(length(from$field)), 1, 1)
  mode$par <- mode$par + step
  along <- pooled_start(problem, mode, from)$par - start$par
  expect_equal(sum(along * ((start$curvature - diag(length(along))) %*% along)), 1, tolerance = 1e-5)
})

# With the nugget alone free: sums over a grid in one coordinate, and in three, of the same EP
test_that("the evidence is the mean of those of a shared kernel and of kernels by class", {
  d <- pooled_groups()
  kernel <- kernel_iso(1, bias = 0.3, nugget = 0.05, fixed = c("lengthscale", "variance", "bias"))
  fit <- pooled_fit(d, kernel = kernel, epsilon = 0)
  latent <- model_latent(fit)
  L <- row_likelihood(fit, 1)
  control <- with_second(ep_control(tol = 1e-5))
  evidence <- function(nugget) {
    hyper <- list(lengthscale = rep(1, 3), variance = rep(1, 3), bias = NULL, nugget = nugget)
    hyper$bias <- rep(0.3, 3)
    corrected_evidence(latent$native(hyper, Inf, L, NULL, control))
  }
  z <- seq(-3.6, 3.6, by = 0.6)
  w <- dnorm(z) / sum(dnorm(z))
  nugget <- function(z) exp(log(0.03) + 1.5 * z)
  shared <- vapply(z, function(z) evidence(rep(nugget(z), 3)), 0)
  shared <- log(sum(w * exp(shared - max(shared)))) + max(shared)
  # draws with the correlation 1/2, spread evenly
  u <- even_normals(600, 4)
  own <- sqrt(0.5) * (u[, 1] + u[, -1])
  own <- apply(nugget(own), 1, evidence)
  own <- log(mean(exp(own - max(own)))) + max(own)
  both <- log(mean(exp(c(shared, own) - shared))) + shared
  expect_equal(log_evidence(fit, "integrated"), both, tolerance = 0.05 / abs(both))
  expect_setequal(vapply(fit$nodes$hyper, function(h) length(h$nugget), 1L), c(1L, 3L))
  by_class <- vapply(fit$nodes$hyper, function(h) length(h$nugget) > 1, NA)
  expect_equal(
    sum(fit$nodes$table$weight[by_class]), plogis(own - shared), tolerance = 0.03
  )
  alone <- pooled_fit(d, kernel = kernel, epsilon = 0, kernels = "shared")
  expect_equal(log_evidence(alone, "integrated"), shared, tolerance = 0.03 / abs(shared))
})

test_that("answers are means over nodes of both kinds of kernels", {
  d <- pooled_groups()
  fit <- pooled_fit(d, noise = noise_prior(c(none = 1, one = 1)))
  new <- d$x[1:5, ] + 0.1
  nodes <- fit$nodes
  expect_setequal(nodes$table$model, c("none", "one"))
  parts <- lapply(seq_along(nodes$hyper), function(k) {
    at <- lapply(1:3, function(c) {
      h <- nodes$hyper[[k]]
      kernel_iso(h$lengthscale[1], h$variance[1], h$bias[1], h$nugget[1], fixed = TRUE)
    })
    one <- gpc(
      d$x, d$y, kernel = at[[1]], epsilon = 1 - nodes$omega[[k]][1, 1, 1],
      kernels = "per class", hyper = "optimum"
    )
    one$kernel[hyper_names] <- lapply(nodes$hyper[[k]], rep_len, 3)
    one$ep <- refit_ep(one)
    list(prob = predict(one, new, type = "prob"), flipped = row_flipped(one))
  })
  mean_of <- function(name) {
    Reduce(`+`, Map(function(part, w) part[[name]] * w, parts, nodes$table$weight))
  }
  expect_equal(predict(fit, new, type = "prob"), mean_of("prob"), tolerance = 1e-3)
  expect_equal(row_flipped(fit), mean_of("flipped"), tolerance = 1e-3)
  expect_silent(check_model(fit))
  # and when rows change
  gone <- update(fit, checked = data.frame(row = 1, label = d$y[1]))
  expect_setequal(
    vapply(gone$nodes$hyper, function(h) length(h$nugget), 1L),
    vapply(nodes$hyper, function(h) length(h$nugget), 1L)
  )
})

test_that("kernels by class are in an average only", {
  d <- pooled_groups(30)
  expect_error(gpc_spec(kernels = "average", hyper = "optimum"), class = "sturdy_error_kernels")
  expect_identical(gpc_spec(hyper = "integrate")$kernels, "average")
  expect_identical(gpc_spec(hyper = "optimum")$kernels, "shared")
  averaged <- gpc_spec(hyper = "integrate")
  expect_identical(edit_spec(averaged, list(hyper = "optimum"))$kernels, "shared")
  back <- edit_spec(edit_spec(averaged, list(hyper = "optimum")), list(hyper = "integrate"))
  expect_identical(back, averaged)
  own <- edit_spec(averaged, list(kernels = "per class"))
  expect_identical(edit_spec(own, list(hyper = "optimum"))$kernels, "per class")
  alone <- pooled_fit(d, kernels = "shared")
  expect_true(all(vapply(alone$nodes$hyper, function(h) length(h$nugget), 1L) == 1))
})

# Two classes that the inputs do not tell apart, and one that they do
test_that("overlap of two of three classes has the larger evidence with kernels by class", {
  set.seed(12)
  x <- matrix(stats::runif(240, -2, 2), 120)
  two <- 2 + (stats::runif(120) < 0.5)
  y <- factor(letters[ifelse(x[, 2] < sin(3 * x[, 1]), 1, two)])
  fit <- function(kernels) {
    gpc(
      x, y, kernel = kernel_iso(), kernels = kernels, noise = noise_prior(c(none = 1)),
      hyper = "integrate"
    )
  }
  both <- fit("average")
  expect_gt(log_evidence(both, "integrated"), log_evidence(fit("shared"), "integrated") + 1)
  # and the fit stands at kernels by class
  expect_length(both$kernel$nugget, 3)
  expect_true(all(c("lengthscale@a", "nugget@c") %in% names(coef(both))))
})

test_that("kernels by class are left out where they would cost too much, which a summary says", {
  latent <- function(n, classes, columns, Z = NULL) {
    list(
      n = n, classes = classes, functions = if (classes > 2) classes else 1L, Z = Z, exact = FALSE,
      free = c("lengthscale", "bias", "nugget"),
      hyper = list(lengthscale = numeric(columns), variance = 1, bias = 1, nugget = 1)
    )
  }
  Z <- matrix(0, 100, 5)
  expect_false(pooled_is_dear(latent(100, 10, 5), 100))
  expect_false(pooled_is_dear(latent(500, 3, 5, Z), 150))
  expect_true(pooled_is_dear(latent(400, 20, 5, Z), 150))
  # of many rows modes must do
  expect_true(pooled_is_dear(latent(4000, 5, 2, Z), 250))
  # twice the rows, classes or inducing inputs are never cheaper
  cost <- function(...) average_cost(latent(...))
  expect_equal(cost(800, 10, 5, Z), 2 * cost(400, 10, 5, Z))
  expect_equal(cost(400, 20, 5, Z), 2 * cost(400, 10, 5, Z))
  expect_gt(cost(400, 10, 5, rbind(Z, Z)), cost(400, 10, 5, Z))

  d <- pooled_groups()
  local_mocked(pooled_is_dear = function(...) TRUE)
  fit <- pooled_fit(d, noise = noise_prior(c(none = 1, one = 1)))
  expect_true(all(lengths(lapply(fit$nodes$hyper, `[[`, "nugget")) == 1))
  expect_identical(fit$nodes$left_out, "kernels by class")
  expect_identical(summary(fit)$fitted[["Learned"]], describe_learning(fit))
  expect_match(describe_learning(fit), "; kernels by class left out, for their cost$")
})
