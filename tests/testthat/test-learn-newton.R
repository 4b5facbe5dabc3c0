# The search itself, on functions whose optimum is known, and what it starts from.

# A problem whose objective is any function of the parameters
problem_of <- function(value, slope, lower, upper, field = rep("nugget", length(lower))) {
  looks <- 0L
  at <- function(par) {
    looks <<- looks + 1L
    list(par = par, penalised = value(par), gradient = slope(par))
  }
  problem <- list(
    lower = lower, upper = upper, field = field, latent = list(),
    curvature = rep(0.25, length(lower)), precision = 0, least = 0.25
  )
  begin <- function(from = NULL) NULL
  list(
    problem = problem,
    objective = list(problem = problem, at = at, begin = begin),
    looks = function() looks
  )
}

quadratic <- function(H, top, lower = rep(-10, length(top)), upper = rep(10, length(top))) {
  problem_of(
    function(x) -sum((x - top) * (H %*% (x - top))) / 2,
    function(x) -drop(H %*% (x - top)), lower, upper
  )
}

H <- withr::with_seed(1, crossprod(matrix(rnorm(25), 5)) + diag(5))

test_that("with the true curvature a quadratic takes as many steps as it is far", {
  top <- c(0.5, -0.5, 0.2, 0.8, -0.1)
  one <- quadratic(H, top)
  found <- learn_walk(list(par = numeric(5), curvature = H), one$objective, diag(5), 50, 1e-8)
  expect_identical(found$opt$message, "converged")
  expect_close(found$par, top, 1e-10)
  expect_lte(one$looks(), 3)
})

test_that("steps learn the curvature, which they tell where they went along all coordinates", {
  top <- c(3, -2, 1, 4, -1)
  one <- quadratic(H, top)
  turned <- diag(5)[, 5:1]
  found <- learn_walk(list(par = numeric(5)), one$objective, turned, 200, 1e-10)
  expect_close(found$opt$curvature, H, 0.05)
  expect_null(learn_walk(list(par = top), one$objective, turned[, -1], 200)$opt$curvature)
})

test_that("a climb goes on with the curvature that its short one has learned", {
  top <- c(3, -2, 1, 4, -1)
  one <- quadratic(H, top)
  way <- list(
    look = 8L, basis = diag(5), behind = Inf, value = 0, place = 0, steps = 100L, gain = 1e-6
  )
  one$objective$problem[c("way", "curved")] <- list(way, FALSE)
  ends <- learn_modes(one$objective, list(list(par = numeric(5)), list(par = top + 3)))
  expect_close(ends[[1]]$par, top, 1e-2)
  # from there without it
  short <- ends[[1]]$look
  anew <- quadratic(H, top)
  learn_walk(short["par"], anew$objective, diag(5), 100L, 1e-6)
  again <- quadratic(H, top)
  learned <- learn_walk(list(par = numeric(5)), again$objective, diag(5), 8L, 0)$opt$curvature
  before <- again$looks()
  learn_walk(list(par = short$par, learned = learned), again$objective, diag(5), 100L, 1e-6)
  expect_lt(again$looks() - before, anew$looks())
})

test_that("without it, too, the optimum is found", {
  top <- c(3, -2, 1, 4, -1)
  one <- quadratic(H, top)
  found <- learn_walk(list(par = numeric(5)), one$objective, diag(5), 200, 1e-10)
  expect_close(found$par, top, 1e-3)
})

test_that("a curvature that is not one of a maximum does not end the search", {
  top <- c(1, -1, 0.5, 2, -0.5)
  one <- quadratic(H, top)
  wrong <- -H
  wrong[1, 2] <- wrong[2, 1] <- 40
  found <- learn_walk(list(par = numeric(5), curvature = wrong), one$objective, diag(5), 200, 1e-10)
  expect_close(found$par, top, 1e-3)
})

test_that("a bound in the way holds its parameter, and the others find their optimum", {
  top <- c(3, -2, 1, 4, -1)
  one <- quadratic(H, top, upper = c(10, 10, 10, 1, 10))
  found <- learn_walk(list(par = numeric(5)), one$objective, diag(5), 200, 1e-10)
  rest <- top[-4] - solve(H[-4, -4], H[-4, 4] * (1 - top[4]))
  expect_identical(found$par[4], 1)
  expect_close(found$par[-4], rest, 1e-3)
})

test_that("parameters with one column of the basis move together, in their own bounds", {
  basis <- cbind(c(1, 1, 0), c(0, 0, 1))
  one <- quadratic(diag(3), c(4, 4, 2), upper = c(5, 1, 5))
  found <- learn_walk(list(par = c(1, 0, 0)), one$objective, basis, 100, 1e-10)
  expect_close(found$par, c(2, 1, 2), 1e-3)
})

test_that("walls without a value are backed away from", {
  one <- problem_of(
    function(x) if (x > 1.2) -Inf else -(x - 1)^2, function(x) -2 * (x - 1), -10, 10
  )
  found <- learn_walk(list(par = -3), one$objective, diag(1), 100, 1e-10)
  expect_close(found$par, 1, 1e-3)
})

test_that("Rosenbrock's valley is followed to its end", {
  one <- problem_of(
    function(x) -(1 - x[1])^2 - 100 * (x[2] - x[1]^2)^2,
    function(x) {
      bend <- 200 * (x[2] - x[1]^2)
      c(2 * (1 - x[1]) + 2 * bend * x[1], -bend)
    },
    c(-5, -5), c(5, 5)
  )
  found <- learn_walk(list(par = c(-1.2, 1)), one$objective, diag(2), 200, 1e-10)
  expect_close(found$par, c(1, 1), 1e-3)
})

test_that("the curvature of all rows is foretold by that of some", {
  # each row has a share in the value, of either sign; the prior stands beside them once
  rows <- withr::with_seed(3, matrix(rnorm(12 * 5), 12))
  precision <- 1 / 0.49
  value <- function(x, rows, sign) {
    -sum(sign * drop(rows %*% x)^2) / 2 - precision * sum(x^2) / 2
  }
  for (sign in list(rep(1, 12), rep(c(1, -1), 6))) {
    one <- problem_of(
      function(x) value(x, rows, sign),
      function(x) -drop(crossprod(rows, sign * drop(rows %*% x))) - precision * x,
      rep(-10, 5), rep(10, 5)
    )
    one$problem$precision <- rep(precision, 5)
    some <- -stats::optimHess(rep(0.3, 5), value, rows = rows, sign = sign)
    found <- grown_curvature(one$problem, some, 4)
    all <- -stats::optimHess(rep(0.3, 5), value, rows = rows[rep(1:12, 4), ], sign = rep(sign, 4))
    # as sharp as that along every axis of its own, and a peak
    expect_gt(min(eigen(found)$values), 0)
    expect_close(found %*% found, all %*% all, 1e-6, floor = 1)
    if (all(sign > 0)) expect_close(found, all, 1e-6, floor = 1)
  }
})

test_that("sites are foreseen where they are linear in the parameters", {
  J <- withr::with_seed(2, matrix(rnorm(12), 4))
  sites <- function(par) list(tau = 1 + drop(J %*% par), nu = 2 - drop(J %*% par))
  pars <- list(c(0.1, 0, 0), c(0, 0.2, 0), c(0, 0, -0.1), c(0.1, 0.1, 0.1))
  trail <- lapply(pars, function(par) list(par = par, sites = sites(par)))
  expect_null(learn_foresee(list(), pars[[1]]))
  expect_identical(learn_foresee(trail[1], pars[[2]]), trail[[1]]$sites)
  to <- c(0.08, 0.06, 0.01)
  found <- learn_foresee(trail, to)
  before <- max(abs(trail[[1]]$sites$tau - sites(to)$tau))
  expect_lt(max(abs(found$tau - sites(to)$tau)), 0.02 * before)
  expect_lt(max(abs(found$nu - sites(to)$nu)), 0.02 * before)
})

test_that("a search that begins on some rows ends at an optimum of all, whatever their order", {
  d <- withr::with_seed(7, {
    X <- matrix(rnorm(300 * 3), 300, dimnames = list(NULL, letters[1:3]))
    y <- X[, 1] + sin(2 * X[, 2]) + rnorm(300) / 3 > 0
    wrong <- sample(300, 30)
    y[wrong] <- !y[wrong]
    data.frame(X, y)
  })
  fit <- gpc(y ~ ., d, epsilon = "learn")
  expect_true(fit$learning$cold_start)
  # a search of another kind, on all rows from the start
  latent <- model_latent(fit)
  latent$free <- c("lengthscale", "bias", "nugget")
  latent$prior <- fit$kernel$prior
  whole <- learn_problem(latent, fit$spec)
  look <- function(par) learn_evaluation(whole, par, learn_ep_at(whole, par, NULL))
  other <- stats::optim(
    replace(whole$start, whole$field == "epsilon", stats::qlogis(0.2)),
    function(par) -look(par)$penalised, function(par) -look(par)$gradient,
    method = "BFGS", control = list(reltol = 1e-10)
  )
  expect_gt(fit$learning$penalised, -other$value - 1e-4)
  turned <- gpc(y ~ ., d[300:1, ], epsilon = "learn")
  expect_identical(coef(turned), coef(fit))
  expect_identical(turned$learning, fit$learning)
})
