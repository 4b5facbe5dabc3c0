# The number of wrong labels if classes overlap, and if they do not.

quiet <- ep_control(progress = FALSE)

test_that("both ends are those of fits that believe in one possibility", {
  d <- toy(60)
  d$class <- flip_labels(d$class, 0.1, seed = 3)
  # the lengthscale is held, so that the constant latent function is out
  kernel <- function(...) {
    held <- c("lengthscale", "variance", "bias")
    kernel_iso(1.5, bias = 0.1, fixed = held, prior = weak_prior(...))
  }
  fitted <- function(...) {
    gpc(
      class ~ a + b, d, kernel = kernel(...), epsilon = 0.1, hyper = "integrate", control = quiet
    )
  }
  ends <- overlap_ends(fitted())
  wide <- fitted(nugget = c(log(0.3), 2))
  apart <- fitted(nugget = c(log(0.01), 0.5))
  expect_equal(ends$count, c(sum(row_flipped(wide)), sum(row_flipped(apart))), tolerance = 0.03)
  expect_equal(sum(ends$probability), 1)
  odds <- exp(average_evidence(apart) - average_evidence(wide))
  # 40 nodes leave some 0.2 in log evidences, which is a fifth of the odds
  expect_lt(abs(qlogis(ends["apart", "probability"]) - log(odds)), 0.5)
})

test_that("there are none where the prior has one possibility", {
  d <- toy(40)
  expect_null(overlap_ends(gpc(
    class ~ a + b, d, kernel = kernel_iso(), epsilon = "average", hyper = "integrate",
    noise = noise_prior(overlap = 0.05), control = quiet
  )))
  expect_null(overlap_ends(gpc(
    class ~ a + b, d, kernel = kernel_iso(), hyper = "optimum", control = quiet
  )))
})

test_that("a nugget of 0 has no two ends", {
  fit <- gpc(
    class ~ a + b, toy(40), kernel = kernel_iso(1.5, bias = 0.1, nugget = 0, fixed = "nugget"),
    epsilon = "average", hyper = "integrate"
  )
  expect_null(overlap_ends(fit))
  expect_output(print(fit), "Wrong labels?", fixed = TRUE)
})

test_that("that the inputs say nothing is no case of classes that hardly overlap", {
  d <- withr::with_seed(3, data.frame(a = rnorm(40), b = rnorm(40), y = sample(0:1, 40, TRUE)))
  # the nugget is 1 where the latent function is constant, as it is here where they hardly overlap
  kernel <- kernel_iso(variance = 100, fixed = "variance")
  fit <- gpc(y ~ a + b, d, kernel = kernel, epsilon = "average", hyper = "integrate")
  constant <- at_constant(fit$nodes$table)
  weight <- node_weight(fit)
  expect_gt(sum(weight[constant]), 0.5)
  log_nugget <- log(vapply(nodes(fit)$hyper[!constant], `[[`, 0, "nugget"))
  prior <- nugget_prior(fit)
  density <- function(prior) dnorm(log_nugget, prior$meanlog, prior$sdlog)
  second <- prior$besides$share * density(prior$besides)
  share <- second / (second + (1 - prior$besides$share) * density(prior))
  part <- weight[!constant] * share
  ends <- overlap_ends(fit)
  expect_equal(ends["apart", "probability"], sum(part), tolerance = 1e-10)
  expect_equal(sum(ends$probability), 1)
  wrong <- colSums(node_wrong(fit)[, !constant])
  expect_equal(ends["apart", "count"], sum(part * wrong) / sum(part), tolerance = 1e-6)
})

test_that("of many scores some tell the number where they hardly err, in proportion", {
  local_mocked(recalibration_rows = 50L)
  d <- toy_scores(2, 200)
  times <- rep_len(c(1, 2, 1), 200)
  some <- rows_for_all(d$prob, NULL, 50L)
  stage <- function(rows, ...) {
    second_stage(d$prob[rows, ], d$labels[rows], weights = times[rows], hyper = "integrate", ...)
  }
  ends <- overlap_ends(stage(1:200))
  part <- attr(mislabelled(stage(some, noise = noise_prior(overlap = 0.01))), "expected")
  each <- sum(times) / sum(times[some])
  expect_gt(each, 3.5)
  number <- c("count", "lower", "upper")
  expect_equal(unlist(ends["apart", number]), each * unlist(part[number]), tolerance = 1e-6)
})
