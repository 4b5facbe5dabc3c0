# By the probabilities of the model ----------------------------------------------------

test_that("a false-discovery rate cuts the list where it is first exceeded", {
  fit <- toy_fit(epsilon = 0.1)
  all <- mislabelled(fit)
  expect_equal(all$fdr, cumsum(1 - all$probability) / all$rank)
  some <- suppressMessages(mislabelled(fit, fdr = 0.4))
  expect_gt(nrow(some), 0)
  expect_lt(nrow(some), 40)
  expect_equal(some$row, all$row[all$fdr <= 0.4])
  cutoff <- attr(some, "cutoff")
  expect_equal(cutoff$rows, nrow(some))
  expect_equal(cutoff$probability, min(some$probability))
  expect_equal(attr(some, "expected"), attr(all, "expected"))
  expect_equal(nrow(suppressMessages(mislabelled(fit, fdr = 1))), 40)
})

test_that("a message says how many rows called wrong are more likely right", {
  fit <- toy_fit(epsilon = 0.1)
  all <- mislabelled(fit)
  likely_right <- all$row[all$probability < 0.5]
  expect_message(
    found <- mislabelled(fit, fdr = 1),
    class = "sturdy_message_likely_right"
  )
  expect_equal(attr(found, "cutoff")$unlikely, length(likely_right))
  signalled <- expect_condition(
    mislabelled(fit, fdr = 1),
    class = "sturdy_message_likely_right"
  )
  expect_setequal(signalled$rows, likely_right)
  expect_output(
    print(found),
    paste(length(likely_right), "of the 40 rows called wrong are more likely right")
  )
  # a list of which every row is more likely wrong says nothing
  surest <- all$fdr[sum(all$probability >= 0.5)]
  expect_gt(surest, 0)
  expect_no_message(few <- mislabelled(fit, fdr = surest))
  expect_true(all(few$probability >= 0.5))
  expect_equal(attr(few, "cutoff")$unlikely, 0)
  expect_snapshot({
    said(mislabelled(fit, fdr = 1))
    unlikely_words(1, 3)
  })
})

test_that("no row may be called wrong at a small rate", {
  none <- mislabelled(toy_fit(epsilon = 0.01), fdr = 0)
  expect_equal(nrow(none), 0)
  expect_identical(attr(none, "cutoff")$probability, NA_real_)
  expect_match(printed(none), "no row at a false-discovery rate of 0")
})

extended_test("among rows called wrong about the wanted share is right", {
  counts <- vapply(1:20, function(seed) {
    d <- process_table(seed)
    found <- mislabelled(gpc(d$X, d$y, kernel = kernel_iso(), epsilon = "learn"), fdr = 0.1)
    c(nrow(found), sum((d$y == d$true)[found$row]))
  }, numeric(2))
  expect_lt(sum(counts[2, ]) / sum(counts[1, ]), 0.2)
})

# By rows checked at random -------------------------------------------------------

# A ranked list of rows of which some labels are wrong, as suspicion() makes it
ranked <- function(wrong) {
  n <- length(wrong)
  data.frame(
    row = rev(seq_len(n)), label = factor(rep("a", n), c("a", "b")),
    probability = seq(0.9, 0.1, length.out = n), rank = seq_len(n)
  )
}

# What is called by checks of these ranks, by (7.8) as it stands
called_ranks <- function(wrong, checked, fdr) {
  n <- length(wrong)
  m <- length(checked)
  is_checked <- seq_len(n) %in% checked
  ratio <- (n - m) * (1 + cumsum(is_checked & !wrong)) / ((m + 1) * cumsum(!is_checked))
  last <- max(0, which(ratio <= fdr * (1 + 1e-9)))
  setdiff(seq_len(last), checked)
}

called_by_checks <- function(wrong, checked, fdr) {
  found <- ranked(wrong)
  checks <- list(
    row = found$row[checked], label = 1L + wrong[checked], among = found$row
  )
  found <- calibrated(found, checks)
  list(found = found, cutoff = suppressMessages(calibrated_cutoff(found, checks, fdr)))
}

test_that("over all draws of checks the rate holds, whatever the ranking is worth", {
  local_mocked(inform_sturdy = function(...) NULL) # to word a message takes longer than all of this
  worst <- NULL
  for (wrong in list(1:3, c(1, 4, 8), 7:9, 1:6, integer())) {
    wrong <- 1:9 %in% wrong
    for (fdr in c(0.2, 0.4, 0.6)) {
      draws <- utils::combn(9, 5, simplify = FALSE)
      called <- lapply(draws, function(checked) {
        said <- called_by_checks(wrong, checked, fdr)
        said$found$rank[said$cutoff$called]
      })
      expect_equal(called, lapply(draws, called_ranks, wrong = wrong, fdr = fdr))
      shares <- vapply(called, function(ranks) {
        if (length(ranks)) mean(!wrong[ranks]) else 0
      }, 0)
      expect_lte(mean(shares), fdr + 1e-12)
      worst <- c(worst, mean(shares) / fdr)
    }
  }
  expect_gt(max(worst), 0.75) # and is nearly used up
})

test_that("p values count the checked rows above whose label is right", {
  wrong <- 1:8 %in% c(1, 3)
  said <- called_by_checks(wrong, c(2, 3, 6), 0.5)$found
  expect_equal(said$p_value, c(1, NA, NA, 2, 2, NA, 3, 3) / 4)
  expect_equal(said$fdr, stats::p.adjust(said$p_value, "BH"))
})

# 60 rows, 12 of them wrong, at a fit that costs nothing
checked_table <- function() {
  withr::with_seed(1, {
    x <- matrix(rnorm(120), 60)
    truth <- factor(x[, 1] > 0, labels = c("no", "yes"))
    wrong <- 1:60 %in% sample(60, 12)
  })
  y <- truth
  y[wrong] <- ifelse(truth[wrong] == "no", "yes", "no")
  fit <- gpc(x, y, kernel = held(), epsilon = 0.1)
  list(fit = fit, truth = truth, wrong = wrong)
}

checks_of <- function(table, rows) data.frame(row = rows, label = table$truth[rows])

test_that("a fit's list by checks has the p values of the definition", {
  table <- checked_table()
  drawn <- withr::with_seed(2, sample(60, 30))
  plain <- mislabelled(table$fit)
  found <- mislabelled(table$fit, calibrate = checks_of(table, drawn))
  expect_equal(found[names(plain)[1:7]], plain[1:7], ignore_attr = TRUE)
  right <- drawn[!table$wrong[drawn]]
  above <- vapply(found$rank, function(r) sum(found$rank[found$row %in% right] <= r), 0)
  open <- !found$row %in% drawn
  expect_equal(found$p_value[open], ((1 + above) / 31)[open])
  expect_true(all(is.na(found$p_value[!open])) && all(is.na(found$fdr[!open])))
  some <- mislabelled(table$fit, fdr = 0.25, calibrate = checks_of(table, drawn))
  expect_equal(some$row, found$row[which(found$fdr <= 0.25)])
  cutoff <- attr(some, "cutoff")
  expect_gt(cutoff$rows, 0)
  expect_equal(cutoff$rows, nrow(some))
  expect_equal(cutoff$rank, max(some$rank))
  expect_equal(cutoff[c("checks", "least")], list(checks = 30L, least = ceiling(30 / (0.25 * 31))))
  expect_output(print(some), "by 30 checks at")
})

test_that("checks may be drawn of the most suspicious rows, which alone can be called wrong", {
  table <- checked_table()
  top <- mislabelled(table$fit)$row[1:24]
  drawn <- withr::with_seed(3, sample(top, 14))
  checks <- checks_of(table, drawn)
  found <- mislabelled(table$fit, calibrate = checks, among = 24)
  expect_setequal(found$row[!is.na(found$fdr)], setdiff(top, drawn))
  expect_error(
    mislabelled(table$fit, calibrate = checks_of(table, c(drawn, setdiff(1:60, top)[1])), among = 24),
    class = "sturdy_error_calibrate"
  )
})

test_that("with three classes a check is right where it finds the recorded one", {
  fit <- gpc(Species ~ ., iris[c(1:10, 51:60, 101:110), ], kernel = held(), epsilon = 0.05)
  drawn <- seq(1, 30, by = 2)
  label <- fit$blueprint$levels[fit$data$y][drawn]
  label[1] <- "virginica" # of a row that was recorded as setosa
  found <- mislabelled(fit, calibrate = data.frame(row = drawn, label = label))
  right <- found$row %in% drawn[-1]
  open <- !found$row %in% drawn
  expect_equal(found$p_value[open], ((1 + cumsum(right)) / 16)[open])
})

test_that("what can't be done is refused, and why none is called is said", {
  table <- checked_table()
  fit <- table$fit
  few <- checks_of(table, 1:8)
  knows <- suppressMessages(update(fit, checked = few[1:3, ]))
  for (wrong in list(
    quote(mislabelled(fit, fdr = 0.1, calibrate = few)), # no p value is small enough
    quote(mislabelled(knows, calibrate = few)),
    quote(mislabelled(fit, among = 20)),
    quote(mislabelled(fit, calibrate = checks_of(table, 1:60)))
  )) {
    expect_error(eval(wrong), class = "sturdy_error_calibrate")
  }
  expect_error(mislabelled(fit, calibrate = 1:8), class = "sturdy_error_checked")
  expect_error(mislabelled(fit, calibrate = few, among = 7), class = "sturdy_error_range")
  expect_message(
    none <- mislabelled(fit, fdr = 0.12, calibrate = few), class = "sturdy_message_few_checks"
  )
  expect_equal(nrow(none), 0)
  copies <- gpc(class ~ a + b, toy(), kernel = held(), epsilon = 0.1, subset = c(1:40, 1:40))
  expect_error(
    mislabelled(copies, calibrate = data.frame(row = 1:9, label = "no")),
    class = "sturdy_error_calibrate"
  )
  expect_snapshot({
    none
    said(mislabelled(fit, fdr = 0.12, calibrate = few))
    said(mislabelled(fit, fdr = 0.1, calibrate = few))
    said(mislabelled(knows, calibrate = few))
    said(mislabelled(fit, calibrate = data.frame(row = 1:3)))
  })
})

test_that("its picture has the cut below the last rank that is called", {
  table <- checked_table()
  drawn <- withr::with_seed(2, sample(60, 30))
  some <- mislabelled(table$fit, fdr = 0.25, calibrate = checks_of(table, drawn))
  cut <- unlist(lapply(picture(some, n = NULL, labels = 5)$panels[[1]]$layers, function(layer) {
    layer$data$x[layer$data$meaning == "cutoff"]
  }))
  expect_equal(unique(cut), attr(some, "cutoff")$rank + 0.5)
})
