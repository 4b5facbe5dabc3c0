# The curvature at a mode where EP does not converge nearby, on a posterior that is known: rows
# with log probabilities -(a_i'z)^2 / 2 + b_i'z, so that the curvature is A'A, and an EP that
# fails where it is told to.

A <- withr::with_seed(4, matrix(rnorm(40), 20))
b <- withr::with_seed(5, matrix(rnorm(40), 20))
b <- b - rep(colMeans(b), each = 20) # the mode is at 0

#' @param ends function(z) -> list(status, residual, error: of the gradient).
failing <- function(ends, loo = TRUE) {
  ep <- function(points, df, control, criterion, gradient) lapply(points, function(at) {
    z <- at$hyper$z
    rows <- -drop(A %*% z)^2 / 2 + drop(b %*% z)
    end <- if (control$max_sweeps == 1) list(status = 1L, residual = 1, error = 0) else ends(z)
    slope <- -drop(crossprod(A, A %*% z)) + colSums(b) + end$error
    list(
      status = end$status, residual = end$residual, value = sum(rows), gradient = slope,
      gradient_status = 0L, loo = if (loo) rows, sites = list(tau = z[1] + 0 * rows, nu = 2 * rows)
    )
  })
  problem <- list(
    latent = list(n = 20, ep = ep, reports = label_reports(rep(1:2, 10), 2)),
    field = c("nugget", "bias"), hyper = function(z) list(z = z), df = Inf,
    omega = function(z) as_omega(0, 2), criterion = "evidence", control = ep_control(),
    search_control = unclass(ep_control()), precision = 1, least = 0.5, lower = -Inf, upper = Inf,
    pull = function(z, gradient, slope) gradient - 0 * z,
    prior = function(z) list(value = -sum(z^2) / 2, gradient = -z)
  )
  learn_curvature(problem, list(par = c(0, 0), sites = NULL, penalised = -Inf))
}

exact <- list(status = 0L, residual = 1e-9, error = 0)
stalled <- function(residual, error) list(status = 5L, residual = residual, error = error)
truth <- crossprod(A) + diag(2)

test_that("where EP converges it is that of differences", {
  found <- failing(function(z) exact)
  expect_close(found$H, truth, 1e-10, floor = 1)
  expect_identical(found$measured, rep("converged", 2))
  expect_identical(curvature_words(list(found)), "")
  # on one side only
  found <- failing(function(z) if (any(z > 0.01)) stalled(1, 100) else exact)
  expect_close(found$H, truth, 1e-10, floor = 1)
  expect_identical(found$measured, rep("converged", 2))
})

test_that("an EP that stalls next to the mode is near enough, and that is said", {
  found <- failing(function(z) if (all(z == 0)) exact else stalled(5e-3, -sign(sum(z)) * 0.01))
  expect_lt(max(abs(found$H - truth)), 0.5)
  expect_identical(found$measured, rep("stalled", 2))
  expect_match(curvature_words(list(found)), "stalled")
  # its gradient may be too far off to tell anything
  found <- failing(function(z) if (all(z == 0)) exact else stalled(5e-3, sign(sum(z)) * 100))
  expect_identical(found$measured, rep("scores", 2))
})

test_that("where EP fails, shorter steps are tried", {
  found <- failing(function(z) if (any(abs(z) > 0.005)) stalled(1, 100) else exact)
  expect_close(found$H, truth, 1e-10, floor = 1)
  expect_identical(found$measured, rep("converged", 2))
})

test_that("where it fails everywhere else, the scores of the rows tell the curvature", {
  found <- failing(function(z) if (all(z == 0)) exact else stalled(1, 100))
  expect_close(found$H, crossprod(b) + diag(2), 1e-8, floor = 1)
  expect_identical(found$measured, rep("scores", 2))
  expect_match(curvature_words(list(list(measured = "converged"), found)), "scores")
  # along one coordinate only: the others tell what it shares with them
  found <- failing(function(z) if (z[2] != 0) stalled(1, 100) else exact)
  expect_identical(found$measured, c("converged", "scores"))
  expect_close(found$H[1, ], truth[1, ], 1e-8, floor = 1)
  expect_close(found$H[2, 2], 1 + sum(b[, 2]^2), 1e-8)
})

test_that("without scores, too, it is that of the prior, but not in silence", {
  found <- failing(function(z) if (all(z == 0)) exact else stalled(1, 100), loo = FALSE)
  expect_equal(found$H, diag(2))
  expect_identical(found$measured, rep("prior", 2))
  expect_match(curvature_words(list(found)), "prior")
  expect_null(failing(function(z) stalled(1, 100))$H)
})

test_that("a mode is measured at round coordinates next to it, whatever its last digits", {
  curvature <- diag(c(1, 400))
  problem <- list(lower = c(-Inf, 0.1), upper = c(Inf, 9))
  round_at <- function(par) mode_rounded(problem, list(par = par, curvature = curvature))
  par <- c(0.123456789, 1.23456789)
  expect_identical(round_at(par), round_at(par * (1 + 1e-12)))
  expect_true(all(abs(round_at(par) - par) < 1 / 512 / sqrt(diag(curvature))))
  expect_identical(round_at(c(0, 0.1))[2], 0.1) # a bound is not passed
})
