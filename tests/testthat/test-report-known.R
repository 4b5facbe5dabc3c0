# The table of reports that a fit keeps of what its arguments say.

known_rows_of <- function(...) {
  molded <- mold_formula(Species ~ ., iris, scale = TRUE, many = TRUE)
  with_known(molded, ..., call = rlang::current_env())
}

test_that("a table has one report of each label", {
  reports <- known_rows_of(NULL, NULL)$data$reports
  expect_equal(reports$row, 1:150)
  expect_equal(reports$source, rep(1L, 150))
  expect_equal(reports$value, rep(1:3, each = 50))
  expect_equal(reports$sources, "label")
})

test_that("a trusted label is one report that is right for certain", {
  reports <- known_rows_of(c(3, 60), NULL)$data$reports
  expect_equal(which(reports$source == 0), c(3, 60))
  expect_equal(which(report_known(reports)), c(3, 60))
})

test_that("rates by group are a source a group", {
  group <- rep(c("x", "y"), 75)
  reports <- known_rows_of(c(1, 2), group)$data$reports
  expect_equal(reports$sources, c("x", "y"))
  expect_equal(reports$source, c(0, 0, rep(1:2, 74)))
})

test_that("rates of rows that are alone in their groups are refused", {
  d <- toy()
  for (rates in list(1:40, d$a, c(1:21, rep(0, 19)))) {
    expect_error(update(toy_fit(), rates = rates), "alone in their group", class = "sturdy_error_rates")
  }
  for (rates in list(rep(1:20, 2), c(1:20, rep(0, 20)))) {
    expect_s3_class(update(toy_fit(), rates = rates), "gpc")
  }
})

test_that("a checked label is two reports: what was recorded, and what is right", {
  molded <- known_rows_of(7, rep(c("x", "y"), 75))
  checked <- data.frame(row = c(2, 7, 101), label = c("virginica", "setosa", "virginica"))
  suppressMessages(found <- with_checked(molded, checked, NULL, rlang::current_env()))
  reports <- found$data$reports
  of <- function(i) cbind(reports$source, reports$value)[reports$row == i, , drop = FALSE]
  expect_equal(of(2), rbind(c(0, 3), c(2, 1)))
  expect_equal(of(7), rbind(c(0, 1))) # it was trusted, and says nothing of the rates
  expect_equal(of(101), rbind(c(0, 3), c(1, 3)))
  expect_equal(nrow(of(50)), 1)
})

test_that("a fit of two classes and one of several keep reports on all rows, absorbed ones too", {
  fit <- toy_fit()
  expect_equal(fit$data$reports$value, label_code(fit$data))
  more <- absorb(fit, toy()[1:3, ])
  expect_equal(more$data$reports$n, nobs(fit) + 3L)
  several <- gpc(Species ~ Sepal.Length, iris[c(1:5, 51:55, 101:105), ], epsilon = 0.1,
                 kernel = held())
  expect_equal(several$data$reports$value, rep(1:3, each = 5))
})

test_that("a column that says what is known of labels is named where it is an input", {
  d <- toy()
  d$checked <- rep(c(TRUE, FALSE), 20)
  d$times <- rep(1:2, 20)
  held_kernel <- kernel_iso(1, fixed = TRUE)
  message <- expect_message(
    gpc(class ~ ., d, kernel = held_kernel, epsilon = 0.05, trusted = checked, weights = times),
    class = "sturdy_message_known_inputs"
  )
  expect_equal(message$columns, c("checked", "times"))
  expect_no_message(
    gpc(class ~ a, d, kernel = held_kernel, epsilon = 0.05, trusted = ~ checked, weights = times)
  )
})
