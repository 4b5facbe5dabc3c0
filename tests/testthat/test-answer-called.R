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
  drawn <- list(
    row = found$row[checked], wrong = wrong[checked], open = logical(length(checked)), among = found$row
  )
  found <- calibrated(found, drawn)
  list(found = found, cutoff = suppressMessages(calibrated_cutoff(found, drawn, fdr)))
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

# The same after checks that were drawn
drawn_table <- function(n = 30, fdr = 0.25, seed = 2) {
  table <- checked_table()
  plan <- withr::with_seed(seed, review(table$fit, n = n, fdr = fdr))
  table$plan <- plan
  plan$label <- table$truth[plan$row]
  table$answers <- plan
  table$after <- suppressMessages(update(table$fit, checked = plan))
  table
}

test_that("after checks that were drawn rows are called by the p values of the definition", {
  table <- drawn_table()
  drawn <- table$plan$row
  among <- attr(table$plan, "price")$among
  top <- mislabelled(table$fit)$row[seq_len(among)] # by the fit from before
  found <- mislabelled(table$after)
  right <- top %in% drawn[!table$wrong[drawn]]
  p <- replace((1 + cumsum(right)) / 31, top %in% drawn, NA)[match(found$row, top)]
  expect_equal(found$p_value, p)
  expect_setequal(found$row[!is.na(found$fdr)], setdiff(top, drawn))
  some <- mislabelled(table$after, fdr = 0.25)
  expect_equal(some$row, found$row[which(found$fdr <= 0.25)])
  cutoff <- attr(some, "cutoff")
  expect_gt(cutoff$rows, 0)
  expect_equal(cutoff$rows, nrow(some))
  expect_equal(
    cutoff[c("checks", "least")], list(checks = 30L, least = ceiling((among - 30) / (0.25 * 31)))
  )
  expect_output(print(some), "by 30 checks at")
  # they stay with the rows, and from a file
  again <- update(table$after, epsilon = 0.2)
  expect_equal(mislabelled(again, fdr = 0.25)$row |> sort(), sort(some$row))
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(table$answers, file, row.names = FALSE)
  expect_identical(
    suppressMessages(update(table$fit, checked = file))$data$drawn, table$after$data$drawn
  )
})

test_that("rows that were drawn by other means hold the rate by a column that says of how many", {
  table <- drawn_table()
  among <- attr(table$plan, "price")$among
  checks <- data.frame(row = table$answers$row, label = table$answers$label, drawn = paste("30 of", among))
  update_by <- function(checks) suppressMessages(update(table$fit, checked = checks))
  expect_identical(update_by(checks)$data$drawn, table$after$data$drawn)
  all <- mislabelled(table$fit)$row
  found <- mislabelled(update_by(transform(checks, drawn = paste("30 of", length(all)))))
  right <- all %in% checks$row[!table$wrong[checks$row]]
  p <- replace((1 + cumsum(right)) / 31, all %in% checks$row, NA)
  expect_equal(found$p_value, p[match(found$row, all)])
  expect_error(mislabelled(update_by(checks), fdr = 0.01), class = "sturdy_error_few_checks")
  # a row that stands there twice is one check
  twice <- update_by(checks[c(1, seq_len(nrow(checks))), ])
  expect_identical(twice$data$drawn, table$after$data$drawn)
  expect_error(update_by(transform(checks, drawn = "30 of 31")), class = "sturdy_error_drawn")
})

test_that("a check of which nothing can be said counts as one that found the label right", {
  table <- drawn_table()
  some <- table$answers
  some$label[table$wrong[some$row]][1:2] <- NA
  after <- suppressMessages(update(table$fit, checked = some))
  drawn <- after$data$drawn
  expect_equal(sum(drawn$open), 2)
  expect_equal(sum(drawn$wrong), sum(table$after$data$drawn$wrong) - 2)
  open <- drawn$row[drawn$open]
  expect_false(any(open %in% after$data$reports$row[after$data$reports$source == 0L]))
  count <- attr(mislabelled(after), "expected")$by_checks
  all <- attr(mislabelled(table$after), "expected")$by_checks
  expect_gte(count$upper, all$upper)
})

test_that("other checks, or other data, put an end to what the draw holds", {
  table <- drawn_table()
  more <- data.frame(row = setdiff(1:60, table$plan$row)[1:2], label = "no")
  expect_message(
    after <- update(table$after, checked = more), class = "sturdy_message_draw_left"
  )
  expect_null(after$data$drawn)
  expect_null(attr(mislabelled(after), "expected")$by_checks)
  # rows that are trusted are not drawn, either, and never called wrong
  called <- mislabelled(table$after, fdr = 0.5)$row
  expect_gt(length(called), 0)
  expect_message(trusting <- update(table$after, trusted = called), class = "sturdy_message_draw_left")
  expect_false(any(suppressMessages(mislabelled(trusting, fdr = 0.5, given = "some"))$row %in% called))
})

test_that("with three classes a check is right where it finds the recorded one", {
  fit <- gpc(Species ~ ., iris[c(1:10, 51:60, 101:110), ], kernel = held(), epsilon = 0.05)
  plan <- withr::with_seed(1, review(fit, n = 14, fdr = 0.3))
  plan$label[1] <- setdiff(levels(iris$Species), plan$label[1])[1]
  after <- suppressMessages(update(fit, checked = plan))
  expect_equal(after$data$drawn$wrong, c(TRUE, logical(13)))
})

test_that("what can't be done is refused, and why none is called is said", {
  table <- drawn_table(9, 0.12)
  fit <- table$fit
  other <- table$answers
  other$row[1] <- utils::tail(mislabelled(fit)$row, 1)
  twofold <- table$answers
  twofold$drawn[1] <- "9 of 60"
  for (wrong in list(table$answers[-1, ], other, twofold, cbind(table$answers[1:3], drawn = "yes"))) {
    expect_error(update(fit, checked = wrong), class = "sturdy_error_drawn")
  }
  expect_error(review(fit, n = 5, fdr = 0.1), class = "sturdy_error_few_checks")
  expect_error(review(fit, n = 60, fdr = 0.1), class = "sturdy_error_range")
  expect_error(mislabelled(table$after, fdr = 0.05), class = "sturdy_error_few_checks")
  none <- table$answers
  none$label <- fit$blueprint$levels[label_code(fit$data)][none$row] # all are right
  none <- suppressMessages(update(fit, checked = as.data.frame(none)))
  expect_message(found <- mislabelled(none, fdr = 0.12), class = "sturdy_message_few_checks")
  expect_equal(nrow(found), 0)
  copies <- gpc(class ~ a + b, toy(), kernel = held(), epsilon = 0.1, subset = c(1:40, 1:40))
  expect_error(review(copies, n = 20, fdr = 0.1), class = "sturdy_error_drawn")
  expect_snapshot({
    table$plan
    found
    said(mislabelled(none, fdr = 0.12))
    said(mislabelled(none, fdr = 0.1))
    said(review(fit, n = 5, fdr = 0.1))
    said(update(fit, checked = table$answers[-1, ]))
    said(update(fit, checked = other))
  })
})

test_that("its picture has the cut below the last rank that is called", {
  some <- mislabelled(drawn_table()$after, fdr = 0.25)
  cut <- unlist(lapply(picture(some, n = NULL, labels = 5)$panels[[1]]$layers, function(layer) {
    layer$data$x[layer$data$meaning == "cutoff"]
  }))
  expect_equal(unique(cut), attr(some, "cutoff")$rank + 0.5)
})
