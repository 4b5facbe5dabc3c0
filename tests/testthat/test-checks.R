test_that("numbers outside their range give an error that says the range", {
  expect_equal(check_number(2L, "x", min = 0), 2)
  expect_error(check_number("a", "x", min = 0), class = "sturdy_error_type")
  expect_error(check_number(NaN, "x", min = 0), class = "sturdy_error_type")
  expect_error(check_number(1:2, "x", min = 0), class = "sturdy_error_type")
  expect_error(check_number(Inf, "x", min = 0), class = "sturdy_error_range")
  expect_error(check_number(0, "x", min = 0, open = TRUE), class = "sturdy_error_range")
  expect_snapshot({
    said(check_number(-1, "tol", min = 0, open = TRUE))
    said(check_number(2, "damping", min = 0, max = 1))
  })
})

test_that("counts are whole numbers", {
  expect_identical(check_count(3, "k"), 3L)
  expect_error(check_count(2.5, "k"), class = "sturdy_error_type")
  expect_error(check_count(0, "k", min = 1), class = "sturdy_error_range")
  expect_error(check_count(1e12, "k"), class = "sturdy_error_type")
})

test_that("flags and choices are checked", {
  expect_error(check_flag(NA, "scale"), class = "sturdy_error_type")
  expect_equal(check_choice(c("a", "b"), c("a", "b"), "type"), "a")
  expect_error(check_choice("c", c("a", "b"), "type"), class = "sturdy_error_choice")
  expect_error(check_choice(NULL, c("a", "b"), "type"), class = "sturdy_error_choice")
})

test_that("df is above 0 and may be infinite", {
  expect_equal(check_df(Inf), Inf)
  for (bad in list(0, -1)) {
    expect_error(check_df(bad), class = "sturdy_error_df")
  }
  expect_error(check_df(NA_real_), class = "sturdy_error_type")
})

test_that("epsilon is in [0, 0.5) or \"learn\"", {
  expect_equal(check_epsilon(0), 0)
  expect_equal(check_epsilon("learn"), "learn")
  expect_equal(check_epsilon("learn2"), "learn2")
  expect_equal(check_epsilon(c(pos = 0.2, neg = 0.1)), c(neg = 0.1, pos = 0.2))
  for (bad in list(-0.1, 0.5, NA, NaN, Inf, "learned", c(0.1, 0.1), NULL)) {
    expect_error(check_epsilon(bad), class = "sturdy_error_epsilon")
  }
  expect_error(check_epsilon("learn", learn = FALSE), class = "sturdy_error_epsilon")
  expect_snapshot(said(check_epsilon(0.5)))
  # where a matrix may be given, one that is none is told why
  refused <- function(x, message) {
    expect_error(check_epsilon(x, average = TRUE, matrix = TRUE), message,
                 class = "sturdy_error_epsilon")
  }
  expect_identical(check_epsilon(diag(3), matrix = TRUE), diag(3))
  expect_identical(check_epsilon(matrix(0.1), matrix = TRUE), 0.1)
  refused(diag(c(1.1, 1)), "square.* row whose sum is 1\\.1")
  refused(rbind(c(1.5, -0.5), 0:1), "with the entry -0\\.5")
  refused(diag(NA_real_, 2), "missing values")
  refused(diag(3)[, 1:2], "matrix of 3 x 2")
  refused(diag(2) > 0, "matrix of 2 x 2")
  refused("matrices", "a noise matrix,.*\"matrix\"")
})

test_that("a kernel given as a function is recognised", {
  f <- function(kernel) check_kernel(kernel)
  expect_error(f(kernel_ard), "parentheses", class = "sturdy_error_type")
  expect_error(check_control(list()), class = "sturdy_error_type")
})

test_that("an argument that is not known is an error", {
  f <- function(...) check_no_dots(...)
  expect_error(f(epsilom = 0), "epsilom", class = "sturdy_error_unknown_argument")
  expect_error(f(1), "without a name", class = "sturdy_error_unknown_argument")
  expect_null(f())
})

test_that("sites must be finite and one a label", {
  expect_null(check_sites(NULL, 2))
  good <- list(tau = c(0, -1), nu = 1:2)
  expect_equal(check_sites(good, 2)$nu, c(1, 2))
  for (bad in list(good$tau, list(tau = 1, nu = 1), list(tau = c(NA, 1), nu = 1:2))) {
    expect_error(check_sites(bad, 2), class = "sturdy_error_sites")
  }
})

# What a campaign of fuzzed calls found (tests/campaigns/campaign-fuzz.R)

test_that("one number is one number: no list, vector, date or missing value", {
  for (bad in list(list(3), c(1, 2), NULL, quote(x), mean, Sys.Date(), structure(1, class = "odd"))) {
    expect_error(stc_spec(df = bad), class = "sturdy_error_type")
    expect_error(check_count(bad, "n"), class = "sturdy_error_type")
  }
  d <- data.frame(u = c(-1, 0, 1, 2), class = c(0, 1, 0, 1))
  expect_error(stc(class ~ u, d, df = list(3)), class = "sturdy_error_type")
})

test_that("the digits of every print method are a whole number", {
  d <- data.frame(u = c(-1, 0, 1, 2), v = c(1, 0, 1, 0), class = c(0, 1, 0, 1))
  fit <- gpc(class ~ ., d, kernel = kernel_ard(1, fixed = TRUE), epsilon = 0.1)
  shown <- list(
    fit, summary(fit), loo(fit), calibration(fit), mislabelled(fit),
    fit$kernel, weak_prior(), mvt(0, 1), mvt_natural(0, 1), ep_fit(diag(2), 0:1),
    structure(list(), class = "sturdy_selection"), structure(list(), class = "sturdy_ais"),
    structure(list(), class = "sturdy_check")
  )
  for (x in shown) {
    expect_error(print(x, digits = NA), class = "sturdy_error_type")
    expect_error(print(x, digits = 1e6), class = "sturdy_error_range")
  }
  expect_error(print(fit, digits = "3"), class = "sturdy_error_type")
  expect_error(print(mislabelled(fit), n = "a"), class = "sturdy_error_type")
  for (digits in c(1, 20)) {
    expect_output(print(fit, digits = digits))
    expect_output(print(summary(fit), digits = digits))
  }
})

test_that("without x there is no fit, and a formula may be given by its name", {
  for (fun in list(gpc, stc, bpm, select_model)) {
    expect_error(fun(), class = "sturdy_error_missing_argument")
    expect_error(fun(data = toy()), class = "sturdy_error_missing_argument")
  }
  for (fit in list(
    bpm(formula = class ~ a, data = toy(), epsilon = 0.1),
    bpm(form = class ~ a, data = toy(), epsilon = 0.1)
  )) expect_s3_class(fit, "bpm")
  wrapped <- function(...) bpm(...)
  expect_s3_class(wrapped(formula = class ~ a, data = toy(), epsilon = 0.1), "bpm")
})

test_that("a column's name in the place of a formula is told what to write", {
  for (fun in list(gpc, stc, bpm, select_model)) {
    error <- expect_error(fun(diagnosis, toy()), "diagnosis ~ .", class = "sturdy_error_type")
    expect_match(conditionMessage(error), "There is no object `diagnosis`", fixed = TRUE)
  }
  expect_error(gpc(class, toy()), "must be a formula", class = "sturdy_error_type")
  # what is there is found, however it comes
  wrapped <- function(...) bpm(...)
  asked <- function() {
    form <- class ~ a
    list(
      wrapped(form, toy(), epsilon = 0.1), do.call(bpm, list(quote(form), toy(), epsilon = 0.1)),
      (function(f, d) bpm(f, d, epsilon = 0.1))(form, toy())
    )
  }
  for (fit in asked()) expect_s3_class(fit, "bpm")
  failing <- function(x) gpc(x, toy())
  expect_error(failing(stop("of the user's")), "of the user's", class = "simpleError")
})

test_that("a question without a fit says that it needs one", {
  questions <- list(
    absorb, calibration, check_fit, confusion,
    ep_diagnostics, flip_rates, label_report, log_evidence, loo, mislabelled,
    noise_matrix, noise_test, posterior_sample, predict_sql, reader_rates, review,
    true_performance
  )
  for (ask in questions) {
    error <- expect_error(ask(), "must be given", class = "sturdy_error_missing_argument")
    expect_identical(error$arg, names(formals(ask))[1])
  }
  expect_error(second_stage(), class = "sturdy_error_missing_argument")
  expect_error(flip_labels(), class = "sturdy_error_missing_argument")
})

test_that("what is not a fit is told so by every question", {
  questions <- list(
    absorb, calibration, check_fit, ep_diagnostics, log_evidence, loo,
    mislabelled, posterior_sample
  )
  # probabilities need their labels
  expect_error(mislabelled(3), class = "sturdy_error_missing_argument")
  for (ask in questions) {
    no_fit <- if (identical(ask, mislabelled)) "3" else 3
    expect_error(ask(no_fit), "gpc", class = "sturdy_error_type")
    expect_error(ask(class ~ u), class = "sturdy_error_type")
    expect_error(without_packages("loo", ask(NULL)), class = "sturdy_error_type")
  }
})

test_that("counts that would take all memory are refused", {
  d <- data.frame(u = c(-1, 0, 1, 2), class = c(0, 1, 0, 1))
  fit <- gpc(class ~ u, d, kernel = kernel_ard(1, fixed = TRUE), epsilon = 0.1)
  most <- .Machine$integer.max
  withr::local_options(sturdy.max_memory = 1e8)
  expect_error(simulate(fit, nsim = most), class = "sturdy_error_memory")
  expect_error(posterior_sample(fit, n = most), class = "sturdy_error_memory")
  expect_error(check_fit(fit, draws = most), class = "sturdy_error_memory")
  expect_error(calibration(fit, bins = most), class = "sturdy_error_range")
  expect_error(ep_control(restarts = most), class = "sturdy_error_range")
  expect_error(ep_control(max_sweeps = most), class = "sturdy_error_range")
})

test_that("a message shows the beginning of a long text, and bytes that are no text", {
  expect_lt(nchar(describe(strrep("x", 1e6))), 70)
  expect_match(describe("\xff"), "xff", fixed = TRUE)
  expect_equal(describe("{stop()}"), "\"{stop()}\"")
  expect_equal(describe(structure(1, class = "sturdy_spec")), "a sturdy_spec")
  expect_equal(describe(Sys.Date()), "a Date")
})
