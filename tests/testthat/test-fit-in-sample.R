# Scores that were made with the labels of their rows, and others.

fast_in_sample <- function(...) {
  second_stage(..., epsilon = 0.1, hyper = "optimum")
}

# Nearest neighbours, with the row itself among them or without
neighbours_toy <- function(n = 120, seed = 1) {
  x <- withr::with_seed(seed, data.frame(a = rnorm(n), b = rnorm(n), c = gl(2, n / 2)))
  y <- withr::with_seed(seed + 1, factor(x$a + x$b / 2 + 0.6 * rnorm(n) > 0, c(FALSE, TRUE), c("no", "yes")))
  D <- as.matrix(dist(x[c("a", "b")]))
  share <- function(own) {
    diag(D) <- if (own) 0 else Inf
    event <- apply(D, 1, function(d) mean(y[order(d)[1:7]] == "yes"))
    pmin(pmax(event, 0.01), 0.99)
  }
  list(x = x, y = y, inside = share(TRUE), outside = share(FALSE))
}

test_that("what is left of scores and labels is that of ridge regressions without each row", {
  d <- neighbours_toy(40)
  fit <- suppressMessages(fast_in_sample(d$outside, d$y, inputs = d$x))
  Z <- cbind(scale(d$x$a), scale(d$x$b), outer(as.integer(d$x$c), 1:2, `==`))
  D <- as.matrix(dist(Z))^2
  K <- 1 + exp(-D / mean(D)) + 0.3 * Z %*% t(Z) / mean(rowSums(Z^2))
  left_out <- function(v, ridge) {
    vapply(seq_along(v), function(i) {
      v[i] - sum(K[i, -i] * solve(K[-i, -i] + diag(ridge, 39), v[-i]))
    }, 0)
  }
  ridges <- c(0.01, 0.1, 1)
  s <- lapply(ridges, left_out, v = d$outside)
  best <- which.min(vapply(s, function(r) sum(r^2), 0))
  label <- left_out(1 * (d$y == "yes"), ridges[best])
  # columns of both classes: those of the other have the opposite signs but for what is left of 1
  other <- left_out(1 - d$outside, ridges[best])
  other_label <- left_out(1 * (d$y == "no"), ridges[best])
  expect_equal(
    fit$data$in_sample$correlation, cor(c(other, s[[best]]), c(other_label, label)),
    tolerance = 1e-8
  )
})

test_that("with inputs scores in sample are told from others, and print() says so", {
  for (seed in c(1, 11, 21)) {
    d <- neighbours_toy(seed = seed)
    expect_no_message(fast_in_sample(d$outside, d$y, inputs = d$x), class = "sturdy_message_in_sample")
    found <- expect_message(
      fast_in_sample(1 * (d$y == "yes"), d$y, inputs = d$x), class = "sturdy_message_in_sample"
    )$found
    expect_gt(found$correlation, 0.95)
    out <- withr::with_seed(seed, 0.632 * (d$y == "yes") + 0.368 * d$outside) # as trees in the bag have it
    fit <- suppressMessages(second_stage(out, d$y, inputs = as.matrix(d$x[1:2])))
    expect_match(printed(fit), "made in sample, which hides wrong labels", fixed = TRUE)
    expect_true(noise_test(fit)$in_sample$seems)
  }
})

test_that("inputs may lack values, need a row for each score, and say nothing where all are alike", {
  d <- neighbours_toy()
  x <- d$x
  x$a[3] <- NA
  whole <- suppressMessages(fast_in_sample(d$inside[-3], d$y[-3], inputs = x[-3, ]))
  part <- suppressMessages(fast_in_sample(d$inside, d$y, inputs = x))
  expect_equal(part$data$in_sample$correlation, whole$data$in_sample$correlation)
  expect_error(fast_in_sample(d$inside, d$y, inputs = x[-1, ]), "row for each score", class = "sturdy_error_type")
  expect_error(fast_in_sample(d$inside, d$y, inputs = x$a), class = "sturdy_error_type")
  same <- fast_in_sample(d$inside, d$y, inputs = data.frame(a = rep(1, 120)))
  expect_null(same$data$in_sample$correlation)
  expect_no_warning(none <- fast_in_sample(d$inside, d$y, inputs = matrix(NA_real_, 120, 2)))
  expect_null(none$data$in_sample$correlation)
})
