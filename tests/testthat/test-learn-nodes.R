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
        near = isTRUE(control$near), cold = is.null(point$sites)
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
  expect_equal(easy$asked[[1, "near"]], 1)
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

# A problem of learning at one point, with the evaluation there to its last digits
problem_of <- function(fit) {
  problem <- learn_problem(model_latent(fit), fit$spec)
  problem$search_control$lean <- FALSE
  problem$search_control$tol <- 1e-10
  problem
}
ep_at <- function(problem, par, sites = NULL) {
  learn_ep(problem, list(list(par = par, sites = sites)), gradient = FALSE)[[1]]
}
node_table <- withr::with_seed(8, data.frame(a = rnorm(40), b = rnorm(40)))
node_table$y <- factor(replace(node_table$a + sin(2 * node_table$b) > 0, 1:3, TRUE), labels = c("n", "p"))
node_table$three <- cut(node_table$a + node_table$b, c(-Inf, -1, 1, Inf), c("l", "m", "h"))
fit_nodes <- function(formula, ...) {
  kernel <- kernel_iso(1.2, fixed = "lengthscale")
  suppressMessages(gpc(formula, node_table, kernel = kernel, epsilon = 0.1, hyper = "optimum", ...))
}

test_that("where EP starts from is its end, of labels of every kind", {
  for (fit in list(
    fit_nodes(y ~ a + b), fit_nodes(y ~ a + b, inducing = 8), fit_nodes(three ~ a + b),
    fit_nodes(ordered(three) ~ a + b), fit_nodes(y ~ a + b, weights = rep(1:3, length.out = 40))
  )) {
    problem <- problem_of(fit)
    end <- ep_at(problem, problem$start)
    even <- learn_even(problem, end)
    expect_named(even, if (is.null(problem$latent$reports$times)) c("z", "log_var") else c("tau", "nu"))
    problem$search_control$tol <- 1e-7
    expect_equal(ep_at(problem, problem$start, even)$sweeps, 0)
  }
})

test_that("a node is foreseen from the cavities of its mode and how they move", {
  problem <- problem_of(fit_nodes(y ~ a + b))
  mode <- learn_curvature(problem, learn_evaluation(
    problem, problem$start, learn_ep(problem, list(list(par = problem$start)))[[1]]
  ))
  moved <- unlist(learn_even(problem, ep_at(problem, problem$start + 0.3)))
  off <- function(sites) max(abs(unlist(sites) - moved))
  foreseen <- node_foresee(mode, problem$start + 0.3)
  expect_named(foreseen, c("z", "log_var"))
  expect_lt(off(foreseen), off(mode$sites) / 4)
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
