# A second stage on scores: that it is the label stage [M 16.1, 16.2, 16.3], and that a fit answers what all
# fits answer. What goes in: test-fit-second-stage-input.R.

own_labels <- function(d) cbind(seq_along(d$labels), as.integer(d$labels))

in_order_of_rows <- function(found) found[order(found$row), ]

test_that("answers are Bayes' rule at the points of the stage, under all noise models", {
  local_fewer_points()
  models <- list(NULL, c(none = 1, one = 1, two = 1))
  for (classes in 2:3) {
    d <- toy_scores(classes, 1010) # of more than 1,000 labels the points that are kept tell
    noise <- noise_prior(models[[classes - 1]])
    fit <- second_stage(d$prob, d$labels, noise = noise, hyper = "integrate")
    expect_true(all(fit$nodes$models$probability > 1e-200))
    plain <- ref_stage(fit, y = as.integer(d$labels))
    found <- in_order_of_rows(mislabelled(fit))
    expect_equal(found$probability, 1 - plain$p[own_labels(d)], tolerance = 1e-8)
    expect_equal(found$loo, plain$z, tolerance = 1e-8)
    expect_equal(unname(predict(fit, type = "true")), unname(plain$p), tolerance = 1e-8)
    # predictions are of a few of the points
    expect_lt(max(abs(predict(fit, d$prob, type = "prob") - plain$seen)), 0.005)
    recorded <- predict(fit, d$prob, type = "prob", noise = TRUE)
    expect_lt(max(abs(recorded - plain$recorded)), 0.005)
  }
})

test_that("the modes of a stage at the optimum are its points", {
  d <- toy_scores(3, 80)
  omega <- matrix(c(0.8, 0.15, 0.05, 0.1, 0.85, 0.05, 0, 0.2, 0.8), 3, byrow = TRUE)
  dimnames(omega) <- list(letters[1:3], letters[1:3])
  fit <- second_stage(d$prob, d$labels, epsilon = omega, hyper = "optimum")
  expect_equal(nrow(fit$nodes$table), 1)
  plain <- ref_stage(fit, y = as.integer(d$labels))
  found <- in_order_of_rows(mislabelled(fit))
  expect_equal(found$probability, 1 - plain$p[own_labels(d)], tolerance = 1e-10)
  expect_equal(found$loo, plain$z, tolerance = 1e-10)
  expect_equal(predict(fit, d$prob, type = "prob"), plain$seen, ignore_attr = TRUE, tolerance = 1e-10)
  expect_equal(predict(fit, type = "prob"), plain$seen, ignore_attr = TRUE, tolerance = 1e-10)
  noisy <- predict(fit, d$prob, type = "prob", noise = TRUE)
  expect_equal(noisy, plain$seen %*% omega, ignore_attr = TRUE, tolerance = 1e-10)
  at <- coef(fit)
  expect_equal(at[["slope"]], exp(mean(log(fit$nodes$points$given$b))))
  w <- fit$nodes$points$given$w[, 1]
  expect_equal(unname(at[1:2]), exp(w[2:3] - w[1]))
})

test_that("with an overlap that is held one weight is left: its posterior is an integral", {
  d <- toy_scores(2, 40)
  y <- as.integer(d$labels)
  fit <- second_stage(
    d$prob, d$labels, epsilon = 0.1, noise = noise_prior(overlap = 0.1), hyper = "integrate"
  )
  slope <- fit$recalibration$slope
  odds <- stats::qlogis(d$prob[, 2])
  expect_equal(mean(stats::plogis(-abs(slope * odds))), 0.1, tolerance = 1e-5)
  joint <- function(w, t) { # of label and true class, a column a weight
    q <- stats::plogis((2 * t - 3) * outer(slope * odds, w, `+`))
    q * ifelse(y == t, 0.9, 0.1)
  }
  density <- function(w) stats::dnorm(w) * exp(colSums(log(joint(w, 1) + joint(w, 2))))
  integral <- function(of) stats::integrate(function(w) density(w) * of(w), -8, 8, rel.tol = 1e-9)$value
  total <- integral(function(w) 1)
  wrong <- vapply(c(1, 7, 20, d$rows[1:3]), function(i) {
    integral(function(w) {
      at <- cbind(joint(w, 1)[i, ], joint(w, 2)[i, ])
      at[, 3 - y[i]] / rowSums(at)
    }) / total
  }, 0)
  found <- in_order_of_rows(mislabelled(fit))$probability
  expect_equal(found[c(1, 7, 20, d$rows[1:3])], wrong, tolerance = 0.02) # by 128 points
  expect_equal(log_evidence(fit), log(total), tolerance = 1e-3)
  models <- noise_test(second_stage(d$prob, d$labels, hyper = "integrate"))$models
  average <- log(sum(models$prior * exp(models$log_evidence)))
  expect_equal(log_evidence(second_stage(d$prob, d$labels, hyper = "integrate")), average)
  # nobody is unusual: the user has said how often labels contradict the scores
  expect_identical(fit$nodes$unusual, numeric(40))
  expect_null(fit$recalibration$apart) # nor is it asked how many were wrong if classes hardly overlapped
})

test_that("at modes alone the number at the other end is by modes, too", {
  points <- list()
  original <- label_average
  local_mocked(label_average = function(P, data, noise, way, n = NULL, ...) {
    points[length(points) + 1] <<- list(n)
    original(P, data, noise, way, n, ...)
  })
  d <- toy_scores(2, 120, strength = 3, wrong = 6)
  fit <- second_stage(d$prob, d$labels, hyper = "optimum")
  expect_identical(points, list(0L, 0L)) # as learned, and apart
  expect_false(is.null(fit$recalibration$apart))
})

test_that("slopes and weights of a stage are means of their logs over the points", {
  nodes <- list(
    points = list(
      one = list(w = cbind(c(0, 1, -1), c(0, 2, 1)), b = cbind(c(1, 2, 4), c(0.5, 1, 1))),
      two = list(w = cbind(c(0, 0, 3)), b = cbind(c(3, 3, 3)))
    ),
    table = data.frame(weight = c(0.5, 0.3, 0.2))
  )
  at <- label_means(nodes, c("a", "b", "c"), list(slope = NULL))
  expect_equal(at$weight, c(b = exp(1.1), c = exp(0.4)))
  expect_equal(at$slope, 8^(0.5 / 3) * 0.5^(0.3 / 3) * 3^0.2)
  expect_identical(at$free, c("weight", "slope"))
})

test_that("an overlap that is bounded bounds the slope of every point, alike for the classes", {
  local_fewer_points()
  for (classes in 2:3) {
    d <- toy_scores(classes, 100, strength = 10)
    fit <- averaged_stage(d, noise = noise_prior(overlap = c(0.02, 0.1)))
    b <- do.call(cbind, lapply(fit$nodes$points, `[[`, "b"))
    expect_equal(b, matrix(b[1, ], classes, ncol(b), byrow = TRUE))
    contradict <- function(slope) {
      q <- d$prob^slope / rowSums(d$prob^slope)
      mean(1 - do.call(pmax, as.data.frame(q)))
    }
    overlap <- vapply(range(b), contradict, 0)
    expect_true(all(overlap > 0.02 - 1e-6 & overlap < 0.1 + 1e-6))
    expect_true(diff(range(b)) > 0)
  }
})

test_that("probabilities and labels give the object that their fit gives", {
  local_fewer_points()
  d <- toy_scores(2, 60)
  withr::local_options(sturdy.hyper = "integrate")
  fit <- second_stage(d$prob, d$labels)
  expect_identical(mislabelled(d$prob, d$labels), mislabelled(fit))
  expect_identical(mislabelled(as.data.frame(d$prob), d$labels, fdr = 0.2), mislabelled(fit, 0.2))
  of_event <- mislabelled(d$prob[, "b"], d$labels, trusted = 1:5)
  expect_equal(of_event, mislabelled(update(fit, trusted = 1:5)), tolerance = 1e-8)
  expect_error(mislabelled("a"), class = "sturdy_error_type")
})

test_that("checks and trusted rows count as in every fit, of two classes and of three", {
  local_fewer_points()
  noise <- noise_prior(c(none = 1, one = 1))
  for (classes in 2:3) {
    d <- toy_scores(classes, 90)
    fit <- averaged_stage(d, noise = noise)
    rows <- d$rows[1:4]
    checked <- suppressMessages(
      update(fit, checked = data.frame(row = rows, label = d$truth[rows]))
    )
    found <- mislabelled(checked)
    expect_equal(found$probability[match(rows, found$row)], rep(0, 4))
    expect_equal(noise_test(checked)$probability_none, 0)
    known <- setdiff(1:90, rows[1:3])
    trusted <- averaged_stage(d, trusted = known, noise = noise)
    expect_equal(sum(report_known(trusted$data$reports)), length(known))
    said <- in_order_of_rows(mislabelled(trusted))
    expect_identical(said$probability[known], numeric(length(known)))
    expect_gt(min(said$probability[-known]), 0)
    # no more than the others can be wrong
    expect_lt(attr(mislabelled(trusted), "expected")$count, 3.01)
  }
})

test_that("each group has the rate of its own wrong labels", {
  local_fewer_points()
  for (classes in 2:3) {
    group <- rep(c("x", "y"), 120)
    d <- toy_scores(classes, 240, strength = 12, wrong = 0)
    wrong <- which(group == "y")[1:30] # a quarter
    code <- as.integer(d$truth)
    code[wrong] <- code[wrong] %% classes + 1
    d$labels <- factor(letters[code], letters[seq_len(classes)])
    fit <- averaged_stage(d, rates = group, noise = noise_prior(c(none = 1, one = 1)))
    rates <- flip_rates(fit)
    expect_setequal(rates$group, c("x", "y"))
    of <- function(name, column) mean(rates[[column]][rates$group == name])
    expect_lt(of("x", "rate"), 0.07)
    expect_gt(of("y", "rate"), 0.15)
    expect_true(of("y", "lower") < 0.25 && of("y", "upper") > 0.25)
    expect_gt(sum(row_flipped(fit)[wrong]), 0.7 * sum(row_flipped(fit)))
  }
})

test_that("weights are as many rows alike, whoever gives them", {
  local_fewer_points()
  d <- toy_scores(2, 40)
  d$labels[1:6] <- rev(levels(d$labels))[as.integer(d$labels[1:6])]
  times <- rep_len(c(1, 3), 40)
  again <- rep(1:40, times)
  weighted <- second_stage(d$prob, d$labels, weights = times, hyper = "integrate")
  all <- second_stage(d$prob[again, ], d$labels[again], hyper = "integrate")
  expect_equal(log_evidence(weighted), log_evidence(all), tolerance = 1e-6)
  expect_equal(row_flipped(weighted)[again], row_flipped(all), tolerance = 1e-6)
  expect_equal(noise_test(weighted)$bayes_factor, noise_test(all)$bayes_factor, tolerance = 1e-6)
  expect_equal(weights(weighted), times)
  expected <- function(fit) attr(mislabelled(fit), "expected")[c("count", "lower", "upper")]
  expect_equal(expected(weighted), expected(all), tolerance = 1e-6)
  new <- c(0.1, 0.4, 0.9)
  expect_equal(
    predict(weighted, new, type = "prob"), predict(all, new, type = "prob"), tolerance = 1e-6
  )
  held <- noise_prior(overlap = 0.1)
  expect_equal(
    second_stage(d$prob, d$labels, weights = times, noise = held)$recalibration$slope,
    second_stage(d$prob[again, ], d$labels[again], noise = held)$recalibration$slope
  )
  # those of a fit of ours are its own
  fit <- bpm(class ~ a + b, toy(), weights = rep(1:2, 20), epsilon = 0.1)
  expect_equal(weights(second_stage(fit, hyper = "optimum")), rep(1:2, 20))
  expect_error(second_stage(d$prob, d$labels, weights = 1:3), class = "sturdy_error_weights")
  several <- toy_scores(3, 40)
  expect_error(
    second_stage(several$prob, several$labels, weights = times), class = "sturdy_error_weights"
  )
})

test_that("weights are rows also where many labels are in cells of their scores", {
  local_fewer_points()
  d <- toy_scores(2, 900)
  times <- rep_len(1:3, 900)
  again <- rep(1:900, times)
  noise <- noise_prior(c(none = 1, one = 1))
  weighted <- averaged_stage(d, weights = times, noise = noise)
  all <- averaged_stage(list(prob = d$prob[again, ], labels = d$labels[again]), noise = noise)
  expect_equal(row_flipped(weighted)[again], row_flipped(all), tolerance = 1e-6)
  expect_equal(noise_test(weighted)$bayes_factor, noise_test(all)$bayes_factor, tolerance = 1e-6)
})

test_that("every question has an answer, for two classes and for several", {
  local_fewer_points()
  for (classes in 2:3) {
    d <- toy_scores(classes, 60)
    fit <- averaged_stage(d)
    expect_output(print(fit), "Wrong labels")
    expect_output(print(summary(fit)), "Recalibration")
    expect_output(print(noise_test(fit)), "Noise models")
    expect_equal(nrow(review(fit, 5)), 5)
    expect_equal(dim(noise_matrix(fit)), c(classes, classes))
    plain <- ref_stage(fit, y = as.integer(d$labels))
    expect_s3_class(calibration(fit), "sturdy_calibration")
    own <- plain$left_out - outer(as.integer(d$labels), seq_len(classes), `==`)
    expect_equal(row_brier(fit), unname(rowSums(own^2) / 2), tolerance = 1e-8)
    expect_length(row_loo(fit), 60)
    expect_silent(confusion(fit))
    file <- withr::local_tempfile(fileext = ".html")
    label_report(fit, file, data = data.frame(name = paste("row", 1:60)))
    expect_gt(file.size(file), 1e4)
    withr::with_pdf(NULL, plot(fit))
    kept <- withr::local_tempfile()
    saveRDS(fit, kept)
    expect_identical(mislabelled(readRDS(kept)), mislabelled(fit))
    more <- suppressMessages(absorb(fit, d$prob[1:5, ], d$labels[1:5]))
    expect_equal(nobs(more), 65)
  }
})

test_that("a fit that was changed is not one", {
  fit <- averaged_stage(toy_scores(2, 40))
  bad <- list(
    function(fit) { fit$recalibration$slope <- -1; fit },
    function(fit) { fit$recalibration$kind <- NULL; fit },
    function(fit) { fit$nodes$points$one$w <- fit$nodes$points$one$w[1, , drop = FALSE]; fit },
    function(fit) { fit$nodes$unusual <- fit$nodes$unusual[-1]; fit }
  )
  for (change in bad) expect_error(mislabelled(change(fit)), class = "sturdy_error_changed")
})

test_that("rows that are absorbed change the number where classes hardly overlap, too", {
  local_fewer_points()
  d <- toy_scores(2, 80)
  old <- 1:60
  fit <- averaged_stage(list(prob = d$prob[old, ], labels = d$labels[old]))
  more <- absorb(fit, d$prob[-old, 2], as.character(d$labels[-old]))
  anew <- averaged_stage(d)
  expect_equal(more$recalibration$apart, anew$recalibration$apart)
  expect_equal(more$data$X, absorb(fit, d$prob[-old, ], d$labels[-old])$data$X)
})

test_that("the stage of a fit of ours stays one when it absorbs rows", {
  local_fewer_points()
  d <- toy()
  stage <- second_stage(toy_fit(epsilon = 0.1), hyper = "optimum")
  stage$data$in_sample$seems <- TRUE
  more <- absorb(stage, data.frame(no = c(0.9, 0.2), yes = c(0.1, 0.8)), c("no", "yes"))
  expect_identical(more$recalibration$kind, "fit")
  expect_identical(more$recalibration$way, stage$recalibration$way)
  expect_identical(more$data$in_sample, stage$data$in_sample)
})

test_that("scores that say nothing are no sign of wrong labels", {
  local_fewer_points()
  for (seed in 1:3) {
    set.seed(seed)
    labels <- factor(stats::runif(100) < 0.35)
    d <- list(prob = stats::plogis(stats::rnorm(100, -0.6, 0.4)), labels = labels)
    test <- noise_test(averaged_stage(d))
    expect_lt(abs(log(test$bayes_factor)), log(3))
    expect_true(all(is.finite(test$noticed$probability)))
  }
})

test_that("what stands for a score of 0 is below the others of its row, which stay", {
  d <- toy_scores(2, 60)
  prob <- pmin(pmax(d$prob[, 2], 0.1), 0.9)
  fit <- second_stage(prob, d$labels, epsilon = 0.1, hyper = "optimum")
  says <- function(p) unname(ref_stage(fit, cbind(1 - p, p))$seen[, 2])
  new <- c(0.001, 0.2, 0.999, 1e-9)
  expect_equal(unname(predict(fit, new, type = "prob")[, 2]), says(new))
  expect_equal(unname(predict(fit, 0, type = "prob")[, 2]), says(0.01 / 1.01))
  # as it is among the rows of the fit
  expect_equal(score_rows(rbind(c(0, 0.2, 0.8), c(0, 1e-6, 1)), 0.01, "prob")[, 1],
               c(0.01 / 1.01, 5e-7 / (1 + 1.5e-6)))
})

test_that("a fit of ours is taken by its leave-one-out probabilities of the true class", {
  fit <- toy_fit(epsilon = 0.1)
  stage <- second_stage(fit, epsilon = 0.1, hyper = "optimum")
  expect_identical(stage$recalibration$kind, "fit")
  said <- augment(fit)
  p <- (ifelse(said$class == "yes", said$.loo, 1 - said$.loo) - 0.1) / (1 - 2 * 0.1)
  expect_equal(stage$data$X, cbind(1 - p, p), ignore_attr = TRUE, tolerance = 1e-6)
  expect_identical(stage$data$row_names, as.character(fit$data$row_names))
  three <- gpc(Species ~ ., iris[c(1:15, 51:65, 101:115), ], kernel = held(2), epsilon = 0.05)
  several <- second_stage(three, epsilon = 0.1, hyper = "optimum")
  expect_identical(several$recalibration$kind, "fit")
  expect_identical(several$blueprint$levels, levels(iris$Species))
  recorded <- (several$data$X %*% (diag(0.925, 3) + 0.025))[cbind(1:45, rep(1:3, each = 15))]
  expect_equal(log(recorded), unname(loo(three)$pointwise[, "elpd_loo"]), tolerance = 1e-6)
  filtered <- bpm(class ~ a, toy(), inference = "adf")
  expect_error(second_stage(filtered), class = "sturdy_error_no_sites")
})
