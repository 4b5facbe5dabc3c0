grouped <- made_once(function() {
  local_fewer_points()
  withr::with_seed(3, {
    x <- matrix(rnorm(240), 120)
    truth <- factor(x[, 1] > 0, labels = c("no", "yes"))
    site <- rep(c("a", "b", "c"), 40)
    wrong <- site == "b" & runif(120) < 0.3
  })
  y <- truth
  y[wrong] <- ifelse(truth[wrong] == "no", "yes", "no")
  fit <- bpm(x, y, control = ep_control(progress = FALSE))
  list(
    fit = fit, site = site, y = y, truth = truth, wrong = wrong,
    said = group_rates(fit, site, predicted = rev(truth))
  )
})

test_that("joint intervals are those quantiles between which whole draws are", {
  draws <- withr::with_seed(1, matrix(rnorm(4000 * 3), 4000) %*% diag(c(1, 5, 0.1)))
  ends <- joint_ends(draws, 0.9)
  inside <- sapply(1:3, function(k) draws[, k] >= ends[1, k] & draws[, k] <= ends[2, k])
  expect_equal(mean(rowSums(inside) == 3), 0.9, tolerance = 0.01)
  # of independent numbers each has the third root of that
  expect_equal(colMeans(inside), rep(0.9^(1 / 3), 3), tolerance = 0.01)
  expect_equal(joint_ends(draws[, 1, drop = FALSE], 0.9)[, 1], unname(quantile(draws[, 1], c(0.05, 0.95))), tolerance = 0.01)
  expect_identical(joint_ends(cbind(draws, NA), 0.9)[, 4], c(NA_real_, NA_real_))
  # numbers that are mostly alike
  few <- cbind(rep(0:1, c(950, 50)), rep(0:1, c(950, 50)))
  expect_equal(joint_ends(few, 0.9), matrix(0, 2, 2))
})

test_that("counts by group are means over the posterior, and what is recorded is a table", {
  g <- grouped()
  judge <- by_groups(g$fit, g$site)
  each <- mean_wrong(node_truth(judge))
  expect_equal(each, mean_wrong(truth(judge)), tolerance = 1e-8) # of the points, and as the stage has learned it
  wrong <- tapply(each, g$site, sum)
  expect_equal(g$said$wrong, as.vector(wrong), tolerance = 0.05)
  expect_equal(g$said$recorded, as.vector(tapply(g$y == "yes", g$site, mean)))
  expect_equal(g$said$rows, c(40, 40, 40))
  hit <- rev(g$truth) == "yes"
  recalled <- tapply(seq_along(hit), g$site, function(i) sum(hit[i] & g$y[i] == "yes") / sum(g$y[i] == "yes"))
  apart <- attr(g$said, "differences")
  of <- apart$of == "true positive rate"
  expect_equal(apart$recorded[of], as.vector(recalled[apart$first[of]] - recalled[apart$second[of]]))
  near <- 0.02 # a mean may be beside what nearly all draws are
  expect_true(all(apart$lower - near <= apart$corrected & apart$corrected <= apart$upper + near))
})

test_that("the group whose labels are wrong is told, and the others are not", {
  g <- grouped()
  expect_gt(g$said$higher[2], 0.9)
  expect_lt(max(g$said$higher[-2]), 0.5)
  share <- tapply(g$wrong, g$site, mean)
  expect_true(all(g$said$lower <= share & share <= g$said$upper))
  expect_output(print(g$said), "All intervals hold at once with probability 0.9")
})

test_that("errors of one class that the scores of a group have learned are told", {
  local_fewer_points()
  tables <- withr::with_seed(5, replicate(4, {
    site <- factor(rep(c("a", "b", "c"), each = 80))
    x <- rnorm(240)
    truth <- runif(240) < plogis(4 * x)
    wrong <- truth & site == "b" & runif(240) < 0.4
    seen <- truth & !wrong
    # a classifier that has the groups among its inputs is shifted in this one
    prob <- fitted(suppressWarnings(glm(seen ~ x + site, stats::binomial())))
    fit <- second_stage(prob, factor(seen))
    said <- group_rates(fit, site)
    share <- tapply(wrong, site, mean)
    apart <- attr(said, "differences")
    prevalence <- tapply(truth, site, mean)
    true <- prevalence[apart$first] - prevalence[apart$second]
    c(
      joint = all(said$lower <= share & share <= said$upper), found = said$higher[2],
      gain = mean(abs(apart$recorded - true)) - mean(abs(apart$corrected - true))
    )
  }))
  expect_gte(sum(tables["joint", ]), 3)
  expect_gt(median(tables["found", ]), 0.8)
  expect_gt(mean(tables["gain", ]), 0.03)
})

test_that("labels that were checked count as they were recorded", {
  g <- grouped()
  local_fewer_points()
  rows <- which(g$wrong)[1:5]
  after <- suppressMessages(update(g$fit, checked = data.frame(row = rows, label = g$truth[rows])))
  said <- group_rates(after, g$site)
  expect_equal(said$recorded, g$said$recorded)
  expect_equal(said$rows, g$said$rows)
  expect_gte(said$lower[2], 5 / 40)
})

test_that("the rates of a fit are those of its groups, and of given rates only shares are told", {
  d <- toy()
  fit <- toy_fit(epsilon = 0.1, rates = rep(c("a", "b"), 20))
  said <- group_rates(fit)
  expect_identical(said$group, c("a", "b"))
  expect_true(all(is.na(said$higher)))
  expect_equal(sum(said$wrong), sum(mislabelled(fit)$probability), tolerance = 0.1)
})

test_that("a row that stands for several counts as often", {
  d <- toy()
  by <- rep(c("a", "b"), each = 20)
  times <- rep(1:4, 10)
  said <- group_rates(suppressMessages(
    gpc(class ~ a + b, d, kernel = held(), epsilon = 0.1, rates = by, weights = times)
  ))
  expect_equal(said$rows, as.vector(tapply(times, by, sum)))
  expect_equal(said$recorded, as.vector(tapply(times * (d$class == "yes"), by, sum) / said$rows))
})

test_that("a group is compared with the others, by their rows", {
  groups <- factor(rep(c("a", "b", "c"), c(30, 10, 10)))
  # of three points with rates of the first class, which all rows are of
  rates <- list(c(0.2, 0.25, 0.25), c(0.1, 0.01, 0.3), c(0.3, 0.1, 0.1))
  said <- list(
    p = array(rep(1:0, each = 50), c(50, 2, 3)), weight = c(0.5, 0.3, 0.2),
    omega = lapply(rates, function(e) array(c(1 - e, 0, 0, 0, e, 1, 1, 1), c(3, 2, 2)))
  )
  said$source <- as.integer(groups)
  judge <- list(data = list(reports = label_reports(rep(1L, 50), 2, said$source, levels(groups))), recalibration = TRUE)
  others <- function(e) (sum(e * c(30, 10, 10)) - e * c(30, 10, 10)) / (50 - c(30, 10, 10))
  higher <- Reduce(`+`, Map(function(e, w) w * (e > others(e)), rates, said$weight))
  expect_equal(group_higher(judge, said, groups), higher)
  expect_identical(group_higher(replace(judge, "recalibration", list(NULL)), said, groups), rep(NA_real_, 3))
})

# What group_counts() and group_higher() are given, of rows whose true classes are known for sure, though they may have
# been recorded as others. A class has one rate in all groups, so that a group's follows from its classes
sure_rows <- function(rows, trusted = FALSE) {
  source <- ifelse(trusted, 0L, as.integer(rows$group))
  reports <- label_reports(rows$recorded, 2L, source, levels(rows$group))
  rates <- list(c(0.1, 0.3), c(0.35, 0.05), c(0.2, 0.25)) # at three points, of the classes
  list(
    judge = list(
      data = list(y = c(-1, 1)[rows$recorded], reports = with_times(reports, rows$times)), recalibration = TRUE
    ),
    said = list(
      p = array(c(rows$true == 1, rows$true == 2) + 0, c(nrow(rows), 2, 3)), weight = c(0.5, 0.3, 0.2), source = source,
      omega = lapply(rates, function(e) array(rep(c(1 - e[1], e[2], e[1], 1 - e[2]), each = 2), c(2, 2, 2)))
    ),
    groups = rows$group
  )
}

# two of three rows of the first group are of the second class, which has the higher rate with probability .7
two_groups <- function() {
  withr::with_seed(1, data.frame(
    group = factor(rep(c("a", "b"), each = 30)), true = c(rep(1:2, c(10, 20)), rep(1:2, 15)),
    recorded = sample(2, 60, TRUE), hit = sample(c(TRUE, FALSE), 60, TRUE), times = 1
  ))
}

rates_of_sure <- function(rows, ...) {
  given <- sure_rows(rows, ...)
  counts <- do.call(group_counts, c(given, list(class = 2, hits = rows$hit)))
  c(counts, table = list(group_table(counts, rows$group, 0.9, do.call(group_higher, given))))
}

test_that("rows of weight two are rows twice, in rates and in what is compared", {
  rows <- two_groups()
  expect_equal(rates_of_sure(rows)$table$higher, c(0.7, 0.3))
  rows$times <- ifelse(rows$group == "a" & rows$true == 1, 7, 2) # most of the first group are of the first class
  twice <- transform(rows[rep(1:60, rows$times), ], times = 1)
  said <- rates_of_sure(rows)
  expect_equal(said$table$higher, c(0.3, 0.7))
  expect_equal(said, rates_of_sure(twice))
  # as all true classes are known, each draw counts them
  wrong <- with(twice, c(tapply(true != recorded, group, mean)))
  for (column in c("rate", "lower", "upper")) expect_equal(said$table[[column]], unname(wrong))
  expect_equal(said$prevalence$draws[1, ], with(twice, c(tapply(true == 2, group, mean))))
  expect_equal(said$prevalence$recorded, with(twice, c(tapply(recorded == 2, group, mean))))
  expect_equal(said$hits$draws[1, ], with(twice[twice$true == 2, ], c(tapply(hit, group, mean))))
})

test_that("labels that were trusted are no part of rates, and a group of these alone has none", {
  rows <- two_groups()
  trusted <- rows$group == "a" & rows$true == 2
  rows$recorded[trusted] <- 2
  said <- rates_of_sure(rows, trusted)
  expect_equal(said$table, rates_of_sure(rows[!trusted, ])$table)
  expect_equal(said$table$higher, c(0.3, 0.7))
  expect_equal(said$prevalence$draws[1, ], with(rows, c(tapply(true == 2, group, mean))))

  all <- rows$group == "a"
  rows$recorded[all] <- rows$true[all]
  said <- rates_of_sure(rows, all)$table
  expect_equal(said$rows, c(0, 30))
  expect_equal(said$wrong[1], 0)
  none <- unlist(said[1, c("rate", "lower", "upper", "higher")])
  expect_true(all(is.na(none) & !is.nan(none)))
  expect_false(anyNA(said[2, c("rate", "lower", "upper")]))
  expect_identical(said$higher[2], NA_real_) # there is nothing to compare it with
})

test_that("of many rows there are never more draws at once than so many cells", {
  given <- sure_rows(two_groups())
  given$said$p[, 1, ] <- withr::with_seed(2, runif(180)) # now of none
  given$said$p[, 2, ] <- 1 - given$said$p[, 1, ]
  count <- function(cells) {
    local_mocked(group_draws = 200L, group_cells = cells)
    do.call(group_counts, c(given, list(class = 2, hits = rep(c(TRUE, FALSE), 30))))
  }
  at_once <- count(1e6)
  widest <- 0
  draw <- draw_classes
  local_mocked(draw_classes = function(said, draws, keep, most, ...) {
    draw(said, draws, function(true) {
      widest <<- max(widest, length(true))
      keep(true)
    }, most, ...)
  })
  expect_equal(count(1000), at_once)
  expect_lte(widest, 1000)
  expect_equal(nrow(at_once$wrong), 200)
})

test_that("of several classes one is compared if it is named", {
  fit <- gpc(Species ~ ., iris[seq(1, 150, 3), ], kernel = held(), epsilon = 0.05)
  by <- rep(c("a", "b"), 25)
  expect_null(attr(group_rates(fit, by), "differences"))
  said <- group_rates(fit, by, class = "virginica")
  expect_equal(said$recorded, as.vector(tapply(iris$Species[seq(1, 150, 3)] == "virginica", by, mean)))
})

test_that("groups and predictions that can't be are refused", {
  fit <- toy_fit(epsilon = 0.1)
  by <- rep(c("a", "b"), 20)
  expect_error(group_rates(fit), class = "sturdy_error_by")
  expect_error(group_rates(fit, by[-1]), class = "sturdy_error_by")
  expect_error(group_rates(fit, replace(by, 2, NA)), class = "sturdy_error_by")
  expect_error(group_rates(fit, rep("a", 40)), class = "sturdy_error_by")
  expect_error(group_rates(fit, 1:40), class = "sturdy_error_by")
  expect_error(group_rates(fit, c(1:21, 1:19)), class = "sturdy_error_by") # of two rows each, on average
  expect_error(group_rates(fit, by, class = "other"), class = "sturdy_error_choice")
  expect_error(group_rates(fit, by, predicted = by), class = "sturdy_error_predicted")
  expect_error(group_rates(1, by), class = "sturdy_error_type")
  expect_snapshot({
    said(group_rates(fit, by[-1]))
    said(group_rates(fit, 1:40))
    said(group_rates(fit, by, predicted = 1))
  })
})
