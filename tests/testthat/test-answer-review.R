quiet <- ep_control(progress = FALSE)

known_case <- function(n = 80) {
  withr::with_seed(4, {
    d <- data.frame(a = rnorm(n), b = rnorm(n), site = factor(rep(c("u", "v"), n / 2)))
    d$truth <- factor(ifelse(d$a + d$b > 0, "yes", "no"))
    flip <- runif(n) < ifelse(d$site == "v", 0.3, 0)
    d$class <- factor(ifelse(xor(d$truth == "yes", flip), "yes", "no"))
    d$known <- seq_len(n) <= 10
    d$class[d$known] <- d$truth[d$known]
    d
  })
}

fit_known <- function(..., epsilon = "average", kernel = kernel_iso(1.5, nugget = 0.05, fixed = TRUE)) {
  gpc(class ~ a + b, known_case(), kernel = kernel, epsilon = epsilon, hyper = "integrate",
      control = quiet, ...)
}

fit_averaged <- made_once(function() {
  local_fewer_points()
  fit_known()
})

checked_update <- function(...) suppressMessages(update(...))

test_that("the labels of trusted rows are taken for right", {
  local_fewer_points()
  fit <- fit_known(trusted = known)
  found <- mislabelled(fit)
  expect_equal(found$probability[found$row <= 10], numeric(10))
  expect_equal(flip_rates(fit)$rows, c(70, 70))
  # by position, from x and y, and after the fact
  d <- known_case()
  expect_equal(fit_known(trusted = 1:10)$nodes, fit$nodes)
  by_xy <- gpc(
    d[c("a", "b")], d$class, kernel = fit$spec$kernel, epsilon = "average",
    hyper = "integrate", trusted = d$known, control = quiet
  )
  expect_equal(by_xy$nodes, fit$nodes)
  expect_equal(update(fit_averaged(), trusted = 1:10)$nodes, fit$nodes)
  # at a given rate: EP with that rate in the other rows alone
  held <- fit_known(trusted = known, epsilon = 0.2)
  y <- held$data$y
  L <- likely(y, 0.2)
  L[1:10, ] <- likely(y[1:10], 0)
  out <- latent_ep(model_latent(held), model_hyper(held), Inf, L, NULL, with_second(quiet))
  expect_equal(held$ep$log_evidence, out$log_evidence, tolerance = 1e-6)
  flipped <- wrong_share(truth_posterior(L, out$seen), label_code(held$data))
  expect_equal(row_flipped(held), flipped, tolerance = 1e-3) # EP ends at 1e-4 there
})

test_that("with rates in each row EP is that of a product of groups with their rates", {
  # one row each: exact, by enumeration over signs of two equicorrelated normals
  K <- matrix(c(1, 0.5, 0.5, 1), 2)
  same <- 1 / 4 + asin(0.5) / (2 * pi)
  rates <- cbind(c(0.1, 0.2), c(0, 0.3)) # (neg, pos) of both rows; labels +, -
  wrong <- c(rates[1, 1], rates[2, 2])
  right <- c(1 - rates[2, 1], 1 - rates[1, 2])
  exact <- log(
    same * (right[1] * wrong[2] + wrong[1] * right[2]) +
      (1 / 2 - same) * (right[1] * right[2] + wrong[1] * wrong[2])
  )
  L <- rbind(c(wrong[1], right[1]), c(right[2], wrong[2]))
  latent <- latent_weight(t(chol(K)) |> t(), plain_labels(c(1, -1)), list(
    scale = c(1, 1), group = 1:2, free = c(FALSE, FALSE), prior = NULL, nugget = 0,
    free_nugget = FALSE
  ))
  out <- latent_ep(latent, list(prior_scale = numeric(), nugget = 0), Inf, L, NULL, quiet)
  expect_lt(abs(out$log_evidence - exact), 0.005)
})

test_that("each group has its rate", {
  local_fewer_points()
  fit <- fit_known(rates = ~site)
  rates <- flip_rates(fit)
  expect_equal(rates$group, c("u", "u", "v", "v"))
  expect_true(all(rates$rate[3:4] > 3 * rates$rate[1:2]))
  expect_true(all(rates$lower < rates$rate & rates$rate < rates$upper))
  both <- fit_known(rates = ~site, trusted = known)
  expect_equal(flip_rates(both)$rows, c(35, 35, 35, 35))
  models <- noise_test(both)$models
  expect_gt(diff(models$log_evidence[match(c("none", "one"), models$model)]), 0)
})

test_that("groups are what the formula computes", {
  d <- data.frame(
    site = c("u", " U", "v", "v"), clinic = c(1, 1, 2, 3), hour = c(8, 13, 14, 9), a = 1:4
  )
  groups <- function(rates) {
    as.character(eval_known(rates, d, globalenv(), "rates"))
  }
  expect_identical(groups(~ toupper(trimws(site))), c("U", "U", "V", "V"))
  expect_identical(groups(~ I(hour > 12)), c("FALSE", "TRUE", "TRUE", "FALSE"))
  expect_identical(groups(~ cut(a, 2)), as.character(cut(1:4, 2)))
  expect_identical(groups(~ clinic + site), c("1, u", "1,  U", "2, v", "3, v"))
  own <- function(v) v > 1 # known only where the formula is written
  expect_identical(groups(~ own(clinic)), c("FALSE", "FALSE", "TRUE", "TRUE"))
  expect_identical(eval_known(~1, d, globalenv(), "rates"), NULL)
  for (bad in list(~., ~nowhere, ~c, ~ poly(a, 2), ~ clinic + a[1:2])) {
    expect_error(groups(bad), class = "sturdy_error_rates")
  }
  fit <- fit_known(rates = ~ toupper(site), epsilon = 0.1)
  expect_identical(fit$data$reports$sources, c("U", "V"))
})

test_that("a validation study decides the rates where the data are few", {
  prior <- noise_prior(sensitivity = c(950, 50), specificity = c(800, 200))
  fit <- fit_known(noise = prior)
  expect_equal(fit$nodes$models$model, "two")
  expect_lt(max(abs(flip_rates(fit)$rate - c(0.2, 0.05))), 0.01)
})

test_that("a part of a list says nothing of the rest", {
  fit <- toy_fit(epsilon = 0.1)
  list <- review(fit, 4)
  expect_output(print(list), "4 rows to check")
  for (part in list(list[1:2, ], head(list, 3), rbind(list, list), list["row"])) {
    expect_output(print(part), "^ +row")
  }
  found <- suppressMessages(mislabelled(fit, fdr = 0.9))
  expect_output(print(found), "Called wrong")
  expect_gt(nrow(found), 2)
  expect_output(print(found[1:2, ]), "How many\\?[^C]*\n +row")
  expect_message(review(toy_fit(epsilon = 0)), class = "sturdy_message_no_label_noise")
})

test_that("a rate learned at one point is integrated over by all that count wrong labels", {
  local_many_points()
  fit <- gpc(class ~ a + b, toy(), kernel = held(), epsilon = "learn", hyper = "optimum",
             control = quiet)
  # the label stage with that rate, its weights and slopes, integrated in plain R
  plain <- plain_own_stage(fit, draws = 6000)
  first <- review(fit, 1)
  left <- attr(first, "left")
  expect_lt(abs(left$count - sum(plain$wrong[-first$row])), 0.1)
  found <- cumsum(wrong_density(judged_by(fit), -first$row))
  below <- cumsum(plain$number(seq_len(40)[-first$row]))
  expect_lt(max(abs(found - below[seq_along(found)])), 0.03)
  expect_equal(attr(first, "none_left"), found[1])
  # the same number, whoever is asked
  count <- attr(mislabelled(fit), "expected")
  expect_equal(left$count + first$probability, count$count, tolerance = 1e-6)
  counts <- matrix_counts(judged_by(fit))
  expect_equal(sum(counts) - sum(diag(counts)), count$count)
  expect_equal(unname(confusion(fit)$true), unname(unclass(counts)[, ]), ignore_attr = TRUE)
})

test_that("a review lists the most suspicious labels, and what remains", {
  local_fewer_points()
  fit <- fit_averaged()
  first <- review(fit, 5)
  found <- mislabelled(fit)
  expect_equal(first$row, found$row[1:5])
  expect_equal(first$found[5], sum(found$probability[1:5]))
  left <- attr(first, "left")
  expect_equal(left$count, sum(found$probability[-(1:5)]), tolerance = 1e-6)
  d <- known_case()
  after <- suppressMessages(
    update(fit, checked = data.frame(row = first$row, label = d$truth[first$row]))
  )
  expect_equal(mislabelled(after)$probability[match(first$row, mislabelled(after)$row)], numeric(5))
  expect_equal(after$data$y[first$row] > 0, d$truth[first$row] == "yes")
  expect_false(any(review(after, 5)$row %in% first$row))
  expect_equal(attr(review(after, 100), "none_left"), 1)
  expect_error(update(fit, checked = data.frame(row = 1)), class = "sturdy_error_checked")
  expect_error(
    update(fit, checked = data.frame(row = 1, label = "maybe")), class = "sturdy_error_checked"
  )
  expect_error(
    update(fit, data = d, checked = data.frame(row = 1, label = "no")),
    class = "sturdy_error_checked"
  )
})

test_that("what a check finds tells of the rates", {
  local_fewer_points()
  fit <- fit_known(epsilon = "learn")
  d <- known_case()
  at <- review(fit, 10)$row
  after <- checked_update(fit, checked = data.frame(row = at, label = d$truth[at]))
  before <- recorded_before(after$data$reports)
  expect_setequal(before$row, at)
  expect_equal(before$value == 2, d$class[before$row] == "yes")
  wrong <- sum(d$class[at] != d$truth[at])
  expect_gt(wrong, 5)
  # on a grid of rates: EP without them, times the binomial probability of what was found
  e <- seq(0.005, 0.495, by = 0.01)
  latent <- model_latent(after)
  sure <- function(fit, epsilon) { # known labels are right, and say nothing of the rates
    L <- likely(fit$data$y, epsilon)
    known <- report_known(fit$data$reports)
    replace(L, cbind(known, known), likely(fit$data$y, 0)[cbind(known, known)])
  }
  log_f <- vapply(e, function(e) {
    corrected_evidence(
      latent_ep(latent, model_hyper(after), Inf, sure(after, e), NULL, with_second(quiet))
    )
  }, 0) + dbinom(wrong, 10, e, log = TRUE) - lchoose(10, wrong) + log(8 * (1 - 2 * e)^3)
  f <- exp(log_f - max(log_f))
  expect_lt(abs(after$nodes$models$log_evidence - log(sum(f) * 0.01) - max(log_f)), 0.03)
  expect_lt(abs(flip_rates(after)$rate[1] - sum(e * f) / sum(f)), 0.003)
  held <- fit_known(epsilon = c(neg = 0.1, pos = 0.2))
  checked <- data.frame(row = at, label = d$truth[at])
  both <- checked_update(held, checked = checked)
  rates <- c(no = 0.1, yes = 0.2)[as.character(d$truth[at])]
  mistaken <- d$class[at] != d$truth[at]
  latent <- model_latent(both)
  out <- latent_ep(latent, model_hyper(both), Inf, sure(both, c(0.1, 0.2)), NULL, with_second(quiet))
  expect_equal(
    both$ep$log_evidence,
    out$log_evidence + sum(log(ifelse(mistaken, rates, 1 - rates))), tolerance = 1e-6
  )
  # in one step or two, and whatever is trusted besides
  halves <- lapply(list(at[1:5], at[6:10]), function(at) data.frame(row = at, label = d$truth[at]))
  twice <- checked_update(checked_update(fit, checked = halves[[1]]), checked = halves[[2]])
  expect_equal(twice$nodes, after$nodes)
  trusting <- checked_update(after, trusted = 1:10)$data$reports
  expect_equal(recorded_before(trusting), before)
  expect_true(all(report_known(trusting)[c(1:10, at)]))
})

test_that("a wrong label rules out that there is none", {
  local_fewer_points()
  fit <- fit_averaged()
  d <- known_case()
  at <- review(fit, 3)$row
  after <- checked_update(fit, checked = data.frame(row = at, label = d$truth[at]))
  expect_true(any(d$class[at] != d$truth[at]))
  test <- noise_test(after)
  expect_equal(test$probability_none, 0)
  expect_equal(test$bayes_factor, Inf)
  expect_equal(test$models$model, c("none", "one", "two", "first", "second"))
  expect_equal(test$models$prior, c(0.25, 0.3, 0.15, 0.15, 0.15))
  expect_output(print(test), "below 0.0001")
  expect_output(print(after), "checks have found 3")
  found <- mislabelled(after)
  expect_equal(found$if_some, found$probability, tolerance = 1e-14)
  # right ones speak for none
  right <- which(d$class == d$truth)[1:30]
  sure <- checked_update(fit, checked = data.frame(row = right, label = d$truth[right]))
  trusted <- checked_update(fit, trusted = right)
  expect_gt(noise_test(sure)$probability_none, noise_test(trusted)$probability_none)
  # rates of those found wrong are of the rows that are left
  expect_equal(sum(test$rates$wrong), test$some$count, tolerance = 1e-6)
  rates <- noise_test(fit)
  expect_equal(sum(rates$rates$wrong), rates$some$count, tolerance = 1e-3)
})

test_that("checks tell of the rates of groups, and their gradient is right", {
  d <- known_case()
  fit <- fit_known(rates = ~site, epsilon = "learn2")
  at <- review(fit, 12)$row
  after <- checked_update(fit, checked = data.frame(row = at, label = d$truth[at]))
  truth <- cbind(d$truth == "no", d$truth == "yes")
  counts <- report_counts(after$data$reports, truth * (seq_len(80) %in% at))
  expect_equal(sum(counts), 12)
  expect_equal(
    counts[2, 2, 2], sum(d$site[at] == "v" & d$truth[at] == "yes" & d$class[at] == "yes")
  )
  expect_equal(sum(counts[, 1, 2] + counts[, 2, 1]), sum(d$class[at] != d$truth[at]))
})

extended_test("the number of labels left after checks is right on average", {
  # tables from the priors of the rate and the classes; those that look wrong are checked
  kernel <- kernel_iso(1.5, nugget = 0.05, fixed = TRUE)
  left <- vapply(1:120, function(seed) {
    withr::with_seed(seed, {
      X <- matrix(rnorm(160), 80, dimnames = list(NULL, c("a", "b")))
      K <- exp(-as.matrix(dist(X))^2 / (2 * 1.5^2)) + diag(0.05, 80)
      truth <- factor(drop(crossprod(chol(K), rnorm(80))) > 0, c(FALSE, TRUE))
      if (min(table(truth)) < 2) return(c(NA, NA))
      recorded <- truth
      wrong <- runif(80) < rbeta(1, 1, 4) / 2
      recorded[wrong] <- ifelse(truth[wrong] == "TRUE", "FALSE", "TRUE")
    })
    if (min(table(recorded)) < 2) return(c(NA, NA))
    fit <- gpc(X, recorded, kernel = kernel, epsilon = "learn", hyper = "integrate", control = quiet)
    at <- review(fit, 10)$row
    after <- checked_update(fit, checked = data.frame(row = at, label = truth[at]))
    c(attr(review(after, 1), "left")$count + review(after, 1)$found, sum(wrong[-at]))
  }, numeric(2))
  gap <- left[1, ] - left[2, ]
  expect_lt(abs(mean(gap, na.rm = TRUE)), 2.6 * sd(gap, na.rm = TRUE) / sqrt(sum(!is.na(gap))))
  expect_gt(mean(left[2, ], na.rm = TRUE), 0.5)
})

test_that("checked labels reach every copy of a row, and a message counts them", {
  d <- toy(20)
  fit <- toy_fit(data = d, subset = c(1:15, 3, 3))
  other <- setdiff(levels(d$class), d$class[3])
  checked <- data.frame(row = c("3", "4", "3"), label = c(other, as.character(d$class[4]), other))
  cnd <- expect_message(after <- update(fit, checked = checked), class = "sturdy_message_checked")
  expect_identical(cnd[c("changed", "confirmed")], list(changed = 1L, confirmed = 1L))
  expect_match(conditionMessage(cnd), "Of 2 checked labels 1 was changed and\\s+1 confirmed")
  expect_equal(after$data$y[c(3, 16, 17)] > 0, rep(other == "yes", 3))
  expect_equal(which(report_known(after$data$reports)), c(3, 4, 16, 17))
  before <- recorded_before(after$data$reports)
  expect_setequal(before$row, c(3, 4, 16, 17))
  expect_equal(before$value, label_code(fit$data)[before$row])
})

test_that("the list to check is no check until labels are put into it", {
  fit <- toy_fit()
  first <- review(fit, 3)
  for (list in list(first, mislabelled(fit)[1:3, ])) {
    expect_error(update(fit, checked = list), "labels that were found", class = "sturdy_error_checked")
  }
  counts <- function(checked) {
    unclass(expect_message(update(fit, checked = checked), class = "sturdy_message_checked"))[
      c("changed", "confirmed")
    ]
  }
  expect_equal(counts(as.data.frame(first)), list(changed = 0, confirmed = 3))
  first$label[2] <- setdiff(levels(first$label), first$label[2])
  expect_equal(counts(first), list(changed = 1, confirmed = 2))
})

test_that("each fault of checked labels is named", {
  fit <- toy_fit()
  refused <- function(message, ...) {
    checked <- list(...)
    if (length(checked)) checked <- as.data.frame(checked)
    expect_error(update(fit, checked = checked), message, class = "sturdy_error_checked")
  }
  refused("must be a data frame")
  refused("Missing: \"label\"", row = 1)
  refused("Not in the fit: 41 and 99", row = c(1, 41, 99), label = "no")
  refused("Not in the fit: NA", row = NA_real_, label = "no")
  refused("Found: \"maybe\" and NA", row = 1:3, label = c("maybe", "no", NA))
  refused("different labels: 2", row = c(2, 2, 3, 3), label = c("yes", "no", "no", "no"))
  refused("must be numeric", row = TRUE, label = "no")
  refused("must be numeric", row = "first", label = "no")
})

test_that("what is known must fit the rows", {
  expect_error(fit_known(trusted = 100), class = "sturdy_error_trusted")
  expect_error(fit_known(trusted = c(TRUE, FALSE)), class = "sturdy_error_trusted")
  expect_error(fit_known(trusted = nowhere), class = "sturdy_error_trusted")
  expect_error(fit_known(rates = 1:3), class = "sturdy_error_rates")
  expect_error(fit_known(rates = y ~ site), class = "sturdy_error_rates")
  expect_error(noise_prior(sensitivity = 0.9), class = "sturdy_error_prior")
  expect_error(noise_prior(models = c(some = 1)), class = "sturdy_error_prior")
  expect_error(noise_prior(pooling = 1), class = "sturdy_error_prior")
  expect_error(gpc_spec(noise = 0.1), class = "sturdy_error_type")
})

test_that("absorbing rows gives the average over the same nodes on all rows", {
  local_fewer_points()
  d <- toy(60)
  # one possibility for the nugget and three noise models: as many nodes for each as there can be
  kernel <- kernel_iso(
    1.5, nugget = 0.1, bias = 0.1, fixed = c("lengthscale", "variance", "bias"),
    prior = weak_prior(nugget = c(log(0.3), 2))
  )
  noise <- noise_prior(models = c(none = 0.25, one = 0.375, two = 0.375))
  fit <- function(rows) {
    # a fit that absorbs rows keeps its scaling
    gpc(class ~ a + b, d[rows, ], kernel = kernel, epsilon = "average", hyper = "integrate",
        noise = noise, scale = FALSE, control = quiet)
  }
  more <- absorb(fit(1:40), d[41:60, ])
  all <- fit(1:60)
  # each rests on some 25 nodes or more: within three standard errors of a difference of two
  of <- function(fit) {
    vapply(split(fit$nodes$table$weight, fit$nodes$table$model), function(w) sum((w / sum(w))^2), 1)
  }
  apart <- abs(more$nodes$models$log_evidence - all$nodes$models$log_evidence)
  expect_true(all(apart < 3 * sqrt(of(more) + of(all))[more$nodes$models$model]))
  expect_lt(max(apart), 0.25)
  expect_lt(max(abs(row_flipped(more) - row_flipped(all))), 0.06)
  expect_equal(sum(more$nodes$table$weight), 1)
})

test_that("a check that finds a wrong label rules out the noise models that have it right", {
  local_fewer_points()
  set.seed(11)
  x <- stats::rnorm(60)
  truth <- factor(x > 0, labels = c("no", "yes"))
  y <- truth
  wrong <- which(truth == "yes")[c(2, 5, 9, 13, 17)]
  y[wrong] <- "no"
  held <- kernel_iso(1, nugget = 0.05, fixed = TRUE)
  average <- function(...) {
    gpc(matrix(x), y, kernel = held, epsilon = "average", hyper = "integrate", ...)
  }
  fit <- average()
  check <- function(fit, rows) {
    suppressMessages(update(fit, checked = data.frame(row = rows, label = truth[rows])))
  }
  of <- function(fit) with(noise_test(fit)$models, stats::setNames(probability, model))
  four <- check(fit, wrong[1:4])
  expect_equal(unname(of(four)[c("none", "first")]), c(0, 0))
  expect_gt(of(four)[["second"]], 0.5)
  # the row like them is as suspicious as where the others were ruled out beforehand
  without <- average(noise = noise_prior(models = c(one = 0.3, two = 0.15, second = 0.15)))
  p <- function(fit) {
    found <- suppressMessages(mislabelled(fit, given = "some"))
    found$probability[found$row == wrong[5]]
  }
  expect_equal(p(four), p(check(without, wrong[1:4])), tolerance = 0.02)
  expect_gt(p(four), 0.9)
  # one of each direction leaves no model of one class alone
  y[which(truth == "no")[3]] <- "yes"
  both <- check(average(), c(wrong[1], which(truth == "no")[3]))
  expect_equal(unname(of(both)[c("none", "first", "second")]), c(0, 0, 0))
})
