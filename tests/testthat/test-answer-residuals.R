test_that("residuals are those of glm() where the probabilities are", {
  fit <- toy_fit()
  d <- toy()
  p <- predict(fit, type = "prob", noise = TRUE)[, 2]
  y <- as.numeric(d$class == "yes")
  # the family's own, from the same fitted values
  deviance <- sign(y - p) * sqrt(binomial()$dev.resids(y, p, rep(1, 40)))
  expect_equal(residuals(fit), deviance)
  expect_equal(residuals(fit, "pearson"), (y - p) / sqrt(binomial()$variance(p)))
  expect_equal(residuals(fit, "response"), y - p)
  expect_equal(deviance(fit), sum(binomial()$dev.resids(y, p, rep(1, 40))))
})

test_that("rows that na.exclude left out are padded, and leave the deviance alone", {
  d <- toy()
  d$a[5] <- NA
  omit <- toy_fit(data = d)
  exclude <- toy_fit(data = d, na.action = na.exclude)
  expect_equal(which(is.na(residuals(exclude))), c("5" = 5))
  expect_equal(residuals(exclude)[-5], residuals(omit))
  expect_equal(deviance(exclude), deviance(omit))
  expect_equal(nrow(simulate(exclude, seed = 1)), 39)
})

test_that("simulated labels have the fitted frequencies, by a seed", {
  fit <- toy_fit()
  drawn <- simulate(fit, 4000, seed = 3)
  expect_equal(dim(drawn), c(40, 4000))
  expect_equal(levels(drawn$sim_1), c("no", "yes"))
  p <- predict(fit, type = "response", noise = TRUE)
  # five standard errors
  error <- sqrt(p * (1 - p) / 4000)
  expect_true(all(abs(rowMeans(drawn == "yes") - p) < 5 * error + 1e-12))
  expect_identical(simulate(fit, 2, seed = 3), drawn[1:2])
})

test_that("response and link are what glm() calls so", {
  fit <- stc(class ~ a + b, toy(), df = 4, kernel = held(), epsilon = 0.05)
  new <- data.frame(a = c(-1, NA, 2), b = 0.3, row.names = c("u", "v", "w"))
  expect_equal(predict(fit, new, "response"), predict(fit, new, "prob")[, "yes"])
  expect_equal(pt(predict(fit, new, "link"), 4), predict(fit, new, "response"))
  expect_equal(
    predict(fit, new, "response", noise = TRUE), predict(fit, new, "prob", noise = TRUE)[, 2]
  )
})

test_that("a filter has no rows to answer for", {
  fit <- bpm(class ~ a + b, toy(), inference = "adf")
  for (ask in expression(residuals(fit), deviance(fit), simulate(fit))) {
    expect_error(eval(ask), class = "sturdy_error_no_sites")
  }
})
