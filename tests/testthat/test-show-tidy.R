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

test_that("glance() does not show a t-EP evidence as an ordinary one", {
  g <- glance(toy_fit())
  expect_null(g$log_evidence_tep)
  fit <- stc(class ~ a + b, toy(), df = 5, kernel = held(), epsilon = 0.05)
  t <- glance(fit)
  expect_setequal(names(t), c(names(g), "log_evidence_tep"))
  expect_identical(t$log_evidence, NA_real_)
  expect_identical(t$log_evidence_tep, log_evidence(fit))
  # the predictive probabilities of a filtered fit are no t-EP evidence
  adf <- bpm(class ~ a + b, toy(), df = 5, inference = "adf")
  expect_identical(glance(adf)$log_evidence, log_evidence(adf))
  expect_null(glance(adf)$log_evidence_tep)
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

test_that("several classes have a row of glance() as two do, and a probability each", {
  d <- iris[c(1:15, 51:65, 101:115), ]
  fit <- gpc(Species ~ Petal.Length + Petal.Width, d, kernel = held(), epsilon = 0.1)
  expect_setequal(names(glance(fit)), c(names(glance(toy_fit())), "classes"))
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
