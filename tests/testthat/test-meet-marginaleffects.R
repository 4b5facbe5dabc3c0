# predictions(), comparisons() and slopes() of marginaleffects.

skip_unless_marginal <- function() {
  skip_if_not_installed("marginaleffects", "0.18.0")
  skip_if_not_installed("collapse", "2.0.18")
}

# Draws of the probability at rows, jointly exact: from the covariance of the latent function
exact_probability <- function(fit, data, draws = 4000) {
  X <- forge(fit$blueprint, data)$X
  m <- as.vector(latent_new(fit, X)$m)
  e <- eigen(latent_covariance(fit)(X), symmetric = TRUE)
  root <- e$vectors %*% (sqrt(pmax(e$values, 0)) * t(e$vectors))
  withr::with_seed(1, g <- m + root %*% matrix(rnorm(length(m) * draws), length(m)))
  pnorm(g / sqrt(fit$kernel$nugget))
}

# Estimates and ends of intervals must lie at the probabilities 0.5, 0.025 and 0.975 of exact
# draws: of 1000 and 4000 of them, 4 standard errors are 0.07 and 0.022
expect_quantiles <- function(found, draws) {
  found <- as.data.frame(found)
  below <- function(x) rowMeans(draws <= x)
  testthat::expect_lt(max(abs(below(found$estimate) - 0.5)), 0.08)
  testthat::expect_lt(max(abs(below(found$conf.low) - 0.025)), 0.025)
  testthat::expect_lt(max(abs(below(found$conf.high) - 0.975)), 0.025)
}

test_that("predictions have the median and the interval of the latent posterior", {
  skip_unless_marginal()
  fit <- toy_fit()
  new <- data.frame(a = c(-1, 0, 0.5), b = c(0.2, 0, -1))
  found <- suppressMessages(marginaleffects::predictions(fit, newdata = new))
  ends <- predict(fit, new, interval = 0.95)
  expect_lt(max(abs(found$conf.low - ends$lower)), 0.05)
  expect_lt(max(abs(found$conf.high - ends$upper)), 0.05)
  expect_quantiles(found, exact_probability(fit, new))
})

test_that("comparisons and their averages have the spread of joint draws", {
  skip_unless_marginal()
  fit <- toy_fit()
  data <- toy()[1:15, ]
  up <- data
  up$a <- up$a + 1
  p <- exact_probability(fit, rbind(data, up)[c("a", "b")])
  difference <- p[16:30, ] - p[1:15, ]
  one <- marginaleffects::comparisons(fit, variables = list(a = function(x) {
    data.frame(x, x + 1)
  }), newdata = data)
  expect_quantiles(one, difference)
  mean <- marginaleffects::avg_comparisons(fit, variables = list(a = function(x) {
    data.frame(x, x + 1)
  }), newdata = data)
  expect_quantiles(mean, rbind(colMeans(difference)))
})

test_that("slopes are derivatives of the draws", {
  skip_unless_marginal()
  fit <- toy_fit()
  new <- data.frame(a = c(-1, 0, 0.5), b = c(0.2, 0, -1))
  found <- marginaleffects::slopes(fit, variables = "a", newdata = new)
  eps <- 0.02
  around <- rbind(transform(new, a = a - eps), transform(new, a = a + eps))
  p <- exact_probability(fit, around)
  expect_quantiles(found, (p[4:6, ] - p[1:3, ]) / (2 * eps))
})

test_that("on the link scale of a bpm() intervals are those of a normal", {
  skip_unless_marginal()
  fit <- bpm(class ~ a + b, toy(), nugget = 0.5, epsilon = 0.05, scale = FALSE)
  new <- data.frame(a = c(-1, 2), b = c(0, 1))
  found <- marginaleffects::predictions(fit, newdata = new, type = "link")
  X <- cbind(1, as.matrix(new))
  z <- drop(X %*% fit$weights$mean) / sqrt(0.5)
  sd <- sqrt(rowSums((X %*% fit$weights$C) * X) / 0.5)
  expect_lt(max(abs(found$estimate - z) / sd), 0.2)
  expect_lt(max(abs(found$conf.low - (z - 1.96 * sd)) / sd), 0.35)
  expect_lt(max(abs(found$conf.high - (z + 1.96 * sd)) / sd), 0.35)
})

test_that("hypotheses about weights use coef() and vcov()", {
  skip_unless_marginal()
  fit <- bpm(class ~ a + b, toy(), epsilon = 0.05)
  found <- marginaleffects::hypotheses(fit, "a = b")
  expect_equal(as.numeric(found$estimate), unname(coef(fit)["a"] - coef(fit)["b"]), tolerance = 1e-6)
  V <- vcov(fit)
  expect_equal(as.numeric(found$std.error), sqrt(V[2, 2] + V[3, 3] - 2 * V[2, 3]), tolerance = 1e-4)
})

test_that("odds ratios are those of the true classes, not of the labels", {
  skip_unless_marginal()
  data <- withr::with_seed(2, {
    d <- data.frame(dose = rnorm(500), treated = rep(0:1, 250))
    d$true <- factor(ifelse(d$dose + d$treated + rnorm(500) > 0, "ill", "well"), c("well", "ill"))
    wrong <- sample(500, 90)
    d$label <- d$true
    d$label[wrong] <- ifelse(d$true[wrong] == "ill", "well", "ill")
    d
  })
  log_odds <- function(fit) {
    marginaleffects::avg_comparisons(
      fit, variables = "treated", comparison = "lnoravg", newdata = data
    )
  }
  probit <- binomial("probit")
  truth <- log_odds(glm(true ~ dose + treated, probit, data))$estimate
  naive <- log_odds(glm(label ~ dose + treated, probit, data))
  ours <- log_odds(bpm(label ~ dose + treated, data, epsilon = 0.18))
  expect_lt(naive$conf.high, truth)
  expect_gt(ours$conf.high, truth)
  expect_lt(ours$conf.low, truth)
  expect_lt(abs(ours$estimate - truth), 0.5 * abs(naive$estimate - truth))
})

test_that("several classes are groups, whose probabilities sum to 1", {
  skip_unless_marginal()
  data <- iris[c(1:15, 51:65, 101:115), ]
  fit <- gpc(Species ~ ., data, epsilon = 0.05, kernel = held(2))
  found <- marginaleffects::predictions(fit, newdata = data[c(1, 20, 40), ])
  expect_identical(nrow(found), 9L)
  expect_setequal(as.character(found$group), levels(iris$Species))
  withr::local_options(marginaleffects_posterior_center = "mean")
  average <- marginaleffects::avg_comparisons(fit, variables = "Petal.Length")
  expect_equal(sum(average$estimate), 0, tolerance = 1e-3)
})

test_that("rows of which none is complete have no estimate, and no warning of R", {
  three <- gpc(Species ~ ., iris[c(1:9, 51:59, 101:109), -(1:2)], kernel = held(), epsilon = 0.05)
  fits <- list(toy_fit(), toy_fit(inducing = 8), bpm(class ~ a + b, toy()), three)
  for (fit in fits) {
    new <- data.frame(a = rep(NA_real_, 3), b = 1, Petal.Length = NA_real_, Petal.Width = 1)
    expect_no_warning(found <- suppressMessages(get_predict.sturdy_model(fit, new)))
    expect_identical(found$estimate, rep(NA_real_, 3 * max(1, nlevels(found$group))))
  }
})

test_that("what there is no answer for is an error that says so", {
  certain <- gpc(
    class ~ a, toy(), kernel = kernel_iso(1.5, nugget = 0, fixed = TRUE), epsilon = 0.05
  )
  expect_error(get_predict.sturdy_model(certain, toy(), type = "link"), class = "sturdy_error_choice")
  expect_error(get_predict.sturdy_model(toy_fit(), toy(), type = "logit"), class = "sturdy_error_choice")
  expect_error(get_predict.sturdy_model(toy_fit(), list(a = 1)), class = "sturdy_error_type")
  withr::local_options(sturdy.draws = 3)
  expect_error(get_predict.sturdy_model(toy_fit(), toy()), class = "sturdy_error_range")
  withr::local_options(sturdy.draws = 1e6, sturdy.max_memory = 1e8)
  expect_error(get_predict.sturdy_model(toy_fit(), toy()), class = "sturdy_error_memory")
})

test_that("rows with missing values have missing estimates, and a message says so", {
  rlang::reset_message_verbosity("sturdy_left_out")
  expect_message(
    get_predict.sturdy_model(toy_fit(), data.frame(a = c(0, NA), b = 0)),
    "1 row of `newdata` has missing values", class = "sturdy_message_left_out"
  )
  found <- get_predict.sturdy_model(toy_fit(), data.frame(a = c(0, NA), b = 0, rowid = 7:8))
  expect_identical(found$rowid, 7:8)
  expect_identical(is.na(found$estimate), c(FALSE, TRUE))
  first <- get_predict.sturdy_model(toy_fit(), data.frame(a = c(NA, 0), b = 0))
  expect_equal(first$estimate, rev(found$estimate))
})

test_that("on the link scale draws go through the label stage, too", {
  fit <- gpc(class ~ a + b, toy(), kernel = held())
  new <- data.frame(a = c(-1, 0, 1), b = 0.3)
  draws <- function(type) attr(get_predict.sturdy_model(fit, new, type = type), "posterior_draws")
  expect_equal(stats::pnorm(draws("link")), draws("response"), tolerance = 1e-10)
})

test_that("set_coef() sets the weights of a bpm() at one point, and of no other", {
  fit <- bpm(class ~ a + b, toy(), epsilon = 0.05, hyper = "optimum")
  moved <- set_coef.bpm(fit, c(0, 1, 2))
  expect_equal(unname(coef(moved)), c(0, 1, 2))
  expect_equal(predict(set_coef.bpm(fit, coef(fit)), toy(), "prob"), predict(fit, toy(), "prob"))
  for (bad in list(1, c(1, 2, NA), letters[1:3])) {
    expect_error(set_coef.bpm(fit, bad), class = "sturdy_error_type")
  }
  # the one node of an average moves along
  one <- bpm(class ~ a + b, toy(), hyper = "optimum")
  moved <- set_coef.bpm(one, c(0, 1, 2))
  expect_equal(unname(coef(moved)), c(0, 1, 2))
  expect_equal(predict(set_coef.bpm(one, coef(one)), toy(), "prob"), predict(one, toy(), "prob"))
  # nodes have weights of their own, and to drop them would change what the fit says
  average <- bpm(class ~ a + b, toy(), hyper = "integrate")
  expect_error(set_coef.bpm(average, coef(average)), class = "sturdy_error_averaged")
})

test_that("estimates are means where they are asked for, and a message says when they are not", {
  rlang::reset_message_verbosity("sturdy_median")
  new <- data.frame(a = c(-1, 0, 0.5), b = 0)
  expect_message(get_predict.sturdy_model(toy_fit(), new), class = "sturdy_message_median")
  expect_no_message(get_predict.sturdy_model(toy_fit(), new))
  rlang::reset_message_verbosity("sturdy_median")
  withr::local_options(marginaleffects_posterior_center = "mean")
  expect_no_message(get_predict.sturdy_model(toy_fit(), new))
  skip_unless_marginal()
  found <- marginaleffects::predictions(toy_fit(), newdata = new)
  # 4 standard errors of a mean of 1000 draws between 0 and 1
  expect_lt(max(abs(found$estimate - predict(toy_fit(), new, type = "response"))), 0.065)
})

test_that("draws go through the label stage: their mean is what predict() returns, with its spread", {
  withr::local_options(marginaleffects_posterior_center = "mean")
  three <- gpc(
    Species ~ Sepal.Length + Sepal.Width, iris[seq(1, 150, 3), ], hyper = "integrate", kernel = held(2)
  )
  d <- toy(160)
  wrong <- seq(5, 160, 16)
  d$class[wrong] <- rev(levels(d$class))[d$class[wrong]]
  fits <- list(
    gpc(class ~ a + b, d, kernel = held(), hyper = "integrate"), bpm(class ~ a + b, d, hyper = "integrate"), three
  )
  for (fit in fits) {
    new <- if (is_several(fit)) iris[seq(2, 150, 9), ] else transform(d[1:60, ], a = a / 2, b = b / 2)
    found <- get_predict.sturdy_model(fit, new)
    p <- predict(fit, new, type = "prob")
    first <- first_prob(fit, forge(fit$blueprint, new)$X)
    draws <- attr(found, "posterior_draws")
    class <- if (is_several(fit)) seq_along(fit$blueprint$levels) else 2
    expect_equal(rowMeans(draws), as.vector(p[, class]), tolerance = 1e-6)
    expect_gt(max(abs(p - first)), 0.03) # the stage does matter
    ends <- predict(fit, new, interval = 0.8, type = "prob")
    # towards 0 and 1 both are skewed, and less alike
    inner <- as.vector(p[, class] > 0.2 & p[, class] < 0.8)
    outside <- function(ends, beyond) mean(rowMeans(beyond(draws, as.vector(ends)))[inner])
    expect_lt(abs(outside(ends$lower, `<`) - 0.1), 0.05)
    expect_lt(abs(outside(ends$upper, `>`) - 0.1), 0.05)
  }
})

test_that("draws of shares are moved to a mean by factors of the classes", {
  set.seed(4)
  for (classes in 2:4) {
    g <- lapply(seq_len(classes), function(t) matrix(exp(rnorm(60, sd = 2)), 3))
    p <- lapply(g, `/`, Reduce(`+`, g))
    mean <- matrix(runif(3 * classes, 0.1, 1), 3)
    mean <- mean / rowSums(mean)
    moved <- moved_to_mean(p, mean)
    expect_equal(vapply(moved, rowMeans, numeric(3)), mean, tolerance = 1e-8)
    expect_equal(Reduce(`+`, moved), matrix(1, 3, 20))
    # odds of two classes have changed by one factor a row
    by <- (moved[[2]] / moved[[1]]) / (p[[2]] / p[[1]])
    expect_equal(by, matrix(by[, 1], 3, 20))
  }
})

test_that("a second stage has no latent function to draw, and says so", {
  d <- toy_scores(2, 60)
  fit <- second_stage(d$prob, d$labels, epsilon = 0.1, hyper = "optimum")
  expect_error(
    get_predict.sturdy_model(fit, as.data.frame(d$prob)), class = "sturdy_error_no_latent"
  )
})
