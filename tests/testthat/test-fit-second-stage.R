# A second stage on scores: what goes in, and that a fit answers what all fits answer.

two_stage <- function(...) {
  d <- toy_scores(2, 120)
  second_stage(d$prob, d$labels, ...)
}

test_that("the posterior of the true class is Bayes' rule at the recalibrated scores", {
  d <- toy_scores(3, 80)
  omega <- matrix(c(0.8, 0.15, 0.05, 0.1, 0.85, 0.05, 0, 0.2, 0.8), 3, byrow = TRUE)
  dimnames(omega) <- list(letters[1:3], letters[1:3])
  fit <- second_stage(d$prob, d$labels, epsilon = omega, hyper = "optimum")
  at <- coef(fit)
  q <- exp(ref_recalibrated(log(d$prob), c(0, log(at[1:2])), at[["slope"]]))
  joint <- q * t(omega)[as.integer(d$labels), ]
  p <- joint / rowSums(joint)
  found <- mislabelled(fit)
  found <- found[order(found$row), ]
  own <- cbind(1:80, as.integer(d$labels))
  expect_equal(found$probability, 1 - p[own], tolerance = 1e-10)
  expect_equal(found$loo, unname((q %*% omega)[own]), tolerance = 1e-10)
  expect_equal(predict(fit, d$prob, type = "prob"), q, ignore_attr = TRUE, tolerance = 1e-10)
  expect_equal(predict(fit, type = "prob"), q, ignore_attr = TRUE, tolerance = 1e-10)
  noisy <- predict(fit, d$prob, type = "prob", noise = TRUE)
  expect_equal(noisy, q %*% omega, ignore_attr = TRUE, tolerance = 1e-10)
})

test_that("probabilities and labels give the object that their fit gives", {
  d <- toy_scores(2, 120)
  withr::local_options(sturdy.hyper = "integrate")
  fit <- second_stage(d$prob, d$labels)
  expect_identical(mislabelled(d$prob, d$labels), mislabelled(fit))
  expect_identical(mislabelled(as.data.frame(d$prob), d$labels, fdr = 0.2), mislabelled(fit, 0.2))
  of_event <- mislabelled(d$prob[, "b"], d$labels, trusted = 1:5)
  expect_equal(of_event, mislabelled(update(fit, trusted = 1:5)), tolerance = 1e-8)
  expect_error(mislabelled("a"), class = "sturdy_error_type")
})

test_that("columns go by name, with a prefix too, and the event by the levels", {
  d <- toy_scores(3, 60)
  fit <- second_stage(d$prob, d$labels, epsilon = 0.1, hyper = "optimum")
  turned <- d$prob[, c(2, 3, 1)]
  same <- function(prob, labels = d$labels) {
    again <- second_stage(prob, labels, epsilon = 0.1, hyper = "optimum")
    expect_equal(again$ep$seen, fit$ep$seen)
    expect_identical(again$blueprint$levels, fit$blueprint$levels)
  }
  same(turned)
  same(unname(d$prob))
  same(unname(d$prob), as.character(d$labels))
  named <- as.data.frame(turned)
  names(named) <- paste0(".pred_", names(named))
  same(named)
  expect_equal(predict(fit, named, type = "prob"), predict(fit, type = "prob"), ignore_attr = TRUE)
  # a class that no label has is still one that rows may belong to
  rare <- cbind(d$prob * 0.9, z = 0.1)
  fit <- second_stage(rare, as.character(d$labels), epsilon = 0.1, hyper = "optimum")
  expect_identical(fit$blueprint$levels, c("a", "b", "c", "z"))
})

test_that("scores of 0, ties and rows off 1 by rounding are taken", {
  d <- toy_scores(2, 100)
  votes <- round(20 * d$prob) / 20
  expect_true(any(votes == 0))
  fit <- second_stage(votes, d$labels)
  expect_equal(min(fit$data$X), 0.01 / 1.01)
  expect_true(all(is.finite(mislabelled(fit)$probability)))
  hard <- second_stage(round(d$prob), d$labels)
  expect_true(all(is.finite(mislabelled(hard)$probability)))
  rounded <- second_stage(round(d$prob, 2) * 1.01, d$labels)
  expect_equal(rowSums(rounded$data$X), rep(1, 100))
})

test_that("rows without a score or a label are left out, and keep their positions", {
  d <- toy_scores(2, 60)
  prob <- d$prob
  prob[3, 1] <- NA
  d$labels[10] <- NA
  expect_message(fit <- second_stage(prob, d$labels), class = "sturdy_message_rows_left_out")
  expect_equal(nobs(fit), 58)
  expect_setequal(mislabelled(fit)$row, setdiff(1:60, c(3, 10)))
  part <- suppressMessages(second_stage(prob[, 2], d$labels))
  expect_equal(nobs(part), 59)
})

test_that("what are no out-of-sample probabilities of these classes is refused by name", {
  d <- toy_scores(3, 40)
  refused <- function(prob, labels, class, arg = "prob") {
    cnd <- expect_error(second_stage(prob, labels), class = paste0("sturdy_error_", class))
    expect_equal(cnd$arg, arg)
  }
  refused(log(d$prob), d$labels, "prob")
  refused(stats::qlogis(d$prob), d$labels, "prob")
  refused(3 * d$prob, d$labels, "prob")
  refused(d$prob / 2, d$labels, "prob")
  refused(0 * d$prob, d$labels, "prob")
  refused(unname(d$prob), rep(1:2, 20), "column_names")
  refused(d$prob[, 1:2], d$labels, "novel_levels", "labels")
  refused(d$prob, d$labels[-1], "length", "labels")
  refused(d$prob[, c(1, 1, 2)], d$labels, "column_names")
  refused(data.frame(d$prob, id = "x"), d$labels, "column_type")
  refused(array(d$prob, c(40, 1, 3)), d$labels, "type")
  refused(d$prob, list(1), "length", "labels")
  refused(c(2, rep(0.5, 39)), rep(0:1, 20), "prob")
  refused(rep(0.5, 40), rep(c("a", "b", "c", "d"), 10), "column_names")
  expect_error(second_stage(d$prob), class = "sturdy_error_missing_argument")
  expect_error(second_stage(d$prob, d$labels, kernel = 1), class = "sturdy_error_unknown_argument")
  fit <- second_stage(d$prob, d$labels, epsilon = 0.1, hyper = "optimum")
  expect_error(predict(fit, 2 * d$prob), class = "sturdy_error_prob")
  expect_error(predict(fit, d$prob[, 1:2]), class = "sturdy_error_missing_column")
})

test_that("what needs a latent function or EP is refused", {
  fit <- two_stage(hyper = "optimum")
  refused <- function(code) expect_error(code, class = "sturdy_error_no_latent")
  refused(predict(fit, type = "latent"))
  refused(predict(fit, interval = 0.9))
  refused(posterior_sample(fit))
  refused(check_fit(fit))
  refused(log_evidence(fit, "ep_zp"))
  refused(plot(fit, "trace"))
  expect_match(ep_diagnostics(fit)$happened[1], "exact")
})

test_that("checks, trusted rows and groups count as in every fit", {
  d <- toy_scores(2, 120)
  fit <- averaged_stage(d)
  rows <- d$rows[1:4]
  checked <- suppressMessages(
    update(fit, checked = data.frame(row = rows, label = d$truth[rows]))
  )
  found <- mislabelled(checked)
  expect_equal(found$probability[match(rows, found$row)], rep(0, 4))
  expect_equal(noise_test(checked)$probability_none, 0)
  group <- rep(c("x", "y"), 60)
  apart <- averaged_stage(d, rates = group, trusted = setdiff(1:20, d$rows))
  expect_setequal(flip_rates(apart)$group, c("x", "y"))
  expect_equal(sum(report_known(apart$data$reports)), length(setdiff(1:20, d$rows)))
})

test_that("every question has an answer, for two classes and for several", {
  for (classes in 2:3) {
    d <- toy_scores(classes, 100)
    fit <- averaged_stage(d)
    expect_output(print(fit), "Wrong labels")
    expect_output(print(summary(fit)), "Recalibration")
    expect_output(print(noise_test(fit)), "Noise models")
    expect_equal(nrow(review(fit, 5)), 5)
    expect_equal(dim(noise_matrix(fit)), c(classes, classes))
    expect_s3_class(calibration(fit), "sturdy_calibration")
    expect_length(row_loo(fit), 100)
    expect_silent(confusion(fit))
    expect_length(suppressMessages(relabel(fit)), 100)
    file <- withr::local_tempfile(fileext = ".html")
    label_report(fit, file, data = data.frame(name = paste("row", 1:100)))
    expect_gt(file.size(file), 1e4)
    withr::with_pdf(NULL, plot(fit))
    kept <- withr::local_tempfile()
    saveRDS(fit, kept)
    expect_identical(mislabelled(readRDS(kept)), mislabelled(fit))
    more <- suppressMessages(absorb(fit, d$prob[1:5, ], d$labels[1:5]))
    expect_equal(nobs(more), 105)
    slope <- criterion(fit)$gradient
    expect_true(all(is.finite(slope)))
  }
})

test_that("a fit that was changed is not one", {
  fit <- two_stage(hyper = "optimum")
  fit$recalibration$slope <- -1
  expect_error(mislabelled(fit), class = "sturdy_error_changed")
})

test_that("the order of the rows and the names of the classes do not matter", {
  d <- toy_scores(2, 120)
  fit <- averaged_stage(d)
  turn <- rev(seq_len(120))
  back <- averaged_stage(list(prob = d$prob[turn, ], labels = d$labels[turn]))
  expect_equal(row_flipped(back)[turn], row_flipped(fit), tolerance = 1e-6)
})

test_that("forty classes are as good as three", {
  classes <- 40
  d <- withr::with_seed(3, {
    truth <- sample(classes, 600, TRUE)
    prob <- matrix(stats::rexp(600 * classes), 600)
    prob[cbind(1:600, truth)] <- 100 * stats::rexp(600)
    colnames(prob) <- paste0("c", seq_len(classes))
    labels <- truth
    labels[1:60] <- labels[1:60] %% classes + 1
    list(prob = prob / rowSums(prob), labels = paste0("c", labels))
  })
  fit <- second_stage(d$prob, d$labels, epsilon = "learn", hyper = "optimum")
  expect_lt(abs(sum(row_flipped(fit)) - 60), 12)
  expect_null(noticed(fit))
})

test_that("scores that say nothing are no sign of wrong labels", {
  for (seed in 1:3) {
    set.seed(seed)
    labels <- factor(stats::runif(100) < 0.35)
    d <- list(prob = stats::plogis(stats::rnorm(100, -0.6, 0.4)), labels = labels)
    fit <- averaged_stage(d)
    nodes <- fit$nodes$table
    expect_gt(sum(nodes$weight[!is.na(nodes$constant)]), 0.2) # the scores are left out there
    test <- noise_test(fit)
    expect_lt(abs(log(test$bayes_factor)), log(3))
    expect_true(all(is.finite(test$noticed$probability)))
    expect_lt(max(test$noticed$probability), 0.5) # nothing could be noticed
  }
})

test_that("a single column that names its class has the probabilities of that class", {
  d <- toy_scores(2, 60)
  plain <- function(...) second_stage(..., epsilon = 0.1, hyper = "optimum")
  expected <- plain(d$prob, d$labels)
  first <- d$prob[, 1]
  for (one in list(data.frame(a = first), cbind(.pred_a = first), data.frame(b = 1 - first),
                   data.frame(score = 1 - first), 1 - first)) {
    fit <- plain(one, d$labels)
    expect_equal(fit$ep$seen, expected$ep$seen)
    expect_equal(predict(fit, one, type = "prob"), predict(fit, d$prob, type = "prob"))
  }
})

test_that("what stands for a score of 0 is below the others of its row, which stay", {
  d <- toy_scores(2, 60)
  prob <- pmin(pmax(d$prob[, 2], 0.1), 0.9)
  fit <- second_stage(prob, d$labels, epsilon = 0.1, hyper = "optimum")
  at <- coef(fit)
  says <- function(p) stats::plogis(log(at[["weight.b"]]) + at[["slope"]] * stats::qlogis(p))
  new <- c(0.001, 0.2, 0.999, 1e-9)
  expect_equal(unname(predict(fit, new, type = "prob")[, 2]), says(new))
  expect_equal(unname(predict(fit, 0, type = "prob")[, 2]), says(0.01 / 1.01))
  # as it is among the rows of the fit
  expect_equal(score_rows(rbind(c(0, 0.2, 0.8), c(0, 1e-6, 1)), 0.01, "prob", NULL)[, 1],
               c(0.01 / 1.01, 5e-7 / (1 + 1.5e-6)))
})

test_that("rows that are absorbed change the number where classes hardly overlap, too", {
  d <- toy_scores(2, 80)
  old <- 1:60
  fit <- averaged_stage(list(prob = d$prob[old, ], labels = d$labels[old]))
  more <- absorb(fit, d$prob[-old, 2], as.character(d$labels[-old]))
  anew <- averaged_stage(d)
  expect_equal(more$recalibration$apart, anew$recalibration$apart)
  expect_equal(more$data$X, absorb(fit, d$prob[-old, ], d$labels[-old])$data$X)
})

test_that("that scores say nothing is a possibility for several classes, too", {
  labels <- rep(1:3, c(25, 10, 5))
  scores <- withr::with_seed(1, matrix(stats::rexp(120), 40))
  colnames(scores) <- c("a", "b", "c")
  scores <- scores / rowSums(scores)
  fit <- second_stage(
    scores, factor(c("a", "b", "c"))[labels], epsilon = 0.1, hyper = "integrate"
  )
  constant <- at_constant(fit$nodes$table)
  expect_gt(sum(fit$nodes$table$weight[constant]), 0.8)
  # the same in all rows, and b of a node has it
  p <- at_k(truth_new(fit, fit$data$X, used = list(node = which(constant)[2], weight = 1))$p, 1)
  expect_equal(p, matrix(p[1, ], 40, 3, byrow = TRUE))
  expect_equal(p[1, ], exp(fit$nodes$seen[1, , which(constant)[2]]), tolerance = 1e-6)
  expect_equal(p[1, -1] / p[1, 1], unname(fit$nodes$hyper[[which(constant)[2]]]$weight))
  # posterior of the possibility by draws: shares, and weights and slopes, from their priors
  L <- 0.05 + 0.85 * diag(3)[labels, ]
  draws <- withr::with_seed(2, list(
    size = exp(stats::rnorm(20000, -log(0.3), 2)), z = matrix(stats::rnorm(60000), 3),
    slope = exp(0.7 * stats::rnorm(20000)), u = matrix(stats::runif(60000), 3)
  ))
  share <- stats::qgamma(draws$u, rep(draws$size, each = 3))
  share <- t(share) / colSums(share)
  share <- share[is.finite(share[, 1]), ]
  null <- rowSums(log(share %*% t(L)))
  weights <- exp(rbind(0, (draws$z[2:3, ] + draws$z[c(1, 1), ]) / sqrt(2)))
  telling <- vapply(1:20000, function(k) {
    q <- scores^draws$slope[k] * rep(weights[, k], each = 40)
    sum(log(rowSums(q * L) / rowSums(q)))
  }, 0)
  mean_exp <- function(x) mean(exp(x - max(null)))
  expect_equal(
    sum(fit$nodes$table$weight[constant]),
    mean_exp(null) / (mean_exp(null) + mean_exp(telling)), tolerance = 0.03
  )
})

test_that("scores of the event in an array of one dimension are taken, and other shapes refused", {
  d <- toy_scores(2, 40)
  fit <- second_stage(d$prob, d$labels, epsilon = 0.1, hyper = "optimum")
  event <- c(0.2, 0.9)
  expect_equal(
    predict(fit, array(event, 2), type = "prob"), predict(fit, event, type = "prob")
  )
  expect_error(predict(fit, table(c("a", "b", "b"))), class = "sturdy_error")
  expect_error(predict(fit, array(0.5, c(2, 2, 2))), class = "sturdy_error")
  expect_error(absorb(fit, table(c("a", "b", "b")), y = d$labels[1:2]), class = "sturdy_error")
})

test_that("labels without a column, or none at all, are no labels", {
  prob <- (1:16) / 17
  for (labels in list(matrix(0, 16, 0), character(), NULL)) {
    expect_error(mislabelled(prob, labels), "labels", class = "sturdy_error")
  }
})

test_that("scores of the other class are asked about", {
  d <- toy_scores(2, 100)
  turned <- expect_message(
    second_stage(1 - d$prob[, 2], d$labels), "are lower where it is recorded",
    class = "sturdy_message_reversed_scores"
  )
  expect_lt(turned$area, 0.2)
  expect_no_message(second_stage(d$prob[, 2], d$labels))
  expect_no_message(second_stage(d$prob, d$labels))
})

test_that("who asks with the wrong thing is told what to give", {
  d <- toy_scores(2, 40)
  fit <- second_stage(d$prob, d$labels)
  page <- withr::local_tempfile(fileext = ".html")
  expect_error(label_report(mislabelled(fit), page), "second_stage", class = "sturdy_error_type")
  expect_error(label_report(fit), "report.html", class = "sturdy_error_missing_argument")
  expect_error(label_report(fit, page, id = "case"), "a column of `data`", class = "sturdy_error_id")
  expect_error(mislabelled(d$labels, d$prob), "or probabilities", class = "sturdy_error_type")
  expect_error(
    predict(fit, data.frame(x = "1")), "a column for each class", class = "sturdy_error_missing_column"
  )
  found <- data.frame(case = 1, label = "a")
  expect_error(update(fit, checked = found), "To go by identifiers", class = "sturdy_error_checked")
})

test_that("a fit of ours is taken by its leave-one-out probabilities of true classes", {
  fit <- toy_fit(epsilon = 0.1)
  stage <- second_stage(fit, epsilon = 0.1, hyper = "optimum")
  said <- augment(fit)
  p <- (ifelse(said$class == "yes", said$.loo, 1 - said$.loo) - 0.1) / (1 - 2 * 0.1)
  plain <- second_stage(p, said$class, epsilon = 0.1, hyper = "optimum")
  expect_equal(stage$ep$seen, plain$ep$seen, tolerance = 1e-6)
  expect_identical(stage$data$row_names, as.character(fit$data$row_names))
  three <- gpc(Species ~ ., iris[c(1:15, 51:65, 101:115), ], kernel = held(2), epsilon = 0.05)
  several <- second_stage(three, epsilon = 0.1, hyper = "optimum")
  expect_identical(several$blueprint$levels, levels(iris$Species))
  scores <- several$data$X[cbind(1:45, rep(1:3, each = 15))]
  recorded <- scores * 0.95 + (1 - scores) * 0.05 / 2
  expect_equal(log(recorded), unname(loo(three)$pointwise[, "elpd_loo"]), tolerance = 1e-6)
  filtered <- bpm(class ~ a, toy(), inference = "adf")
  expect_error(second_stage(filtered), class = "sturdy_error_no_sites")
})

test_that("weights are as many rows alike, whoever gives them", {
  d <- toy_scores(2, 40)
  d$labels[1:6] <- rev(levels(d$labels))[as.integer(d$labels[1:6])]
  times <- rep_len(c(1, 3), 40)
  again <- rep(1:40, times)
  weighted <- second_stage(d$prob, d$labels, weights = times, hyper = "integrate")
  all <- second_stage(d$prob[again, ], d$labels[again], hyper = "integrate")
  expect_equal(log_evidence(weighted), log_evidence(all), tolerance = 1e-6)
  expect_equal(
    noise_test(weighted)$bayes_factor, noise_test(all)$bayes_factor, tolerance = 0.02
  )
  expect_equal(weights(weighted), times)
  expected <- function(fit) attr(mislabelled(fit), "expected")$count
  expect_equal(expected(weighted), expected(all), tolerance = 0.01)
  held <- noise_prior(overlap = 0.1)
  expect_equal(
    second_stage(d$prob, d$labels, weights = times, noise = held)$recalibration$slope,
    second_stage(d$prob[again, ], d$labels[again], noise = held)$recalibration$slope
  )
  # those of a fit of ours are its own
  fit <- bpm(class ~ a + b, toy(), weights = rep(1:2, 20), epsilon = 0.1)
  expect_equal(weights(second_stage(fit, hyper = "optimum")), rep(1:2, 20))
  expect_error(second_stage(d$prob, d$labels, weights = 1:3), class = "sturdy_error_weights")
})

test_that("scores none of which contradicts its label are asked about", {
  set.seed(1)
  y <- factor(rep(c("a", "b"), 30))
  p <- ifelse(y == "b", 0.8, 0.2) + runif(60, -0.1, 0.1)
  expect_message(second_stage(p, y), class = "sturdy_message_scores_agree")
  few <- 1:40
  expect_no_message(second_stage(p[few], y[few]), class = "sturdy_message_scores_agree")
  p[1] <- 0.9
  expect_no_message(second_stage(p, y), class = "sturdy_message_scores_agree")
})

test_that("percentages and log odds are told apart", {
  d <- toy_scores(2, 40)
  for (prob in list(100 * d$prob, 100 * d$prob[, 2])) {
    expect_error(second_stage(prob, d$labels), "prob / 100", class = "sturdy_error_prob")
  }
  odds <- tryCatch(second_stage(qlogis(d$prob[, 2]), d$labels), error = conditionMessage)
  expect_match(odds, "plogis")
  expect_no_match(odds, "100")
})
