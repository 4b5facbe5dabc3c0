# The comparison of classifiers in experiments.

extended_test("without flips both kinds are one task", {
  env <- script_env("comparison")
  tasks <- env$experiment$tasks(env$experiment$settings)
  expect_identical(nrow(tasks), 350L)
  expect_true(all((tasks$kind == "none") == (tasks$rate == 0)))
  counts <- table(tasks$kind)
  expect_identical(as.vector(counts[c("none", "random", "far")]), c(50L, 150L, 150L))
})

extended_test("both kinds flip as many labels, the one only far from the boundary", {
  env <- script_env("comparison")
  half <- env$random_half("newthyroid", 3)
  rows <- as.integer(rownames(half$x))
  whole <- env$two_class_data("newthyroid")
  expect_identical(whole$y[rows], half$y)
  flipped <- function(kind) {
    task <- list(data = "newthyroid", kind = kind, rate = 0.2, seed = 3)
    which(env$flipped_labels(half, task) != half$y)
  }
  random <- flipped("random")
  far <- flipped("far")
  expect_length(far, round(0.2 * length(rows)))
  expect_length(random, length(far))
  is_far <- env$far_from_boundary("newthyroid")
  expect_true(all(is_far[rows[far]]))
  expect_false(all(is_far[rows[random]]))
  # half of each class
  expect_equal(as.vector(table(whole$y[is_far]) / table(whole$y)), c(0.5, 0.5),
    tolerance = 0.03
  )
})

extended_test("what comes from select_model() is what a fit of its own gives", {
  env <- script_env("comparison")
  half <- env$random_half("newthyroid", 2)
  rows <- env$selection_rows(half)
  alone <- gpc(half$x, half$y, epsilon = 0, control = ep_control(progress = FALSE))
  prob <- predict(alone, half$x_test, type = "prob")
  scores <- env$probability_scores(prob, half$y_test)
  columns <- c("error", "log_score", "brier", "calibration")
  expect_equal(
    rows[rows$method == "GPC (epsilon = 0)", columns], scores,
    ignore_attr = "row.names"
  )
  chosen <- rows$chosen[startsWith(rows$method, "select_model")]
  expect_length(chosen, 3)
  expect_true(all(chosen %in% names(default_candidates(criterion = "loo"))))
  by_evidence <- select_model(half$x, half$y, env$one_rate_candidates(), criterion = "evidence")
  expect_identical(chosen[1], with(by_evidence$table, candidate[selected]))
})

extended_test("a fit that failed is a row without scores", {
  env <- script_env("comparison")
  half <- env$random_half("newthyroid", 1)
  row <- env$fit_row("any", list(value = NULL, seconds = 1, warned = ""), half)
  expect_identical(row$status, "failed")
  expect_true(all(is.na(row[c("error", "log_score", "brier", "calibration")])))
})

extended_test("a forest that is wrongly sure keeps its raw log score of -Inf", {
  env <- script_env("comparison")
  # two clouds without overlap, and test labels that are all wrong
  x <- data.frame(x = c(1:30, 101:130))
  y <- factor(rep(c("a", "b"), each = 30))
  half <- list(x = x, y = y, x_test = x, y_test = rev(y))
  row <- env$forest_row(half, seed = 1)
  expect_identical(row$log_score_raw, -Inf)
  expect_true(is.finite(row$log_score))
  expect_equal(row$error, 1)
})

extended_test("differences are those from the baseline on the same split and flips", {
  env <- script_env("comparison")
  rows <- env$all_of(
    data = c("a", "b"), kind = "far", rate = 0.1, seed = 1:3,
    method = c(env$baseline, "SVM")
  )
  set.seed(1)
  rows$seconds <- rows$error <- rows$log_score <- rows$calibration <- runif(nrow(rows))
  rows <- rows[sample(nrow(rows)), ]
  overall <- env$overall_means(rows)
  by_seed <- function(method) {
    mine <- rows[rows$method == method, ]
    tapply(mine$error, mine$seed, mean)
  }
  difference <- as.vector(by_seed("SVM") - by_seed(env$baseline))
  svm <- overall[overall$method == "SVM", ]
  expect_equal(svm$error, mean(by_seed("SVM")))
  expect_equal(svm$error_diff, mean(difference))
  expect_equal(svm$error_diff_se, sd(difference) / sqrt(3))
  expect_identical(overall$error_diff[overall$method == env$baseline], 0)
})
