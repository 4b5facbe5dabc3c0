# Tables of labels by several readers, wide and long.

quiet <- ep_control(progress = FALSE)
held_kernel <- kernel_iso(1.5, fixed = TRUE)

test_that("a wide table is a report for each label that is there", {
  y <- readers(a = c("n", NA, "y"), b = c("y", NA, NA), gold = c(NA, NA, "n"))
  expect_equal(as.vector(is.na(y)), c(FALSE, TRUE, FALSE))
  molded <- mold_readers(y[c(1, 3), ], "y")
  expect_equal(molded$levels, c("n", "y"))
  r <- molded$said
  said <- data.frame(row = r$row, source = r$source, value = r$value)
  said <- said[order(said$row, said$source), ]
  expect_equal(said$row, c(1, 1, 2, 2))
  expect_equal(said$source, c(1, 2, 0, 1))
  expect_equal(said$value, c(1, 2, 1, 2))
  expect_equal(r$sources, c("a", "b"))
  expect_equal(molded$y, c(-1, -1)) # a tie is the first level, and gold outweighs readers
})

test_that("factors, numbers, logical values and tables of columns are read alike", {
  a <- c(0, 1, NA, 1)
  b <- c(1, 1, 0, NA)
  as_reports <- function(y) mold_readers(y, "y")$said
  plain <- as_reports(readers(a = a, b = b))
  expect_equal(as_reports(readers(data.frame(a, b))), plain)
  expect_equal(as_reports(readers(cbind(a, b))), plain)
  expect_equal(as_reports(readers(a = a == 1, b = b == 1)), plain)
  f <- function(v) factor(v, 0:1)
  expect_equal(as_reports(readers(a = f(a), b = f(b))), plain)
  expect_equal(as_reports(readers(a, b)), plain) # names are those of the expressions
})

test_that("what can't be labels of readers is refused", {
  refused <- function(...) expect_error(readers(...), class = "sturdy_error_readers")
  refused()
  refused(c(0, 1), c(0, 1, 1))
  refused(a = c(0, 1), a = c(0, 1))
  refused(c(NA, NA))
  refused(c(0, 1), reader = 1:2)
  refused(c(0, 1), reader = 1:2, item = c(1, NA))
  refused(c(0, 1), c(1, 1), reader = 1:2, item = 1:2)
  expect_snapshot(said(readers(a = c(0, 1), a = c(0, 1))))
})

test_that("a long table is the wide one, whatever the order of its rows", {
  t <- reader_table()
  some <- rowSums(!is.na(t$d[c("a", "b", "c")])) > 0
  wide <- gpc(readers(a, b, c) ~ x1 + x2, t$d[some, ], epsilon = 0.2, kernel = held_kernel)
  long <- long_table(t$d, c("a", "b", "c"))
  long <- long[withr::with_seed(1, sample(nrow(long))), ]
  fit <- gpc(
    readers(label, reader = who, item = case) ~ x1 + x2, long, epsilon = 0.2, kernel = held_kernel
  )
  expect_equal(nobs(fit), sum(some))
  p <- predict(fit, type = "true")
  expect_equal(p[order(as.integer(rownames(p))), ], predict(wide, type = "true"), tolerance = 1e-8)
  apart <- long
  apart$x1[1] <- 100
  expect_error(
    gpc(readers(label, reader = who, item = case) ~ x1 + x2, apart, epsilon = 0.2), "x1",
    class = "sturdy_error_readers"
  )
})

test_that("a reader who reads a row again gives two reports", {
  long <- data.frame(
    label = c(0, 1, 1, 0, 1), who = c("a", "a", "b", "a", "b"), case = c(1, 1, 1, 2, 2), x = c(1, 1, 1, 2, 2)
  )
  fit <- gpc(
    readers(label, reader = who, item = case) ~ x, long, epsilon = 0.2, kernel = held_kernel, control = quiet
  )
  r <- fit$data$reports
  expect_equal(r$n, 2L)
  expect_equal(sort(paste(r$row, r$sources[r$source], r$value)), c("1 a 1", "1 a 2", "1 b 2", "2 a 1", "2 b 2"))
})

test_that("`.` leaves out the readers, and gold is the class for certain", {
  t <- reader_table()
  t$d$g <- c("no", "yes")[replace(t$truth, 11:60, NA)]
  fit <- gpc(readers(a, b, c, gold = g) ~ ., t$d, epsilon = 0.2, kernel = held_kernel)
  expect_equal(fit$blueprint$columns, c("x1", "x2"))
  p <- predict(fit, type = "true")
  expect_equal(unname(p[cbind(1:10, t$truth[1:10])]), rep(1, 10))
  expect_error(
    gpc(readers(a, b) ~ x1, t$d, trusted = 1), "gold", class = "sturdy_error_readers"
  )
  expect_error(gpc(readers(a, b) ~ x1, t$d, rates = ~x2), class = "sturdy_error_readers")
})

test_that("rows without a label take no part, and are answered", {
  d <- toy()
  d$class[c(4, 9)] <- NA
  expect_message(
    fit <- gpc(class ~ a + b, d, epsilon = 0.1, kernel = held_kernel), class = "sturdy_message_no_label"
  )
  without <- gpc(class ~ a + b, d[-c(4, 9), ], epsilon = 0.1, kernel = held_kernel)
  expect_equal(nobs(fit), 38)
  expect_equal(fit$ep$log_evidence, without$ep$log_evidence, tolerance = 1e-10)
  expect_equal(fitted(fit)[-c(4, 9)], fitted(without), tolerance = 1e-10)
  expect_equal(fitted(fit)[c(4, 9)], predict(without, d[c(4, 9), ], type = "response"), tolerance = 1e-10)
  p <- predict(fit, type = "true")
  expect_equal(p[c(4, 9), 2], fitted(fit)[c(4, 9)])
  expect_equal(is.na(residuals(fit)), stats::setNames(1:40 %in% c(4, 9), 1:40))
  expect_equal(nrow(simulate(fit)), 38)
  suppressMessages(again <- gpc(d[c("a", "b")], d$class, epsilon = 0.1, kernel = held_kernel))
  expect_equal(fitted(again), fitted(fit), tolerance = 1e-10)
  # beside rows that lack an input
  d$a[2] <- NA
  suppressMessages({
    out <- gpc(class ~ a + b, d, epsilon = 0.1, kernel = held_kernel, na.action = na.exclude)
    omitted <- gpc(class ~ a + b, d, epsilon = 0.1, kernel = held_kernel)
    fewer <- update(omitted, . ~ . - b)
  })
  expect_equal(length(fitted(out)), 40)
  expect_equal(which(is.na(fitted(out))), c(`2` = 2L))
  expect_equal(fitted(omitted), fitted(out)[-2])
  expect_equal(names(fitted(fewer)), names(fitted(omitted)))
  expect_error(gpc(class ~ a, d, na.action = na.fail), class = "sturdy_error_missing")
})

test_that("one reader may be all there is, by a formula or beside the inputs", {
  d <- toy(40)
  own <- readers(matrix(as.character(d$class), dimnames = list(NULL, "r1")))
  fit <- gpc(d[c("a", "b")], own, kernel = held(), control = ep_control(progress = FALSE))
  expect_equal(nobs(fit), 40)
  by_formula <- gpc(
    readers(r1) ~ a + b, transform(d, r1 = class), kernel = held(), control = ep_control(progress = FALSE)
  )
  expect_equal(fitted(fit), fitted(by_formula), tolerance = 1e-10)
})

test_that("of several classes a reader who says one thing alone is left out where others have labelled", {
  d <- withr::with_seed(1, data.frame(x = rnorm(60), z = rnorm(60)))
  truth <- c("a", "b", "c")[cut(d$x + d$z, c(-Inf, -0.6, 0.6, Inf), labels = FALSE)]
  d$said <- withr::with_seed(2, replace(truth, 1:5, sample(c("a", "b", "c"), 5, TRUE)))
  d$s <- "a"
  expect_message(fit <- gpc(readers(said, s) ~ x + z, d), class = "sturdy_message_constant_readers")
  expect_gt(mean(predict(fit) == truth), 0.85)
})

test_that("true classes that are known are no reader's, be they of one class", {
  d <- withr::with_seed(1, data.frame(x = rnorm(45), said = sample(c("a", "b", "c"), 45, TRUE)))
  y <- readers(d$said, gold = replace(rep(NA, 45), 1:12, "a"))
  expect_no_message(molded <- mold_readers(y, "y", many = TRUE))
  expect_equal(sum(molded$said$source == 0), 12)
})
