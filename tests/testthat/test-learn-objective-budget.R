# What is left to do when the time of ep_control(budget =) is over.

three_groups <- function(n = 45) {
  set.seed(5)
  x <- matrix(rnorm(2 * n), n)
  f <- cbind(x, -rowSums(x)) + matrix(rnorm(3 * n, 0, 0.5), n)
  list(x = x, y = factor(c("a", "b", "c")[max.col(f)]))
}
hard_kernel <- function() kernel_iso(1.5, nugget = 0, fixed = c("variance", "bias", "nugget"))

test_that("an average of several classes ends soon after its time, whenever that is", {
  d <- three_groups()
  asked <- late <- 0
  limit <- Inf
  original <- native_classes_fit
  over <- function(problem) {
    asked <<- asked + 1
    asked > limit
  }
  local_mocked(
    learn_is_over = over,
    native_classes_fit = function(...) {
      if (asked > limit) late <<- late + 1
      original(...)
    }
  )
  run <- function() {
    suppressWarnings(suppressMessages(gpc(
      d$x, d$y, kernel = hard_kernel(), epsilon = "average", hyper = "integrate"
    )))
  }
  run()
  whole <- asked # times that it is asked for where time is not over
  expect_gt(whole, 10)
  fits <- lapply(c(0, 2, round(whole * c(0.3, 0.6)), whole - 1), function(limit) {
    limit <<- limit
    asked <<- late <<- 0
    fit <- run()
    expect_lte(late, 60) # some thousand where paths are followed
    expect_identical(fit$learning$convergence, 1L)
    expect_match(fit$learning$message, "used up")
    expect_true(is_average(fit) && all(is.finite(predict(fit, type = "prob"))))
    fit
  })
  expect_match(ep_diagnostics(fits[[1]])$happened, "is used up", all = FALSE)
})

test_that("nodes that time cuts short are no nodes, and those before them stay", {
  d <- three_groups(30)
  now <- FALSE
  original <- node_evaluate
  local_mocked(
    learn_is_over = function(problem) now,
    node_evaluate = function(...) {
      now <<- TRUE # after the first of them
      original(...)
    }
  )
  fit <- suppressMessages(gpc(d$x, d$y, kernel = kernel_iso(), hyper = "integrate"))
  expect_true(all(fit$nodes$models$method == "mode"))
  expect_identical(fit$learning$convergence, 1L)
})

test_that("no path is followed when time is over, and one is left there", {
  runs <- 0
  L <- label_likelihood(rep(1:2, 5), as_omega(0.1, 2))
  stalled <- function(L, sites) {
    runs <<- runs + 1
    list(status = if (runs %% 2) ep_codes[["stalled"]] else ep_codes[["converged"]], residual = 1)
  }
  expect_identical(ep_continue(stalled, L, NULL, over = function() TRUE)$status, "stalled")
  expect_identical(runs, 1)
  runs <- 0
  left <- ep_continue(stalled, L, NULL, over = function() runs >= 4)
  expect_identical(left$status, "stalled") # not lost: it was not looked for
  expect_identical(runs, 4)
})

test_that("an optimum whose time is over is one fit, and claims nothing of other starts", {
  d <- toy(80)
  fit <- gpc(class ~ a + b, d, control = ep_control(budget = 1e-9), hyper = "optimum")
  expect_identical(fit$learning$cold_start, NA)
  expect_match(fit$learning$message, "used up")
  expect_false(any(grepl("cold start", ep_diagnostics(fit)$happened)))
  expect_true(gpc(class ~ a + b, d, hyper = "optimum")$learning$cold_start)
})

test_that("a search from a better node that finds no mode leaves those there are", {
  set.seed(164)
  X <- cbind(rnorm(40), rnorm(40))
  y <- X[, 1] + rnorm(40) > 0
  sought <- 0
  local_mocked(
    average_ahead = function(model, part) {
      sought <<- sought + 1
      model
    },
    # none is found from where modes are known
    grown_starts = function(problem, few, n) list()
  )
  fit <- gpc(X, y, kernel = kernel_iso(), epsilon = 0.1, hyper = "integrate")
  expect_identical(sought, 1)
  expect_true(all(is.finite(predict(fit, type = "prob"))))
})
