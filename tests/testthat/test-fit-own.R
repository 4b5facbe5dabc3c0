# These verbs have no level; flip_rates() has one
test_that("an argument that a verb does not have is refused, also where others have it", {
  fit <- toy_fit()
  for (verb in list(summary, ep_diagnostics, glance, augment, logLik, deviance)) {
    expect_error(verb(fit, level = 0.5), class = "sturdy_error_unknown_argument")
  }
  expect_error(ep_diagnostics(list(1), arg = "x"), class = "sturdy_error_type")
  expect_error(flip_rates(fit, level = 2), class = "sturdy_error_range")
  expect_error(flip_rates(fit, lvl = 0.5), class = "sturdy_error_unknown_argument")
})

test_that("the fit inside of what other packages make of one is asked", {
  fit <- toy_fit()
  around <- list(
    structure(list(fit = list(fit = list(fit = fit))), class = "workflow"), structure(list(fit = fit), class = "model_fit"),
    structure(list(model = fit), class = c("LearnerClassif", "Learner")), structure(list(finalModel = fit), class = "train")
  )
  for (object in around) expect_identical(own_fit(object), fit)
  expect_null(own_fit(structure(list(fit = NULL), class = "model_fit")))
  expect_null(own_fit(stats::lm(dist ~ speed, cars)))
})
