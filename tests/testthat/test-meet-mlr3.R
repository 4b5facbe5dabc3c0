# The learner of mlr3.

quiet_learner <- function(...) {
  getExportedValue("lgr", "get_logger")("mlr3")$set_threshold("warn")
  mlr3::lrn("classif.sturdy", epsilon = 0.05, kernel = held(), ...)
}

mlr3_task <- function(data = toy()) mlr3::as_task_classif(data, target = "class")

test_that("the learner predicts as gpc() and stc() do", {
  skip_if_not_installed("mlr3")
  for (df in c(Inf, 4)) {
    learner <- quiet_learner(df = df, predict_type = "prob")
    learner$train(mlr3_task())
    own <- if (df == 4) {
      stc(class ~ a + b, toy(), kernel = held(), epsilon = 0.05, df = 4)
    } else {
      toy_fit()
    }
    expect_identical(learner$model$ep, own$ep)
    p <- predict(own, type = "prob")
    found <- learner$predict(mlr3_task())
    expect_equal(found$prob[, colnames(p)], unname(p), ignore_attr = TRUE)
    expect_identical(as.character(found$response), as.character(predict(own)))
  }
})

test_that("the learner predicts through the label stage, as predict() does", {
  skip_if_not_installed("mlr3")
  learner <- mlr3::lrn(
    "classif.sturdy", kernel = held(), hyper = "integrate", predict_type = "prob"
  )
  learner$train(mlr3_task())
  own <- gpc(class ~ a + b, toy(), kernel = held(), hyper = "integrate")
  p <- predict(own, type = "prob")
  expect_equal(learner$predict(mlr3_task())$prob[, colnames(p)], unname(p), ignore_attr = TRUE)
  expect_gt(max(abs(p - first_prob(own, own$data$X))), 0.01)
})

test_that("the positive class of the task has its own column, whichever it is", {
  skip_if_not_installed("mlr3")
  for (positive in c("no", "yes")) {
    task <- mlr3::as_task_classif(toy(), target = "class", positive = positive)
    learner <- quiet_learner(predict_type = "prob")$train(task)
    found <- learner$predict(task)
    expect_equal(unname(found$prob[, "yes"]), unname(fitted(toy_fit())), tolerance = 1e-6)
  }
})

test_that("leave-one-out gives loglik and oob_error", {
  skip_if_not_installed("mlr3")
  learner <- quiet_learner()$train(mlr3_task())
  fit <- toy_fit()
  expect_equal(as.numeric(learner$loglik()), loo(fit)$estimates["elpd_loo", "Estimate"])
  expect_identical(learner$oob_error(), mean(augment(fit)$.loo < 0.5))
  data <- iris[c(1:15, 51:65, 101:115), ]
  several <- quiet_learner()$train(mlr3::as_task_classif(data, target = "Species"))
  fit <- several$model
  # the class that is predicted most for each row by the others
  recorded <- exp(fit$ep$seen) %*% fit$omega
  best <- levels(data$Species)[apply(recorded, 1, which.max)]
  expect_identical(several$oob_error(), mean(best != data$Species))
})

test_that("the error of an average is by the nodes without the label of the row", {
  skip_if_not_installed("mlr3")
  # few rows, for which the mode of the hyperparameters predicts otherwise
  data <- iris[c(10, 45, 14, 36, 53, 52, 99, 84, 130, 127, 103, 121), ]
  data$Species[c(5, 12)] <- c("virginica", "versicolor")
  learner <- mlr3::lrn(
    "classif.sturdy", epsilon = "learn", kernel = kernel_iso(), hyper = "integrate"
  )
  fit <- learner$train(mlr3::as_task_classif(data, target = "Species"))$model
  expect_gt(node_count(fit), 1)
  recorded <- lapply(seq_len(node_count(fit)), function(k) {
    p <- exp(fit$nodes$seen[, , k]) %*% fit$nodes$omega[[k]][1, , ]
    # the weight of a node without the row
    p * fit$nodes$table$weight[k] / p[cbind(1:12, as.integer(data$Species))]
  })
  best <- max.col(Reduce(`+`, recorded))
  error <- mean(best != as.integer(data$Species))
  expect_identical(learner$oob_error(), error)
  mode <- max.col(exp(fit$ep$seen) %*% fit$omega)
  expect_false(mean(mode != as.integer(data$Species)) == error)
})

test_that("a resampling runs, with measures of probabilities and of the learner", {
  skip_if_not_installed("mlr3")
  withr::local_seed(1)
  learner <- quiet_learner(predict_type = "prob")
  folds <- mlr3::rsmp("cv", folds = 2)
  done <- mlr3::resample(mlr3_task(), learner, folds, store_models = TRUE)
  score <- done$aggregate(mlr3::msrs(c("classif.acc", "classif.logloss", "oob_error")))
  by_hand <- vapply(1:2, function(fold) {
    train <- toy()[done$resampling$train_set(fold), ]
    test <- toy()[done$resampling$test_set(fold), ]
    fit <- gpc(class ~ a + b, train, kernel = held(), epsilon = 0.05)
    mean(predict(fit, test) == test$class)
  }, 0)
  expect_equal(score[["classif.acc"]], mean(by_hand))
  expect_true(all(is.finite(score)))
  expect_identical(nrow(done$errors), 0L)
})

test_that("the learner is in the dictionary, with its properties and ranges", {
  skip_if_not_installed("mlr3")
  expect_true("classif.sturdy" %in% mlr3::mlr_learners$keys())
  learner <- quiet_learner()
  expect_true(all(c("twoclass", "multiclass", "oob_error") %in% learner$properties))
  expect_identical(learner$packages, c("mlr3", "sturdy"))
  expect_error(mlr3::lrn("classif.sturdy", epsilon = 0.7), "0.5")
  mixed <- toy()
  mixed$f <- factor(rep(c("u", "v"), 20))
  mixed$o <- ordered(rep(c("s", "t", "r", "s"), 10))
  mixed$l <- rep(c(TRUE, FALSE, FALSE, TRUE), 10)
  fit <- quiet_learner()$train(mlr3_task(mixed))$model
  expect_setequal(fit$blueprint$columns, c("a", "b", "f", "o", "l"))
})

test_that("groups and trusted rows are columns of the task, features or not", {
  skip_if_not_installed("mlr3")
  data <- toy()
  data$clinic <- rep(c("north", "south"), each = 20)
  data$sure <- seq_len(40) %% 7 == 0
  own <- gpc(
    class ~ a + b, data, kernel = held(), epsilon = "learn", rates = ~clinic, trusted = data$sure
  )
  for (features in list(c("a", "b"), c("a", "b", "clinic", "sure"))) {
    task <- mlr3_task(data)
    task$set_col_roles(setdiff(c("clinic", "sure"), features), remove_from = "feature")
    learner <- mlr3::lrn(
      "classif.sturdy", epsilon = "learn", kernel = held(), rates = "clinic", trusted = ~sure,
      predict_type = "prob"
    )
    learner$train(task)
    expect_identical(learner$model$ep, own$ep)
    expect_identical(learner$model$data$reports, own$data$reports)
    p <- predict(own, type = "prob")
    expect_equal(learner$predict(task)$prob[, colnames(p)], p, ignore_attr = TRUE)
    # a part of the rows has its own groups
    learner$train(task, c(1:10, 21:34))
    expect_identical(tabulate(learner$model$data$reports$source), c(9L, 12L))
  }
})
