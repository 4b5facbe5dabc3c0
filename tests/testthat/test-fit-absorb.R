test_that("rows absorbed after an EP fit move its posterior as one ADF pass does", {
  d <- linear_data()
  for (df in c(5, Inf)) {
    fit <- bpm(class ~ ., d[1:80, ], df = df, epsilon = 0.05)
    after <- update(fit, d[81:120, ])
    Xt <- bpm_design(fit, forge(fit$blueprint, d[81:120, ], rlang::current_env())$X)
    mu <- coef(fit)
    S <- exp(fit$weights$log_scale) * fit$weights$C
    log_zp <- 0
    for (i in 1:40) {
      y <- if (d$class[80 + i] == "yes") 1 else -1
      step <- ref_adf(mu, S, Xt[, i], y, df, 0.05)
      mu <- step$mu
      S <- step$S
      log_zp <- log_zp + step$log_Zp
    }
    expect_close(coef(after), mu, 1e-9)
    expect_close(vcov(after) * if (df == 5) 3 / 5 else 1, S, 1e-9, floor = max(S) / 10)
    expect_close(after$log_evidence, fit$log_evidence + log_zp, 1e-10)
    expect_equal(after$nobs, 120)
    expect_equal(after$filter$rows, 40)
    expect_equal(after$inference, "adf")
    expect_null(after$ep)
    expect_null(after$y)
    expect_output(print(after), "40 of 120 rows absorbed")
    expect_identical(after$blueprint, fit$blueprint)
  }
})

test_that("labels come from the formula or from y, in any form of the classes", {
  d <- toy()
  fit <- bpm(class ~ a + b, d[1:20, ], epsilon = 0.05)
  wanted <- update(fit, d[21:40, ])$weights
  turned <- d[21:40, ]
  turned$class <- factor(turned$class, levels = c("yes", "no", "never"))
  expect_identical(update(fit, turned)$weights, wanted)
  X <- as.matrix(d[c("a", "b")])
  xy <- bpm(X[1:20, ], d$class[1:20] == "yes", epsilon = 0.05)
  expect_identical(update(xy, X[21:40, ], d$class[21:40] == "yes")$weights, wanted)
  one <- update(fit, d[21, ])
  expect_equal(one$nobs, 21)
  expect_identical(update(fit, d[0, ])$weights, fit$weights)
})

test_that("bad rows are refused and the fit is as before", {
  d <- toy()
  fit <- bpm(class ~ a + b, d, epsilon = 0.05)
  expect_error(update(fit, d["a"]), class = "sturdy_error_missing_column")
  expect_error(update(fit, d[c("a", "b")]), class = "sturdy_error_missing_column")
  expect_error(update(fit, transform(d, a = "1")), class = "sturdy_error_column_type")
  expect_error(update(fit, d, d$class), class = "sturdy_error_unknown_argument")
  expect_error(update(fit, d, epsilon = 0.1), class = "sturdy_error_unknown_argument")
  expect_error(update(fit, 1:3), class = "sturdy_error_type")
  other <- transform(d, class = ifelse(a > 1, "maybe", "yes"))
  cnd <- expect_error(update(fit, other), class = "sturdy_error_novel_levels")
  expect_s3_class(cnd, "sturdy_error_outcome_levels")
  expect_equal(cnd$rows, which(d$a > 1))
  expect_snapshot(said(update(fit, other)))
  d$a[3] <- Inf
  expect_error(update(fit, d), class = "sturdy_error_not_finite")
})

test_that("rows with missing values go where na.action sends them", {
  d <- toy()
  fit <- bpm(class ~ a + b, d, epsilon = 0.05)
  new <- d[1:6, ]
  new$a[2] <- NA
  new$class[5] <- NA
  expect_identical(update(fit, new)$weights, update(fit, d[c(1, 3, 4, 6), ])$weights)
  expect_equal(update(fit, new)$nobs, 44)
  expect_error(
    update(fit, new, na.action = na.fail), class = "sturdy_error_missing"
  )
  cnd <- expect_error(
    update(fit, new, na.action = na.pass), class = "sturdy_error_missing"
  )
  expect_equal(cnd$rows, c(2, 5))
})

test_that("changed arguments need the data, for none is kept", {
  d <- toy()
  fit <- bpm(class ~ a + b, d, epsilon = 0.05)
  for (ask in expression(
    update(fit), update(fit, epsilon = 0.1), update(fit, . ~ a)
  )) {
    expect_error(eval(ask), class = "sturdy_error_missing_argument")
  }
  expect_snapshot(said(update(fit, epsilon = 0.1)))
  expect_identical(
    update(fit, data = d, epsilon = 0.1)$weights,
    bpm(class ~ a + b, d, epsilon = 0.1)$weights
  )
  smaller <- update(fit, . ~ . - b, data = d)
  expect_equal(names(coef(smaller)), c("(Intercept)", "a"))
  expect_s3_class(update(fit, data = d, inference = "adf"), "bpm")
  again <- update(update(fit, d[1:5, ]), data = d)
  expect_identical(again$weights, fit$weights)
  expect_error(
    update(fit, data = d, epsilom = 1), class = "sturdy_error_unknown_argument"
  )
  xy <- bpm(d[c("a", "b")], d$class, epsilon = 0.05)
  expect_error(update(xy, data = d), class = "sturdy_error_no_formula")
  expect_error(update(xy, d[c("a", "b")]), class = "sturdy_error_missing_argument")
  expect_error(
    update(xy, d[c("a", "b")], d$class[-1]), class = "sturdy_error_length"
  )
})
