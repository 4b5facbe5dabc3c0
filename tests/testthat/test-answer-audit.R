audited <- made_once(function() {
  local_fewer_points()
  d <- withr::with_seed(1, data.frame(a = rnorm(160), b = rnorm(160), site = rep(c("u", "v"), 80)))
  d$class <- factor(d$a + d$b > 0, labels = c("no", "yes"))
  row.names(d) <- paste0("r", seq_len(160))
  quiet <- ep_control(progress = FALSE)
  list(d = d, fit = bpm(class ~ a + b, d[1:100, ], control = quiet))
})

flipped <- function(d, rows) {
  d$class[rows] <- ifelse(d$class[rows] == "no", "yes", "no")
  d
}

read_table <- function(file) utils::read.csv(file, stringsAsFactors = TRUE)

quietly_audit <- function(...) {
  local_fewer_points()
  suppressMessages(audit(...))
}

test_that("a batch with wrong labels raises an alarm, and a clean one does not", {
  a <- audited()
  expect_message(audit(a$fit, a$d[101:160, ]), class = "sturdy_message_unmatched")
  clean <- quietly_audit(a$fit, a$d[101:160, ])
  expect_false(clean$alarm)
  expect_identical(clean$status, 0L)
  expect_equal(nrow(clean$suspects), 0)
  bad <- order(-abs(a$d$a + a$d$b)[101:160])[1:8]
  said <- quietly_audit(a$fit, flipped(a$d[101:160, ], bad))
  expect_true(said$alarm)
  expect_identical(said$status, 2L)
  expect_true(all(said$suspects$row %in% bad))
  expect_gt(nrow(said$suspects), 5)
  expect_equal(said$counts, c(kept = 100, changed = 0, added = 60, removed = 0))
  expect_identical(said$rates$group, c("before", "came in"))
  expect_equal(said$rates$rows, c(100, 60))
  expect_snapshot(print(said, n = 2))
})

test_that("versions of a table are matched by the names of rows, or a column", {
  a <- audited()
  now <- flipped(a$d[c(6:100, 111:120), ], 3)
  said <- quietly_audit(a$fit, now)
  expect_equal(said$counts, c(kept = 94, changed = 1, added = 10, removed = 5))
  expect_equal(said$changed$row, 3)
  expect_identical(said$changed$id, row.names(now)[3])
  expect_identical(as.character(said$changed$was), as.character(a$d$class[8]))
  expect_equal(said$changed$was_right, said$changed$probability, tolerance = 1e-8) # of two classes
  named <- cbind(now, record = row.names(now))
  row.names(named) <- NULL
  expect_equal(quietly_audit(a$fit, named, id = "record"), said)
  # nothing new
  same <- quietly_audit(a$fit, a$d[1:100, ])
  expect_identical(same$higher, NA_real_)
  expect_false(same$alarm)
  expect_output(print(same), "no label came in")
  known <- quietly_audit(update(a$fit, trusted = 1:100), flipped(a$d[101:110, ], 1:8))
  expect_identical(known$higher, NA_real_)
  expect_output(print(known), "No: all labels before, or all that came in, are known")
})

test_that("labels called wrong are cut among those that came in, whatever else is wrong", {
  a <- audited()
  local_fewer_points()
  sure <- order(-abs(a$d$a + a$d$b)[1:100])
  old <- flipped(a$d[1:100, ], sure[1:8]) # wrong before, and still
  fit <- bpm(class ~ a + b, old, control = ep_control(progress = FALSE))
  said <- quietly_audit(fit, flipped(old, sure[c(1:3, 9:12)]), fdr = 0.1)
  expect_equal(said$counts, c(kept = 93, changed = 7, added = 0, removed = 0))
  p <- sort(said$changed$probability, decreasing = TRUE)
  expect_equal(nrow(said$suspects), sum(cumsum(1 - p) / 1:7 <= 0.1))
  expect_equal(sort(said$suspects$row), sort(sure[9:12]))
})

test_that("the rate of what came in is held against that of before, by labels", {
  groups <- factor(rep(c("before", "came in"), c(20, 40)))
  local_mocked(group_counts = function(...) NULL, group_table = function(...) NULL)
  reports <- with_times(label_reports(rep(1L, 60), 2, as.integer(groups), levels(groups)), rep(1:2, c(20, 40)))
  higher <- function(e) { # the rates of the first class, which all rows are of
    said <- list(p = array(rep(1:0, each = 60), c(60, 2, 2)), weight = c(0.3, 0.7), source = as.integer(groups))
    said$omega <- lapply(list(e, rev(e)), function(e) array(c(1 - e, 0, 0, e, 1, 1), c(2, 2, 2)))
    audit_rates(list(data = list(reports = reports), recalibration = TRUE), said, groups, 0.9)$higher
  }
  expect_equal(higher(c(0.2, 0.1)), 0.7)
  expect_equal(higher(c(0.1, 0.2)), 0.3)
})

test_that("rows stand for as many as before, and those that came in for one", {
  reports <- with_times(new_reports(3, 2, c(1:3, 2L), c(1, 0, 1, 1), c(1, 2, 2, 1)), c(2, 3, 4))
  data <- audit_data(list(X = matrix(0, 3, 2), y = c(-1, 1, 1), reports = reports), matrix(1, 2, 2), 2:1, c("a", "b"))
  expect_equal(data$reports$times, c(2, 3, 4, 1, 1))
  expect_equal(label_code(data), c(1, 2, 2, 2, 1))
  local_mocked(new_second_stage = function(spec, molded, ...) molded$data$reports)
  judged <- function(groups) audit_judge(list(data = data), factor(groups, c("before", "came in")))
  before <- judged(rep(c("before", "came in"), 3:2))
  expect_equal(before[c("row", "source", "value")], list(
    row = c(1:5, 2L), source = c(1L, 0L, 1L, 2L, 2L, 1L), value = c(1L, 2L, 2L, 2L, 1L, 1L)
  ))
})

test_that("where no label is as before there is nothing to compare with, and that is said", {
  a <- audited()
  all <- flipped(a$d[1:100, ], 1:100)
  said <- quietly_audit(a$fit, all)
  expect_equal(said$counts, c(kept = 0, changed = 100, added = 0, removed = 0))
  expect_identical(said[c("higher", "alarm")], list(higher = NA_real_, alarm = FALSE))
  expect_identical(said$rates$group, "came in")
  expect_equal(said$rates$rows, 100)
  expect_output(print(said), "no label is as before")
})

test_that("tables and their files say of what changed what a fit and a table say", {
  a <- audited()
  now <- flipped(a$d[11:110, ], 3)
  counts <- c(kept = 89, changed = 1, added = 10, removed = 10)
  files <- c(withr::local_tempfile(), withr::local_tempfile())
  utils::write.csv(cbind(a$d[1:100, ], id = row.names(a$d)[1:100]), files[1], row.names = FALSE)
  utils::write.csv(cbind(now, id = row.names(now)), files[2], row.names = FALSE)
  local_mocked(leave = function(status) cat("status", status))
  held <- kernel_iso(1, fixed = TRUE)
  expect_output(
    said <- quietly_audit(files[1], files[2], class ~ a + b, id = "id", kernel = held, quit = TRUE), "status 0"
  )
  expect_equal(said$counts, counts)
  expect_equal(said$changed$row, 3)
  tables <- lapply(files, read_table)
  expect_equal(quietly_audit(tables[[1]], tables[[2]], class ~ a + b, id = "id", kernel = held), said)
  local_fewer_points()
  fit <- gpc(class ~ a + b, a$d[1:100, ], kernel = held, control = ep_control(progress = FALSE))
  expect_equal(quietly_audit(fit, now)$counts, counts)
  skip_if_not_installed("tibble")
  expect_no_warning(
    said <- quietly_audit(tibble::as_tibble(tables[[1]]), tibble::as_tibble(tables[[2]]), class ~ a + b, id = "id", kernel = held)
  )
  expect_equal(said$counts, counts)
})

test_that("several classes, scores and trusted rows are judged, too", {
  scores <- withr::with_seed(2, matrix(rgamma(240, 1), 80) + 3 * diag(3)[rep(1:3, length.out = 80), ])
  scores <- scores / rowSums(scores)
  colnames(scores) <- c("a", "b", "c")
  labels <- factor(rep(c("a", "b", "c"), length.out = 80))
  local_fewer_points()
  fit <- second_stage(scores[1:50, ], labels[1:50], trusted = 1:5)
  said <- quietly_audit(fit, as.data.frame(scores[51:80, ]), labels = labels[51:80])
  expect_equal(said$rates$rows, c(45, 30))
  expect_equal(said$counts[["kept"]], 50)
})

test_that("what can't be compared is refused", {
  a <- audited()
  fit <- a$fit
  expect_error(audit(fit), class = "sturdy_error_missing_argument")
  expect_error(audit(fit, 1), class = "sturdy_error_type")
  expect_error(audit(1, a$d), class = "sturdy_error_type")
  expect_error(audit(fit, fit), class = "sturdy_error_type")
  expect_error(audit(fit, "no such.csv"), class = "sturdy_error_file")
  expect_error(audit(fit, a$d, id = "record"), class = "sturdy_error_id")
  expect_error(audit(fit, a$d, id = "site"), class = "sturdy_error_id")
  expect_error(audit(a$d, a$d), class = "sturdy_error_missing_argument")
  expect_error(audit(fit, a$d, df = 5), class = "sturdy_error_unknown_argument")
  expect_error(audit(fit, a$d, alarm = 2), class = "sturdy_error_range")
  expect_snapshot({
    said(audit(fit, 1))
    said(audit(fit, a$d, id = "site"))
    said(audit(fit, "no such.csv"))
  })
})
