# Labels of rows that a fit has not seen.

test_that("a row that was left out is told by its cavity, the prediction", {
  d <- toy(40)
  kernel <- kernel_iso(1.2, variance = 2, bias = 0.5, nugget = 0.1, fixed = TRUE)
  rest <- gpc(class ~ ., d[-7, ], kernel = kernel, epsilon = 0.1, control = ep_control(tol = 1e-12))
  found <- mislabelled(rest, newdata = d[7, ])
  # the same row in the table, of which nothing is reported: its cavity is all that is known
  all <- gpc(class ~ ., d, kernel = kernel, epsilon = 0.1, scale = FALSE)
  X <- forge(rest$blueprint, d)$X
  labels <- list(
    y = label_code(all$data), reports = label_reports(label_code(all$data), 2)
  )
  latent <- latent_kernel(X, model_columns(rest), labels, kernel)
  L <- label_likelihood(labels$y, as_omega(0.1, 2))
  L[7, ] <- 1
  out <- latent_ep(latent, kernel_hyper(rest$kernel), Inf, L, NULL, ep_control(tol = 1e-12))
  own <- label_likelihood(labels$y[7], as_omega(0.1, 2))
  joint <- own * exp(out$seen[7, ])
  expect_equal(found$probability, 1 - (joint / sum(joint))[labels$y[7]], tolerance = 1e-8)
  expect_equal(found$loo, sum(joint), tolerance = 1e-8)
})

# Of each point of a label stage: the joint probabilities of true classes and labels of new rows, in
# plain R, from their scores: of a fit what it predicts by itself, of two classes the true one
ref_joint <- function(fit, newdata, code, group = 1) {
  stage <- judged_by(fit)
  P <- newdata
  if (!inherits(fit, "second_stage")) {
    P <- predict(first_stage(fit), newdata, type = "prob", noise = identical(stage$recalibration$kind, "recorded"))
  }
  Map(function(at, omega) {
    pi <- kept_seen(unname(P), list(at))[, , 1]
    t(vapply(seq_along(code), function(i) {
      pi[i, ] * omega[rep_len(group, length(code))[i], , code[i]]
    }, pi[1, ]))
  }, kept_points(stage), stage$nodes$omega)
}

ref_wrong <- function(joint, code) {
  1 - (joint / rowSums(joint))[cbind(seq_along(code), code)]
}

# Mean and ends of a mixture of sums of independent trials, one convolution a row
ref_count <- function(joint, weight, code, share = 1) {
  lik <- vapply(joint, function(j) sum(log(rowSums(j))), 0)
  weight <- weight * exp(share * (lik - max(lik)))
  density <- Reduce(`+`, Map(function(j, w) {
    p <- ref_wrong(j, code)
    w * Reduce(function(d, q) c(d * (1 - q), 0) + c(0, d * q), p, 1)
  }, joint, weight / sum(weight)))
  number <- seq_along(density) - 1
  list(
    count = sum(number * density), lower = sum(cumsum(density) < 0.05),
    upper = sum(cumsum(density) < 0.95)
  )
}

test_that("labels of further rows are weighed by Bayes' rule over all nodes", {
  local_fewer_points()
  d <- toy_scores(3, 150)
  old <- 1:120
  fit <- averaged_stage(list(prob = d$prob[old, ], labels = d$labels[old]))
  new <- d$prob[-old, ]
  found <- mislabelled(fit, newdata = new, labels = d$labels[-old])
  code <- as.integer(d$labels[-old])
  joint <- ref_joint(fit, new, code)
  weight <- fit$nodes$table$weight
  total <- Reduce(`+`, Map(`*`, joint, weight))
  by_row <- order(found$row)
  expect_equal(found$probability[by_row], ref_wrong(total, code), tolerance = 1e-10)
  expect_equal(found$loo[by_row], rowSums(total), tolerance = 1e-10)
  some <- fit$nodes$table$model != "none"
  total <- Reduce(`+`, Map(`*`, joint[some], weight[some]))
  expect_equal(found$if_some[by_row], ref_wrong(total, code), tolerance = 1e-10)
  expect_setequal(found$row, 1:30)
  # a row is told by itself
  one <- mislabelled(fit, newdata = new[7, , drop = FALSE], labels = d$labels[-old][7])
  expect_equal(one$probability, found$probability[by_row][7], tolerance = 1e-12)
  # the number by all labels together
  said <- attr(found, "expected")
  expect_equal(said[1:3], ref_count(joint, weight, code), tolerance = 1e-8)
  expect_equal(said$at_fit, sum(found$probability), tolerance = 1e-12)
  expect_identical(said$epsilon, "uncertain")
  alone <- mislabelled(fit, newdata = new, labels = d$labels[-old], level = NULL)
  expect_equal(attr(alone, "expected")$count, said$count, tolerance = 1e-8)
  expect_output(print(found), "30 labels")
  # whether they are looked at together or a few at a time
  rows <- labelled_rows(fit, new, d$labels[-old], NULL)
  expect_equal(
    said_of_new(fit, rows$X, rows$data, 0.9, block = 7 * 3 * length(weight)),
    said_of_new(fit, rows$X, rows$data, 0.9), tolerance = 1e-12
  )
  few <- mislabelled(fit, newdata = new, labels = d$labels[-old], fdr = 0.2)
  expect_lte(max(0, few$fdr), 0.2)
  expect_error(
    mislabelled(fit, newdata = new), "`labels` must be given",
    class = "sturdy_error_missing_argument"
  )
  expect_error(mislabelled(fit, labels = d$labels), class = "sturdy_error_unknown_argument")
  expect_error(
    mislabelled(fit, newdata = new, labels = d$labels[-old], rates = code),
    class = "sturdy_error_unknown_argument"
  )
})

test_that("new rows are told by the label stage at all its points; many count as those of the fit", {
  local_fewer_points()
  d <- toy(260)
  d$three <- cut(d$a + d$b, c(-Inf, -0.7, 0.7, Inf), labels = c("low", "mid", "high"))
  for (case in list(c("class", "average"), c("three", "average"), c("three", "matrix"))) {
    label <- case[1]
    some <- setNames(d[c("a", "b", label)], c("a", "b", "y"))
    flipped <- seq(5, 260, by = 12)
    some$y[flipped] <- rev(levels(some$y))[some$y[flipped]]
    fit <- gpc(
      y ~ ., some[1:110, ], kernel = held(), epsilon = case[2],
      hyper = if (case[2] == "average") "integrate" else "optimum", control = ep_control(progress = FALSE)
    )
    weight <- fit$label_stage$nodes$table$weight
    expect_lt(length(fit$label_stage$nodes$few$node), length(weight))
    new <- some[111:260, ]
    found <- mislabelled(fit, newdata = new)
    code <- as.integer(new$y)
    joint <- ref_joint(fit, new, code)
    total <- Reduce(`+`, Map(`*`, joint, weight))
    by_row <- order(found$row)
    expect_equal(found$probability[by_row], ref_wrong(total, code), tolerance = 1e-8)
    expect_equal(found$loo[by_row], rowSums(total), tolerance = 1e-8)
    expect_null(found$unusual)
    said <- attr(found, "expected")
    counted <- ref_count(joint, weight, code, 110 / 150)
    expect_equal(said$count, counted$count, tolerance = 1e-6)
    # the interval is wider: these rows are wrong together
    expect_lte(said$lower, counted$lower)
    expect_gte(said$upper, counted$upper)
  }
})

test_that("new rows are wrong together as far as the latent function is not known", {
  set.seed(4)
  d <- data.frame(x = rnorm(150), z = rnorm(150))
  d$class <- xor(d$x + rnorm(150) > 0, runif(150) < 0.1)
  fit <- bpm(class ~ ., d[1:60, ], epsilon = 0.1)
  new <- labelled_rows(fit, d[-(1:60), ], NULL, NULL)
  # by draws of the weights, one after the other
  Xt <- bpm_design(new$X, fit$prior)
  root <- t(chol(matrix(fit$weights$C, nrow(Xt))))
  positive <- new$data$y > 0
  drawn <- replicate(4000, {
    w <- fit$weights$mean + drop(root %*% rnorm(nrow(Xt)))
    p <- pnorm(drop(w %*% Xt) / sqrt(fit$prior$nugget))
    own <- ifelse(positive, p, 1 - p)
    mean(0.1 * (1 - own) / (0.1 * (1 - own) + 0.9 * own))
  })
  found <- shared_sd(fit, new$X, new$data)
  expect_lt(abs(log(found / sd(drawn))), 0.2) # 200 draws: .05
  # of several classes, and of scores, whose rows share no latent function
  classes <- gpc(class ~ x, transform(d, class = cut(x, 3)), inducing = 10)
  rows <- labelled_rows(classes, transform(d, class = cut(x, 3)), NULL, NULL)
  expect_gt(shared_sd(classes, rows$X, rows$data), 0)
  scores <- toy_scores(2, 50)
  stage <- second_stage(scores$prob, scores$labels)
  expect_equal(shared_sd(stage, scores$prob, stage$data), 0)
})

test_that("a normal error widens the distribution of a number and leaves it within its bounds", {
  density <- dbinom(0:200, 200, 0.4)
  wide <- blurred_density(density, 9, 200)
  number <- seq_along(wide) - 1
  expect_equal(sum(wide), 1, tolerance = 1e-10)
  expect_equal(sum(number * wide), 80, tolerance = 1e-8)
  expect_equal(sum((number - 80)^2 * wide), 48 + 81 + 1 / 12, tolerance = 1e-6)
  expect_identical(blurred_density(density, 0, 200), density)
  at_end <- blurred_density(c(1, 0, 0), 3, 2)
  expect_equal(at_end, c(pnorm(0.5 / 3), diff(pnorm(c(0.5, 1.5) / 3)), 1 - pnorm(0.5)),
    tolerance = 1e-6)
})

extended_test("the interval for new rows covers their number of wrong labels", {
  inside <- vapply(1:24, function(s) {
    set.seed(62900 + s)
    draw <- function(n) {
      X <- matrix(rnorm(3 * n), n)
      true <- 2 * X[, 1] + 1.5 * sin(2 * X[, 2]) + rnorm(n) / 2 > 0
      wrong <- runif(n) < 0.1
      list(d = data.frame(X, class = xor(true, wrong)), wrong = sum(wrong))
    }
    train <- draw(c(250, 600)[1 + s %% 2])
    new <- draw(10000)
    fit <- suppressMessages(gpc(class ~ ., train$d, hyper = "integrate"))
    said <- attr(mislabelled(fit, newdata = new$d), "expected")
    new$wrong >= said$lower && new$wrong <= said$upper
  }, NA)
  # of 24 at .9 fewer than 18 have a probability of .02
  expect_gte(sum(inside), 18)
})

test_that("a rate learned at one point is as uncertain for new rows as for those of the fit", {
  d <- toy(100)
  kernel <- kernel_iso(1.2, fixed = TRUE)
  fit <- gpc(class ~ ., d[1:60, ], kernel = kernel, epsilon = "learn", hyper = "optimum")
  new <- d[61:100, ]
  said <- attr(mislabelled(fit, newdata = new), "expected")
  expect_identical(said$epsilon, "uncertain")
  code <- as.integer(factor(new$class))
  joint <- ref_joint(fit, new, code)
  weight <- fit$label_stage$nodes$table$weight
  expect_gt(length(weight), 10)
  expect_equal(said$count, ref_count(joint, weight, code)$count, tolerance = 1e-6)
})

test_that("groups of new rows have the rates of these groups", {
  local_fewer_points()
  n <- 90
  d <- withr::with_seed(4, data.frame(x = stats::rnorm(n), site = rep(c("A", "B"), n / 2)))
  d$y <- d$x > 0
  wrong <- which(d$site == "B")[seq(1, n / 2, 3)]
  d$y[wrong] <- !d$y[wrong]
  kernel <- kernel_iso(1, nugget = 0.05, fixed = TRUE)
  fit <- gpc(y ~ x, d, rates = ~ site, kernel = kernel)
  new <- data.frame(x = c(0.8, 0.8, -0.3), y = c(FALSE, FALSE, TRUE), site = c("A", "B", "B"))
  found <- mislabelled(fit, newdata = new)
  code <- c(1, 1, 2)
  joint <- ref_joint(fit, new, code, group = c(1, 2, 2))
  total <- Reduce(`+`, Map(`*`, joint, fit$label_stage$nodes$table$weight))
  expect_equal(found$probability[order(found$row)], ref_wrong(total, code), tolerance = 1e-10)
  alike <- function(...) mislabelled(fit, newdata = new[c("x", "y")], ...)$probability
  expect_identical(alike(rates = new$site), found$probability)
  expect_error(alike(), class = "sturdy_error_missing_column")
  expect_error(alike(rates = c("A", "B", "C")), "\"C\"", class = "sturdy_error_rates")
  # groups that were no column must be given, and so must those of changed ones
  by_vector <- gpc(matrix(d$x), d$y, rates = d$site, kernel = kernel, epsilon = 0.1)
  ask <- function(...) mislabelled(by_vector, newdata = matrix(0.8), labels = FALSE, ...)
  expect_error(ask(), "rates", class = "sturdy_error_missing_argument")
  expect_s3_class(ask(rates = "A"), "sturdy_mislabelled")
  regrouped <- update(fit, rates = rev(d$site), epsilon = 0.1)
  expect_error(mislabelled(regrouped, newdata = new), class = "sturdy_error_missing_argument")
})

test_that("new rows are called wrong by the verdict of the fit, or as if some were wrong", {
  d <- toy_scores(2, 60, strength = 1.5)
  fit <- averaged_stage(d)
  new <- toy_scores(2, 40, seed = 5)
  ask <- function(...) mislabelled(fit, newdata = new$prob, labels = new$labels, ...)
  expect_lt(noise_test(fit)$bayes_factor, 3)
  expect_message(
    called <- ask(fdr = 0.6), "given = \"some\"", class = "sturdy_message_open_verdict"
  )
  expect_identical(nrow(called), 0L)
  expect_output(print(called), "no clear sign")
  all <- ask(given = "some")
  expect_equal(all$fdr, cumsum(1 - all$if_some) / all$rank)
  called <- suppressMessages(ask(fdr = 0.6, given = "some"))
  expect_identical(nrow(called), sum(all$fdr <= 0.6))
  expect_gt(nrow(called), 0)
  none <- second_stage(d$prob, d$labels, epsilon = 0, hyper = "optimum")
  expect_message(
    mislabelled(none, newdata = new$prob, labels = new$labels),
    class = "sturdy_message_no_label_noise"
  )
})

test_that("labels that a fit holds for impossible have probabilities all the same", {
  d <- toy_scores(2, 40, wrong = 0)
  d$prob[1:2, ] <- rbind(c(1e-200, 1), c(1, 1e-200))
  d$labels[1:2] <- c("b", "a")
  # where no row is unusual either
  fit <- second_stage(
    d$prob, d$labels, epsilon = 0, hyper = "optimum", noise = noise_prior(unusual = 0)
  )
  new <- rbind(c(a = 1e-200, b = 1), c(0.5, 0.5))
  found <- suppressMessages(mislabelled(fit, newdata = new, labels = c("a", "b")))
  expect_identical(found$probability, c(0, 0))
  expect_lt(found$loo[1], 1e-200)
  # also where points without wrong labels are averaged over
  d <- toy_scores(2, 60)
  held <- averaged_stage(d, noise = noise_prior(overlap = 0.01))
  new <- rbind(c(a = 1e-300, b = 1), c(1, 1e-300))
  found <- mislabelled(held, newdata = new, labels = c("a", "b"))
  expect_true(all(is.finite(unlist(found[c("probability", "loo", "if_some", "fdr")]))))
  expect_true(all(found$probability > 0.99))
  far <- bpm(matrix(c(-2:-1, 1:2)), c(0, 0, 1, 1), epsilon = 0, nugget = 1e-3, prior_scale = 100)
  for (x in c(1e6, 1e300)) {
    found <- suppressMessages(mislabelled(far, newdata = matrix(c(-x, x)), labels = c(1, 0)))
    expect_identical(found$probability, c(0, 0))
    expect_true(all(is.finite(found$loo_wrong)))
  }
})

test_that("a vector of the event is taken for further rows as well", {
  d <- toy_scores(2, 100)
  fit <- second_stage(d$prob[1:80, 2], d$labels[1:80], epsilon = 0.1, hyper = "optimum")
  one <- mislabelled(fit, newdata = d$prob[81:100, 2], labels = d$labels[81:100])
  two <- mislabelled(fit, newdata = d$prob[81:100, ], labels = d$labels[81:100])
  expect_equal(one$probability, two$probability)
})

test_that("numbers that are all 1 are not guessed to be the event", {
  for (prob in list(0.9, c(0.9, 0.2), cbind(0.1, 0.9))) {
    one <- rep(1, NROW(prob))
    expect_error(
      mislabelled(prob, one, epsilon = 0.1), "All [0-9]+ (is|are) 1",
      class = "sturdy_error_outcome_levels"
    )
    expect_error(mislabelled(prob, as.integer(one)), class = "sturdy_error_outcome_levels")
  }
  p <- c(0.9, 0.2, 0.8)
  first <- mislabelled(p, factor(c(1, 1, 1), levels = 1:2), epsilon = 0.1)
  second <- mislabelled(p, factor(c(1, 1, 1), levels = 0:1), epsilon = 0.1)
  expect_equal(first$row[1], 1) # .9 is the probability of 2
  expect_equal(second$row[1], 2)
  named <- cbind(`1` = 1 - p, `2` = p)
  expect_equal(mislabelled(named, c(1, 1, 1), epsilon = 0.1)$probability, first$probability)
  # the coding of a fit is known by name
  fit <- second_stage(c(0.1, 0.3, 0.8, 0.9), c(1, 1, 2, 2), epsilon = 0.1)
  expect_identical(as.character(mislabelled(fit, newdata = 0.9, labels = 1)$label), "1")
  expect_gt(mislabelled(fit, newdata = 0.9, labels = 1)$probability, 0.4)
})

test_that("no new rows have no wrong labels", {
  fit <- gpc(class ~ ., toy(), kernel = kernel_iso(1.2, fixed = TRUE), epsilon = 0.1)
  none <- mislabelled(fit, newdata = toy()[0, ])
  expect_identical(nrow(none), 0L)
  expect_identical(attr(none, "expected")$count, 0)
})
