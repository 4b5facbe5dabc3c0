# EP at nodes that are hard: which have a weight, and what evidence, must not hang on rounding.

# A problem whose EP ends as `ends(par, control, sites)` says, and what was asked of it
mock_nodes <- function(ends, Z, together = FALSE, functions = 1) {
  asked <- list()
  problem <- list(
    latent = list(n = 2, Z = if (together) matrix(0), functions = functions, coarse = NULL),
    control = list(tol = 1e-9), search_control = list(tol = 1e-4, max_sweeps = 200)
  )
  local_mocked(learn_ep = function(problem, points, gradient) {
    lapply(points, function(point) {
      control <- problem$search_control
      asked[[length(asked) + 1]] <<- c(
        par = point$par, tol = control$tol, sweeps = control$max_sweeps,
        cold = is.null(point$sites)
      )
      end <- ends(point$par, control, point$sites)
      c(end, list(
        sites = list(tau = c(end$sweeps, 0), nu = c(0, 0)), b = 0, seen = matrix(0, 2, 2),
        log_evidence = -point$par, second = 0
      ))
    })
  })
  near <- rep(list(list(par = 0, sites = list(tau = c(1, 1), nu = c(0, 0)))), ncol(Z))
  out <- node_evaluate(problem, near, Z)
  list(out = out, asked = do.call(rbind, asked))
}
converged <- function(sweeps) list(status = ep_codes[["converged"]], sweeps = sweeps, residual = 0)
limited <- function(control) {
  list(status = ep_codes[["max_sweeps"]], sweeps = control$max_sweeps, residual = 1)
}

test_that("an easy node is one run of EP, a slow one ends at its fixed point", {
  easy <- mock_nodes(function(par, control, sites) converged(4), matrix(3))
  expect_equal(nrow(easy$asked), 1)
  expect_equal(easy$asked[[1, "tol"]], node_tol)
  slow <- mock_nodes(function(par, control, sites) {
    converged(if (is.null(sites) || sites$tau[1] != 9) 9 else 5) # from where it was left
  }, matrix(3))
  expect_equal(slow$asked[, "tol"], c(node_tol, node_settled[["two"]]))
  expect_equal(slow$out[[1]]$sites$tau[1], 5)
  expect_equal(slow$asked[, "par"], c(3, 3))
  # what can't be had finer is what it was
  rough <- mock_nodes(function(par, control, sites) {
    if (control$tol < 1e-4) limited(control) else converged(9)
  }, matrix(3))
  expect_equal(rough$out[[1]]$sites$tau[1], 9)
})

test_that("a node that ends in no fixed point is led there by half of the way, or has no weight", {
  far <- function(par, control, sites) {
    # from half of the way the whole way is there
    if (par < 2 || isTRUE(sites$tau[1] == 7)) converged(7) else limited(control)
  }
  found <- mock_nodes(far, cbind(1, 3))
  expect_equal(found$asked[, "par"], c(1, 3, 1, 1.5, 3)) # the first is slow
  expect_equal(found$out[[2]]$log_evidence, -3)
  lost <- mock_nodes(function(par, control, sites) limited(control), matrix(3))
  expect_equal(lost$asked[, "par"], c(3, 1.5))
  expect_identical(lost$out, list(NULL))
  # half of the way is not a node
  half <- mock_nodes(function(par, control, sites) {
    if (par < 2) converged(3) else limited(control)
  }, matrix(3))
  expect_identical(half$out, list(NULL))
  # where sites from elsewhere mislead, from the prior
  cold <- mock_nodes(function(par, control, sites) {
    if (is.null(sites)) converged(5) else list(status = ep_codes[["stalled"]], sweeps = 3)
  }, matrix(3))
  expect_equal(cold$asked[, "cold"], c(0, 0, 1))
  expect_equal(cold$asked[[3, "par"]], 3)
  expect_equal(cold$out[[1]]$log_evidence, -3)
})

test_that("several classes and all sites at once take more sweeps before they are hard", {
  for (way in list(list(functions = 3), list(together = TRUE))) {
    asked <- do.call(mock_nodes, c(list(function(par, control, sites) converged(14), matrix(3)), way))
    expect_equal(nrow(asked$asked), 1)
    expect_equal(asked$asked[[1, "sweeps"]], 30)
  }
})

extended_test("last bits of the inputs do not move the average, hard nodes included", {
  # the table on which a node was lost or not by rounding (tests/campaigns/campaign-invariance.R)
  set.seed(9 + 2e5 * 7208)
  n <- sample(60:150, 1)
  X <- matrix(rnorm(n * sample(2:8, 1)), n)
  f <- X[, 1] + sin(2 * X[, 2]) + 0.4 * rnorm(n)
  y <- f > median(f)
  wrong <- sample.int(n, round(n * sample(c(0, 0.05, 0.15), 1)))
  y[wrong] <- sample(c(FALSE, TRUE), length(wrong), TRUE)
  said <- lapply(c(1, 1 + 4e-16), function(by) {
    fitted(suppressMessages(gpc(X * by, y, hyper = "integrate")))
  })
  expect_equal(said[[1]], said[[2]], tolerance = 1e-9)
})
