test_that("stc(df = Inf) is exactly gpc()", {
  d <- toy()
  g <- gpc(class ~ ., d, kernel = kernel_iso(), epsilon = "learn")
  s <- stc(class ~ ., d, df = Inf, kernel = kernel_iso(), epsilon = "learn")
  expect_identical(coef(s), coef(g))
  expect_identical(s$ep[setdiff(names(s$ep), "message")], g$ep[setdiff(names(g$ep), "message")])
  expect_identical(predict(s, type = "latent"), predict(g, type = "latent"))
})

test_that("a t process at large df tends to the Gaussian one", {
  d <- toy()
  g <- gpc(class ~ ., d, kernel = held(), epsilon = 0.05)
  s <- stc(class ~ ., d, df = 1e8, kernel = held(), epsilon = 0.05)
  expect_s3_class(s, c("stc", "sturdy_model"), exact = TRUE)
  expect_equal(log_evidence(s), log_evidence(g), tolerance = 1e-5)
  expect_equal(fitted(s), fitted(g), tolerance = 1e-5)
})

test_that("formula, data frame and matrix give the same fit", {
  d <- toy(20)
  by_formula <- stc(class ~ ., d, kernel = held(), epsilon = 0.05)
  by_frame <- stc(d[c("a", "b")], d$class, kernel = held(), epsilon = 0.05)
  by_matrix <- stc(as.matrix(d[c("a", "b")]), d$class, kernel = held(), epsilon = 0.05)
  expect_equal(by_frame$ep$m, by_formula$ep$m)
  expect_equal(by_matrix$ep$m, by_formula$ep$m)
  expect_equal(by_formula$spec$criterion, "loo")
})

test_that("df must be above 0", {
  d <- toy(10)
  expect_error(stc(class ~ a, d, df = 0), class = "sturdy_error_df")
  expect_error(stc(class ~ a, d, df = -1), class = "sturdy_error_df")
  expect_error(stc(d["a"], d$class, df = NA), class = "sturdy_error_type")
  expect_error(stc("a"), class = "sturdy_error_type")
  expect_error(stc(class ~ a, d, dff = 3), class = "sturdy_error_unknown_argument")
  expect_snapshot(said(stc(class ~ a, d, df = 0)))
})

test_that("a fit without a fixed point ends with a status and a sentence", {
  x <- cbind(c(0, 0, 1, 0, 1.5, 0.1), c(0, 1, 0, 0.5, 0, 1.5))
  y <- c(1, 1, -1, 1, -1, -1)
  K <- tcrossprod(cbind(x, 1))
  expect_warning(
    fit <- ep_fit(K, y, df = 3), class = "sturdy_warning_not_converged"
  )
  expect_equal(fit$status, "no_fixed_point")
  expect_match(fit$message, "no fixed point")
  expect_false(anyNA(unlist(fit[c("m", "C_diag", "log_det", "loo")])))
})
