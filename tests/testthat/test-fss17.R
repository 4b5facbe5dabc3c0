# The experiments after Futami, Sato and Sugiyama (2017), and the numbers of ?stc.

fss17_env <- function(script) read_experiment(script)$env

test_that("a printed value without a number of splits has no standard error", {
  env <- fss17_env("fss17-tables")
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

test_that("every cell of both tables has its printed value", {
  env <- fss17_env("fss17-tables")
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

test_that("the two evidences are one for the Gaussian process, not for t-EP", {
  env <- fss17_env("fss17-tables")
  rows <- env$experiment$run(list(data = "newthyroid", rate = 0.1, df = 10, seed = 1))
  gap <- rows$log_evidence - rows$gaussian_evidence
  expect_identical(gap[rows$method == "GPC"], c(0, 0, 0))
  expect_true(all(gap[rows$method == "STC"] > 5))
  expect_identical(rows$epsilon[endsWith(rows$variant, "epsilon 0")], c(0, 0, 0))
})

test_that("at one kernel eight outliers move both processes alike", {
  env <- fss17_env("outliers")
  rows <- env$experiment$run(list(df = 10, fresh = 2000, seed = 1))$results
  held <- function(method) rows[rows$method == paste0(method, ", kernel held"), ]
  expect_gt(held("GPC")$change_grid, 0.1)
  expect_lt(abs(held("STC")$change_grid - held("GPC")$change_grid), 0.02)
  expect_lt(abs(held("STC")$error_with - held("GPC")$error_with), 0.005)
  expect_true(all(rows$status_with == "converged"))
})

# The text of a help page, without quotes around code
help_text <- function(page) {
  pages <- tryCatch(tools::Rd_db("sturdy"), error = function(e) list())
  skip_if_not(page %in% names(pages), "the help pages are not installed")
  gsub("[\u2018\u2019']", "", utils::capture.output(
    tools::Rd2txt(pages[[page]], options = list(underline_titles = FALSE))
  ))
}

numbers_in <- function(text) {
  as.numeric(unlist(regmatches(text, gregexpr("-?[0-9]+[.][0-9]+", text))))
}

test_that("the numbers of ?stc are those of the stored results", {
  text <- help_text("stc.Rd")
  means <- utils::read.csv(experiment_path("results", "fss17-tables-defaults.csv"))
  means$label <- paste(means$method, means$variant)
  of <- function(label, rate) means[means$label == label & means$rate == rate, ]
  shown <- list(
    "STC loo, epsilon learned" = "\"loo\", learned",
    "STC loo, epsilon 0" = "\"loo\", 0",
    "STC evidence, epsilon learned" = "\"evidence\", learned",
    "STC evidence, epsilon 0" = "\"evidence\", 0",
    "GPC evidence, epsilon learned" = "gpc(), \"evidence\", learned"
  )
  for (label in names(shown)) {
    row <- of(label, 0.1)
    line <- text[startsWith(trimws(text), shown[[label]])]
    expected <- c(round(100 * row$error, 1), round(row$log_score, 3))
    if (endsWith(label, "learned")) expected <- c(expected, round(row$epsilon, 2))
    expect_equal(numbers_in(line), expected, info = label)
  }
  text <- gsub(" +", " ", paste(text, collapse = " "))
  says <- function(format, ...) expect_match(text, sprintf(format, ...), fixed = TRUE)
  says("(%.2f with none)", of("STC evidence, epsilon learned", 0)$epsilon)
  says(
    "(%.3f against %.3f)", of("STC evidence, epsilon 0", 0)$log_score,
    of("STC loo, epsilon learned", 0)$log_score
  )
})

test_that("gpc() has the scores beside stc() that ?stc says", {
  means <- utils::read.csv(experiment_path("results", "fss17-tables-defaults.csv"))
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
