# Objects of other packages: real ones where the package is there, else of the same shape.

fast_stage <- function(...) second_stage(..., epsilon = 0.1, hyper = "optimum")

test_that("a logistic model is left out by one Newton step, near to a fit without the row", {
  d <- withr::with_seed(4, data.frame(x = stats::rnorm(60)))
  d$y <- withr::with_seed(5, stats::rbinom(60, 1, stats::plogis(2 * d$x)))
  model <- stats::glm(y ~ x, stats::binomial, d)
  found <- out_of_sample(model, NULL)
  exact <- vapply(1:60, function(i) {
    rest <- stats::glm(y ~ x, stats::binomial, d[-i, ])
    stats::predict(rest, d[i, ], type = "response")
  }, 0)
  expect_lt(max(abs(found - exact)), 0.02)
  fitted <- max(abs(stats::fitted(model) - exact))
  expect_lt(max(abs(found - exact)), fitted / 3)
  expect_equal(fast_stage(model)$ep$seen, fast_stage(as.vector(found), d$y)$ep$seen)
  counts <- stats::glm(cbind(y, 3 - y) ~ x, stats::binomial, d)
  expect_error(second_stage(counts), class = "sturdy_error_in_sample")
})

test_that("a forest of ranger gives its out-of-bag probabilities, or says how to get them", {
  skip_if_not_installed("ranger")
  grow <- function(...) {
    ranger::ranger(Species ~ ., iris, num.trees = 50, seed = 1, num.threads = 1, ...)
  }
  forest <- grow(probability = TRUE)
  fit <- suppressMessages(fast_stage(forest, iris$Species))
  expect_equal(fit$blueprint$levels, levels(iris$Species))
  kept <- which(stats::complete.cases(forest$predictions))
  expect_equal(
    fast_stage(forest$predictions[kept, ], iris$Species[kept])$ep$seen, fit$ep$seen
  )
  cnd <- expect_error(second_stage(grow(), iris$Species), class = "sturdy_error_in_sample")
  expect_match(conditionMessage(cnd), "probability = TRUE")
  expect_error(second_stage(forest), class = "sturdy_error_missing_argument")
})

test_that("objects of the shape of randomForest, caret, xgboost and mlr3 give what was left out", {
  d <- toy_scores(3, 60)
  plain <- fast_stage(d$prob, d$labels)$ep$seen
  same <- function(object, ...) expect_equal(fast_stage(object, ...)$ep$seen, plain)
  same(structure(list(votes = 1 * d$prob, y = d$labels), class = "randomForest"))
  same(structure(list(pred = d$prob), class = "xgb.cv.synchronous"), d$labels)
  turn <- rev(1:60)
  pred <- data.frame(
    d$prob[turn, ], obs = d$labels[turn], rowIndex = turn, mtry = 2, check.names = FALSE
  )
  worse <- transform(pred, a = 1 / 3, b = 1 / 3, c = 1 / 3, mtry = 3)
  same(structure(
    list(pred = rbind(worse, pred), bestTune = data.frame(mtry = 2)), class = "train"
  ))
  same(structure(list(prediction = function() {
    list(prob = d$prob[turn, ], truth = d$labels[turn], row_ids = turn)
  }), class = "ResampleResult"))
  none <- structure(list(pred = NULL), class = "train")
  expect_error(mislabelled(none), "savePredictions", class = "sturdy_error_in_sample")
  booster <- structure(list(), class = "xgb.Booster")
  expect_error(mislabelled(booster, d$labels), "xgb.cv", class = "sturdy_error_in_sample")
})
