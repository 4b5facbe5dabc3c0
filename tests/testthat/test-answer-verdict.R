test_that("Bayes factors have words", {
  expect_equal(noise_verdict(0.2), "no sign of wrong labels")
  expect_match(noise_verdict(1), "can't tell")
  expect_equal(noise_verdict(3), noise_verdict(1))
  expect_equal(noise_verdict(4), "some labels are probably wrong")
  expect_equal(noise_verdict(21), "some labels are wrong")
  expect_equal(noise_verdict(1, settled = TRUE), "every label is known to be right")
  d <- toy_scores(2, 40)
  known <- second_stage(d$prob, d$labels, hyper = "integrate", trusted = 1:40)
  expect_output(print(noise_test(known)), "every label is known to be right")
  expect_equal(odds_words(5.678), "5.7 to 1")
  expect_equal(odds_words(4321), "4,300 to 1")
  expect_equal(odds_words(1e5), "over 10,000 to 1")
  # hopeless models are left out, which is no check
  expect_equal(odds_words(Inf), "over 10,000 to 1")
  found <- verdict_line(list(bayes_factor = Inf, disproved = TRUE))
  expect_equal(found, "Yes, a check has found one. Check the most suspicious rows.")
  found <- verdict_line(list(bayes_factor = Inf, disproved = TRUE, found = 19))
  expect_equal(found, "Yes, checks have found 19. Check the most suspicious rows.")
})

test_that("labels that are known are no part of how many are wrong", {
  test <- list(
    bayes_factor = 30, n = 366, known = 19, level = 0.9, average = list(count = 18, lower = 13, upper = 24),
    any = list(count = 18, lower = 13, upper = 24)
  )
  expect_equal(count_line(test, 2), "About 18 of the other 347 (90% interval 13 to 24).")
  test$known <- 0
  expect_match(count_line(test, 2), "18 of 366", fixed = TRUE)
  d <- toy_scores(2, 40)
  fit <- second_stage(d$prob, d$labels, hyper = "integrate")
  checks <- data.frame(row = 1:30, label = d$truth[1:30])
  found <- noise_test(suppressMessages(update(fit, checked = checks)))
  expect_equal(c(found$known, found$found), c(30, sum(d$labels[1:30] != d$truth[1:30])))
  expect_output(print(found), "of the other 10 ", fixed = TRUE)
})

test_that("each verdict says what to do, how many and whether wrong labels would show", {
  test <- list(
    n = 1100, level = 0.9, average = list(count = 0.3, lower = 0, upper = 2),
    any = list(count = 3.4, lower = 2, upper = 7),
    noticed = data.frame(of = c("all", "no", "ill"), share = 0.1, probability = c(0.42, 0.6, 0.18))
  )
  said <- function(factor) verdict_lines(c(list(bayes_factor = factor), test))
  expect_match(said(0.1)[[1]], "No sign, but some could hide")
  # the averaged interval, which would be narrow, is not what stands beside it
  expect_match(said(0.1)[["How many?"]], "if some, 2 to 7 of 1,100 (90% interval)", fixed = TRUE)
  test$any$lower <- 1
  expect_match(said(0.1)[["How many?"]], "if some, up to 7 of 1,100", fixed = TRUE)
  numbers <- utils::modifyList(test, list(level = NULL))
  expect_equal(
    count_line(c(list(bayes_factor = 0.1), numbers), 2),
    "Probably none; if some, about 3.4 of 1,100."
  )
  expect_equal(count_line(c(list(bayes_factor = 5), numbers), 2), "About 0.3 of 1,100.")
  expect_equal(
    said(0.1)[["Could hide?"]], "10% wrong would show in 4 of 10 such tables (ill alone: 2)."
  )
  expect_match(said(1)[[1]], "Can't tell")
  expect_match(said(1)[["How many?"]], "0 to 2 of 1,100 (90% interval), 0.3 expected", fixed = TRUE)
  test$ends <- data.frame(probability = c(0.4, 0.6), count = c(1.2, 9.1))
  expect_equal(
    said(1)[["How many?"]], "0 to 2 of 1,100 (90% interval); 1 if overlap is high, 9 if low."
  )
  test$ends$probability <- c(0.99, 0.01)
  expect_match(said(1)[["How many?"]], "0.3 expected", fixed = TRUE)
  expect_equal(said(7)[[1]], "Probably, 7 to 1. Check the most suspicious rows.")
  expect_equal(said(70)[["How many?"]], "About 0.3 of 1,100 (90% interval 0 to 2).")
  expect_named(said(70), c("Wrong labels?", "How many?"))
  expect_lte(max(nchar(unlist(lapply(c(0.1, 1, 7, 1e5), said)))), 63) # a line each
  test$noticed$probability <- c(0.97, 0.9, 0.81)
  expect_match(said(0.1)[[1]], "they would show")
  test$noticed$probability <- c(0.02, 0.04, 0)
  expect_match(said(0.1)[["Could hide?"]], "would hardly ever show")
  test$curve <- 0.01
  expect_match(said(190)[[1]], "Use gpc()", fixed = TRUE)
  expect_named(said(190), c("Wrong labels?", "How many?"))
  expect_lte(max(nchar(said(190))), 63)
  test$curve <- NULL
  test$settled <- TRUE
  expect_match(said(1)[[1]], "Nothing to check")
  expect_identical(said(1)[["How many?"]], "None of 1,100.")
  test$settled <- FALSE
  test["noticed"] <- list(NULL)
  expect_match(said(0.1)[[1]], "some could hide")
})

test_that("what a linear boundary, a rare class and rates by class mean is said beside the verdict", {
  test <- list(
    bayes_factor = 30, linear = TRUE, suspects = "ill", two = 12, levels = c("no", "ill"),
    rates = data.frame(class = c("no", "ill"), rate = c(0.1, 0.2))
  )
  expect_length(verdict_notes(test), 3)
  blank <- replace(test, "suspects", "")
  expect_match(verdict_notes(blank)[2], 'All labels "" are equally', fixed = TRUE)
  expect_match(verdict_notes(test)[3], "Odds of 12 to 1 that more labels of true ill are wrong.", fixed = TRUE)
  test$levels <- c(test$levels, "unwell")
  test$shared <- TRUE
  expect_match(verdict_notes(test)[3], "noise_matrix\\(\\)\\. Overlap of two classes")
  expect_length(verdict_notes(list(bayes_factor = 1, linear = TRUE, two = NA)), 0)
})

test_that("which class has more is said of wrong labels that show, where one class beats the other", {
  test <- list(
    bayes_factor = 30, two = 12, levels = c("no", "ill"),
    rates = data.frame(class = c("no", "ill"), rate = c(0.1, 0.2)),
    models = data.frame(model = c("none", "one", "first", "second"), log_evidence = c(0, 1, 3, 5))
  )
  expect_match(verdict_notes(test), "Odds of 12 to 1 that more labels of true ill are wrong.", fixed = TRUE)
  test$models$log_evidence[3] <- 4.5 # as rates by group have it: either predicts fewer
  expect_null(verdict_notes(test))
  test$models <- test$models[-3, ]
  expect_length(verdict_notes(test), 1)
  test$bayes_factor <- 0.1
  expect_null(verdict_notes(test))
})

test_that("if some are wrong at least one is", {
  density <- c(0.9, 0.06, 0.03, 0.01)
  some <- density_summary(any_density(density), 0.9)
  expect_equal(some, list(count = 1.5, lower = 1, upper = 3))
  expect_equal(density_summary(any_density(1), 0.9), list(count = 1, lower = 1, upper = 1))
})

test_that("long names lose their middle, unless two would then be one", {
  expect_equal(shorter(c("no", "versicolor", "virginica"), 7), c("no", "ver..or", "vir..ca"))
  alike <- c("treated (1) well", "treated (2) well")
  expect_equal(shorter(alike, 7), alike)
  expect_equal(shorter(alike, Inf), alike)
  noticed <- data.frame(of = c("all", "versicolor", "b"), share = 0.1, probability = c(.6, .5, .9))
  expect_match(noticed_line(noticed, Inf), "(versicolor alone: 5)", fixed = TRUE)
  expect_match(noticed_line(noticed, 7), "(ver..or alone: 5)", fixed = TRUE)
})
