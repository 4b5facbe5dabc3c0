# What scores are taken for, and what is said of them.

# The share of pairs of rows, one of each class, in which the row of the event has the larger score
pairwise_area <- function(score, of_event) {
  gap <- outer(score[of_event], score[!of_event], `-`)
  mean((gap > 0) + (gap == 0) / 2)
}

reversed <- function(score, labels) {
  withCallingHandlers(
    tryCatch(
      {
        mold_scores(score, labels)
        NULL
      },
      sturdy_message_reversed_scores = identity
    ),
    message = function(cnd) if (!inherits(cnd, "sturdy_message_reversed_scores")) stop(cnd)
  )
}

test_that("scores that are a little worse than a coin by chance are not asked about", {
  event <- rep(c(TRUE, FALSE), 30)
  score <- withr::with_seed(12, runif(60))
  area <- pairwise_area(score, event)
  # the standard error where the scores say nothing, by permutations
  chance <- withr::with_seed(1, replicate(2000, pairwise_area(score, sample(event))))
  expect_lt(area, 0.46)
  expect_gt(area, 0.5 - 2 * sd(chance))
  expect_null(reversed(score, event))
})

test_that("the area under the curve is the share of pairs that are in order, ties counting half", {
  event <- rep(c(TRUE, FALSE), c(15, 55))
  score <- withr::with_seed(2, round(plogis(rnorm(70, ifelse(event, -1.5, 1))), 1))
  expect_true(any(score[event] %in% score[!event]))
  expect_equal(reversed(score, event)$area, pairwise_area(score, event), tolerance = 1e-12)
  turned <- reversed(1 - score, !event)
  expect_equal(turned$area, pairwise_area(1 - score, !event), tolerance = 1e-12)
})

test_that("rows must sum to 1 from both sides", {
  d <- toy_scores(2, 40)
  for (row in list(c(0.6, 0.6), c(0.4, 0.4))) {
    d$prob[7, ] <- row
    cnd <- expect_error(second_stage(d$prob, d$labels), "sum to 1", class = "sturdy_error_prob")
    expect_equal(cnd$rows, 7)
  }
})

test_that("labels of one class alone are said to tell nothing, and no word is given that wrong ones would show", {
  d <- toy_scores(2, 20)
  for (prob in list(d$prob, as.data.frame(d$prob))) {
    for (labels in list(rep("a", 20), factor(rep("a", 20), c("a", "b")))) {
      expect_message(
        second_stage(prob, labels, epsilon = 0.1, hyper = "optimum"),
        class = "sturdy_message_one_class"
      )
    }
  }
  expect_no_message(
    second_stage(d$prob, rep(c("a", "b"), c(19, 1)), epsilon = 0.1, hyper = "optimum"),
    class = "sturdy_message_one_class"
  )
  fit <- suppressMessages(second_stage(
    rep(c(0.02, 0.98), c(30, 70)), factor(rep("b", 100), c("a", "b")),
    epsilon = "average", hyper = "integrate"
  ))
  expect_null(noise_test(fit)$noticed)
  expect_no_match(printed(fit), "no need to check")
})

test_that("a class without a label is named, and a table of classes has a row of zeros for it", {
  d <- toy_scores(3, 60)
  prob <- cbind(d$prob * 0.9, z = 0.1)
  expect_message(
    fit <- second_stage(prob, as.character(d$labels), epsilon = 0.1, hyper = "optimum"),
    class = "sturdy_message_absent_class"
  )
  expect_no_message(
    second_stage(d$prob, d$labels, epsilon = 0.1, hyper = "optimum"),
    class = "sturdy_message_absent_class"
  )
  counts <- c(table(factor(d$labels, colnames(prob))))
  found <- confusion(fit)
  expect_equal(rowSums(found$predicted), counts, ignore_attr = TRUE)
  expect_equal(colSums(found$true), counts, tolerance = 1e-8, ignore_attr = TRUE)
  expect_equal(unname(counts["z"]), 0)
})

test_that("columns of scores may have hostile names", {
  d <- data.frame(a = c(0.2, 0.8), b = c(0.8, 0.2), c = c("x", "y"))
  expect_error(
    second_stage(stats::setNames(d, c("u", NA, "v")), c("u", "v")), "Not numeric: .*v", class = "sturdy_error_column_type"
  )
})
