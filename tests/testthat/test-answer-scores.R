test_that("the Brier score is of leave-one-out probabilities", {
  fit <- toy_fit()
  expect_equal(row_brier(fit), (1 - exp(loo_terms(fit)))^2, ignore_attr = TRUE)
  coin <- gpc(matrix(1), 1, kernel = held(), epsilon = 0.1)
  expect_equal(row_brier(coin), 1 / 4)
  expect_equal(loo_sum(coin), log(1 / 2))
})

test_that("a row that stands for several scores once, and its labels each in the mean of loo()", {
  fit <- suppressMessages(gpc(class ~ a + b, toy(), weights = rep(1:4, 10), kernel = held(), epsilon = 0.1))
  p <- exp(loo_terms(fit) / rep(1:4, 10))
  expect_equal(row_brier(fit), (1 - p)^2, ignore_attr = TRUE)
  mean <- format(loo_sum(fit) / 100, digits = 4)
  expect_match(printed(loo(fit)), paste0("of 100 labels .*Mean +", mean))
  skip_if_not_installed("performance")
  expect_equal(performance::model_performance(fit)$Log_loss, -mean(log(p)))
})

test_that("calibration uses the probability of the event without the row", {
  fit <- toy_fit()
  curve <- calibration(fit, bins = 4)
  p <- exp(loo_terms(fit))
  expect_equal(curve$probability, ifelse(fit$data$y > 0, p, 1 - p))
  expect_equal(curve$event, toy()$class == "yes")
  expect_equal(sum(curve$bins$n), 40)
  expect_lte(nrow(curve$bins), 4)
  bins <- curve$bins
  expect_equal(sum(bins$n * bins$observed), sum(curve$event))
  expect_equal(sum(bins$n * bins$predicted), sum(curve$probability))
  expect_equal(curve$bias, mean(curve$probability - curve$event))
})

test_that("the calibration error weighs a bin by its rows", {
  curve <- calibration(toy_fit(), bins = 7)
  bins <- curve$bins
  expect_gt(length(unique(bins$n)), 1)
  gap <- abs(bins$predicted - bins$observed)
  expect_equal(curve$error, sum(rep(gap, bins$n)) / 40)
})

test_that("bins hold what lies in them, narrow ones are joined", {
  p <- c(0.1, 0.2, 0.3, 0.4, 0.9, 0.901, 0.902, 0.903)
  event <- rep(c(FALSE, TRUE), each = 4)
  bins <- calibration_bins(p, event, 4, 0.9)
  expect_equal(bins$n, c(2, 2, 4))
  expect_equal(bins$predicted, c(0.15, 0.35, mean(p[5:8])))
  expect_equal(bins$observed, c(0, 0, 1))
  # one value only, and the best that rounding can do to a smallest value
  expect_equal(calibration_bins(rep(0.3, 5), event[1:5], 4, 0.9)$n, 5)
  expect_equal(calibration_bins(0.3, TRUE, 10, 0.9)$observed, 1)
})

test_that("bins are of equal size, or wider than 0.02", {
  for (bins in c(1, 4, 10)) {
    p <- withr::with_seed(bins, c(runif(70), rbeta(90, 200, 4), runif(40, 0.05, 0.08)))
    found <- calibration_bins(p, p > 0.5, bins, 0.9)
    expect_equal(sum(found$n), 200)
    expect_false(is.unsorted(found$predicted))
    end <- cumsum(found$n)
    width <- sort(p)[end] - sort(p)[c(1, head(end, -1) + 1)]
    expect_true(all(width >= 0.01 | found$n <= 200 / bins + 1))
  }
})

test_that("probabilities of two heights make two bins, and equal ones stay together", {
  p <- withr::with_seed(1, c(runif(120, 0.049, 0.06), runif(80, 0.93, 0.945)))
  event <- rep(c(FALSE, TRUE, FALSE), c(80, 40, 80))
  bins <- calibration_bins(p, event, 10, 0.9)
  expect_equal(bins$n, c(120, 80))
  expect_equal(bins$observed, c(1 / 3, 0))
  expect_equal(bins$predicted, c(mean(p[1:120]), mean(p[121:200])))
  tied <- withr::with_seed(2, sample(c(0.1, 0.3, 0.31, 0.9), 200, TRUE, c(0.4, 0.3, 0.2, 0.1)))
  for (bins in c(2, 7, 30)) {
    sizes <- calibration_bins(tied, tied > 0.5, bins, 0.9)$n
    ends <- cumsum(table(tied))
    expect_true(all(cumsum(sizes) %in% ends))
  }
})

test_that("Wilson's interval solves the score equation", {
  ends <- wilson_interval(0.3, 20, 0.95)
  z <- function(p) abs(0.3 - p) / sqrt(p * (1 - p) / 20)
  expect_equal(z(c(ends$lower, ends$upper)), rep(qnorm(0.975), 2))
  expect_equal(wilson_interval(0, 10, 0.9)$lower, 0)
  expect_equal(wilson_interval(1, 10, 0.9)$upper, 1)
})

test_that("simulated labels are calibrated", {
  # the model that made the labels; 90 % intervals of some ten bins each
  inside <- lapply(1:4, function(seed) {
    withr::local_seed(seed)
    X <- matrix(runif(400, -2, 2), 200)
    K <- exp(-as.matrix(dist(X))^2 / 2) + diag(0.1, 200)
    true <- drop(crossprod(chol(K), rnorm(200))) > 0
    y <- xor(true, runif(200) < 0.1)
    fit <- gpc(
      X, y, kernel = held(1, bias = 0, nugget = 0.1), epsilon = 0.1, scale = FALSE
    )
    bins <- calibration(fit)$bins
    bins$lower <= bins$predicted & bins$predicted <= bins$upper
  })
  expect_gte(mean(unlist(inside)), 0.7)
})

test_that("arguments of calibration() are checked", {
  fit <- toy_fit()
  expect_error(calibration(fit, bins = 0), class = "sturdy_error_range")
  expect_error(calibration(fit, level = 0), class = "sturdy_error_range")
  expect_error(calibration(fit, n = 3), class = "sturdy_error_unknown_argument")
})

test_that("a reliability curve prints and plots", {
  curve <- calibration(toy_fit(), bins = 4)
  curve[c("error", "bias")] <- list(0.0512, -0.012)
  curve$bins <- data.frame(
    predicted = c(0.1, 0.6), observed = c(0.3, 0.55), n = c(19L, 21L),
    lower = c(0.2, 0.4), upper = c(0.45, 0.7)
  )
  expect_snapshot(curve)
  d <- draw(curve)
  expect_equal(d$after[drawing], d$before[drawing])
  expect_false(d$result$visible)
  expect_identical(d$result$value, curve)
})

test_that("a filter keeps nothing to score by leave-one-out", {
  filtered <- bpm(class ~ a + b, toy(), inference = "adf")
  expect_error(calibration(filtered), class = "sturdy_error_no_sites")
})
