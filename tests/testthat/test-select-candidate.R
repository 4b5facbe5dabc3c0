test_that("a candidate is a spec", {
  x <- candidate("stc", df = 5, kernel = kernel_iso())
  expect_identical(x, stc_spec(df = 5, kernel = kernel_iso()))
  expect_identical(candidate(), gpc_spec())
  expect_identical(candidate("bpm", intercept = FALSE), bpm_spec(intercept = FALSE))
  expect_equal(format(x), "stc(df = 5, kernel = kernel_iso())")
  expect_snapshot({
    x
    candidate()
    candidate("bpm", epsilon = "learn", prior_scale = c(1, 2, 3, 4))
    candidate("gpc", epsilon = c(neg = 0.1, pos = 0.05), scale = FALSE)
  })
})

test_that("arguments a model does not have are refused", {
  unknown <- "sturdy_error_unknown_argument"
  expect_error(candidate("gpc", intercept = FALSE), class = unknown)
  expect_identical(candidate("gpc", df = 5), candidate("stc", df = 5))
  expect_error(candidate("gpc", na.action = na.omit), class = unknown)
  expect_error(candidate("gpc", kernel_iso()), class = unknown)
  expect_error(candidate("svm"), class = "sturdy_error_choice")
  expect_error(candidate("gpc", kernel = "rbf"), class = "sturdy_error_type")
  expect_snapshot(said(candidate("gpc", kernal = kernel_iso())))
})

test_that("the default candidates cover the models", {
  all <- default_candidates(criterion = "loo")
  expect_setequal(vapply(all, spec_model, ""), c("gpc", "stc", "bpm"))
  expect_identical(default_candidates(criterion = "evidence"), all)
  expect_false(anyDuplicated(names(all)) > 0)
  expect_equal(all$gpc_0$epsilon, 0)
})

test_that("a t process is no default candidate where it is the same as a Gaussian one", {
  integrated <- default_candidates()
  expect_setequal(vapply(integrated, spec_model, ""), c("gpc", "bpm"))
  all <- default_candidates(criterion = "loo")
  expect_identical(integrated, all[names(integrated)])
  expect_error(default_candidates(criterion = "aic"), class = "sturdy_error_choice")
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
  run <- expect_silent(candidate_run(bad_candidate(), molded))
  expect_null(run$fit)
  expect_equal(run$facts$status, "failed")
  expect_match(run$facts$message, "must have one entry")
  expect_equal(names(run$facts), names(candidate_facts(candidate("gpc"))))
})

test_that("EP that does not converge is marked, not signalled", {
  molded <- mold(class ~ a + b, toy())
  run <- expect_silent(candidate_run(candidate(
    "gpc", kernel = held(), epsilon = 0.05, control = ep_control(max_sweeps = 1)
  ), molded, integrate = TRUE))
  expect_identical(run$facts$log_integrated, NA_real_)
  expect_equal(run$facts$status, "max_sweeps")
  expect_match(run$facts$message, "did not converge")
})

test_that("a row has the rates of each class, the number of hyperparameters learned, and an evidence that is one", {
  molded <- mold(class ~ a + b, toy())
  facts <- function(...) candidate_run(candidate("gpc", ...), molded)$facts
  given <- facts(kernel = held(), epsilon = c(neg = 0.02, pos = 0.1))
  expect_equal(unlist(given[c("epsilon_neg", "epsilon_pos", "learned")], use.names = FALSE), c(0.02, 0.1, 0))
  expect_identical(facts(kernel = kernel_iso(1, fixed = c("bias", "nugget")), epsilon = 0.1)$learned, 2L)
  # of several classes their mean, and of none apart
  d <- datasets::iris[c(1:10, 51:60, 101:110), ]
  omega <- rbind(c(1, 0, 0), c(0.1, 0.9, 0), c(0, 0.5, 0.5))
  several <- candidate("gpc", kernel = held(), epsilon = omega)
  selection <- select_model(Species ~ ., d, list(several = several))
  expect_equal(selection$table$epsilon, 0.2)
  expect_identical(selection$table$epsilon_pos, NA_real_)
  expect_match(printed(selection), "several .* 0.2 ")
  fit <- toy_fit()
  expect_identical(comparable_evidence(fit), fit$ep$log_evidence)
  local_mocked(gaussian_evidence = function(fit) {
    warn_sturdy("EP ended early.", "not_converged")
    -1
  })
  expect_identical(suppressWarnings(comparable_evidence(fit)), NA_real_)
})
