# Tilted escort moments in C: against stored values of 120 digits (made by
# data-raw/tilted-moments.py), against integrals, and in the far tails. More of
# this, derivatives included, stands in tools/ctest/test-likelihood.c.

tilted_row <- function(row, y = 1, s = 1) {
  epsilon <- if (y > 0) c(row$neg, row$pos) else c(row$pos, row$neg)
  out <- tilted_labels(y, y * row$z * s, s^2, row$df, epsilon, row$d)
  out[, "mean"] <- y * out[, "mean"] / s
  out[, "var"] <- out[, "var"] / s^2
  out
}

stored_tilted <- function() {
  utils::read.csv(test_path("fixtures", "tilted.csv"), colClasses = "numeric")
}

test_that("moments agree with 120-digit values, tails included", {
  rows <- stored_tilted()
  got <- t(vapply(seq_len(nrow(rows)), function(i) tilted_row(rows[i, ]), double(4)))
  # Tolerances as claimed in src/likelihood.c; log Z absolute near 0
  expect_close(got[, 1], rows$log_z1, 3e-13, floor = 1e-3)
  expect_close(got[, 2], rows$log_zp, 3e-13, floor = 1e-3)
  hard <- rows$df > 10 & rows$df < 75 & rows$z < -9
  gap_mean <- abs(got[, 3] - rows$mu) / pmax(abs(rows$mu), sqrt(rows$w))
  gap_var <- abs(got[, 4] - rows$w) / rows$w
  expect_lt(max(gap_mean[!hard]), 3e-13)
  expect_lt(max(gap_var[!hard]), 6e-12)
  expect_lt(max(gap_mean[hard]), 2e-12)
  expect_lt(max(gap_var[hard]), 1e-10)
})

test_that("labels, scales and locations go together", {
  rows <- stored_tilted()
  for (i in seq(1, nrow(rows), by = 17)) {
    at <- tilted_row(rows[i, ])
    expect_close(tilted_row(rows[i, ], y = -1), at, 0)
    expect_close(tilted_row(rows[i, ], s = 2^20), at, 0) # a power of two: exact
    expect_close(tilted_row(rows[i, ], y = -1, s = 0.3), at, 1e-10, floor = 1e-9)
  }
})

test_that("moments equal integrals over the escort density", {
  escort <- function(m, s2, y, df, epsilon, d) {
    q <- ref_q(df, d)
    scale <- sqrt(s2 * if (is.finite(df)) df / (df + 2) else 1)
    side <- function(lower, upper, weight, power) {
      weight * integrate(
        function(f) f^power * dt((f - m) / scale, df + 2) / scale, lower, upper,
        rel.tol = 1e-11, abs.tol = 0, subdivisions = 2000L
      )$value
    }
    above <- if (y > 0) 1 - epsilon else epsilon
    mass <- vapply(0:2, function(power) {
      side(0, Inf, above^q, power) + side(-Inf, 0, (1 - above)^q, power)
    }, 0)
    mean <- mass[2] / mass[1]
    c(mean, mass[3] / mass[1] - mean^2)
  }
  grid <- expand.grid(
    df = c(3, 10, 100, Inf), epsilon = c(0.1, 0.01), d = c(1, 50), m = c(-1.3, 0.4),
    y = c(-1, 1)
  )
  for (i in seq_len(nrow(grid))) {
    g <- grid[i, ]
    expect_close(
      tilted_labels(g$y, g$m, 1.7, g$df, g$epsilon, g$d)[, 3:4],
      escort(g$m, 1.7, g$y, g$df, g$epsilon, g$d), 1e-8
    )
  }
})

# [M 3.5], with the location and the precision of the marginal
test_that("a site takes its cavity to the tilted moments", {
  for (df in c(2, 30, Inf)) for (m in c(-3, 0.4)) {
    got <- as.list(tilted_labels(1, m, 1.7, df, 0.05, 20)[1, ])
    site <- native_project(likely(1, 0.05), m, 1.7, df, 20)
    precision <- 1 / 1.7 + site$tau
    expect_equal((1.7 / got$var)^(1 / (1 + 1 / df)), 1.7 * precision)
    expect_equal(got$mean, (m / 1.7 + site$nu) / precision)
  }
})

test_that("moments equal those of the plain-R reference", {
  for (df in c(0.5, 3, 10, 29, 31, 100, 1e4, 1e8, Inf)) {
    for (epsilon in c(0, 0.02, 0.4)) for (z in c(-4.9, -1, 0, 2, 8)) {
      reference <- ref_tilted(z * 1.3, 1.69, 1, df, epsilon, 25)
      got <- tilted_labels(1, z * 1.3, 1.69, df, epsilon, 25)
      expect_close(
        got[, c("log_z1", "log_zp")], reference[c("log_Z1", "log_Zp")], 1e-12,
        floor = 1e-3
      )
      expect_close(got[, 3:4], reference[c("m_hat", "V")], 2e-11, floor = 1e-3)
    }
  }
})

test_that("far tails are finite and ordered, also beyond all sense", {
  for (df in c(0.5, 3, 10, 29, 31, 74, 76, 100, 1e4, 1e8, Inf)) {
    for (epsilon in c(0, 1e-12, 0.1)) {
      z <- -10^seq(0, 30, by = 0.5)
      got <- tilted_labels(rep(1, length(z)), z, rep(1, length(z)), df, epsilon, 40)
      expect_true(all(is.finite(got)))
      expect_true(all(got[, "var"] > 0))
      # a less likely label is less likely
      expect_true(all(diff(got[, "log_z1"]) <= 0))
      # the mean lies above the cavity's, and above 0 when no label can be wrong
      expect_true(all(got[, "mean"] >= z))
      if (epsilon == 0) expect_true(all(got[, "mean"] > 0))
    }
  }
})

test_that("no flips is the limit of few flips", {
  for (df in c(3, 40, Inf)) for (z in c(-6, -2, 0, 3)) {
    none <- tilted_labels(1, z, 1, df, 0, 10)
    few <- tilted_labels(1, z, 1, df, 1e-200, 10)
    expect_close(few, none, 1e-10, floor = 1e-3)
  }
})

test_that("a large df tends to the Gaussian", {
  for (epsilon in c(0, 0.1)) for (z in c(-40, -8, -3, 0, 2)) {
    limit <- tilted_labels(1, z, 1, Inf, epsilon, 20)
    for (df in c(1e6, 1e8, 1e12)) {
      # the tail's logarithm differs by z^4 / (4 df)
      expect_close(
        tilted_labels(1, z, 1, df, epsilon, 20), limit, 10 * (1 + z^4) / df + 1e-11,
        floor = 1e-3
      )
    }
  }
})
