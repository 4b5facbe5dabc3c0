# Several classes: the stored cases, and a plain quadrature of their likelihood.

# Eight fixed points: see fixtures/README.md
classes_cases <- function() {
  cases <- jsonlite::fromJSON(
    testthat::test_path("fixtures", "classes-cases.json"),
    simplifyVector = TRUE, simplifyDataFrame = FALSE, simplifyMatrix = TRUE
  )
  lapply(cases, function(case) {
    case$X <- as.matrix(case$X)
    case$X_new <- as.matrix(case$X_new)
    storage.mode(case$Omega) <- "double"
    case$columns <- list(group = seq_len(ncol(case$X)), weight = rep(1, ncol(case$X)))
    case$hyper <- list(
      lengthscale = 1 / sqrt(2 * case$l), variance = case$theta0, bias = case$theta2,
      nugget = case$theta3
    )
    case
  })
}

classes_fit_case <- function(case, ..., tol = 1e-12) {
  native_classes_fit(
    case$X, NULL, case$columns, case$hyper, likely(case$y, case$Omega), NULL,
    ep_control(tol = tol, max_sweeps = 300), ...
  )
}

# P(f_c is the largest) of independent normals, by stats::integrate() in the units of f_c
ref_argmax <- function(c, mean, sd) {
  density <- function(u) {
    f <- mean[c] + sd[c] * u
    log_p <- stats::dnorm(u, log = TRUE)
    for (k in seq_along(mean)[-c]) {
      log_p <- log_p + stats::pnorm((f - mean[k]) / sd[k], log.p = TRUE)
    }
    exp(log_p)
  }
  # in pieces, so that a narrow part is not missed
  grid <- seq(-10, 10, 0.5)
  sum(vapply(seq_along(grid)[-1], function(j) {
    stats::integrate(
      density, grid[j - 1], grid[j], rel.tol = 1e-12, abs.tol = 1e-15, subdivisions = 1000
    )$value
  }, numeric(1)))
}
