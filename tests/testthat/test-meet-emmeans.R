# emmeans: means of a reference grid, their contrasts and tests.

skip_unless_emmeans <- function() skip_if_not_installed("emmeans")

marginal_data <- function() {
  withr::with_seed(6, {
    d <- data.frame(
      x = rnorm(120), f = factor(sample(c("u", "v", "w"), 120, TRUE)), l = runif(120) < 0.5
    )
    d$y <- factor(ifelse(d$x + (d$f == "v") + rnorm(120) > 0, "yes", "no"))
    d
  })
}

test_that("the link at a grid is that of the coefficients, with its covariance", {
  d <- marginal_data()
  fit <- bpm(y ~ x + f + l, d, hyper = "integrate")
  grid <- expand.grid(x = c(-1, 2), f = c("u", "v", "w"), l = c(FALSE, TRUE))
  basis <- emm_basis.sturdy_model(fit, NULL, NULL, transform(grid, l = factor(l)))
  X <- stats::model.matrix(~ x + f + l, grid)
  expect_equal(basis$X, X, ignore_attr = TRUE)
  expect_equal(basis$bhat, unname(coef(fit)))
  expect_equal(basis$V, vcov(fit))
  # and so at the grid they are the latent function's, of the fit itself
  f <- path_link(fit, forge(fit$blueprint, grid)$X, 2000L)
  sd <- apply(f, 1, sd)
  expect_lt(max(abs(drop(basis$X %*% basis$bhat) - rowMeans(f)) / sd), 0.1)
  expect_lt(max(abs(sqrt(diag(basis$X %*% basis$V %*% t(basis$X))) / sd - 1)), 0.1)
  kernel <- gpc(y ~ x + f, d, epsilon = 0.05, kernel = held(2))
  basis <- emm_basis.sturdy_model(kernel, NULL, NULL, grid)
  X <- forge(kernel$blueprint, grid)$X
  at <- known_latent(kernel, X)
  sd <- at$sd[, 1, 1] / sqrt(at$noise[, 1, 1])
  expect_lt(max(abs(basis$bhat - at$m[, 1, 1] / sqrt(at$noise[, 1, 1])) / sd), 0.15)
  expect_lt(max(abs(sqrt(diag(basis$V)) / sd - 1)), 0.1)
  expect_identical(basis$misc$tran, "probit")
})

test_that("probabilities of the event are those of predict(), through the label stage", {
  d <- marginal_data()
  d$y[c(3, 30, 60, 90)] <- rev(levels(d$y))[d$y[c(3, 30, 60, 90)]]
  grid <- expand.grid(x = c(-2, 0, 1), f = c("u", "v", "w"), l = c(FALSE, TRUE))
  fits <- list(bpm(y ~ x + f + l, d, hyper = "integrate"), gpc(y ~ x + f + l, d, hyper = "integrate"))
  for (fit in fits) {
    basis <- emm_basis.sturdy_model(fit, NULL, NULL, transform(grid, l = factor(l)))
    p <- predict(fit, grid, type = "response")
    first <- first_prob(fit, forge(fit$blueprint, grid)$X)[, 2]
    expect_gt(max(abs(p - first)), 0.02) # the stage does matter
    expect_equal(basis$misc$tran$linkinv(stats::qnorm(first)), unname(p), tolerance = 1e-10)
    # a function and its inverse and slope
    tran <- basis$misc$tran
    z <- seq(-3, 3, 0.5)
    expect_equal(tran$linkfun(tran$linkinv(z)), z, tolerance = 1e-8)
    expect_equal(
      tran$linkinv(1) - tran$linkinv(0), stats::integrate(tran$mu.eta, 0, 1)$value,
      tolerance = 1e-6
    )
    expect_identical(is.na(tran$linkinv(c(0, NA))), c(FALSE, TRUE))
    if (rlang::is_installed("emmeans")) {
      means <- as.data.frame(emmeans::emmeans(fit, ~ x + f + l, at = lapply(grid, unique), type = "response"))
      at <- paste(means$x, means$f, means$l)
      link <- drop(basis$X %*% basis$bhat)
      expect_equal(means$prob, tran$linkinv(link)[match(at, paste(grid$x, grid$f, grid$l))])
    }
  }
})

test_that("marginal means and joint tests are near those of glm()", {
  skip_unless_emmeans()
  d <- marginal_data()
  ours <- bpm(y ~ x + f + l, d, epsilon = 0, nugget = 1, prior_scale = 25)
  theirs <- stats::glm(y ~ x + f + l, stats::binomial("probit"), d)
  both <- lapply(list(ours, theirs), function(fit) {
    as.data.frame(pairs(emmeans::emmeans(fit, "f")))
  })
  expect_identical(both[[1]]$contrast, both[[2]]$contrast)
  expect_lt(max(abs(both[[1]]$estimate - both[[2]]$estimate) / both[[2]]$SE), 0.25)
  expect_lt(max(abs(both[[1]]$SE / both[[2]]$SE - 1)), 0.1)
  response <- as.data.frame(emmeans::emmeans(ours, "f", type = "response"))
  expect_true(all(response$prob > 0 & response$prob < 1))
  tests <- lapply(list(ours, theirs), function(fit) as.data.frame(emmeans::joint_tests(fit)))
  expect_setequal(tests[[1]][["model term"]], c("x", "f", "l"))
  expect_lt(max(abs(sqrt(tests[[1]]$F.ratio) - sqrt(tests[[2]]$F.ratio))), 0.4)
  matrix_fit <- gpc(as.matrix(d["x"]), d$y, epsilon = 0.05, kernel = held(2))
  expect_s4_class(emmeans::emmeans(matrix_fit, "x", at = list(x = 0:1)), "emmGrid")
})

test_that("of several classes, in an order or not, means are of their probabilities", {
  skip_unless_emmeans()
  d <- marginal_data()
  d$y <- cut(d$x + (d$f == "v"), c(-Inf, -0.3, 0.9, Inf), c("low", "mid", "high"))
  # one input more than is averaged over: means are at the mean of x
  new <- expand.grid(x = mean(d$x), f = levels(d$f))
  for (in_order in c(FALSE, TRUE)) {
    data <- transform(d, y = factor(y, ordered = in_order))
    fit <- suppressMessages(gpc(y ~ x + f, data, epsilon = 0.05, kernel = held(2)))
    means <- as.data.frame(emmeans::emmeans(fit, ~ f | y))
    p <- predict(fit, new, type = "prob")
    expect_equal(means$prob, as.vector(p), tolerance = 0.05)
    ends <- predict(fit, new, interval = 0.9)
    spread <- as.vector(ends$upper - ends$lower) / (2 * stats::qnorm(0.95))
    inner <- p > 0.1 # nearer to 0 its distribution is skewed, and no interval one of a normal
    expect_lt(max(abs(means$SE / spread - 1)[inner]), 0.35)
    expect_identical(as.character(means$y), rep(levels(d$y), each = 3))
    apart <- as.data.frame(pairs(emmeans::emmeans(fit, ~ f | y)))
    expect_equal(apart$estimate[1], means$prob[1] - means$prob[2])
  }
})

test_that("what has no such means says so", {
  certain <- bpm(class ~ a, toy(), nugget = 0, epsilon = 0.2)
  expect_error(
    emm_basis.sturdy_model(certain, NULL, NULL, data.frame(a = 1)), class = "sturdy_error_choice"
  )
  # data that are given must have the columns
  for (data in list("file.csv", data.frame(b = 1:3))) {
    expect_error(recover_data.sturdy_model(toy_fit(), data), class = "sturdy_error")
  }
  expect_error(anova(toy_fit()), class = "sturdy_error_no_anova")
  expect_snapshot(said(anova(toy_fit())))
})
