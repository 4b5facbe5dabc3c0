# Objects of other packages: real ones where the package is there, else of the same shape.

fast_stage <- function(...) second_stage(..., epsilon = 0.1, hyper = "optimum")

test_that("a logistic model is left out by one Newton step, near to a fit without the row", {
  d <- withr::with_seed(4, data.frame(x = stats::rnorm(60)))
  d$y <- withr::with_seed(5, stats::rbinom(60, 1, stats::plogis(2 * d$x)))
  model <- stats::glm(y ~ x, stats::binomial, d)
  found <- out_of_sample(model)
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

test_that("the step is that of Newton without the row, also where a row has much leverage", {
  d <- data.frame(x = c(seq(-1, 1, length.out = 11), 4), y = c(0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0))
  sharp <- stats::glm.control(1e-14, 100)
  model <- stats::glm(y ~ x, stats::binomial, d, control = sharp)
  expect_gt(stats::hatvalues(model)[12], 0.7)
  X <- cbind(1, d$x)
  p <- stats::fitted(model)
  step <- vapply(1:12, function(i) {
    rest <- X[-i, ]
    gradient <- crossprod(rest, d$y[-i] - p[-i])
    at <- stats::coef(model) + solve(crossprod(rest, (p * (1 - p))[-i] * rest), gradient)
    stats::plogis(sum(X[i, ] * at))
  }, 0)
  expect_equal(as.vector(out_of_sample(model)), step, tolerance = 1e-7)
  rest <- stats::glm(y ~ x, stats::binomial, d[-12, ])
  without <- stats::predict(rest, d[12, ], type = "response")
  expect_lt(abs(step[12] - without), 0.05)
  expect_gt(abs(p[12] - without), 0.3)
})

test_that("rows of a logistic model are those of its data, also where it has left some out", {
  d <- withr::with_seed(4, data.frame(x = stats::rnorm(60)))
  d$y <- withr::with_seed(5, stats::rbinom(60, 1, stats::plogis(2 * d$x)))
  d$x[seq(2, 60, 3)] <- NA
  kept <- which(!is.na(d$x))
  exact <- vapply(kept, function(i) {
    rest <- stats::glm(y ~ x, stats::binomial, d[-i, ])
    stats::predict(rest, d[i, ], type = "response")
  }, 0)
  for (left_out in list(stats::na.omit, stats::na.exclude)) {
    model <- stats::glm(y ~ x, stats::binomial, d, na.action = left_out)
    found <- out_of_sample(model)
    expect_lt(max(abs(found[kept] - exact)), 0.02)
    expect_true(all(is.na(found[-kept])))
    fit <- suppressMessages(fast_stage(model))
    expect_identical(fit$data$rows, kept)
    expect_identical(fit$data$y, 2 * d$y[kept] - 1)
    expect_identical(suppressMessages(fast_stage(model, d$y))$ep$seen, fit$ep$seen)
  }
  late <- fast_stage(stats::glm(y ~ x, stats::binomial, d, subset = kept[11:40]))
  expect_setequal(mislabelled(late, level = NULL)$id, as.character(kept[11:40]))
  # mgcv's models of this class inherit from glm
  smooth <- structure(stats::glm(y ~ x, stats::binomial, d), class = c("gam", "glm", "lm"))
  expect_error(second_stage(smooth), class = "sturdy_error_in_sample")
})

test_that("the event of a logistic model is that of its labels, whatever they are called", {
  d <- withr::with_seed(4, data.frame(x = stats::rnorm(60)))
  d$ill <- withr::with_seed(5, stats::rbinom(60, 1, stats::plogis(2 * d$x)))
  d$status <- ifelse(d$ill == 1, "ill", "well")
  model <- stats::glm(I(status == "ill") ~ x, stats::binomial, d)
  p <- as.vector(out_of_sample(model))
  expected <- fast_stage(cbind(ill = p, well = 1 - p), d$status)
  for (labels in list(d$status, factor(d$status), factor(d$status, c("well", "ill")))) {
    fit <- fast_stage(model, labels)
    expect_equal(fit$data$X[, "ill"], expected$data$X[, "ill"])
    expect_equal(row_flipped(fit), row_flipped(expected), tolerance = 1e-4)
  }
  d$named <- factor(d$status, c("well", "ill"))
  for (keep in c(TRUE, FALSE)) { # the model frame, without which the names are lost
    named <- stats::glm(named ~ x, stats::binomial, d, model = keep)
    fit <- fast_stage(named)
    expect_equal(fit$blueprint$levels, if (keep) levels(d$named) else c("0", "1"))
    expect_equal(unname(fit$data$X[, 2]), unname(expected$data$X[, "ill"]))
    expect_equal(fit$data$y, ifelse(d$status == "ill", 1, -1))
    expect_equal(fast_stage(named, d$status)$ep$seen, fast_stage(model, d$status)$ep$seen)
  }
  expect_error(
    second_stage(model, rev(d$status)), "fitted to", class = "sturdy_error_outcome_levels"
  )
})

test_that("a forest of ranger gives its out-of-bag probabilities, or says how to get them", {
  skip_if_not_installed("ranger")
  grow <- function(...) {
    ranger::ranger(Species ~ ., iris, num.trees = 50, seed = 1, num.threads = 1, ...)
  }
  forest <- grow(probability = TRUE)
  fit <- suppressMessages(fast_stage(forest, iris$Species))
  expect_error(
    second_stage(forest), "This <ranger> does not hold", class = "sturdy_error_missing_argument"
  )
  expect_error(
    second_stage(forest, as.integer(iris$Species)), "factor\\(labels, labels = \\)",
    class = "sturdy_error_novel_levels"
  )
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
  since_3 <- structure(list(cv_predict = list(pred = d$prob)), class = "xgb.cv.synchronous")
  same(since_3, d$labels)
  turn <- rev(1:60)
  pred <- data.frame(
    d$prob[turn, ], obs = d$labels[turn], rowIndex = turn, mtry = 2, check.names = FALSE
  )
  worse <- transform(pred, a = 1 / 3, b = 1 / 3, c = 1 / 3, mtry = 3)
  same(structure(
    list(pred = rbind(worse, pred), bestTune = data.frame(mtry = 2)), class = "train"
  ))
  by_name <- transform(pred, mtry = factor("x", c("x", "y")))
  same(structure(list(pred = by_name, bestTune = data.frame(mtry = factor("x"))), class = "train"))
  numbers <- data.frame(pred = 1:60, obs = 1:60 / 2, rowIndex = 1:60)
  regression <- structure(list(pred = numbers, bestTune = data.frame()), class = "train")
  expect_error(second_stage(regression, d$labels), class = "sturdy_error_in_sample")
  same(structure(list(prediction = function() {
    list(prob = d$prob[turn, ], truth = d$labels[turn], row_ids = turn)
  }), class = "ResampleResult"))
  none <- structure(list(pred = NULL), class = "train")
  expect_error(mislabelled(none), "savePredictions", class = "sturdy_error_in_sample")
  for (class in c("lgb.CVBooster", "workflow", "model_fit")) {
    expect_error(
      mislabelled(structure(list(), class = class), d$labels), class = "sturdy_error_in_sample"
    )
  }
  for (class in c("tab_pfn", "catboost.Model", "luz_module_fitted")) {
    expect_error(
      second_stage(structure(list(), class = class), d$labels), "cross_fit", class = "sturdy_error_in_sample"
    )
  }
  booster <- structure(list(), class = "xgb.Booster")
  expect_error(mislabelled(booster, d$labels), "xgb.cv", class = "sturdy_error_in_sample")
})

# As tune keeps them: a table a resample, a row for each of its rows and candidate
tuned_toy <- function(d, turns = 1) {
  rows <- function(of, prob, config) {
    said <- stats::setNames(as.data.frame(prob[of, ]), paste0(".pred_", colnames(prob)))
    classes <- factor(colnames(prob)[max.col(prob[of, ])], colnames(prob))
    data.frame(
      .pred_class = classes, said, .row = of, mtry = nchar(config), class = d$labels[of],
      .config = config, check.names = FALSE
    )
  }
  blunt <- (d$prob + 1 / 3) / 2
  folds <- split(rev(seq_along(d$labels)), rep_len(1:4, length(d$labels)))
  each <- lapply(unname(rep(folds, turns)), function(of) {
    rbind(rows(of, blunt, "Model1"), rows(of, d$prob, "Model02"))
  })
  structure(
    list(id = paste0("Fold", seq_along(each)), .predictions = each),
    row.names = seq_along(each), class = c("tune_results", "data.frame")
  )
}

test_that("results of tune give the rows that were left out, by the best of their candidates", {
  d <- toy_scores(3, 60)
  plain <- fast_stage(d$prob, d$labels)$ep$seen
  for (turns in 1:2) { # also where each row was predicted twice
    tuned <- tuned_toy(d, turns)
    expect_equal(fast_stage(tuned)$ep$seen, plain)
    expect_equal(fast_stage(tuned, d$labels)$ep$seen, plain)
    collected <- do.call(rbind, tuned$.predictions)
    expect_equal(fast_stage(collected)$ep$seen, plain)
  }
  apparent <- tuned_toy(d)
  apparent <- rbind(apparent, transform(apparent[1, ], id = "Apparent"))
  apparent$.predictions[[5]]$.pred_a <- 1
  expect_equal(fast_stage(apparent)$ep$seen, plain)
  part <- tuned[1, ] # a validation set
  expect_setequal(
    mislabelled(fast_stage(part), level = NULL)$id, as.character(part$.predictions[[1]]$.row)
  )
  tuned$.predictions <- NULL
  expect_error(mislabelled(tuned), "save_pred", class = "sturdy_error_in_sample")
  # a table of scores with a column of such a name stays one
  other <- data.frame(.row = d$prob[, 1], rest = 1 - d$prob[, 1])
  expect_error(second_stage(other, d$labels), class = "sturdy_error_novel_levels")
})

test_that("tensors of torch are probabilities, also as a classifier of cross_fit() predicts them", {
  d <- toy_scores(3, 60)
  tensor <- function(values) { # of the shape that torch gives
    self <- structure(new.env(), class = c("torch_tensor", "R7"))
    self$detach <- self$cpu <- function() self
    self$values <- values
    self
  }
  registerS3method("as.array", "torch_tensor", function(x, ...) x$values)
  plain <- fast_stage(d$prob, d$labels)$ep$seen
  expect_equal(fast_stage(tensor(unname(d$prob)), d$labels)$ep$seen, plain)
  logits <- tensor(unname(qlogis(d$prob)))
  expect_error(fast_stage(logits, d$labels), "exp\\(x\\) / rowSums", class = "sturdy_error_prob")
  crossed <- cross_fit(
    d$prob, d$labels, function(x, y) NULL, function(model, x) tensor(unname(x)), folds = 3
  )
  expect_equal(unclass(crossed)[, ], unclass(d$prob)[, ], ignore_attr = TRUE)
})

test_that("a classifier of tidymodels may predict the class beside the probabilities, as tabpfn has them", {
  d <- toy_scores(3, 60)
  said <- function(prob) {
    columns <- stats::setNames(as.data.frame(prob), paste0(".pred_", colnames(d$prob)))
    cbind(columns, .pred_class = factor(colnames(d$prob)[max.col(prob)], colnames(d$prob)))
  }
  expect_equal(fast_stage(said(d$prob), d$labels)$ep$seen, fast_stage(d$prob, d$labels)$ep$seen)
  crossed <- cross_fit(d$prob, d$labels, function(x, y) NULL, function(model, x) said(x), folds = 3)
  expect_equal(crossed[, colnames(d$prob)], d$prob[, ], ignore_attr = TRUE)
})
