# Exact gradients against central differences with two Richardson steps (error
# O(step^6)), every value from EP converged anew to rounding.

# Two numeric columns and a factor of three levels; labels with a few flips.
mixed_data <- function(n) {
  d <- data.frame(
    a = rnorm(n), b = rnorm(n), g = factor(sample(c("u", "v", "w"), n, replace = TRUE))
  )
  y <- ifelse(d$a + 0.7 * d$b + (d$g == "u") > 0.3, 1, -1)
  wrong <- sample(n, 4)
  y[wrong] <- -y[wrong]
  list(data = d, y = y)
}

# The design that gpc() hands to C, as a function of the packed parameters
# log lengthscale, log variance, log bias, log nugget, log linear, epsilon (neg, pos).
gradient_problem <- function(kernel, n = 25) {
  problem <- mixed_data(n)
  fit <- gpc(
    problem$data, problem$y, kernel = kernel, epsilon = 0.05,
    control = ep_control(max_sweeps = 1)
  )
  list(X = fit$data$X, columns = model_columns(fit), y = problem$y, g = length(fit$kernel$lengthscale))
}

native_at <- function(problem, par, df, criterion, gradient = FALSE, tol = 1e-13) {
  g <- problem$g
  native_gp_fit(
    problem$X, problem$columns,
    list(
      lengthscale = exp(par[seq_len(g)]), variance = exp(par[[g + 1]]),
      bias = exp(par[[g + 2]]), nugget = exp(par[[g + 3]]), linear = exp(par[[g + 4]])
    ),
    likely(problem$y, par[g + 5:6]), df, NULL, ep_control(tol = tol), criterion, gradient
  )
}

richardson <- function(f, par, j, step) {
  central <- vapply(step / c(1, 2, 4), function(h) {
    move <- replace(numeric(length(par)), j, h)
    (f(par + move) - f(par - move)) / (2 * h)
  }, 0)
  first <- (4 * central[2:3] - central[1:2]) / 3
  (16 * first[2] - first[1]) / 15
}

expect_gradient <- function(problem, par, df, criterion, tolerance) {
  fit <- native_at(problem, par, df, criterion, TRUE)
  expect_identical(fit$status, 0L)
  f <- function(par) {
    at <- native_at(problem, par, df, criterion)
    if (at$status != 0L) NA_real_ else at$value
  }
  g <- problem$g
  exact <- c(unlist(fit$gradient), rate_gradient(fit$slope, problem$y))
  free <- if (par[[g + 5]] > 0) seq_along(par) else seq_len(g + 4)
  step <- c(rep(0.03, g + 4), par[g + 5:6] / 20)
  differences <- vapply(free, function(j) richardson(f, par, j, step[j]), 0)
  # relative; entries below a thousandth of the largest, relative to that
  floor <- max(abs(exact[free])) / 1000
  expect_close(exact[free], differences, tolerance, floor = floor)
  # the scale of (variance, bias, nugget) is not identified
  expect_lt(abs(sum(exact[g + 1:3])), 1e-10 * max(1, abs(exact)))
}

kernels <- list(
  ard = kernel_ard(fixed = TRUE, prior = NULL),
  iso = kernel_iso(fixed = TRUE, prior = NULL)
)

for (name in names(kernels)) {
  test_that(paste("gradients equal differences:", name), {
    withr::local_seed(21)
    suppressWarnings(problem <- gradient_problem(kernels[[name]]))
    draws <- if (extended()) 10 else 1
    for (draw in seq_len(draws)) {
      par <- c(
        rnorm(problem$g, log(1.5), 0.3), log(c(1.4, 0.2, 0.5, 0.6)) + rnorm(4) / 5, 0.06, 0.06
      )
      for (df in c(3, 10, Inf)) for (type in c("evidence", "evidence_zp", "loo")) {
        expect_gradient(problem, par, df, type, 1e-6)
      }
    }
  })
}

test_that("gradients without flips and with unequal ones equal differences", {
  withr::local_seed(22)
  suppressWarnings(problem <- gradient_problem(kernels$ard))
  for (epsilon in list(c(0, 0), c(0.03, 0.15))) {
    par <- c(rnorm(problem$g, log(1.5), 0.3), log(c(1, 0.2, 0.8, 0.6)), epsilon)
    for (df in c(10, Inf)) for (type in c("evidence", "evidence_zp", "loo")) {
      expect_gradient(problem, par, df, type, 1e-6)
    }
  }
})

test_that("gradients with many negative sites equal differences", {
  withr::local_seed(23)
  suppressWarnings(problem <- gradient_problem(kernels$ard))
  problem$y <- sample(c(-1, 1), length(problem$y), replace = TRUE)
  par <- c(rep(log(2), problem$g), log(c(1, 0.2, 0.3, 0.6)), 0.25, 0.25)
  for (df in c(3, Inf)) for (type in c("evidence", "loo")) {
    expect_gt(sum(native_at(problem, par, df, type)$sites$tau < 0), 2)
    expect_gradient(problem, par, df, type, 1e-6)
  }
})

test_that("criterion() gives these numbers, named like coef()", {
  withr::local_seed(24)
  d <- mixed_data(40)
  for (kernel in kernels) for (df in c(10, Inf)) {
    fit <- stc(
      d$data, d$y, df = df, kernel = kernel, epsilon = 0.05,
      control = ep_control(tol = 1e-12)
    )
    for (type in c("evidence", "loo")) {
      result <- criterion(fit, type)
      value <- if (type == "loo") loo_sum(fit) else log_evidence(fit)
      expect_close(result$value, value, 1e-8)
      expect_named(result$gradient, names(coef(fit)))
      # along one coordinate, by refitting through the public function
      moved <- function(h) {
        at <- update(fit, epsilon = 0.05 + h)
        if (type == "loo") loo_sum(at) else log_evidence(at)
      }
      slope <- (8 * (moved(4e-4) - moved(-4e-4)) - (moved(8e-4) - moved(-8e-4))) / 48e-4
      expect_close(result$gradient[["epsilon"]], slope, 1e-6)
      expect_lt(abs(sum(result$gradient[c("variance", "bias", "nugget")])), 1e-8)
    }
  }
})

test_that("a hyperparameter at 0 has gradient 0", {
  withr::local_seed(25)
  d <- mixed_data(30)
  kernel <- kernel_ard(bias = 0, nugget = 0, fixed = TRUE)
  g <- criterion(gpc(d$data, d$y, kernel = kernel, epsilon = 0.1))$gradient
  expect_identical(unname(g[c("bias", "nugget")]), c(0, 0))
  expect_lt(abs(g[["variance"]]), 1e-8)
})
