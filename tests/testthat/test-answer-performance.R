quiet <- ep_control(progress = FALSE)

test_that("with certain labels performance is against them", {
  fit <- toy_fit(epsilon = 0, control = quiet)
  p <- fitted(fit)
  found <- true_performance(fit, p)
  expect_equal(found$true, found$recorded)
  expect_equal(found$lower, found$upper)
  event <- toy()$class == "yes"
  expect_equal(found$recorded[1], mean((p > 0.5) == event))
  # by its definition: the share of pairs in the right order
  pairs <- outer(p[event], p[!event], function(a, b) (a > b) + (a == b) / 2)
  expect_equal(found$recorded[2], mean(pairs))
  expect_equal(found$recorded[3], mean(log(ifelse(event, p, 1 - p))))
})

test_that("the mean over draws is the expectation", {
  fit <- toy_fit(epsilon = 0.1, control = quiet)
  p <- fitted(fit)
  found <- true_performance(fit, p, draws = 4000)
  right <- ifelse((p > 0.5) == (fit$data$y > 0), 1 - fit$ep$flipped, fit$ep$flipped)
  expect_lt(abs(found$true[1] - mean(right)), 0.005)
  truth <- ifelse(fit$data$y > 0, 1 - fit$ep$flipped, fit$ep$flipped)
  expect_lt(abs(found$true[3] - mean(truth * log(p) + (1 - truth) * log(1 - p))), 0.03)
  set.seed(1)
  before <- .Random.seed
  expect_equal(true_performance(fit, p), true_performance(fit, p))
  expect_identical(.Random.seed, before)
  expect_equal(true_performance(fit, predict(fit))$measure, "accuracy")
})

test_that("predictions for as many rows in another order are taken by name, or refused", {
  d <- toy()
  at <- withr::with_seed(1, sample(40, replace = TRUE))
  fit <- gpc(class ~ a + b, d, subset = at, kernel = held(), epsilon = 0.05, control = quiet)
  expect_equal(nobs(fit), 40)
  p <- fitted(fit) # of the rows that subset made
  expect_equal(
    true_performance(fit, p)$recorded[3],
    mean(log(ifelse(d$class[at] == "yes", p, 1 - p)))
  )
  classes <- stats::setNames(predict(fit), names(fitted(fit)))
  expect_equal(true_performance(fit, classes)$measure, "accuracy")
  given <- predict(fit, d, type = "response")
  for (p in list(given, unname(given), unname(fitted(fit)), rev(fitted(fit)), predict(fit))) {
    error <- expect_error(true_performance(fit, p), class = "sturdy_error_ambiguous")
    expect_s3_class(error, "sturdy_error_predictions")
  }
  expect_no_error(true_performance(fit, unname(given), newdata = d, y = d$class))
})

test_that("names tell the rows of predict() from those of the data, where na.exclude pads them", {
  values <- function(missing) {
    d <- toy()
    d$a[missing] <- NA
    fit <- suppressMessages(gpc(
      class ~ a + b, d, subset = rev(1:40), na.action = na.exclude, kernel = held(),
      epsilon = 0.05, control = quiet
    ))
    own <- predict(fit, type = "response")
    given <- suppressMessages(predict(fit, d, type = "response"))
    found <- true_performance(fit, own, draws = 20)
    expect_equal(found, true_performance(fit, unname(own[!is.na(own)]), draws = 20))
    expect_equal(found, true_performance(fit, given, draws = 20))
    recorded <- d$class[fit$data$rows]
    expect_equal(found$recorded[1], mean((own[!is.na(own)] > 0.5) == (recorded == "yes")))
    expect_error(true_performance(fit, predict(fit)), class = "sturdy_error_ambiguous")
  }
  values(c(3, 38)) # in the same places from both ends
  values(c(3, 30))
})

test_that("of new rows the truth is that of Bayes' rule", {
  fit <- toy_fit(epsilon = c(neg = 0.1, pos = 0.3), control = quiet)
  new <- data.frame(a = c(-1, 0.1, 2), b = c(0, 0, NA))
  truth <- truth_of_new(fit, new, c("yes", "no", "no"))
  p <- predict(fit, new[1:2, ], type = "response")
  expect_equal(truth$p[1, 2, 1], p[[1]] * 0.7 / (p[[1]] * 0.7 + (1 - p[[1]]) * 0.1))
  expect_equal(truth$p[2, 2, 1], p[[2]] * 0.3 / (p[[2]] * 0.3 + (1 - p[[2]]) * 0.9))
  expect_equal(truth$rows, 1:2)
  found <- true_performance(fit, c("no", "yes", "no"), newdata = new, y = c("yes", "no", "no"))
  expect_equal(attr(found, "n"), 2)
})

test_that("points of the label stage are weighed by the labels of new rows, too", {
  x <- withr::with_seed(3, matrix(rnorm(120)))
  y <- factor(x[, 1] > 0, c(FALSE, TRUE), c("a", "b"))
  kernel <- kernel_iso(2, nugget = 0.01, fixed = TRUE)
  fit <- gpc(x, y, kernel = kernel, epsilon = "average", control = quiet)
  new <- matrix(c(-2, -1.5, 1.5, 2))
  recorded <- c("b", "b", "a", "a") # all against the inputs
  at <- nodes(fit$label_stage)
  expect_gt(length(at$weight), length(fit$label_stage$nodes$few$weight)) # of these there are not enough
  # Bayes' rule by hand: at each point, and of the points
  P <- predict(first_stage(fit), new, type = "prob")
  points <- kept_points(fit$label_stage)
  before <- at$weight
  right <- vapply(seq_along(points), function(k) {
    said <- plain_label_rows(points[[k]], P, match(recorded, c("a", "b")))
    at$weight[k] <<- at$weight[k] * prod(said$z)
    mean(said$truth[cbind(1:4, c(1, 1, 2, 2))])
  }, 0)
  wanted <- sum(at$weight * right) / sum(at$weight)
  expect_gt(wanted, 2 * sum(before * right))
  found <- true_performance(fit, c("a", "a", "b", "b"), new, recorded, draws = 4000)
  expect_lt(abs(found$true - wanted), 0.02)
  sure <- gpc(x, y, kernel = kernel_iso(1, nugget = 0, fixed = TRUE), epsilon = 0, control = quiet)
  far <- matrix(-0.5 + 1e-9 * 1:3)
  sure$ep$b <- sure$ep$b * 1e6 # its probability is 0
  expect_error(
    true_performance(sure, rep("a", 3), far, rep("b", 3)), class = "sturdy_error_impossible"
  )
})

test_that("predictions are those of the data, or of the rows used", {
  d <- toy()
  d$a[c(2, 9)] <- NA
  p <- replace(rep(c(0.2, 0.9, 0.4), length.out = 40), c(2, 9, 40), c(NA, 7, NA))
  rows <- setdiff(1:39, c(2, 9))
  for (leave in list(na.omit, na.exclude)) {
    fit <- toy_fit(data = d, subset = 1:39, na.action = leave, control = quiet)
    by_data <- true_performance(fit, p, draws = 20)
    expect_equal(true_performance(fit, p[rows], draws = 20), by_data)
    own <- predict(fit, type = "response")
    expect_equal(
      true_performance(fit, own, draws = 20),
      true_performance(fit, unname(own[!is.na(own)]), draws = 20)
    )
    expect_equal(attr(true_performance(fit, predict(fit), draws = 20), "n"), 37)
  }
  expect_error(
    true_performance(fit, p[1:38]), "each of the 40 rows \\(or of the 37 used\\)",
    class = "sturdy_error_predictions"
  )
  expect_error(true_performance(fit, replace(p, 3, NA)), class = "sturdy_error_predictions")
})

test_that("a figure that few draws have is not there, and there is no NaN", {
  sure <- toy_fit(epsilon = 0, control = quiet)
  new <- data.frame(a = c(3, 4), b = 0)
  one <- true_performance(sure, c(0.9, 0.8), new, c("yes", "yes"), draws = 20)
  expect_identical(unlist(one[one$measure == "auc", -1], use.names = FALSE), rep(NA_real_, 4))
  recorded <- c(a = 0.5, b = NaN)
  values <- rbind(rep(1, 100), replace(rep(0.7, 100), 1:6, NA))
  found <- new_performance(recorded, values, 2L, 0.9)
  expect_identical(found$true, c(1, NA))
  expect_identical(found$lower, c(1, NA))
  expect_identical(found$upper, c(1, NA))
  expect_false(any(vapply(found[-1], function(v) any(is.nan(v)), NA)))
  values[2, 1] <- 0.7
  expect_equal(new_performance(recorded, values, 2L, 0.9)$true, c(1, 0.7))
})

test_that("two classes may have a column each, or one of whatever shape", {
  fit <- toy_fit(control = quiet)
  p <- fitted(fit)
  found <- true_performance(fit, p, draws = 20)
  both <- predict(fit, type = "prob")
  shapes <- list(
    both, both[, 2:1], unname(both), as.data.frame(both), data.frame(p), matrix(p), array(p)
  )
  for (shape in shapes) expect_equal(true_performance(fit, shape, draws = 20), found)
  called <- true_performance(fit, predict(fit), draws = 20)
  expect_equal(true_performance(fit, data.frame(predict(fit)), draws = 20), called)
  expect_error(true_performance(fit, 2 * both), class = "sturdy_error_predictions")
  expect_error(true_performance(fit, both[, 0]), class = "sturdy_error_predictions")
  expect_error(true_performance(fit, unname(both)[, 0]), class = "sturdy_error_predictions")
})

test_that("a true class of probability 0 has the log score -Inf", {
  fit <- toy_fit(epsilon = 0, control = quiet)
  p <- replace(as.numeric(toy()$class == "yes"), 1, 1 - (toy()$class[1] == "yes"))
  found <- true_performance(fit, p, draws = 20)
  expect_identical(found$true[3], -Inf)
  expect_identical(found$lower[3], -Inf)
  expect_identical(found$recorded[3], -Inf)
})

test_that("a part of the table is printed as a table", {
  found <- true_performance(toy_fit(control = quiet), fitted(toy_fit(control = quiet)), draws = 20)
  expect_output(print(found[, 1:2]), "^ +measure +true")
  expect_output(print(found["true"]), "^ +true")
  expect_output(print(found[1:2, ]), "^<sturdy_performance>.* 40 rows")
})

test_that("labels of new rows are those of the fit", {
  fit <- toy_fit(control = quiet)
  new <- data.frame(a = c(NA, 0.1, 2), b = 0)
  ask <- function(y) true_performance(fit, c("no", "no", "no"), new, y, draws = 20)
  error <- expect_error(ask(c("no", "no", "maybe")), class = "sturdy_error_novel_levels")
  expect_match(conditionMessage(error), "\"maybe\", in row 3")
  expect_error(ask(c("no", NA, "no")), class = "sturdy_error_missing")
  expect_error(ask(c("no", "no")), class = "sturdy_error_length")
  expect_equal(attr(ask(c(NA, "no", "no")), "n"), 2) # a row that is left out
})

test_that("predictions must match the rows", {
  fit <- toy_fit(control = quiet)
  expect_error(true_performance(fit, 0.5), class = "sturdy_error_predictions")
  expect_error(true_performance(fit, rep(2, 40)), class = "sturdy_error_predictions")
  expect_error(true_performance(fit, rep("maybe", 40)), class = "sturdy_error_predictions")
  expect_error(
    true_performance(fit, rep(0.5, 40), newdata = toy()), class = "sturdy_error_missing_argument"
  )
  expect_error(true_performance(fit), class = "sturdy_error_missing_argument")
  expect_error(true_performance(1), class = "sturdy_error_type")
})

test_that("figures by class are those over all configurations of the true classes", {
  d <- datasets::iris[c(1:12, 51:62, 101:112), ]
  fit <- gpc(Species ~ ., d, kernel = kernel_iso(2, nugget = 0.3, fixed = TRUE), epsilon = 0.2)
  levels <- levels(d$Species)
  # six new rows with a label each: their posterior by Bayes' rule
  new <- d[c(2, 14, 20, 26, 30, 36), ]
  labels <- factor(levels[c(1, 2, 3, 3, 2, 3)], levels)
  called <- factor(levels[c(1, 2, 2, 3, 3, 3)], levels)
  p <- predict(fit, new, type = "prob") * t(fit$omega)[labels, ]
  p <- p / rowSums(p)
  all <- as.matrix(expand.grid(rep(list(1:3), 6)))
  weight <- apply(all, 1, function(true) prod(p[cbind(1:6, true)]))
  expected <- function(measure) { # of the configurations that have a value
    v <- apply(all, 1, measure)
    c(sum((weight * v)[!is.na(v)]) / sum(weight[!is.na(v)]), sum(weight[is.na(v)]))
  }
  told <- true_performance(fit, called, new, labels, draws = 4000, by_class = TRUE)
  expect_identical(unique(told$class), levels)
  code <- as.integer(called)
  for (c in 1:3) {
    by_hand <- list(
      sensitivity = expected(function(t) mean(code[t == c] == c)),
      specificity = expected(function(t) mean(code[t != c] != c)),
      precision = expected(function(t) mean(t[code == c] == c))
    )
    for (measure in names(by_hand)) {
      mine <- told$true[told$class == levels[c] & told$measure == measure]
      of <- by_hand[[measure]]
      if (of[2] < 0.04) expect_lt(abs(mine - of[1]), 0.03)
      if (of[2] > 0.06) expect_identical(mine, NA_real_)
    }
  }
  # against the labels as recorded: a table of the two
  table <- table(called, labels)
  recorded <- matrix(told$recorded, 3)
  expect_equal(recorded[1, ], unname(diag(table) / colSums(table)))
  expect_equal(recorded[3, ], unname(diag(table) / rowSums(table)))
  rest <- sum(table) - rowSums(table) - colSums(table) + diag(table)
  expect_equal(recorded[2, ], unname(rest / (sum(table) - colSums(table))))
  expect_match(printed(told), "class +measure")
})

test_that("by class two classes have the area of the event, and the one of the other", {
  fit <- toy_fit()
  p <- unname(fitted(fit))
  told <- true_performance(fit, p, draws = 20, by_class = TRUE)
  plain <- true_performance(fit, p, draws = 20)
  expect_equal(told$true[told$measure == "auc"], rep(plain$true[plain$measure == "auc"], 2))
  # what is sensitivity of the one is specificity of the other
  expect_equal(told$true[1:2], told$true[6:5])
})

test_that("labels of many new rows weigh the points as those of a table would, no more", {
  d <- withr::with_seed(5, data.frame(a = rnorm(30), b = rnorm(30)))
  d$y <- factor(d$a > 0)
  fit <- gpc(y ~ ., d, hyper = "integrate", epsilon = "learn", kernel = kernel_iso())
  new <- d[rep(1:30, 4), ]
  said <- truth_of_new(fit, new, new$y)
  # one point after the other, with the exponent 30 / 120
  P <- predict(first_stage(fit), new, type = "prob")
  log_z <- vapply(kept_points(fit$label_stage), function(point) {
    sum(log(plain_label_rows(point, P, as.integer(new$y))$z))
  }, 0)
  weight <- nodes(fit$label_stage)$weight * exp((log_z - max(log_z)) / 4)
  expect_equal(said$weight, weight / sum(weight), tolerance = 1e-8)
})
