# The number of wrong labels by scores of a classifier: as it is learned, and where the scores hardly err.

number <- c("count", "lower", "upper")

expected_of <- function(fit, ...) unlist(attr(mislabelled(fit, ...), "expected")[number])

open_scores <- function(classes) toy_scores(classes, 120, strength = 3, wrong = 6)
open_stage <- made_once(function(classes, ...) {
  local_fewer_points()
  averaged_stage(open_scores(classes), ...)
})
apart_stage <- function(classes) open_stage(classes, noise = noise_prior(overlap = 0.01))

test_that("scores have two ends: what is learned, and what an overlap of 1 % leaves", {
  for (classes in 2:3) {
    d <- open_scores(classes)
    fit <- open_stage(classes)
    ends <- overlap_ends(fit)
    expect_equal(rownames(ends), c("overlap", "apart"))
    density <- average_density(fit)
    expect_equal(ends["overlap", "count"], sum(mislabelled(fit)$probability), tolerance = 1e-8)
    expect_equal(ends["overlap", "lower"], sum(cumsum(density) < 0.05))
    expect_equal(ends["overlap", "upper"], sum(cumsum(density) < 0.95))
    apart <- apart_stage(classes)
    expect_equal(unlist(ends["apart", number]), expected_of(apart), tolerance = 1e-6)
    # the slope at which one right label in a hundred contradicts the scores, by recalibrated ones
    slope <- apart$recalibration$slope
    q <- d$prob^slope / rowSums(d$prob^slope)
    expect_equal(mean(1 - apply(q, 1, max)), 0.01, tolerance = 1e-4)
    expect_null(overlap_ends(apart)) # who says what the overlap is leaves one end
  }
})

test_that("rows that stand for several count as they do at both ends", {
  local_fewer_points()
  d <- toy_scores(2, 90, strength = 3)
  times <- rep_len(c(1, 2, 1), 90)
  every <- rep(1:90, times)
  weighted <- overlap_ends(averaged_stage(d, weights = times))
  repeated <- overlap_ends(averaged_stage(list(prob = d$prob[every, ], labels = d$labels[every])))
  expect_equal(weighted, repeated, tolerance = 1e-6)
})

test_that("there are none of a fit, also by second_stage(), and none where no label may be wrong", {
  local_fewer_points()
  fits <- list(
    gpc(class ~ a + b, toy(), kernel = held(), hyper = "integrate"),
    gpc(Species ~ ., iris[c(1:15, 51:65, 101:115), ], kernel = held(2), noise = noise_prior(c(none = 1, one = 1)))
  )
  for (fit in fits) {
    stage <- second_stage(fit, hyper = "integrate", noise = fit$spec$noise)
    expect_null(overlap_ends(judged_by(fit)))
    expect_null(overlap_ends(stage)) # it knows what its scores are of, when fitted again, too
    expect_equal(stage$nodes, fit$label_stage$nodes)
    again <- suppressMessages(update(stage, trusted = 1:2))
    expect_equal(again$recalibration$kind, stage$recalibration$kind)
  }
  s <- toy_scores(2, 60, strength = 3)
  expect_null(overlap_ends(averaged_stage(s, epsilon = 0)))
})

test_that("where nothing speaks for wrong labels the interval reaches to the other end", {
  for (classes in 2:3) {
    d <- open_scores(classes)
    fit <- open_stage(classes)
    ends <- overlap_ends(fit)
    test <- noise_test(fit)
    expect_lte(test$bayes_factor, 3)
    expect_gt(ends["apart", "upper"], ends["overlap", "upper"])
    expect_equal(test$kind, "scores")
    reaching <- c(
      count = ends["overlap", "count"], lower = ends["overlap", "lower"], upper = ends["apart", "upper"]
    )
    expect_equal(unlist(test$average), reaching)
    expect_equal(expected_of(fit), reaching)
    expect_equal(
      expected_of(fit, level = 0.5)[["upper"]],
      expected_of(apart_stage(classes), level = 0.5)[["upper"]]
    )
    best <- levels(d$labels)[max.col(d$prob)]
    expect_equal(test$contradicted, sum(best != d$labels))
    # never "no need to check"
    expect_null(test$noticed)
    lines <- verdict_lines(test)
    expect_equal(lines[[1]], paste0(
      "Can't tell: the scores contradict ", sum(best != d$labels),
      " labels. These are wrong, or the scores err."
    ))
    expect_match(lines[[2]], sprintf("^%g to %g of 120 ", reaching[["lower"]], reaching[["upper"]]))
    expect_match(printed(fit), "the scores can't tell|the scores contradict")
    expect_message(called <- mislabelled(fit, fdr = 0.9), class = "sturdy_message_open_verdict")
    expect_equal(nrow(called), 0)
  }
})

test_that("where wrong labels are found, or the other end is no further, the interval is that learned", {
  found <- averaged_stage(toy_scores(2, 200, strength = 20))
  expect_gt(noise_test(found)$bayes_factor, 3)
  sharp <- averaged_stage(toy_scores(2, 120, strength = 20, wrong = 2))
  expect_lte(noise_test(sharp)$bayes_factor, 3)
  ends <- overlap_ends(sharp)
  expect_lte(ends["apart", "upper"], ends["overlap", "upper"])
  for (fit in list(found, sharp)) {
    ends <- overlap_ends(fit)
    expect_false(scores_hide(fit, ends))
    expect_equal(expected_of(fit), unlist(ends["overlap", number]))
    expect_false(noise_test(fit)$kind == "scores")
    expect_no_match(printed(fit), "no need to check")
  }
})
