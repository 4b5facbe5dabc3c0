# P(f_c is the largest) against stats::integrate(); more in tools/ctest.

test_that("probabilities agree with adaptive quadrature", {
  set.seed(5)
  for (C in c(2, 3, 5, 10, 20)) {
    for (spread in c(0.3, 1, 2)) {
      mean <- rnorm(C, sd = 1.5)
      sd <- exp(rnorm(C, sd = spread / 2))
      got <- exp(native_classes_prob(t(mean), t(sd^2)))
      want <- vapply(seq_len(C), ref_argmax, numeric(1), mean, sd)
      expect_close(got, want, 1e-11, floor = 1e-2)
    }
  }
})

test_that("probabilities add up to 1 for any variances", {
  set.seed(6)
  for (C in c(3, 8, 20)) {
    mean <- matrix(rnorm(20 * C, sd = 10), 20)
    var <- matrix(10^runif(20 * C, -5, 5), 20)
    expect_close(rowSums(exp(native_classes_prob(mean, var))), rep(1, 20), 1e-12)
  }
})

test_that("a class far behind keeps its digits in logs", {
  # two classes: a normal tail
  far <- c(5, 30, 100, 1000)
  got <- native_classes_prob(cbind(-far, 0), matrix(0.5, 4, 2))[, 1]
  expect_close(got, pnorm(-far, log.p = TRUE), 1e-13)
})
