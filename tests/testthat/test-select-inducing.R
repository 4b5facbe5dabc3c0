# Is the number of inducing inputs enough?

bent <- function(n = 200) {
  withr::with_seed(5, {
    d <- data.frame(a = rnorm(n), b = rnorm(n))
    d$class <- factor(ifelse(sin(3 * d$a) + d$b > 0, "yes", "no"))
    d
  })
}

test_that("more inducing inputs are compared by leave-one-out, with its error", {
  d <- bent()
  fit <- gpc(class ~ ., d, kernel = kernel_ard(0.5, nugget = 0.05, fixed = TRUE),
             epsilon = 0.01, inducing = 4)
  more <- compare_inducing(fit, 40)
  expect_s3_class(more, "sturdy_inducing")
  expect_equal(more$table$inducing, c(4, 40))
  expect_equal(more$table$elpd_loo, c(sum(fit$ep$loo), sum(more$fit$ep$loo)))
  expect_equal(more$table$log_evidence[1], log_evidence(fit))
  row_by_row <- more$fit$ep$loo - fit$ep$loo
  expect_equal(more$gain, sum(row_by_row))
  expect_equal(more$gain_se, sd(row_by_row) * sqrt(200))
  expect_gt(more$gain, 2 * more$gain_se)
  expect_match(more$means, "predicted better", all = FALSE)
  expect_lt(more$table$left[2], more$table$left[1])
  expect_equal(
    more$probability[["largest"]], max(abs(fitted(more$fit) - fitted(fit)))
  )
  # the whole kernel, and that nothing is left to gain near it
  dense <- compare_inducing(more$fit, NULL)
  expect_identical(dense$table$inducing[2], NA_real_)
  expect_match(printed(dense), "all rows")
  enough <- compare_inducing(update(fit, inducing = 60))
  expect_equal(enough$table$inducing, c(60, 120))
  expect_match(enough$means, "60 inducing inputs are enough", all = FALSE)
})

test_that("what can't be compared is refused", {
  d <- bent(40)
  dense <- gpc(class ~ ., d, kernel = held(), epsilon = 0.05)
  expect_error(compare_inducing(dense), class = "sturdy_error_inducing")
  expect_error(compare_inducing(bpm(class ~ ., d, epsilon = 0.1)), class = "sturdy_error_no_kernel")
  expect_error(compare_inducing(1), class = "sturdy_error")
  low <- update(dense, inducing = 5)
  expect_error(compare_inducing(low, "some"), class = "sturdy_error_inducing")
})
