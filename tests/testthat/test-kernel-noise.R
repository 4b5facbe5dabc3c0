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
  expect_match(printed(noise_prior(unusual = 0.02)), "Unusual rows 2 %", fixed = TRUE)
  expect_match(printed(noise_prior(unusual = 0)), "Unusual rows 0 %", fixed = TRUE)
})

test_that("what holds is printed, for two classes and several: means are those of draws", {
  said <- function(...) gsub("\\s+", " ", printed(noise_prior(...)))
  expect_match(said(), "two classes: none 0.25, one 0.3, two 0.15, first 0.15, second 0.15 three or more: none 0.3")
  mean_at <- function(shapes, times = 1) {
    format(signif(integrate(function(p) qbeta(p, shapes[1], shapes[2]) / times, 0, 1)$value, 3))
  }
  one <- paste0("One rate twice it Beta(1, 4), mean ", mean_at(c(1, 4), 2))
  expect_match(said(), one, fixed = TRUE)
  by_class <- paste0(
    "By class Beta(1, 2), mean ", mean_at(c(1, 2)), "; three or more: Beta(1, 4), mean ", mean_at(c(1, 4))
  )
  expect_match(said(), by_class, fixed = TRUE)
  # as the label stage has them
  rates <- lapply(2:3, function(C) noise_model("average", noise_prior(), label_reports(rep(1:C, 9), C))$rate)
  expect_equal(c(rates[[1]]$class[[1]]$b, rates[[2]]$class[[1]]$b, rates[[1]]$one$b), c(2, 4, 4))
  ways <- vapply(list(label_way("fit", 2), label_way("scores", 2), label_way("scores", 3)), `[[`, 0, "beta")
  unusual <- paste0(
    "Unusual rows Beta(1, ", ways[1], "), mean ", mean_at(c(1, ways[1])), "; scores Beta(1, ", ways[2], "), mean ",
    mean_at(c(1, ways[2])), "; three or more: twice it Beta(1, ", ways[3], "), mean ", mean_at(c(1, ways[3]), 2)
  )
  expect_match(said(), unusual, fixed = TRUE)
  expect_match(said(rate = 6), "By class twice it Beta(1, 6), mean 0.0714", fixed = TRUE)
  expect_match(said(sensitivity = c(45, 5)), "Models a rate for each class; three or more: a matrix", fixed = TRUE)
  expect_match(said(sensitivity = c(45, 5)), "Sensitivity Beta(45, 5), mean 0.9", fixed = TRUE)
  expect_no_match(said(sensitivity = c(45, 5)), "One rate")
  expect_match(said(models = c(none = 1, two = 3)), "Models none 0.25, one 0, two 0.75", fixed = TRUE)
  expect_no_match(said(unlabelled = "no"), "Unusual|rate|class")
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
