test_that("with several classes there is a rate of each, and the expected number", {
  d <- iris[c(1:15, 51:65, 101:115), ]
  d$Species[c(3, 20)] <- c("versicolor", "virginica")
  fit <- gpc(
    Species ~ ., d, kernel = kernel_iso(2, nugget = 0.1, fixed = TRUE), epsilon = 0.1, trusted = 1:2
  )
  found <- flip_rates(fit)
  expect_equal(found$class, levels(d$Species))
  expect_equal(found$rate, rep(0.1, 3))
  expect_true(all(is.na(found$lower)))
  expect_equal(found$rows, rep(43L, 3))
  ranked <- mislabelled(fit)
  expect_equal(sum(found$wrong), sum(ranked$probability))
})

test_that("a noise matrix of two classes has the rates, with intervals, and the counts", {
  d <- toy(40)
  fit <- gpc(class ~ a + b, d, kernel = held(), epsilon = "learn2", hyper = "optimum")
  rates <- noise_matrix(fit)
  expect_equal(dimnames(rates), list(true = c("no", "yes"), recorded = c("no", "yes")))
  expect_equal(rates["no", "yes"], unname(fit$epsilon[1]), ignore_attr = TRUE)
  expect_equal(rates["yes", "no"], unname(fit$epsilon[2]), ignore_attr = TRUE)
  lower <- attr(rates, "lower")
  upper <- attr(rates, "upper")
  expect_true(all(lower <= upper))
  expect_equal(colSums(noise_matrix(fit, type = "count")), c(table(d$class)), ignore_attr = TRUE)
  expect_equal(sum(diag(noise_matrix(fit, type = "count"))), 40 - sum(mislabelled(fit)$probability))
})
