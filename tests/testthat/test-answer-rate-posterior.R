# The posterior of a rate that was learned at one point, against EP at each of its rates

test_that("between the rates where EP was run rows are as EP there has them", {
  of <- function(epsilon) {
    gpc(class ~ a + b, toy(), kernel = kernel_iso(1, fixed = TRUE), epsilon = epsilon)
  }
  at <- rate_posterior(of("learn"))
  expect_equal(sum(at$weight), 1)
  log_z <- numeric(length(at$weight))
  for (k in which(at$weight > 0.01)) {
    rate <- at$omega[[k]][1, 1, 2]
    direct <- of(rate)
    expect_lt(max(abs(exp(at$seen(k)) - exp(direct$ep$seen))), 0.035)
    # a uniform prior on the rate, as a density in the logit of twice the rate
    log_z[k] <- log_evidence(direct) + log(rate) + log1p(-2 * rate)
  }
  used <- which(at$weight > 0.01)
  density <- exp(log_z[used] - max(log_z[used]))
  expect_equal(at$weight[used] / sum(at$weight[used]), density / sum(density), tolerance = 0.02)
})
