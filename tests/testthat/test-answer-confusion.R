three_classes <- function(...) {
  d <- iris[c(1:15, 51:65, 101:115), ]
  d$Species[c(3, 20)] <- c("virginica", "setosa")
  gpc(Species ~ Petal.Length + Petal.Width, d, kernel = held(), ...)
}

test_that("both tables have the rows of the recorded classes, and agree with other answers", {
  local_fewer_points()
  fits <- list(
    toy_fit(), three_classes(epsilon = 0.05), three_classes(epsilon = "average", hyper = "integrate")
  )
  for (fit in fits) {
    found <- confusion(fit)
    counts <- as.vector(table(fit$blueprint$levels[label_code(fit$data)]))
    expect_equal(unname(rowSums(found$predicted)), counts)
    expect_equal(unname(colSums(found$true)), counts, tolerance = 1e-8)
    expect_equal(unname(found$true), unname(matrix_counts(judged_by(fit))),
                 ignore_attr = TRUE, tolerance = 1e-8)
    expect_true(all(found$lower <= ceiling(found$true) & found$true <= found$upper + 1))
  }
})

test_that("the intervals of cells are those of sums of independent rows", {
  fit <- toy_fit(epsilon = 0.2)
  p <- node_truth(fit)$p[, , 1]
  y <- label_code(fit$data)
  withr::with_seed(1, drawn <- replicate(20000, {
    sum(runif(sum(y == 2)) < p[y == 2, 1])
  }))
  found <- confusion(fit, level = 0.8)
  expect_lte(abs(found$lower[1, 2] - quantile(drawn, 0.1, type = 1)), 1)
  expect_lte(abs(found$upper[1, 2] - quantile(drawn, 0.9, type = 1)), 1)
})

test_that("a confusion is of a fit that keeps its rows", {
  expect_error(confusion("a"), class = "sturdy_error_type")
  filtered <- bpm(class ~ a + b, toy(), inference = "adf")
  expect_error(confusion(filtered), class = "sturdy_error_no_sites")
})

test_that("a confusion prints", {
  said <- printed(confusion(three_classes(epsilon = 0.05)))
  expect_match(said, "Expected rows by true class and recorded class \\(90% intervals\\)")
})

test_that("a noise matrix has no intervals where a mode stands for what is not known of it", {
  d <- iris[c(1:12, 51:62, 101:112), ]
  kernel <- kernel_iso(1, fixed = TRUE)
  fit <- gpc(Species ~ ., d, kernel = kernel, epsilon = "learn", hyper = "optimum")
  found <- noise_matrix(fit)
  expect_true(all(attr(found, "lower") <= found & found <= attr(found, "upper")))
  scores <- toy_scores(3, 60)
  mode <- second_stage(scores$prob, scores$labels, hyper = "optimum")
  expect_silent(found <- noise_matrix(mode))
  expect_null(attr(found, "lower"))
})

test_that("a row that stands for several counts as they do", {
  local_fewer_points()
  d <- toy_scores(2, 60)
  times <- rep(1:2, 30)
  every <- rep(1:60, times)
  weighted <- averaged_stage(d, weights = times)
  repeated <- averaged_stage(list(prob = d$prob[every, ], labels = d$labels[every]))
  expect_equal(confusion(weighted), confusion(repeated), tolerance = 1e-6)
  expect_equal(
    matrix_counts(judged_by(weighted)), matrix_counts(judged_by(repeated)), tolerance = 1e-6
  )
  expect_equal(sum(matrix_counts(judged_by(weighted))), 90)
})

test_that("of a class with fewer than three labels it is said that its row is the prior's", {
  local_fewer_points()
  d <- withr::with_seed(2, data.frame(x = rnorm(60), z = rnorm(60)))
  d$y <- factor(ifelse(d$x > 0, "b", "a"), c("a", "b", "c"))
  said <- "Fewer than three labels are c: noise_matrix() has the prior there."
  for (rows in 2:3) {
    d$y[seq_len(rows)] <- "c"
    fit <- gpc(y ~ ., d, kernel = held(), epsilon = "average", hyper = "integrate")
    rare <- if (rows == 2) "c"
    expect_identical(attr(noise_matrix(fit), "rare"), rare)
    expect_identical(noise_test(fit)$rare, rare)
    for (shown in list(printed(noise_matrix(fit)), printed(mislabelled(fit)))) {
      expect_identical(grepl(said, shown, fixed = TRUE), rows == 2)
    }
  }
  # a rate that is given, or one for all classes, is none of the prior's
  d$y[3] <- "a"
  expect_null(attr(noise_matrix(gpc(y ~ ., d, kernel = held(), epsilon = 0.1)), "rare"))
  expect_null(attr(noise_matrix(gpc(y ~ ., d, kernel = held(), epsilon = "learn")), "rare"))
})
