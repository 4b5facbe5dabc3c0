# insight, parameters, performance and modelsummary.

insight_fits <- function() {
  data <- toy()
  data$g <- factor(rep(c("u", "v"), 20))
  list(
    kernel = gpc(class ~ a + b + g, data, kernel = held(), epsilon = 0.05),
    dot = stc(class ~ ., data, df = 4, kernel = held(), epsilon = 0.05),
    weights = bpm(class ~ a + b, data, epsilon = 0.05),
    several = gpc(
      Species ~ ., iris[c(1:15, 51:65, 101:115), ], kernel = held(2), epsilon = 0.05
    )
  )
}

test_that("insight finds formula, response and predictors", {
  skip_if_not_installed("insight")
  for (fit in insight_fits()) {
    found <- insight::find_formula(fit)
    expect_equal(found$conditional, formula(fit), ignore_attr = TRUE)
    expect_identical(insight::find_response(fit), all.vars(formula(fit)[[2]]))
    expect_identical(
      insight::find_predictors(fit)$conditional, attr(terms(formula(fit)), "term.labels")
    )
    expect_identical(insight::n_obs(fit), nobs(fit))
    expect_identical(insight::find_parameters(fit)$conditional, names(coef(fit)))
    expect_identical(insight::get_parameters(fit)$Estimate, unname(coef(fit)))
  }
  xy <- gpc(as.matrix(toy()[1:2]), toy()$class, kernel = held(), epsilon = 0.05)
  expect_equal(insight::find_formula(xy)$conditional, y ~ a + b, ignore_attr = TRUE)
})

test_that("insight finds the data, those kept where others are gone", {
  skip_if_not_installed("insight")
  data <- toy()
  fit <- gpc(class ~ a + b, data, kernel = held(), epsilon = 0.05)
  kept <- insight::get_data(fit)
  expect_equal(kept[c("a", "b")], data[c("a", "b")], ignore_attr = TRUE)
  expect_identical(as.character(insight::get_response(fit)), as.character(data$class))
  data$other <- seq_len(40) # columns that the formula does not name stay outside
  expect_equal(insight::get_data(fit)[c("a", "b")], data[c("a", "b")], ignore_attr = TRUE)
  was <- data
  data <- data[40:1, ] # no longer those of the fit
  expect_equal(insight::get_data(fit)$a, was$a)
  data <- was[c("a", "b", "class")]
  fit["call"] <- list(NULL)
  expect_equal(insight::get_data(fit)[names(data)], data, ignore_attr = TRUE)
  transformed <- gpc(class ~ exp(a), data, kernel = held(), epsilon = 0.05)
  transformed["call"] <- list(NULL)
  expect_null(insight::get_data(transformed))
  # a table of the workspace is the one that was fitted to, as long as its rows are
  assign("table_of_fit", was, globalenv())
  withr::defer(rm("table_of_fit", envir = globalenv()))
  fit <- gpc(class ~ a + b, table_of_fit, kernel = held(), epsilon = 0.05)
  assign("table_of_fit", cbind(was, other = 1:40), globalenv())
  expect_identical(insight::get_data(fit)$other, 1:40)
  assign("table_of_fit", cbind(was, other = 1:40)[40:1, ], globalenv())
  expect_equal(insight::get_data(fit)$a, was$a)
  # nor is one in which a label was put right
  assign("table_of_fit", transform(was, class = replace(class, 3, setdiff(levels(class), class[3]))), globalenv())
  expect_identical(as.character(insight::get_response(fit)), as.character(was$class))
})

test_that("model_info() tells of two classes and a probit, or of several", {
  skip_if_not_installed("insight")
  fits <- insight_fits()
  two <- insight::model_info(fits$kernel)
  expect_true(two$is_binomial && two$is_probit && !two$is_logit && !two$is_categorical)
  expect_identical(two$n_obs, 40L)
  several <- insight::model_info(fits$several)
  expect_true(several$is_categorical && !several$is_binomial)
})

test_that("model_parameters() prints weights with intervals, hyperparameters without", {
  skip_if_not_installed("parameters")
  fits <- insight_fits()
  weights <- parameters::model_parameters(fits$weights, ci = 0.9)
  ends <- confint(fits$weights, level = 0.9)
  expect_equal(weights$CI_low, unname(ends[, 1]))
  expect_equal(weights$SE, sqrt(unname(diag(vcov(fits$weights)))))
  # the probability of the sign, from draws of the posterior
  draws <- withr::with_seed(1, {
    coef(fits$weights) + t(chol(vcov(fits$weights))) %*% matrix(rnorm(3 * 4000), 3)
  })
  expect_equal(weights$pd, unname(rowMeans(draws * sign(coef(fits$weights)) > 0)), tolerance = 0.03)
  expect_match(printed(weights), "90% CI")
  expect_named(parameters::model_parameters(fits$weights, ci = NULL),
               c("Parameter", "Coefficient", "SE", "pd"))
  expect_error(parameters::model_parameters(fits$weights, ci = matrix(0, 0, 0)), "ci", class = "sturdy_error_type")
  expect_match(printed(parameters::model_parameters(fits$kernel)), "lengthscale.*FALSE")
  for (component in list(NULL, c("coefficients", "weights"))) {
    expect_error(
      parameters::model_parameters(fits$kernel, component = component), class = "sturdy_error_no_coefficients"
    )
  }
  expect_identical(parameters::model_parameters(fits$several)$Learned, rep(FALSE, 5))
})

test_that("model_performance() has the scores of the fit", {
  skip_if_not_installed("performance")
  fits <- insight_fits()
  for (fit in fits) {
    found <- performance::model_performance(fit)
    expect_equal(found$ELPD, loo(fit)$estimates["elpd_loo", "Estimate"])
    expect_equal(found$LOOIC, -2 * found$ELPD)
    expect_equal(found$Score_brier, mean(row_brier(fit)))
    expect_equal(found$Log_loss, -mean(left_out_score(truth(fit))))
    expect_match(printed(found), "ELPD")
  }
  expect_equal(
    performance::model_performance(fits$kernel)$Log_evidence, log_evidence(fits$kernel)
  )
  filtered <- bpm(class ~ a, toy(), inference = "adf")
  expect_identical(performance::model_performance(filtered)$ELPD, NA_real_)
})

test_that("modelsummary puts fits beside each other", {
  skip_if_not_installed("modelsummary")
  skip_if_not_installed("parameters")
  fits <- insight_fits()[c("kernel", "weights")]
  table <- modelsummary::modelsummary(fits, output = "data.frame", statistic = "conf.int")
  a <- table[table$term == "a", ]
  expect_identical(a$weights[1], format(round(coef(fits$weights)[["a"]], 3), nsmall = 3))
  expect_match(a$weights[2], format(round(confint(fits$weights)["a", 1], 3), nsmall = 3), fixed = TRUE)
  expect_true(all(c("lengthscale", "Num.Obs.", "ELPD") %in% table$term))
})

test_that("what a fit has not is refused by name", {
  skip_if_not_installed("parameters")
  fits <- insight_fits()
  d <- toy_scores()
  fits$scores <- second_stage(d$prob, d$labels, epsilon = 0.1, hyper = "optimum")
  for (fit in fits[c("kernel", "dot", "several", "scores")]) {
    expect_error(parameters::model_parameters(fit, exponentiate = TRUE),
                 class = "sturdy_error_no_coefficients")
    expect_error(parameters::model_parameters(fit, component = "weights"),
                 class = "sturdy_error_no_coefficients")
  }
})

test_that("scores of fits are bound by row", {
  skip_if_not_installed("performance")
  fits <- insight_fits()
  both <- rbind(
    performance::model_performance(fits$kernel), performance::model_performance(fits$weights)
  )
  expect_identical(nrow(both), 2L)
})

test_that("performance_roc() takes leave-one-out probabilities", {
  skip_if_not_installed("performance")
  said <- augment(toy_fit())
  event <- said$class == "yes"
  p <- ifelse(event, said$.loo, 1 - said$.loo)
  roc <- performance::performance_roc(as.numeric(event), predictions = p)
  area <- sum(diff(roc$Specificity) * (utils::head(roc$Sensitivity, -1) + roc$Sensitivity[-1]) / 2)
  expect_equal(area, mean(outer(p[event], p[!event], ">")), tolerance = 0.01)
})
