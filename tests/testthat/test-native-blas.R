# What does the dense algebra: that the choice changes no answer, and is made as the
# options say. The kernels themselves: tools/ctest/test-dense.c.

variants <- seq(0, widest_variant())

test_that("the reference cases hold with each variant", {
  # each with the widest, and some with each of the others
  for (k in variants) for (case in reference_cases()[if (k == max(variants)) TRUE else c(TRUE, FALSE, FALSE)]) {
    with_variant(k, {
      kernel <- kernel_ard(
        case$lengthscale, case$theta0, case$theta2, case$theta3,
        fixed = TRUE, prior = NULL
      )
      model <- if (is.finite(case$df)) function(...) stc(..., df = case$df) else gpc
      fit <- model(
        case$X, case$y, kernel = kernel, epsilon = case$epsilon, scale = FALSE,
        control = ep_control(tol = 1e-11)
      )
      expect_close(log_evidence(fit), case$log_evidence_Z1, 1e-9)
      expect_close(loo_sum(fit), case$loo, 1e-9)
      expect_close(predict(fit, case$X_new, type = "latent")$s2, case$latent_new_s2, 1e-9)
      keep <- if (is.na(case$d_loo[["epsilon"]])) -length(case$d_loo) else TRUE
      expect_close(
        criterion(fit, "loo")$gradient[keep], case$d_loo[keep], 1e-5, floor = 1
      )
    })
  }
})

# 110 rows: beyond a tile, a leaf and a slab; df = 3 and a small epsilon make some
# site precisions negative
sized_fit <- function(df) {
  set.seed(5)
  X <- matrix(rnorm(110 * 3), 110)
  y <- factor(ifelse(X[, 1] + rnorm(110) > 0, "b", "a"))
  kernel <- kernel_ard(c(1, 2, 3), 3, 0.5, 0.01, fixed = TRUE, prior = NULL)
  fit <- if (is.finite(df)) {
    stc(X, y, df = df, kernel = kernel, epsilon = 0.05, control = ep_control(tol = 1e-10))
  } else {
    gpc(X, y, kernel = kernel, epsilon = 0.05, control = ep_control(tol = 1e-10))
  }
  list(
    evidence = log_evidence(fit), loo = loo_sum(fit), tau = fit$ep$sites$tau,
    prob = predict(fit, X + 0.1, type = "prob")[, 2],
    gradient = criterion(fit)$gradient, loo_gradient = criterion(fit, "loo")$gradient
  )
}

test_that("own kernels and R's BLAS agree to rounding", {
  for (df in c(3, Inf)) {
    want <- with_variant(0, sized_fit(df))
    if (is.finite(df)) expect_lt(min(want$tau), 0)
    for (k in if (is.finite(df)) variants[-1] else max(variants)) {
      got <- with_variant(k, sized_fit(df))
      for (name in names(want)) expect_close(got[[name]], want[[name]], 1e-7, floor = 1)
    }
  }
})

test_that("threads and repetition change no bit", {
  skip_on_cran()
  set.seed(8)
  X <- matrix(rnorm(1100 * 4), 1100)
  B <- matrix(rnorm(1100 * 300), 1100)
  run <- function(threads) {
    with_variant(widest_variant(), {
      gram <- native_gram(
        X, NULL, list(group = 1:4, weight = rep(1, 4)),
        list(lengthscale = rep(2, 4), variance = 1, bias = 0.1, nugget = 0.1)
      )
      L <- native_cholesky(gram)
      list(gram, L, native_solve(L, B), native_product(gram, B))
    }, threads)
  }
  one <- run(1L)
  expect_identical(run(1L), one)
  expect_identical(run(2L), one)
})

# In a process of its own, which is given 60 seconds: what is tested may hang.
forked <- function(...) {
  library <- dirname(system.file(package = "sturdy"))
  code <- c(
    sprintf("library(sturdy, lib.loc = %s)", deparse1(library)),
    "options(sturdy.blas = 'own', sturdy.threads = 2)",
    "A <- diag(1200) + 1", # large enough for threads, and whole numbers
    "run <- function(...) sum(sturdy:::native_product(A, A, FALSE)[1200, 1:3])",
    "one <- run()", ...,
    "cat(identical(parallel::mclapply(1:2, run, mc.cores = 2), list(one, one)))"
  )
  script <- withr::local_tempfile(lines = code, fileext = ".R")
  out <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c("--no-init-file", script),
    stdout = TRUE, stderr = FALSE, timeout = 60
  ))
  identical(utils::tail(out, 1), "TRUE")
}

test_that("forked processes of a threaded one work on", {
  skip_on_cran()
  skip_on_os("windows")
  expect_true(forked())
  expect_true(forked("options(sturdy.blas = 'r')"))
  expect_true(forked(
    "inner <- run", "run <- function(...) { options(sturdy.threads = 3); inner() }"
  ))
})

test_that("an interrupted trial leaves nothing chosen", {
  withr::defer(blas_state$asked <- NULL)
  withr::local_options(sturdy.blas = "r", sturdy.threads = 1)
  use_blas()
  withr::local_options(sturdy.threads = NULL)
  threads <- blas_state$threads
  blas_state$threads <- quote(stop()) # any value that the engine can't be given
  withr::defer(blas_state$threads <- threads)
  expect_error(use_blas())
  expect_null(blas_state$asked)
})

test_that("options choose", {
  withr::defer(blas_state$asked <- NULL)
  withr::local_options(sturdy.blas = "r", sturdy.threads = 1)
  expect_identical(blas_in_use(), list(sturdy.blas = "r", sturdy.threads = 1L))
  expect_identical(chosen_variant("r"), 0L)
  expect_identical(chosen_variant("own"), length(variant_names()))
  withr::local_options(sturdy.blas = NULL, sturdy.threads = NULL)
  default <- blas_in_use()
  expect_identical(default$sturdy.blas, "own")
  expect_true(default$sturdy.threads %in% 1:2)
  for (variant in seq_along(variant_names())) {
    speeds <- variant_speed(variant, 1L, 100)
    expect_named(speeds, c("update", "factor", "solve", "product"))
    expect_true(all(speeds > 0))
  }
  withr::local_envvar("_R_CHECK_LIMIT_CORES_" = "true")
  expect_identical(chosen_threads(5), 2L)
})

test_that("an option of another value is an error that names it", {
  withr::defer(blas_state$asked <- NULL)
  fit <- function() native_cholesky(diag(2))
  for (wrong in list("openblas", 1, NA, c("own", "r"))) {
    withr::local_options(sturdy.blas = wrong)
    expect_error(fit(), class = "sturdy_error_option")
  }
  expect_snapshot(said(fit()))
  withr::local_options(sturdy.blas = NULL)
  for (wrong in list(0, "two", NA, 1:2, 1.5, Inf)) {
    withr::local_options(sturdy.threads = wrong)
    expect_error(fit(), class = "sturdy_error_option")
  }
  expect_snapshot(said(fit()))
})

test_that("threads that have to wait for a busy machine give way to one, for a minute", {
  withr::local_options(sturdy.threads = NULL)
  use_blas()
  withr::defer({
    blas_state$again <- blas_state$threads <- blas_state$asked <- NULL
    use_blas()
  })
  spent <- function(user, elapsed) {
    stats::setNames(c(user, 0, elapsed), c("user.self", "sys.self", "elapsed"))
  }
  blas_state$threads <- 2L
  watch_threads(spent(0.1, 0.15)) # too short to tell
  watch_threads(spent(1.9, 1))    # two threads at work
  expect_identical(blas_state$threads, 2L)
  watch_threads(spent(0.3, 1))
  expect_identical(blas_state$threads, 1L)
  use_blas()
  expect_identical(blas_state$threads, 1L)
  # the minute is over: a new trial
  blas_state$again <- seconds_now() - 1
  use_blas()
  expect_null(blas_state$again)
  expect_true(blas_state$threads %in% 1:2)
})
