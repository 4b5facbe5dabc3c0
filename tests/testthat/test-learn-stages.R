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
  here$curvature <- learn_curvature(problem, here)$H
  learn_climb(here, objective, 1e-4, 40L)$penalised - here$penalised
}

test_that("from some rows it comes to the optimum of all", {
  fit <- gpc(y ~ a + b + e, staged_table(1600), kernel = kernel_ard(), inducing = 15,
             hyper = "optimum", control = ep_control(progress = FALSE))
  problem <- staged_problem(fit)
  few <- optimum_problem(problem$latent$some(400), fit$spec)
  few$curved <- TRUE
  first <- learn_search(few, NULL, fit$spec)$modes[[1]]
  found <- stage_onward(first, problem, 400, fit$spec)
  expect_identical(learn_ended(problem, found)$convergence, 0L)
  expect_gt(found$penalised, learn_objective(problem)$at(first$par)$penalised)
  expect_lt(still_to_gain(problem, found$par, found$sites), 0.05)
})

test_that("what a search has left to gain is known where the curvature is", {
  H <- diag(c(4, 9))
  slope <- function(par) drop(H %*% (c(3, -3) - par))
  objective <- list(
    problem = list(lower = c(-9, -9), upper = c(9, 9), curvature = c(1, 1), least = 0.25),
    at = function(par) {
      list(par = par, penalised = sum((par - c(3, -3)) * slope(par)) / 2, gradient = slope(par))
    }, begin = function(from) NULL
  )
  walked <- function(steps) {
    learn_walk(list(par = c(0, 0), curvature = H), objective, diag(2), steps, 1e-9)$opt
  }
  # one step of length 1
  ended <- walked(1L)
  expect_match(ended$message, "not enough")
  expect_close(ended$left, sum(c(2, -2) * (H %*% c(2, -2))) / 2, 1e-8)
  expect_lt(walked(50L)$left, 1e-9)
})

test_that("a search that ends far from its optimum does not say that it converged", {
  problem <- list(control = ep_control(), deadline = Inf)
  end <- function(left, penalised = -1) {
    learn_ended(problem, list(penalised = penalised, opt = list(left = left)))
  }
  expect_identical(end(0.2)$convergence, 0L)
  expect_identical(end(3)$convergence, 1L)
  expect_match(end(3)$message, "promises 3 nats")
  expect_identical(end(0, -Inf)$convergence, 99L)
  # its time was over
  problem$deadline <- -Inf
  expect_match(end(0)$message, "used up")
})

extended_test("90,000 rows: within a nat of the optimum, and the rate is found", {
  fit <- gpc(y ~ ., staged_table(9e4), inducing = 100, hyper = "optimum",
             epsilon = "learn", control = ep_control(progress = FALSE))
  expect_identical(fit$learning$convergence, 0L)
  expect_lt(abs(fit$epsilon - 0.1), 0.005)
  par <- c(
    log(unlist(model_hyper(fit)[c("lengthscale", "bias", "nugget")])),
    stats::qlogis(2 * fit$epsilon)
  )
  expect_lt(still_to_gain(staged_problem(fit), unname(par), fit$ep$sites), 1)
})

# Rosenbrock's valley, in nats as steep as that of many rows: its top is 0, at c(1, 1)
valley <- function() {
  ep <- function(points, df, control, criterion, gradient) lapply(points, function(at) {
    z <- at$hyper$z
    bend <- z[2] - z[1]^2
    list(
      status = 0L, residual = 0, value = -1e4 * bend^2 - 100 * (1 - z[1])^2,
      gradient = c(4e4 * z[1] * bend + 200 * (1 - z[1]), -2e4 * bend), gradient_status = 0L,
      sites = list(tau = numeric(100), nu = numeric(100))
    )
  })
  latent <- list(n = 100, y = 1, functions = 1, ep = ep, reports = label_reports(rep(1:2, 50), 2))
  list(
    latent = latent, field = c("nugget", "bias"), hyper = function(z) list(z = z), df = Inf,
    omega = function(z) as_omega(0, 2), criterion = "evidence", control = ep_control(),
    search_control = unclass(ep_control()), precision = 0, least = 0.25, curvature = c(1, 1),
    lower = c(-9, -9), upper = c(9, 9), deadline = Inf, pull = function(z, gradient, slope) gradient,
    prior = function(z) list(value = 0, gradient = c(0, 0))
  )
}
# On a quarter of the rows the optimum is elsewhere, and so is its curvature
some <- list(par = c(-1.2, 1), H = diag(c(3000, 5000)), measured = rep("converged", 2))

test_that("steps on all rows go on until a further one promises next to nothing", {
  problem <- valley()
  steps <- 0
  problem$control$progress <- list(tick = function(n, times) steps <<- steps + 1)
  found <- stage_onward(some, problem, 25, list())
  expect_gt(steps, 20)
  expect_gt(found$penalised, -stage_near)
  expect_identical(found$opt$message, "converged")
  ended <- learn_ended(problem, found)
  expect_identical(ended$convergence, 0L)
  expect_match(ended$message, "^a further step promises 0[.]0[0-9]* nats$")
})

test_that("a search that is far from the optimum says that it stopped short", {
  problem <- valley()
  objective <- learn_objective(problem)
  from <- c(objective$at(some$par), list(curvature = 4 * some$H))
  found <- learn_climb(from, objective, modes_gain, 20L)
  expect_lt(found$penalised, -stage_near)
  ended <- learn_ended(problem, found)
  expect_identical(ended$convergence, 1L)
  expect_match(ended$message, "stopped short, a further step promises")
  # what is not known is not said to be near
  expect_identical(stage_end(NaN)$convergence, 1L)
  expect_identical(stage_end(0)$convergence, 0L)
})

test_that("an average says so when its search stopped short", {
  problem <- c(valley(), rates = function(par) 0.1)
  problem$control$progress <- list(count = function() 9L)
  problem$latent$hyper <- list(nugget = 1, bias = 1)
  learning <- function(left) {
    mode <- list(par = c(1, 1), penalised = 0, opt = list(left = left))
    learn_report(problem, mode, list(value = 0), "integrate", list(mode))
  }
  expect_identical(learning(0.5)$convergence, 0L)
  expect_identical(learning(600)$convergence, 1L)
  fit <- gpc(class ~ a + b, toy(), control = ep_control(progress = FALSE))
  fit$learning[c("convergence", "message")] <- learning(600)[c("convergence", "message")]
  expect_output(print(fit), "stopped short")
  expect_match(ep_diagnostics(fit)$happened, "promises 600 nats", all = FALSE)
})

extended_test("a kernel that some rows do not show is found on 90,000, within a nat", {
  n <- 90000
  d <- withr::with_seed(3, {
    X <- matrix(rnorm((n + 20000) * 5), ncol = 5)
    event <- 4 * sin(4 * X[, 1]) * cos(3 * X[, 2]) + rnorm(n + 20000) / 2 > 0
    data.frame(X, y = factor(xor(event, runif(n + 20000) < 0.1)))[seq_len(n), ]
  })
  fit <- gpc(
    y ~ ., d, inducing = 100, hyper = "optimum", epsilon = "learn",
    control = ep_control(progress = FALSE)
  )
  expect_identical(fit$learning$convergence, 0L)
  expect_lt(abs(fit$epsilon - 0.1), 0.005)
  # on with a search of another kind, from there, no further along what is on a bound: bounds
  # lie around where a search starts, and this one starts elsewhere
  values <- fit$kernel[c("lengthscale", "bias", "nugget")]
  par <- c(log(unlist(values)), stats::qlogis(2 * fit$epsilon))
  latent <- model_latent(fit)
  latent$free <- names(values)
  latent$prior <- fit$kernel$prior
  problem <- learn_problem(latent, fit$spec)
  look <- function(par) {
    learn_evaluation(problem, par, learn_ep_at(problem, par, fit$ep$sites))
  }
  held <- learn_names(problem) %in% fit$learning$on_bound
  upper <- ifelse(held, par, problem$upper)
  expect_close(look(par)$penalised, fit$learning$penalised, 1e-6)
  other <- stats::optim(
    par, function(par) -look(par)$penalised, function(par) -look(par)$gradient,
    method = "L-BFGS-B", lower = problem$lower, upper = upper, control = list(maxit = 30)
  )
  expect_lt(-other$value - fit$learning$penalised, stage_near)
})
