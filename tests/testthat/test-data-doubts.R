# What is said of columns that may not be what they seem. Nothing is changed by it.

doubts <- function(..., n = 40) {
  said <- list()
  withCallingHandlers(
    inform_doubts(list(..., z = withr::with_seed(1, rnorm(n))), y = rep(1:2, each = n / 2)),
    sturdy_message = function(cnd) {
      said[[sub("sturdy_message_", "", class(cnd)[1])]] <<- cnd$columns
      rlang::cnd_muffle(cnd)
    }
  )
  said
}

left_out <- function(..., n = 40) {
  d <- data.frame(..., z = withr::with_seed(1, rnorm(n)), class = rep(c("p", "q"), n / 2))
  cnd <- tryCatch(mold(class ~ ., d), sturdy_message_likely_id = identity)
  if (inherits(cnd, "condition")) cnd$columns else setdiff(names(d), c(cnd$blueprint$columns, "class"))
}

test_that("whole numbers that number the rows are left out", {
  for (v in list(1:40, 40:1, as.double(c(1:6, 8:41)))) {
    expect_equal(left_out(v = v), "v")
  }
  # dates, measured counts, ranks and years are none, nor numbers beyond those of integers
  for (v in list(withr::with_seed(1, sample(40)) + 1900, as.integer(seq(-2e9, 2e9, length.out = 40)), c(1:39, 39), 1:40 / 2, 100 * 1:40, withr::with_seed(1, rpois(40, 20)), Sys.Date() + 1:40)) {
    expect_equal(left_out(v = v), character())
  }
  for (name in c("id", "patient_id", "PassengerId", "caseID")) {
    expect_equal(do.call(left_out, stats::setNames(list(100 * 1:40), name)), name)
  }
  for (name in c("acid", "paid", "idle")) {
    expect_equal(do.call(left_out, stats::setNames(list(100 * 1:40), name)), character())
  }
  expect_no_message(mold(y ~ v, data.frame(v = 1:40, y = rep(0:1, 20)))) # the only input
})

test_that("text that differs in nearly every row is left out", {
  id <- sprintf("id%02d", 1:40)
  for (v in list(id, replace(id, 40, "id01"), replace(id, 38:40, "id01"))) expect_equal(left_out(v = v), "v")
  expect_equal(left_out(v = replace(id, 37:40, "id01")), character())
  expect_no_message(mold(y ~ v, data.frame(v = replace(id, 40, "id01"), y = rep(0:1, 20))))
})

test_that("an input that has a value for each class is named", {
  y <- rep(c("a", "b"), each = 20)
  for (v in list(y, factor(y, c("b", "a")), y == "a", ifelse(y == "a", 7, -1))) {
    expect_equal(doubts(v = v), list(labels = "v"))
  }
  for (v in list(replace(y, 2, "b"), replace(y, 2, "c"), withr::with_seed(1, rnorm(40)))) {
    expect_equal(doubts(v = v), list())
  }
  three <- list(f = factor(rep(1:3, 4)))
  expect_message(inform_doubts(three, rep(3:1, 4)), class = "sturdy_message_labels")
})

test_that("dates in text are named, whatever their form", {
  days <- as.Date("2023-12-20") + 1:40
  for (form in c("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%y", "%Y/%m/%d %H:%M", "%d %b %Y", "%B %d, %Y")) {
    expect_equal(doubts(v = format(days, form)), list(text_dates = "v"))
  }
  expect_equal(doubts(v = factor(rep_len(c("2021-01-01", "2021-02-01", "2022-03-01"), 40))),
               list(text_dates = "v"))
  for (v in list(rep(c("1-2", "a-b"), 20), sprintf("10.0.0.%d", 1:40), sprintf("A%d-1", 1:40))) {
    expect_equal(doubts(v = v), list())
  }
})

test_that("text that is nearly numbers is named, with what is none", {
  v <- c(format(withr::with_seed(2, rnorm(38))), "n/a", "<5")
  expect_equal(doubts(v = v), list(text_numbers = "v"))
  message <- expect_message(
    inform_doubts(list(dose = v, z = 1 / 1:40), rep(1:2, 20)), class = "sturdy_message_text_numbers"
  )
  expect_match(conditionMessage(message), "\"n/a\", \"<5\"")
  expect_equal(doubts(v = factor(1:40)), list(text_numbers = "v"))
  # codes, and names with numbers in them
  for (v in list(rep_len(c("1", "2", "3"), 40), paste("bed", 1:40), c(1:20, letters[1:20]))) {
    expect_equal(doubts(v = v), list())
  }
})

test_that("a fit says so, and is the same", {
  d <- toy()
  d$number <- 1:40
  d$visit <- format(as.Date("2021-01-01") + rep(1:20, 2))
  said <- character()
  withCallingHandlers(
    fit <- gpc(class ~ ., d, kernel = held(), epsilon = 0.05),
    sturdy_message = function(cnd) {
      said <<- c(said, grep("message_", class(cnd), value = TRUE))
      rlang::cnd_muffle(cnd)
    }
  )
  expect_setequal(said, paste0("sturdy_message_", c("likely_id", "text_dates")))
  expect_equal(fit$blueprint$columns, c("a", "b", "visit"))
  expect_snapshot(said(mold(class ~ a + number, d)))
  expect_snapshot(said(inform_doubts(d["visit"], d$class)))
})

test_that("rows that are left out are counted, with the columns that cost most", {
  d <- toy()
  d$a[1:3] <- NA
  d$b[3:9] <- NA
  d$class[40] <- NA
  message <- expect_message(mold(class ~ a + b, d), class = "sturdy_message_rows_left_out")
  expect_equal(message$rows, sum(!complete.cases(d[c("a", "b")]))) # a row without a label is answered
  expect_equal(message$columns, c(b = 7, a = 3))
  expect_snapshot(said(mold(class ~ a + b, d)))
  expect_no_message(mold(class ~ 1, d[1:39, ]))
})

test_that("an outcome of three ordered levels is taken in its order", {
  y <- factor(rep(c("mild", "severe", "fatal"), 5), c("mild", "severe", "fatal"), ordered = TRUE)
  expect_true(mold_outcome(y, many = TRUE)$ordered)
  expect_null(mold_outcome(factor(y, ordered = FALSE), many = TRUE)$ordered)
  # there is but one order
  expect_null(mold_outcome(factor(c("no", "yes"), ordered = TRUE))$ordered)
})

repeats_of <- function(d, ...) {
  found <- NULL
  withCallingHandlers(
    mold(class ~ ., d, ...),
    sturdy_message_repeated_rows = function(cnd) found <<- cnd$copies,
    message = function(cnd) rlang::cnd_muffle(cnd)
  )
  found
}

test_that("copies of rows of measurements are counted, with their positions", {
  d <- toy()
  d$f <- rep(c("u", "v"), 20)
  again <- d[c(1:40, 7, 3, 7), ]
  expect_equal(repeats_of(again), 41:43)
  mixed <- withr::with_seed(1, sample(43))
  expect_equal(repeats_of(again[mixed, ]), which(duplicated(again[mixed, ])))
  expect_null(repeats_of(d))
  expect_null(repeats_of(d[c(1:40, 7), ])) # one may be by chance
  # a copy with another label is a contradiction, which a fit sees
  other <- again
  other$class[41:43] <- ifelse(again$class[41:43] == "yes", "no", "yes")
  expect_null(repeats_of(other))
  other <- again
  other$f[41] <- "w"
  expect_null(repeats_of(other[-43, ]))
  expect_snapshot(said(mold(class ~ ., again)))
})

test_that("rows of categories and counts that are alike are so by chance", {
  d <- withr::with_seed(1, data.frame(
    f = factor(sample(c("u", "v"), 60, TRUE)), count = rpois(60, 2),
    l = sample(c(TRUE, FALSE), 60, TRUE), class = sample(c("no", "yes"), 60, TRUE)
  ))
  expect_gt(sum(duplicated(d)), 2)
  expect_null(repeats_of(d))
})

test_that("rows are alike where a data frame of them has duplicates", {
  for (seed in 1:5) {
    d <- withr::with_seed(seed, data.frame(
      a = sample(c(0.1, 0.2, 1e10), 50, TRUE), f = factor(sample(letters[1:3], 50, TRUE)),
      s = sample(c("", "x", "y"), 50, TRUE), l = sample(c(TRUE, FALSE), 50, TRUE),
      n = sample(1:3, 50, TRUE)
    ))
    d <- d[seq_len(seed)]
    group <- row_groups(d)
    expect_equal(duplicated(group), duplicated(d))
    text <- do.call(paste, c(unname(d), sep = "|"))
    expect_equal(outer(group, group, `==`), outer(text, text, `==`))
  }
  expect_equal(anyDuplicated(row_groups(list(1:5, rep(1, 5)))), 0)
})
