test_that("a summary holds the scores and hyperparameters", {
  fit <- toy_fit()
  s <- summary(fit)
  expect_s3_class(s, "summary.sturdy_model")
  expect_equal(s$scores[["log_evidence"]], log_evidence(fit))
  expect_equal(s$scores[["loo"]], loo_sum(fit))
  expect_equal(s$coefficients$estimate, unname(coef(fit)))
  expect_false(any(s$coefficients$learned))
  expect_equal(s$expected_wrong, sum(mislabelled(fit)$probability))
  expect_equal(nrow(s$suspicious), 5)
})

test_that("the summary of a t process has the comparable evidence", {
  s <- summary(update(toy_fit(), df = 5))
  expect_equal(s$scores[["log_evidence_gaussian"]], log_evidence(toy_fit()))
})

test_that("a summary prints in full", {
  s <- summary(update(toy_fit(), df = 5))
  s$ep <- "converged"
  s$scores[] <- c(-10.5, -12.25, -9.125, 2, 0.1)
  s$expected_wrong <- 1.5
  s$suspicious <- data.frame(
    row = 1:2, label = c("no", "yes"), probability = c(0.75, 0.5), rank = 1:2,
    loo = c(0.1, 0.2)
  )
  expect_snapshot(s)
  expect_output(print(summary(toy_fit(epsilon = 0))), "0 expected to be wrong")
})

test_that("rows of a summary have their identifiers", {
  d <- toy()
  row.names(d) <- sprintf("p%03d", 40:1)
  shown <- summary(toy_fit(data = d))$suspicious
  expect_equal(shown$id, sprintf("p%03d", 41 - shown$row))
})
