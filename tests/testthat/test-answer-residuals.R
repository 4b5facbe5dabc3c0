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

test_that("with several classes residuals have a column a class, and labels are simulated", {
  d <- iris[c(1:10, 51:60, 101:110), ]
  d$Species[c(2, 14)] <- c("virginica", "setosa")
  fit <- gpc(
    Species ~ ., d, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0.1, na.action = na.exclude
  )
  p <- predict(fit, type = "prob", noise = TRUE)
  own <- p[cbind(1:30, as.integer(d$Species))]
  expect_equal(unname(residuals(fit)), sqrt(-2 * log(own)))
  expect_equal(deviance(fit), -2 * sum(log(own)))
  raw <- residuals(fit, "response")
  expect_equal(dimnames(raw), dimnames(p))
  expect_equal(rowSums(raw), rep(0, 30), ignore_attr = TRUE)
  expect_equal(raw[2, ], c(0, 0, 1) - p[2, ])
  expect_equal(residuals(fit, "pearson"), raw / sqrt(p * (1 - p)))
  drawn <- simulate(fit, 4000, seed = 2)
  share <- vapply(levels(d$Species), function(level) rowMeans(drawn == level), numeric(30))
  expect_lt(max(abs(share - p)), 4 * sqrt(0.25 / 4000))
})
