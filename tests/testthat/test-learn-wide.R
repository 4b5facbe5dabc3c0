# Very many columns: the default kernel, and a lengthscale for each where it is asked for.

wide_table <- function(n, columns, matter = 1:2) {
  set.seed(1)
  x <- matrix(rnorm(n * columns), n)
  list(x = x, y = factor(rowSums(x[, matter]) > 0))
}

test_that("the default is one lengthscale for all of very many columns, and says so", {
  many <- wide_table(20, 401)
  expect_message(
    fit <- gpc(many$x, many$y), class = "sturdy_message_many_columns"
  )
  expect_s3_class(fit$kernel, "kernel_iso")
  expect_length(fit$kernel$lengthscale, 1)
  asked <- gpc(many$x, many$y, kernel = kernel_iso())
  expect_equal(predict(fit, many$x, type = "prob"), predict(asked, many$x, type = "prob"))
  expect_message(stc(
    many$x, many$y, hyper = "optimum", epsilon = 0.1
  ), class = "sturdy_message_many_columns")
})

test_that("with fewer columns it is one for each, also where there were more", {
  few <- wide_table(20, 3)
  fit <- expect_no_message(gpc(few$x, few$y), class = "sturdy_message_many_columns")
  expect_s3_class(fit$kernel, "kernel_ard")
  expect_no_match(format(fit$spec), "kernel")
  of <- function(kernel, columns) kernel_for(kernel, few$x, list(columns = seq_len(columns)))
  expect_s3_class(expect_no_message(of(fit$spec$kernel, 400)), "kernel_ard")
  many <- suppressMessages(of(fit$spec$kernel, 401))
  expect_s3_class(many, "kernel_iso")
  expect_identical(of(check_kernel(many), 3), usual_kernel())
  # one that was asked for stays
  expect_identical(expect_no_message(of(kernel_ard(), 401)), kernel_ard())
})

test_that("it is one lengthscale for rows of unit length, too, and says so", {
  table <- wide_table(30, 20)
  unit <- table$x / sqrt(rowSums(table$x^2))
  expect_message(
    fit <- gpc(unit, table$y, epsilon = 0.1, hyper = "optimum"), "unit length",
    class = "sturdy_message_many_columns"
  )
  expect_s3_class(fit$kernel, "kernel_iso")
  other <- function(x, ...) {
    expect_no_message(gpc(x, table$y, epsilon = 0.1, hyper = "optimum", ...),
      class = "sturdy_message_many_columns")$kernel
  }
  expect_s3_class(other(table$x), "kernel_ard")
  expect_s3_class(other(unit, kernel = kernel_ard()), "kernel_ard")
  few <- unit[, 1:19] / sqrt(rowSums(unit[, 1:19]^2))
  expect_s3_class(other(few), "kernel_ard")
  # beside a factor whose columns are called as others, with a constant, a row of zeros, unscaled
  mixed <- data.frame(unit, X = factor(rep(1:2, 15)), same = 0.1)
  mixed[3, 1:20] <- 0
  mixed[, 1:20] <- mixed[, 1:20] * sqrt(0.99)
  expect_message(
    suppressMessages(
      gpc(mixed, table$y, epsilon = 0.1, hyper = "optimum", scale = FALSE),
      classes = "sturdy_message_constant_columns"
    ), "unit length"
  )
  # indicators are of one length, too
  places <- diag(21)[rep_len(1:21, 30), ]
  expect_s3_class(other(places[, 1:20] + 0), "kernel_ard")
})

test_that("a selection does not list it twice", {
  table <- wide_table(30, 20)
  unit <- table$x / sqrt(rowSums(table$x^2))
  held <- function(selection) selection$table$candidate
  expect_false("gpc_iso" %in% held(suppressMessages(select_model(unit, table$y))))
  expect_true("gpc_iso" %in% held(select_model(table$x[, 1:2], table$y)))
})

test_that("asked for, lengthscales of very many columns are found in few steps, with a warning", {
  table <- wide_table(100, 401)
  expect_warning(
    fit <- gpc(table$x, table$y, kernel = kernel_ard(), hyper = "optimum"),
    class = "sturdy_warning_many_columns"
  )
  found <- unname(fit$kernel$lengthscale)
  expect_length(found, 401)
  expect_setequal(order(found)[1:2], 1:2)
  # what they were before is worse, beside the prior: their value, or their common factor alone
  centre <- median_heuristic(fit$data$X, blueprint_columns(fit$blueprint), 401)
  expect_gt(sd(log(found / centre)), 0.01)
  spent <- fit$kernel$prior$lengthscale$spent
  local_mocked(wide_lengthscales = function(latent, spec) latent$hyper$lengthscale)
  alone <- suppressWarnings(gpc(table$x, table$y, kernel = kernel_ard(), hyper = "optimum"))
  expect_gt(log_evidence(fit) - spent, log_evidence(alone))
})

test_that("held ratios are one lengthscale of columns that are divided by them", {
  table <- wide_table(40, 3)
  table$y <- factor(table$x[, 1] + 2 * rnorm(40) > 0) # the inputs may say nothing
  ratio <- c(0.5, 2, 1.5)
  centre <- median_heuristic(table$x, list(group = 1:3, weight = rep(1, 3)), 3)
  local_mocked(
    wide_columns = 2L, wide_lengthscales = function(latent, spec) centre * ratio
  )
  prior <- weak_prior()
  expect_warning(
    fit <- gpc(table$x, table$y, kernel = kernel_ard(), scale = FALSE, hyper = "integrate"),
    class = "sturdy_warning_many_columns"
  )
  apart <- log(ratio) - mean(log(ratio))
  spent <- sum(apart^2) / (2 * prior$lengthscale$sdlog^2)
  expect_equal(fit$kernel$prior$lengthscale$spent, spent)
  sd <- sqrt(prior$lengthscale$sdlog^2 + prior$common^2)
  same <- gpc(
    table$x / rep(centre * exp(apart), each = 40), table$y, scale = FALSE, hyper = "integrate",
    kernel = kernel_iso(exp(mean(log(ratio))), prior = weak_prior(lengthscale = c(0, sd)))
  )
  # nodes of the kernel are the same, and their evidence is what the ratios cost below
  expect_equal(log_evidence(fit, "integrated"), log_evidence(same, "integrated") - spent, tolerance = 1e-6)
  expect_equal(node_weight(fit), node_weight(same), tolerance = 1e-5)
  expect_equal(
    unname(fit$kernel$lengthscale / (centre * exp(apart))), rep(same$kernel$lengthscale, 3),
    tolerance = 1e-6
  )
})

test_that("several classes have a common factor each", {
  set.seed(1)
  x <- matrix(rnorm(30 * 3), 30)
  y <- factor(max.col(x))
  local_mocked(wide_columns = 2L)
  fit <- suppressWarnings(gpc(x, y, kernel = kernel_ard(), hyper = "integrate"))
  check_model(fit)
  ratios <- matrix(unname(fit$kernel$lengthscale), 3)
  expect_equal(log(ratios) - rep(colMeans(log(ratios)), each = 3),
               matrix(log(ratios[, 1]) - mean(log(ratios[, 1])), 3, ncol(ratios)))
  own <- suppressWarnings(gpc(
    x, y, kernel = kernel_ard(), kernels = "per class", hyper = "optimum", epsilon = 0.1
  ))
  expect_length(own$kernel$lengthscale, 9)
})
