# Drift --------------------------------------------------------------------

test_that("sim_drift() returns what its help says", {
  d <- sim_drift(seed = 1)
  expect_named(d, c("x", "y", "segment", "base"))
  expect_identical(dim(d$x), c(4000L, 100L))
  expect_identical(colnames(d$x), paste0("x", 1:100))
  expect_identical(levels(d$y), c("neg", "pos"))
  expect_identical(d$segment, rep(1:10, each = 400))
  expect_identical(dim(d$base), c(10L, 100L))
  expect_true(all(abs(d$base) == 1))
  expect_identical(sim_drift(seed = 1), d)
  expect_false(identical(sim_drift(seed = 2)$y, d$y))
})

test_that("labels are signs under the base vector, but for the wobble", {
  # the angle between w and w + u has the tangent sqrt(1/3)/10: about 1.8 % of the
  # labels differ; 0.6 % is three standard errors
  for (case in 1:2) {
    d <- sim_drift(case, seed = 3)
    sign <- rowSums(d$x * d$base[d$segment, ]) > 0
    expect_lt(abs(mean(sign != (d$y == "pos")) - 0.018), 0.006)
  }
})

test_that("case 1 draws every base vector anew, case 2 a block of it", {
  # counts of fair coins, within five standard errors
  changed <- rowSums(diff(sim_drift(1, n = 10, p = 1000, seed = 4)$base) != 0)
  expect_true(all(abs(changed - 500) < 5 * sqrt(250)))
  base <- sim_drift(2, n = 10, p = 1000, seed = 4)$base
  for (s in 2:10) {
    moved <- which(base[s, ] != base[s - 1, ])
    expect_true(all(moved %in% (100 * s - 99:0)))
    expect_lt(abs(length(moved) - 50), 5 * sqrt(25))
  }
})

test_that("points are standard normal and sizes that do not divide are spread", {
  d <- sim_drift(2, n = 1001, p = 7, segments = 3, seed = 5)
  expect_lt(abs(mean(d$x)), 5 / sqrt(7007))
  expect_lt(abs(sd(d$x) - 1), 5 / sqrt(2 * 7007))
  expect_true(all(abs(table(d$segment) - 1001 / 3) < 1))
  one <- sim_drift(2, n = 1, p = 1, segments = 1, seed = 1)
  expect_identical(dim(one$x), c(1L, 1L))
})

test_that("the stream feeds bpm() as it is", {
  d <- sim_drift(n = 60, p = 5, segments = 1, seed = 6)
  fit <- bpm(d$x, d$y, inference = "adf", intercept = FALSE, scale = FALSE)
  expect_identical(fit$prior$weights, paste0("x", 1:5))
  expect_gt(mean(predict(fit, d$x) == d$y), 0.9)
  by_formula <- bpm(
    class ~ . - 1, data.frame(d$x, class = d$y),
    inference = "adf", scale = FALSE
  )
  expect_equal(by_formula$weights, fit$weights)
})

test_that("bad arguments of sim_drift() are errors", {
  expect_error(sim_drift(3), class = "sturdy_error_choice")
  expect_error(sim_drift("a"), class = "sturdy_error_choice")
  expect_error(sim_drift(1:2), class = "sturdy_error_choice")
  expect_error(sim_drift(n = 0), class = "sturdy_error_range")
  expect_error(sim_drift(p = 2.5), class = "sturdy_error_type")
  expect_error(sim_drift(n = 5, segments = 6), class = "sturdy_error_range")
  expect_error(sim_drift(2, p = 5), class = "sturdy_error_range")
  expect_error(sim_drift(seed = "a"), class = "sturdy_error_type")
  expect_snapshot({
    said(sim_drift(3))
    said(sim_drift(2, p = 5))
  })
})

# Permutation --------------------------------------------------------------

test_that("sim_permutation() returns what its help says", {
  points <- sim_permutation(seed = 1)
  expect_identical(dim(points), c(1000L, 4L))
  expect_named(points, c("x1", "x2", "class", "component"))
  expect_identical(levels(points$class), c("neg", "pos"))
  expect_identical(points$class == "pos", points$component %in% c(1, 4))
  expect_identical(sim_permutation(seed = 1), points)
})

test_that("the components have the stated weights, means and spreads", {
  # tolerances are five standard errors
  points <- sim_permutation(40000, seed = 2)
  part <- split(points, points$component)
  mean1 <- c(1, -1, -1, 1)
  mean2 <- c(1, 1, -1, -1)
  weight <- c(0.05, 0.25, 0.45, 0.25)
  for (k in 1:4) {
    n <- nrow(part[[k]])
    expect_lt(abs(n / 40000 - weight[k]), 5 * sqrt(weight[k] / 40000))
    expect_lt(abs(mean(part[[k]]$x1) - mean1[k]), 5 * sqrt(0.05 / n))
    expect_lt(abs(mean(part[[k]]$x2) - mean2[k]), 5 * sqrt(0.05 / n))
    expect_lt(abs(var(part[[k]]$x1) - 0.05), 5 * 0.05 * sqrt(2 / n))
    expect_lt(abs(var(part[[k]]$x2) - 0.05), 5 * 0.05 * sqrt(2 / n))
    expect_lt(abs(cor(part[[k]]$x1, part[[k]]$x2)), 5 / sqrt(n))
  }
})

test_that("one point is enough, none is an error", {
  expect_identical(nrow(sim_permutation(1)), 1L)
  expect_error(sim_permutation(0), class = "sturdy_error_range")
  expect_error(sim_permutation(1.5), class = "sturdy_error_type")
})

test_that("a seed leaves the random number stream as it was", {
  withr::with_seed(3, {
    before <- .Random.seed
    sim_drift(n = 20, p = 2, segments = 2, seed = 7)
    sim_permutation(10, seed = 7)
    expect_identical(.Random.seed, before)
    sim_permutation(10)
    expect_false(identical(.Random.seed, before))
  })
})
