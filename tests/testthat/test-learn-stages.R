# Some rows first, then all: how near the search comes to the optimum of all, and that it says so.

staged_table <- function(n, seed = 11) {
  withr::with_seed(seed, {
    X <- matrix(rnorm(6 * n), n, dimnames = list(NULL, letters[1:6]))
    g <- factor(sample(LETTERS[1:8], n, TRUE))
    h <- factor(sample(c("u", "v", "w"), n, TRUE))
    f <- 2 * sin(1.5 * X[, 1]) + X[, 2] * X[, 3] + seq(-1, 1, length.out = 8)[g] +
      c(-0.5, 0, 0.7)[h] * X[, 4] + X[, 5]^2 / 2 - 0.5 + 0.45 * rnorm(n)
    data.frame(X, g, h, y = xor(f > 0, runif(n) < 0.1))
  })
}

# The problem on all rows of a fit whose kernel is learned again
staged_problem <- function(fit) {
  latent <- model_latent(fit)
  latent$free <- c("lengthscale", "bias", "nugget")
  latent$prior <- fit$kernel$prior
  learn_problem(latent, fit$spec)
}

# What a long climb from there gains, with the curvature measured on all rows
still_to_gain <- function(problem, par, sites) {
  objective <- learn_objective(problem)
  objective$begin(list(par = par, sites = sites))
  here <- objective$at(par)
  here$curvature <- learn_curvature(objective, here, rough = TRUE)$H
  learn_climb(here, objective, 1e-4, 40L)$penalised - here$penalised
}

test_that("from some rows it comes to the optimum of all", {
  fit <- gpc(y ~ a + b + e, staged_table(1600), kernel = kernel_ard(), inducing = 15,
             hyper = "optimum", control = ep_control(progress = FALSE))
  problem <- staged_problem(fit)
  few <- problem
  few$latent <- problem$latent$some(400)
  first <- learn_search(few)
  found <- stage_optimum(list(problem = few, modes = list(first)), problem, fit$spec)
  expect_identical(found$opt$convergence, 0L)
  expect_match(found$opt$message, "400 rows, then at most 20 steps on 1600")
  expect_gt(found$penalised, learn_objective(problem)$at(first$par)$penalised)
  expect_lt(still_to_gain(problem, found$par, found$sites), 0.05)
})

test_that("what a search has left to gain is known where the curvature is", {
  H <- diag(c(4, 9))
  slope <- function(par) drop(H %*% (c(3, -3) - par))
  objective <- list(at = function(par) {
    list(par = par, penalised = sum((par - c(3, -3)) * slope(par)) / 2, gradient = slope(par))
  })
  problem <- list(lower = c(-9, -9), upper = c(9, 9), curvature = c(1, 1))
  # one step of length 1
  ended <- learn_optim(problem, objective, c(0, 0), diag(2), 1L, 1e-9, H)
  expect_identical(ended$convergence, 1L)
  expect_close(ended$left, sum(c(2, -2) * (H %*% c(2, -2))) / 2, 1e-8)
  expect_lt(learn_optim(problem, objective, c(0, 0), diag(2), 50L, 1e-9, H)$left, 1e-9)
})

test_that("a search that ends far from its optimum does not say that it converged", {
  problem <- list(latent = list(n = 9e4), deadline = Inf)
  end <- function(left, penalised = -1) {
    found <- list(penalised = penalised, opt = list(convergence = 0L, left = left))
    stage_ended(found, problem, 4000L)
  }
  expect_identical(end(0.2)$convergence, 0L)
  expect_identical(end(3)$convergence, 1L)
  expect_match(end(3)$message, "promises 3 nats")
  expect_identical(end(0, -Inf)$convergence, 99L)
  # its time was over
  problem$deadline <- -Inf
  expect_identical(end(3)$convergence, 0L)
})

extended_test("90,000 rows: within a nat of the optimum, and the rate is found", {
  fit <- gpc(y ~ ., staged_table(9e4), inducing = 100, hyper = "optimum",
             control = ep_control(progress = FALSE))
  expect_identical(fit$learning$convergence, 0L)
  expect_lt(abs(fit$epsilon - 0.1), 0.005)
  par <- c(
    log(unlist(model_hyper(fit)[c("lengthscale", "bias", "nugget")])),
    stats::qlogis(2 * fit$epsilon)
  )
  expect_lt(still_to_gain(staged_problem(fit), unname(par), fit$ep$sites), 1)
})
