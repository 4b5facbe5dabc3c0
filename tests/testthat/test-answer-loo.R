elpd <- function(score) score$estimates[["elpd_loo", "Estimate"]]

test_that("the leave-one-out score is the sum of its terms", {
  score <- loo(toy_fit())
  expect_s3_class(score, c("sturdy_loo", "loo"), exact = TRUE)
  terms <- terms_of(score)
  expect_length(terms, 40)
  expect_true(all(terms < 0))
  expect_equal(
    score$estimates["elpd_loo", ],
    c(Estimate = sum(terms), SE = sqrt(40) * sd(terms))
  )
})

test_that("the shape is that of the loo package", {
  score <- loo(toy_fit())
  expect_named(score, c("estimates", "pointwise"))
  rows <- c("elpd_loo", "p_loo", "looic")
  expect_identical(dimnames(score$estimates), list(rows, c("Estimate", "SE")))
  expect_identical(colnames(score$pointwise), rows)
  expect_equal(score$estimates["looic", "Estimate"], -2 * elpd(score))
  expect_equal(score$estimates["looic", "SE"], 2 * score$estimates["elpd_loo", "SE"])
  expect_equal(score$pointwise[, "looic"], -2 * score$pointwise[, "elpd_loo"])
  # nothing is sampled
  expect_true(all(is.na(score$estimates["p_loo", ])))
  expect_true(all(is.na(score$pointwise[, "p_loo"])))
})

test_that("terms stand under the names of their rows", {
  d <- toy()
  d$a[2] <- NA
  expect_identical(
    rownames(loo(toy_fit(data = d))$pointwise), as.character(setdiff(1:40, 2))
  )
})

test_that("leave-one-out is near the probability from a fit without the row", {
  d <- toy()
  left_out <- vapply(1:8, function(i) {
    without <- gpc(
      class ~ a + b, d[-i, ], epsilon = 0.05, scale = FALSE, kernel = held()
    )
    label <- as.character(d$class[i])
    predict(without, d[i, ], type = "prob", noise = TRUE)[, label]
  }, numeric(1))
  whole <- gpc(class ~ a + b, d, epsilon = 0.05, scale = FALSE, kernel = held())
  expect_equal(exp(terms_of(loo(whole))[1:8]), left_out, tolerance = 0.05)
})

test_that("an average is scored as it is by itself, whatever its label stage says", {
  fit <- gpc(class ~ a + b, toy(), kernel = kernel_iso(), hyper = "integrate")
  y <- label_code(fit$data)
  z <- vapply(seq_along(fit$nodes$hyper), function(k) {
    log(rowSums(exp(fit$nodes$seen[, , k]) * t(fit$nodes$omega[[k]][1, , y])))
  }, numeric(40))
  plain <- -log(drop(exp(-z) %*% fit$nodes$table$weight))
  expect_equal(terms_of(loo(fit)), plain, tolerance = 1e-8)
  expect_equal(loo(fit), loo(first_stage(fit)))
  expect_gt(max(abs(log(mislabelled(fit)$loo[order(mislabelled(fit)$row)]) - plain)), 0.05)
})

test_that("one row has a score without a standard error", {
  score <- loo(gpc(matrix(1), 1, kernel = held(), epsilon = 0.1))
  expect_equal(elpd(score), log(0.5))
  expect_identical(score$estimates[["elpd_loo", "SE"]], NA_real_)
})

test_that("a score prints its sum, error and lowest row", {
  score <- structure(
    loo_shape(log(c(0.5, 0.9, 0.1)), c("a", "b", "c")), class = c("sturdy_loo", "loo")
  )
  expect_snapshot(score)
  expect_identical(withVisible(print(score)), list(value = score, visible = FALSE)) |>
    capture.output()
})

# The loo package -------------------------------------------------------------

test_that("both generics know the fits, and ours what is not a fit", {
  skip_if_not_installed("loo")
  fit <- toy_fit()
  expect_equal(loo::loo(fit), loo(fit))
  expect_true(loo::is.loo(loo(fit)))
  log_lik <- withr::with_seed(1, matrix(rnorm(2000, -1, 0.1), 500))
  of <- function(loo) suppressWarnings(loo(log_lik))
  expect_equal(of(loo)$estimates, of(loo::loo)$estimates)
})

test_that("loo::loo_compare() takes scores one by one and as a list", {
  skip_if_not_installed("loo")
  fits <- list(noise = toy_fit(), none = toy_fit(epsilon = 0))
  scores <- lapply(fits, loo)
  table <- function(x) {
    x <- as.data.frame(x)
    x[c("elpd_diff", "se_diff", "elpd_loo", "p_loo")]
  }
  one <- table(loo::loo_compare(scores$noise, scores$none))
  named <- loo::loo_compare(scores)
  expect_s3_class(named, "compare.loo")
  expect_equal(one, table(named), ignore_attr = TRUE)
  difference <- terms_of(scores$none) - terms_of(scores$noise)
  expect_equal(one$elpd_diff, c(0, sum(difference)))
  expect_equal(one$se_diff, c(0, sqrt(40) * sd(difference)))
  expect_equal(one$elpd_loo, c(elpd(scores$noise), elpd(scores$none)))
  expect_true(all(is.na(one$p_loo)))
  expect_output(print(named, simplify = FALSE), "elpd_diff")
})

test_that("loo::loo_compare() compares with scores of other packages", {
  skip_if_not_installed("loo")
  ours <- loo(toy_fit())
  log_lik <- withr::with_seed(1, matrix(rnorm(40 * 500, -2, 0.1), 500))
  theirs <- suppressWarnings(loo::loo(log_lik))
  for (scores in list(list(ours, theirs), list(theirs, ours))) {
    expect_warning(table <- loo::loo_compare(scores), "yhash") # theirs has none
    expect_s3_class(table, "compare.loo")
    expect_equal(as.data.frame(table)$elpd_loo[1], elpd(ours))
  }
})

test_that("loo::loo_compare() warns of scores of other labels", {
  skip_if_not_installed("loo")
  d <- toy()
  d$class[1] <- setdiff(levels(d$class), d$class[1])
  expect_warning(loo::loo_compare(loo(toy_fit()), loo(toy_fit(data = d))), "yhash")
})

test_that("the same labels have the same hash, whichever way they were given", {
  d <- toy()
  given <- gpc(as.matrix(d[c("a", "b")]), d$class, kernel = held(), epsilon = 0.05)
  expect_identical(attr(loo(given), "yhash"), attr(loo(toy_fit()), "yhash"))
})

test_that("without the loo package, what is not a fit is refused", {
  expect_error(without_packages("loo", loo(1:3)), class = "sturdy_error_type")
})

test_that("what is no fit is refused, not passed round", {
  expect_error(loo(3))
  expect_error(loo(NULL))
})
