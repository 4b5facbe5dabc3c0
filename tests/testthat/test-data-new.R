test_that("new data are encoded as the training data were", {
  d <- mixed()
  for (f in list(y ~ ., y ~ log(u) + poly(v, 2) + f + u:v, y ~ 1)) {
    m <- mold(f, d)
    expect_equal(forge_new(m, d[c(3, 1), ])$X, m$data$X[c(3, 1), , drop = FALSE])
  }
  m <- mold_x(as.matrix(d[c("u", "v")]))
  expect_equal(forge_new(m, d[2:3, c("v", "s", "u")])$X, m$data$X[2:3, ])
})

test_that("new data may have no rows, more columns, and missing values", {
  d <- mixed()
  m <- mold(y ~ poly(u, 2) + f, d)
  expect_equal(dim(forge_new(m, d[0, ])$X), c(0, 5))
  new <- data.frame(f = c("a", NA, "b"), u = c(1, 2, NA), other = 1)
  expect_equal(
    forge_new(mold(y ~ u + f, d), new)$complete, c(TRUE, FALSE, FALSE)
  )
  expect_equal(forge_new(mold(y ~ u, d), data.frame(u = NA))$complete, FALSE)
})

test_that("labels with columns are refused, also where a new row lacks a value", {
  X <- matrix(c(-2, -1, 1, 2, 0, 1, 0, 1), 4)
  fit <- gpc(X, c(0, 0, 1, 1), epsilon = 0.05)
  new <- X
  new[1, 1] <- NA
  for (labels in list(cbind(c(1, 1, 0, 0), c(0, 0, 1, 1)), data.frame(class = c(0, 0, 1, 1)))) {
    for (x in list(X, new)) {
      expect_error(mislabelled(fit, newdata = x, labels = labels), class = "sturdy_error_outcome_type")
    }
  }
})

test_that("unnamed matrices are known by position", {
  m <- mold_x(matrix(1:8 + 0.5, 4))
  expect_equal(m$blueprint$columns, c("x1", "x2"))
  expect_equal(forge_new(m, matrix(1:8 + 0.5, 4))$X, m$data$X)
  expect_error(forge_new(m, matrix(1:4, 4)), class = "sturdy_error_missing_column")
})

test_that("new data that differ in kind are refused", {
  d <- mixed()
  m <- mold(y ~ u + f + l, d)
  new <- function(...) transform(d, ...)
  expect_error(forge_new(m, d["u"]), class = "sturdy_error_missing_column")
  expect_error(forge_new(m, new(f = "z")), class = "sturdy_error_novel_levels")
  expect_message( # for predictions: see test-fit-gpc.R and test-fit-weights.R
    forge(m$blueprint, new(f = "z"), novel = TRUE), class = "sturdy_message_novel_levels"
  )
  expect_error(forge_new(m, new(f = 1)), class = "sturdy_error_column_type")
  expect_error(forge_new(m, new(u = "1")), class = "sturdy_error_column_type")
  expect_error(forge_new(m, new(l = 1)), class = "sturdy_error_column_type")
  expect_error(forge_new(m, new(u = Inf)), class = "sturdy_error_not_finite")
  expect_error(forge_new(m, as.matrix(d["u"])), class = "sturdy_error_type")
  expect_error(forge_new(m, 1:3), class = "sturdy_error_type")
  logged <- mold(y ~ log(u), d)
  expect_error(forge_new(logged, new(u = "1")), class = "sturdy_error_formula")
  expect_snapshot({
    said(forge_new(m, d["u"]))
    said(forge_new(m, new(f = c("z", "a", "zz"))))
    said(forge_new(m, new(u = "1")))
  })
})

test_that("a logical matrix is taken in new data as in training", {
  x <- cbind(rep(c(TRUE, FALSE), 10), rep(c(TRUE, TRUE, FALSE, FALSE), 5))
  fit <- bpm(x, x[, 1], epsilon = 0.1)
  expect_close(predict(fit, x, type = "prob"), predict(fit, type = "prob"), 1e-12)
})

test_that("inputs of any size are fitted as those of size 1, and new ones may be anywhere", {
  d <- toy()
  new <- data.frame(a = c(-1, 0, 2), b = c(0.5, -1, 1))
  fit <- toy_fit(data = d)
  for (unit in c(1e160, 1e-170)) {
    sized <- toy_fit(data = transform(d, a = a * unit))
    expect_equal(log_evidence(sized), log_evidence(fit), tolerance = 1e-8)
    expect_equal(
      predict(sized, transform(new, a = a * unit), type = "prob"), predict(fit, new, type = "prob"),
      tolerance = 1e-8
    )
  }
  # beyond all reach a prediction is that at infinity, also where the latent function has a trend
  straight <- bpm(class ~ ., d, epsilon = 0.1, hyper = "optimum")
  trend <- gpc(class ~ ., d, kernel = kernel_iso(linear = 1), epsilon = 0.1)
  for (model in list(fit, straight, trend)) {
    p <- predict(model, data.frame(a = c(1e6, 1e200, 1e300), b = 0), type = "prob")[, 2]
    expect_equal(unname(p[2:3]), unname(p[c(1, 1)]), tolerance = 1e-3)
  }
  expect_error(
    toy_fit(data = transform(d, a = a * 1e160), scale = FALSE), class = "sturdy_error_not_finite"
  )
})
