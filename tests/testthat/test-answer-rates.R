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

test_that("several classes have rates by group", {
  set.seed(1)
  d <- data.frame(a = rnorm(90), b = rnorm(90), site = rep(c("u", "v"), each = 45))
  d$class <- factor(c("x", "y", "z")[max.col(cbind(d$a, d$b, -d$a - d$b))])
  wrong <- 46:60
  d$class[wrong] <- c(x = "y", y = "z", z = "x")[as.character(d$class[wrong])]
  fit_to <- function(..., epsilon = "learn", hyper = "integrate") {
    gpc(
      class ~ a + b, d, kernel = kernel_iso(1.5, nugget = 0.1, fixed = TRUE), epsilon = epsilon,
      hyper = hyper, ...
    )
  }
  fit <- fit_to(rates = ~site)
  rates <- flip_rates(fit)
  expect_equal(rates$group, rep(c("u", "v"), each = 3))
  expect_true(all(rates$upper[1:3] < rates$lower[4:6]))
  expect_true(all(rates$lower[4:6] < 1 / 3 & rates$upper[4:6] > 0.2))
  # the evidence of a node is that of EP with the rate of each row's group
  k <- which.max(fit$nodes$table$weight)
  omega <- lapply(1:2, function(s) fit$nodes$omega[[k]][s, , ])
  L <- t(mapply(function(site, class) omega[[site]][, class], 1 + (d$site == "v"), d$class))
  out <- model_latent(fit)$native(model_hyper(fit), Inf, L, NULL, ep_control(tol = 1e-8))
  expect_equal(fit$nodes$table$log_evidence[k], out$log_evidence, tolerance = 1e-5)
  expect_equal(unname(truth(fit)$p[, , k]), L * exp(out$seen) / rowSums(L * exp(out$seen)), tolerance = 1e-3)
  # one group is none
  expect_equal(
    predict(fit_to(rates = rep("all", 90)), type = "prob"), predict(fit_to(), type = "prob")
  )
  held <- fit_to(rates = ~site, epsilon = 0.2, hyper = "optimum")
  expect_equal(predict(held, type = "prob"), predict(fit_to(epsilon = 0.2), type = "prob"), tolerance = 1e-4)
})
