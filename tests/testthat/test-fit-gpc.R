test_that("formula, data frame and matrix give the same fit", {
  d <- toy()
  by_formula <- gpc(class ~ ., d, kernel = held(), epsilon = 0.05)
  by_frame <- gpc(d[c("a", "b")], d$class, kernel = held(), epsilon = 0.05)
  by_matrix <- gpc(as.matrix(d[c("a", "b")]), d$class, kernel = held(), epsilon = 0.05)
  expect_s3_class(by_formula, c("gpc", "sturdy_model"), exact = TRUE)
  expect_equal(by_frame$ep$m, by_formula$ep$m)
  expect_equal(by_matrix$ep$m, by_formula$ep$m)
  expect_equal(by_formula$ep$status, "converged")
  named <- gpc(formula = class ~ ., data = d, kernel = held(), epsilon = 0.05)
  expect_identical(uncalled(named), uncalled(by_formula))
})

test_that("learning raises the criterion and reports the flip rate", {
  d <- toy(60)
  fit <- gpc(class ~ a + b, d, kernel = kernel_iso(), epsilon = "learn")
  start <- gpc(class ~ a + b, d, kernel = kernel_iso(fixed = TRUE), epsilon = 0.05)
  expect_gt(log_evidence(fit), log_evidence(start))
  expect_true(fit$epsilon > 0 && fit$epsilon < 0.2)
  expect_null(start$learning)
  expect_equal(fit$kernel$variance, 1)
})

test_that("swapping the classes swaps the probabilities and keeps the evidence", {
  fit <- toy_fit()
  d <- toy()
  d$class <- factor(d$class, levels = c("yes", "no"))
  swapped <- toy_fit(data = d)
  expect_equal(log_evidence(swapped), log_evidence(fit), tolerance = 1e-8)
  expect_equal(
    predict(swapped, type = "prob")[, "yes"], predict(fit, type = "prob")[, "yes"],
    tolerance = 1e-7
  )
})

test_that("bad arguments are refused by name", {
  d <- toy(10)
  expect_error(gpc(class ~ a, d, epsilon = 0.5), class = "sturdy_error_epsilon")
  expect_error(gpc(class ~ a, d, kernel = "rbf"), class = "sturdy_error_type")
  expect_error(gpc(class ~ a, d, criterion = "aic"), class = "sturdy_error_choice")
  expect_error(gpc(class ~ a, d, control = list()), class = "sturdy_error_type")
  expect_error(gpc(class ~ a, d, epsilom = 0), class = "sturdy_error_unknown_argument")
  expect_error(gpc(d["a"]), class = "sturdy_error_missing_argument")
  expect_error(gpc(1:10, d$class), class = "sturdy_error_type")
  expect_error(gpc(NULL), class = "sturdy_error_type")
  expect_error(
    gpc(class ~ a + b, d, kernel = kernel_ard(1:3)), class = "sturdy_error_lengthscales"
  )
  withr::local_options(sturdy.max_memory = 1000)
  expect_error(gpc(class ~ a, d), class = "sturdy_error_memory")
  expect_snapshot(said(gpc(1:10)))
})

test_that("one row, two rows and no column work", {
  one <- gpc(matrix(1), 1, epsilon = 0.1, kernel = held())
  expect_equal(log_evidence(one), log(0.5))
  two <- gpc(matrix(1:2), 0:1, epsilon = 0, kernel = held())
  expect_equal(two$ep$status, "converged")
  expect_message(
    none <- gpc(matrix(1, 6, 1), c(0, 1, 1, 1, 1, 1), epsilon = 0.1, kernel = held()),
    class = "sturdy_message_constant_columns"
  )
  expect_gt(predict(none, matrix(1), type = "prob")[, 2], 0.5)
  expect_equal(predict(none, matrix(7), "prob"), predict(none, matrix(1), "prob"))
  expect_length(coef(gpc(class ~ 1, toy(), epsilon = 0.1)), 4)
})

test_that("duplicated rows, wide data and separable data work", {
  d <- toy(20)
  twice <- toy_fit(data = d[rep(1:20, 2), ])
  expect_true(all(is.finite(fitted(twice))))
  wide <- withr::with_seed(1, matrix(rnorm(400), 8))
  fit <- gpc(wide, rep(0:1, 4), kernel = kernel_iso(), epsilon = 0.05)
  expect_true(is.finite(log_evidence(fit)))
  fit <- gpc(matrix(c(-3:-1, 1:3)), rep(0:1, each = 3))
  expect_true(all(is.finite(coef(fit))))
  expect_equal(as.character(predict(fit)), rep(c("0", "1"), each = 3))
})

test_that("a factor column gives each level its own level of probability", {
  d <- data.frame(f = rep(c("a", "b", "c"), each = 6), y = rep(c(0, 1, 1), each = 6))
  fit <- gpc(y ~ f, d, kernel = held(), epsilon = 0.01)
  p <- predict(fit, data.frame(f = c("a", "b", "c")), type = "prob")[, 2]
  expect_lt(p[1], 0.5)
  expect_gt(p[2], 0.5)
  expect_equal(p[[2]], p[[3]], tolerance = 1e-7)
})

test_that("every label contradicted ends in even odds, not in NaN", {
  x <- matrix(rep(c(-1, 0, 2), 2))
  even <- gpc(x, rep(0:1, each = 3), epsilon = "learn")
  expect_equal(first_prob(even, even$data$X)[, 2], rep(0.5, 6), tolerance = 1e-6)
  # a rate for each class need not be the same at the mode
  for (fit in list(even, gpc(x, rep(0:1, each = 3)))) {
    expect_lt(max(abs(first_prob(fit, fit$data$X)[, 2] - 0.5)), 0.01)
    # the label stage has the mean over 128 points, and six labels leave its weights open
    expect_lt(max(abs(fitted(fit) - 0.5)), 0.05)
    expect_true(is.finite(log_evidence(fit)))
  }
})

test_that("extreme flip rates, df and nuggets end with finite numbers", {
  d <- toy(20)
  for (fit in list(
    toy_fit(data = d, epsilon = 0.49),
    suppressWarnings(stc(class ~ a + b, d, df = 0.5, kernel = held(), epsilon = 0.05)),
    gpc(class ~ a + b, d, kernel = held(nugget = 0), epsilon = 0),
    gpc(class ~ a + b, d, kernel = held(nugget = 0, bias = 0), epsilon = 0.2)
  )) {
    expect_true(all(is.finite(fitted(fit))))
    expect_true(nzchar(fit$ep$message))
  }
})

test_that("a level that training did not have differs from all others", {
  d <- data.frame(
    f = factor(rep(c("a", "b"), c(4, 8)), levels = c("a", "b", "unseen")),
    u = rep(c(-1, 0, 1), 4), y = rep(c(0, 1), c(4, 8))
  )
  fit <- gpc(y ~ f + u, d, kernel = kernel_ard(c(0.7, 1), fixed = TRUE), epsilon = 0.05)
  new <- data.frame(f = c("unseen", "never", NA, "a"), u = 0.5)
  expect_message(p <- predict(fit, new, type = "latent"), class = "sturdy_message_novel_levels")
  expect_true(is.na(p$m[3]))
  # by hand: at a distance of 1 from every level
  X <- scale(d$u)
  at <- (0.5 - mean(d$u)) / sd(d$u)
  k <- exp(-1 / (2 * 0.7^2) - (X[, 1] - at)^2 / 2) + 0.1
  expect_gt(abs(sum(k * fit$ep$b)), 0.05)
  expect_equal(p$m[1:2], rep(sum(k * fit$ep$b), 2))
  expect_snapshot(said(predict(fit, new)))
})

test_that("text that differs in every row is taken for an identifier", {
  d <- cbind(toy(), who = paste("patient", 1:40))
  expect_message(
    fit <- gpc(class ~ ., d, kernel = held(), epsilon = 0.05),
    class = "sturdy_message_likely_id"
  )
  expect_equal(fit$blueprint$columns, c("a", "b"))
  expect_equal(fit$ep$m, toy_fit()$ep$m)
  expect_equal(predict(fit, toy()), predict(toy_fit(), toy()))
  expect_snapshot(said(gpc(class ~ ., d)))
})

test_that("subset takes rows as in glm()", {
  d <- toy()
  d$keep <- d$a < 1
  d$b[7] <- NA
  for (ask in expression(
    gpc(class ~ a + b, d, subset = a < 1, kernel = held(), epsilon = 0.05),
    gpc(class ~ a + b, d, subset = keep, kernel = held(), epsilon = 0.05),
    gpc(class ~ a + b, d, subset = which(keep), kernel = held(), epsilon = 0.05),
    bpm(class ~ a + b, d, subset = rownames(d)[keep], epsilon = 0.05)
  )) {
    fit <- eval(ask)
    like <- glm(class ~ a + b, binomial, d, subset = keep)
    expect_equal(fit$data$row_names, rownames(model.frame(like)))
    expect_equal(fit$data$rows, setdiff(which(d$keep), 7))
    expect_equal(nobs(fit), nobs(like))
  }
  expect_equal(nrow(augment(fit, d)), 40)
  expect_error(
    gpc(class ~ a, d, subset = c(TRUE, FALSE)), class = "sturdy_error_subset"
  )
  expect_error(gpc(class ~ a, d, subset = nowhere), class = "sturdy_error_subset")
  expect_error(gpc(class ~ a, d, subset = 1:60), class = "sturdy_error_subset")
  twice <- gpc(class ~ a + b, d, subset = c(1, 1, 2:20), kernel = held(), epsilon = 0.05)
  expect_equal(twice$data$rows, c(1, 1, setdiff(2:20, 7)))
})

test_that("an offset is refused with a reason", {
  expect_snapshot({
    said(gpc(class ~ a, toy(), offset = 1))
  })
})

test_that("arguments in another order, and rows that lack a value, lead to the formula", {
  d <- toy()
  expect_error(gpc(d, class ~ .), "gpc\\(class ~ ., data\\)", class = "sturdy_error_length")
  expect_error(gpc(d, "class"), "gpc\\(class ~ ., data\\)", class = "sturdy_error_length")
  d$a[2] <- NA
  expect_error(gpc(d[1:2], d$class), "A formula leaves", class = "sturdy_error_missing")
  expect_error(augment(toy_fit(), toy()[1:3, ]), "newdata", class = "sturdy_error_length")
})
