# The parts of the experiment mislabelled-auc

extended_test("the area under the curve is the chance of a right order", {
  env <- script_env("mislabelled-auc")
  score <- c(3, 1, 2, 2, 5)
  flipped <- c(TRUE, FALSE, TRUE, FALSE, FALSE)
  pairs <- outer(score[flipped], score[!flipped], function(a, b) (a > b) + (a == b) / 2)
  expect_equal(env$area_under_roc(score, flipped), mean(pairs))
})

extended_test("folds spread the classes evenly", {
  env <- script_env("mislabelled-auc")
  y <- factor(rep(c("a", "b"), c(30, 12)))
  fold <- env$stratified_folds(y, 5)
  expect_lte(diff(range(table(fold, y)[, "a"])), 1)
  expect_lte(diff(range(table(fold, y)[, "b"])), 1)
})

extended_test("labels are flipped in a tenth of the rows, the same for each method", {
  env <- script_env("mislabelled-auc")
  for (name in c("newthyroid", "synth")) {
    d <- env$flipped_data(name, 3, 0.1)
    expect_identical(sum(d$flipped), as.integer(round(0.1 * length(d$y))))
    expect_identical(nrow(d$x), length(d$y))
    expect_identical(env$flipped_data(name, 3, 0.1), d)
  }
  expect_identical(length(d$y), 250L) # of synth, the training rows
  truth <- sturdy_data("synth")
  truth <- truth$class[truth$set == "train"]
  expect_identical(which(d$y != truth), which(d$flipped))
})

extended_test("pooled flip probabilities are binned for all and for each set", {
  env <- script_env("mislabelled-auc")
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

extended_test("differences to gpc are paired by replication", {
  auc <- cbind(
    expand.grid(seed = 3:1, method = c("gpc", "svm"), stringsAsFactors = FALSE),
    data = "u", auc = c(0.9, 0.8, 0.7, 0.5, 0.6, 0.4), epsilon = 0.1, flipped = 3,
    expected = 3, lower = 1, upper = c(5, 5, 2), called = 2, called_flipped = 1,
    status = "converged", seconds = 1
  )
  auc <- auc[c(1:3, 6:4), ]
  summary <- script_env("mislabelled-auc")$auc_summary(auc)
  expect_identical(summary$method, c("gpc", "svm"))
  expect_equal(summary$gpc_ahead, c(0, 0.3))
  expect_equal(summary$gpc_ahead_se, c(0, sd(c(0.4, 0.2, 0.3)) / sqrt(3)))
  expect_equal(summary$covered, c(2, 2) / 3)
})

extended_test("a rival's suspicion is high for a label that contradicts the rest", {
  env <- script_env("mislabelled-auc")
  withr::local_seed(1)
  x <- data.frame(a = rep(c(-2, 2), each = 30) + rnorm(60, sd = 0.3))
  y <- factor(rep(c("l", "r"), each = 30))
  y[c(5, 40)] <- c("r", "l")
  fold <- env$stratified_folds(y, 5)
  expect_setequal(order(-env$svm_suspicion(x, y, fold))[1:2], c(5, 40))
  expect_setequal(order(-env$forest_suspicion(x, y, fold))[1:2], c(5, 40))
})

extended_test("the quick run finds most flips", {
  results <- quick_run("mislabelled-auc")$parts$results
  expect_equal(nrow(results), 6)
  expect_gt(results$auc[results$method == "gpc"], 0.95)
})
