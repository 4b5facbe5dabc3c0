test_that("suspicion can be drawn, with and without an interval and a cut-off", {
  fit <- toy_fit()
  for (found in list(
    mislabelled(fit), mislabelled(fit, level = NULL), mislabelled(fit, fdr = 0.4),
    mislabelled(toy_fit(epsilon = 0.01), fdr = 0)
  )) {
    d <- draw(found)
    expect_equal(d$after[looks], d$before[looks])
    expect_false(d$result$visible)
    expect_identical(d$result$value, found)
  }
  expect_silent(draw(mislabelled(fit), n = 5, labels = 0, main = "five"))
})

test_that("arguments of the plot are checked", {
  found <- mislabelled(toy_fit())
  expect_error(draw(found, n = 0), class = "sturdy_error_range")
  expect_error(draw(found, rows = 3), class = "sturdy_error_unknown_argument")
})
