quiet <- ep_control(progress = FALSE)

free_nugget <- function() {
  kernel_iso(1.5, bias = 0.1, nugget = 0.1, fixed = c("lengthscale", "variance", "bias"))
}

tested <- function(..., data = toy(), kernel = free_nugget(), model = gpc) {
  model(
    class ~ a + b, data, kernel = kernel, epsilon = "average", hyper = "integrate",
    control = quiet, ...
  )
}

test_that("the Bayes factor is the ratio of mean evidences, whatever the prior of none", {
  fit <- tested()
  test <- noise_test(fit)
  z <- exp(fit$nodes$models$log_evidence)
  prior <- noise_prior()$models
  expect_equal(test$bayes_factor, sum(z[-1] * prior[-1]) / sum(prior[-1]) / z[1])
  expect_equal(test$two, mean(z[3:5]) / z[2]) # they have the same prior probability
  odds <- test$bayes_factor * 3 # prior odds
  expect_equal(test$probability_none, 1 / (1 + odds))
  less <- c(none = 0.5, one = 0.2, two = 0.1, first = 0.1, second = 0.1)
  other <- noise_test(tested(noise = noise_prior(models = less)))
  expect_equal(other$bayes_factor, test$bayes_factor, tolerance = 0.05)
  expect_equal(other$prior_none, 0.5)
})

test_that("the number if some are wrong and the averaged one are mixtures", {
  fit <- tested()
  test <- noise_test(fit, level = 0.8)
  models <- fit$nodes$models
  some <- models$probability[-1] / sum(models$probability[-1])
  mean_of <- function(density) sum((seq_along(density) - 1) * density)
  expect_equal(test$some$count, sum(some * vapply(fit$nodes$wrong[-1], mean_of, 0)))
  expect_equal(test$average$count, sum(mislabelled(fit)$probability), tolerance = 1e-6)
  expect_equal(fit$nodes$wrong$none, 1)
  one_or_more <- test$average$count / (1 - average_density(fit)[1])
  expect_equal(test$any$count, one_or_more, tolerance = 1e-6)
  expect_gte(test$some$lower, test$average$lower)
  # without a level no interval is looked for, nor shown
  found <- mislabelled(fit, level = NULL)
  without <- attr(found, "test")
  same <- c("bayes_factor", "verdict", "two", "noticed")
  expect_equal(without[same], test[same])
  expect_equal(without$some$count, test$some$count)
  expect_equal(without$rates$rate, test$rates$rate)
  expect_true(all(vapply(without[c("level", "ends", "error")], is.null, NA)))
  expect_no_match(utils::capture.output(print(found)), "interval")
})

test_that("lists at a false-discovery rate are averaged, or of the case that some are wrong", {
  fit <- tested()
  found <- mislabelled(fit)
  some <- fit$nodes$table$model != "none"
  weight <- fit$nodes$table$weight[some] / sum(fit$nodes$table$weight[some])
  flips <- wrong_each(node_truth(fit))[, some] %*% weight
  expect_equal(found$if_some, flips[found$row])
  expect_equal(found$fdr, cumsum(1 - found$probability) / 1:40)
  given <- mislabelled(fit, given = "some")
  expect_equal(given$row, found$row)
  expect_equal(given$fdr, cumsum(1 - found$if_some) / 1:40)
  called <- suppressMessages(mislabelled(fit, fdr = 0.5, given = "some"))
  expect_equal(nrow(called), sum(given$fdr <= 0.5))
  expect_gt(nrow(called), 0)
  expect_null(mislabelled(toy_fit())$if_some)
  expect_error(mislabelled(fit, given = "none"), class = "sturdy_error_choice")
})

test_that("no row is called wrong as long as it is open whether labels are wrong", {
  fit <- tested()
  expect_lt(noise_test(fit)$bayes_factor, 3)
  expect_message(called <- mislabelled(fit, fdr = 0.9), class = "sturdy_message_open_verdict")
  expect_equal(nrow(called), 0)
  expect_match(printed(called), "no clear sign that any label is wrong")
  flipped <- toy(150)
  flipped$class <- flip_labels(factor(flipped$a > 0), 0.15, seed = 2)
  sure <- tested(data = flipped)
  expect_gt(noise_test(sure)$bayes_factor, 20)
  called <- suppressMessages(mislabelled(sure, fdr = 0.1))
  found <- mislabelled(sure)
  expect_equal(nrow(called), sum(found$fdr <= 0.1))
  expect_gt(nrow(called), 5)
})

test_that("a rare class that the inputs do not predict is named", {
  d <- withr::with_seed(2, data.frame(a = rnorm(80), b = rnorm(80)))
  d$class <- factor(rep(c("no", "yes"), c(75, 5)))
  fit <- tested(data = d, kernel = kernel_iso())
  expect_equal(noise_test(fit)$suspects, "yes")
  expect_match(printed(fit), "All labels yes are equally suspect")
  expect_null(noise_test(tested())$suspects)
})

test_that("a fit without the models to compare is refused", {
  expect_error(noise_test(toy_fit()), class = "sturdy_error_no_average")
  one <- gpc(class ~ a + b, toy(), kernel = free_nugget(), epsilon = "learn",
             hyper = "integrate", control = quiet)
  expect_error(noise_test(one), class = "sturdy_error_no_average")
  asked <- tested(noise = noise_prior(models = c(one = 1)))
  expect_error(noise_test(asked), "as its `noise` asks", class = "sturdy_error_no_average")
  filtered <- bpm(class ~ a + b, toy(), inference = "adf")
  expect_error(noise_test(filtered), "keeps no rows", class = "sturdy_error_no_average")
  expect_error(update(filtered, epsilon = "average"), "not \"average\"")
  expect_error(noise_test(1), class = "sturdy_error_type")
  expect_error(flip_rates("a"), class = "sturdy_error_type")
  expect_error(review(list()), class = "sturdy_error_type")
})

test_that("the average and its test print", {
  fit <- tested()
  expect_snapshot({
    fit
    print(mislabelled(fit), n = 2)
    noise_test(fit)
    print(review(fit, 2))
    noise_prior(sensitivity = c(45, 5))
  })
})

test_that("the ends of the interval of a probability are those of its distribution", {
  fit <- toy_fit()
  new <- data.frame(a = c(-0.5, 1), b = c(0.3, 1))
  ends <- predict(fit, new, interval = 0.9)
  latent <- predict(fit, new, type = "latent")
  nugget <- fit$kernel$nugget
  by_quantile <- function(p) {
    pnorm((latent$m + qnorm(p) * sqrt(latent$s2 - nugget)) / sqrt(nugget))
  }
  expect_equal(ends$lower, by_quantile(0.05))
  expect_equal(ends$upper, by_quantile(0.95))
  expect_equal(ends$estimate, unname(predict(fit, new, type = "response")))
  # the estimate is the mean of that distribution
  level <- (seq_len(4000) - 0.5) / 4000
  expect_equal(ends$estimate[1], mean(vapply(level, function(p) by_quantile(p)[1], 0)), tolerance = 1e-4)
  # averaged: the distribution function at the ends is the mixture's
  fit <- tested()
  ends <- predict(fit, new, type = "prob", interval = 0.8)
  X <- forge(fit$blueprint, new, NULL)$X
  below <- function(value, row) {
    each <- vapply(seq_len(node_count(fit)), function(k) {
      point <- latent_new(latent_at(fit, k), X, NULL)
      nugget <- fit$nodes$hyper[[k]]$nugget
      pnorm((sqrt(nugget) * qnorm(value) - point$m[row]) / sqrt(point$s2[row] - nugget))
    }, 0)
    sum(each * node_weight(fit))
  }
  expect_equal(below(ends$lower[1], 1), 0.1, tolerance = 1e-6)
  expect_equal(below(ends$upper[1], 1), 0.9, tolerance = 1e-6)
  expect_error(predict(fit, new, type = "class", interval = 0.9), class = "sturdy_error_interval")
  expect_error(predict(fit, new, interval = 2), class = "sturdy_error_range")
  expect_true(all(is.na(predict(fit, data.frame(a = NA, b = 1), interval = 0.5)[2:3])))
})

test_that("a Student-t process has the weights of the Gaussian one and answers of its own", {
  gauss <- tested()
  student <- tested(model = stc, df = 8)
  expect_equal(student$nodes$models$log_evidence, gauss$nodes$models$log_evidence)
  # a node without a fixed point of t-EP leaves its weight to the others of its model
  all <- gauss$nodes$table
  kept <- all[match(student$nodes$table$log_evidence, all$log_evidence), ]
  expect_gt(nrow(kept), 0.95 * nrow(all))
  by_model <- function(table) tapply(table$weight, table$model, sum)
  share <- (by_model(all) / by_model(kept))[kept$model]
  expect_equal(student$nodes$table$weight, as.vector(kept$weight * share))
  k <- which.max(student$nodes$table$weight)
  hyper <- student$nodes$hyper[[k]]
  point <- stc(
    class ~ a + b, toy(), df = 8, epsilon = omega_rates(student$nodes$omega[[k]][1, , ]), control = quiet,
    kernel = do.call(kernel_iso, c(hyper, list(fixed = TRUE)))
  )
  expect_equal(node_truth(student)$log_z[, k], point$ep$loo, tolerance = 1e-3)
  expect_equal(wrong_each(node_truth(student))[, k], point$ep$flipped, tolerance = 1e-3)
})

test_that("inducing inputs at all rows give the average of the dense kernel", {
  dense <- tested()
  low_rank <- tested(inducing = toy()[c("a", "b")])
  expect_equal(low_rank$nodes$models$log_evidence, dense$nodes$models$log_evidence, tolerance = 1e-3)
  new <- data.frame(a = c(-1, 0.2), b = c(0.4, 0.1))
  expect_equal(
    predict(low_rank, new, type = "prob"), predict(dense, new, type = "prob"), tolerance = 0.01
  )
})

test_that("a Bayes point machine averages over nodes", {
  fit <- bpm(class ~ a + b, toy(), epsilon = "average", hyper = "integrate", control = quiet)
  new <- data.frame(a = c(-1, 0.2), b = c(0.4, 0.1))
  each <- vapply(seq_len(node_count(fit)), function(k) {
    point <- bpm(
      class ~ a + b, toy(), epsilon = omega_rates(fit$nodes$omega[[k]][1, , ]), nugget = fit$nodes$hyper[[k]]$nugget,
      control = quiet
    )
    predict(point, new, type = "response")
  }, numeric(2))
  expect_equal(predict(fit, new, type = "response"), drop(each %*% node_weight(fit)), tolerance = 1e-3,
               ignore_attr = TRUE)
})

test_that("an average that absorbs by filtering goes on from its point", {
  fit <- bpm(class ~ a + b, toy(), epsilon = "average", hyper = "integrate", control = quiet)
  more <- absorb(fit, toy()[1:5, ])
  expect_null(more$nodes)
  expect_named(predict(more, toy()[1:2, ], type = "response"), c("1", "2"))
})

test_that("nodes that were changed by hand are refused", {
  fit <- tested()
  for (part in c("models", "table", "tau", "seen", "omega", "hyper")) {
    bad <- fit
    bad$nodes[[part]] <- NULL
    expect_error(mislabelled(bad), class = "sturdy_error_changed")
  }
})

test_that("diagnostics say how many nodes are effective, and which are rough", {
  fit <- tested()
  said <- ep_diagnostics(fit)
  expect_match(said$happened, "Integrated 2 hyperparameters|Integrated 3 hyperparameters", all = FALSE)
  # one number of nodes, of those that are averaged over
  over <- paste0("over ", node_count(fit), " nodes")
  expect_match(said$happened, over, fixed = TRUE, all = FALSE)
  expect_match(capture.output(print(summary(fit))), over, fixed = TRUE, all = FALSE)
  expect_equal(fit$nodes$models$nodes, c(table(fit$nodes$table$model)[fit$nodes$models$model]),
               ignore_attr = TRUE)
  bad <- fit
  bad$nodes$models$ess <- 3
  expect_match(ep_diagnostics(bad)$means, "rough there", all = FALSE)
  bad$nodes$models$method <- "mode"
  expect_match(ep_diagnostics(bad)$happened, "Laplace", all = FALSE)
})

test_that("a linear boundary blames labels that a curved one explains, and it is said", {
  d <- sturdy_data("newthyroid")
  d$class <- factor(d$class == "normal")
  fit <- bpm(class ~ ., d, hyper = "integrate")
  linear <- noise_test(fit)
  curved <- noise_test(gpc(class ~ ., d, hyper = "integrate"))
  expect_gt(linear$some$count, 5)
  expect_lt(curved$some$count, 0.5)
  expect_match(printed(linear), "if the boundary is curved, which fits better")
  # the same curve, fitted by itself
  alone <- gpc(class ~ ., d, epsilon = 0, hyper = "integrate")
  expect_equal(fit$curve$log_evidence, fit_evidence(alone))
  models <- fit$nodes$models
  itself <- fit # of five columns: a second stage tells of its labels
  itself$told <- NULL
  expect_equal(log(linear$curve), log(noise_test(itself)$bayes_factor) + models$log_evidence[models$model == "none"] -
    fit$curve$log_evidence)
  expect_message(called <- mislabelled(fit, fdr = 0.1), class = "sturdy_message_open_verdict")
  expect_equal(nrow(called), 0)
  fit$curve <- NULL
  expect_match(printed(noise_test(fit)), "For a linear boundary")
  expect_null(bpm(class ~ a + b, toy(), hyper = "integrate")$curve)
  expect_false(grepl("linear boundary", printed(curved)))
})
