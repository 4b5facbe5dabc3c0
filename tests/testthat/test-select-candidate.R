test_that("a candidate is a model with arguments", {
  x <- candidate("stc", df = 5, kernel = kernel_iso())
  expect_s3_class(x, "sturdy_candidate")
  expect_equal(x$model, "stc")
  expect_equal(x$args$df, 5)
  expect_equal(format(x), "stc(df = 5, kernel = kernel_iso())")
  expect_snapshot({
    x
    candidate()
    candidate("bpm", epsilon = "learn", prior_scale = c(1, 2, 3, 4))
    candidate("gpc", epsilon = c(neg = 0.1, pos = 0.05))
  })
})

test_that("arguments a model does not have are refused", {
  unknown <- "sturdy_error_unknown_argument"
  expect_error(candidate("gpc", df = 5), class = unknown)
  expect_error(candidate("gpc", scale = FALSE), class = unknown)
  expect_error(candidate("gpc", na.action = na.omit), class = unknown)
  expect_error(candidate("bpm", inference = "adf"), class = unknown)
  expect_error(candidate("gpc", kernel_iso()), class = unknown)
  expect_error(candidate("gpc", epsilon = 0, epsilon = 0.1), class = unknown)
  expect_error(candidate("svm"), class = "sturdy_error_choice")
  expect_snapshot(said(candidate("gpc", kernal = kernel_iso())))
})

test_that("the default candidates cover the models", {
  all <- default_candidates()
  expect_setequal(vapply(all, `[[`, "", "model"), c("gpc", "stc", "bpm"))
  expect_false(anyDuplicated(names(all)) > 0)
  expect_equal(all$gpc_0$args$epsilon, 0)
})

test_that("arguments not given are the defaults of the model", {
  args <- candidate_args(candidate("gpc"))
  expect_equal(args$df, Inf)
  expect_equal(args$criterion, "evidence")
  expect_equal(args$kernel, kernel_ard())
  expect_equal(candidate_args(candidate("stc"))$criterion, "loo")
  # the criterion of bpm() follows from df
  expect_equal(candidate_args(candidate("bpm"))$criterion, "evidence")
  expect_equal(candidate_args(candidate("bpm", df = 4))$criterion, "loo")
  expect_equal(candidate_args(candidate("bpm"))$inference, "ep")
})

test_that("a candidate's fit is that of its function", {
  d <- toy()
  molded <- mold(class ~ a + b, d)
  quiet <- ep_control(progress = FALSE)
  expect_same <- function(candidate, fit) {
    run <- candidate_run(candidate, molded)
    expect_equal(coef(run$fit), coef(fit))
    expect_equal(predict(run$fit, d, type = "prob"), predict(fit, d, type = "prob"))
    expect_equal(class(run$fit), class(fit))
  }
  expect_same(
    candidate("gpc", kernel = held(), epsilon = 0.05), toy_fit(control = quiet)
  )
  expect_same(
    candidate("stc", kernel = held(), epsilon = 0.1, df = 4),
    stc(class ~ a + b, d, kernel = held(), epsilon = 0.1, df = 4)
  )
  expect_same(
    candidate("bpm", epsilon = 0.1), bpm(class ~ a + b, d, epsilon = 0.1)
  )
})

test_that("evidence entered is Gaussian at finite df, the t-EP number beside it", {
  molded <- mold(class ~ a + b, toy())
  run <- candidate_run(
    candidate("stc", df = 5, kernel = held(), epsilon = 0.05), molded
  )
  gaussian <- candidate_run(candidate("gpc", kernel = held(), epsilon = 0.05), molded)
  expect_equal(run$facts$log_evidence, gaussian$facts$log_evidence)
  expect_equal(run$facts$log_evidence_tep, run$fit$ep$log_evidence)
  expect_identical(gaussian$facts$log_evidence_tep, NA_real_)
})

test_that("a failure and its message become a row, never a condition", {
  molded <- mold(class ~ a + b, toy())
  run <- expect_silent(candidate_run(candidate("gpc", kernel = "rbf"), molded))
  expect_null(run$fit)
  expect_equal(run$facts$status, "failed")
  expect_match(run$facts$message, "`kernel` must be made by")
  expect_equal(names(run$facts), names(candidate_row("gpc")))
})

test_that("EP that does not converge is marked, not signalled", {
  molded <- mold(class ~ a + b, toy())
  run <- expect_silent(candidate_run(candidate(
    "gpc", kernel = held(), epsilon = 0.05, control = ep_control(max_sweeps = 1)
  ), molded))
  expect_equal(run$facts$status, "max_sweeps")
  expect_match(run$facts$message, "did not converge")
})
