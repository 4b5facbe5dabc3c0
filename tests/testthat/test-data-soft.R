# Labels that are probabilities.

quiet <- ep_control(progress = FALSE, tol = 1e-10)
held <- kernel_iso(1.2, nugget = 0.1, fixed = TRUE)

soft_rows <- function(n = 25, seed = 1) {
  withr::with_seed(seed, {
    d <- data.frame(x1 = stats::rnorm(n), x2 = stats::rnorm(n))
    d$truth <- d$x1 + d$x2 > 0
    d$yes <- stats::plogis(stats::rnorm(n, 2 * d$truth - 1, 1.5))
    d$no <- 1 - d$yes
    d
  })
}

test_that("one row is an integral over the latent function", {
  d <- data.frame(x = 0.3, no = 0.2, yes = 0.8)
  fit <- suppressMessages(gpc(cbind(no, yes) ~ x, d, kernel = held, control = quiet))
  # half of the prior is on either side of 0
  expect_equal(log_evidence(fit), log(0.5), tolerance = 1e-10)
  expect_equal(unname(predict(fit, type = "true")[1, ]), c(0.2, 0.8), tolerance = 1e-8)
})

test_that("a row is a label with a flip rate of its own: EP in plain R [M 13.1]", {
  d <- soft_rows()
  fit <- gpc(cbind(no, yes) ~ x1 + x2, d, kernel = held, control = quiet)
  K <- ref_kernel(fit$data$X, lengthscale = 1.2, bias = fit$kernel$bias, nugget = 0.1)
  y <- ifelse(d$yes > 0.5, 1, -1)
  own <- pmin(d$yes, d$no)
  tau <- nu <- numeric(nrow(d))
  for (sweep in 1:200) {
    for (i in seq_along(y)) {
      S <- solve(solve(K) + diag(tau))
      m <- drop(S %*% nu)
      cavity_tau <- 1 / S[i, i] - tau[i]
      mean <- (m[i] / S[i, i] - nu[i]) / cavity_tau
      tilted <- ref_tilted(mean, 1 / cavity_tau, y[i], Inf, own[i], 1)
      tau[i] <- 1 / tilted$V - cavity_tau
      nu[i] <- tilted$m_hat / tilted$V - cavity_tau * mean
    }
  }
  expect_equal(fit$ep$sites$tau, tau, tolerance = 1e-6)
  expect_equal(fit$ep$sites$nu, nu, tolerance = 1e-6)
  S <- solve(solve(K) + diag(tau))
  m <- drop(S %*% nu)
  v <- 1 / (1 / diag(S) - tau)
  mean <- v * (m / diag(S) - nu)
  pi <- stats::pnorm(mean / sqrt(v))
  true <- d$yes * pi / (d$yes * pi + d$no * (1 - pi))
  expect_equal(unname(predict(fit, type = "true")[, "yes"]), true, tolerance = 1e-6)
  expect_equal(
    loo(fit)$pointwise[, "elpd_loo"], log(d$yes * pi + d$no * (1 - pi)), tolerance = 1e-6,
    ignore_attr = TRUE
  )
})

test_that("rows of 0 and 1 are trusted labels, of two classes and three", {
  d <- soft_rows()
  hard <- cbind(no = 1 - d$truth, yes = 1 * d$truth)
  x <- as.matrix(d[c("x1", "x2")])
  same <- function(P, y, ...) {
    soft <- gpc(x, P, kernel = held, control = quiet, ...)
    known <- function(epsilon) {
      gpc(
        x, y, kernel = held, trusted = seq_along(y), epsilon = epsilon, control = quiet, ...
      )
    }
    trusted <- known(0)
    expect_equal(log_evidence(soft), log_evidence(trusted), tolerance = 1e-10)
    expect_equal(
      predict(soft, x + 0.3, type = "prob"), predict(trusted, x + 0.3, type = "prob"),
      tolerance = 1e-10
    )
    # a rate of wrong labels that is learned besides leaves the latent function as it is
    new <- (x + 0.3 - rep(colMeans(x), each = nrow(x))) / rep(apply(x, 2, sd), each = nrow(x))
    expect_equal(first_prob(known("learn"), new), first_prob(soft, new), tolerance = 1e-10)
  }
  same(hard, factor(d$truth, labels = c("no", "yes")))
  same(hard, factor(d$truth, labels = c("no", "yes")), inducing = 8)
  three <- cut(d$x1, c(-Inf, -0.5, 0.5, Inf), labels = c("a", "b", "c"))
  same(matrix(diag(3)[three, ], ncol = 3, dimnames = list(NULL, levels(three))), three)
})

test_that("equal probabilities say nothing, and a missing one is a row without a label", {
  d <- soft_rows()
  P <- cbind(no = d$no, yes = d$yes)
  x <- as.matrix(d[c("x1", "x2")])
  fit <- function(P) {
    suppressMessages(gpc(x, P, kernel = held, scale = FALSE, control = quiet))
  }
  none <- replace(P, cbind(c(3, 3, 9, 9), c(1, 2, 1, 2)), 0.5)
  without <- replace(P, cbind(c(3, 9), 1:2), NA)
  expect_message(gpc(x, without, kernel = held), class = "sturdy_message_no_label")
  expect_equal(
    predict(fit(none), type = "true"), predict(fit(without), type = "true"), tolerance = 1e-6,
    ignore_attr = TRUE
  )
})

test_that("formula, matrix and data frame are alike; order of rows, of classes, checks and updates", {
  d <- soft_rows()
  of <- function(...) gpc(..., kernel = held, control = quiet)
  fit <- of(cbind(no, yes) ~ x1 + x2, d)
  true <- function(fit) unname(predict(fit, type = "true")[, "yes"])
  expect_equal(true(of(d[c("x1", "x2")], d[c("no", "yes")])), true(fit), tolerance = 1e-10)
  turn <- rev(seq_len(nrow(d)))
  expect_equal(true(of(cbind(no, yes) ~ x1 + x2, d[turn, ]))[turn], true(fit), tolerance = 1e-8)
  expect_equal(true(of(cbind(yes, no) ~ x1 + x2, d)), true(fit), tolerance = 1e-8)
  expect_equal(true(update(fit, kernel = held)), true(fit), tolerance = 1e-10)
  checks <- data.frame(row = 2:3, label = c("yes", "no"))
  checked <- suppressMessages(update(fit, checked = checks))
  known <- d
  known[2:3, c("no", "yes")] <- rbind(0:1, 1:0)
  expect_equal(true(checked), true(of(cbind(no, yes) ~ x1 + x2, known)), tolerance = 1e-8)
  # learned hyperparameters, averaged over, with inputs that may say nothing
  averaged <- gpc(cbind(no, yes) ~ x1 + x2, d, hyper = "integrate", control = quiet)
  expect_true(all(is.finite(true(averaged))))
})

test_that("it says what it is, and refuses what it has no answer for", {
  d <- soft_rows()
  x <- as.matrix(d[c("x1", "x2")])
  P <- cbind(no = d$no, yes = d$yes)
  fit <- gpc(x, P, kernel = held, control = quiet)
  expect_snapshot(print(fit))
  for (verb in list(mislabelled, review, residuals, confusion, calibration)) {
    expect_error(verb(fit), class = "sturdy_error_soft_labels")
  }
  refused <- function(...) expect_error(gpc(x, ...), class = "sturdy_error_soft_labels")
  refused(unname(P))
  refused(P, trusted = 1:3)
  refused(P, rates = rep(1:2, length.out = 25))
  refused(P, epsilon = 0.1)
  refused(P, epsilon = "average", noise = noise_prior(unlabelled = "no"))
  expect_snapshot(said(gpc(x, 3 * P)))
  expect_error(bpm(x, P, inference = "adf", epsilon = 0), class = "sturdy_error")
})
