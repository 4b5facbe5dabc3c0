
test_that("of two rows it is said that they tell next to nothing", {
  d <- data.frame(x = c(-1, 1, 2, -2), y = c(0, 1, 1, 0))
  expect_message(gpc(y ~ x, d[1:2, ], epsilon = 0.1), class = "sturdy_message_few_rows")
  expect_message(bpm(y ~ x, d[1:3, ]), class = "sturdy_message_few_rows")
  expect_no_message(gpc(y ~ x, d, epsilon = 0.1), class = "sturdy_message_few_rows")
})

test_that("the optimum has the learner of an average, unless what is asked for is of one criterion", {
  learned <- function(...) unclass(candidate(...))[c("epsilon", "hyper")]
  expect_identical(learned("gpc", hyper = "optimum"), list(epsilon = "average", hyper = "optimum"))
  expect_identical(learned("gpc", criterion = "evidence"), learned("gpc", hyper = "optimum"))
  one_rate <- list(epsilon = "learn", hyper = "optimum")
  expect_identical(learned("gpc", criterion = "loo"), one_rate)
  expect_identical(learned("stc", criterion = "loo"), one_rate)
  expect_identical(learned("bpm", criterion = "loo", df = 5), one_rate)
  # the default criterion at a finite df is not asked for
  for (model in c("stc", "bpm")) {
    spec <- candidate(model, df = 5, hyper = "optimum")
    expect_identical(c(spec$epsilon, spec$criterion), c("average", "loo"))
  }
  # what is learned without a prior has no mode of a posterior
  expect_identical(learned("gpc", hyper = "optimum", kernel = kernel_iso(prior = NULL)), one_rate)
  open <- kernel_ard(prior = weak_prior(nugget = NULL))
  expect_identical(learned("gpc", hyper = "optimum", kernel = open), one_rate)
  held <- kernel_iso(1, prior = NULL, fixed = TRUE)
  expect_identical(learned("gpc", hyper = "optimum", kernel = held)$epsilon, "average")
  expect_identical(learned("gpc", criterion = "loo", hyper = "integrate")$epsilon, "average")
  expect_identical(candidate("bpm", inference = "adf")$epsilon, 0.01)
})

test_that("a changed spec has the rates that are usual beside what changed, or those that were given", {
  changed <- function(spec, ...) unlist(edit_spec(spec, list(...))[c("epsilon", "hyper", "criterion")])
  by <- function(...) stats::setNames(c(...), c("epsilon", "hyper", "criterion"))
  for (hyper in c("integrate", "optimum")) {
    spec <- gpc_spec(hyper = hyper)
    expect_identical(changed(spec, criterion = "loo"), by("learn", "optimum", "loo"))
    expect_identical(changed(spec, hyper = "optimum"), by("average", "optimum", "evidence"))
    expect_identical(changed(spec, df = 4), by("average", hyper, "loo"))
    expect_identical(changed(stc_spec(hyper = hyper), scale = FALSE), by("average", hyper, "loo"))
    one <- gpc_spec(hyper = hyper, epsilon = "learn")
    expect_identical(changed(one, hyper = "optimum"), by("learn", "optimum", "evidence"))
  }
  loo <- gpc_spec(criterion = "loo")
  expect_identical(changed(loo, hyper = "integrate"), by("average", "integrate", "loo"))
  expect_identical(changed(loo, criterion = "evidence"), by("average", "optimum", "evidence"))
  expect_identical(changed(stc_spec(criterion = "loo"), df = 3), by("learn", "optimum", "loo"))
  bare <- edit_spec(gpc_spec(hyper = "optimum"), list(kernel = kernel_iso(prior = NULL)))
  expect_identical(bare$epsilon, "learn")
})
