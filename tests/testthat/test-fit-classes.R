# gpc() with three classes or more.

few_iris <- function(wrong = c(3, 20, 40)) {
  d <- datasets::iris[c(1:15, 51:65, 101:115), ]
  row.names(d) <- NULL
  next_one <- c(setosa = "versicolor", versicolor = "virginica", virginica = "setosa")
  d$Species[wrong] <- next_one[as.character(d$Species[wrong])]
  d
}

held <- function(...) kernel_iso(2, nugget = 0.1, ..., fixed = TRUE)

test_that("a factor with three levels just works", {
  d <- few_iris()
  fit <- gpc(Species ~ ., d, kernel = kernel_iso())
  expect_s3_class(fit, c("gpc", "sturdy_model"), exact = TRUE)
  expect_equal(fit$ep$status, "converged")
  expect_true(fit$learning$cold_start)
  class <- predict(fit)
  expect_s3_class(class, "factor")
  expect_equal(levels(class), levels(d$Species))
  expect_gt(mean(class == datasets::iris$Species[c(1:15, 51:65, 101:115)]), 0.9)
  prob <- predict(fit, d, type = "prob")
  expect_equal(unname(rowSums(prob)), rep(1, 45))
  expect_equal(levels(d$Species)[max.col(prob)], as.character(class))
  expect_equal(predict(fit, d[c(7, 2), ], type = "prob"), prob[c(7, 2), ])
  expect_equal(nobs(fit), 45L)
  expect_equal(sum(loo(fit)$pointwise[, "elpd_loo"]), sum(fit$ep$loo))
})

test_that("a learned rate is where the evidence has no slope", {
  d <- few_iris()
  fit <- gpc(Species ~ ., d, kernel = held(), epsilon = "learn")
  expect_true(fit$epsilon > 0.01 && fit$epsilon < 0.2)
  at <- function(epsilon) {
    log_evidence(gpc(Species ~ ., d, kernel = held(), epsilon = epsilon))
  }
  expect_equal(at(fit$epsilon), log_evidence(fit), tolerance = 1e-7)
  expect_lt(at(0.8 * fit$epsilon), log_evidence(fit))
  expect_lt(at(1.2 * fit$epsilon), log_evidence(fit))
})

test_that("one rate is a noise matrix", {
  d <- few_iris()
  rate <- gpc(Species ~ ., d, kernel = held(), epsilon = 0.1)
  given <- gpc(Species ~ ., d, kernel = held(), epsilon = rate$omega)
  expect_equal(predict(given, type = "prob"), predict(rate, type = "prob"), tolerance = 1e-8)
  shuffled <- rate$omega[c(3, 1, 2), c(2, 3, 1)]
  again <- gpc(Species ~ ., d, kernel = held(), epsilon = shuffled)
  expect_equal(again$omega, rate$omega)
  expect_equal(
    unname(predict(rate, type = "prob", noise = TRUE)),
    unname(predict(rate, type = "prob") %*% rate$omega)
  )
})

test_that("results do not depend on the order of rows or levels", {
  d <- few_iris()
  fit <- gpc(Species ~ ., d, kernel = kernel_iso())
  turn <- c(31:45, 1:30)
  other <- d[turn, ]
  other$Species <- factor(other$Species, levels = rev(levels(d$Species)))
  again <- gpc(Species ~ ., other, kernel = kernel_iso())
  prob <- predict(fit, d, type = "prob")
  expect_equal(predict(again, d, type = "prob")[, levels(d$Species)], prob, tolerance = 1e-4)
  expect_equal(again$ep$flipped, fit$ep$flipped[turn], tolerance = 1e-3)
})

test_that("one number of wrong labels, everywhere", {
  d <- few_iris()
  fit <- gpc(Species ~ ., d, kernel = held(), epsilon = 0.1)
  found <- mislabelled(fit)
  expect_setequal(found$row[1:3], c(3, 20, 40))
  expect_equal(as.character(found$suggested[found$row == 3]), "setosa")
  expect_true(all(as.character(found$suggested) != as.character(found$label)))
  expect_true(all(found$p_suggested >= found$p_runner_up))
  # with three classes these are all
  expect_equal(found$p_suggested + found$p_runner_up, found$probability, tolerance = 1e-12)
  count <- matrix_counts(judged_by(fit))
  expect_equal(sum(count) - sum(diag(count)), sum(found$probability), tolerance = 1e-8)
  expect_equal(attr(found, "expected")$count, sum(found$probability), tolerance = 1e-8)
  expect_equal(unname(colSums(count)), unname(c(table(d$Species))), tolerance = 1e-8)
  expect_message(
    mislabelled(gpc(Species ~ ., d, kernel = held(), epsilon = 0)),
    class = "sturdy_message_no_label_noise"
  )
  expect_lte(nrow(mislabelled(fit, fdr = 0.2)), 10)
})

test_that("posterior classes follow from the cavities by Bayes' rule", {
  d <- few_iris()
  fit <- gpc(Species ~ ., d, kernel = held(), epsilon = 0.1)
  cavity <- fit$ep$cavity
  i <- 20
  p <- vapply(1:3, ref_argmax, numeric(1), cavity$mean[i, ], sqrt(cavity$var[i, ]))
  weight <- p * fit$omega[, fit$data$y[i]]
  expect_close(truth(fit)$p[i, , 1], weight / sum(weight), 1e-9)
  expect_close(exp(fit$ep$loo[i]), sum(weight), 1e-9)
})

confused <- function(n, pair) {
  set.seed(11)
  x <- matrix(rnorm(2 * n), n)
  class <- 1 + (x[, 1] > 0.4) + 2 * (x[, 1] < -0.5 & x[, 2] > 0)
  class <- match(class, sort(unique(class)))
  wrong <- runif(n) < 0.25
  class[wrong] <- if (pair) class[wrong] %% 3 + 1 else
    1 + (class[wrong] + sample(2, sum(wrong), TRUE) - 1) %% 3
  list(d = data.frame(x, class = factor(c("a", "b", "c")[class])), wrong = wrong)
}

test_that("a learned matrix shows who is taken for whom", {
  fit <- gpc(class ~ ., confused(250, TRUE)$d, kernel = kernel_iso(), epsilon = "matrix")
  omega <- fit$label_stage$omega
  expect_equal(unname(rowSums(omega)), rep(1, 3))
  pairs <- omega[cbind(1:3, c(2, 3, 1))]
  others <- omega[cbind(1:3, c(3, 1, 2))]
  expect_true(all(pairs > 0.1) && all(others < 0.08))
  m <- noise_matrix(fit)
  expect_true(all(attr(m, "lower") <= omega & omega <= attr(m, "upper")))
  expected <- attr(mislabelled(fit), "expected")
  expect_equal(expected$epsilon, "uncertain")
  expect_true(expected$lower < expected$count && expected$count < expected$upper)
})

test_that("a search ends with its budget", {
  for (epsilon in c("learn", "matrix")) {
    fit <- gpc(
      Species ~ ., few_iris(), epsilon = epsilon, control = ep_control(budget = 1e-9)
    )
    expect_lt(fit$learning$evaluations, 15)
    expect_equal(fit$ep$status, "converged")
  }
})

test_that("a learned matrix is one rate where that is all there is", {
  d <- confused(90, FALSE)$d
  rate <- gpc(class ~ ., d, kernel = kernel_iso(), epsilon = "learn")
  fit <- gpc(class ~ ., d, kernel = kernel_iso(), epsilon = "matrix")
  expect_lt(max(abs(fit$omega - rate$omega)), 0.05)
  m <- noise_matrix(rate)
  expect_true(all(attr(m, "lower") < m & m < attr(m, "upper")))
})

test_that("two classes take a matrix as two rates", {
  x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
  y <- c(0, 0, 1, 0, 1, 1, 1, 1)
  omega <- rbind(c(0.9, 0.1), c(0.2, 0.8))
  expect_equal(
    gpc(x, y, epsilon = omega, kernel = held())$ep$m,
    gpc(x, y, epsilon = c(neg = 0.1, pos = 0.2), kernel = held())$ep$m
  )
})

test_that("inducing inputs give nearly the dense fit", {
  d <- few_iris()
  dense <- gpc(Species ~ ., d, kernel = held(), epsilon = 0.1)
  low <- gpc(Species ~ ., d, kernel = held(), epsilon = 0.1, inducing = 30)
  expect_lt(max(abs(predict(low, type = "prob") - predict(dense, type = "prob"))), 0.03)
  expect_match(printed(summary(low)), "30 inducing inputs")
  learned <- gpc(Species ~ ., d, kernel = kernel_iso(), inducing = 20)
  expect_equal(learned$ep$status, "converged")
})

test_that("a fit is saved and read, and missing inputs give NA", {
  d <- few_iris()
  fit <- gpc(Species ~ ., d, kernel = held(), epsilon = 0.1)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  new <- d[c(1, 20), ]
  new$Sepal.Length[2] <- NA
  expect_equal(predict(readRDS(file), new), predict(fit, new))
  expect_equal(is.na(predict(fit, new)), c(FALSE, TRUE))
  expect_equal(unname(is.na(predict(fit, new, type = "prob")[, 1])), c(FALSE, TRUE))
  latent <- predict(fit, new, type = "latent")
  expect_true(all(latent$sd[1, ] > 0) && all(is.na(latent$mean[2, ])))
})

test_that("what several classes do not have is an error", {
  d <- few_iris()
  expect_error(stc(Species ~ ., d), class = "sturdy_error_outcome_levels")
  expect_error(bpm(Species ~ ., d), class = "sturdy_error_outcome_levels")
  expect_error(
    gpc(Species ~ ., d, criterion = "loo"), "must be \"evidence\"",
    class = "sturdy_error_criterion"
  )
  expect_error(gpc(Species ~ ., d, epsilon = "learn2"), class = "sturdy_error_epsilon")
  expect_error(gpc(Species ~ ., d, epsilon = diag(2)), class = "sturdy_error_epsilon")
  expect_error(gpc(Species ~ ., d, epsilon = diag(2, 3)), class = "sturdy_error_epsilon")
  expect_error(
    gpc(matrix(1:42), factor(rep(1:21, 2))), class = "sturdy_error_outcome_levels"
  )
  expect_error(noise_matrix(1), class = "sturdy_error_type")
  fit <- gpc(Species ~ ., d, kernel = held(), epsilon = 0.1)
  fit$omega <- NULL
  expect_error(predict(fit), class = "sturdy_error_changed")
})

test_that("what is printed says what it is", {
  d <- few_iris()
  fit <- gpc(Species ~ ., d, kernel = held(), epsilon = 0.1)
  # how EP came there is that of the machine
  rounding <- function(lines) sub("after .*", "after ...", lines)
  expect_snapshot(print(fit), transform = rounding)
  expect_snapshot(print(mislabelled(fit), n = 5))
  expect_snapshot(print(noise_matrix(fit)))
})

# Truth by elliptical slice sampling of the C latent functions, n = 24 and 2 x 30,000 states:
# probabilities of EP are within .02 on average, and its evidence is not checked.
extended_test("class probabilities are near those of the exact posterior", {
  set.seed(12)
  n <- 24
  C <- 3
  X <- matrix(rnorm(2 * n), n)
  y <- 1 + (X[, 1] > 0.3) + (X[, 2] > 0.4)
  y[c(4, 15)] <- y[c(4, 15)] %% 3 + 1
  fit <- gpc(X, factor(y), kernel = held(), epsilon = 0.15, scale = FALSE)
  columns <- model_columns(fit)
  K <- native_gram(fit$data$X, NULL, columns, kernel_hyper(fit$kernel))
  U <- chol(K)
  log_lik <- function(f) sum(log(fit$omega[cbind(max.col(f), y)]))
  f <- matrix(0, n, C)
  now <- log_lik(f)
  truth <- matrix(0, n, C)
  states <- 60000
  for (state in seq_len(states)) {
    other <- crossprod(U, matrix(rnorm(n * C), n))
    least <- now + log(runif(1))
    angle <- runif(1, 0, 2 * pi)
    low <- angle - 2 * pi
    high <- angle
    repeat {
      try <- f * cos(angle) + other * sin(angle)
      value <- log_lik(try)
      if (value > least) break
      if (angle < 0) low <- angle else high <- angle
      angle <- runif(1, low, high)
    }
    f <- try
    now <- value
    at <- cbind(seq_len(n), max.col(f))
    truth[at] <- truth[at] + 1 / states
  }
  gap <- abs(truth - truth(fit)$p[, , 1])
  expect_lt(mean(gap), 0.02)
  expect_lt(max(gap), 0.12)
})

test_that("a fit has the usual data frames, scores and diagnostics", {
  d <- few_iris()
  fit <- gpc(Species ~ ., d, kernel = held(), epsilon = 0.1)
  expect_equal(tidy(fit)$term, c("lengthscale", "variance", "bias", "nugget", "epsilon"))
  expect_false(any(tidy(fit)$learned))
  expect_equal(glance(fit)$log_evidence, log_evidence(fit))
  expect_equal(glance(fit)$loo, sum(fit$ep$loo))
  with_prob <- augment(fit, d)
  expect_equal(with_prob$.class, predict(fit))
  expect_equal(with_prob$.flipped[3], fit$ep$flipped[3])
  expect_equal(augment(fit)$.prob_setosa, with_prob$.prob_setosa)
  expect_equal(augment(fit)$Species, d$Species)
  new <- augment(fit, newdata = d[1:2, ])
  expect_equal(new$.prob_virginica, unname(predict(fit, d[1:2, ], type = "prob")[, 3]))
  expect_equal(left_out_score(truth(fit)), unname(fit$ep$loo))
  p <- exp(fit$ep$seen) %*% fit$omega
  expect_equal(p[cbind(1:45, fit$data$y)], exp(fit$ep$loo), tolerance = 1e-8)
  outcome <- diag(3)[fit$data$y, ]
  expect_equal(mean(row_brier(fit)), sum((p - outcome)^2) / 90)
  expect_equal(ep_diagnostics(fit)$status, "converged")
  expect_match(printed(summary(fit)), "Most suspicious labels")
  expect_equal(
    ep_diagnostics(gpc(Species ~ ., d, kernel = held(), epsilon = "learn"))$happened[3],
    "Learned 1 hyperparameter by evidence from 3 starts."
  )
})

test_that("figures are drawn and leave the device as it was", {
  d <- few_iris()
  fit <- gpc(Species ~ Petal.Length + Petal.Width, d, kernel = held(), epsilon = 0.1)
  withr::local_pdf(NULL)
  old <- graphics::par(no.readonly = TRUE)
  expect_identical(plot(fit), fit)
  m <- noise_matrix(fit)
  expect_identical(plot(m), m)
  expect_no_error(plot(noise_matrix(fit)))
  expect_no_error(plot(mislabelled(fit)))
  expect_equal(graphics::par(no.readonly = TRUE)["mar"], old["mar"])
  expect_no_error(plot(gpc(Species ~ ., d, kernel = held(), epsilon = 0.1)))
})

test_that("what several classes do not answer is an error", {
  d <- few_iris()
  fit <- gpc(Species ~ ., d, kernel = held(), epsilon = 0.1)
  expect_error(weights(fit), class = "sturdy_error_no_case_weights")
  expect_equal(update(fit, epsilon = 0.2)$epsilon, 0.2)
})

test_that("formula() is that of the fit, for several classes too", {
  data <- iris[c(1:5, 51:55, 101:105), ]
  fit <- gpc(Species ~ Petal.Width, data, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0.05)
  expect_equal(formula(fit), Species ~ Petal.Width, ignore_attr = TRUE)
  xy <- gpc(data[4], data$Species, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0.05)
  expect_error(formula(xy), class = "sturdy_error_no_formula")
})

test_that("rates of two classes may be named by the classes", {
  d <- toy()
  by_words <- c(neg = 0.04, pos = 0.1)
  by_class <- c(yes = 0.1, no = 0.04)
  same <- function(fit_of) expect_equal(predict(fit_of(by_class), d, type = "prob"), predict(fit_of(by_words), d, type = "prob"))
  same(function(e) gpc(class ~ a + b, d, kernel = held(), epsilon = e))
  same(function(e) stc(class ~ a + b, d, df = 4, kernel = held(), epsilon = e))
  same(function(e) bpm(class ~ a + b, d, epsilon = e))
  same(function(e) bpm(class ~ a + b, d, inference = "adf", epsilon = e))
  same(function(e) bpm(class ~ a + b, shards(d, 2), nugget = 0.5, epsilon = e))
  same(function(e) update(toy_fit(), epsilon = e))
  stage <- function(e) second_stage(rep(c(0.2, 0.8), 20), d$class, epsilon = e)$epsilon
  expect_equal(stage(by_class), stage(by_words))
  expect_error(gpc(class ~ a + b, d, epsilon = c(no = 0.1, maybe = 0.1)), "maybe", class = "sturdy_error_epsilon")
  expect_error(gpc(class ~ a + b, d, epsilon = c(no = 0.6, yes = 0.5)), class = "sturdy_error_epsilon")
})
