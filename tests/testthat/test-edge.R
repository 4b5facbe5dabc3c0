# Data and settings at the edge: they work, or end with a status and a sentence;
# never NaN, never a crash.

# Fits, checks all numbers it can answer with, and returns the fit.
expect_sound <- function(fit_call, converged = TRUE, new = NULL) {
  label <- rlang::as_label(rlang::enquo(fit_call))
  suppressWarnings(classes = "sturdy_warning", {
    fit <- suppressMessages(fit_call)
    check_sound(fit, converged, new, label)
  })
  invisible(fit)
}

check_sound <- function(fit, converged, new, label) {
  expect_true(
    fit$ep$status %in%
      c("converged", "no_fixed_point", "stalled", "max_sweeps", "sites_skipped"),
    label = label
  )
  if (converged) expect_identical(fit$ep$status, "converged", label = label)
  expect_true(nzchar(fit$ep$message))
  fields <- c("m", "C_diag", "log_det", "kappa", "residual", "sites", "b")
  numbers <- unlist(fit$ep[fields])
  expect_true(all(is.finite(numbers)) || !converged, label = label)
  expect_false(any(is.nan(unlist(fit$ep[vapply(fit$ep, is.numeric, NA)]))), label = label)
  prob <- predict(fit, new, type = "prob")
  expect_true(all(prob >= 0 & prob <= 1), label = label)
  expect_close(rowSums(prob), rep(1, nrow(prob)), 1e-12)
  latent <- predict(fit, new, type = "latent")
  expect_true(all(is.finite(latent$location) & latent$scale > 0), label = label)
  expect_false(anyNA(predict(fit, new)), label = label)
  expect_true(is.finite(loo_sum(fit)) || !converged, label = label)
  found <- suppressMessages(mislabelled(fit))
  expect_false(anyNA(found$probability) && converged)
  expect_false(anyNA(found$unusual))
  output <- utils::capture.output(print(fit), print(summary(fit)))
  expect_false(any(grepl("NaN", output)), label = label)
  if (converged) {
    expect_false(any(is.nan(criterion(fit, "loo")$gradient)), label = label)
  }
}

plane <- function(n = 30, seed = 41) {
  withr::with_seed(seed, {
    d <- data.frame(a = rnorm(n), b = rnorm(n))
    d$y <- factor(ifelse(d$a + d$b > 0, "yes", "no"), levels = c("no", "yes"))
    d
  })
}
held <- kernel_ard(1, fixed = TRUE)
models <- list(
  gpc = function(...) gpc(...),
  stc = function(...) stc(...),
  stc3 = function(...) stc(..., df = 3)
)

test_that("duplicated rows, agreeing and not", {
  d <- plane(10)
  d <- d[rep(1:10, each = 3), ]
  for (model in models) expect_sound(model(y ~ ., d, kernel = held, epsilon = 0.05))
  d$y[c(1, 5)] <- rev(levels(d$y))[as.integer(d$y[c(1, 5)])]
  for (model in models) expect_sound(model(y ~ ., d, kernel = held, epsilon = 0.05))
  # exact duplicates without a nugget: K is singular
  flat <- kernel_ard(1, nugget = 0, fixed = TRUE)
  expect_sound(gpc(y ~ ., d, kernel = flat, epsilon = 0.05))
  expect_sound(gpc(y ~ ., d, kernel = flat, epsilon = 0), converged = FALSE)
  expect_sound(stc(y ~ ., d, kernel = flat, epsilon = 0), converged = FALSE)
})

test_that("constant columns are dropped and nothing is left", {
  local_fewer_points()
  d <- plane()
  d$k <- 7
  d$g <- factor("only")
  expect_message(
    gpc(y ~ ., d, kernel = held, epsilon = 0.05),
    class = "sturdy_message_constant_columns"
  )
  for (model in models) {
    expect_sound(model(y ~ ., d, kernel = held, epsilon = 0.05), new = d[1:3, ])
    # bias alone: every row gets one probability
    fit <- expect_sound(model(y ~ k + g, d, kernel = held, epsilon = 0.05))
    expect_lt(diff(range(fitted(fit))), 1e-10)
  }
  expect_sound(gpc(y ~ k, d)) # and learning it
})

test_that("one, two and three rows", {
  local_fewer_points()
  x <- matrix(c(-1, 2, 0.5))
  one <- factor("a", levels = c("a", "b"))
  expect_identical(ep_fit(matrix(1), 1)$status, "converged")
  for (model in models[c("gpc", "stc3")]) {
    expect_sound(model(x[1, , drop = FALSE], one, kernel = held, epsilon = 0.05))
    expect_sound(model(x[1, , drop = FALSE], one), converged = FALSE)
    expect_sound(model(x[1:2, , drop = FALSE], c(0, 1), kernel = held, epsilon = 0.05))
    expect_sound(model(x[1:2, , drop = FALSE], c(0, 1)), converged = FALSE)
    expect_sound(model(x, c(0, 1, 1)), converged = FALSE)
  }
})

test_that("separable data", {
  local_fewer_points()
  d <- data.frame(a = c(-5:-1, 1:5) / 2, y = rep(0:1, each = 5))
  for (model in models) {
    expect_sound(model(y ~ a, d, epsilon = 0.05), new = data.frame(a = c(-1e6, 0, 1e6)))
  }
  expect_sound(gpc(y ~ a, d, epsilon = 0))
  expect_sound(gpc(y ~ a, d))
})

test_that("every label contradicted by its twin", {
  local_fewer_points()
  x <- matrix(rep(seq(-2, 2, length.out = 12), each = 2))
  y <- rep(0:1, 12)
  for (model in models) for (epsilon in c(0.01, 0.1, 0.49)) {
    fit <- expect_sound(model(x, y, kernel = held, epsilon = epsilon))
    expect_close(fitted(fit), rep(0.5, 24), 1e-6)
  }
  expect_sound(gpc(x, y, kernel = held, epsilon = 0))
  flat <- kernel_ard(1, nugget = 0, fixed = TRUE)
  expect_sound(gpc(x, y, kernel = flat, epsilon = 0), converged = FALSE)
  expect_sound(gpc(x, y))
})

test_that("epsilon = 0.49 and df = 0.5", {
  local_fewer_points()
  d <- plane()
  for (model in models) expect_sound(model(y ~ ., d, epsilon = 0.49))
  expect_sound(stc(y ~ ., d, df = 0.5, kernel = held, epsilon = 0.2), converged = FALSE)
  expect_sound(stc(y ~ ., d, df = 0.5), converged = FALSE)
  expect_sound(stc(y ~ ., d, df = 1e-3, kernel = held, epsilon = 0.2), converged = FALSE)
  expect_sound(stc(y ~ ., d, df = 1e12, kernel = held, epsilon = 0.2))
})

test_that("nugget = 0, bias = 0, and what is left of the kernel", {
  local_fewer_points()
  d <- plane()
  for (model in models) {
    for (epsilon in c(0.02, 0.2)) {
      kernel <- kernel_ard(1, nugget = 0, fixed = TRUE)
      expect_sound(model(y ~ ., d, kernel = kernel, epsilon = epsilon), converged = FALSE)
    }
    kernel <- kernel_ard(1, nugget = 0, bias = 0, fixed = TRUE)
    expect_sound(model(y ~ ., d, kernel = kernel, epsilon = 0.2))
  }
  fit <- expect_sound(gpc(y ~ ., d, kernel = kernel_ard(nugget = 0)))
  expect_identical(coef(fit)[["nugget"]], 0)
})

test_that("no input columns", {
  local_fewer_points()
  d <- plane()
  for (model in models) {
    fit <- expect_sound(model(y ~ 1, d, epsilon = 0.05), new = d[1:2, ])
    expect_lt(diff(range(fitted(fit))), 1e-12)
    expect_named(coef(fit), c("variance", "bias", "nugget", "epsilon"))
  }
  expect_sound(gpc(matrix(0, 20, 0), rep(0:1, 10)))
  # a weight alone, at every node
  fit <- expect_sound(bpm(y ~ 1, d[d$y == d$y[1] | 1:2 == 1, ], hyper = "integrate"))
  used <- used_nodes(fit)
  first <- first_stage(fit)
  p <- vapply(used$node, function(k) fitted(latent_at(first, k))[[1]], numeric(1))
  expect_equal(fitted(first)[[1]], sum(used$weight * p), tolerance = 1e-12)
})

test_that("an average at a rate of 0 says 0", {
  d <- plane()
  d$g <- rep(1:2, length.out = nrow(d))
  fit <- gpc(y ~ a, d, rates = ~g, epsilon = 0, hyper = "integrate")
  expect_identical(flip_rates(fit)$rate, numeric(4))
  expect_match(printed(summary(fit)), "mean rate 0 ")
})

test_that("more columns than rows", {
  local_fewer_points()
  withr::local_seed(42)
  X <- matrix(rnorm(20 * 200), 20)
  y <- as.integer(X[, 1] > 0)
  expect_sound(gpc(X, y, epsilon = 0.05))
  expect_sound(stc(X, y, kernel = kernel_iso()))
})

test_that("inputs of any scale and offset", {
  local_fewer_points()
  d <- plane()
  base <- fitted(gpc(y ~ ., d, kernel = held, epsilon = 0.05))
  for (by in c(1e-150, 1e-9, 1e9, 1e150)) {
    at <- transform(d, a = a * by)
    fit <- expect_sound(gpc(y ~ ., at, kernel = held, epsilon = 0.05))
    expect_close(fitted(fit), base, 1e-6)
    expect_sound(gpc(y ~ ., at, scale = FALSE, epsilon = 0.05))
  }
  at <- transform(d, a = a + 1e6)
  expect_close(fitted(gpc(y ~ ., at, kernel = held, epsilon = 0.05)), base, 1e-6)
  for (lengthscale in c(1e-200, 1e-8, 1e8, 1e200)) {
    kernel <- kernel_ard(lengthscale, fixed = TRUE)
    expect_sound(gpc(y ~ ., d, kernel = kernel, epsilon = 0.05))
  }
  for (size in c(1e-150, 1e-6, 1e6, 1e150)) {
    kernel <- kernel_ard(1, size, size / 10, size / 10, fixed = TRUE)
    fit <- expect_sound(gpc(y ~ ., d, kernel = kernel, epsilon = 0.05))
    expect_close(fitted(fit), base, 1e-6)
  }
})

test_that("a factor of forty levels, some seen once", {
  withr::local_seed(43)
  d <- data.frame(g = factor(c(1:40, sample(40, 40, replace = TRUE))), a = rnorm(80))
  d$y <- as.integer(d$g) %% 2 == 0
  for (model in models) {
    fit <- expect_sound(model(y ~ ., d, kernel = held, epsilon = 0.05), new = d[5:1, ])
    expect_gt(mean(predict(fit) == d$y), 0.9)
  }
  expect_named(
    coef(gpc(y ~ ., d)),
    c(
      "lengthscale.g", "lengthscale.a", "variance", "bias", "nugget", "linear", "epsilon.neg",
      "epsilon.pos"
    )
  )
})

test_that("a saved fit predicts the same in a new process", {
  skip_if(length(find.package("sturdy", .libPaths(), quiet = TRUE)) == 0, "not installed")
  withr::local_seed(44)
  d <- plane()
  d$g <- factor(sample(c("u", "v"), 30, replace = TRUE))
  new <- d[c(3, 1, 8), c("g", "b", "a")]
  path <- withr::local_tempfile(fileext = ".rds")
  out <- withr::local_tempfile(fileext = ".rds")
  code <- withr::local_tempfile(fileext = ".R")
  fits <- suppressWarnings(list(
    gpc(y ~ ., d), stc(d[c("a", "b", "g")], d$y), stc(as.matrix(d[1:2]), d$y, df = 5)
  ))
  saveRDS(list(fits = fits, new = new), path)
  answers <- function(fits, new) {
    lapply(fits, function(fit) {
      if (ncol(fit$data$X) == 2) new <- as.matrix(new[c("a", "b")])
      list(
        predict(fit, new), predict(fit, new, type = "prob", noise = TRUE),
        predict(fit, new, type = "latent"), coef(fit), loo(fit)$pointwise,
        log_evidence(fit)
      )
    })
  }
  dump <- c(
    paste(".libPaths(", paste(deparse(.libPaths()), collapse = ""), ")"),
    "library(sturdy)",
    paste("answers <-", paste(deparse(answers), collapse = "\n")),
    paste("s <- readRDS(", deparse(path), ")"),
    paste("saveRDS(answers(s$fits, s$new),", deparse(out), ")")
  )
  writeLines(dump, code)
  status <- system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(code)),
    stdout = TRUE, stderr = TRUE
  )
  expect_null(attr(status, "status"), label = paste(status, collapse = "\n"))
  expect_identical(readRDS(out), answers(fits, new))
})

extended_test("an interrupt stops EP within a sweep and leaves R usable", {
  skip_on_os("windows")
  skip_if(length(find.package("sturdy", .libPaths(), quiet = TRUE)) == 0, "not installed")
  log <- withr::local_tempfile()
  code <- withr::local_tempfile(fileext = ".R", lines = c(
    paste(".libPaths(", paste(deparse(.libPaths()), collapse = ""), ")"),
    "library(sturdy)",
    "set.seed(1)",
    "n <- 2500",
    "X <- matrix(rnorm(3 * n), n)",
    "K <- exp(-as.matrix(dist(X))^2 / 2) + diag(0.1, n)",
    "y <- ifelse(X[, 1] + sin(3 * X[, 2]) + rnorm(n) > 0, 1, -1)",
    "say <- function(...) cat(..., '\\n', file = LOG, append = TRUE)",
    "now <- function() format(as.numeric(Sys.time()), digits = 15)",
    "control <- ep_control(tol = 1e-13, max_sweeps = 1000)",
    "tick <- function(sweep, residual) {",
    "  say('sweep', now())",
    "}",
    "L <- cbind(ifelse(y > 0, 0.02, 0.98), ifelse(y > 0, 0.98, 0.02))",
    "say('pid', Sys.getpid())",
    "end <- tryCatch(",
    "  { repeat sturdy:::native_ep_fit(K, L, 10, NULL, control, tick) },",
    "  interrupt = function(cnd) 'interrupted'",
    ")",
    "say(end, now())",
    "say(ep_fit(diag(3), c(1, 1, -1))$status, now())"
  ))
  writeLines(sub("LOG", deparse(log), readLines(code), fixed = TRUE), code)
  system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(code)),
    stdout = FALSE, stderr = FALSE, wait = FALSE
  )
  seen <- function(what) {
    lines <- if (file.exists(log)) readLines(log) else character()
    sub("^\\S+ ", "", trimws(lines[startsWith(lines, what)]))
  }
  wait_for <- function(what, count, seconds) {
    until <- Sys.time() + seconds
    while (length(seen(what)) < count && Sys.time() < until) Sys.sleep(0.05)
    length(seen(what)) >= count
  }
  expect_true(wait_for("sweep", 6, 120))
  sent <- as.numeric(Sys.time())
  tools::pskill(as.integer(seen("pid")), tools::SIGINT)
  expect_true(wait_for("converged", 1, 120))
  longest <- max(diff(as.numeric(seen("sweep"))))
  expect_lt(as.numeric(seen("interrupted")) - sent, longest + 1)
})
