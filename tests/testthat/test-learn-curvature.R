# The curvature at a mode where EP does not converge nearby, on a posterior that is known: rows
# with log probabilities -(a_i'z)^2 / 2 + b_i'z, so that the curvature is A'A, and an EP that
# fails where it is told to.

A <- withr::with_seed(4, matrix(rnorm(40), 20))
b <- withr::with_seed(5, matrix(rnorm(40), 20))
b <- b - rep(colMeans(b), each = 20) # the mode is at 0

#' @param ends function(z) -> list(status, residual, error: of the gradient).
failing <- function(ends, loo = TRUE) {
  native <- function(hyper, df, L, sites, control, criterion, gradient) {
    z <- hyper$z
    rows <- -drop(A %*% z)^2 / 2 + drop(b %*% z)
    end <- if (control$max_sweeps == 1) list(status = 1L, residual = 1, error = 0) else ends(z)
    slope <- -drop(crossprod(A, A %*% z)) + colSums(b) + end$error
    list(
      status = end$status, residual = end$residual, value = sum(rows), gradient = slope,
      gradient_status = 0L, loo = if (loo) rows, sites = list(tau = z[1] + 0 * rows, nu = 2 * rows)
    )
  }
  problem <- list(
    latent = list(
      n = 20, native = native, natives = one_by_one(native), reports = label_reports(rep(1:2, 10), 2)
    ),
    field = c("nugget", "bias"), hyper = function(z) list(z = z), df = Inf,
    omega = function(z) as_omega(0, 2), criterion = "evidence", control = ep_control(),
    search_control = unclass(ep_control()), precision = 1, least = 0.5, lower = -Inf, upper = Inf,
    pull = function(z, gradient, slope) gradient - 0 * z,
    prior = function(z) list(value = -sum(z^2) / 2, gradient = -z)
  )
  learn_curvature(learn_objective(problem), list(par = c(0, 0), sites = NULL, penalised = -Inf))
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

extended_test("useless inputs and a rare class: the evidence of rates has its curvature", {
  d <- withr::with_seed(501, {
    X <- matrix(rnorm(10000), ncol = 2)
    y <- rep(FALSE, 5000)
    y[sample(5000, 250)] <- TRUE
    list(X = X, y = y)
  })
  fit <- gpc(d$X, d$y, epsilon = "average", hyper = "integrate")
  test <- noise_test(fit)
  # with n/(e (1 - e)) (de/du)^2 = 417 for the curvature along the rate, and inputs that say nothing
  # among the possibilities, it is 1.8; with the curvature of the prior 21
  expect_lt(abs(log(test$bayes_factor / 1.8)), 0.25)
  expect_match(test$models$method[-1], "mode [(](stalled|scores)[)]|mode")
})

test_that("a mode of another noise model lends its curvature only where it is near", {
  field <- c("nugget", "bias", "epsilon")
  H <- matrix(c(4, 1, 1, 3), 2)
  other <- list(
    problem = list(field = field[1:2]),
    modes = list(list(
      par = c(0, 0), H = H, tangent = matrix(1:4, 2), measured = rep("converged", 2)
    ))
  )
  told <- curvature_beside(list(field = field), list(par = c(0.1, 0.1, -1)), list(none = other))
  expect_identical(told$at, 1:2)
  expect_equal(told$H, H)
  expect_equal(told$tangent, matrix(1:4, 2))
  expect_null(
    curvature_beside(list(field = field), list(par = c(1, 0, -1)), list(none = other))
  )
  other$modes[[1]]$measured[1] <- "scores"
  expect_null(
    curvature_beside(list(field = field), list(par = c(0, 0, -1)), list(none = other))
  )
})

test_that("a curvature that is lent is completed by differences", {
  d <- withr::with_seed(1, data.frame(a = rnorm(60), b = rnorm(60)))
  d$y <- d$a + withr::with_seed(2, rnorm(60)) > 0
  fit <- gpc(y ~ ., d, epsilon = "learn", control = ep_control(progress = FALSE))
  noise <- noise_model("learn", noise_prior(), fit$data$reports)
  spec <- utils::modifyList(unclass(fit$spec), list(deadline = Inf))
  objective <- learn_objective(average_problem(model_latent(fit), noise_of("one", noise), spec))
  mode <- learn_modes(objective, list(list(par = objective$problem$start)))[[1]]
  k <- which(objective$problem$field != "epsilon")
  told <- list(at = k, H = mode$H[k, k], tangent = mode$tangent[, k])
  again <- learn_curvature(objective, mode, told = told)
  # differences to one side, of which the full curvature takes the mean of two
  expect_equal(again$H, mode$H, tolerance = 0.01)
  expect_equal(again$tangent, mode$tangent, tolerance = 1e-3)
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
