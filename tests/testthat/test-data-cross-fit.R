# a classifier of shares: P(class | the sign of the first input)
shares <- function(x, y) {
  table <- table(x[, 1] > 0, y) + 1
  table / rowSums(table)
}
shares_predict <- function(model, x) unclass(model)[1 + (x[, 1] > 0), , drop = FALSE]

cross_data <- function(n = 60) {
  withr::with_seed(1, {
    x <- data.frame(a = stats::rnorm(n), b = stats::rnorm(n))
    y <- factor(letters[1 + (x$a > 0) + (x$a > 1)])
  })
  list(x = x, y = y)
}

test_that("each row is predicted by a classifier that was trained on the other folds", {
  d <- cross_data()
  fold <- rep(c("u", "v", "w"), 20)
  found <- cross_fit(d$x, d$y, shares, shares_predict, folds = fold, progress = FALSE)
  for (k in unique(fold)) {
    by_hand <- shares_predict(shares(d$x[fold != k, ], d$y[fold != k]), d$x[fold == k, ])
    expect_equal(unname(found[fold == k, ]), unname(by_hand))
  }
  expect_identical(attr(found, "labels"), d$y)
  expect_identical(colnames(found), levels(d$y))
  # and mislabelled() needs no labels beside it
  expect_equal(
    mislabelled(found)$probability, mislabelled(unclass(found)[, ], d$y)$probability
  )
})

test_that("folds by number hold each class in equal parts", {
  d <- cross_data(90)
  seen <- list()
  fit <- function(x, y) {
    seen[[length(seen) + 1]] <<- table(y)
    shares(x, y)
  }
  withr::with_seed(2, cross_fit(d$x, d$y, fit, shares_predict, folds = 5, progress = FALSE))
  expect_length(seen, 5)
  held <- lapply(seen, function(train) table(d$y) - train)
  expect_identical(Reduce(`+`, held), table(d$y))
  expect_true(all(vapply(held, function(h) all(abs(h - table(d$y) / 5) < 1), NA)))
})

test_that("rows without a label are predicted, and classes that a fold lacks have probability 0", {
  d <- cross_data()
  d$y[c(2, 5)] <- NA
  rare <- factor(c("rare", as.character(d$y[-1])))
  found <- cross_fit(d$x, rare, shares, shares_predict, folds = rep(1:2, 30), progress = FALSE)
  expect_true(all(found[rep(1:2, 30) == 1, "rare"] == 0)) # its only row is in this fold
  expect_equal(unname(rowSums(found)), rep(1, 60))
  expect_true(is.na(attr(found, "labels")[2]))
  expect_message(second_stage(found), class = "sturdy_message_rows_left_out")
})

test_that("a classifier is not shown rows without a label", {
  d <- cross_data()
  strict <- function(x, y) {
    if (anyNA(y) || length(y) != nrow(x)) stop("a label is missing")
    shares(x, y)
  }
  fold <- rep(1:2, 30)
  open <- c(2, 5, 9)
  d$y[open] <- NA
  found <- cross_fit(d$x, d$y, strict, shares_predict, folds = fold, progress = FALSE)
  for (k in 1:2) {
    rest <- setdiff(which(fold != k), open)
    by_hand <- shares_predict(shares(d$x[rest, ], d$y[rest]), d$x[fold == k, ])
    expect_equal(unname(found[fold == k, ]), unname(by_hand))
  }
})

test_that("vectors for the event, prefixes and columns in another order are understood", {
  d <- cross_data()
  y <- factor(d$x$a > 0.2, labels = c("no", "yes"))
  event <- function(model, x) shares_predict(model, x)[, 2]
  prefixed <- function(model, x) {
    p <- shares_predict(model, x)
    data.frame(.pred_yes = p[, "yes"], .pred_no = p[, "no"])
  }
  fold <- rep(1:3, 20)
  plain <- cross_fit(d$x, y, shares, shares_predict, fold, progress = FALSE)
  expect_equal(cross_fit(d$x, y, shares, event, fold, progress = FALSE), plain)
  expect_equal(cross_fit(d$x, y, shares, prefixed, fold, progress = FALSE), plain)
  # one column by the name of the first class is not that of the event
  first <- function(model, x) shares_predict(model, x)[, "no", drop = FALSE]
  expect_equal(cross_fit(d$x, y, shares, first, fold, progress = FALSE), plain)
})

test_that("what can't be cross-fitted is refused by name", {
  d <- cross_data()
  go <- function(...) {
    args <- utils::modifyList(
      list(x = d$x, y = d$y, fit = shares, predict = shares_predict, progress = FALSE), list(...)
    )
    do.call(cross_fit, args)
  }
  expect_error(cross_fit(d$x), class = "sturdy_error")
  expect_error(go(x = d$x$a), class = "sturdy_error_type")
  expect_error(go(y = d$y[-1]), class = "sturdy_error_length")
  expect_error(go(y = rep("a", 60)), class = "sturdy_error_outcome_levels")
  expect_error(go(fit = "ranger"), class = "sturdy_error_type")
  expect_error(go(predict = 1), class = "sturdy_error_type")
  expect_error(go(folds = 1), class = "sturdy_error_range")
  expect_error(go(folds = 61), class = "sturdy_error_range")
  expect_error(go(folds = rep(1, 60)), class = "sturdy_error")
  expect_error(go(predict = function(m, x) 0.5), class = "sturdy_error_prob")
  expect_error(
    go(predict = function(m, x) matrix(0.5, nrow(x), 2, dimnames = list(NULL, c("u", "v")))),
    class = "sturdy_error_prob"
  )
})

test_that("what a classifier says must be probabilities in every row", {
  d <- cross_data()
  wrong_at <- function(value, column = 1) {
    function(model, x) {
      p <- shares_predict(model, x)
      p[2, column] <- value
      p
    }
  }
  for (value in list(-0.01, 1.05, NA, NaN, Inf)) {
    cnd <- expect_error(
      cross_fit(d$x, d$y, shares, wrong_at(value), progress = FALSE), "1 of [0-9]+ value",
      class = "sturdy_error_prob"
    )
    expect_equal(cnd$arg, "predict()")
  }
  event <- factor(d$x$a > 0)
  for (value in c(-0.01, NA)) {
    said <- function(model, x) replace(rep(0.5, nrow(x)), 1, value)
    expect_error(
      cross_fit(d$x, event, shares, said, progress = FALSE), "1 of", class = "sturdy_error_prob"
    )
  }
})

test_that("an error of the classifier is the cause of one of ours, which has the fold", {
  d <- cross_data()
  fold <- rep(c("u", "v", "w"), 20)
  third <- d$x$a[fold == "w"]
  no_fit <- function(x, y) {
    if (!any(x$a %in% third)) stop("singular")
    shares(x, y)
  }
  no_predict <- function(model, x) {
    if (all(x$a %in% third)) stop("singular")
    shares_predict(model, x)
  }
  for (go in list(list(no_fit, shares_predict), list(shares, no_predict))) {
    cnd <- expect_error(
      cross_fit(d$x, d$y, go[[1]], go[[2]], folds = fold, progress = FALSE), "fold 3",
      class = "sturdy_error_classifier"
    )
    expect_equal(cnd$fold, 3)
    expect_equal(conditionMessage(cnd$parent), "singular")
  }
})
