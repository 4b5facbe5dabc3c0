# What is told of label noise before the data are seen.

refused <- function(...) expect_error(noise_prior(...), class = "sturdy_error_prior")

test_that("by default the noise models are the usual ones, and unusual rows are learned", {
  prior <- noise_prior()
  expect_null(prior$models)
  expect_null(prior$rate)
  expect_null(prior$unusual)
  expect_s3_class(prior, "sturdy_noise_prior")
  expect_identical(check_noise_prior(prior), prior)
})

test_that("probabilities of noise models go by name, what is not named is left out", {
  models <- noise_prior(c(second = 1, none = 3))$models
  expect_equal(models, c(none = 0.75, one = 0, two = 0, first = 0, second = 0.25))
  refused(c(none = 1, some = 1))
  refused(c(1, 2))
  refused(c(none = -1, one = 2))
  refused(c(none = 0))
  refused(c(none = 1, none = 1))
  refused(list(none = 1))
})

test_that("a share of unusual rows is held, from 0 to below one half", {
  for (share in c(0, 0.02, 0.49)) expect_identical(noise_prior(unusual = share)$unusual, share)
  for (bad in list(-0.1, 0.5, 1, NA, Inf, "few", c(0.1, 0.2), TRUE)) {
    expect_error(noise_prior(unusual = bad), class = "sturdy_error")
  }
  expect_match(printed(noise_prior(unusual = 0.02)), "unusual +0.02")
})

test_that("what was asked for is printed, and that the rest is as usual", {
  said <- function(...) gsub("\\s+", " ", printed(noise_prior(...)))
  expect_match(said(), "pooling 0.2 all else as usual", fixed = TRUE)
  expect_match(said(sensitivity = c(45, 5)), "sensitivity 45 5", fixed = TRUE)
  expect_match(said(models = c(none = 1, two = 3)), "models none 0.25 one 0 two 0.75", fixed = TRUE)
  # as the label stage has them
  rates <- lapply(2:3, function(C) noise_model("average", noise_prior(), label_reports(rep(1:C, 9), C))$rate)
  expect_equal(c(rates[[1]]$class[[1]]$b, rates[[2]]$class[[1]]$b, rates[[1]]$one$b), c(2, 4, 4))
})

test_that("shapes of rates, sensitivities, pooling and studies are checked", {
  refused(rate = 0)
  refused(sensitivity = c(1, 0))
  refused(specificity = 1:3)
  refused(pooling = 1)
  refused(study = diag(3), sensitivity = c(1, 1))
  refused(study = diag(2), unlabelled = "no")
  refused(study = rbind(1:3, 4:6))
  refused(unlabelled = c("a", "b"))
  expect_identical(noise_prior(pooling = 0)$pooling, 0)
})

test_that("a prior that was changed by hand is checked again", {
  prior <- noise_prior(c(none = 1, one = 1), unusual = 0.01)
  expect_equal(check_noise_prior(prior), prior)
  bad <- prior
  bad$unusual <- 2
  expect_error(gpc_spec(noise = bad), class = "sturdy_error")
  bad <- prior
  bad$models <- c(a = 1)
  expect_error(gpc_spec(noise = bad), class = "sturdy_error")
})
