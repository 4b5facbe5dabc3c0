# The search for hyperparameters: how long it may take.

test_that("a search that finds no end is ended, and the fit says so", {
  # EP has fixed points at some scales and none at others nearby
  X <- withr::with_seed(49, list(X = matrix(rnorm(60), 20), y = runif(20) < 0.5))
  fit <- suppressWarnings(bpm(
    X$X, X$y, df = 1000, prior_scale = "learn", epsilon = 0.01, scale = FALSE,
    control = ep_control(restarts = 0)
  ))
  expect_identical(fit$learning$convergence, 1L)
  expect_match(fit$learning$message, "200 evaluations")
  # of the race and of the climb
  expect_lte(fit$learning$evaluations, 2 * learn_most + 10)
  expect_gt(fit$learning$evaluations, learn_most)
  expect_gte(fit$learning$penalised, max(fit$learning$starts$penalised))
  expect_output(print(fit), "search not converged")
  expect_match(
    ep_diagnostics(fit)$happened, "stopped early: 200 evaluations", all = FALSE
  )
})

extended_test("searches of ordinary data end well before", {
  for (name in c("synth", "newthyroid", "pima", "sonar", "ionosphere")) {
    d <- sturdy_data(name)
    d <- d[round(seq(1, nrow(d), length.out = 100)), ]
    d$class <- factor(d$class == levels(factor(d$class))[1])
    one <- ep_control(restarts = 0)
    fits <- suppressWarnings(suppressMessages(list(
      gpc(class ~ ., d, control = one), stc(class ~ ., d, df = 3, control = one),
      bpm(class ~ ., d, prior_scale = "learn", control = one)
    )))
    for (fit in fits) {
      expect_identical(fit$learning$convergence, 0L)
      expect_lte(fit$learning$evaluations, learn_most / 2) # of race and climb
    }
  }
})
