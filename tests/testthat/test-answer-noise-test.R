quiet <- ep_control(progress = FALSE)

free_nugget <- function() {
  kernel_iso(1.5, bias = 0.1, nugget = 0.1, fixed = c("lengthscale", "variance", "bias"))
}

tested <- made_once(function(..., data = toy(), kernel = free_nugget(), model = gpc) {
  model(
    class ~ a + b, data, kernel = kernel, epsilon = "average", hyper = "integrate",
    control = quiet, ...
  )
})
two_alike <- made_once(function() averaged_stage(toy_scores(2, 60)))
# the next class in turn is three kinds of errors, and no two classes
in_turn <- made_once(function() averaged_stage(toy_scores(3, 120, strength = 20)))

mean_number <- function(density) sum((seq_along(density) - 1) * density)

test_that("the Bayes factor is the ratio of mean evidences, whatever the prior of none", {
  fit <- tested()
  test <- noise_test(fit)
  z <- exp(judged_by(fit)$nodes$models$log_evidence)
  prior <- c(0.25, 0.3, 0.15, 0.15, 0.15)
  expect_equal(test$models$prior, prior)
  expect_equal(test$bayes_factor, sum(z[-1] * prior[-1]) / sum(prior[-1]) / z[1])
  expect_equal(test$two, mean(z[3:5]) / z[2]) # they have the same prior probability
  odds <- test$bayes_factor * 3 # prior odds
  expect_equal(test$probability_none, 1 / (1 + odds))
  less <- c(none = 0.5, one = 0.2, two = 0.1, first = 0.1, second = 0.1)
  other <- noise_test(tested(noise = noise_prior(models = less)))
  # no evidence hangs on what is held of other noise models
  expect_equal(other$models$log_evidence, test$models$log_evidence, tolerance = 1e-8)
  expect_equal(other$bayes_factor, test$bayes_factor, tolerance = 1e-8)
  expect_equal(other$prior_none, 0.5)
})

test_that("the number if some are wrong and the averaged one are mixtures", {
  fit <- tested()
  stage <- judged_by(fit)
  test <- noise_test(fit, level = 0.8)
  models <- stage$nodes$models
  some <- models$probability[-1] / sum(models$probability[-1])
  expect_equal(test$some$count, sum(some * vapply(stage$nodes$wrong[-1], mean_number, 0)))
  expect_equal(test$average$count, sum(mislabelled(fit)$probability), tolerance = 1e-8)
  expect_equal(stage$nodes$wrong$none, 1)
  density <- average_density(stage)
  expect_equal(test$average$lower, sum(cumsum(density) < 0.1))
  expect_equal(test$average$upper, sum(cumsum(density) < 0.9))
  one_or_more <- test$average$count / (1 - density[1])
  expect_equal(test$any$count, one_or_more, tolerance = 1e-6)
  expect_gte(test$some$lower, test$average$lower)
  # without a level no interval is looked for, nor shown
  found <- mislabelled(fit, level = NULL)
  without <- attr(found, "test")
  same <- c("bayes_factor", "verdict", "two", "noticed", "error")
  expect_equal(without[same], test[same])
  expect_equal(without$some$count, test$some$count)
  expect_equal(without$rates$rate, test$rates$rate)
  expect_true(all(vapply(without[c("level", "ends")], is.null, NA)))
  expect_no_match(utils::capture.output(print(found)), "interval")
})

test_that("lists at a false-discovery rate are averaged, or of the case that some are wrong", {
  fit <- tested()
  stage <- judged_by(fit)
  found <- mislabelled(fit)
  some <- stage$nodes$table$model != "none"
  weight <- stage$nodes$table$weight[some] / sum(stage$nodes$table$weight[some])
  y <- label_code(fit$data)
  flips <- vapply(kept_points(stage)[some], function(at) {
    1 - plain_label_rows(at, stage$data$X, y)$truth[cbind(1:40, y)]
  }, numeric(40)) %*% weight
  expect_equal(found$if_some, flips[found$row], tolerance = 1e-7)
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

# Scores of three classes, each row's sure of one of the first two, and labels of the third among them
unpredicted <- function(third = 20) {
  withr::with_seed(1, {
    labels <- factor(rep(c("a", "b", "c"), c(50, 50, third)))
    best <- c(rep(1:2, each = 50), sample(1:2, third, TRUE))
    P <- matrix(rexp(3 * length(best)), ncol = 3, dimnames = list(NULL, levels(labels)))
    own <- cbind(seq_along(best), best)
    P[own] <- P[own] + runif(length(best), 5, 30)
    list(prob = P / rowSums(P), labels = labels)
  })
}

test_that("a class that is not predicted is named where labels are wrong", {
  local_fewer_points()
  fit <- averaged_stage(unpredicted())
  test <- noise_test(fit)
  expect_gt(test$bayes_factor, 3)
  found <- mislabelled(fit)
  expect_gt(mean(found$probability[found$label == "c"] > 0.3), 0.5)
  expect_lt(max(found$probability[found$label != "c"]), 0.3)
  expect_equal(test$suspects, "c")
  expect_match(printed(fit), "All labels c are equally suspect")
  expect_null(noise_test(tested())$suspects)
  open <- noise_test(averaged_stage(unpredicted(8)))
  expect_lt(open$bayes_factor, 3) # nobody is suspected where nothing speaks for wrong labels
  expect_null(open$suspects)
})

test_that("rows that stand for many count as many where a class is suspected", {
  p <- c(0.1, 0.1, 0.9, 0.9)
  object <- list(
    blueprint = list(levels = c("a", "b")),
    data = list(reports = with_times(label_reports(c(1, 1, 1, 2), 2L), c(1, 1, 98, 5))),
    nodes = list(truth = list(
      p = array(c(p[1:3], 0.1, 1 - p[1:3], 0.9), c(4, 2, 1)), y = c(1, 1, 1, 2), weight = 1, source = 1L
    ))
  )
  expect_null(suspected_class(object))
  object$data$reports$times[3] <- 1 # two rows of three
  expect_identical(suspected_class(object), "a")
})

# Inputs that say nothing, and other verdicts -------------------------------------------

# By how many nats the labels are predicted better than by the shares of the classes
plain_gain <- function(fit) {
  found <- mislabelled(fit)
  sum(log(found$loo) - log(table(found$label)[found$label] / nrow(found)))
}

test_that("where the inputs say nothing of the classes, that is said first and no number alone", {
  local_fewer_points()
  d <- withr::with_seed(1, data.frame(a = rnorm(60), b = rnorm(60)))
  d$noise <- factor(rep(c("no", "yes"), c(54, 6)))
  d$signal <- factor(d$a + withr::with_seed(2, rnorm(60, 0, 0.5)) > 0)
  d$three <- factor(rep(letters[1:3], 20))
  for (label in c("noise", "three")) {
    fit <- gpc(reformulate(c("a", "b"), label), d, kernel = kernel_iso(), hyper = "integrate")
    expect_lt(plain_gain(fit), 1)
    expect_true(is_blind(judged_by(fit)))
    test <- noise_test(fit)
    expect_equal(test$kind, "blind")
    lines <- verdict_lines(test)
    expect_named(lines, c("Wrong labels?", "How many?"))
    expect_equal(lines[[1]], "Can't tell: the inputs say next to nothing of the classes.")
    expect_match(lines[[2]], "^0 to [0-9]+ of 60 \\(90% interval\\)[.]$")
    expect_match(printed(fit), "^ *Wrong labels[?] Can't tell: the inputs say next to nothing")
    expect_length(verdict_notes(test), 0)
    expect_false(is_called(test))
  }
  fit <- gpc(signal ~ a + b, d, kernel = kernel_iso(), hyper = "integrate")
  expect_gt(plain_gain(fit), 1)
  expect_false(is_blind(judged_by(fit)))
  expect_no_match(printed(fit), "next to nothing")
})

test_that("few labels do not say that inputs say nothing, and those known to be right do not count", {
  d <- withr::with_seed(2, data.frame(a = rnorm(40), y = rep(c("no", "yes"), 20)))
  blind <- function(rows, ...) {
    is_blind(second_stage(plogis(d$a[rows] / 10), d$y[rows], hyper = "integrate", ...))
  }
  expect_true(blind(1:40))
  expect_false(blind(1:19))
  expect_false(blind(1:40, trusted = 1:21))
  expect_true(blind(1:19, weights = rep(2, 19)))
})

test_that("of several classes one kind of error is named, with its share of those expected", {
  local_fewer_points()
  d <- toy_scores(3, 150, strength = 20, wrong = 0)
  taken <- which(d$truth == "a")[seq(1, 50, by = 4)]
  d$labels[taken] <- "b"
  fit <- averaged_stage(d)
  counts <- matrix_counts(judged_by(fit))
  test <- noise_test(fit)
  wrong <- sum(counts) - sum(diag(counts))
  expect_equal(
    test$one_kind, list(true = "a", recorded = "b", count = counts[1, 2], all = wrong),
    ignore_attr = TRUE
  )
  expect_lt(abs(test$one_kind$count - length(taken)), 3)
  expect_match(printed(test), "Errors of one kind: a recorded as b (expected 13 of 13)", fixed = TRUE)
  expect_null(noise_test(in_turn())$one_kind)
  expect_null(noise_test(two_alike())$one_kind)
})

test_that("two classes that look alike are named: those most of whose rows the stage mixes", {
  local_fewer_points()
  d <- alike_scores()
  fit <- averaged_stage(d)
  points <- kept_points(fit)
  weight <- fit$nodes$table$weight
  U <- Reduce(`+`, Map(function(at, w) w * at$U, points, weight))
  diag(U) <- 0
  rows <- (U - min(U[row(U) != col(U)])) * 40 # of each class
  pairs <- rows + t(rows)
  expect_gt(pairs[1, 2], 3)
  expect_equal(which.max(pairs[upper.tri(pairs)]), 1)
  test <- noise_test(fit)
  expect_setequal(test$alike, c("a", "b"))
  expect_match(printed(fit), "Rows of (a and b|b and a) look alike")
  expect_null(noise_test(in_turn())$alike)
  expect_null(noise_test(two_alike())$alike)
})

test_that("where the inputs say nothing no two classes are said to look alike, in a pair of many they are", {
  random <- function(classes, n) {
    withr::with_seed(1, {
      P <- matrix(stats::rexp(n * classes), n, dimnames = list(NULL, letters[seq_len(classes)]))
      list(prob = P / rowSums(P), labels = factor(sample(letters[seq_len(classes)], n, TRUE)))
    })
  }
  local_fewer_points()
  for (case in list(c(4, 120), c(13, 130))) {
    test <- noise_test(averaged_stage(random(case[1], case[2])))
    expect_identical(test$kind, "blind")
    expect_null(test$alike)
  }
  # of 13 classes, which Laplace's method stands for, the first two are taken for each other
  fit <- averaged_stage(withr::with_seed(1, {
    truth <- rep(1:13, length.out = 260)
    taken <- ifelse(truth < 3 & stats::runif(260) < 0.3, 3 - truth, truth)
    P <- matrix(stats::rexp(13 * 260), 260, dimnames = list(NULL, letters[1:13]))
    P[cbind(1:260, taken)] <- P[cbind(1:260, taken)] + stats::runif(260, 30, 90)
    list(prob = P / rowSums(P), labels = factor(letters[truth]))
  }))
  expect_identical(unique(fit$nodes$models$method), "laplace")
  expect_setequal(noise_test(fit)$alike, c("a", "b"))
})

test_that("a verdict is that of what speaks first", {
  kinds <- vapply(c(0.2, 1, 3, 3.1, 20, 21), verdict_kind, "")
  expect_equal(kinds, c("no sign", "open", "open", "probable", "probable", "wrong"))
  # only without unusual rows does the factor speak for wrong labels
  expect_equal(vapply(c(0.2, 1), verdict_kind, "", plain = 3.1), c("unusual", "unusual"))
  expect_equal(verdict_kind(1, plain = 2.9), "open")
  expect_equal(verdict_kind(4, plain = 400), "probable")
  expect_equal(verdict_kind(0.2, plain = 10, hides = TRUE), "scores")
  expect_equal(verdict_kind(30, hides = TRUE), "wrong")
  expect_equal(verdict_kind(30, blind = TRUE, plain = 10), "blind")
  expect_equal(verdict_kind(30, curve = 0.1, blind = TRUE), "curve")
  expect_equal(verdict_kind(30, curve = 1), "wrong")
})

test_that("the factor without unusual rows is that of a prior that knows none", {
  for (strength in c(3, 20)) {
    d <- toy_scores(2, 120, strength = strength, wrong = 4)
    test <- noise_test(averaged_stage(d))
    none <- noise_test(averaged_stage(d, noise = noise_prior(unusual = 0)))
    # 64 points are a standard error of some 0.1
    expect_lt(abs(log(test$plain / none$bayes_factor)), 0.25)
  }
  sure <- noise_test(averaged_stage(toy_scores(2, 200, strength = 20)))
  expect_gt(sure$bayes_factor, 3)
  expect_identical(sure$plain, NA_real_) # nobody asks
})

test_that("labels that contradict their rows are not called wrong where the rows may be unusual", {
  local_fewer_points()
  d <- withr::with_seed(1, {
    d <- data.frame(a = c(rnorm(40, -2), rnorm(40, 2), rnorm(8, 0, 3)), b = rnorm(88))
    transform(d, class = factor(rep(c("a", "b", "c"), c(40, 40, 8))))
  })
  fit <- gpc(class ~ ., d, kernel = kernel_iso(), hyper = "integrate")
  test <- noise_test(fit)
  expect_lte(test$bayes_factor, 3)
  expect_gt(test$plain, 3)
  expect_equal(test$kind, "unusual")
  expect_match(test$verdict, "wrong or the rows are unusual")
  expect_match(printed(fit), paste(
    "Some labels contradict their rows: they are wrong, or the rows are unusual."
  ), fixed = TRUE)
  expect_message(
    called <- mislabelled(fit, fdr = 0.9), class = "sturdy_message_open_verdict"
  )
  expect_equal(nrow(called), 0)
})

test_that("the error of the Bayes factor is its spread over draws of the points", {
  size <- c(none = 60, one = 90, two = 40)
  width <- c(1.4, 1.7, 2)
  prior <- c(0.7, 0.3)
  once <- function(seed) {
    x <- withr::with_seed(seed, Map(function(n, s) stats::rnorm(n, 0, s), size, width))
    w <- Map(function(x, s) stats::dnorm(x) / stats::dnorm(x, 0, s), x, width)
    z <- vapply(w, mean, 1)
    models <- data.frame(
      model = names(size), nodes = size, ess = vapply(w, function(w) sum(w)^2 / sum(w^2), 1),
      method = "nodes", probability = z * c(1, prior)
    )
    c(factor = log(sum(prior * z[-1]) / z[[1]]), error = factor_error(models))
  }
  all <- vapply(1:400, once, numeric(2))
  expect_equal(mean(all["error", ]) / stats::sd(all["factor", ]), 1, tolerance = 0.1)
})

test_that("a model that is exact has no error, and Laplace's method does not know its own", {
  models <- function(...) {
    data.frame(
      model = c("none", "one", "two"), nodes = c(1, 50, 50), ess = c(NA, 20, 20),
      method = c("exact", "nodes", "nodes"), probability = c(0.5, 0.5, 0)
    )
  }
  at <- models()
  expect_equal(factor_error(at), sqrt(1 / 20 - 1 / 50))
  at$method[3] <- "laplace" # of next to no probability
  expect_equal(factor_error(at), sqrt(1 / 20 - 1 / 50))
  for (method in c("laplace", "mode")) {
    at$method[2] <- method
    expect_identical(factor_error(at), NA_real_)
  }
  expect_identical(factor_error(at[-1, ]), NA_real_)
  expect_match(factor_words(0.4, 1200, 5), "By 1,200 points, .* a factor of 1.49 in the Bayes factor")
  expect_match(factor_words(NA, 5, 5), "not known")
  expect_equal(factor_words(NA, 640, Inf), "By 640 points.")
  test <- noise_test(tested())
  expect_equal(test$error, factor_error(test$models))
  expect_match(printed(test), "By 1,280 points, which leave a standard error of a factor of 1[.]")
})

test_that("a fit without the models to compare is refused", {
  expect_error(noise_test(toy_fit()), class = "sturdy_error_no_average")
  one <- gpc(class ~ a + b, toy(), kernel = free_nugget(), epsilon = "learn",
             hyper = "integrate", control = quiet)
  expect_error(noise_test(one), class = "sturdy_error_no_average")
  asked <- tested(noise = noise_prior(models = c(one = 1)))
  expect_error(noise_test(asked), "noise = noise_prior\\(\\)", class = "sturdy_error_no_average")
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
  expect_equal(fit$curve$log_evidence, average_evidence(alone))
  expect_equal(log(linear$curve), average_evidence(fit) - fit$curve$log_evidence)
  expect_message(called <- mislabelled(fit, fdr = 0.1), class = "sturdy_message_open_verdict")
  expect_equal(nrow(called), 0)
  expect_no_match(printed(attr(mislabelled(fit, level = NULL), "test")), "interval")
  # of new rows, too
  expect_message(called <- mislabelled(fit, newdata = d, fdr = 0.1), class = "sturdy_message_open_verdict")
  expect_equal(nrow(called), 0)
  fit$curve <- NULL
  expect_match(printed(noise_test(fit)), "For a linear boundary")
  expect_null(bpm(class ~ a + b, toy(), hyper = "integrate")$curve)
  expect_false(grepl("linear boundary", printed(curved)))
})

test_that("where every label is known there is no number of wrong ones to rest on", {
  local_fewer_points()
  said <- printed(noise_test(bpm(class ~ a + b, toy(), trusted = 1:40)))
  expect_match(said, "Nothing to check")
  expect_no_match(said, "of the other 0")
})
