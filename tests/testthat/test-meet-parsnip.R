# gp_class() in parsnip, workflows and tune.

parsnip_fit <- function(..., formula = class ~ a + b + g, data = parsnip_data(), engine = list()) {
  spec <- do.call(parsnip::set_engine, c(list(gp_class(...), "sturdy"), engine))
  parsnip::fit(spec, formula, data = data)
}

parsnip_data <- function() {
  data <- toy()
  data$g <- factor(rep(c("u", "v"), 20))
  data
}

test_that("an argument that is a call is refused, and not run", {
  fit <- function(...) gp_class_fit(class ~ a + b, toy(), epsilon = 0.05, ...)
  cnd <- expect_error(fit(inducing = quote(stop("run"))), class = "sturdy_error_inducing")
  expect_identical(conditionCall(cnd)[[1]], quote(gpc))
  expect_error(fit(df = 4, inducing = quote(no_such_name)), class = "sturdy_error_inducing")
  deep <- stats::as.formula(call("~", quote(class), Reduce(
    function(x, k) call("log", x), 1:3000, quote(a)
  )))
  expect_error(suppressWarnings(gp_class_fit(deep, toy())), class = "sturdy_error")
  nested <- quote(x)
  for (k in 1:3000) nested <- call("(", nested)
  for (value in list(nested, quote(x), quote(stop("run")))) {
    call <- as.call(list(quote(gp_class_fit), quote(class ~ a + b), quote(toy()), hyper = quote(value)))
    expect_error(eval(call), "hyper. must be a value", class = "sturdy_error_hyper")
  }
  expect_equal(fit(kernel = held())$call$formula, class ~ a + b, ignore_attr = TRUE)
})

test_that("what is empty is not what is not given, which is the default of the engine", {
  fit <- function(...) gp_class_fit(class ~ a + b, toy(), ...)
  expect_no_message(
    expect_error(fit(epsilon = numeric()), class = "sturdy_error_epsilon"), class = "sturdy_message_no_noise"
  )
  for (name in c("rates", "trusted")) {
    nothing <- stats::setNames(list(character()), name)
    expect_error(do.call(fit, nothing), class = paste0("sturdy_error_", name))
  }
  own <- gpc(class ~ a + b, toy(), kernel = held(), epsilon = 0.05)
  expect_identical(fit(kernel = held(), epsilon = 0.05, inducing = NULL)$spec, own$spec)
})

test_that("weights that are no numbers are refused", {
  expect_error(
    gp_class_fit(class ~ a + b, toy(), weights = factor(rep(1:2, 20)), epsilon = 0.05),
    class = "sturdy_error_weights"
  )
})

test_that("a formula without a class is refused as such, whatever is known of labels", {
  expect_error(gp_class_fit(~., parsnip_data(), rates = "g"), class = "sturdy_error_formula")
})

test_that("predictions by parsnip are those of gpc() and stc()", {
  skip_if_not_installed("parsnip")
  data <- parsnip_data()
  by_hand <- list(
    gpc(class ~ a + b + g, data, kernel = held(), epsilon = 0.05),
    stc(class ~ a + b + g, data, kernel = held(), epsilon = 0.05, df = 4),
    gpc(class ~ a + b + g, data, kernel = held(), epsilon = 0.05, inducing = 10),
    # through a label stage
    gpc(class ~ a + b + g, data, kernel = held(), hyper = "integrate")
  )
  by_parsnip <- list(
    parsnip_fit(epsilon = 0.05, kernel = held()),
    parsnip_fit(epsilon = 0.05, kernel = held(), df = 4),
    parsnip_fit(epsilon = 0.05, kernel = held(), inducing = 10),
    parsnip_fit(kernel = held(), engine = list(hyper = "integrate"))
  )
  expect_s3_class(by_hand[[4]]$label_stage, "second_stage")
  new <- data[1:7, ]
  for (k in seq_along(by_hand)) {
    own <- by_hand[[k]]
    fit <- by_parsnip[[k]]
    expect_identical(fit$fit$ep, own$ep)
    expect_identical(predict(fit, new)$.pred_class, predict(own, new))
    p <- unname(predict(own, new, type = "prob"))
    expect_identical(unname(as.matrix(predict(fit, new, type = "prob"))), p)
    ends <- predict(own, new, interval = 0.8)
    found <- predict(fit, new, type = "conf_int", level = 0.8)
    expect_named(found, c(
      ".pred_lower_no", ".pred_upper_no", ".pred_lower_yes", ".pred_upper_yes"
    ))
    expect_identical(found$.pred_lower_yes, ends$lower)
    expect_identical(found$.pred_upper_no, 1 - ends$lower)
    expect_identical(found$.pred_lower_no, 1 - ends$upper)
    expect_identical(predict(fit, new, type = "raw"), predict(own, new, type = "latent"))
  }
})

test_that("a class that no row has has probability 0, at its place", {
  expect_identical(
    unname(all_levels(cbind(c = 0.8, a = 0.2), c("a", "b", "c"))), matrix(c(0.2, 0, 0.8), 1)
  )
})

test_that("factors are not made into indicators", {
  skip_if_not_installed("parsnip")
  fit <- parsnip_fit(epsilon = 0.05, kernel = held())
  expect_identical(fit$fit$blueprint$columns, c("a", "b", "g"))
  xy <- parsnip::fit_xy(
    parsnip::set_engine(gp_class(epsilon = 0.05, kernel = held()), "sturdy"),
    parsnip_data()[c("a", "b", "g")], parsnip_data()$class
  )
  expect_identical(xy$fit$ep, fit$fit$ep)
})

test_that("defaults and arguments of the engine reach the fit", {
  skip_if_not_installed("parsnip")
  fit <- parsnip_fit(engine = list(hyper = "optimum", criterion = "loo"))
  own <- gpc(class ~ a + b + g, parsnip_data(), hyper = "optimum", criterion = "loo")
  expect_identical(fit$fit$spec, own$spec)
  expect_error(parsnip_fit(kernel = "other"), class = "sturdy_error_choice")
  expect_error(parsnip_fit(df = -1), class = "sturdy_error_df")
  expect_error(parsnip_fit(engine = list(unheard = 1)), class = "sturdy_error_unknown_argument")
  expect_error(gp_class(mode = "regression"), "regression")
})

test_that("the event is the second level, and a level without rows has probability 0", {
  skip_if_not_installed("parsnip")
  data <- parsnip_data()
  data$class <- factor(data$class, c("yes", "no", "unsure"))
  expect_message(
    fit <- parsnip_fit(epsilon = 0.05, kernel = held(), data = data),
    class = "sturdy_message_unused_levels"
  )
  p <- predict(fit, data[1:5, ], type = "prob")
  expect_named(p, c(".pred_yes", ".pred_no", ".pred_unsure"))
  expect_identical(p$.pred_unsure, numeric(5))
  own <- gpc(class ~ a + b + g, parsnip_data(), kernel = held(), epsilon = 0.05)
  expect_equal(p$.pred_yes, unname(predict(own, data[1:5, ], type = "response")))
  ends <- predict(fit, data[1:5, ], type = "conf_int")
  expect_identical(names(ends)[c(1, 5:6)], paste0(".pred_", c("lower_yes", "lower_unsure", "upper_unsure")))
  expect_identical(ends$.pred_upper_unsure, numeric(5))
  expect_identical(levels(predict(fit, data)$.pred_class), levels(data$class))
  expect_match(printed(gp_class()), "second level")
})

test_that("several classes work, with intervals", {
  skip_if_not_installed("parsnip")
  data <- iris[c(1:15, 51:65, 101:115), ]
  fit <- parsnip_fit(epsilon = 0.05, kernel = held(2), formula = Species ~ ., data = data)
  own <- gpc(Species ~ ., data, epsilon = 0.05, kernel = held(2))
  new <- data[c(1, 20, 40), ]
  expect_identical(
    unname(as.matrix(predict(fit, new, type = "prob"))), unname(predict(own, new, type = "prob"))
  )
  ends <- predict(own, new, interval = 0.8)
  found <- predict(fit, new, type = "conf_int", level = 0.8)
  expect_identical(names(found)[1:3], c(
    ".pred_lower_setosa", ".pred_upper_setosa", ".pred_lower_versicolor"
  ))
  expect_identical(unname(as.matrix(found)[, c(1, 3, 5)]), unname(ends$lower))
  expect_identical(found$.pred_upper_virginica, unname(ends$upper[, 3]))
  two <- parsnip_fit(epsilon = 0.05, kernel = held())
  expect_error(
    predict(two, parsnip_data(), type = "conf_int", std_error = TRUE),
    class = "sturdy_error_unknown_argument"
  )
})

test_that("update() changes arguments, and keeps or forgets the others", {
  skip_if_not_installed("parsnip")
  spec <- parsnip::set_engine(gp_class(epsilon = 0.05, kernel = "iso"), "sturdy", scale = FALSE)
  value <- function(spec, arg) rlang::eval_tidy(spec$args[[arg]])
  changed <- update(spec, epsilon = 0.1)
  expect_s3_class(changed, c("gp_class", "model_spec"), exact = TRUE)
  expect_identical(value(changed, "epsilon"), 0.1)
  expect_identical(value(changed, "kernel"), "iso")
  expect_identical(value(update(spec, list(epsilon = 0.2)), "epsilon"), 0.2)
  expect_null(value(update(spec, df = 4, fresh = TRUE), "kernel"))
  template <- parsnip::translate(changed)$method$fit$args
  expect_setequal(names(template), c("formula", "data", "weights", "kernel", "epsilon", "scale"))
})

test_that("the parameters that tuning finds are those of dials", {
  skip_if_not_installed("parsnip")
  skip_if_not_installed("dials", "1.1.0")
  found <- generics::tunable(gp_class())
  expect_setequal(found$name, c("kernel", "epsilon", "inducing", "df"))
  for (info in found$call_info) {
    parameter <- do.call(getExportedValue(info$pkg, info$fun), list())
    expect_s3_class(parameter, "param")
  }
  expect_identical(dials::value_seq(gp_epsilon(c(0, 0.2)), 3), c(0, 0.1, 0.2))
  expect_true(all(dials::value_seq(gp_df(), 3) > 3))
  expect_identical(dials::value_seq(gp_kernel(), 2), c("ard", "iso"))
})

test_that("workflows tune over epsilon, with a recipe, and end in last_fit()", {
  for (package in c("workflows", "tune", "recipes", "rsample", "yardstick", "dials")) {
    skip_if_not_installed(package)
  }
  data <- parsnip_data()
  spec <- parsnip::set_engine(
    gp_class(epsilon = tune::tune(), kernel = held()), "sturdy"
  )
  recipe <- recipes::step_mutate(recipes::recipe(class ~ ., data), a2 = a^2)
  flow <- workflows::add_model(workflows::add_recipe(workflows::workflow(), recipe), spec)
  withr::local_seed(1)
  folds <- rsample::vfold_cv(data, 2)
  measure <- yardstick::metric_set(yardstick::mn_log_loss)
  tuned <- suppressPackageStartupMessages(tune::tune_grid(
    flow, folds, grid = data.frame(epsilon = c(0, 0.1)), metrics = measure
  ))
  expect_identical(nrow(tune::collect_notes(tuned)), 0L)
  scores <- tune::collect_metrics(tuned)
  expect_identical(scores$epsilon, c(0, 0.1))
  # against the same by hand
  by_hand <- vapply(c(0, 0.1), function(epsilon) {
    mean(vapply(folds$splits, function(split) {
      train <- transform(rsample::analysis(split), a2 = a^2)
      test <- transform(rsample::assessment(split), a2 = a^2)
      fit <- gpc(class ~ ., train, kernel = held(), epsilon = epsilon)
      p <- predict(fit, test, type = "prob")
      -mean(log(p[cbind(seq_len(nrow(p)), as.integer(test$class))]))
    }, 0))
  }, 0)
  expect_equal(scores$mean, by_hand, tolerance = 1e-6)
  final <- tune::finalize_workflow(flow, tune::select_best(tuned, metric = "mn_log_loss"))
  last <- tune::last_fit(final, rsample::initial_split(data), metrics = measure)
  expect_true(is.finite(tune::collect_metrics(last)$.estimate))
  expect_s3_class(workflows::extract_fit_engine(last$.workflow[[1]]), "gpc")
})

test_that("a search over epsilon by what is predicted to be recorded does not end at 0", {
  skip_if_not_installed("parsnip")
  data <- withr::with_seed(4, {
    d <- data.frame(a = rnorm(240))
    d$class <- factor(ifelse(xor(d$a > 0, runif(240) < 0.15), "yes", "no"))
    d
  })
  loss <- function(epsilon, predicts) {
    spec <- parsnip::set_engine(
      gp_class(epsilon = !!epsilon, kernel = held()), "sturdy", predicts = !!predicts
    )
    fit <- suppressMessages(parsnip::fit(spec, class ~ a, data = data[1:120, ]))
    p <- as.matrix(predict(fit, data[121:240, ], type = "prob"))
    engine <- predict(fit$fit, data[121:240, ], type = "prob", noise = predicts == "recorded")
    expect_equal(p, engine, ignore_attr = TRUE)
    -mean(log(p[cbind(1:120, as.integer(data$class[121:240]))]))
  }
  grid <- c(0, 0.15, 0.3)
  recorded <- vapply(grid, loss, 0, "recorded")
  expect_identical(which.min(recorded), 2L)
  expect_gt(loss(0.15, "true"), recorded[2])
  expect_message(
    gp_class_fit(class ~ a, data, epsilon = 0, kernel = held()), class = "sturdy_message_no_noise"
  )
  expect_error(gp_class_fit(class ~ a, data, predicts = "both"), class = "sturdy_error_choice")
})

test_that("case weights of both kinds reach the fit", {
  skip_if_not_installed("parsnip")
  d <- toy()
  spec <- parsnip::set_engine(gp_class(kernel = held(), epsilon = 0.1), "sturdy")
  expect_true(parsnip::case_weights_allowed(spec))
  times <- rep(1:4, 10)
  for (kind in c(hardhat::frequency_weights, function(x) hardhat::importance_weights(x + 0.5))) {
    fit <- parsnip::fit(spec, class ~ a + b, data = d, case_weights = kind(times))
    expect_equal(weights(fit$fit), as.double(kind(times)))
  }
})

known_data <- function() {
  data <- parsnip_data()
  data$clinic <- rep(c("north", "south"), each = 20)
  data$`looked up` <- seq_len(40) %% 7 == 0
  data
}

known_fit <- function(...) {
  gpc(class ~ a + b + g, known_data(), kernel = held(), epsilon = "learn", ...)
}

test_that("groups and trusted rows are columns, by name or formula, and no inputs", {
  data <- known_data()
  own <- known_fit(rates = ~clinic, trusted = `looked up`)
  expect_identical(known_fit(rates = clinic, trusted = ~`looked up`)$ep, own$ep)
  expect_identical(own$data$reports$sources, c("north", "south"))
  fit <- function(formula, ...) gp_class_fit(formula, data, kernel = held(), epsilon = "learn", ...)
  for (formula in list(class ~ ., class ~ a + b + g)) {
    for (trusted in list("looked up", ~`looked up`, data$`looked up`)) {
      if ("." %in% all.vars(formula) && is.logical(trusted)) next
      for (rates in list("clinic", ~clinic)) {
        found <- fit(formula, rates = rates, trusted = trusted)
        expect_identical(found$ep, own$ep)
        expect_identical(found$epsilon, own$epsilon)
      }
    }
  }
  # which the formula may name all the same
  expect_true("clinic" %in% fit(class ~ . + clinic, rates = ~clinic)$blueprint$columns)
  expect_identical(
    predict(found, data[3:5, ], noise = TRUE, type = "prob"),
    predict(own, data[3:5, ], noise = TRUE, type = "prob")
  )
  expect_error(fit(class ~ a, rates = quote(stop("run"))), class = "sturdy_error_rates")
  expect_error(fit(class ~ a, rates = "nowhere"), class = "sturdy_error_rates")
  expect_error(fit(class ~ a, trusted = ~a), class = "sturdy_error_trusted")
})

test_that("parsnip and workflows hand on groups and trusted rows", {
  skip_if_not_installed("parsnip")
  data <- known_data()
  own <- known_fit(rates = ~clinic, trusted = `looked up`)
  spec <- parsnip::set_engine(
    gp_class(epsilon = "learn", kernel = held()), "sturdy", rates = ~clinic, trusted = "looked up"
  )
  fit <- parsnip::fit(spec, class ~ ., data = data)
  expect_identical(fit$fit$ep, own$ep)
  # predictions of the true class need no groups
  p <- predict(fit, data[1:5, c("a", "b", "g")], type = "prob")
  expect_equal(p$.pred_yes, unname(predict(own, data[1:5, ], type = "response")))
  xy <- parsnip::fit_xy(spec, data[names(data) != "class"], data$class)
  expect_identical(xy$fit$ep, own$ep)
  skip_if_not_installed("workflows")
  flow <- workflows::add_variables(
    workflows::workflow(spec = spec), outcomes = class, predictors = c(a, b, g, clinic, `looked up`)
  )
  expect_identical(generics::fit(flow, data)$fit$fit$fit$ep, own$ep)
})
