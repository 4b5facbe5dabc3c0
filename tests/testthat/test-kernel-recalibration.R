# Overlap as the slope of a recalibration.

test_that("the slope of a share of overlap leaves that share, by direct computation", {
  d <- toy_scores(3, 200)
  S <- log(d$prob)
  for (share in c(0.01, 0.05, 0.2)) {
    slope <- overlap_slope(share, S)
    q <- exp(ref_recalibrated(S, numeric(3), slope))
    expect_equal(mean(1 - apply(q, 1, max)), share, tolerance = 1e-4)
  }
  # a row that stands for several is one of as many
  times <- rep(1:4, 50)
  expect_equal(
    overlap_slope(0.05, S, times), overlap_slope(0.05, S[rep(1:200, times), ]), tolerance = 1e-6
  )
  # ties can't be told apart by any slope
  tied <- matrix(0.5, 10, 2)
  expect_error(overlap_slope(0.01, log(tied)), class = "sturdy_error_prior")
})

test_that("overlap is held, bounded, or learned with both ends named", {
  d <- toy_scores(3, 200, strength = 3)
  fit <- function(overlap) averaged_stage(d, noise = noise_prior(overlap = overlap))
  S <- log(d$prob)
  held <- fit(0.03)
  expect_equal(held$recalibration$slope, overlap_slope(0.03, S))
  expect_false("slope" %in% held$recalibration$free)
  bounded <- fit(c(0.02, 0.03))
  slopes <- vapply(nodes(bounded)$hyper, function(hyper) hyper$slope, 0)
  ends <- c(overlap_slope(0.03, S), overlap_slope(0.02, S))
  expect_true(all(slopes > ends[1] - 1e-8 & slopes < ends[2] + 1e-8))
  expect_gt(diff(range(slopes)), 0.2 * diff(ends))
  learned <- fit(NULL)
  expect_null(overlap_ends(held))
  both <- overlap_ends(learned)
  expect_equal(row.names(both), c("overlap", "apart"))
  expect_equal(both$count[1], noise_test(learned)$average$count)
  apart <- fit(0.01)
  expect_equal(both$count[2], noise_test(apart)$average$count, tolerance = 1e-6)
  expect_gt(both$count[2], both$count[1])
  expect_match(printed(learned), "to the upper if they hardly do")
  expect_match(printed(summary(held)), "slope [0-9.]+ \\(held\\)")
  expect_no_match(printed(summary(learned)), "(held)", fixed = TRUE)
})

test_that("weights of more than a hundred classes are held", {
  d <- toy_scores(26, 202, strength = 300, wrong = 0)
  prob <- cbind(0.9 * d$prob, matrix(0.1 / 75, 202, 75, dimnames = list(NULL, 1:75)))
  fit <- second_stage(prob, as.character(d$labels), hyper = "optimum", epsilon = 0.1)
  expect_identical(fit$recalibration$free, "slope")
  expect_equal(unname(fit$recalibration$weight), rep(1, 100))
  expect_identical(learned(fit), c(rep(FALSE, 100), TRUE, FALSE))
  few <- toy_scores(3, 30)
  few <- second_stage(few$prob, few$labels, hyper = "optimum", epsilon = 0.1)
  expect_identical(few$recalibration$free, c("weight", "slope"))
})

test_that("of many rows the same ones tell the overlap however the table is sorted", {
  d <- toy_scores(2, 6000)
  S <- log(d$prob)
  expect_gt(nrow(S), recalibration_rows)
  slope <- function(S) overlap_slope(0.05, S)
  whole <- slope(S)
  for (turn in list(order(d$labels), rev(1:6000), withr::with_seed(1, sample(6000)))) {
    expect_equal(slope(S[turn, ]), whole, tolerance = 1e-6)
    rows <- rows_for_all(S[turn, ], 50)
    expect_setequal(turn[rows], rows_for_all(S, 50))
  }
  # some of all rows: the share that is left among all is about that
  q <- exp(ref_recalibrated(S, c(0, 0), whole))
  expect_equal(mean(1 - apply(q, 1, max)), 0.05, tolerance = 0.02)
})
