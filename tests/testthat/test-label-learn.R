# The label stage over its coordinates: modes, curvature and weighted points, against plain R and a
# large sample by importance (helper-label.R).

made_two <- label_made(toy_scores(2, 60), "fit")

hessian <- function(problem, z, h = 1e-3) {
  f <- function(Z) label_value(problem, Z) - colSums(Z^2) / 2
  d <- length(z)
  I <- diag(h, d)
  outer(seq_len(d), seq_len(d), Vectorize(function(i, j) {
    ends <- cbind(z + I[, i] + I[, j], z + I[, i] - I[, j], z - I[, i] + I[, j], z - I[, i] - I[, j])
    -sum(f(ends) * c(1, -1, -1, 1)) / (4 * h^2)
  }))
}

test_that("the evidence of two classes is that of a large sample by importance", {
  for (kind in c("fit", "scores")) {
    made <- label_made(toy_scores(2, 60), kind)
    for (name in c("none", "one")) {
      problem <- label_made_problem(made, name)
      want <- plain_label_model(made$P, made$y, name, kind, problem$field)
      expect_lt(want$error, 0.025)
      # 1,000 points against 3,000; and the usual 256
      expect_lt(abs(label_integral(problem, 1000L)$log_evidence - want$log_evidence), 0.05)
      part <- label_integral(problem)
      expect_equal(ncol(part$Z), label_points[["usual"]])
      expect_lt(abs(part$log_evidence - want$log_evidence), 0.12)
      expect_equal(part$method, "nodes")
    }
  }
})

test_that("weighted points have the means of what they stand for", {
  problem <- label_made_problem(made_two, "one")
  want <- plain_label_model(made_two$P, made_two$y, "one", "fit", problem$field)
  part <- label_integral(problem, 1000L)
  weight <- exp(part$log_weight)
  expect_equal(sum(weight), 1)
  mean <- drop(part$Z %*% weight)
  by_sample <- drop(want$Z %*% want$weight)
  expect_lt(max(abs(mean - by_sample)), 0.1)
  spread <- sqrt(drop(part$Z^2 %*% weight) - mean^2)
  expect_lt(max(abs(spread / sqrt(drop(want$Z^2 %*% want$weight) - by_sample^2) - 1)), 0.1)
})

test_that("a mode is one, and its curvature that of differences", {
  for (kind in c("fit", "scores")) {
    for (name in c("none", "two")) {
      problem <- label_made_problem(label_made(toy_scores(2, 60), kind), name)
      modes <- label_modes(problem)
      expect_length(modes, 1)
      mode <- label_curved(modes[[1]][c("z", "value")], problem) # a step more
      expect_lt(max(abs(slope_at(problem, mode$z)$gradient)), 0.02)
      H <- hessian(problem, mode$z)
      expect_equal(crossprod(mode$inverse), H, tolerance = 0.01)
      expect_equal(mode$root %*% mode$inverse, diag(problem$d), tolerance = 1e-10)
      expect_equal(mode$log_det, as.numeric(determinant(mode$root)$modulus), tolerance = 1e-10)
      expect_equal(mode$value, label_value(problem, cbind(mode$z)) - sum(mode$z^2) / 2, tolerance = 1e-12)
      # what the standard normal prior has in 2 pi, the Gaussian at the mode takes back
      expect_equal(mode$laplace, mode$value - sum(log(eigen(H)$values)) / 2, tolerance = 0.01)
    }
  }
})

test_that("of a million labels a climb ends at the mode, too", {
  d <- toy_scores(2, 1000, 12, wrong = 60)
  reports <- with_times(label_reports(as.integer(d$labels), 2L), rep(1000, 1000))
  made <- label_made(d, "fit", reports = reports, models = c("none", "two"))
  none <- list(none = label_integral(label_made_problem(made, "none")))
  problem <- label_made_problem(made, "two")
  modes <- label_modes(problem, none)
  for (mode in modes) {
    slope <- slope_at(problem, mode$z)$gradient
    expect_lt(sum(crossprod(mode$root, slope)^2) / 2, 0.02)
    # the curvature as differences of the value say it along its axes
    for (k in seq_len(problem$d)) {
      by <- 0.03 * mode$root[, k]
      value <- function(z) slope_at(problem, z)$value
      bend <- (2 * value(mode$z) - value(mode$z + by) - value(mode$z - by)) / 0.0009
      expect_lt(abs(bend - 1), 0.1)
    }
  }
  expect_length(modes, 1)
})

test_that("points alone at the modes are Laplace's method", {
  problem <- label_made_problem(made_two, "one")
  part <- label_integral(problem, 0L)
  expect_equal(part$method, "mode")
  expect_equal(ncol(part$Z), part$modes)
  expect_equal(part$log_evidence, label_modes(problem)[[1]]$laplace)
  expect_equal(exp(part$log_weight), 1)
})

test_that("points stand around a mode in pairs, as a t distribution of which they have the density", {
  d <- 3
  A <- withr::with_seed(1, matrix(stats::rnorm(d * d), d))
  mode <- list(z = c(1, -2, 3), root = A, inverse = solve(A), log_det = log(abs(det(A))))
  Z <- label_draws(mode, 4000)
  expect_equal(Z[, c(TRUE, FALSE)] + Z[, c(FALSE, TRUE)], matrix(2 * mode$z, d, 2000), tolerance = 1e-12)
  # t of 7 degrees of freedom, wider by a tenth
  expect_equal(tcrossprod(Z - mode$z) / 4000, 1.1^2 * 7 / 5 * tcrossprod(A), tolerance = 0.05)
  far <- colSums((mode$inverse %*% (Z - mode$z) / 1.1)^2) / d
  share <- c(0.1, 0.5, 0.9)
  expect_equal(as.vector(stats::quantile(far, share)), stats::qf(share, d, 7), tolerance = 0.05)
  one <- list(z = 2, root = matrix(3), inverse = matrix(1 / 3), log_det = log(3))
  at <- c(-40, 0, 2.5)
  expect_equal(label_density(rbind(at), one), stats::dt((at - 2) / 3.3, 7, log = TRUE) - log(3.3))
  volume <- stats::integrate(function(x) {
    vapply(x, function(x) sum(exp(label_density(rbind(x, seq(-60, 60, 0.05), 3), mode))) * 0.05, 1)
  }, -80, 80)$value
  line <- stats::integrate(function(x) { # of the third coordinate alone
    s <- 1.1 * sqrt(tcrossprod(A)[3, 3])
    stats::dt((x - 3) / s, 7) / s
  }, 3 - 1e-4, 3 + 1e-4)$value / 2e-4
  expect_equal(volume, line, tolerance = 1e-3)
})

test_that("what has no coordinate is exact", {
  d <- withr::with_seed(2, {
    list(prob = matrix(stats::rexp(150 * 101), 150), labels = factor(sample(101, 150, TRUE), 1:101))
  })
  d$prob <- d$prob / rowSums(d$prob)
  made <- label_made(d, "scores")
  made$way$slope <- 1.3 # the user's word for overlap
  problem <- label_made_problem(made, "none")
  expect_equal(problem$d, 0)
  part <- label_integral(problem)
  q <- made$P^1.3 / rowSums(made$P^1.3)
  expect_equal(part$log_evidence, sum(log(q[cbind(1:150, made$y)])), tolerance = 1e-12)
  expect_equal(part[c("method", "log_weight", "modes")], list(method = "exact", log_weight = 0, modes = 1L))
})

test_that("two starts find classes that look alike, where the climb from none that do ends below", {
  made <- label_made(alike_scores(), "recorded")
  problem <- label_made_problem(made, "none")
  starts <- label_starts(problem, NULL)
  expect_length(starts, 2)
  ends <- lapply(starts, label_climb, problem)
  value <- vapply(ends, `[[`, 1, "value")
  shares <- vapply(ends, function(end) exp(pairs_centre(3) + 3 * end$z[problem$field == "pairs"][1]), 1)
  expect_lt(shares[1], 0.01)
  expect_gt(value[2] - value[1], 5)
  # the scores err in .3 of the rows of both: (1 - exp(-2 s)) / 2
  expect_equal((1 - exp(-2 * shares[2])) / 2, 0.3, tolerance = 0.15)
  modes <- label_modes(problem)
  expect_equal(modes[[1]]$value, value[2], tolerance = 1e-4)
})

test_that("a search goes on from the modes of the first noise model, and from there without overlap", {
  made <- label_made(alike_scores(), "recorded")
  first <- label_integral(label_made_problem(made, "none"), 0L)
  mode <- first$found[[1]]
  problem <- label_made_problem(made, "matrix")
  starts <- label_starts(problem, first)
  shared <- problem$field != "noise"
  at_mode <- vapply(starts, function(start) isTRUE(all.equal(start$z[shared], mode$z)), NA)
  expect_equal(sum(at_mode), 1)
  from <- starts[[which(at_mode)]]
  expect_equal(from$z[!shared], rep(0, sum(!shared)))
  expect_equal(from$root[shared, shared], mode$root)
  apart <- vapply(starts, function(start) all(start$z[problem$field %in% c("u", "pairs")] == 0), NA)
  expect_equal(sum(apart), 1)
  some <- problem$field %in% c("w", "slope", "slopes")
  expect_equal(starts[[which(apart)]]$z[some], from$z[some])
  # of the same without overlap: the covariance of what both have
  plain <- label_made_problem(made, "none", plain = TRUE)
  from <- label_starts(plain, first)[[1]]
  both <- !first$problem$field %in% c("pairs", "u")
  expect_equal(from$z, mode$z[both])
  expect_equal(tcrossprod(from$root), tcrossprod(mode$root)[both, both], tolerance = 1e-10)
  # how much of the noise was learned is shared, the noise of another model is not
  made <- label_made(toy_scores(2, 40), "scores")
  one <- label_made_problem(made, "one")
  two <- label_made_problem(made, "two")
  z <- seq_len(one$d)
  from <- label_starts(two, list(found = list(list(z = z, root = diag(one$d))), problem = one))[[2]]
  for (name in setdiff(one$field, "noise")) expect_equal(from$z[two$field == name], z[one$field == name])
  expect_equal(from$z[two$field == "noise"], c(0, 0))
})

test_that("an end that is found twice is one mode, and one that is far below the best none", {
  problem <- label_made_problem(made_two, "one")
  once <- label_modes(problem)
  problem$starts <- c(problem$starts, list(rep(0.3, problem$d), rep(-0.2, problem$d)))
  modes <- label_modes(problem)
  expect_length(modes, 1)
  expect_equal(modes[[1]]$value, once[[1]]$value, tolerance = 1e-5)
  alike <- label_made_problem(label_made(alike_scores(), "recorded"), "none")
  value <- vapply(label_modes(alike), `[[`, 1, "value")
  expect_true(all(max(value) - value < label_lost))
})

test_that("ends within a standard deviation are one mode, others are several, whose volumes add up", {
  ends <- list(list(z = 0.5, value = -3), list(z = 0, value = -2), list(z = 0.05, value = -2.5), list(z = 4, value = -9.5))
  local_mocked(
    label_starts = function(...) ends, label_climb = function(start, ...) start,
    label_curved = function(end, ...) c(end, list(root = matrix(0.1), inverse = matrix(10), laplace = end$value - log(10), left = 0))
  )
  modes <- label_modes(list())
  expect_equal(vapply(modes, `[[`, 1, "z"), c(0, 0.5))
  local_mocked(label_points_at = function(...) NULL)
  said <- label_integral(list(d = 1), 0L)
  total <- log(exp(-2) + exp(-3)) - log(10)
  expect_equal(said[c("laplace", "log_evidence", "modes")], list(laplace = total, log_evidence = total, modes = 2L))
  expect_equal(exp(said$log_weight), exp(c(-2, -3)) / sum(exp(c(-2, -3))))
})

test_that("points of several modes have the density of all of them, as many as each has", {
  problem <- label_made_problem(label_made(toy_scores(2, 40), "fit"), "none")
  mode <- label_modes(problem)[[1]]
  wide <- utils::modifyList(mode, list(
    root = 2 * mode$root, inverse = mode$inverse / 2, log_det = mode$log_det + problem$d * log(2)
  ))
  alone <- label_weighted(problem, list(mode), 2000)
  both <- label_weighted(problem, list(mode, wide), c(2000, 200))
  expect_equal(both$log_evidence, alone$log_evidence, tolerance = 0.03 / abs(alone$log_evidence))
})

test_that("where one point has all the weight the curvature tells the evidence, and points are alike", {
  problem <- label_made_problem(made_two, "one")
  local_mocked(label_value = function(problem, Z, now) ifelse(seq_len(ncol(Z)) == 3, 0, -1e5))
  part <- label_integral(problem, 64L)
  mode <- part$found[[1]]
  expect_equal(part$method, "laplace")
  expect_equal(part$log_evidence, label_modes(problem)[[1]]$laplace)
  expect_equal(exp(part$log_weight), rep(1 / 64, 64))
  # they are normal, of the curvature
  many <- label_curvature(problem, list(mode), 4000L)
  expect_equal(rowMeans(many$Z), mode$z, tolerance = 1e-12)
  expect_equal(stats::cov(t(many$Z)), tcrossprod(mode$root), tolerance = 0.1)
  # a point that can't be has no weight
  points_at <- label_points_at
  local_mocked(label_points_at = function(problem, Z) {
    said <- points_at(problem, Z)
    if (ncol(Z) > 14) said$points$U[1, seq_len(14)] <- NaN
    said
  })
  expect_equal(exp(label_integral(problem, 64L)$log_weight), rep(c(0, 1 / 50), c(14, 50)))
})

test_that("of many coordinates those of the first noise model keep its curvature where modes are near", {
  made <- label_made(toy_scores(7, 210), "scores", models = c("none", "alone1"))
  first <- label_integral(label_made_problem(made, "none"))
  problem <- label_made_problem(made, "alone1")
  expect_gt(problem$d, label_wide)
  asked <- 0
  slope <- label_slope
  local_mocked(label_slope = function(problem, Z) {
    asked <<- asked + ncol(Z)
    slope(problem, Z)
  })
  shared <- label_shared(problem, first$problem)
  noise <- which(problem$field == "noise")
  expect_setequal(c(shared$mine, noise, which(problem$field == "learned")), seq_len(problem$d))
  near <- list(z = replace(numeric(problem$d), shared$mine, first$found[[1]]$z[shared$its]), value = -Inf)
  label_curved(near, problem, list(first))
  expect_equal(asked, 1 + problem$d - length(shared$mine))
  asked <- 0
  far <- near
  far$z[1] <- far$z[1] + 3
  mode <- label_curved(far, problem, list(first))
  expect_equal(asked, 1 + problem$d)
  expect_equal(mode[c("root", "log_det")], label_curved(far, problem)[c("root", "log_det")])
})

test_that("how much of rates that are given the scores have learned is integrated over", {
  e <- c(0.05, 0.3)
  omega <- rbind(c(1 - e[1], e[1]), c(e[2], 1 - e[2]))
  d <- withr::with_seed(5, {
    truth <- rep(1:2, 60)
    q <- stats::rbeta(120, 12, 1)
    q <- cbind(ifelse(truth == 1, q, 1 - q), ifelse(truth == 1, 1 - q, q))
    list(prob = q %*% omega, labels = factor(ifelse(stats::runif(120) < e[truth], 3 - truth, truth)))
  })
  made <- label_made(d, "scores")
  made$noise <- noise_model(omega, noise_prior(), made$data$reports)
  problem <- label_made_problem(made, "given")
  want <- plain_label_model(
    made$P, made$y, "given", "scores", c("w", "slope", "slopes", "slopes", "u", "learned"), 10000,
    rates = function(model, Z) matrix(e, 2, ncol(Z))
  )
  expect_lt(want$error, 0.025)
  part <- label_integral(problem, 1000L)
  expect_lt(abs(part$log_evidence - want$log_evidence), 0.05)
  share <- stats::pnorm(part$Z[part$problem$field == "learned", ])
  expect_lt(abs(sum(exp(part$log_weight) * share) - sum(want$weight * stats::pnorm(want$Z[6, ]))), 0.03)

  # none of rates of 0, and of several classes with the slope of differences
  made$noise <- noise_model(0, noise_prior(), made$data$reports)
  expect_false("learned" %in% label_made_problem(made, "given")$field)
  made <- label_made(toy_scores(3, 40), "scores")
  made$noise <- noise_model(matrix(c(0.8, 0, 0.1, 0.2, 0.9, 0, 0, 0.1, 0.9), 3), noise_prior(), made$data$reports)
  problem <- label_made_problem(made, "given")
  z <- withr::with_seed(1, stats::rnorm(problem$d))
  h <- 1e-4
  value <- function(Z) label_value(problem, Z) - colSums(Z^2) / 2
  by <- (value(z + diag(h, problem$d)) - value(z - diag(h, problem$d))) / (2 * h)
  expect_equal(slope_at(problem, z)$gradient, by, tolerance = 1e-6)
})
