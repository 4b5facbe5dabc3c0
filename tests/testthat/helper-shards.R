# Rows on two sides of a curve, some labels wrong, with a factor.
shard_data <- function(n = 600, seed = 1, flips = 0.1) {
  withr::with_seed(seed, {
    d <- data.frame(
      a = rnorm(n), b = rnorm(n, 3, 2), f = factor(sample(c("u", "v", "w"), n, TRUE))
    )
    event <- d$a + ((d$b - 3) / 2)^2 + 0.8 * (d$f == "v") - 0.9 + 0.3 * rnorm(n) > 0
    wrong <- stats::runif(n) < flips
    d$class <- factor(ifelse(event != wrong, "yes", "no"))
    d
  })
}

# EP starts under the posterior of a part of the rows, as it does where there are many
local_few <- function(rows = 100L, env = parent.frame()) {
  local_mocked(stage_rows = rows, frame = env)
}

held_kernel <- function(nugget = 0.1) {
  kernel_ard(lengthscale = c(a = 1, b = 1, f = 1.5), variance = 1, bias = 0.1, nugget = nugget,
             fixed = c("lengthscale", "variance", "bias", "nugget"))
}

# Probabilities, weights or not, of both kinds of fit
expect_same_answers <- function(fit, whole, new, tolerance) {
  expect_equal(
    predict(fit, new, type = "prob"), predict(whole, new, type = "prob"),
    tolerance = tolerance
  )
  expect_equal(log_evidence(fit), log_evidence(whole), tolerance = tolerance)
}
