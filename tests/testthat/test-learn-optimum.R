# The optimum of a criterion: which starts it has, and how long its search may take.

test_that("a search whose criterion has gaps ends", {
  # EP has fixed points at some scales and none at others nearby
  X <- withr::with_seed(49, list(X = matrix(rnorm(60), 20), y = runif(20) < 0.5))
  fit <- suppressWarnings(bpm(
    X$X, X$y, df = 1000, prior_scale = "learn", epsilon = 0.01, scale = FALSE,
    control = ep_control(restarts = 0)
  ))
  expect_lte(fit$learning$evaluations, learn_maxit)
  expect_gte(fit$learning$penalised, max(fit$learning$starts$penalised))
})

test_that("a search has so many evaluations and no more, and says so", {
  problem <- list(
    lower = c(-9, -9), upper = c(9, 9), field = c("a", "b"), curvature = c(0.25, 0.25)
  )
  times <- 0
  narrow <- list(problem = problem, begin = function(from) NULL, at = function(par) {
    times <<- times + 1
    slope <- c(-400 * par[1] * (par[2] - par[1]^2) - 2 * (1 - par[1]), 200 * (par[2] - par[1]^2))
    list(par = par, penalised = -100 * (par[2] - par[1]^2)^2 - (1 - par[1])^2, gradient = -slope)
  })
  search <- function(steps) learn_walk(list(par = c(-1.2, 1)), narrow, diag(2), steps)$opt
  few <- search(5)
  expect_match(few$message, "5 evaluations of the criterion were not enough")
  expect_identical(times, 6) # that of the start, too
  expect_identical(search(learn_maxit)$message, "converged")
})

extended_test("searches of ordinary data end well before", {
  for (name in c("synth", "newthyroid", "pima", "sonar", "ionosphere")) {
    d <- sturdy_data(name)
    d <- d[round(seq(1, nrow(d), length.out = 100)), ]
    d$class <- factor(d$class == levels(factor(d$class))[1])
    one <- ep_control(restarts = 0)
    fits <- suppressWarnings(suppressMessages(list(
      gpc(class ~ ., d, epsilon = "learn", control = one),
      stc(class ~ ., d, df = 3, epsilon = "learn", control = one),
      bpm(class ~ ., d, epsilon = "learn", prior_scale = "learn", control = one)
    )))
    for (fit in fits) {
      expect_identical(fit$learning$convergence, 0L)
      expect_lte(fit$learning$evaluations, learn_maxit / 2) # of race and climb
    }
  }
})

test_that("a search ends with its budget, at the best so far, and says so", {
  d <- toy(60)
  fit <- function(budget, ...) {
    gpc(
      class ~ a + b, d, epsilon = "learn", ...,
      control = ep_control(budget = budget, progress = FALSE)
    )
  }
  free <- fit(Inf)
  expect_identical(hyperparameters(fit(1e4)), hyperparameters(free))
  for (more in list(list(), list(inducing = 20))) {
    short <- do.call(fit, c(budget = 1e-9, more))
    expect_identical(short$learning$convergence, 1L)
    expect_match(short$learning$message, "budget")
    expect_lt(short$learning$evaluations, free$learning$evaluations)
    expect_identical(short$ep$status, "converged")
  }
  said <- ep_diagnostics(fit(1e-9))$happened
  expect_match(said, "its budget of 1 s is used up", all = FALSE)
  expect_error(ep_control(budget = 0), class = "sturdy_error_range")
  expect_error(ep_control(budget = "1 h"), class = "sturdy_error_type")
})

test_that("a mode with few wrong labels is held against a climb from many, with less overlap", {
  fit <- toy_fit(epsilon = 0.05)
  latent <- model_latent(fit)
  latent$free <- "nugget"
  problem <- optimum_problem(latent, gpc_spec(epsilon = "learn"))
  tried <- list()
  local_mocked(learn_modes = function(objective, starts) {
    tried <<- c(tried, starts)
    list(c(starts[[1]], penalised = -1))
  })
  found <- function(rate, before = NULL) {
    tried <<- list()
    at <- list(par = c(0, stats::qlogis(2 * rate)), H = diag(2))
    problem$starts <- function(problem) list(at)
    learn_search(problem, if (!is.null(before)) list(problem = problem, modes = list(at)))$modes
  }
  expect_length(found(0.01), 2)
  expect_equal(problem$rates(tried[[2]]$par), 0.1)
  expect_equal(tried[[2]]$par[1], -log(10))
  expect_length(found(0.2), 1)
  expect_length(found(0.01, "some rows"), 2) # they may have told of too few
})

test_that("at the optimum the rate is the mean probability of a wrong label, EM's fixed point", {
  fit <- gpc(class ~ ., toy(60), kernel = held(), epsilon = "learn", hyper = "optimum")
  expect_close(fit$epsilon, mean(fit$ep$flipped), 2e-3, floor = 1)
  # three in ten of the truly negative are recorded as positive, none the other way
  d <- data.frame(a = seq(-2, 2, length.out = 80))
  flipped <- withr::with_seed(2, d$a < 0 & runif(80) < 0.3)
  d$class <- factor(ifelse(xor(d$a > 0, flipped), "yes", "no"))
  two <- gpc(class ~ a, d, kernel = held(), epsilon = "learn2", hyper = "optimum")
  expect_lt(two$epsilon[["pos"]], 1e-5)
  expect_lt(abs(two$epsilon[["neg"]] - mean(flipped[d$a < 0])), 0.1)
  p <- two$ep$flipped
  negative <- sum(p[two$data$y > 0]) + sum(1 - p[two$data$y < 0])
  expect_close(two$epsilon[["neg"]], sum(p[two$data$y > 0]) / negative, 2e-3)
})

test_that("modes are one that are near in value and in place, or within their width", {
  mode <- list(par = c(0, 0), penalised = -10, H = diag(c(25, 1 / 9)))
  known <- function(par, penalised) mode_is_known(list(par = par, penalised = penalised), list(mode))
  expect_false(known(c(3.5, 0), -10.1)) # as good, and elsewhere
  expect_true(known(c(0, 2.5), -12)) # within the width, however much worse
  expect_false(known(c(0.5, 0), -11)) # near, but beyond it, and not as good
  expect_true(known(c(0.5, 0), -10.4))
  expect_true(known(c(9, 9), -17.1)) # lost
  expect_false(mode_is_known(list(par = c(0, 0), penalised = -10), list()))
})

test_that("a place that no search has found is neither cold nor not", {
  expect_identical(learn_is_cold(list(ep = list(cold = TRUE, value = -3))), NA)
  expect_true(learn_is_cold(list(ep = list(cold = TRUE, value = -3), value = -3)))
  expect_false(learn_is_cold(list(ep = list(cold = TRUE, value = -4), value = -3)))
  expect_false(learn_is_cold(list(ep = list(cold = TRUE), value = -3)))
})
