# What noise_statement() gives, as far as it is asked: with the verdict of a Bayes factor
stated <- function(factor, more = list(), ..., kind = verdict_kind(factor)) {
  c(list(bayes_factor = factor, kind = kind), more, list(...))
}

test_that("a verdict goes by the Bayes factor, and by what else may explain contradictions", {
  kinds <- vapply(c(0.2, 1, 3, 4, 20, 21, Inf), verdict_kind, "")
  expect_equal(kinds, c("no sign", "open", "open", "probable", "probable", "wrong", "wrong"))
  # a curve that fits better without wrong labels, whatever the factor is; next, inputs that say nothing
  expect_equal(verdict_kind(190, curve = 0.3), "curve")
  expect_equal(verdict_kind(190, curve = 0.4), "wrong")
  expect_equal(verdict_kind(0.1, blind = TRUE), "blind")
  expect_equal(verdict_kind(0.1, curve = 0.3, blind = TRUE), "curve")
  # where unusual rows, or scores that err, may hide wrong labels: only if the factor does not speak for these
  expect_equal(verdict_kind(0.1, plain = 4), "unusual")
  expect_equal(verdict_kind(2, plain = 3), "open")
  expect_equal(verdict_kind(4, plain = 90, hides = TRUE), "probable")
  expect_equal(verdict_kind(0.1, hides = TRUE), "scores")
  expect_equal(verdict_kind(2, plain = 9, hides = TRUE), "scores")
  expect_identical(is_called(stated(4)), TRUE)
  for (kind in setdiff(names(verdict_sentences), c("probable", "wrong"))) {
    expect_false(is_called(list(kind = kind)), label = kind)
  }
})

test_that("Bayes factors have words", {
  d <- toy_scores(2, 40)
  known <- second_stage(d$prob, d$labels, hyper = "integrate", trusted = 1:40)
  expect_equal(noise_test(known)$verdict, "every label is known to be right")
  expect_output(print(noise_test(known)), "every label is known to be right")
  expect_equal(odds_words(5.678), "5.7 to 1")
  expect_equal(odds_words(4321), "4,300 to 1")
  expect_equal(odds_words(1e5), "over 10,000 to 1")
  # hopeless models are left out, which is no check
  expect_equal(odds_words(Inf), "over 10,000 to 1")
  found <- verdict_line(stated(Inf, disproved = TRUE))
  expect_equal(found, "Yes, a check has found one.")
  found <- verdict_line(stated(Inf, disproved = TRUE, found = 19))
  expect_equal(found, "Yes, checks have found 19.")
  found <- verdict_line(stated(Inf, disputed = 3))
  expect_equal(found, "Yes: readers contradict each other in 3 rows.")
})

test_that("labels that are known are no part of how many are wrong", {
  test <- stated(
    30, n = 366, known = 19, level = 0.9, average = list(count = 18, lower = 13, upper = 24),
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
  said <- function(factor, ...) verdict_lines(stated(factor, test, ...))
  expect_match(said(0.1)[[1]], "No sign, but some could hide")
  # the averaged interval, which would be narrow, is not what stands beside it
  expect_match(said(0.1)[["How many?"]], "if some, 2 to 7 of 1,100 (90% interval)", fixed = TRUE)
  test$any$lower <- 1
  expect_match(said(0.1)[["How many?"]], "if some, up to 7 of 1,100", fixed = TRUE)
  numbers <- utils::modifyList(test, list(level = NULL))
  expect_equal(
    count_line(stated(0.1, numbers), 2), "Probably none; if some, about 3.4 of 1,100."
  )
  expect_equal(count_line(stated(5, numbers), 2), "About 0.3 of 1,100.")
  expect_equal(
    said(0.1)[["Could hide?"]], "10% wrong shows in 4 of 10 such tables (2 if ill only)."
  )
  expect_match(said(1)[[1]], "Can't tell")
  expect_match(said(1)[["How many?"]], "0 to 2 of 1,100 (90% interval), 0.3 expected", fixed = TRUE)
  # scores of a classifier have another end
  test$ends <- data.frame(count = c(1.2, 9.1), row.names = c("overlap", "apart"))
  expect_equal(
    said(7)[["How many?"]], "About 0.3 of 1,100 (90% interval 0 to 2); 9 if the scores hardly err."
  )
  test$ends$count[2] <- 2.9 # about as many
  expect_equal(said(7)[["How many?"]], "About 0.3 of 1,100 (90% interval 0 to 2).")
  test$ends <- NULL
  expect_equal(said(7)[[1]], "Probably, evidence 7 to 1.")
  expect_equal(said(70)[["How many?"]], "About 0.3 of 1,100 (90% interval 0 to 2).")
  expect_named(said(70), c("Wrong labels?", "How many?"))
  test$first <- first_checks(c(0.9, 0.8, 0.35, 0), 2.1, 2)
  expect_named(said(70), c("Wrong labels?", "How many?", "What next?"))
  expect_equal(said(1)[["What next?"]], "Check the first 2: 2 wrong labels expected, 0.4 would remain.")
  expect_null(next_words(first_checks(numeric(4), 0))) # every label is known
  few <- first_checks(c(0.2, 0.1, 0.1), 0.4, 2)
  expect_equal(next_words(few), "Little to check: 0.3 wrong labels expected in the first 2.")
  expect_lte(max(nchar(unlist(lapply(c(0.1, 1, 7, 1e5), said)))), 63) # a line each
  test$noticed$probability <- c(0.97, 0.9, 0.81)
  expect_match(said(0.1)[[1]], "they would show")
  expect_false("What next?" %in% names(said(0.1)))
  test$noticed$probability <- c(0.02, 0.04, 0)
  expect_match(said(0.1)[["Could hide?"]], "would hardly ever show")
  expect_match(said(190, kind = "curve")[[1]], "Use gpc()", fixed = TRUE)
  expect_named(said(190, kind = "curve"), c("Wrong labels?", "How many?"))
  expect_lte(max(nchar(said(190, kind = "curve"))), 63)
  test$settled <- TRUE
  expect_match(said(1)[[1]], "Nothing to check")
  expect_identical(said(1)[["How many?"]], "None of 1,100.")
  test$settled <- FALSE
  test["noticed"] <- list(NULL)
  expect_match(said(0.1)[[1]], "some could hide")
})

test_that("what can't be told from wrong labels is named, with numbers that leave it open", {
  test <- list(
    n = 200, level = 0.9, average = list(count = 4.2, lower = 0, upper = 23), contradicted = 17,
    any = list(count = 6, lower = 1, upper = 23), noticed = data.frame(of = "all", share = 0.1, probability = 0.9)
  )
  said <- function(kind) verdict_lines(stated(2, test, kind = kind))
  unusual <- said("unusual")
  expect_match(unusual[[1]], "contradict their rows: they are wrong, or the rows are unusual", fixed = TRUE)
  expect_equal(unusual[["How many?"]], "0 to 23 of 200 (90% interval), 4.2 expected.")
  scores <- said("scores")
  expect_match(scores[[1]], "the scores contradict 17 labels. These are wrong, or the scores err", fixed = TRUE)
  expect_equal(
    scores[["How many?"]],
    "0 to 23 of 200 (from the lower end if the scores err to the upper if they hardly do)."
  )
  blind <- said("blind")
  expect_match(blind[[1]], "the inputs say next to nothing of the classes", fixed = TRUE)
  expect_equal(blind[["How many?"]], "0 to 23 of 200 (90% interval).")
  # what would show is said where nothing shows, or it is open
  for (kind in c("unusual", "scores", "blind")) expect_named(said(kind), c("Wrong labels?", "How many?"))
})

test_that("what a linear boundary, a rare class and rates by class mean is said beside the verdict", {
  test <- stated(
    30, linear = TRUE, suspects = "ill", two = 12, levels = c("no", "ill"),
    rates = data.frame(class = c("no", "ill"), rate = c(0.1, 0.2))
  )
  expect_length(verdict_notes(test), 3)
  blank <- replace(test, "suspects", "")
  expect_match(verdict_notes(blank)[2], 'All labels "" are equally', fixed = TRUE)
  expect_match(verdict_notes(test)[3], "Odds of 12 to 1 that more labels of true ill are wrong.", fixed = TRUE)
  test$levels <- c(test$levels, "unwell")
  expect_match(verdict_notes(test)[3], "more labels of true ill are wrong", fixed = TRUE) # in an order: no matrix
  test$models <- data.frame(model = c("none", "one", "each", "matrix"))
  expect_match(verdict_notes(test)[3], "some classes are taken for particular others: see noise_matrix()", fixed = TRUE)
  expect_length(verdict_notes(stated(1, linear = TRUE, two = NA)), 0)
  for (kind in c("curve", "blind")) expect_null(verdict_notes(replace(test, "kind", kind)))
})

test_that("errors of one kind are named where labels are called, and classes that look alike always", {
  test <- stated(
    30, two = NA, levels = c("opel", "saab", "bus"),
    one_kind = list(true = "saab", recorded = "opel", count = 14.2, all = 40.4), alike = c("opel", "saab")
  )
  notes <- verdict_notes(test)
  expect_equal(notes[1], "Errors of one kind: saab recorded as opel (expected 14 of 40).")
  expect_equal(
    notes[2], "Rows of opel and saab look alike: errors between these two can't be told from overlap. Check some of both."
  )
  expect_match(verdict_notes(replace(test, "kind", "open")), "look alike")
})

test_that("which class has more is said of wrong labels that show, where one class beats the other", {
  test <- stated(
    30, two = 12, levels = c("no", "ill"), rates = data.frame(class = c("no", "ill"), rate = c(0.1, 0.2)),
    models = data.frame(model = c("none", "one", "first", "second"), log_evidence = c(0, 1, 3, 5))
  )
  expect_match(verdict_notes(test), "Odds of 12 to 1 that more labels of true ill are wrong.", fixed = TRUE)
  test$models$log_evidence[3] <- 4.5 # as rates by group have it: either predicts fewer
  expect_null(verdict_notes(test))
  test$models <- test$models[-3, ]
  expect_length(verdict_notes(test), 1)
  # of classes in an order, each of which may be the one
  test$levels <- c("lo", "mid", "hi")
  test$rates <- data.frame(class = test$levels, rate = c(0.3, 0.1, 0.1))
  test$models <- data.frame(
    model = c("none", "one", "each", paste0("alone", 1:3)), log_evidence = c(0, 1, 2, 5, 4.5, 0),
    probability = c(0.1, 0.1, 0.2, 0.3, 0.2, 0.1)
  )
  expect_null(verdict_notes(test))
  test$models$log_evidence[4] <- 7
  expect_match(verdict_notes(test), "more labels of true lo are wrong", fixed = TRUE)
  test$models$probability[4] <- 2
  expect_equal(verdict_notes(test), "Errors seem to go one way: labels of true \"lo\" are wrong.")
  test$kind <- verdict_kind(0.1)
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
  expect_match(noticed_line(noticed), "(5 if versicolor only)", fixed = TRUE)
  noticed$of[2] <- "a class with a long name"
  expect_match(noticed_line(noticed), "(5 if a class..ng name only)", fixed = TRUE)
})

test_that("errors of one class alone are named with what to do about them", {
  d <- withr::with_seed(2, data.frame(a = rnorm(200), b = rnorm(200)))
  d$class <- factor(ifelse(d$a > 0, "malignant", "benign"))
  wrong <- utils::head(which(d$class == "malignant" & d$a > 0.5), 12)
  d$class[wrong] <- "benign"
  fit <- gpc(class ~ ., d, kernel = kernel_iso(), hyper = "optimum", epsilon = "average")
  test <- noise_test(fit)
  expect_match(verdict_notes(test), "labels of true \"malignant\" are wrong. If", fixed = TRUE, all = FALSE)
  expect_match(verdict_notes(test), "noise_prior(unlabelled = \"benign\")", fixed = TRUE, all = FALSE)
  # what it names is taken
  expect_no_error(noise_prior(unlabelled = "benign"))
  # the first rows are those of the list, and the numbers its sums
  found <- mislabelled(fit)
  expect_equal(test$first$found, sum(found$probability[1:20]))
  expect_equal(test$first$found + test$first$left, attr(found, "expected")$count)
  lines <- capture.output(print(found))
  expect_match(lines, "Check the first 20: ", fixed = TRUE, all = FALSE)
  expect_match(capture.output(print(mislabelled(fit, fdr = 0.2))), "Check the first 1[0-9]: ", all = FALSE)
  expect_match(capture.output(print(review(fit, 7))), "Check the first 7: ", fixed = TRUE, all = FALSE)
  expect_match(capture.output(print(fit)), "Check the first 20: ", fixed = TRUE, all = FALSE)
  even <- test
  even$models$probability <- 1 / nrow(even$models)
  expect_no_match(verdict_notes(even), "Only true")
})

test_that("where all rows of one class are trusted and none of the other, nothing is told", {
  d <- withr::with_seed(2, data.frame(a = rnorm(40), b = rnorm(40)))
  d$y <- factor(d$a > 0, labels = c("sound", "ill"))
  fit <- gpc(y ~ ., d, trusted = d$y == "sound")
  printed <- capture.output(print(fit))
  expect_match(printed, "no row labelled ill is trusted", all = FALSE)
  expect_match(printed, "None to all of the other", all = FALSE)
})
