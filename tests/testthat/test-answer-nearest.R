test_that("the nearest rows are those at the smallest distance in lengthscales", {
  d <- toy()
  fit <- gpc(
    class ~ a + b, d, kernel = kernel_ard(c(0.5, 2), fixed = TRUE), epsilon = 0.05
  )
  X <- scale(as.matrix(d[c("a", "b")]))
  distance <- as.matrix(dist(t(t(X) / c(0.5, 2))))
  near <- nearest_rows(fit, c(3, 30), 5)
  for (i in 1:2) {
    mine <- distance[c(3, 30)[i], ]
    expect_equal(near[[i]]$place, unname(order(mine)[2:6]))
    expect_equal(near[[i]]$similarity, unname(exp(-sort(mine)[2:6]^2 / 2)), tolerance = 1e-10)
  }
})

test_that("similarity is averaged over the nodes of a fit", {
  fit <- gpc(class ~ a + b, toy(), kernel = kernel_iso(), hyper = "integrate")
  X <- fit$data$X
  d2 <- as.matrix(dist(X))[7, ]^2
  each <- vapply(fit$nodes$hyper, function(h) exp(-d2 / (2 * h$lengthscale^2)), d2)
  expect_equal(
    drop(row_similarity(fit, 7)), unname(drop(each %*% fit$nodes$table$weight)), tolerance = 1e-10
  )
})

test_that("of a linear model a difference counts as much as its weight", {
  d <- transform(toy(), noise = rev(a))
  fit <- bpm(class ~ a + b + noise, d, epsilon = 0.05, prior_scale = 1, nugget = 0)
  w <- coef(fit, component = "weights")[-1]
  d2 <- rowSums((t(t(fit$data$X) - fit$data$X[4, ]) %*% diag(w))^2)
  expect_equal(drop(row_similarity(fit, 4)), unname(exp(-d2 / 2)), tolerance = 1e-10)
  expect_equal(input_order(fit)$place, order(-abs(unname(w))))
})

test_that("few rows have few neighbours, and equal rows are neighbours", {
  fit <- gpc(matrix(c(-1, -1, 1)), c(0, 1, 1), kernel = held(), epsilon = 0.1)
  near <- nearest_rows(fit, 1:3, 8)
  expect_equal(near[[1]]$place, c(2L, 3L))
  expect_equal(near[[2]]$place, c(1L, 3L))
  expect_equal(near[[1]]$similarity[1], 1)
})

test_that("kernels by class count alike", {
  fit <- gpc(
    Species ~ Petal.Length + Sepal.Width, iris[c(1:8, 51:58, 101:108), ], hyper = "optimum",
    kernels = "per class", epsilon = 0.05
  )
  lengths <- matrix(fit$kernel$lengthscale, 2)
  X <- fit$data$X
  each <- apply(lengths, 2, function(l) exp(-colSums((t(X) - X[3, ])^2 / l^2) / 2))
  expect_equal(drop(row_similarity(fit, 3)), unname(rowMeans(each)), tolerance = 1e-10)
  expect_equal(input_order(fit)$value, exp(rowMeans(log(lengths))))
})
