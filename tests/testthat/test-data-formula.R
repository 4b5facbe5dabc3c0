test_that("rows are dropped, kept or refused as na.action says", {
  d <- mixed()
  d$u[3] <- NA
  m <- mold(y ~ u, d)
  expect_equal(m$data$rows, setdiff(1:12, 3))
  expect_equal(m$data$row_names, as.character(setdiff(1:12, 3)))
  expect_s3_class(mold(y ~ u, d, na.action = na.exclude)$data$na_action, "exclude")
  expect_equal(nrow(mold(y ~ u, d, na.action = "na.omit")$data$X), 11)
  expect_error(mold(y ~ u, d, na.action = na.fail), class = "sturdy_error_missing")
  expect_error(mold(y ~ u, d, na.action = na.pass), class = "sturdy_error_missing")
  expect_error(mold(y ~ u, d, na.action = NULL), class = "sturdy_error_missing")
  d$u <- NA_real_
  expect_error(mold(y ~ u, d), class = "sturdy_error_no_rows")
  expect_error(mold(y ~ u + v, d), "Column without a value: \"u\"")
})

test_that("a response that is no column is named, also where R has a function of its name", {
  d <- mixed()
  error <- expect_error(mold(class ~ u, d), class = "sturdy_error_formula")
  expect_match(conditionMessage(error), "no column \"class\"")
  expect_match(conditionMessage(error), "\"u\"")
  expect_false(grepl("semicolon", conditionMessage(error)))
  joined <- read.csv(text = c("u;class", "1;a{b}", "2;b"))
  error <- expect_error(mold(class ~ ., joined), class = "sturdy_error_formula")
  expect_match(conditionMessage(error), "u.class")
  expect_match(conditionMessage(error), "read.csv2")
})

test_that("an input that is no column is named", {
  d <- mixed()
  expect_error(mold(y ~ u + nowhere, d), "no column \"nowhere\"", class = "sturdy_error_formula")
  expect_error(mold(y ~ log(mean), d), "no column \"mean\"", class = "sturdy_error_formula")
})

test_that("bad formulas are refused", {
  d <- mixed()
  expect_error(mold(~u, d), class = "sturdy_error_formula")
  expect_error(mold(y ~ nowhere, d), class = "sturdy_error_formula")
  expect_error(model_frame(y ~ u + offset(v), d), class = "sturdy_error_offset")
  expect_error(mold(y ~ f:u, d), class = "sturdy_error_interaction")
  expect_error(mold(y ~ u, as.matrix(1:3)), class = "sturdy_error_type")
  expect_error(mold(u ~ v, d), class = "sturdy_error_outcome_levels")
  expect_snapshot(said(mold(y ~ f * u, d)))
})

test_that("the blueprint keeps nothing of the data and no local environment", {
  make <- function() {
    ballast <- rnorm(1e5)
    mold(y ~ u + v, mixed())$blueprint
  }
  expect_lt(length(serialize(make(), NULL)), 10000)
})

test_that("only names that are columns of the data are asked of new data", {
  d <- mixed()
  terms <- terms(model_frame(y ~ I(u * pi) + v, d))
  expect_equal(data_variables(stats::delete.response(terms), d), c("u", "v"))
})

test_that("inputs from elsewhere, and the response as an input, are refused", {
  d <- mixed()
  k <- 2
  refuse <- function(formula) {
    expect_error(model_frame(formula, d), class = "sturdy_error_formula")
  }
  refuse(y ~ I(u^k) + v)
  refuse(d$y ~ d$u)
  refuse(y ~ u + as.numeric(y))
  t <- 3 # there is another t in base
  refuse(y ~ I(u / t))
  u <- d$u
  y <- d$y
  expect_error(mold(y ~ u + as.numeric(y), NULL), class = "sturdy_error_formula")
  expect_error(mold(u > pi ~ I(v + pi), d), class = "sturdy_error_outcome_levels")
})

test_that("a formula names columns and does not take them out of the data", {
  d <- mixed()
  for (formula in c(d$y ~ d$u, d[["y"]] ~ d[["u"]])) {
    cnd <- expect_error(
      gpc(formula), "must name columns of `data`, not take them out of \"d\"",
      class = "sturdy_error_formula"
    )
    expect_match(conditionMessage(cnd), "data = d", fixed = TRUE)
  }
})

test_that("functions that predict() would not find are refused", {
  d <- mixed()
  log <- function(x) x^2 # there is another log in base
  square <- function(x) x^2
  refused <- function(formula, data = d) {
    expect_error(mold(formula, data), "that exist only", class = "sturdy_error_formula")
  }
  refused(y ~ log(u))
  refused(y ~ v + square(u))
  u <- d$u
  y <- d$y
  refused(y ~ square(u), NULL)
  expect_snapshot(said(mold(y ~ v + square(u), d)))
  # not those that it finds, whatever variables are called
  t <- 3
  m <- mold(y ~ exp(u) + splines::ns(v, 3) + t(v)[1, ], d)
  expect_equal(forge_new(m, d)$X, m$data$X)
  in_workspace <- y ~ square(u)
  environment(in_workspace) <- globalenv()
  assign("square", square, globalenv())
  withr::defer(rm("square", envir = globalenv()))
  m <- mold(in_workspace, d)
  expect_equal(forge_new(m, d)$X, m$data$X)
})

test_that("column names need not be syntactic", {
  d <- mixed()
  names(d)[names(d) == "u"] <- "my var"
  expect_equal(unname(mold(y ~ `my var`, d)$data$X), unname(mold(y ~ u, mixed())$data$X))
})

test_that("variables may come from the workspace of the formula", {
  u <- mixed()$u
  y <- mixed()$y
  expect_equal(mold(y ~ u, NULL)$data$X, mold(y ~ u, mixed())$data$X)
})

test_that("local environments give way to the package or workspace above", {
  f <- local({
    ballast <- 1
    y ~ x
  })
  expect_false(identical(environment(strip_environment(f)), environment(f)))
  expect_identical(environment(strip_environment(f)), topenv(environment(f)))
})

test_that("a formula nested thousands deep is fitted as any other", {
  deep <- Reduce(function(x, k) call("+", x, quote(u)), 1:6000, quote(u))
  d <- data.frame(u = c(-1, 0, 1, 2), class = c(0, 1, 0, 1))
  deep <- stats::as.formula(call("~", quote(class), deep))
  expect_identical(fitted(bpm(deep, d, epsilon = 0.1)), fitted(bpm(class ~ u, d, epsilon = 0.1)))
})

test_that("positions in subset are all to be kept or all to be left out", {
  d <- data.frame(u = c(-1, 0, 1, 2), class = c(0, 1, 0, 1))
  expect_equal(nobs(bpm(class ~ u, d, subset = -1, epsilon = 0.1)), 3)
  for (bad in list(c(-1, 2), c(-1, NA), 5)) {
    expect_error(bpm(class ~ u, d, subset = bad), class = "sturdy_error_subset")
  }
})

test_that("na.action is a function or the name of one", {
  d <- data.frame(u = c(-1, 0, 1, NA), class = c(0, 1, 0, 1))
  for (bad in list("\xff", "no such function", 3, list())) {
    expect_error(bpm(class ~ u, d, na.action = bad), class = "sturdy_error_type")
  }
  expect_equal(nobs(bpm(class ~ u, d, epsilon = 0.1, na.action = "na.omit")), 3)
})

test_that("a table without names is refused by name", {
  expect_error(gpc(y ~ ., unname(data.frame(y = 0:1, x = 1:2))), class = "sturdy_error")
})

test_that("a row that a subset repeats is known by its position, whatever rows are called", {
  d <- data.frame(x = 1:6, y = c(0, 1), row.names = c("5", "5.1", "a", "b", "c", "d"))
  molded <- mold_formula(y ~ x, d, TRUE, subset = c(1, 1, 3:6))
  expect_equal(molded$data$rows, c(1, 1, 3:6))
  expect_equal(mold_formula(y ~ x, d, TRUE, subset = quote(x > 2))$data$rows, 3:6)
})

test_that("a column of lists is refused by its name, where the formula reads it", {
  d <- toy()
  d$visits <- as.list(1:40)
  expect_error(gpc(class ~ ., d), "visits", class = "sturdy_error_column_type")
  expect_error(gpc(class ~ a + visits, d), "visits", class = "sturdy_error_column_type")
  expect_error(gpc(d[c("a", "visits")], d$class), "visits", class = "sturdy_error_column_type")
  expect_no_error(mold(class ~ a + b, d))
  d$visits <- as.POSIXlt(Sys.Date() + 1:40)
  expect_error(gpc(class ~ ., d), "as.POSIXct", class = "sturdy_error_column_type")
})
