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
