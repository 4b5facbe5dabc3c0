# The default call, an average over hyperparameters with a label stage, on every path.

local_default <- function(env = parent.frame()) {
  withr::local_options(sturdy.hyper = NULL, .local_envir = env)
}

hard_table <- function(n) {
  withr::local_seed(11)
  d <- data.frame(a = rnorm(n), b = rnorm(n))
  f <- d$a + sin(2 * d$b) + 0.2 * rnorm(n)
  d$y <- factor(f > 0)
  wrong <- c(3, 7, 20)
  d$y[wrong] <- levels(d$y)[3 - as.integer(d$y[wrong])]
  d$four <- factor(findInterval(f, stats::quantile(f, 1:3 / 4)))
  d
}

test_that("whatever is held and whatever is free, every path has an answer by default", {
  local_default()
  local_few()
  local_fewer_points()
  d <- hard_table(48)
  many <- hard_table(160)
  quick <- ep_control(progress = FALSE, restarts = 0)
  paths <- list(
    dense = function(k) gpc(y ~ a + b, d, kernel = k, control = quick),
    inducing = function(k) gpc(y ~ a + b, d, kernel = k, inducing = 6, control = quick),
    t = function(k) stc(y ~ a + b, d, kernel = k, inducing = 6, df = 5, control = quick),
    four = function(k) gpc(four ~ a + b, d, kernel = k, control = quick),
    rows_first = function(k) gpc(y ~ a + b, many, kernel = k, inducing = 8, control = quick),
    shards = function(k) gpc(y ~ a + b, shards(many, 3), kernel = k, inducing = 8, control = quick)
  )
  names <- c("lengthscale", "variance", "bias", "nugget")
  holds <- list(TRUE, c("lengthscale", "nugget"), NULL)
  for (hold in holds) {
    kernel <- kernel_iso(1.2, bias = 0.1, nugget = 0.05, fixed = hold)
    held <- if (isTRUE(hold)) names else hold
    # some of it held: what is learned of the rest is alike in all
    for (path in if (length(hold) == 2) c("dense", "rows_first") else names(paths)) {
      info <- paste(path, paste(held, collapse = ", "))
      fit <- suppressMessages(paths[[path]](kernel))
      expect_identical(fit$ep$status, "converged", info = info)
      expect_identical(unclass(fit$kernel)[held], unclass(kernel)[held], info = info)
      p <- predict(fit, d[1:9, ], type = "prob")
      expect_true(all(p > 0 & p < 1), info = info)
      if (path != "shards") {
        expect_equal(sum(fit$nodes$table$weight), 1, info = info)
        expect_equal(sum(node_weight(judged_by(fit))), 1, info = info)
        expect_true(all(is.finite(mislabelled(fit)$probability)), info = info)
      }
    }
  }
})

test_that("units, last bits, the algebra's kernels and threads leave the default answer alone", {
  local_default()
  local_fewer_points()
  d <- hard_table(40)
  answer <- function(formula, data, ...) {
    suppressMessages(fit <- gpc(formula, data, control = ep_control(progress = FALSE), ...))
    found <- suppressMessages(mislabelled(fit))
    list(found$probability[order(found$row)], fit$nodes$models$log_evidence)
  }
  expect_unmoved <- function(after, before) {
    expect_lt(max(abs(after[[1]] - before[[1]])), 1e-9)
    expect_lt(max(abs(after[[2]] - before[[2]])), 1e-8)
  }
  asked <- list(
    function(data) answer(y ~ a + b, data), function(data) answer(y ~ a + b, data, inducing = 10),
    function(data) answer(four ~ a + b, data, noise = noise_prior(c(none = 1, one = 1)))
  )
  moved <- d # all of it at once
  moved[c("a", "b")] <- 1000 * (1 + 4e-16) * moved[c("a", "b")]
  for (ask in asked) {
    before <- ask(d)
    expect_false(identical(moved$a / 1000, d$a))
    other <- withr::with_options(list(sturdy.blas = "r", sturdy.threads = 2), ask(moved))
    expect_unmoved(other, before)
  }
})
