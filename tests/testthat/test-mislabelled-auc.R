# The script inst/experiments/mislabelled-auc.R
auc_script <- function() {
  env <- new.env(parent = globalenv())
  path <- system.file(
    "experiments", "mislabelled-auc.R", package = "sturdy", mustWork = TRUE
  )
  sys.source(path, env)
  env
}

test_that("the area under the curve is the chance of a right order", {
  env <- auc_script()
  score <- c(3, 1, 2, 2, 5)
  flipped <- c(TRUE, FALSE, TRUE, FALSE, FALSE)
  pairs <- outer(score[flipped], score[!flipped], function(a, b) (a > b) + (a == b) / 2)
  expect_equal(env$area_under_roc(score, flipped), mean(pairs))
})

test_that("folds spread the classes evenly", {
  env <- auc_script()
  y <- factor(rep(c("a", "b"), c(30, 12)))
  fold <- env$stratified_folds(y, 5)
  expect_lte(diff(range(table(fold, y)[, "a"])), 1)
  expect_lte(diff(range(table(fold, y)[, "b"])), 1)
})

test_that("pooled flip probabilities are binned for all and for each set", {
  env <- auc_script()
  flips <- data.frame(
    data = rep(c("u", "v"), each = 4), method = "gpc",
    probability = c(0.2, 0.2, 0.8, 0.8), flipped = c(FALSE, FALSE, TRUE, FALSE)
  )
  bins <- env$flip_calibration(flips)
  all <- bins[bins$data == "all", ]
  expect_equal(all$n, c(4, 4))
  expect_equal(all$observed, c(0, 0.5))
  expect_equal(nrow(bins), 6)
})

test_that("a rival's suspicion is high for a label that contradicts the rest", {
  env <- auc_script()
  withr::local_seed(1)
  x <- data.frame(a = rep(c(-2, 2), each = 30) + rnorm(60, sd = 0.3))
  y <- factor(rep(c("l", "r"), each = 30))
  y[c(5, 40)] <- c("r", "l")
  fold <- env$stratified_folds(y, 5)
  skip_if_not_installed("kernlab")
  expect_setequal(order(-env$svm_suspicion(x, y, fold))[1:2], c(5, 40))
  skip_if_not_installed("ranger")
  expect_setequal(order(-env$forest_suspicion(x, y, fold))[1:2], c(5, 40))
})

test_that("the experiment saves what it says, and finds most flips", {
  skip_unless_extended()
  skip_if_not_installed("kernlab")
  skip_if_not_installed("ranger")
  env <- auc_script()
  folder <- withr::local_tempdir()
  result <- env$experiment_mislabelled(
    replications = 1, data = "newthyroid", folder = folder
  )
  expect_setequal(list.files(folder), c(
    "mislabelled-auc.csv", "mislabelled-auc-summary.csv",
    "mislabelled-calibration.csv", "mislabelled-calibration.png"
  ))
  expect_equal(nrow(result$auc), 6)
  expect_gt(result$summary$auc[result$summary$method == "gpc"], 0.95)
})
