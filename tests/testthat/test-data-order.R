test_that("classes have coordinates by the number of their labels, then by what tells them apart", {
  code <- c(1, 2, 2, 3, 3, 3)
  expect_equal(class_turn(code, 3, rep(1, 6), numeric(3)), c(3, 2, 1))
  # whatever the levels are called
  for (turn in list(c(2, 3, 1), c(3, 1, 2), c(2, 1, 3))) {
    named <- turn[class_turn(match(code, turn), 3, rep(1, 6), numeric(3))]
    expect_equal(named, c(3, 2, 1))
  }
  # by weight, ties by the second key, a class without labels last
  expect_equal(class_turn(code, 3, c(9, 1, 1, 1, 1, 1), numeric(3)), c(1, 3, 2))
  expect_equal(class_turn(c(1, 2), 3, c(1, 1), c(0.2, 0.5, 9)), c(2, 1, 3))
  # rounding of sums is no difference
  expect_equal(class_turn(rep(1:2, 3), 2, c(0.1, 0.3, 0.2, 0.2, 0.3, 0.1), c(0, 1)), c(2, 1))
})

test_that("what differs by rounding alone, in any column, changes no answer", {
  withr::local_options(sturdy.hyper = NULL)
  shaken <- function(d) {
    withr::local_seed(1)
    numbers <- vapply(d, is.numeric, NA)
    d[numbers] <- lapply(d[numbers], function(v) {
      v + 1e-12 * diff(range(v)) * runif(length(v), -1, 1)
    })
    d
  }
  # few values, copies of rows, the same inputs with both labels
  d <- datasets::infert[1:110, c("age", "parity", "induced", "spontaneous", "case")]
  d$case <- factor(d$case)
  fit <- function(d, ...) suppressMessages(gpc(case ~ ., d, control = ep_control(progress = FALSE), ...))
  for (hyper in c("integrate", "optimum")) {
    before <- fit(d, hyper = hyper)
    after <- fit(shaken(d), hyper = hyper)
    expect_close(predict(after, type = "prob"), predict(before, type = "prob"), 1e-7, floor = 1)
    expect_close(log_evidence(after), log_evidence(before), 1e-7, floor = 1)
  }
  # a column that was 0 and 1, and comes back rounded
  rounded <- transform(d, induced = induced + 1e-7, spontaneous = spontaneous - 1e-7)
  expect_close(
    predict(before, rounded, type = "prob"), predict(before, d, type = "prob"), 1e-5, floor = 1
  )
})

test_that("inducing inputs and rows that stand for all are not chosen by rounding", {
  X <- withr::with_seed(1, cbind(rbinom(900, 1, 0.5), rpois(900, 2), rnorm(900)))
  near <- X + withr::with_seed(2, matrix(1e-12 * runif(2700, -1, 1), 900))
  expect_identical(table_order(near), table_order(X))
  expect_identical(rows_for_all(near, 100), rows_for_all(X, 100))
  columns <- list(group = 1:3, weight = rep(1, 3))
  of <- function(X) place_inducing(X[table_order(X), ], columns, c(1, 1, 1), 8)
  expect_equal(of(near), of(X), tolerance = 1e-9)
})

test_that("a chain of neighbours is cut, also of many rows", {
  v <- c(0, cumsum(rep(0.9e-6, 5e4)), 1) # as a whole much wider than 1e-6 of the range
  group <- expect_silent(alike_groups(list(v), 1e-6))
  expect_false(anyNA(group))
  width <- tapply(v, group, function(one) diff(range(one)))
  expect_lte(max(width), 1.000001e-6)
  expect_equal(alike_groups(list(c(1, 1, 2, 2 + 1e-9, 5)), 1e-6), c(1, 1, 2, 2, 3))
})

test_that("rows that a few columns tell apart are in the order of all columns", {
  X <- withr::with_seed(3, matrix(rnorm(1800), 300))
  ties <- X
  ties[1:40, 1:4] <- ties[rep(41:60, 2), 1:4]
  for (X in list(X, ties, cbind(1, X), cbind(X[, 1:2] > 0, 1, X))) {
    all <- do.call(order, table_keys(X, rep(1:2, 150)))
    expect_identical(table_sorted(X, rep(1:2, 150)), all)
    expect_identical(table_sorted(t(X), rep(1:2, 150), across = TRUE), all)
  }
})

test_that("groups of rows alike are those of chains in every column in turn", {
  plain <- function(columns, width) {
    group <- rep(1, length(columns[[1]]))
    for (v in c(columns, columns)) {
      new <- character(length(v))
      for (g in unique(group)) {
        rows <- which(group == g)[order(v[group == g])]
        start <- rows[1]
        for (k in seq_along(rows)) {
          gap <- v[rows[k]] - v[rows[max(k - 1, 1)]]
          if (gap > width * diff(range(v))) start <- rows[k]
          far <- v[rows[k]] - v[start] > width * diff(range(v))
          new[rows[k]] <- paste(g, start, if (far) v[rows[k]])
        }
      }
      group <- match(new, unique(new))
    }
    group
  }
  for (seed in 1:6) {
    columns <- withr::with_seed(seed, list(
      sample(3, 80, TRUE) + 1e-3 * sample(9, 80, TRUE), sample(4, 80, TRUE) + 2e-3 * rpois(80, 2), rbinom(80, 1, 0.5)
    ))
    for (width in c(0, 1e-3, 3e-3)) expect_equal(alike_groups(columns, width), plain(columns, width))
  }
})
