test_that("tidy() gives a row a hyperparameter", {
  fit <- toy_fit()
  expect_equal(tidy(fit)$term, names(coef(fit)))
  expect_equal(tidy(fit)$estimate, unname(coef(fit)))
  learned <- gpc(class ~ a + b, toy(), kernel = kernel_iso(), epsilon = 0.1)
  expect_equal(tidy(learned)$learned, c(TRUE, FALSE, TRUE, TRUE, FALSE))
})

test_that("glance() gives one row", {
  fit <- toy_fit()
  g <- glance(fit)
  expect_equal(nrow(g), 1)
  expect_equal(g$log_evidence, log_evidence(fit))
  expect_equal(g$status, "converged")
})

test_that("glance() has the rate that the label stage has learned", {
  fit <- gpc(class ~ a + b, toy(), kernel = held())
  expect_equal(glance(fit)$epsilon, mean(omega_rates(fit$label_stage$omega)))
})

test_that("glance() has the same columns for every kind of fit, so that rows can be bound", {
  fit <- toy_fit()
  student <- stc(class ~ a + b, toy(), df = 5, kernel = held(), epsilon = 0.05)
  adf <- bpm(class ~ a + b, toy(), df = 5, inference = "adf")
  three <- gpc(Species ~ ., iris[c(1:9, 51:59, 101:109), ], kernel = held(), epsilon = 0.1)
  fits <- list(fit, student, bpm(class ~ a, toy(), epsilon = 0.1), adf, three)
  all <- do.call(rbind, lapply(fits, glance))
  expect_equal(all$classes, c(2, 2, 2, 2, 3))
  expect_equal(all$df, c(Inf, 5, Inf, 5, Inf))
  # the evidence of t-EP is no ordinary one; the predictive probabilities of a filtered fit are
  expect_equal(
    all$log_evidence, c(log_evidence(fit), NA, log_evidence(fits[[3]]), log_evidence(adf),
                        log_evidence(three))
  )
  expect_true(is.finite(log_evidence(student)))
})

test_that("augment() adds predictions to the training data or to new data", {
  d <- toy()
  fit <- toy_fit()
  a <- augment(fit, d)
  expect_named(a, c(names(d), ".fitted", ".class", ".flipped", ".loo"))
  expect_equal(a$.fitted, unname(fitted(fit)))
  found <- mislabelled(fit)
  expect_equal(a$.flipped[found$row], found$probability)
  new <- augment(fit, newdata = d[1:3, ])
  expect_equal(new$.class, predict(fit, d[1:3, ]))
})

test_that("augment() leaves NA where rows were left out", {
  d <- toy()
  d$a[4] <- NA
  for (na in list(na.omit, na.exclude)) {
    a <- augment(toy_fit(data = d, na.action = na), d)
    expect_equal(which(is.na(a$.fitted)), 4)
    expect_equal(which(is.na(a$.flipped)), 4)
    expect_equal(which(is.na(a$.class)), 4)
  }
})

test_that("augment() predicts rows that lack a label alone, as predict() does", {
  d <- toy()
  d$class[4] <- NA
  fit <- toy_fit(data = d)
  expect_equal(augment(fit, d)$.fitted, unname(predict(fit, type = "prob")[, 2]))
  expect_equal(which(is.na(augment(fit, d)$.flipped)), 4)
  expect_identical(nrow(augment(fit)), 39L)
})

test_that("augment() adds to the data given, or to what the model holds", {
  fit <- toy_fit()
  expect_equal(augment(fit), augment(fit, toy()), ignore_attr = "row.names")
  mixed_fit <- gpc(
    y ~ u + log(u) + f + s + l, mixed(), kernel = kernel_ard(1, fixed = TRUE),
    epsilon = 0.1
  )
  held_data <- augment(mixed_fit)
  expect_equal(held_data$u, mixed()$u)
  expect_equal(held_data[["log(u)"]], log(mixed()$u))
  expect_equal(held_data[c("f", "s", "l", "y")], transform(mixed(), s = factor(s))[c("f", "s", "l", "y")], ignore_attr = "row.names")
  expect_error(augment(fit, toy(10)), class = "sturdy_error_length")
})

test_that("data of other rows, and identifiers that are no column, are named", {
  fit <- toy_fit()
  expect_error(augment(fit, toy()[1:3, ]), "not one of 3.*newdata", class = "sturdy_error_length")
  expect_error(augment(fit, 1), "not 1", class = "sturdy_error_length")
  expect_error(
    label_report(fit, tempfile(), data = toy(), id = "nope"),
    "has no column \"nope\", but \"a\", \"b\", and \"class\"", class = "sturdy_error_id"
  )
})

test_that("several classes have a row of glance() as two do, and a probability each", {
  d <- iris[c(1:15, 51:65, 101:115), ]
  fit <- gpc(Species ~ Petal.Length + Petal.Width, d, kernel = held(), epsilon = 0.1)
  expect_equal(glance(fit)$loo, sum(loo(fit)$pointwise[, "elpd_loo"]))
  expect_equal(tidy(fit)$estimate, unname(coef(fit)))
  prob <- predict(fit, d, type = "prob")
  both <- list(augment(fit, d), augment(fit, newdata = d))
  for (a in both) {
    expect_equal(as.matrix(a[paste0(".prob_", colnames(prob))]), prob, ignore_attr = TRUE)
    expect_equal(a$.class, predict(fit, d))
  }
  found <- mislabelled(fit)
  expect_equal(both[[1]]$.flipped[found$row], found$probability)
  s <- summary(fit)
  expect_equal(s$suspicious$suggested, found$suggested[1:5])
  expect_equal(s$expected_wrong, sum(found$probability))
})
