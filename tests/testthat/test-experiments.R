# The scripts of the folder experiments: each runs in its quick version; what some of
# them claim; and what the package keeps of their results.

index_file <- testthat::test_path("..", "..", "experiments", "index.csv")
scripts <- if (file.exists(index_file)) unique(utils::read.csv(index_file)$script)
for (script in scripts) {
  extended_test(paste0("the script '", script, "' runs, and writes what it says"), {
    run <- quick_run(script)
    experiment <- run$env$experiment
    folders <- c(withr::local_tempdir(), withr::local_tempdir())
    about <- data.frame(Experiment = script, Design = run$env$design_of(script))
    files <- run$env$save_experiment(
      experiment, script, run$parts, run$tables, about, folders
    )
    expect_gt(nrow(run$parts$results), 0)
    expect_setequal(files, list.files(folders, full.names = TRUE))
    expect_true(all(file.size(files[endsWith(files, ".png")]) > 3000))
    # the package has what the script says it shows; figures are in its sources only
    expect_identical(
      grep("[.]png$", list.files(folders[2]), value = TRUE, invert = TRUE),
      list.files(
        system.file("results", package = "sturdy"),
        paste0("^(", paste(basename(files), collapse = "|"), ")$")
      )
    )
  })
}

extended_test("the index names every script, and a table of it", {
  index <- utils::read.csv(file.path(script_env("drift")$experiments, "index.csv"))
  there <- sub("[.]R$", "", list.files(script_env("drift")$experiments, "[.]R$"))
  expect_identical(setdiff(index$script, there), character())
  ours <- vapply(there, function(script) {
    any(startsWith(readLines(file.path(script_env("drift")$experiments, paste0(script, ".R"))),
                   "experiment <- "))
  }, NA)
  expect_identical(setdiff(there[ours], index$script), character())
  for (k in seq_len(nrow(index))) {
    file <- paste0(index$script[k], "-", index$shows[k], ".csv")
    folders <- c(
      system.file("results", package = "sturdy"),
      file.path(script_env("drift")$experiments, "results")
    )
    expect_true(any(file.exists(file.path(folders, file))))
  }
})

test_that("stored results say how they were made", {
  for (file in list.files(system.file("results", package = "sturdy"), "[.]dcf$", full.names = TRUE)) {
    about <- read.dcf(file)
    expect_match(about[, "Commit"], "^[0-9a-f]{7,40}$")
    expect_type(eval(str2lang(about[, "Settings"])), "list")
  }
})

extended_test("a run that was interrupted goes on where it stopped", {
  skip_if_not_installed("targets")
  script <- file.path(script_env("permutation")$experiments, "run.R")
  run <- function() {
    withr::with_envvar(c(STURDY_INSTALLED = "true"), suppressWarnings(system2(
      file.path(R.home("bin"), "Rscript"),
      c("--no-init-file", shQuote(script), "fss17-figure1", "--quick"),
      stdout = TRUE, stderr = TRUE
    )))
  }
  expect_match(run(), "permutation-summary.csv", fixed = TRUE, all = FALSE)
  # the same as without targets
  kept <- file.path(dirname(dirname(script)), ".lib", "experiments", "quick")
  rows <- utils::read.csv(file.path(kept, "permutation.csv"))
  expect_equal(rows, quick_run("permutation")$parts$results, tolerance = 1e-5)
  objects <- file.path(dirname(kept), "permutation-quick", "objects")
  unlink(list.files(objects, "^replication_", full.names = TRUE)[1])
  expect_match(run(), "1 completed", fixed = TRUE, all = FALSE)
})

# What they claim -------------------------------------------------------------

extended_test("EP gives one boundary under 20 orders of the rows, ADF 20", {
  run <- quick_run("permutation", replications = 20, rows = 1000)
  rows <- run$parts$results
  weights_of <- run$env$weights_of
  direction <- function(method) weights_of(rows[rows$method == method, ])
  expect_true(all(rows$status %in% c("converged", "one pass")))
  expect_identical(nrow(unique(signif(direction("adf"), 6))), 20L)
  # entries of unit vectors
  spread <- function(W) max(apply(W, 2, function(w) diff(range(w))))
  expect_lt(spread(direction("ep")), 1e-6)
  expect_gt(spread(direction("adf")), 0.1)
  adf <- run$tables$summary[run$tables$summary$method == "adf", ]
  expect_gt(adf$most_degrees_between_orders, 5)
  expect_identical(run$tables$summary$not_converged, c(0L, 0L))
})

extended_test("angles are right, small ones too", {
  angle <- script_env("permutation")$angle_between
  turn <- c(0, 1e-9, 1e-3, 1, 90, 180)
  W <- cbind(cospi(turn / 180), sinpi(turn / 180))
  expect_equal(angle(W, W[1, , drop = FALSE])[, 1], turn, tolerance = 1e-7)
})

extended_test("the drift experiment reports the errors of its streams", {
  run <- quick_run("drift", seed = 2)
  d <- run$env$sim_drift(1, seed = 2)
  fit <- bpm(
    d$x, d$y,
    df = 3, epsilon = 0.01, inference = "adf", intercept = FALSE, scale = FALSE
  )
  first <- run$parts$results[run$parts$results$case == 1, ]
  expect_equal(first$error, fit$filter$errors / 4000)
  signs <- run$tables$signs
  expect_identical(nrow(signs), 20L)
  last <- signs[signs$case == 1 & signs$time == 4000, ]
  expect_equal(last$wrong, sum(sign(fit$weights$mean) != d$base[10, ]))
})

extended_test("the curves agree with quadrature", {
  run <- quick_run("q-curves")
  expect_lt(max(run$tables$quadrature$largest_gap_to_quadrature), 1e-8)
  values <- run$parts$results$value
  expect_true(all(values[run$parts$results$figure == "q-divergence"] >= 0))
})

extended_test("printed values stand beside ours, with the difference in standard errors", {
  env <- script_env("drift")
  rows <- data.frame(case = 1, df = 10, error = c(0.25, 0.26))
  table <- env$drift_table(rows)
  expect_equal(table$printed, 0.254)
  # theirs is one stream
  spread <- sd(rows$error)
  expect_equal(table$z, (0.255 - 0.254) / sqrt(spread^2 / 2 + spread^2))
})

extended_test("columns that share a stream are compared as a whole", {
  env <- script_env("drift")
  withr::local_seed(1)
  rows <- env$all_of(case = 2, df = c(Inf, 3, 10), seed = 1:8)
  rows$error <- 0.14 + 0.01 * rnorm(24)
  joint <- env$drift_joint(rows)
  stream <- matrix(rows$error, ncol = 3, byrow = TRUE)
  printed <- c(0.150, 0.130, 0.128)
  expect_equal(joint$squared_distance, mahalanobis(printed, colMeans(stream), cov(stream)))
  # Hotelling's test of one more row, by simulation
  statistic <- function(X, x) mahalanobis(x, colMeans(X), cov(X))
  drawn <- replicate(4000, statistic(matrix(rnorm(24), 8), rnorm(3)))
  expect_lt(abs(mean(drawn > joint$squared_distance) - joint$p_estimated), 0.04)
  expect_identical(
    env$drift_nearest(rows)$error,
    stream[which.min(colSums((t(stream) - printed)^2)), ][c(2, 3, 1)]
  )
})

extended_test("the map and its Jacobian are those of EP, and paths end where they should", {
  env <- script_env("fixed-points")
  withr::local_seed(3)
  p <- env$hard_problem(12)
  p[c("df", "epsilon")] <- c(5, 0.1)
  p$root <- t(chol(p$K))
  path <- env$df_path(p)
  fit <- ep_fit(p$K, p$y, p$df, p$epsilon, control = ep_control(tol = 1e-12))
  s <- unlist(fit$sites, use.names = FALSE)
  # the package's fixed point is one here, too
  expect_lt(max(abs(env$residual_of(p, s, 1, path)$value)), 1e-10)
  away <- s * (1 + 0.01 * rnorm(length(s)))
  r <- env$residual_of(p, away, 0.7, path)
  # G(s) - s without the units, which also depend on s
  value <- function(s, l) with(env$residual_of(p, s, l, path, FALSE), value / unit)
  for (j in seq_along(s)) {
    h <- replace(0 * s, j, 1e-6 / r$unit[j])
    column <- (value(away + h, 0.7) - value(away - h, 0.7)) / 2e-6 * r$unit
    expect_lt(max(abs(column - r$jacobian[, j])), 1e-7)
  }
  column <- (value(away, 0.7 + 1e-5) - value(away, 0.7 - 1e-5)) / 2e-5 * r$unit
  expect_lt(max(abs(column - r$jacobian[, length(s) + 1])), 1e-6)
  # a problem that has a fixed point is reached, and its sites are those of EP
  followed <- env$follow_path(p, path, 200)
  expect_identical(followed$end, "reached")
  expect_gt(env$search_sites(p, s, path, 1, 5, 1), 0)
})

test_that("sim_outliers() returns points of two classes, outliers last", {
  sim_outliers <- script_env("outliers")$sim_outliers
  points <- sim_outliers(seed = 1)
  expect_identical(dim(points), c(308L, 4L))
  expect_named(points, c("x1", "x2", "class", "outlier"))
  expect_identical(levels(points$class), c("neg", "pos"))
  expect_identical(which(points$outlier), 301:308)
  expect_identical(c(table(points$class)), c(neg = 154L, pos = 154L))
  expect_identical(sim_outliers(seed = 1), points)
})

test_that("the points have the stated means and spreads", {
  sim_outliers <- script_env("outliers")$sim_outliers
  far <- 3 / sqrt(2) / sqrt(2) # 3 standard deviations, along each coordinate
  centres <- list(
    behind = rbind(neg = c(1.5, 1.5) + far, pos = c(-1, -1) - far),
    beside = rbind(neg = c(1.5 + far, 1.5 - far), pos = c(-1 - far, -1 + far)),
    inside = rbind(neg = c(1.5, 1.5), pos = c(-1, -1))
  )
  for (place in names(centres)) {
    points <- sim_outliers(n = 20000, n_outliers = 20000, seed = 2, place = place)
    part <- split(points, list(points$class, points$outlier))
    centre <- rbind(c(-1, -1), c(1.5, 1.5), centres[[place]])
    rownames(centre) <- c("neg.FALSE", "pos.FALSE", "neg.TRUE", "pos.TRUE")
    for (name in names(part)) {
      sd <- if (grepl("TRUE", name)) 1 / 4 else sqrt(1 / 2)
      for (k in 1:2) {
        # tolerances are five standard errors
        x <- part[[name]][[k]]
        expect_lt(abs(mean(x) - centre[name, k]), 5 * sd / 100)
        expect_lt(abs(sd(x) - sd), 5 * sd / sqrt(20000))
      }
    }
  }
  expect_identical(sim_outliers(seed = 1, place = "behind"), sim_outliers(seed = 1))
})

test_that("small and odd sizes work", {
  sim_outliers <- script_env("outliers")$sim_outliers
  expect_identical(nrow(sim_outliers(1, 0)), 1L)
  expect_identical(
    as.character(sim_outliers(3, 1)$class),
    c("neg", "pos", "neg", "neg")
  )
})
