# Tilted moments and EP where thresholds part classes in an order, against quadrature, the step of
# two classes, exact integrals and differences.

widths <- c(0.7, 1.2)
levels_of <- rbind(c(0.9, 0.06, 0.03, 0.01), c(0, 1, 0, 0), c(0.1, 0.1, 0.8, 0.3), c(0, 0, 0, 2))

# Plain R: the integral of x^k times the likelihood under N(m, v), piece by piece
by_quadrature <- function(L, m, v, cut) {
  far <- m + c(-12, 12) * sqrt(v)
  at <- sort(unique(c(far, m, cut[cut > far[1] & cut < far[2]])))
  moment <- function(k, about = 0) {
    f <- function(x) (x - about)^k * L[findInterval(x, cut) + 1] * dnorm(x, m, sqrt(v))
    sum(mapply(function(a, b) {
      integrate(f, a, b, rel.tol = 1e-12, abs.tol = 0, subdivisions = 1000)$value
    }, utils::head(at, -1), at[-1]))
  }
  Z <- moment(0)
  mean <- moment(1) / Z
  c(log(Z), mean, moment(2, mean) / Z)
}

test_that("normaliser and moments are those of quadrature", {
  cut <- native_cuts(widths)
  expect_equal(diff(cut), widths)
  expect_equal(sum(range(cut)), 0)
  for (i in seq_len(nrow(levels_of))) {
    for (at in list(c(0.3, 1), c(-2, 0.5), c(4, 0.6), c(0, 25), c(-1, 0.01), c(0.1, 1e-4))) {
      if (levels_of[i, 1] == 0 && at[2] < 0.1) next # quadrature has no such tail
      found <- native_tilted(levels_of[i, , drop = FALSE], at[1], at[2], Inf, 1, widths)
      there <- by_quadrature(levels_of[i, ], at[1], at[2], cut)
      expect_equal(found[1], there[1], tolerance = 1e-10)
      expect_lt(abs(found[3] - there[2]), 1e-10 * sqrt(at[2]) + 1e-10 * abs(there[2]))
      expect_equal(found[4], there[3], tolerance = 1e-9)
    }
  }
})

test_that("far tails are those of Mills' ratio", {
  # only the last class is possible, far above: f is its threshold and an exponential beyond
  far <- native_tilted(cbind(0, 0, 0, 1), -1000, 1, Inf, 1, widths)
  cut <- native_cuts(widths)[3]
  expect_equal(far[1], pnorm(-1000 - cut, log.p = TRUE), tolerance = 1e-13)
  expect_equal(far[3] - cut, 1 / (1000 + cut), tolerance = 1e-5)
  expect_equal(far[4] * (1000 + cut)^2, 1, tolerance = 1e-4)
  # a narrow class far away: uniform there
  inside <- native_tilted(cbind(0, 1, 0), 0, 1e6, Inf, 1, 1e-3)
  expect_equal(inside[4], 1e-6 / 12, tolerance = 1e-9)
  expect_equal(inside[1], dnorm(0, 0, 1e3, log = TRUE) + log(1e-3), tolerance = 1e-9)
})

test_that("one threshold at 0 is the step of two classes", {
  L <- rbind(c(0.95, 0.08), c(0.1, 0.7), c(0, 1), c(1, 0), c(0.4, 0.4))
  for (m in c(-7, -2.5, -0.3, 0, 1, 6)) {
    for (v in c(0.01, 0.5, 30)) {
      each <- rep(1, nrow(L))
      step <- native_tilted(L, m * each, v * each, Inf, 1)
      cuts <- native_tilted(L, m * each, v * each, Inf, 1, numeric())
      expect_equal(cuts, step, tolerance = 1e-10)
    }
  }
})

ordered_rows <- function(n, seed = 1) {
  withr::with_seed(seed, {
    X <- matrix(rnorm(2 * n), n)
    f <- X[, 1] + sin(2 * X[, 2]) + rnorm(n, sd = 0.4)
    list(X = X, y = findInterval(f, c(-0.8, 0, 1)) + 1)
  })
}
columns_2 <- list(group = 1:2, weight = c(1, 1))
hyper_2 <- list(
  lengthscale = c(1.5, 0.8), variance = 1.7, bias = 0.4, nugget = 0.2, linear = 0.3
)

test_that("EP with one threshold at 0 is EP of two classes", {
  rows <- ordered_rows(40)
  L <- label_likelihood(1 + (rows$y > 2), as_omega(0.1, 2))
  fit <- function(...) {
    native_gp_fit(
      rows$X, columns_2, hyper_2, L, Inf, NULL, ep_control(tol = 1e-11), "evidence", TRUE, ...
    )
  }
  two <- fit()
  one <- fit(width = numeric())
  for (part in c("log_evidence", "m", "C_diag", "seen", "loo", "slope")) {
    expect_equal(one[[part]], two[[part]], tolerance = 1e-10)
  }
  expect_equal(one$gradient[names(two$gradient)], two$gradient, tolerance = 1e-9)
  second <- function(...) {
    native_gp_fit(
      rows$X, columns_2, hyper_2, L, Inf, NULL, c(ep_control(), second = TRUE), ...
    )$second
  }
  expect_equal(second(width = numeric()), second(), tolerance = 1e-9)
})

test_that("EP of one row is exact, and its classes have the probabilities of the normal", {
  rows <- ordered_rows(1)
  L <- levels_of[1, , drop = FALSE]
  control <- ep_control(tol = 1e-12)
  out <- native_gp_fit(rows$X, columns_2, hyper_2, L, Inf, NULL, control, width = widths)
  v <- native_gram(rows$X, NULL, columns_2, hyper_2)[1]
  p <- diff(c(0, pnorm(native_cuts(widths) / sqrt(v)), 1))
  expect_equal(out$log_evidence, log(sum(L * p)), tolerance = 1e-12)
  expect_equal(exp(out$seen), matrix(p, 1), tolerance = 1e-12)
})

test_that("the second order mends the evidence of two rows", {
  X <- matrix(c(0, 0.4))
  columns <- list(group = 1L, weight = 1)
  hyper <- list(lengthscale = 1, variance = 1, bias = 0, nugget = 0.2, linear = 0)
  L <- rbind(c(0.9, 0.08, 0.02), c(0.02, 0.08, 0.9))
  K <- native_gram(X, NULL, columns, hyper)
  cut <- native_cuts(0.8)
  # given the first value, the second is a normal
  inner <- function(f) {
    m <- K[2, 1] / K[1, 1] * f
    sd <- sqrt(K[2, 2] - K[2, 1]^2 / K[1, 1])
    p <- cbind(0, pnorm(outer(-m, cut, `+`) / sd), 1)
    drop((p[, -1] - p[, -4]) %*% L[2, ])
  }
  f <- function(x) dnorm(x, 0, sqrt(K[1, 1])) * L[1, findInterval(x, cut) + 1] * inner(x)
  ends <- c(-9, cut, 9)
  exact <- log(sum(mapply(function(a, b) {
    integrate(f, a, b, rel.tol = 1e-11)$value
  }, ends[-4], ends[-1])))
  out <- native_gp_fit(
    X, columns, hyper, L, Inf, NULL, c(ep_control(), second = TRUE), width = 0.8
  )
  before <- abs(out$log_evidence - exact)
  expect_lt(abs(out$log_evidence + out$second - exact), before / 3)
})

test_that("gradients are those of differences, with a dense kernel and inducing inputs", {
  rows <- ordered_rows(30)
  omega <- as_omega(0.1, 4, share = neighbour_share(4))
  L <- label_likelihood(rows$y, omega)
  Z <- rows$X[1:8, ]
  control <- ep_control(tol = 1e-12)
  for (Z in list(NULL, rows$X[1:8, ])) {
    at <- function(hyper = c(hyper_2, list(width = widths)), L. = L) {
      if (is.null(Z)) {
        native_gp_fit(
          rows$X, columns_2, hyper, L., Inf, NULL, control, "evidence", TRUE, width = hyper$width
        )
      } else {
        native_inducing_fit(
          rows$X, Z, columns_2, hyper, L., Inf, NULL, control, "evidence", TRUE,
          width = hyper$width
        )
      }
    }
    out <- at()
    moved <- function(name, k, by) {
      hyper <- c(hyper_2, list(width = widths))
      hyper[[name]][k] <- hyper[[name]][k] * exp(by)
      at(hyper)$value
    }
    for (name in c(names(hyper_2), "width")) {
      for (k in seq_along(out$gradient[[name]])) {
        slope <- (moved(name, k, 1e-4) - moved(name, k, -1e-4)) / 2e-4
        expect_equal(out$gradient[[!!name]][[k]], slope, tolerance = 1e-6)
      }
    }
    for (t in 1:4) {
      lift <- function(by) at(L. = replace(L, cbind(7, t), L[7, t] + by))$value
      expect_lt(abs(out$slope[7, t] - (lift(1e-5) - lift(-1e-5)) / 2e-5), 1e-6)
    }
  }
})

test_that("classes the other way round are the mirror image", {
  rows <- ordered_rows(30)
  L <- label_likelihood(rows$y, as_omega(0.1, 4, share = neighbour_share(4)))
  fit <- function(L, width) {
    native_gp_fit(rows$X, columns_2, hyper_2, L, Inf, NULL, ep_control(tol = 1e-11), width = width)
  }
  here <- fit(L, widths)
  there <- fit(L[, 4:1], rev(widths))
  expect_equal(there$log_evidence, here$log_evidence, tolerance = 1e-10)
  expect_equal(there$m, -here$m, tolerance = 1e-7)
  expect_equal(there$seen, here$seen[, 4:1], tolerance = 1e-7)
})
