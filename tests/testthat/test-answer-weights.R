# What a fitted Bayes point machine answers.

test_that("coef(), vcov() and confint() describe the posterior of the weights", {
  d <- linear_data()
  for (df in c(4, Inf)) {
    fit <- bpm(class ~ ., d, df = df, epsilon = 0.05)
    scale <- exp(fit$weights$log_scale) * fit$weights$C
    weights <- coef(fit, "weights")
    expect_equal(weights, sqrt(fit$ep$kappa) * fit$ep$b, ignore_attr = TRUE)
    V <- vcov(fit, "weights")
    expect_equal(V, scale * if (df == 4) 2 else 1)
    expect_true(isSymmetric(V))
    expect_equal(rownames(V), names(weights))
    ends <- confint(fit, c("a", "b"), level = 0.9, component = "weights")
    expect_equal(dimnames(ends), list(c("a", "b"), c("5 %", "95 %")))
    half <- qt(0.95, df) * sqrt(diag(scale))[c("a", "b")]
    expect_equal(ends[, 2] - ends[, 1], 2 * half)
    expect_equal(rowMeans(ends), weights[c("a", "b")])
    expect_equal(confint(fit, 2:3), confint(fit)[c("a", "b"), ])
  }
  expect_error(confint(fit, "z"), class = "sturdy_error_parm")
  expect_error(confint(fit, 99), class = "sturdy_error_parm")
  expect_error(confint(fit, 0), class = "sturdy_error_parm")
  for (bad in list(NA, list(3), mean, 1:3 * c(-1, 1, 1), quote(x), 1i)) {
    expect_error(confint(fit, bad), class = "sturdy_error_parm")
  }
  expect_error(confint(fit, level = 1), class = "sturdy_error_range")
})

test_that("a model with a kernel says what to use in place of vcov() and confint()", {
  for (fit in list(toy_fit(), stc(class ~ a, toy(), df = 4, kernel = held(), epsilon = 0.1))) {
    expect_error(vcov(fit), class = "sturdy_error_no_weights")
    expect_error(confint(fit, "epsilon", level = 0.9), class = "sturdy_error_no_weights")
  }
  expect_snapshot({
    said(vcov(toy_fit()))
    said(confint(toy_fit()))
  })
})

test_that("a t without a covariance says so, its intervals still answer", {
  fit <- bpm(class ~ ., linear_data(), df = 2, inference = "adf")
  expect_error(vcov(fit), class = "sturdy_error_no_covariance")
  expect_snapshot(said(vcov(fit)))
  expect_true(all(is.finite(confint(fit))))
  expect_true(all(is.na(tidy(fit)$std.error)))
})

test_that("the latent function at a row is that of its weights", {
  d <- linear_data()
  fit <- bpm(class ~ ., d, df = 6, epsilon = 0.05)
  x <- drop(bpm_design(forge(fit$blueprint, d[7, ])$X, fit$prior))
  latent <- predict(fit, d[7, ], type = "latent")
  expect_equal(latent$location, sum(coef(fit, "weights") * x))
  noise <- exp(fit$weights$log_scale) * fit$prior$nugget
  expect_gt(noise, 0)
  expect_equal(latent$scale^2, drop(t(x) %*% vcov(fit, "weights") %*% x) * 4 / 6 + noise)
  expect_equal(latent$df, 6)
})

test_that("an EP fit answers for its training rows, an ADF fit asks for them", {
  d <- linear_data()
  d$a[4] <- NA
  fit <- bpm(class ~ ., d, epsilon = 0.05, na.action = na.exclude)
  expect_equal(fitted(fit), predict(fit, d, "prob")[, "yes"], tolerance = 1e-8)
  expect_equal(predict(fit), predict(fit, d))
  adf <- bpm(class ~ ., d, inference = "adf")
  for (ask in expression(predict(adf), fitted(adf))) {
    expect_error(eval(ask), class = "sturdy_error_missing_argument")
  }
  expect_snapshot(said(predict(adf)))
})

test_that("new rows keep their order, NA stays NA, no rows give none", {
  fit <- bpm(class ~ a + b, linear_data(), inference = "adf")
  new <- data.frame(z = "?", b = c(0, NA, 1, 0), a = c(1, 1, NA, -1))
  prob <- predict(fit, new, "prob")
  expect_equal(unname(is.na(prob[, 1])), c(FALSE, TRUE, TRUE, FALSE))
  expect_equal(unname(rowSums(prob)[c(1, 4)]), c(1, 1))
  expect_equal(prob[4, ], predict(fit, new[4, ], "prob")[1, ])
  expect_length(predict(fit, new[0, ]), 0)
  expect_equal(dim(predict(fit, new[0, ], "prob")), c(0, 2))
})

test_that("what needs single rows says that a filter kept none", {
  fit <- bpm(class ~ ., linear_data(), df = 5, inference = "adf")
  for (ask in expression(
    loo(fit), mislabelled(fit),
    log_evidence(fit, "gaussian"), log_evidence(fit, "ep_zp"),
    augment(fit, linear_data())
  )) {
    expect_error(eval(ask), class = "sturdy_error_no_sites")
  }
  expect_snapshot(said(loo(fit)))
  expect_equal(log_evidence(fit), fit$filter$log_score)
  expect_equal(as.numeric(logLik(fit)), fit$filter$log_score)
  gauss <- bpm(class ~ ., linear_data(), inference = "adf")
  expect_equal(log_evidence(gauss, "gaussian"), gauss$filter$log_score)
})

test_that("criterion() is at the fit's own values", {
  d <- linear_data()
  fit <- bpm(class ~ ., d, epsilon = 0.05)
  expect_equal(criterion(fit)$value, log_evidence(fit))
  expect_equal(criterion(fit, "loo")$value, sum(fit$ep$loo))
})

test_that("scores of single rows are those of the sites", {
  d <- linear_data()
  fit <- bpm(class ~ ., d, epsilon = 0.05)
  expect_length(loo_terms(fit), 120)
  found <- mislabelled(fit)
  expect_equal(sort(found$row), 1:120)
  first <- withr::with_seed(11, {
    rnorm(240)
    sample(3, 120, TRUE)
    sample(120, 5)
  })
  expect_true(all(utils::head(found$row, 3) %in% first))
  expect_equal(sum(fit$ep$loo), glance(fit)$loo)
})

test_that("tidy, glance, augment and the small generics answer", {
  d <- linear_data()
  fit <- bpm(class ~ ., d, epsilon = 0.05)
  table <- tidy(fit)
  columns <- c("term", "estimate", "std.error", "conf.low", "conf.high", "pd")
  expect_named(table, columns)
  expect_equal(table$std.error^2, unname(diag(vcov(fit))))
  weights <- tidy(fit, component = "weights")
  expect_named(weights, c(columns, "prior_scale"))
  expect_equal(weights$std.error^2, unname(diag(vcov(fit, "weights"))))
  expect_equal(nrow(glance(fit)), 1)
  adf <- glance(bpm(class ~ ., d, inference = "adf"))
  expect_named(adf, names(glance(fit)))
  expect_equal(adf$status, "filtered")
  added <- augment(fit, d)
  expect_equal(added$.fitted, unname(fitted(fit)))
  expect_equal(nobs(fit), 120)
  expect_equal(formula(fit), class ~ a + b + f, ignore_formula_env = TRUE)
  expect_equal(attr(logLik(fit), "df"), 1) # the nugget
  learned <- function(epsilon) {
    attr(logLik(bpm(class ~ ., d, prior_scale = "learn", epsilon = epsilon)), "df")
  }
  expect_equal(c(learned("learn"), learned("average")), c(5, 6)) # one rate, a rate for each class
})

test_that("print() and summary() say what was fitted and how", {
  d <- linear_data()
  ep <- bpm(class ~ ., d, df = 6, epsilon = 0.05)
  ep$ep$log_evidence <- -12.3456
  ep$ep$sweeps <- 6L
  ep$ep$residual <- rep(3.2e-10, 120)
  ep <- with_scores(ep, -seq(0.1, 0.9, length.out = 120))
  adf <- bpm(class ~ ., d, inference = "adf")
  adf$filter <- list(
    rows = 50, errors = 5, log_score = -20, log_evidence = -45.678, counts = c(70, 80), log_scale = 0
  )
  shown <- c(0.5, -0.25, 1, 2, 3, 4)
  ep$weights$mean[] <- adf$weights$mean[] <- shown
  ep$weights$C[] <- adf$weights$C[] <- diag(0.04, 6)
  ep$weights$log_scale <- adf$weights$log_scale <- 0
  expect_snapshot({
    ep
    adf
    summary(adf)
  })
  expect_match(printed(summary(ep)), "Coefficients (probit scale)", fixed = TRUE)
  expect_lte(length(capture.output(print(ep))), 8)
})

test_that("diagnostics speak of weights, not of kernels", {
  d <- linear_data()
  fit <- bpm(class ~ ., d, epsilon = 0.05)
  expect_equal(ep_diagnostics(fit)$status, "converged")
  adf <- ep_diagnostics(bpm(class ~ ., d, inference = "adf"))
  expect_equal(adf$status, "filtered")
  expect_match(printed(adf), "in one pass")
  for (status in names(ep_statuses)) {
    fit$ep$status <- status
    words <- ep_diagnostics(fit)
    expect_no_match(paste(words$means, collapse = " "), "kernel|Gram")
  }
  fit$ep$status <- "no_fixed_point"
  expect_match(paste(ep_diagnostics(fit)$do, collapse = " "), "adf")
  fit <- bpm(class ~ ., d, prior_scale = "learn", epsilon = 0.05)
  fit$learning$on_bound <- c(lower = "prior_scale.a")
  fit$prior$scale[["a"]] <- 1e-6
  expect_match(paste(ep_diagnostics(fit)$means, collapse = " "), "no influence")
})

test_that("a fit without a posterior says so instead of answering", {
  fit <- bpm(class ~ a + b, toy(), epsilon = 0.05)
  fit["weights"] <- list(NULL)
  fit$ep <- list(status = "not_positive_definite", message = "It is not.", sweeps = 0L)
  for (ask in expression(
    coef(fit), vcov(fit), confint(fit), predict(fit, toy()), absorb(fit, toy()),
    tidy(fit), loo(fit)
  )) {
    expect_error(eval(ask), class = "sturdy_error_no_posterior")
  }
  expect_match(printed(fit), "no posterior")
})

test_that("weights are plotted, as many as asked for", {
  withr::local_pdf(NULL)
  fit <- bpm(class ~ ., linear_data(), df = 5, inference = "adf")
  before <- graphics::par("mar")
  expect_identical(withVisible(plot(fit))$visible, FALSE)
  plot(fit, inputs = 2, main = "two")
  expect_equal(graphics::par("mar"), before)
})
