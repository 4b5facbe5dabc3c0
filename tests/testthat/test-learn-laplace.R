# log_evidence(method = "integrated") against quadrature over the hyperparameters

held_kernel <- function(...) {
  kernel_iso(1.2, variance = 1, bias = 0.2, nugget = 0.3, ...)
}

integral <- function(fit) log_evidence(fit, method = "integrated")

# log of the integral over u of exp(f(u)) on a grid
log_sum <- function(f, step) max(f) + log(sum(exp(f - max(f)))) + log(step)

# What is integrated is smooth on the scale of 1 / rows: half the step moves no integral by 0.03
rate_grid <- seq(0.01, 0.49, by = 0.02)

test_that("over a flip rate it is near the integral over its prior", {
  fit <- gpc(class ~ a + b, toy(60), kernel = held_kernel(fixed = TRUE), epsilon = "learn")
  e <- rate_grid
  f <- vapply(e, function(e) log_evidence(update(fit, epsilon = e), "corrected"), 0)
  expect_lt(abs(integral(fit) - log_sum(f + log(8 * (1 - 2 * e)^3), 0.02)), 0.1)
})

test_that("it is near the integral where the data want no flips, too", {
  d <- toy(40)
  d$class <- factor(ifelse(d$a + d$b > 0, "yes", "no"))
  fit <- gpc(class ~ a + b, d, kernel = held_kernel(fixed = TRUE), epsilon = "learn")
  expect_lt(fit$epsilon, 1e-5)
  e <- rate_grid
  f <- vapply(e, function(e) log_evidence(update(fit, epsilon = e), "corrected"), 0)
  expect_lt(abs(integral(fit) - log_sum(f + log(8 * (1 - 2 * e)^3), 0.02)), 0.15)
})

test_that("over the lengthscale it is near the integral over its log-normal prior", {
  prior <- weak_prior(lengthscale = c(log(1.5), 0.8))
  kernel <- held_kernel(fixed = c("variance", "bias", "nugget"), prior = prior)
  fit <- gpc(class ~ a + b, toy(60), kernel = kernel, epsilon = 0.05)
  u <- seq(log(1.5) - 4, log(1.5) + 4, by = 0.4)
  f <- vapply(u, function(u) {
    k <- kernel_iso(exp(u), 1, 0.2, 0.3, fixed = TRUE)
    log_evidence(gpc(class ~ a + b, toy(60), kernel = k, epsilon = 0.05), "corrected")
  }, numeric(1))
  exact <- log_sum(f + dnorm(u, log(1.5), 0.8, log = TRUE), 0.4)
  expect_lt(abs(integral(fit) - exact), 0.1)
})

test_that("with nothing learned it is the evidence, and without a prior it is NA", {
  fit <- toy_fit()
  expect_equal(integral(fit), log_evidence(fit, "corrected"))
  improper <- gpc(
    class ~ a + b, toy(), kernel = kernel_iso(prior = NULL), epsilon = 0.05
  )
  expect_warning(value <- integral(improper), class = "sturdy_warning_not_integrated")
  expect_identical(value, NA_real_)
})

test_that("a Student-t process has that of the Gaussian process of its kernel", {
  kernel <- kernel_iso()
  gaussian <- gpc(class ~ a + b, toy(), kernel = kernel, epsilon = "learn")
  student <- stc(class ~ a + b, toy(), df = 8, kernel = kernel, epsilon = "learn")
  by_loo <- gpc(class ~ a + b, toy(), kernel = kernel, criterion = "loo")
  expect_lt(abs(integral(student) - integral(gaussian)), 0.01)
  expect_lt(abs(integral(by_loo) - integral(gaussian)), 0.01)
  at_mode <- lapply(list(gpc, stc), function(model) model(class ~ a + b, toy(), kernel = kernel))
  expect_equal(integral(at_mode[[2]]), integral(at_mode[[1]]))
})

test_that("the curvature is that of finite differences of the value", {
  fit <- gpc(class ~ a + b, toy(), kernel = kernel_iso(), epsilon = 0.05)
  problem <- learn_problem(model_latent(fit), fit$spec)
  problem$search_control$tol <- 1e-8
  mode <- learn_evaluation(
    problem, problem$start, learn_ep_at(problem, problem$start, fit$ep$sites)
  )
  H <- learn_curvature(problem, mode, central = TRUE)$H
  at <- function(par) {
    learn_evaluation(problem, par, learn_ep_at(problem, par, mode$sites))$penalised
  }
  h <- 0.02
  second <- (2 * mode$penalised - at(mode$par + c(h, 0, 0)) -
    at(mode$par - c(h, 0, 0))) / h^2
  expect_equal(H[1, 1], second, tolerance = 1e-3)
  expect_equal(H, t(H))
})

test_that("that of a Bayes point machine is the integral over its rate", {
  fit <- bpm(class ~ a + b, toy(), nugget = 0, epsilon = "learn")
  e <- rate_grid
  f <- vapply(e, function(e) {
    log_evidence(bpm(class ~ a + b, toy(), nugget = 0, epsilon = e))
  }, numeric(1))
  expect_lt(
    abs(integral(fit) - log_sum(f + log(8 * (1 - 2 * e)^3), 0.02)), 0.15
  )
})

test_that("candidates without it take no part, and that is said", {
  candidates <- list(
    proper = candidate("gpc", kernel = kernel_iso()),
    improper = candidate("gpc", kernel = kernel_iso(prior = NULL))
  )
  x <- select_model(class ~ a + b, toy(), candidates, "integrated")
  expect_identical(x$table$selected, c(TRUE, FALSE))
  expect_identical(x$table$weight, c(1, 0))
  expect_match(x$table$message[2], "no prior on lengthscale")
  expect_warning(
    x <- select_model(class ~ a + b, toy(), candidates[2], "integrated"),
    class = "sturdy_warning_criterion"
  )
  expect_identical(x$criterion, "evidence")
  expect_identical(x$table$weight, 1)
})

test_that("of equal candidates the first is taken", {
  expect_identical(first_of_best(c(-Inf, 1, 1.001, 0)), 2L)
  expect_identical(first_of_best(c(NA, -Inf)), 0L)
  candidates <- list(
    t = candidate("stc", kernel = kernel_iso()), g = candidate("gpc", kernel = kernel_iso())
  )
  for (order in list(1:2, 2:1)) {
    x <- select_model(class ~ a + b, toy(), candidates[order], "integrated")
    expect_identical(x$table$selected, c(TRUE, FALSE))
  }
})

test_that("a mode on a bound of the search is told, and not integrated around", {
  far <- weak_prior(lengthscale = c(log(1e9), 0.01))
  fit <- gpc(
    class ~ a + b, toy(), kernel = kernel_iso(prior = far), epsilon = 0.05, hyper = "optimum"
  )
  expect_true("lengthscale" %in% fit$learning$on_bound)
  expect_warning(value <- integral(fit), "bound", class = "sturdy_warning_not_integrated")
  expect_identical(value, NA_real_)
})
