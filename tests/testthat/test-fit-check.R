# Fits of every kind, small; `new` are rows for them.
kinds <- function() {
  d <- linear_data()
  list(
    gpc = toy_fit(), stc = update(toy_fit(), df = 3), learned = gpc(class ~ a + b, toy()),
    x_y = gpc(as.matrix(toy()[c("a", "b")]), toy()$class, epsilon = 0.1),
    two = gpc(class ~ poly(a, 2), toy(), epsilon = "learn2", kernel = kernel_iso()),
    bpm = bpm(class ~ ., d), scales = bpm(class ~ ., d, prior_scale = "learn"),
    adf = bpm(class ~ ., d, inference = "adf"), empty = gpc(class ~ 1, toy(), epsilon = 0.1),
    selection = select_model(class ~ a, toy(), candidates = list(gpc_spec(), bpm_spec()))
  )
}

test_that("what the package makes is a fit, also saved, updated and with more rows", {
  local_fewer_points()
  for (fit in suppressMessages(suppressWarnings(kinds()))) {
    expect_null(wrong_field(fit))
    expect_null(wrong_field(unserialize(serialize(fit, NULL))))
  }
  fit <- toy_fit()
  expect_null(wrong_field(absorb(fit, toy()[1:3, ])))
  expect_null(wrong_field(suppressWarnings(update(fit, df = 5, epsilon = "learn"))))
  expect_null(wrong_field(update(fit, . ~ . - a)))
  expect_null(wrong_field(
    gpc(class ~ 1, toy(), epsilon = 0.1, kernel = kernel_ard(prior = NULL))
  ))
  d <- toy()
  d$a[2] <- NA
  for (prior in list(NULL, weak_prior(lengthscale = NULL), weak_prior(nugget = NULL))) {
    expect_null(wrong_field(gpc(class ~ a + b, d, kernel = kernel_iso(prior = prior))))
    expect_null(wrong_field(gpc(class ~ 1, d, kernel = kernel_ard(prior = prior))))
  }
  expect_null(wrong_field(toy_fit(data = d)))
  expect_null(wrong_field(toy_fit(data = d, na.action = na.exclude, subset = -1)))
  expect_null(wrong_field(
    suppressWarnings(toy_fit(control = ep_control(max_sweeps = 1, trace = FALSE)))
  ))
})

test_that("terms that a parser would group or order otherwise are those of a fit", {
  local_fewer_points()
  d <- toy()
  d$k <- 1
  for (formula in list(
    class ~ b:a + a, class ~ a:b + b + a, class ~ (a > 0) + b, class ~ k * a, class ~ k
  )) {
    fit <- suppressMessages(gpc(formula, d, epsilon = 0.1, kernel = kernel_iso()))
    expect_null(wrong_field(fit))
    expect_close(predict(fit, d, type = "prob"), predict(fit, type = "prob"), 1e-12)
    fit <- suppressMessages(bpm(formula, d, epsilon = 0.1, inference = "adf"))
    expect_null(wrong_field(fit))
  }
  # what poly() has learned of the rows is part of how they are encoded
  by_poly <- function(d) {
    fit <- bpm(class ~ (a > 0) + b + poly(a, 2), d, inference = "adf", scale = FALSE)
    encoding_digest(fit)
  }
  expect_identical(by_poly(d), by_poly(d))
  expect_false(by_poly(d) == by_poly(replace(d, "a", d$a + d$a^3 / 10)))
  fit <- update(gpc(class ~ (a > 0) + b, d, epsilon = 0.1), . ~ . - b)
  expect_identical(fit$blueprint$variables, "a")
  expect_s3_class(predict(fit, d["a"]), "factor")
})

test_that("a posterior that is narrow beyond what a double can hold is one", {
  d <- withr::with_seed(2, data.frame(a = rnorm(1500), b = rnorm(1500), c = rnorm(1500)))
  d$class <- d$a + d$b + d$c > 0
  fit <- suppressWarnings(bpm(class ~ ., d, df = 1e-3, nugget = 0, epsilon = 0.2))
  expect_identical(fit$ep$kappa, 0)
  expect_null(wrong_field(fit))
  fit$ep$kappa <- Inf # as where EP had no fixed point
  expect_null(wrong_field(fit))
})

test_that("a filtered fit may have no evidence", {
  fit <- bpm(class ~ a + b, toy(), df = 3, epsilon = 0.05)
  fit$ep$log_evidence <- NA_real_ # as where that of t-EP is not defined
  expect_null(wrong_field(absorb(fit, toy()[1:3, ])))
})

test_that("every method for a fit refuses one that was changed", {
  local_fewer_points()
  fit <- toy_fit()
  point <- bpm(class ~ a + b, toy(), epsilon = 0.1)
  fit$ep$sites <- NULL
  point$blueprint$levels <- "no"
  generics <- utils::read.table(text = sub("\\)$", "", sub(".*[(]", "", grep(
    "^S3method\\(.*,(sturdy_model|bpm)\\)$",
    readLines(system.file("NAMESPACE", package = "sturdy")), value = TRUE
  ))), sep = ",")
  # model.frame() and anova() refuse all fits; generics of other packages need not be there
  foreign <- grepl("::", generics[[1]]) & !grepl("^(generics|loo)::", generics[[1]])
  generics <- generics[!foreign & !grepl("model[.]frame|anova", generics[[1]]), ]
  expect_gt(nrow(generics), 25)
  for (k in seq_len(nrow(generics))) {
    generic <- match.fun(sub(".*::", "", generics[k, 1]))
    changed <- if (generics[k, 2] == "bpm") point else fit
    error <- tryCatch(generic(changed), error = identity)
    expect_s3_class(error, "sturdy_error_changed")
    expect_identical(error$field, if (generics[k, 2] == "bpm") "blueprint" else "ep")
  }
  exported <- mget(getNamespaceExports("sturdy"), asNamespace("sturdy"), mode = "function", ifnotfound = NA)
  verbs <- Filter(function(f) is.function(f) && "fit_of" %in% all.names(body(f)), exported)
  expect_gt(length(verbs), 12)
  for (verb in verbs) {
    error <- tryCatch(verb(fit), error = identity)
    expect_s3_class(error, "sturdy_error_changed")
    expect_identical(error$field, "ep")
  }
  expect_snapshot(said(predict(fit)))
})

test_that("a fit without its call, or with fields of a user's own, is one", {
  fit <- toy_fit()
  fit["call"] <- NULL
  fit$note <- "mine"
  expect_identical(predict(fit), predict(toy_fit()))
})

test_that("a field that is missing or wrong is named", {
  local_fewer_points()
  learned <- gpc(class ~ a + b, toy())
  filtered <- bpm(class ~ a + b, toy(), inference = "adf")
  changes <- list(
    spec = quote(fit$spec$df <- -1), spec = quote(fit$spec$control$tol <- "a"),
    spec = quote(fit$spec$kernel$nugget <- NULL), blueprint = quote(fit$blueprint <- 1),
    blueprint = quote(fit$blueprint$coding$a$scale <- 0), epsilon = quote(fit$epsilon <- 0.7),
    blueprint = quote(fit$blueprint$interface <- character()),
    blueprint = quote(fit$blueprint$variables <- quote(stop("run"))),
    kernel = quote(fit$kernel$lengthscale <- 1), kernel = quote(fit$kernel$bias <- NaN),
    kernel = quote(fit$kernel$type <- character()), kernel = quote(fit$kernel$shape <- as.raw(1)),
    kernel = quote(fit$kernel$linear <- c(0, 0)),
    data = quote(fit$data$X[2, 1] <- NA), data = quote(fit$data$y[1] <- 0),
    data = quote(fit$data$rows <- 1), data = quote(fit$data$na_action <- c(7, Inf)),
    data = quote(fit$data$na_action <- 41L), ep = quote(fit$ep$loo <- NULL),
    ep = quote(fit$ep$status <- "fine"), ep = quote(fit$ep$log_evidence <- "a"),
    ep = quote(fit$ep$log_evidence <- quote(stop("run"))), ep = quote(fit$ep$rival <- NaN),
    kernel = quote(fit$kernel$lengthscale <- as.raw(1:2)),
    learning = quote(fit$learning$method <- 1),
    call = quote(fit$call <- 1)
  )
  for (k in seq_along(changes)) {
    fit <- learned
    eval(changes[[k]])
    expect_identical(wrong_field(fit), names(changes)[k], info = deparse1(changes[[k]]))
  }
  of_filtered <- list(
    prior = quote(fit$prior$group <- 1:2), prior = quote(fit$prior$free_nugget <- logical()), ep = quote(fit$ep <- NULL),
    weights = quote(fit$weights$C <- 1),
    weights = quote(fit$weights$mean[1] <- Inf), weights = quote(fit$weights$C[] <- 0),
    data = quote(fit$filter$rows <- NULL),
    data = quote(fit$filter$errors <- 1e9), data = quote(fit$filter$errors <- -1),
    data = quote(fit$filter$log_evidence <- list(1, "a")), data = quote(fit$filter$log_scale <- NULL)
  )
  for (k in seq_along(of_filtered)) {
    fit <- filtered
    eval(of_filtered[[k]])
    expect_identical(wrong_field(fit), names(of_filtered)[k])
  }
})

test_that("a call in the place of a value is not run", {
  ran <- new.env()
  code <- bquote(assign("ran", TRUE, envir = .(ran)))
  changes <- expression(
    fit$spec$control$tol <- code, fit$spec$kernel$bias <- code, fit$spec$df <- code,
    fit$kernel$bias <- code
  )
  for (change in as.list(changes)) {
    fit <- toy_fit()
    eval(change)
    expect_error(predict(fit), class = "sturdy_error")
  }
  expect_error(update(toy_fit(), . ~ ., code), class = "sturdy_error_unknown_argument")
  expect_error(
    bpm_stream(class ~ a + b, toy(), none = code), class = "sturdy_error_unknown_argument"
  )
  expect_length(ls(ran), 0)
})

test_that("a fit without inputs that vary is taken for a fit", {
  X <- matrix(1, 6, 2)
  for (kernel in list(kernel_ard(1, fixed = TRUE), kernel_iso(1, fixed = TRUE))) {
    fit <- suppressMessages(gpc(X, rep(0:1, 3), kernel = kernel, epsilon = 0.1))
    expect_equal(fitted(fit), rep(0.5, 6), ignore_attr = TRUE, tolerance = 1e-6)
  }
})

test_that("nodes and reports that were changed are noticed, whatever passed before", {
  local_fewer_points()
  d <- toy()
  linear <- bpm(class ~ a + b, d, prior_scale = "learn", hyper = "integrate")
  average <- toy_fit(epsilon = "average", hyper = "integrate")
  changed <- function(fit, change) {
    predict(fit, d) # passes
    change <- substitute(change)
    fit <- eval(bquote({ .(change); fit }), list(fit = fit))
    expect_error(predict(fit, d), class = "sturdy_error_changed")
  }
  for (bad in list("a", -1, NaN, c(1, 2), NULL, as.raw(1), factor(1))) {
    changed(average, fit$nodes$hyper[[3]]["nugget"] <- list(bad))
  }
  changed(average, fit$nodes$tau <- NA_real_)
  changed(average, fit$nodes$truth$model <- mean)
  changed(average, fit$nodes$truth$loo <- factor("a"))
  changed(average, fit$nodes$truth$recorded <- NULL)
  changed(average, fit$nodes$truth$p[2] <- NaN)
  changed(average, fit$nodes$truth$weight <- c(0.5, 0.5))
  changed(average, fit$nodes$point <- numeric())
  changed(average, fit$nodes$b[2] <- NA)
  changed(average, fit$nodes$b <- -7)
  changed(average, fit$nodes$tau <- c(fit$nodes$tau, fit$nodes$tau))
  changed(average, fit$nodes$models$pareto_k <- list(mean))
  changed(average, fit$ep$residual <- list())
  changed(average, fit$nodes$few$weight <- numeric())
  changed(average, fit$nodes$table$model <- NULL)
  changed(average, fit$label_stage$nodes$points$one$U <- -7)
  changed(average, fit$data["reports"] <- list(NULL))
  ordered <- suppressMessages(gpc(cut(a, 3, ordered_result = TRUE) ~ b, d, epsilon = 0.1, kernel = held()))
  changed(ordered, fit$kernel["width"] <- NULL)
  changed(ordered, fit$kernel$width <- c(fit$kernel$width, 1))
  few <- toy_fit(inducing = 5)
  changed(few, fit$inducing["C"] <- NULL)
  changed(few, fit$inducing$C <- as.vector(fit$inducing$C))
  units <- toy_fit(units = paste(toy()$class, rep(1:10, 4)))
  changed(units, fit$data$units <- NA)
  changed(units, fit$data$units$of[1] <- NaN)
  changed(units, fit$data$units$rows <- fit$data$units$rows[-1])
  changed(units, fit$data$units$row_names <- NULL)
  changed(linear, fit$prior$free <- NaN)
  changed(linear, fit$prior$intercept <- logical())
  changed(linear, fit$ep$kappa <- NULL)
  changed(linear, fit$blueprint$coding$a$kind <- factor("a"))
  changed(linear, fit$nodes$hyper[[2]]$prior_scale <- 1)
  changed(linear, fit$nodes$hyper[[2]]$prior_scale <- as.raw(1:2))
  changed(average, fit$nodes$hyper[[2]] <- NULL)
  changed(average, fit$nodes$models$prior <- "a")
  changed(average, fit$nodes$models$prior <- -fit$nodes$models$prior)
  changed(average, fit$nodes$models$method <- factor("a"))
  changed(average, fit$nodes$omega[[2]] <- 0 * fit$nodes$omega[[2]])
  changed(average, fit$nodes$omega[[2]] <- -fit$nodes$omega[[2]])
  changed(average, dim(fit$nodes$omega[[2]]) <- NULL)
  changed(average, fit$nodes$truth$y <- globalenv())
  changed(average, fit$data$reports$row <- as.character(fit$data$reports$row))
  changed(average, fit$data$reports$value[2] <- 3L)
  changed(average, fit$data$reports$source <- fit$data$reports$source[-1])
  changed(average, fit$data$reports$n <- 41L)
  # and those of its label stage
  changed(average, fit$label_stage$data$rows <- rev(fit$label_stage$data$rows))
  changed(average, fit$label_stage <- unclass(fit$label_stage))
  changed(average, fit$label_stage$recalibration$kind <- "a")
  changed(average, fit$label_stage$nodes$unusual[2] <- -1)
  changed(average, fit$label_stage$nodes$points$two$U[1] <- NaN)
  changed(average, fit$label_stage$nodes$points$none <- NULL)
  changed(average, fit$label_stage$nodes$points$one["v"] <- NULL)
  changed(average, fit$label_stage$nodes$few <- NULL)
  changed(average, fit$label_stage$nodes$omega[[3]] <- -fit$label_stage$nodes$omega[[3]])
  changed(average, names(fit$label_stage$nodes$wrong)[1] <- "a")
  for (bad in list(factor("a"), numeric(), -1, NaN)) changed(average, fit$label_stage$nodes$wrong[[1]] <- bad)
})
