# The scripts under inst/experiments: each function runs at a small size, returns
# and saves what it says; and the claim about the order of the rows.

experiment <- function(name) {
  env <- new.env(parent = globalenv())
  path <- system.file("experiments", name, package = "sturdy", mustWork = TRUE)
  sys.source(path, env)
  env
}

quietly <- function(code) {
  withr::local_options(cli.progress_show_after = 1e6)
  utils::capture.output(result <- code)
  result
}

test_that("EP gives one boundary under 20 orders of the rows, ADF 20", {
  env <- experiment("permutation.R")
  folder <- withr::local_tempdir()
  rows <- quietly(env$experiment_permutation(1, replications = 20, folder = folder))
  expect_setequal(
    list.files(folder),
    c("permutation.csv", "permutation-summary.csv", "permutation.png")
  )
  direction <- function(method) env$weights_of(rows[rows$method == method, ])
  expect_true(all(rows$status %in% c("converged", "one pass")))
  expect_identical(nrow(unique(signif(direction("adf"), 6))), 20L)
  # entries of unit vectors
  spread <- function(W) max(apply(W, 2, function(w) diff(range(w))))
  expect_lt(spread(direction("ep")), 1e-6)
  expect_gt(spread(direction("adf")), 0.1)
  summary <- utils::read.csv(file.path(folder, "permutation-summary.csv"))
  adf <- summary[summary$method == "adf", ]
  expect_gt(adf$most_degrees_between_orders, 5)
  expect_identical(summary$not_converged, c(0L, 0L))
})

test_that("angles are right, small ones too", {
  angle <- experiment("permutation.R")$angle_between
  turn <- c(0, 1e-9, 1e-3, 1, 90, 180)
  W <- cbind(cospi(turn / 180), sinpi(turn / 180))
  expect_equal(angle(W, W[1, , drop = FALSE])[, 1], turn, tolerance = 1e-7)
})

test_that("the drift experiment reports the errors of its streams", {
  folder <- withr::local_tempdir()
  env <- experiment("drift.R")
  result <- quietly(
    env$experiment_drift(2, replications = 1, folder = folder, df = 3, step = 400)
  )
  expect_setequal(
    list.files(folder),
    c("drift.csv", "drift-table.csv", "drift-signs.csv", "drift.png")
  )
  d <- sim_drift(1, seed = 2)
  fit <- bpm(
    d$x, d$y,
    df = 3, epsilon = 0.01, inference = "adf", intercept = FALSE, scale = FALSE
  )
  expect_equal(result$errors$error[1], fit$stream$errors / 4000)
  expect_identical(nrow(result$signs), 20L)
  last <- result$signs[result$signs$case == 1 & result$signs$time == 4000, ]
  expect_equal(last$wrong, sum(sign(fit$weights$mean) != d$base[10, ]))
})

test_that("the curves agree with quadrature", {
  folder <- withr::local_tempdir()
  env <- experiment("q-curves.R")
  said <- utils::capture.output(
    curves <- withr::with_options(
      list(cli.progress_show_after = 1e6),
      env$experiment_q_curves(1, replications = 3, folder = folder, points = 11)
    )
  )
  expect_setequal(
    list.files(folder), c("q-curves.csv", "q-divergence.png", "q-entropy.png")
  )
  worst <- as.numeric(sub(".*quadrature: ([^ ]*) .*", "\\1", said))
  expect_lt(worst, 1e-8)
  expect_true(all(curves$value[curves$figure == "q-divergence"] >= 0))
})
