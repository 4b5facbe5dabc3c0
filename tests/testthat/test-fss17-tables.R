# The experiments after Futami, Sato and Sugiyama (2017), and the numbers of ?stc.

extended_test("printed brackets count as standard deviations over ten splits", {
  env <- script_env("fss17-tables")
  rows <- data.frame(
    data = "sonar", rate = 0.1, method = "GPC", variant = "evidence, epsilon 0",
    error = c(0.2, 0.24)
  )
  table <- env$printed_table(rows, "fss17-table1", "error", scale = 0.01)
  expect_equal(table$printed, 0.194)
  expect_equal(table$printed_spread, 0.038)
  expect_equal(table$z, (0.22 - 0.194) / sqrt(sd(rows$error)^2 / 2 + 0.038^2 / 10))
})

extended_test("every cell of both tables has its printed value, but for the empty one", {
  env <- script_env("fss17-tables")
  cells <- do.call(env$all_of, c(
    env$experiment$settings[c("data", "rates")], list(method = c("GPC", "STC"))
  ))
  names(cells)[2] <- "rate"
  cells$value <- 0
  cells$value_se <- 1
  for (table in c("fss17-table1", "fss17-table2")) {
    beside <- env$beside_printed(cells, table, c("data", "rate", "method"), "value")
    expect_identical(nrow(beside), 24L)
    lacks <- beside[is.na(beside$printed), c("data", "rate", "method")]
    empty <- if (table == "fss17-table2") "ionosphere 0.05 GPC"
    expect_identical(do.call(paste, lacks), as.character(empty))
  }
})

extended_test("eq. 42 with the right exponent is the t-EP evidence, as printed it is not", {
  env <- script_env("fss17-reading")
  half <- env$random_half("newthyroid", 1)
  fit <- env$fit_reading("STC", half$x, half$y, 10)
  n <- length(fit$data$y)
  expect_equal(env$evidence_with(fit, 10 / (10 + n)), log_evidence(fit), tolerance = 1e-9)
  printed <- env$evidence_with(fit, (3 - (1 + 2 / (10 + n))) / 2)
  expect_lt(printed, log_evidence(fit) - 50)
  expect_identical(unname(fit$epsilon), 0.1)
})

extended_test("the two evidences are one for the Gaussian process, not for t-EP", {
  env <- script_env("fss17-tables")
  rows <- env$experiment$run(list(data = "newthyroid", rate = 0.1, df = 10, seed = 1))
  gap <- rows$log_evidence - rows$gaussian_evidence
  expect_identical(gap[rows$method == "GPC"], c(0, 0, 0))
  expect_true(all(gap[rows$method == "STC"] > 5))
  expect_identical(rows$epsilon[endsWith(rows$variant, "epsilon 0")], c(0, 0, 0))
})

extended_test("at one kernel eight outliers move both processes alike", {
  env <- script_env("outliers")
  points <- env$sim_outliers(seed = 1, place = "inside")
  clean <- points[!points$outlier, ]
  held <- env$held_kernel(env$fit_classifier(env$classifiers[1, ], clean, 10))
  change <- function(model) {
    row <- env$classifiers[env$classifiers$held & env$classifiers$model == model, ]
    prob <- lapply(list(clean, points), function(p) {
      fit <- env$fit_classifier(row, p, 10, held)
      expect_identical(fit$ep$status, "converged")
      predict(fit, env$outlier_grid(), type = "prob")[, "pos"]
    })
    mean(abs(prob[[2]] - prob[[1]]))
  }
  expect_gt(change("GPC"), 0.05)
  expect_lt(abs(change("STC") - change("GPC")), 0.02)
})

extended_test("pairs are of the same points", {
  env <- script_env("outliers")
  rows <- data.frame(
    place = "inside", seed = c(1, 2, 2, 1),
    method = rep(c("GPC, epsilon 0", "STC, epsilon 0"), each = 2), x = c(1, 2, 5, 3)
  )
  table <- env$outlier_pairs(rows, "x")
  expect_equal(table$x, 2.5)
  expect_equal(table$x_se, 0.5)
})

test_that("what ?stc says of its criteria holds in the stored results", {
  means <- stored_result("fss17-tables-defaults.csv")
  stc <- means[means$method == "STC", ]
  for (rate in unique(stc$rate)) {
    here <- stc[stc$rate == rate, ]
    of <- function(variant) here[here$variant == variant, ]
    expect_gt(of("evidence, epsilon learned")$epsilon, 0.3)
    expect_lt(abs(of("loo, epsilon learned")$epsilon - rate), 0.06)
  }
})

test_that("gpc() has the scores beside stc() that ?stc says", {
  means <- stored_result("fss17-tables-defaults.csv")
  for (rate in unique(means$rate)) {
    here <- means[means$rate == rate, ]
    of <- function(method, variant) {
      here[here$method == method & here$variant == variant, ]
    }
    for (variant in c("evidence, epsilon 0", "evidence, epsilon learned")) {
      gpc <- of("GPC", variant)
      expect_gte(gpc$log_score, of("STC", variant)$log_score)
      expect_lte(gpc$error - gpc$error_se, min(here$error))
    }
    expect_gte(
      of("GPC", "evidence, epsilon learned")$log_score,
      of("STC", "loo, epsilon learned")$log_score
    )
  }
})
