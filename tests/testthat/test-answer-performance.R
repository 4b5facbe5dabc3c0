quiet <- ep_control(progress = FALSE)

test_that("with certain labels performance is against them", {
  fit <- toy_fit(epsilon = 0, control = quiet)
  p <- fitted(fit)
  found <- true_performance(fit, p)
  expect_equal(found$true, found$recorded)
  expect_equal(found$lower, found$upper)
  event <- toy()$class == "yes"
  expect_equal(found$recorded[1], mean((p > 0.5) == event))
  # by its definition: the share of pairs in the right order
  pairs <- outer(p[event], p[!event], function(a, b) (a > b) + (a == b) / 2)
  expect_equal(found$recorded[2], mean(pairs))
  expect_equal(found$recorded[3], mean(log(ifelse(event, p, 1 - p))))
})

test_that("the mean over draws is the expectation", {
  fit <- toy_fit(epsilon = 0.1, control = quiet)
  p <- fitted(fit)
  found <- true_performance(fit, p, draws = 4000)
  right <- ifelse((p > 0.5) == (fit$data$y > 0), 1 - fit$ep$flipped, fit$ep$flipped)
  expect_lt(abs(found$true[1] - mean(right)), 0.005)
  truth <- ifelse(fit$data$y > 0, 1 - fit$ep$flipped, fit$ep$flipped)
  expect_lt(abs(found$true[3] - mean(truth * log(p) + (1 - truth) * log(1 - p))), 0.03)
  set.seed(1)
  before <- .Random.seed
  expect_equal(true_performance(fit, p), true_performance(fit, p))
  expect_identical(.Random.seed, before)
  expect_equal(true_performance(fit, predict(fit))$measure, "accuracy")
})

test_that("of new rows the truth is that of Bayes' rule", {
  fit <- toy_fit(epsilon = c(neg = 0.1, pos = 0.3), control = quiet)
  new <- data.frame(a = c(-1, 0.1, 2), b = c(0, 0, NA))
  truth <- truth_of_new(fit, new, c("yes", "no", "no"), NULL)
  p <- predict(fit, new[1:2, ], type = "response")
  expect_equal(truth$p[1, 1], p[[1]] * 0.7 / (p[[1]] * 0.7 + (1 - p[[1]]) * 0.1))
  expect_equal(truth$p[2, 1], p[[2]] * 0.3 / (p[[2]] * 0.3 + (1 - p[[2]]) * 0.9))
  expect_equal(truth$rows, 1:2)
  found <- true_performance(fit, c("no", "yes", "no"), newdata = new, y = c("yes", "no", "no"))
  expect_equal(attr(found, "n"), 2)
})

test_that("predictions must match the rows", {
  fit <- toy_fit(control = quiet)
  expect_error(true_performance(fit, 0.5), class = "sturdy_error_predictions")
  expect_error(true_performance(fit, rep(2, 40)), class = "sturdy_error_predictions")
  expect_error(true_performance(fit, rep("maybe", 40)), class = "sturdy_error_predictions")
  expect_error(
    true_performance(fit, rep(0.5, 40), newdata = toy()), class = "sturdy_error_missing_argument"
  )
  expect_error(true_performance(1), class = "sturdy_error_type")
})
