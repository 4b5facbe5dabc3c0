test_that("a fit survives saveRDS() into a new process and predicts the same", {
  fit <- toy_fit()
  file <- withr::local_tempfile(fileext = ".rds")
  answer <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_equal(readRDS(file)$ep, fit$ep)
  code <- sprintf(
    "library(sturdy); saveRDS(predict(readRDS('%s'), data.frame(a = 1, b = 0.2), type = 'prob'), '%s')",
    file, answer
  )
  skip_if(!nzchar(system.file("R", "sturdy.rdb", package = "sturdy")), "not installed")
  withr::local_envvar(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stderr = FALSE)
  expect_identical(
    readRDS(answer), predict(fit, data.frame(a = 1, b = 0.2), type = "prob")
  )
})

test_that("a fit is a plain list that carries no environment of its caller", {
  make <- function() {
    ballast <- rnorm(1e6)
    toy_fit()
  }
  expect_type(unclass(make()), "list")
  expect_lt(length(serialize(make(), NULL)), 1e5)
})

test_that("coefficients are on the natural scale, named by column", {
  d <- toy()
  fit <- gpc(class ~ a + b, d, kernel = kernel_ard(c(2, 3), fixed = TRUE), epsilon = 0.1)
  expect_equal(coef(fit), c(
    lengthscale.a = 2, lengthscale.b = 3, variance = 1, bias = 0.1, nugget = 0.1,
    epsilon = 0.1
  ))
  expect_equal(names(coef(toy_fit()))[1], "lengthscale")
})

test_that("nobs(), formula() and logLik() answer", {
  fit <- toy_fit()
  expect_equal(nobs(fit), 40)
  expect_equal(formula(fit), class ~ a + b, ignore_formula_env = TRUE)
  expect_s3_class(logLik(fit), "logLik")
  expect_equal(as.numeric(logLik(fit)), log_evidence(fit))
  expect_equal(attr(logLik(fit), "df"), 0)
  learned <- gpc(class ~ a + b, toy(), kernel = kernel_ard(), epsilon = "learn")
  expect_equal(attr(logLik(learned), "df"), 5)
  by_matrix <- gpc(matrix(1:4), c(0, 0, 1, 1), kernel = held(), epsilon = 0.1)
  expect_error(formula(by_matrix), class = "sturdy_error_no_formula")
})

test_that("terms() are those of the formula; what a fit does not keep is said", {
  fit <- gpc(class ~ ., toy(), kernel = held(), epsilon = 0.05)
  expect_equal(attr(terms(fit), "term.labels"), c("a", "b"))
  expect_equal(attr(terms(fit), "response"), 1)
  by_matrix <- gpc(matrix(1:4), c(0, 0, 1, 1), kernel = held(), epsilon = 0.1)
  expect_error(terms(by_matrix), class = "sturdy_error_no_formula")
  expect_error(model.frame(fit), class = "sturdy_error_no_model_frame")
  for (x in list(fit, bpm(class ~ ., toy(), epsilon = 0.05))) {
    expect_error(weights(x), class = "sturdy_error_no_case_weights")
  }
  expect_snapshot({
    said(model.frame(fit))
    said(weights(fit))
  })
})

test_that("a fit without a posterior says so instead of predicting", {
  fit <- toy_fit()
  fit$ep <- list(status = "not_positive_definite", message = "It is not.", sweeps = 0L)
  expect_error(predict(fit), class = "sturdy_error_no_posterior")
  expect_error(mislabelled(fit), class = "sturdy_error_no_posterior")
  expect_match(printed(fit), "no posterior")
  expect_match(printed(ep_diagnostics(fit)), "There is no posterior")
})

test_that("verbs ask the fit inside of a workflow, a parsnip fit, a learner or a train object", {
  fit <- toy_fit()
  parsnip <- structure(list(fit = fit), class = c("_gpc", "model_fit"))
  around <- list(
    parsnip, structure(list(fit = list(fit = parsnip)), class = "workflow"),
    structure(list(model = fit), class = c("LearnerClassif", "Learner")),
    structure(list(finalModel = fit), class = "train")
  )
  verbs <- list(
    mislabelled, review, confusion, flip_rates, calibration, loo, log_evidence,
    noise_matrix, ep_diagnostics
  )
  for (verb in verbs) {
    for (object in around) expect_equal(verb(object), verb(fit))
  }
  expect_equal(mislabelled(parsnip, fdr = 0.1), mislabelled(fit, fdr = 0.1))
  linear <- bpm(class ~ a + b, toy(), epsilon = 0.05, hyper = "optimum")
  expect_equal(
    predict_sql(structure(list(fit = linear), class = "model_fit")), predict_sql(linear)
  )
  other <- structure(list(fit = stats::lm(a ~ b, toy())), class = "model_fit")
  expect_error(review(other), class = "sturdy_error_type")
  expect_error(loo(other), class = "sturdy_error_type")
})
