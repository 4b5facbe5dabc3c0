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
  said <- quietly_audit(a$fit, flipped(a$d[101:160, ], bad), by = "site")
  expect_true(said$alarm)
  expect_identical(said$status, 2L)
  expect_true(all(said$suspects$row %in% bad))
  expect_gt(nrow(said$suspects), 5)
  expect_equal(said$counts, c(kept = 100, changed = 0, added = 60, removed = 0))
  expect_identical(said$rates$group, c("before", "u", "v"))
  expect_equal(said$rates$rows, c(100, 30, 30))
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

test_that("the rate of what came in is that of its rows, whatever their groups", {
  groups <- factor(rep(c("before", "u", "v"), c(20, 30, 10)))
  local_mocked(group_counts = function(...) NULL, group_table = function(...) NULL)
  reports <- label_reports(rep(1L, 60), 2, as.integer(groups), levels(groups))
  higher <- function(e) { # the rates of the first class, which all rows are of
    said <- list(p = array(rep(1:0, each = 60), c(60, 2, 1)), weight = 1, source = as.integer(groups))
    said$omega <- list(array(c(1 - e, 0, 0, 0, e, 1, 1, 1), c(3, 2, 2)))
    audit_rates(list(data = list(reports = reports)), said, groups, 0.9)$higher
  }
  expect_equal(higher(c(0.2, 0.1, 0.4)), 0) # 7 of 40
  expect_equal(higher(c(0.2, 0.15, 0.4)), 1) # 8.5 of 40
  reports <- with_times(reports, rep(c(1, 2, 1), c(20, 30, 10)))
  expect_equal(higher(c(0.2, 0.15, 0.4)), 0) # 13 of 70, rows of u standing for two
})

test_that("rows stand for as many as before, and those that came in for one; checks there are not of their group", {
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
  came <- judged(rep(c("before", "came in", "before", "came in"), c(1, 1, 1, 2)))
  expect_equal(came$row, 1:5)
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
  expect_identical(quietly_audit(a$fit, all, by = "site")$rates$group, c("u", "v"))
})

test_that("two fits, a table and a fit, and files say the same of what changed", {
  a <- audited()
  now <- flipped(a$d[11:110, ], 3)
  local_fewer_points()
  held <- kernel_iso(1, fixed = TRUE)
  new <- gpc(class ~ a + b, now, kernel = held, control = ep_control(progress = FALSE))
  counts <- c(kept = 89, changed = 1, added = 10, removed = 10)
  fits <- quietly_audit(a$fit, new)
  expect_equal(fits$counts, counts)
  expect_equal(quietly_audit(a$d[1:100, ], new), fits)
  expect_equal(fits$changed$row, 3)
  files <- c(withr::local_tempfile(), withr::local_tempfile())
  utils::write.csv(cbind(a$d[1:100, ], id = row.names(a$d)[1:100]), files[1], row.names = FALSE)
  utils::write.csv(cbind(now, id = row.names(now)), files[2], row.names = FALSE)
  local_mocked(leave = function(status) cat("status", status))
  expect_output(
    said <- quietly_audit(files[1], files[2], class ~ a + b, id = "id", kernel = held, quit = TRUE), "status 0"
  )
  expect_equal(said$counts, counts)
  # and on the page
  page <- withr::local_tempfile(fileext = ".html")
  suppressMessages(label_report(new, page, n = 1, since = a$fit))
  expect_match(paste(readLines(page), collapse = ""), "89 as before, 1 changed, 10 new, 10 gone")
  # by the identifiers of the page, where rows have no names
  table <- read_table(files[2])
  nameless <- update(new, data = table)
  for (since in list(files[1], read_table(files[1]))) {
    suppressMessages(label_report(nameless, page, n = 1, data = table, id = "id", since = since))
    expect_match(paste(readLines(page), collapse = ""), "89 as before, 1 changed, 10 new, 10 gone")
  }
  skip_if_not_installed("tibble")
  tables <- lapply(files, function(file) tibble::as_tibble(read_table(file)))
  expect_no_warning(said <- quietly_audit(tables[[1]], tables[[2]], class ~ a + b, id = "id", kernel = held))
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
  expect_error(audit(fit, "no such.csv"), class = "sturdy_error_file")
  expect_error(audit(fit, a$d, id = "record"), class = "sturdy_error_id")
  expect_error(audit(fit, a$d, id = "site"), class = "sturdy_error_id")
  expect_error(audit(a$d, a$d), class = "sturdy_error_missing_argument")
  expect_error(suppressMessages(audit(fit, a$d[101:160, ], by = "nothing")), class = "sturdy_error_by")
  expect_error(quietly_audit(fit, cbind(a$d, part = "before"), by = "part"), class = "sturdy_error_by")
  expect_error(audit(fit, a$d, df = 5), class = "sturdy_error_unknown_argument")
  expect_error(audit(fit, a$d, alarm = 2), class = "sturdy_error_range")
  expect_snapshot({
    said(audit(fit, 1))
    said(audit(fit, a$d, id = "site"))
    said(audit(fit, "no such.csv"))
  })
})
