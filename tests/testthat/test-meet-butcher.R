# butcher and vetiver.

# As butcher does it, and without it by its methods
butchered <- function(fit) {
  if (rlang::is_installed("butcher")) {
    return(butcher::butcher(fit))
  }
  axe_data.sturdy_model(axe_ctrl.sturdy_model(axe_call.sturdy_model(fit)))
}

test_that("a butchered fit predicts the same, and is smaller", {
  local_fewer_points()
  data <- toy()
  data$g <- factor(rep(c("u", "v"), 20))
  fits <- list(
    gpc(class ~ a + b + g, data, kernel = held(), epsilon = 0.05),
    gpc(class ~ a + b + g, data, kernel = held(), epsilon = 0.05, inducing = 10),
    gpc(class ~ a + b, data, inducing = 10, hyper = "integrate"),
    bpm(class ~ a + g, data), bpm(class ~ a + g, data, hyper = "integrate"),
    bpm(class ~ a, data, inference = "adf")
  )
  for (fit in fits) {
    small <- butchered(fit)
    expect_lt(object.size(small), object.size(fit))
    for (type in c("prob", "latent")) {
      expect_identical(predict(small, data, type = type), predict(fit, data, type = type))
    }
    noisy <- predict(fit, data, type = "prob", noise = TRUE)
    expect_identical(predict(small, data, type = "prob", noise = TRUE), noisy)
    expect_identical(predict(small, data, interval = 0.9), predict(fit, data, interval = 0.9))
    expect_match(printed(small), "<(gpc|bpm)>")
    expect_output(print(summary(small)))
    expect_identical(nobs(small), nobs(fit))
    expect_identical(glance(small)$log_evidence, glance(fit)$log_evidence)
  }
})

test_that("what is known of all labels together stays when rows go", {
  local_fewer_points()
  wrong <- iris[c(1:20, 51:70, 101:120), 3:5]
  wrong$Species[c(3, 30, 45, 55)] <- c("virginica", "setosa", "versicolor", "versicolor")
  fits <- list(
    gpc(class ~ a + b, toy(), inducing = 10, hyper = "integrate"),
    bpm(class ~ a + b, toy(), hyper = "integrate"),
    gpc(Species ~ ., wrong, inducing = 12, hyper = "integrate", noise = noise_prior(c(none = 1, one = 1)))
  )
  for (fit in fits) {
    small <- butchered(fit)
    said <- c("bayes_factor", "verdict", "any", "average", "models")
    expect_identical(noise_test(small)[said], noise_test(fit)[said])
    expect_no_match(printed(small), "lists the suspects") # it has none
    new <- if (is_several(fit)) wrong[1:10, ] else toy()[1:10, ]
    expect_equal(mislabelled(small, newdata = new), mislabelled(fit, newdata = new))
  }
})

test_that("rows go where prediction does without them, and nowhere else", {
  weights <- butchered(bpm(class ~ a, toy()))
  expect_null(weights$data)
  expect_error(loo(weights), class = "sturdy_error_no_sites")
  expect_error(mislabelled(weights), class = "sturdy_error")
  expect_error(loo(weights), "butcher")
  expect_false(grepl("shard", paste(capture.output(print(weights)), collapse = " ")))
  dense <- butchered(toy_fit())
  expect_identical(dense$data, toy_fit()$data)
  expect_null(dense$call)
  grouped <- bpm(class ~ a, toy(), trusted = 1:5)
  expect_identical(axe_data.sturdy_model(grouped), grouped)
  several <- gpc(
    Species ~ ., iris[c(1:15, 51:65, 101:115), ], kernel = held(2), epsilon = 0.05
  )
  expect_identical(predict(butchered(several), iris), predict(several, iris))
  expect_error(axe_call.sturdy_model(toy_fit(), verbose = "yes"), class = "sturdy_error_type")
  expect_message(axe_data.sturdy_model(bpm(class ~ a, toy()), verbose = TRUE), class = "sturdy_message_axed")
})

test_that("vetiver describes a fit, and knows the inputs it takes", {
  skip_if_not_installed("vetiver")
  data <- mixed()
  fit <- gpc(y ~ ., data, kernel = held(), epsilon = 0.05)
  model <- vetiver::vetiver_model(fit, "labels")
  expect_match(model$description, "Gaussian process classifier (no, yes)", fixed = TRUE)
  expect_identical(model$metadata$required_pkgs, "sturdy")
  expect_identical(
    vapply(model$prototype, function(v) class(v)[1], ""),
    c(u = "numeric", v = "numeric", f = "factor", s = "factor", l = "logical")
  )
  expect_identical(nrow(model$prototype), 0L)
  logged <- gpc(y ~ log(u), data, kernel = held(), epsilon = 0.05)
  expect_error(vetiver::vetiver_ptype(logged), class = "sturdy_error_missing_argument")
  given <- vetiver::vetiver_model(logged, "labels", prototype_data = data["u"])
  expect_named(given$prototype, "u")
  several <- gpc(
    Species ~ ., iris[c(1:15, 51:65, 101:115), ], kernel = held(2), epsilon = 0.05
  )
  expect_match(vetiver::vetiver_create_description(several), "setosa, versicolor, virginica")
})

test_that("a handler answers rows as JSON has them", {
  skip_if_not_installed("vetiver")
  data <- mixed()
  fit <- gpc(y ~ ., data, kernel = held(), epsilon = 0.05)
  model <- vetiver::vetiver_model(fit, "labels")
  rows <- data[1:3, -1]
  rows$f <- as.character(rows$f)
  for (noise in c(FALSE, TRUE)) {
    answer <- vetiver::handler_predict(model, noise = noise)(list(body = rows))
    p <- predict(fit, data[1:3, ], type = "prob", noise = noise)
    expect_identical(answer$.pred_yes, unname(p[, "yes"]))
    expect_identical(answer$.pred_class, predict(fit, data[1:3, ]))
  }
  expect_error(vetiver::handler_predict(model)(list(body = rows["u"])))
  # an identifier beside the inputs, a missing value, and an order of their own
  rows$u[2] <- NA
  answer <- vetiver::handler_predict(model)(list(body = cbind(id = 1:3, rows[5:1])))
  p <- predict(fit, rows, type = "prob")
  expect_identical(answer$.pred_yes, unname(p[, "yes"]))
  expect_identical(is.na(answer$.pred_class), c(FALSE, TRUE, FALSE))
  rows$f[1] <- "unheard of"
  expect_error(vetiver::handler_predict(model)(list(body = rows)), "unheard of")
})

test_that("a workflow with gp_class() is served", {
  for (package in c("vetiver", "workflows", "bundle")) skip_if_not_installed(package)
  spec <- parsnip::set_engine(gp_class(epsilon = 0.05, kernel = held()), "sturdy")
  flow <- parsnip::fit(workflows::workflow(class ~ a + b, spec), toy())
  model <- vetiver::vetiver_model(flow, "labels")
  model$model <- getExportedValue("bundle", "unbundle")(model$model)
  answer <- vetiver::handler_predict(model, type = "prob")(list(body = toy()[1:3, c("a", "b")]))
  expect_identical(answer$.pred_yes, unname(fitted(toy_fit())[1:3]))
})

# A free port, as far as one can tell
free_port <- function() {
  for (port in sample(20000:40000, 20)) {
    taken <- tryCatch(
      {
        close(serverSocket(port))
        FALSE
      },
      error = function(cnd) TRUE
    )
    if (!taken) return(port)
  }
  skip("no free port")
}

test_that("a server answers a POST with the probabilities of predict()", {
  skip_on_cran()
  skip_if_not_installed("vetiver")
  skip_if_not_installed("plumber")
  skip_if_not(exists("serverSocket", baseenv()), "R has no serverSocket() before 4.0")
  fit <- bpm(class ~ a + b, toy(), epsilon = 0.05)
  folder <- withr::local_tempdir()
  model <- file.path(folder, "model.rds")
  pid <- file.path(folder, "pid")
  saveRDS(vetiver::vetiver_model(fit, "labels"), model)
  port <- free_port()
  code <- sprintf(
    paste(
      ".libPaths(strsplit('%s', ';')[[1]]); cat(Sys.getpid(), file = '%s');",
      "api <- vetiver::vetiver_api(plumber::pr(), readRDS('%s'));",
      "setTimeLimit(elapsed = 120);",
      "plumber::pr_run(api, port = %d, host = '127.0.0.1', docs = FALSE, quiet = TRUE)"
    ),
    paste(.libPaths(), collapse = ";"), pid, model, port
  )
  script <- file.path(folder, "serve.R")
  writeLines(code, script)
  system2(
    file.path(R.home("bin"), "Rscript"), c("--no-init-file", shQuote(script)), wait = FALSE,
    stdout = FALSE, stderr = FALSE
  )
  withr::defer(if (file.exists(pid)) tools::pskill(as.integer(readLines(pid, warn = FALSE))))
  endpoint <- vetiver::vetiver_endpoint(sprintf("http://127.0.0.1:%d/predict", port))
  new <- toy()[1:3, c("a", "b")]
  answer <- NULL
  until <- Sys.time() + 60
  while (is.null(answer) && Sys.time() < until) {
    Sys.sleep(0.3)
    answer <- tryCatch(predict(endpoint, new), error = function(cnd) NULL)
  }
  expect_false(is.null(answer))
  p <- predict(fit, new, type = "prob")
  # JSON has four digits
  expect_equal(answer$.pred_yes, unname(p[, "yes"]), tolerance = 1e-3)
  expect_identical(answer$.pred_class, as.character(predict(fit, new)))
})
