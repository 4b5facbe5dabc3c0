# Every experiment that comes with the package runs in its quick version; and what
# some of them claim.

quickly <- function(name, ..., env = rlang::caller_env()) {
  run_experiment(
    name, ...,
    quick = TRUE, cache = NULL, progress = FALSE,
    folder = withr::local_tempdir(.local_envir = env)
  )
}

script_env <- function(script) read_experiment(script)$env

scripts <- unique(experiments()$script)
for (script in scripts) {
  test_that(paste0("the experiment '", script, "' runs, and writes what it says"), {
    skip_on_cran() # a few seconds each
    needs <- read_experiment(script)$needs
    for (package in needs) skip_if_not_installed(package)
    entries <- experiments()
    run <- quickly(entries$name[entries$script == script][1])
    expect_gt(nrow(run$results), 0)
    expect_true(all(file.exists(run$files)))
    png <- run$files[endsWith(run$files, ".png")]
    expect_true(all(file.size(png) > 5000))
    expect_output(print(run), run$title, fixed = TRUE)
  })
}

test_that("every experiment has a script, and every script its results", {
  entries <- experiment_index()
  for (script in unique(entries$script)) {
    expect_true(file.exists(experiment_path(paste0(script, ".R"))))
    expect_true(file.exists(experiment_path("results", paste0(script, ".csv"))))
    about <- read.dcf(experiment_path("results", paste0(script, ".dcf")))
    expect_match(about[, "Commit"], "^[0-9a-f]{7,40}$")
    shows <- setdiff(entries$shows[entries$script == script], "")
    tables <- paste0(script, "-", shows, ".csv")
    for (table in tables) expect_true(file.exists(experiment_path("results", table)))
  }
})

# What they claim -------------------------------------------------------------

test_that("EP gives one boundary under 20 orders of the rows, ADF 20", {
  run <- quickly("fss17-figure1", replications = 20, rows = 1000)
  rows <- run$results
  weights_of <- script_env("permutation")$weights_of
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

test_that("angles are right, small ones too", {
  angle <- script_env("permutation")$angle_between
  turn <- c(0, 1e-9, 1e-3, 1, 90, 180)
  W <- cbind(cospi(turn / 180), sinpi(turn / 180))
  expect_equal(angle(W, W[1, , drop = FALSE])[, 1], turn, tolerance = 1e-7)
})

test_that("the drift experiment reports the errors of its streams", {
  run <- quickly("dqv11-table1", seed = 2)
  d <- sim_drift(1, seed = 2)
  fit <- bpm(
    d$x, d$y,
    df = 3, epsilon = 0.01, inference = "adf", intercept = FALSE, scale = FALSE
  )
  first <- run$results[run$results$case == 1, ]
  expect_equal(first$error, fit$filter$errors / 4000)
  signs <- run$tables$signs
  expect_identical(nrow(signs), 20L)
  last <- signs[signs$case == 1 & signs$time == 4000, ]
  expect_equal(last$wrong, sum(sign(fit$weights$mean) != d$base[10, ]))
})

test_that("the curves agree with quadrature", {
  run <- quickly("dqv11-figure1")
  expect_lt(max(run$tables$quadrature$largest_gap_to_quadrature), 1e-8)
  values <- run$results$value
  expect_true(all(values[run$results$figure == "q-divergence"] >= 0))
})

test_that("printed values stand beside ours, with the difference in standard errors", {
  env <- script_env("drift")
  rows <- data.frame(case = 1, df = 10, error = c(0.25, 0.26))
  table <- env$drift_table(rows)
  expect_equal(table$printed, 0.254)
  expect_equal(table$difference_se, (0.255 - 0.254) / (sd(rows$error) / sqrt(2)))
})
