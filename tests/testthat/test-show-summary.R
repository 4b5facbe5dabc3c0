test_that("a summary holds the scores and hyperparameters", {
  fit <- toy_fit()
  s <- summary(fit)
  expect_s3_class(s, "summary.sturdy_model")
  expect_equal(s$scores[["log_evidence"]], log_evidence(fit))
  expect_equal(s$scores[["loo"]], loo_sum(fit))
  expect_equal(s$coefficients$estimate, unname(coef(fit)))
  expect_false(any(s$coefficients$learned))
  expect_equal(s$expected_wrong, sum(mislabelled(fit)$probability))
  expect_equal(nrow(s$suspicious), 5)
})

test_that("the summary of a t process has the comparable evidence", {
  s <- summary(update(toy_fit(), df = 5))
  expect_equal(s$scores[["log_evidence_gaussian"]], log_evidence(toy_fit()))
})

test_that("a summary prints in full", {
  s <- summary(update(toy_fit(), df = 5))
  s$ep <- "converged"
  s$scores[] <- c(-10.5, -12.25, -9.125, 2, 0.1)
  s$expected_wrong <- 1.5
  s$suspicious <- data.frame(
    row = 1:2, label = c("no", "yes"), probability = c(0.75, 0.5), rank = 1:2,
    loo = c(0.1, 0.2)
  )
  expect_snapshot(s)
  expect_output(print(summary(toy_fit(epsilon = 0))), "0 expected to be wrong")
})

test_that("rows of a summary have their identifiers", {
  d <- toy()
  row.names(d) <- sprintf("p%03d", 40:1)
  shown <- summary(toy_fit(data = d))$suspicious
  expect_equal(shown$id, sprintf("p%03d", 41 - shown$row))
})

test_that("a summary has the labels by class, and prints them of several", {
  d <- datasets::iris[c(1:15, 51:65, 101:115), ]
  row.names(d) <- NULL
  d$Species[c(3, 20)] <- c("versicolor", "virginica")
  fit <- gpc(Species ~ ., d, kernel = kernel_iso(2, nugget = 0.1, fixed = TRUE), epsilon = 0.1)
  found <- summary(fit)$classes
  p <- truth(fit)$p[, , 1]
  label <- as.integer(d$Species)
  for (c in 1:3) {
    mine <- label == c
    expect_equal(found$recorded[c], sum(mine))
    expect_equal(found$true[c], sum(p[, c]))
    expect_equal(found$wrong[c], sum(1 - p[mine, c]))
    expect_equal(found$missed[c], sum(p[!mine, c]))
    expect_equal(found$precision[c], mean(p[mine, c]))
    expect_equal(found$sensitivity[c], sum(p[mine, c]) / sum(p[, c]))
  }
  expect_equal(sum(found$wrong), sum(mislabelled(fit)$probability))
  vague <- update(fit, kernel = kernel_iso(2, nugget = 10, fixed = TRUE))
  expect_true(all(augment(vague)$.loo < 0.5))
  missed <- max.col(mean_over(recorded_each(truth(vague)), 1)) != label
  expect_equal(summary(vague)$scores[["loo_error"]], mean(missed))
  expect_lt(mean(missed), 0.5)
  expect_match(printed(summary(fit)), "Labels by class.* setosa 14 14.8 0.1 0.9 0.94 0.99")
  # two classes are printed as before
  two <- summary(toy_fit())
  expect_equal(sum(two$classes$wrong), two$expected_wrong)
  expect_no_match(printed(two), "by class")
  # of many classes those with the most wrong labels
  table <- found[rep(1:3, 10), ]
  withr::local_options(width = 100)
  expect_length(capture.output(print_classes(table)), summary_classes + 3)
})

test_that("a summary says which evidence is whose, as glance() and logLik() have them", {
  fit <- gpc(class ~ a + b, toy(), kernel = kernel_iso(1.5, fixed = TRUE), epsilon = "average",
             hyper = "integrate")
  said <- capture.output(print(summary(fit), digits = 6))
  number <- function(v) format(v, digits = 7)
  line <- grep("Log evidence ", said, value = TRUE)
  expect_match(line, number(as.numeric(logLik(fit))), fixed = TRUE)
  expect_match(line, "at the best mode, as logLik\\(\\) has it")
  integrated <- number(glance(fit)$log_evidence)
  expect_match(grep("^ *integrated ", said, value = TRUE), integrated, fixed = TRUE)
})

test_that("inputs stand in the order of a report, by lengthscales that are averaged over nodes", {
  d <- transform(toy(), z = rev(a) * 3)
  fit <- gpc(class ~ z + a + b, d, kernel = kernel_ard(), epsilon = 0.05, hyper = "integrate")
  at <- nodes(fit)
  each <- vapply(at$hyper, function(hyper) log(hyper$lengthscale), numeric(3))
  mean <- exp(drop(each %*% at$weight) / sum(at$weight))
  order <- order(mean)
  names <- c("z", "a", "b")[order]
  shown <- paste(names, vapply(mean[order], format, "", digits = 3), collapse = ", ")
  said <- printed(summary(fit))
  expect_match(said, paste0("Inputs ", shown, " (lengthscale averaged, shortest"), fixed = TRUE)
  table <- report_data(fit)$inputs
  place <- vapply(paste0(">", names, "<"), function(cell) regexpr(cell, table)[1], 0)
  expect_true(all(place > 0) && !is.unsorted(place))
  expect_no_match(printed(summary(toy_fit())), "averaged, shortest")
})
