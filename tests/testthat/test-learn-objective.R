# What a learned optimum must be: stationary, reached from a cold start, better
# than where it started, inside its bounds or reported, and the same every time.

learn_data <- function(n = 60, seed = 31) {
  withr::with_seed(seed, {
    d <- data.frame(a = rnorm(n), b = rnorm(n), c = rnorm(n))
    d$class <- factor(ifelse(d$a + sin(2 * d$b) + rnorm(n) / 5 > 0, "yes", "no"))
    d$class <- flip_labels(d$class, 0.1, seed = 1)
    d
  })
}

# Penalised criterion as a function of a fit's packed coefficients: written anew,
# through the public functions at held hyperparameters.
penalised_at <- function(fit, move) {
  at <- coef(fit)
  held <- fit$kernel
  logs <- grepl("lengthscale|variance|bias|nugget", names(at))
  at[logs] <- at[logs] * exp(move[logs])
  at["epsilon"] <- at["epsilon"] + move[!logs]
  kernel <- (if (held$type == "ard") kernel_ard else kernel_iso)(
    unname(at[grepl("lengthscale", names(at))]), at[["variance"]], at[["bias"]],
    at[["nugget"]], fixed = TRUE, prior = NULL
  )
  refit <- update(
    fit, kernel = kernel, epsilon = at[["epsilon"]],
    control = ep_control(tol = 1e-11)
  )
  value <- criterion(refit, fit$spec$criterion)$value
  prior <- 0
  for (name in setdiff(c("lengthscale", "bias", "nugget"), held$fixed)) {
    p <- held$prior[[name]]
    if (is.null(p)) next
    value_at <- log(at[startsWith(names(at), name)])
    prior <- prior - sum((value_at - p$meanlog)^2 / (2 * p$sdlog^2))
  }
  value + prior
}

fits <- local({
  d <- learn_data()
  quiet <- function(...) suppressWarnings(suppressMessages(...))
  list(
    gpc = quiet(gpc(class ~ ., d, epsilon = "learn")),
    gpc_iso = quiet(gpc(class ~ ., d, kernel = kernel_iso(prior = NULL))),
    gpc_loo = quiet(gpc(class ~ ., d, criterion = "loo")),
    stc = quiet(stc(class ~ ., d, epsilon = "learn")),
    stc_held = quiet(stc(class ~ ., d, epsilon = 0.05, criterion = "evidence"))
  )
})

test_that("the optimum is stationary along every free direction", {
  for (name in names(fits)) {
    fit <- fits[[name]]
    free <- setdiff(names(coef(fit)), c("variance", fit$learning$on_bound))
    if (is.numeric(fit$spec$epsilon)) free <- setdiff(free, "epsilon")
    here <- penalised_at(fit, numeric(length(coef(fit))))
    expect_close(here, fit$learning$penalised, 1e-5)
    for (one in free) {
      step <- if (one == "epsilon") coef(fit)[["epsilon"]] / 20 else 0.02
      move <- function(h) penalised_at(fit, ifelse(names(coef(fit)) == one, h, 0))
      # in units of one step of size 1 in the log (epsilon: of its own size)
      unit <- if (one == "epsilon") coef(fit)[["epsilon"]] else 1
      slope <- (move(step) - move(-step)) / (2 * step) * unit
      # the search stops when the next step promises 2e-5: slopes of some 1e-2
      expect_lt(abs(slope), 0.05, label = paste(name, one))
      # and no better point nearby
      best <- max(move(10 * step), move(-10 * step))
      expect_lt(best, here + 1e-3, label = paste(name, one))
    }
  }
})

test_that("the optimum is better than every start", {
  for (fit in fits) {
    expect_gte(fit$learning$penalised, max(fit$learning$starts$penalised) - 1e-6)
    default <- update(
      fit,
      kernel = (if (fit$kernel$type == "ard") kernel_ard else kernel_iso)(fixed = TRUE),
      epsilon = 0.05
    )
    expect_gt(
      fit$learning$value, criterion(default, fit$spec$criterion)$value - 2
    )
  }
})

test_that("the optimum is reached from a cold start", {
  for (fit in fits) {
    expect_true(fit$learning$cold_start)
    expect_identical(fit$ep$status, "converged")
    cold <- ep_run_gram(
      native_gram(fit$data$X, NULL, model_columns(fit), kernel_hyper(fit$kernel)), fit$data$y, fit$spec$df,
      fit$epsilon
    )
    expect_close(cold$log_evidence, fit$ep$log_evidence, 1e-8)
    expect_close(cold$m, fit$ep$m, 1e-6, floor = 1)
  }
})

test_that("the slope of the objective is that of its differences", {
  d <- learn_data(40)
  fit <- gpc(class ~ ., d, kernel = kernel_ard(2, fixed = TRUE), epsilon = 0.05)
  for (epsilon in c("learn", "learn2")) {
    latent <- latent_kernel(
      fit$data$X, model_columns(fit), row_labels(fit$data),
      kernel_resolve(
        kernel_ard(2, nugget = 0.3), fit$data$X, model_columns(fit), fit$blueprint$columns
      )
    )
    problem <- learn_problem(
      latent, gpc_spec(epsilon = epsilon, control = ep_control(tol = 1e-11)),
      log_coordinates(latent, epsilon, proper = TRUE)
    )
    problem$search_control$tol <- 1e-11
    # rates far from 0, where 1 - 2 epsilon matters
    par <- replace(problem$start, problem$field == "epsilon", 0.2)
    at <- function(par) learn_evaluation(problem, par, learn_ep_at(problem, par, NULL))
    slope <- vapply(seq_along(par), function(j) {
      h <- replace(numeric(length(par)), j, 1e-3)
      (at(par + h)$penalised - at(par - h)$penalised) / 2e-3
    }, 0)
    expect_close(at(par)$gradient, slope, 1e-4, floor = 1)
  }
})

test_that("an optimum that a cold start does not reach is not called reached", {
  d <- withr::with_seed(39, {
    d <- data.frame(a = rnorm(20), b = rnorm(20))
    d$y <- as.integer(d$a + sin(2 * d$b) > 0)
    wrong <- sample(20, 3)
    d$y[wrong] <- 1 - d$y[wrong]
    d
  })
  fit <- suppressWarnings(stc(
    y ~ ., d, df = 3, epsilon = 0.01, criterion = "evidence",
    kernel = kernel_iso(nugget = 0.02, fixed = c("variance", "nugget"))
  ))
  cold <- suppressWarnings(penalised_at(fit, numeric(length(coef(fit)))))
  expect_lt(cold, fit$learning$penalised - 0.01)
  expect_false(fit$learning$cold_start)
  # the fit holds the fixed point of the search, and tells of the other
  expect_gt(fit$ep$rival$worse, 0.01)
  expect_close(fit$learning$value, criterion(fit)$value, 1e-8)
})

test_that("learning draws nothing and repeats itself", {
  d <- learn_data()
  withr::local_seed(1)
  before <- .Random.seed
  again <- suppressWarnings(gpc(class ~ ., d, epsilon = "learn"))
  expect_identical(.Random.seed, before)
  expect_identical(coef(again), coef(fits$gpc))
  expect_identical(again$ep$m, fits$gpc$ep$m)
})

test_that("the reported evidence holds no prior", {
  fit <- fits$gpc
  held <- update(
    fit,
    kernel = kernel_ard(
      unname(fit$kernel$lengthscale), 1, fit$kernel$bias, fit$kernel$nugget,
      fixed = TRUE, prior = NULL
    ),
    epsilon = fit$epsilon
  )
  expect_null(held$learning)
  expect_close(log_evidence(fit), log_evidence(held), 1e-8)
  expect_close(fit$learning$value, log_evidence(held), 1e-6)
  # the penalised value does hold it
  expect_lt(fit$learning$penalised, fit$learning$value)
  expect_close(fits$gpc_iso$learning$penalised, fits$gpc_iso$learning$value, 1e-6)
})

test_that("what is fixed stays, what is not moves", {
  d <- learn_data(40)
  fit <- function(...) suppressWarnings(gpc(class ~ a + b, d, ...))
  held <- fit(
    kernel = kernel_ard(2, 3, 0.7, 0.4, fixed = c("lengthscale", "bias", "variance")),
    epsilon = "learn"
  )
  at <- coef(held)
  expect_close(
    at[c("lengthscale.a", "lengthscale.b", "variance", "bias")], c(2, 2, 3, 0.7), 1e-14
  )
  expect_false(at[["nugget"]] == 0.4)
  expect_false(at[["epsilon"]] == 0.05)
  all_held <- fit(kernel = kernel_ard(2, fixed = TRUE), epsilon = 0.1)
  expect_null(all_held$learning)
  expect_identical(all_held$epsilon, 0.1)
  free <- fit(kernel = kernel_iso(1, fixed = character()), epsilon = 0.1)
  expect_false(coef(free)[["variance"]] == 1)
  expect_identical(coef(free)[["epsilon"]], 0.1)
})

test_that("solutions on a bound are reported", {
  # nothing to learn from: labels are coins, so epsilon goes to its upper end
  d <- withr::with_seed(5, data.frame(a = rnorm(40), y = rep(c(0, 1), 20)))
  fit <- suppressWarnings(gpc(y ~ a, d, kernel = kernel_iso(1, fixed = TRUE), epsilon = "learn"))
  expect_close(coef(fit)[["epsilon"]], 0.49, 0.05)
  # no flips at all: epsilon goes to its lower end
  clean <- data.frame(a = seq(-2, 2, length.out = 41))
  clean$y <- as.integer(clean$a > 0.02)
  fit <- suppressWarnings(
    gpc(y ~ a, clean, kernel = kernel_iso(1, fixed = TRUE), epsilon = "learn")
  )
  expect_identical(fit$learning$on_bound, c(lower = "epsilon"))
  expect_lt(coef(fit)[["epsilon"]], 1e-5)
})

extended_test("learned flip rates find the truth, seed by seed", {
  learned <- vapply(1:8, function(seed) {
    d <- learn_data(150, seed)
    coef(suppressWarnings(gpc(class ~ ., d, epsilon = "learn")))[["epsilon"]]
  }, 0)
  expect_lt(abs(mean(learned) - 0.1), 0.04)
  expect_true(all(learned > 0.02 & learned < 0.25))
})

test_that("a point whose gradient could not be had does not count", {
  fit <- toy_fit(epsilon = 0.05)
  problem <- learn_problem(model_latent(fit), gpc_spec())
  good <- learn_ep_at(problem, problem$start, NULL)
  expect_true(is.finite(learn_evaluation(problem, problem$start, good)$penalised))
  good$gradient_status <- 4L # what C says when the linear system is not solved
  expect_identical(learn_evaluation(problem, problem$start, good)$penalised, -Inf)
})

test_that("a start without a fixed point is not tried again where no noise is learned", {
  X <- withr::with_seed(1, matrix(rnorm(240), 12))
  expect_warning(
    fit <- bpm(
      X, rep(c(TRUE, FALSE), 6), df = 0.5, prior_scale = "learn", nugget = 0, epsilon = 0,
      control = ep_control(restarts = 0)
    ),
    class = "sturdy_warning"
  )
  expect_identical(fit$ep$status, "no_fixed_point")
  expect_identical(fit$learning$evaluations, 1L)
})
