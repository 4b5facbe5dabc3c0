# What goes into a second stage, and what is refused.

test_that("columns go by name, with a prefix too, and the event by the levels", {
  d <- toy_scores(3, 60)
  fit <- second_stage(d$prob, d$labels, epsilon = 0.1, hyper = "optimum")
  turned <- d$prob[, c(2, 3, 1)]
  same <- function(prob, labels = d$labels) {
    again <- second_stage(prob, labels, epsilon = 0.1, hyper = "optimum")
    expect_equal(again$ep$seen, fit$ep$seen)
    expect_identical(again$blueprint$levels, fit$blueprint$levels)
  }
  same(turned)
  same(unname(d$prob))
  same(unname(d$prob), as.character(d$labels))
  named <- as.data.frame(turned)
  names(named) <- paste0(".pred_", names(named))
  same(named)
  expect_equal(predict(fit, named, type = "prob"), predict(fit, type = "prob"), ignore_attr = TRUE)
  # a class that no label has is still one that rows may belong to
  rare <- cbind(d$prob * 0.9, z = 0.1)
  fit <- second_stage(rare, as.character(d$labels), epsilon = 0.1, hyper = "optimum")
  expect_identical(fit$blueprint$levels, c("a", "b", "c", "z"))
})

test_that("scores of 0, ties and rows off 1 by rounding are taken", {
  d <- toy_scores(2, 100)
  votes <- round(20 * d$prob) / 20
  expect_true(any(votes == 0))
  fit <- second_stage(votes, d$labels)
  expect_equal(min(fit$data$X), 0.01 / 1.01)
  expect_true(all(is.finite(mislabelled(fit)$probability)))
  hard <- second_stage(round(d$prob), d$labels)
  expect_true(all(is.finite(mislabelled(hard)$probability)))
  rounded <- second_stage(round(d$prob, 2) * 1.01, d$labels)
  expect_equal(rowSums(rounded$data$X), rep(1, 100))
})

test_that("rows without a score or a label are left out, and keep their positions", {
  d <- toy_scores(2, 60)
  prob <- d$prob
  prob[3, 1] <- NA
  d$labels[10] <- NA
  expect_message(fit <- second_stage(prob, d$labels), class = "sturdy_message_rows_left_out")
  expect_equal(nobs(fit), 58)
  expect_setequal(mislabelled(fit)$row, setdiff(1:60, c(3, 10)))
  part <- suppressMessages(second_stage(prob[, 2], d$labels))
  expect_equal(nobs(part), 59)
})

test_that("what are no out-of-sample probabilities of these classes is refused by name", {
  d <- toy_scores(3, 40)
  refused <- function(prob, labels, class, arg = "prob") {
    cnd <- expect_error(second_stage(prob, labels), class = paste0("sturdy_error_", class))
    expect_equal(cnd$arg, arg)
  }
  refused(log(d$prob), d$labels, "prob")
  refused(stats::qlogis(d$prob), d$labels, "prob")
  refused(3 * d$prob, d$labels, "prob")
  refused(d$prob / 2, d$labels, "prob")
  refused(0 * d$prob, d$labels, "prob")
  refused(unname(d$prob), rep(1:2, 20), "column_names")
  refused(d$prob[, 1:2], d$labels, "novel_levels", "labels")
  refused(d$prob, d$labels[-1], "length", "labels")
  refused(d$prob[, c(1, 1, 2)], d$labels, "column_names")
  refused(data.frame(d$prob, id = "x"), d$labels, "column_type")
  refused(array(d$prob, c(40, 1, 3)), d$labels, "type")
  refused(d$prob, list(1), "length", "labels")
  refused(c(2, rep(0.5, 39)), rep(0:1, 20), "prob")
  refused(rep(0.5, 40), rep(c("a", "b", "c", "d"), 10), "column_names")
  expect_error(second_stage(d$prob), class = "sturdy_error_missing_argument")
  expect_error(second_stage(d$prob, d$labels, kernel = 1), class = "sturdy_error_unknown_argument")
  fit <- second_stage(d$prob, d$labels, epsilon = 0.1, hyper = "optimum")
  expect_error(predict(fit, 2 * d$prob), class = "sturdy_error_prob")
  expect_error(predict(fit, d$prob[, 1:2]), class = "sturdy_error_missing_column")
})

test_that("what needs a latent function or EP is refused", {
  d <- toy_scores(2, 120)
  fit <- second_stage(d$prob, d$labels, hyper = "optimum")
  refused <- function(code) expect_error(code, class = "sturdy_error_no_latent")
  refused(predict(fit, type = "latent"))
  refused(predict(fit, interval = 0.9))
  refused(posterior_sample(fit))
  refused(check_fit(fit))
  refused(log_evidence(fit, "ep_zp"))
  expect_match(ep_diagnostics(fit)$happened[1], "exact")
})

test_that("a single column that names its class has the probabilities of that class", {
  d <- toy_scores(2, 60)
  plain <- function(...) second_stage(..., epsilon = 0.1, hyper = "optimum")
  expected <- plain(d$prob, d$labels)
  first <- d$prob[, 1]
  for (one in list(data.frame(a = first), cbind(.pred_a = first), data.frame(b = 1 - first),
                   data.frame(score = 1 - first), 1 - first)) {
    fit <- plain(one, d$labels)
    expect_equal(fit$ep$seen, expected$ep$seen)
    expect_equal(predict(fit, one, type = "prob"), predict(fit, d$prob, type = "prob"))
  }
})

test_that("scores of the event in an array of one dimension are taken, and other shapes refused", {
  d <- toy_scores(2, 40)
  fit <- second_stage(d$prob, d$labels, epsilon = 0.1, hyper = "optimum")
  event <- c(0.2, 0.9)
  expect_equal(
    predict(fit, array(event, 2), type = "prob"), predict(fit, event, type = "prob")
  )
  expect_error(predict(fit, table(c("a", "b", "b"))), class = "sturdy_error")
  expect_error(predict(fit, array(0.5, c(2, 2, 2))), class = "sturdy_error")
  expect_error(absorb(fit, table(c("a", "b", "b")), y = d$labels[1:2]), class = "sturdy_error")
})

test_that("labels without a column, or none at all, are no labels", {
  prob <- (1:16) / 17
  for (labels in list(matrix(0, 16, 0), character(), NULL)) {
    expect_error(mislabelled(prob, labels), "labels", class = "sturdy_error")
  }
})

test_that("scores of the other class are asked about", {
  d <- toy_scores(2, 100)
  turned <- expect_message(
    second_stage(1 - d$prob[, 2], d$labels), "are lower where it is recorded",
    class = "sturdy_message_reversed_scores"
  )
  expect_lt(turned$area, 0.2)
  expect_no_message(second_stage(d$prob[, 2], d$labels))
  expect_no_message(second_stage(d$prob, d$labels))
})

test_that("who asks with the wrong thing is told what to give", {
  d <- toy_scores(2, 40)
  fit <- second_stage(d$prob, d$labels)
  page <- withr::local_tempfile(fileext = ".html")
  expect_error(label_report(mislabelled(fit), page), "second_stage", class = "sturdy_error_type")
  expect_error(label_report(fit), "report.html", class = "sturdy_error_missing_argument")
  expect_error(label_report(fit, page, id = "case"), "a column of `data`", class = "sturdy_error_id")
  expect_error(mislabelled(d$labels, d$prob), "or probabilities", class = "sturdy_error_type")
  expect_error(
    predict(fit, data.frame(x = "1")), "a column for each class", class = "sturdy_error_missing_column"
  )
  found <- data.frame(case = 1, label = "a")
  expect_error(update(fit, checked = found), "To go by identifiers", class = "sturdy_error_checked")
})

test_that("scores that contradict fewer labels than they expect to are asked about", {
  y <- factor(rep(c("a", "b"), 30))
  right <- ifelse(y == "b", 0.8, 0.2) # 12 of 60 are expected to be contradicted
  fast <- function(p, y) second_stage(p, y, epsilon = 0.1, hyper = "optimum")
  for (wrong in 0:2) { # 2.5 of 12.5 are a fifth
    p <- replace(right, seq_len(wrong), 1 - right[seq_len(wrong)])
    found <- expect_message(fast(p, y), class = "sturdy_message_in_sample")$found
    expect_equal(unlist(found[c("n", "contradicted", "expected")]), c(n = 60, contradicted = wrong, expected = 12))
  }
  p <- replace(right, 1:12, 1 - right[1:12])
  expect_no_message(fast(p, y), class = "sturdy_message_in_sample")
  # sure scores are asked about where many contradict none
  sure <- ifelse(y == "b", 0.999, 0.001)
  expect_message(fast(sure, y), class = "sturdy_message_in_sample")
  expect_no_message(fast(sure[1:40], y[1:40]), class = "sturdy_message_in_sample")
})

test_that("percentages and log odds are told apart", {
  d <- toy_scores(2, 40)
  for (prob in list(100 * d$prob, 100 * d$prob[, 2])) {
    expect_error(second_stage(prob, d$labels), "prob / 100", class = "sturdy_error_prob")
  }
  odds <- tryCatch(second_stage(qlogis(d$prob[, 2]), d$labels), error = conditionMessage)
  expect_match(odds, "plogis")
  expect_no_match(odds, "100")
})
