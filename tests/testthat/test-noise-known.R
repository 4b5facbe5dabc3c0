# The table of reports that a fit keeps of what its arguments say.

known_rows_of <- function(...) {
  molded <- mold_formula(Species ~ ., iris, scale = TRUE, many = TRUE)
  with_known(molded, ...)
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

test_that("trusted rows are marked or counted, and neither by 0 and 1 nor with gaps", {
  marks <- rep(c(TRUE, FALSE, FALSE), 50)
  reports <- function(trusted) known_rows_of(trusted, NULL)$data$reports
  expect_identical(reports(marks), reports(which(marks)))
  for (numbers in list(as.integer(marks), as.double(marks), rep(1L, 150))) {
    expect_error(reports(numbers), "trusted = \\(x == 1\\)", class = "sturdy_error_trusted")
  }
  expect_identical(reports(1L), reports(seq_len(150) == 1)) # a position
  cnd <- expect_error(
    reports(replace(marks, c(4, 90), NA)), "Missing in rows 4 and 90",
    class = "sturdy_error_trusted"
  )
  expect_equal(cnd$arg, "trusted")
})

test_that("gaps in what is known of rows don't matter where the rows are left out", {
  d <- toy()
  d$a[5] <- NA
  d$trusted <- replace(rep(FALSE, 40), c(2, 30), TRUE)
  d$group <- rep(c("x", "y"), 20)
  gaps <- d
  gaps[5, c("trusted", "group")] <- NA
  known <- function(d, ...) {
    gpc(class ~ a + b, d, kernel = held(), epsilon = 0.05, trusted = trusted, ...)$data$reports
  }
  expect_identical(known(gaps), known(d))
  expect_identical(known(gaps, rates = group), known(d, rates = group))
  gaps$trusted[7] <- NA
  expect_error(known(gaps), "Missing in row 7[.]", class = "sturdy_error_trusted")
  expect_identical(known(gaps, subset = -7), known(d, subset = -7))
  # all rows of a unit are kept
  d$unit <- rep(1:20, each = 2)
  d$class <- d$class[2 * d$unit]
  expect_identical(known(transform(d, trusted = replace(trusted, 5, NA)), units = unit), known(d, units = unit))
  expect_error(
    known(transform(d, trusted = replace(trusted, 8, NA)), units = unit), "Missing in row 8[.]",
    class = "sturdy_error_trusted"
  )
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
  suppressMessages(found <- with_checked(molded, checked, NULL))
  reports <- found$data$reports
  of <- function(i) cbind(reports$source, reports$value)[reports$row == i, , drop = FALSE]
  expect_equal(of(2), rbind(c(0, 3), c(2, 1)))
  expect_equal(of(7), rbind(c(0, 1))) # it was trusted, and says nothing of the rates
  expect_equal(of(101), rbind(c(0, 3), c(1, 3)))
  expect_equal(nrow(of(50)), 1)
})

test_that("what was recorded of a checked row is of the group of that row", {
  data <- list(y = c(-1, 1, 1, -1), source = c(1L, 2L, 1L, 2L), reports = label_reports(1:2, 2L))
  reports <- known_reports(data, 1:4 == 4, list(row = 4, value = 2), c("a", "b"))$reports
  expect_identical(reports[c("row", "source", "value")], list(
    row = c(1:4, 4L), source = c(1L, 2L, 1L, 0L, 2L), value = c(1L, 2L, 2L, 1L, 2L)
  ))
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
  d$times <- rep_len(1:3, 40)
  held_kernel <- kernel_iso(1, fixed = TRUE)
  message <- expect_message(
    gpc(class ~ ., d, kernel = held_kernel, epsilon = 0.05, trusted = checked, weights = times),
    class = "sturdy_message_known_inputs"
  )
  # of weights there is another message
  known <- Filter(function(cnd) inherits(cnd, "sturdy_message_known_inputs"), message$messages)
  expect_equal(known[[1]]$columns, c("checked", "times"))
  expect_no_message(
    gpc(class ~ a, d, kernel = held_kernel, epsilon = 0.05, trusted = ~ checked, weights = times),
    class = "sturdy_message_known_inputs"
  )
})

test_that("a row has two hundred labels at most", {
  set.seed(1)
  d <- data.frame(x = c(-1, 1, rep(0.5, 201)), case = c("a", "b", rep("c", 201)))
  d$who <- paste0("r", c(1, 1, 1:201))
  d$label <- c("no", "yes", rep("yes", 201))
  fit <- function(rows) {
    gpc(
      readers(label, reader = who, item = case) ~ x, d[rows, ], kernel = held(), epsilon = 0.2
    )
  }
  most <- fit(1:202)
  expect_equal(max(tabulate(most$data$reports$row)), 200)
  # by Bayes' rule their likelihood is a number
  expect_gt(0.2^200, 0)
  expect_true(is.finite(log_evidence(most)))
  expect_error(fit(1:203), "200 labels of a row, not 201", class = "sturdy_error_readers")
})
