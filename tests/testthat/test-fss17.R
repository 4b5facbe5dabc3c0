# The experiments after Futami, Sato and Sugiyama (2017), and the numbers of ?stc.

extended_test("a printed value without a number of splits has no standard error", {
  env <- script_env("fss17-tables")
  rows <- data.frame(
    data = "sonar", rate = 0.1, method = "GPC", variant = "evidence, epsilon 0",
    error = c(0.2, 0.24)
  )
  table <- env$printed_table(rows, "fss17-table1", "error", scale = 0.01)
  expect_equal(table$printed, 0.194)
  expect_equal(table$printed_sd, 0.038)
  expect_equal(table$difference_se, (0.22 - 0.194) / (sd(rows$error) / sqrt(2)))
  expect_identical(table$printed_checked, "no")
})

extended_test("every cell of both tables has its printed value", {
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
    expect_false(anyNA(beside$printed))
  }
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
  rows <- env$experiment$run(list(df = 10, fresh = 2000, seed = 1))$results
  held <- function(method) rows[rows$method == paste0(method, ", kernel held"), ]
  expect_gt(held("GPC")$change_grid, 0.1)
  expect_lt(abs(held("STC")$change_grid - held("GPC")$change_grid), 0.02)
  expect_lt(abs(held("STC")$error_with - held("GPC")$error_with), 0.005)
  expect_true(all(rows$status_with == "converged"))
})

test_that("what ?stc says of its criteria holds in the stored results", {
  means <- stored_result("fss17-tables-defaults.csv")
  stc <- means[means$method == "STC", ]
  for (rate in unique(stc$rate)) {
    here <- stc[stc$rate == rate, ]
    of <- function(variant) here[here$variant == variant, ]
    expect_gt(of("evidence, epsilon learned")$epsilon, 0.3)
    expect_lt(abs(of("loo, epsilon learned")$epsilon - rate), 0.06)
    expect_identical(here$variant[which.max(here$log_score)], "loo, epsilon learned")
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
