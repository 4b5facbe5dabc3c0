# Many random problems: no NaN anywhere, and every fit either reaches a fixed
# point, checked in plain R, or says that it did not.

# n points in one to six dimensions, labels by a bent surface, up to 30 % of them
# flipped; epsilon 0 or up to 0.3; kernels from smooth to wiggly, nuggets from
# 0.001 to 1.
random_case <- function() {
  n <- sample(5:80, 1)
  d <- sample(6, 1)
  X <- matrix(rnorm(n * d), n)
  y <- ifelse(drop(X %*% rnorm(d)) + sin(3 * X[, 1]) + rnorm(n) / 10 > 0, 1, -1)
  wrong <- runif(n) < runif(1, 0, 0.3)
  y[wrong] <- -y[wrong]
  list(
    K = ref_kernel(
      X, NULL, exp(rnorm(1, log(d) / 2, 0.7)), 1, exp(runif(1, log(1e-3), 1)),
      exp(runif(1, log(1e-3), 0))
    ),
    y = y, df = sample(c(1, 3, 10, Inf), 1),
    epsilon = sample(c(0, runif(1, 0, 0.3)), 1)
  )
}

statuses <- c("converged", "max_sweeps", "stalled", "sites_skipped", "no_fixed_point")

test_that("random problems converge or say that they do not, without NaN", {
  withr::local_seed(11)
  count <- if (extended()) 1000 else 100
  seen <- lapply(seq_len(count), function(i) {
    case <- random_case()
    warned <- FALSE
    fit <- withCallingHandlers(
      ep_fit(case$K, case$y, case$df, case$epsilon),
      sturdy_warning_not_converged = function(cnd) {
        warned <<- TRUE
        invokeRestart("muffleWarning")
      },
      sturdy_warning_fixed_points = function(cnd) {
        invokeRestart("muffleWarning")
      }
    )
    converged <- fit$status == "converged"
    values <- unlist(fit[setdiff(names(fit), c("status", "message", "trace", "df"))])
    evidence <- unlist(fit[c("log_evidence", "log_evidence_zp")])
    worst <- if (converged) {
      max(ref_residual(list(
        y = case$y, df = case$df, epsilon = case$epsilon, d = length(case$y),
        tau = fit$sites$tau, nu = fit$sites$nu, m = fit$m, C_diag = fit$C_diag
      )))
    }
    data.frame(
      df = case$df, status = fit$status,
      said = nzchar(fit$message) && warned == !converged,
      nan = any(is.nan(values)), not_finite = converged && any(!is.finite(values)),
      no_evidence = anyNA(evidence), worst = if (converged) worst else NA
    )
  })
  seen <- do.call(rbind, seen)
  left <- tapply(seen$status != "converged", seen$df, mean)
  cat(
    "\nNot converged, of", count, "random problems:",
    paste0("df = ", names(left), ": ", round(100 * left, 1), " %", collapse = ", "), "\n"
  )
  expect_true(all(seen$status %in% statuses))
  expect_true(all(seen$said))
  expect_false(any(seen$nan))
  expect_false(any(seen$not_finite & !seen$no_evidence))
  # sites of a plain-R fixed point; the residual is what both sides round to
  expect_lt(max(seen$worst, na.rm = TRUE), 1e-8)
  # 0 and 0 of 500 in the extended run; below about df = 5 there may be none
  expect_lt(left[["Inf"]], 0.02)
  expect_lt(left[["10"]], 0.05)
})
