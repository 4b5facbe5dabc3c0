# Quick candidates, whose fits hold nothing but epsilon or less to learn
quick <- function(...) {
  list(
    noise = candidate("gpc", kernel = held(), epsilon = 0.05),
    none = candidate("gpc", kernel = held(), epsilon = 0),
    t5 = candidate("stc", df = 5, kernel = held(), epsilon = 0.05),
    linear = candidate("bpm", epsilon = 0.05),
    ...
  )
}
choose <- function(..., criterion = "evidence", data = toy()) {
  select_model(class ~ a + b, data, quick(...), criterion)
}
bad <- bad_candidate()
stuck <- candidate(
  "gpc", kernel = held(), epsilon = 0.05, control = ep_control(max_sweeps = 1)
)
without_seconds <- function(x) {
  x$table[setdiff(names(x$table), "seconds")]
}

test_that("the table has a row a candidate, in their order", {
  x <- choose()
  expect_s3_class(x, c("sturdy_selection", class(x$selected)), exact = TRUE)
  expect_named(x$table, c(
    "candidate", "model", "df", "epsilon", "epsilon_neg", "epsilon_pos", "learned",
    "log_integrated", "corrected", "log_evidence", "log_evidence_tep", "loo", "loo_se",
    "loo_diff", "loo_diff_se", "weight", "selected", "seconds", "status", "message"
  ))
  expect_equal(x$table$candidate, names(quick()))
  expect_equal(x$table$df, c(Inf, Inf, 5, Inf))
  expect_equal(x$table$epsilon, c(0.05, 0, 0.05, 0.05))
  expect_true(all(x$table$status == "converged"))
  expect_equal(x$table$loo[1], loo_sum(toy_fit()))
  expect_equal(x$table$loo_se[1], loo(toy_fit())$estimates[["elpd_loo", "SE"]])
})

test_that("weights are the softmax of the criterion", {
  for (criterion in names(selection_criteria)) {
    x <- choose(criterion = criterion)
    value <- x$table[[selection_criteria[[criterion]]]]
    expect_equal(x$table$weight, exp(value) / sum(exp(value)))
    best <- first_of_best(value)
    expect_equal(which(x$table$selected), best)
    expect_identical(x$selected, x$fits[[best]])
  }
})

test_that("of candidates that tie the first is taken", {
  expect_equal(first_of_best(c(-5, -3.01, -3, NA)), 2)
  expect_equal(first_of_best(c(-5, -3.5, -3)), 3)
  expect_equal(first_of_best(c(NA, -Inf)), 0)
})

test_that("the default criterion is the integrated evidence", {
  learning <- list(
    held = candidate("gpc", kernel = held(), epsilon = 0.05),
    learned = candidate("gpc", kernel = held())
  )
  x <- select_model(class ~ a + b, toy(), learning)
  expect_equal(x$criterion, "integrated")
  expect_equal(
    x$table$log_integrated,
    unname(vapply(x$fits, log_evidence, 0, method = "integrated"))
  )
  # nothing was learned: nothing to integrate over
  corrected <- vapply(x$fits, log_evidence, 0, method = "corrected")
  expect_equal(x$table$log_integrated[1], corrected[[1]])
  expect_lt(x$table$log_integrated[2], corrected[[2]])
  expect_identical(x$table$corrected, c(TRUE, TRUE))
  other <- select_model(class ~ a + b, toy(), learning, "evidence")
  expect_true(all(is.na(other$table[c("log_integrated", "corrected")])))
})

test_that("candidates without a prior take no part, and evidence stands in for all", {
  flat <- candidate("gpc", kernel = kernel_iso(prior = NULL), epsilon = 0.05)
  x <- select_model(class ~ a + b, toy(), list(flat = flat, held = quick()$noise))
  expect_equal(x$table$selected, c(FALSE, TRUE))
  expect_equal(x$table$weight, c(0, 1))
  expect_match(x$table$message[1], "no prior on lengthscale")
  expect_warning(
    one <- select_model(class ~ a + b, toy(), list(flat = flat)),
    class = "sturdy_warning_criterion"
  )
  expect_equal(one$criterion, "evidence")
})

test_that("a candidate may have its own scaling, or all are given one", {
  d <- toy()
  d$a <- 100 * d$a
  two <- list(
    scaled = candidate("gpc", kernel = held(), epsilon = 0.05),
    as_is = candidate("gpc", kernel = held(), epsilon = 0.05, scale = FALSE)
  )
  x <- select_model(class ~ a + b, d, two)
  for (name in names(two)) {
    fit <- gpc(
      class ~ a + b, d, kernel = held(), epsilon = 0.05, scale = two[[name]]$scale
    )
    expect_equal(x$fits[[name]]$data$X, fit$data$X)
    expect_equal(log_evidence(x$fits[[name]]), log_evidence(fit))
  }
  same <- select_model(class ~ a + b, d, two, scale = FALSE)
  expect_equal(same$table$log_evidence, rep(x$table$log_evidence[2], 2))
  expect_error(select_model(class ~ a, d, two, scale = 1), class = "sturdy_error_type")
})

test_that("the call of a selection is that of its selected fit alone", {
  d <- toy()
  candidates <- quick()
  x <- select_model(class ~ a + b, d, candidates, "loo", subset = a > -2)
  expect_identical(x$call, x$selected$call)
  kernel <- "kernel_iso(lengthscale = 1.5, fixed = TRUE)"
  written <- c(
    none = "gpc(formula = class ~ a + b, data = d, subset = a > -2, kernel = %s, epsilon = 0)",
    t5 = paste("stc(formula = class ~ a + b, data = d, subset = a > -2, df = 5,",
               "kernel = %s, epsilon = 0.05)")
  )
  calls <- lapply(x$fits[c("none", "t5")], getCall)
  one_line <- function(call) gsub(" +", " ", deparse1(call))
  expect_equal(vapply(calls, one_line, ""), vapply(written, sprintf, "", kernel))
  expect_equal(uncalled(eval(getCall(x))), uncalled(x$selected))
  expect_equal(uncalled(eval(calls$t5)), uncalled(x$fits$t5))
  by_columns <- select_model(d[1:2], d$class, candidates["linear"])
  expect_identical(
    getCall(by_columns), quote(bpm(x = d[1:2], y = d$class, epsilon = 0.05))
  )
})

test_that("all methods show the same defaults", {
  arguments <- c("candidates", "criterion", "scale")
  expect_identical(
    formals(select_model.data.frame)[arguments], formals(select_model.formula)[arguments]
  )
  expect_identical(select_model.matrix, select_model.data.frame)
})

test_that("equal kernels have equal evidences at every df", {
  x <- choose()
  expect_equal(x$table$log_evidence[1], x$table$log_evidence[3])
  expect_gt(abs(x$table$log_evidence_tep[3] - x$table$log_evidence[3]), 1)
})

test_that("leave-one-out differences are paired", {
  x <- choose(criterion = "loo")
  best <- loo_terms(x)
  expect_equal(x$table$loo_diff[x$table$selected], 0)
  d <- loo_terms(x$fits$none) - best
  expect_equal(x$table$loo_diff[2], sum(d))
  expect_equal(x$table$loo_diff_se[2], sqrt(40) * sd(d))
})

test_that("a candidate that fails or does not converge is a marked row", {
  x <- choose(bad = bad, stuck = stuck)
  expect_equal(x$table$status[5:6], c("failed", "max_sweeps"))
  expect_equal(x$table$weight[5:6], c(0, 0))
  expect_match(x$table$message[5], "must have one entry")
  expect_match(x$table$message[6], "did not converge")
  expect_null(x$fits$bad)
  expect_equal(without_seconds(x)[1:4, ], without_seconds(choose()))
})

test_that("a candidate for which there is no memory is a row that says so", {
  withr::local_options(sturdy.max_memory = 3e5)
  x <- select_model(class ~ a + b, toy(100), list(
    gpc = candidate("gpc", kernel = held(), epsilon = 0.05), bpm = candidate("bpm", epsilon = 0.05)
  ))
  expect_equal(x$table$status, c("failed", "converged"))
  expect_match(x$table$message[1], "100 rows need about 394 KiB of memory")
  expect_s3_class(x$selected, "bpm")
  said <- gsub("\\s+", " ", paste(capture.output(print(x)), collapse = " "))
  expect_match(said, "gpc: 100 rows need about 394 KiB of memory, but 293 KiB is available")
  withr::local_options(sturdy.max_memory = 1e4)
  expect_error(
    select_model(class ~ a + b, toy(100), list(bpm = candidate("bpm"))),
    "need about .* of memory", class = "sturdy_error_no_candidate"
  )
})

test_that("without a converged candidate the best of the others is taken", {
  expect_warning(
    x <- select_model(class ~ a + b, toy(), list(bad = bad, stuck = stuck)),
    class = "sturdy_warning_not_converged"
  )
  expect_equal(x$table$selected, c(FALSE, TRUE))
  expect_equal(x$table$weight, c(0, 0))
})

test_that("without any fit there is an error that says why", {
  call <- quote(select_model(class ~ a + b, toy(), list(bad = bad)))
  expect_error(eval(call), class = "sturdy_error_no_candidate")
  expect_snapshot(said(eval(call)))
  facts <- candidate_facts(bad)
  facts$message <- "an {odd} message"
  table <- selection_table(list(b = list(fit = NULL)), facts, "integrated")
  expect_error(abort_no_candidate(table), "an {odd} message", fixed = TRUE)
})

test_that("a formula, a data frame and a matrix give the same table", {
  d <- toy()
  x <- d[c("a", "b")]
  by_formula <- without_seconds(choose())
  expect_equal(without_seconds(select_model(x, d$class, quick(), "evidence")), by_formula)
  expect_equal(
    without_seconds(select_model(as.matrix(x), d$class, quick(), "evidence")), by_formula
  )
  expect_error(select_model(1:3), class = "sturdy_error_type")
})

test_that("all candidates see the same rows", {
  d <- toy()
  d$a[1:3] <- NA
  x <- choose(data = d)
  expect_equal(unique(lapply(x$fits, nobs)), list(37L))
  expect_error(
    select_model(class ~ a + b, d, quick(), na.action = na.fail),
    "missing values"
  )
})

test_that("candidates need not be named", {
  x <- select_model(class ~ a, toy(), unname(quick()[c(1, 1, 2)]))
  expect_equal(
    x$table$candidate[1:2],
    paste0("gpc(kernel = kernel_iso(lengthscale = 1.5, fixed = TRUE), epsilon = 0.05)", c("", " 1"))
  )
  one <- select_model(class ~ a, toy(), quick()$noise)
  expect_equal(one$table$weight, 1)
})

test_that("arguments are checked before anything is fitted", {
  wrong <- "sturdy_error_candidates"
  expect_error(select_model(class ~ a, toy(), list()), class = wrong)
  expect_error(select_model(class ~ a, toy(), list("gpc")), class = wrong)
  expect_error(select_model(class ~ a, toy(), "gpc"), class = wrong)
  expect_error(choose(criterion = "aic"), class = "sturdy_error_choice")
  expect_error(
    select_model(class ~ a, toy(), quick(), epsilon = 0),
    class = "sturdy_error_unknown_argument"
  )
  expect_snapshot(said(select_model(class ~ a, toy(), "gpc")))
})

extended_test("a selection between flip rates finds the one that fits", {
  d <- sturdy_data("newthyroid")
  d$class <- factor(ifelse(d$class == "normal", "normal", "ill"))
  candidates <- list(
    gpc_0 = candidate("gpc", epsilon = 0), gpc = candidate("gpc", epsilon = "learn")
  )
  d$class <- flip_labels(d$class, 0.1, seed = 1)
  x <- select_model(class ~ ., d, candidates)
  expect_equal(x$table$candidate[x$table$selected], "gpc")
  expect_gt(x$table$weight[2], 0.9)
})

test_that("the call of a candidate makes its kernel and its control again", {
  d <- toy()
  spec <- candidate(
    "gpc", epsilon = 0.1, control = ep_control(tol = 1e-6, max_sweeps = 50),
    kernel = kernel_ard(
      c(a = 1, b = 2), fixed = FALSE,
      prior = weak_prior(lengthscale = c(NA, 1), bias = c(0, 1), nugget = NULL)
    )
  )
  x <- select_model(class ~ a + b, d, spec, "evidence")
  expect_equal(uncalled(eval(getCall(x))), uncalled(x$selected))
  spec <- candidate("gpc", epsilon = 0.1, kernel = kernel_iso(prior = NULL))
  x <- select_model(class ~ a + b, d, spec, "evidence")
  expect_equal(uncalled(eval(getCall(x))), uncalled(x$selected))
})

test_that("a candidate that was changed by hand is checked again", {
  d <- data.frame(u = c(-1, 0, 1, 2), class = c(0, 1, 0, 1))
  spec <- gpc_spec(kernel = kernel_ard(1, fixed = TRUE), epsilon = 0.1)
  forge <- function(...) utils::modifyList(spec, list(...))
  for (bad in list(
    structure(1, class = "sturdy_spec"), structure(list(), class = c("gpc_spec", "sturdy_spec")),
    structure(list(df = 1), class = c("x_spec", "sturdy_spec")), forge(df = "a")
  )) {
    expect_error(select_model(class ~ u, d, list(bad)), class = "sturdy_error_candidates")
  }
  for (bad in list(forge(kernel = 3), forge(scale = NA), forge(control = 3))) {
    expect_error(select_model(class ~ u, d, list(bad)), class = "sturdy_error_type")
  }
})
