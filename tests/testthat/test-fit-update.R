test_that("update() without data is a fit with the changed arguments", {
  fit <- toy_fit()
  expect_equal(uncalled(update(fit, epsilon = 0.2)), uncalled(toy_fit(epsilon = 0.2)))
  other <- update(fit, kernel = kernel_ard(c(1, 2), fixed = TRUE))
  direct <- gpc(
    class ~ a + b, toy(), kernel = kernel_ard(c(1, 2), fixed = TRUE), epsilon = 0.05
  )
  expect_equal(uncalled(other), uncalled(direct))
  expect_equal(uncalled(update(other, kernel = held())), uncalled(fit))
})

test_that("a finite df turns a gpc() into an stc(), and an infinite one back", {
  fit <- update(toy_fit(), df = 6)
  expect_s3_class(fit, "stc")
  expect_equal(fit$spec$df, 6)
  expect_s3_class(update(fit, df = Inf), "gpc")
})

test_that("another kind of process learns by the criterion that is its default", {
  d <- toy()
  gaussian <- gpc(class ~ a + b, d, kernel = held(), epsilon = "learn")
  student <- stc(class ~ a + b, d, df = 6, kernel = held(), epsilon = "learn")
  expect_equal(coef(update(gaussian, df = 6)), coef(student))
  expect_equal(coef(update(student, df = Inf)), coef(gaussian))
  # to learn by the other one would show
  by_evidence <- stc(
    class ~ a + b, d, df = 6, kernel = held(), epsilon = "learn", criterion = "evidence"
  )
  expect_gt(abs(coef(by_evidence)[["epsilon"]] - coef(student)[["epsilon"]]), 0.01)
  # between processes of one kind the criterion stays
  direct <- stc(
    class ~ a + b, d, df = 7, kernel = held(), epsilon = "learn", criterion = "evidence"
  )
  expect_equal(coef(update(by_evidence, df = 7)), coef(direct))
})

test_that("update() with data fits to that data, with a changed formula", {
  fit <- toy_fit()
  d <- toy(30)
  expect_equal(uncalled(update(fit, data = d)), uncalled(toy_fit(data = d)))
  smaller <- update(fit, . ~ . - b, data = toy())
  expect_equal(smaller$blueprint$columns, "a")
  expect_equal(formula(smaller), class ~ a, ignore_formula_env = TRUE)
  unscaled <- update(fit, data = d, scale = FALSE)
  expect_equal(unscaled$data$X[, "a"], d$a)
})

test_that("what needs data says so", {
  fit <- toy_fit()
  expect_error(update(fit, . ~ log(a)), class = "sturdy_error_missing_argument")
  expect_error(update(fit, a ~ .), class = "sturdy_error_missing_argument")
  expect_error(update(fit, scale = FALSE), class = "sturdy_error_missing_argument")
  expect_error(update(fit, epsilom = 0), class = "sturdy_error_unknown_argument")
  by_matrix <- gpc(matrix(1:4), c(0, 0, 1, 1), kernel = held(), epsilon = 0.1)
  expect_error(update(by_matrix, data = toy()), class = "sturdy_error_no_formula")
  expect_snapshot(said(update(fit, . ~ . + z)))
  needs <- "needs `data`, or a vector"
  for (without in expression(
    update(fit, trusted = nowhere > 1.5), update(fit, trusted = ~a), update(fit, rates = ~a),
    update(fit, rates = nowhere)
  )) {
    expect_error(eval(without), needs, class = "sturdy_error_missing_argument")
  }
  expect_error(update(fit, rates = 1:3), class = "sturdy_error_rates")
  expect_equal(which(report_known(update(fit, trusted = toy()$a > 1)$data$reports)), which(toy()$a > 1))
  expect_identical(update(fit, data = toy(), rates = ~ a > 0)$data$reports$sources, c("FALSE", "TRUE"))
})

test_that("inputs are left out without data, and predictions do not ask for them", {
  d <- cbind(toy(), f = rep(c("u", "v", "w", "u"), 10))
  fit <- gpc(class ~ poly(a, 2) + b + f + a:b, d, kernel = kernel_ard(1, fixed = TRUE), epsilon = 0.05)
  expect_same <- function(smaller, formula) {
    direct <- gpc(formula, d, kernel = kernel_ard(1, fixed = TRUE), epsilon = 0.05)
    expect_equal(coef(smaller), coef(direct))
    expect_equal(smaller$ep$m, direct$ep$m)
    needed <- all.vars(formula)[-1]
    new <- d[c(9, 3), needed, drop = FALSE]
    expect_equal(predict(smaller, new, "prob"), predict(direct, new, "prob"))
    expect_equal(formula(smaller), formula, ignore_formula_env = TRUE)
  }
  expect_same(update(fit, . ~ . - f - a:b), class ~ poly(a, 2) + b)
  expect_same(update(fit, . ~ f), class ~ f)
  expect_same(update(fit, . ~ . - b - a:b), class ~ poly(a, 2) + f)
  linear <- bpm(class ~ a + b + f, d, epsilon = 0.1)
  expect_equal(
    coef(update(linear, . ~ . - f - 1)), coef(bpm(class ~ a + b - 1, d, epsilon = 0.1))
  )
})

test_that("the call of a fit is that of the user, and follows update()", {
  d <- toy()
  fit <- gpc(class ~ ., data = d, kernel = held(), epsilon = 0.05)
  expect_identical(
    getCall(fit), quote(gpc(formula = class ~ ., data = d, kernel = held(), epsilon = 0.05))
  )
  other <- update(fit, . ~ . - b, epsilon = 0.1, df = 4)
  expect_identical(
    getCall(other), quote(stc(formula = class ~ a, data = d, kernel = held(), epsilon = 0.1, df = 4))
  )
  expect_equal(coef(eval(getCall(other))), coef(other))
  by_value <- do.call(gpc, list(class ~ a, d, kernel = held(), epsilon = 0.05))
  expect_lt(length(serialize(by_value, NULL)), 3e4)
  expect_identical(getCall(by_value)$epsilon, 0.05)
})

test_that("calls can be evaluated again, whatever was given by position", {
  d <- toy()
  other <- toy(30)
  fit <- gpc(class ~ ., d, kernel = held(), subset = a > -1, epsilon = 0.05)
  again <- update(fit, data = other, epsilon = 0.1)
  expect_equal(coef(eval(getCall(again))), coef(again))
  expect_equal(nobs(eval(getCall(again))), nobs(again))
  wrapped <- function(...) bpm(..., scale = FALSE)
  fit <- wrapped(class ~ a, data = d, epsilon = 0.2)
  expect_identical(getCall(fit)$scale, FALSE)
  expect_true("epsilon" %in% names(getCall(update(fit, data = other))))
})

test_that("subset of update() is evaluated where update() is called", {
  d <- toy()
  keep <- 1:12
  refit <- function(fit, keep) update(fit, data = d, subset = keep)
  expect_equal(nobs(refit(toy_fit(), 1:30)), 30)
  fits <- lapply(list(1:20, 21:36), function(rows) update(toy_fit(), data = d, subset = rows))
  expect_equal(vapply(fits, nobs, 1L), c(20, 16))
  expect_error(
    update(toy_fit(), subset = a > 0), class = "sturdy_error_missing_argument"
  )
})

test_that("inputs can be left out where others were dropped before", {
  d <- cbind(toy(), k = 1, id = paste("row", 1:40))
  fit <- suppressMessages(
    gpc(class ~ ., d, kernel = kernel_ard(c(1, 2, 9, 9), fixed = TRUE), epsilon = 0.05)
  )
  smaller <- update(fit, . ~ . - a)
  expect_equal(names(coef(smaller))[1], "lengthscale.b")
  expect_equal(coef(smaller)[[1]], 2)
  expect_equal(nrow(predict(smaller, d["b"], "prob")), 40)
})

test_that("a fit to an intercept alone has no terms to leave out", {
  fit <- bpm(class ~ 1, toy(), epsilon = 0.1)
  same <- update(fit, . ~ ., epsilon = 0.2)
  expect_identical(attr(terms(same), "term.labels"), character())
  expect_equal(coef(same), coef(bpm(class ~ 1, toy(), epsilon = 0.2)))
})

test_that("the terms of a blueprint are not taken for its term labels", {
  fit <- toy_fit()
  fit$blueprint$term <- NULL # `$term` is then the terms object
  left <- drop_inputs(fit[c("blueprint", "data")], class ~ a)
  expect_identical(left$blueprint$columns, character())
})

test_that("products whose variables update.formula() puts in another order are known", {
  fit <- gpc(class ~ b:a + a + b, toy(), epsilon = 0.1, kernel = held())
  expect_identical(predict(update(fit, . ~ .), toy()), predict(fit, toy()))
  fewer <- update(fit, . ~ . - b)
  expect_identical(fewer$blueprint$columns, c("a", "b:a"))
  expect_s3_class(predict(fewer, toy()), "factor")
})

test_that("checks that other data do not know of are said to be left behind", {
  d <- toy()
  fit <- gpc(class ~ a + b, d, epsilon = 0.1, kernel = kernel_iso(1, fixed = TRUE))
  checked <- suppressMessages(update(fit, checked = data.frame(row = c(2, 5), label = d$class[c(2, 5)])))
  left <- expect_message(update(checked, data = d), class = "sturdy_message_checks_left")
  expect_no_message(update(fit, data = d), class = "sturdy_message_checks_left")
  expect_no_message(update(checked, epsilon = 0.2), class = "sturdy_message_checks_left")
  # trusted rows are no checks
  trusted <- update(fit, trusted = 1:5)
  expect_no_message(update(trusted, data = d), class = "sturdy_message_checks_left")
})

test_that("a change of the formula that is too deep for R's parser is an error of ours", {
  fit <- toy_fit()
  deep <- Reduce(function(x, k) call("log", x), seq_len(200), quote(a))
  changed <- stats::as.formula(call("~", quote(class), deep))
  error <- expect_error(update(fit, formula. = changed, data = toy()), class = "sturdy_error_formula")
  expect_match(conditionMessage(error), "formula.", fixed = TRUE)
})

test_that("what is known of labels is taken away by NULL, and kept otherwise", {
  plain <- toy_fit()
  known <- toy_fit(trusted = 1:5, rates = rep(c("x", "y"), 20), weights = rep(1:2, 20))
  expect_equal(update(known, epsilon = 0.05)$data, known$data)
  none <- update(known, trusted = NULL, rates = NULL, weights = NULL)
  expect_equal(none$ep, plain$ep)
  expect_equal(none$data$reports, plain$data$reports)
  weighted <- update(known, trusted = NULL, rates = NULL)
  expect_equal(weights(weighted), rep(1:2, 20))
  three <- gpc(Species ~ ., iris[c(1:9, 51:59, 101:109), ], kernel = held(2), epsilon = 0.05)
  expect_equal(update(three, weights = NULL)$ep, three$ep)
})
