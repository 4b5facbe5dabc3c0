# Fits in one call are those of single calls, to the last bit, whatever works on them.

fits_problem <- function(n = 70, K = 5) {
  withr::local_seed(17)
  X <- matrix(stats::rnorm(3 * n), n)
  y <- ifelse(X[, 1] + 0.5 * sin(3 * X[, 2]) + 0.3 * stats::rnorm(n) > 0, 1, -1)
  list(
    X = X, Z = X[1:9, ], columns = list(group = c(1L, 1L, 2L), weight = c(1, 1, 0.5)),
    hyper = lapply(seq_len(K), function(k) {
      list(lengthscale = c(1, 2) + k / 3, variance = 2 + k, bias = 1, nugget = 0.1 * k)
    }),
    L = lapply(seq_len(K), function(k) likely(y, 0.03 * k)),
    sites = c(list(NULL), lapply(seq_len(K - 1), function(k) list(tau = rep(0.1, n), nu = y / k)))
  )
}

same_fits <- function(threads, df, control = ep_control(), Z = NULL, variant = widest_variant()) {
  p <- fits_problem()
  criterion <- c("evidence", "loo", "none", "evidence", "evidence_zp")
  if (isTRUE(control$lean)) criterion[] <- "evidence"
  gradient <- criterion != "none"
  one <- Map(function(hyper, L, sites, criterion, gradient) {
    f <- if (is.null(Z)) native_gp_fit else function(X, ...) native_inducing_fit(X, Z, ...)
    with_variant(variant, {
      f(p$X, p$columns, hyper, L, df, sites, control, criterion, gradient)
    })
  }, p$hyper, p$L, p$sites, criterion, gradient)
  many <- with_variant(variant, {
    native_gp_fits(p$X, Z, p$columns, p$hyper, Map(function(L, sites, criterion, gradient) {
      native_run(L, df, sites, control, criterion, gradient)
    }, p$L, p$sites, criterion, gradient))
  }, threads)
  expect_identical(many, one)
  expect_true(all(vapply(many, function(fit) fit$status, 0L) == 0L))
}

test_that("fits in one call are those of single calls to the last bit", {
  for (threads in c(1, 2)) {
    for (df in c(6, Inf)) same_fits(threads, df)
    same_fits(threads, Inf, Z = fits_problem()$Z)
    same_fits(threads, Inf, c(unclass(ep_control()), parallel = TRUE, lean = TRUE), fits_problem()$Z)
    same_fits(threads, Inf, variant = 0)
  }
})

test_that("a fit that fails leaves the others as they are, and no fit is none", {
  p <- fits_problem()
  p$hyper[[2]]$variance <- NaN
  runs <- lapply(p$L, native_run, df = Inf, sites = NULL, control = ep_control())
  out <- with_variant(widest_variant(), {
    native_gp_fits(p$X, NULL, p$columns, p$hyper, runs)
  }, 2)
  expect_identical(vapply(out, function(fit) fit$status < 0, NA), c(FALSE, TRUE, FALSE, FALSE, FALSE))
  expect_null(out[[2]]$m)
  expect_identical(native_gp_fits(p$X, NULL, p$columns, list(), list()), list())
})

test_that("the memory of fits is one fit's at a time, also after an error in the midst of one", {
  p <- fits_problem()
  fit <- function(k, progress = NULL) {
    native_gp_fit(
      p$X, p$columns, p$hyper[[k]], p$L[[k]], Inf, NULL, ep_control(), "evidence", TRUE, progress
    )
  }
  within <- NULL
  outer <- fit(1, function(...) if (is.null(within)) within <<- fit(2))
  expect_identical(outer, fit(1))
  expect_identical(within, fit(2))
  expect_error(fit(1, function(...) stop("enough")), "enough")
  expect_identical(fit(1), outer)
})
