test_that("natural parameters are the closed forms, in every dimension", {
  for (d in c(1, 2, 3, 7)) {
    mu <- seq(-1, 1, length.out = d)
    Sigma <- diag(d) + 0.3
    for (df in c(0.7, 3, 30)) {
      p <- mvt(mu, Sigma, df)
      natural <- mvt_natural(p)
      q <- 1 + 2 / (df + d)
      K <- solve(df * Sigma)
      psi <- family_psi(p)
      expect_equal(natural$q, q)
      expect_equal(natural$theta1, drop(-2 * psi * K %*% mu) / (1 - q),
                   tolerance = 1e-12)
      expect_equal(natural$theta2, psi * K / (1 - q), tolerance = 1e-12)
      g <- (1 - psi * (1 + sum(mu * K %*% mu))) / (1 - q)
      expect_equal(mvt_log_partition(natural), g, tolerance = 1e-12)
    }
  }
})

test_that("the density is the q-exponential of the natural parameters", {
  set.seed(1)
  for (d in c(1, 2, 5)) {
    for (df in c(0.5, 4, 50, 1e5, Inf)) {
      p <- mvt(rnorm(d), crossprod(matrix(rnorm(d * (d + 2)), d + 2)), df)
      natural <- mvt_natural(p)
      x <- matrix(rnorm(6 * d), 6)
      inner <- drop(x %*% natural$theta1) +
        rowSums((x %*% natural$theta2) * x)
      density <- exp_q(inner - mvt_log_partition(p), natural$q)
      # the reference loses digits to lgamma(df/2) at df = 1e5, about 1e6 eps
      expect_equal(log(density), family_log_density(x, p), tolerance = 1e-9)
    }
  }
})

test_that("from natural parameters and back changes nothing", {
  for (d in c(1, 2, 6)) {
    mu <- seq(-2, 3, length.out = d)
    Sigma <- 0.5^abs(outer(seq_len(d), seq_len(d), "-")) * 3
    for (df in c(0.1, 1, 5, 1e3, 1e8, 1e15, Inf)) {
      p <- mvt(mu, Sigma, df)
      natural <- mvt_natural(p)
      back <- mvt_from_natural(natural$theta1, natural$theta2, df)
      expect_equal(back, p, tolerance = 1e-12)
      expect_equal(mvt_log_partition(natural), mvt_log_partition(p),
                   tolerance = 1e-13)
    }
  }
})

test_that("log_partition normalises the q-exponential", {
  for (df in c(1.5, 5, 40, Inf)) {
    for (p in family_examples(df)) {
      d <- length(p$mu)
      natural <- mvt_natural(p)
      f <- function(x) {
        x <- matrix(x, ncol = d)
        inner <- drop(x %*% natural$theta1) +
          rowSums((x %*% natural$theta2) * x)
        exp_q(inner - mvt_log_partition(natural), natural$q)
      }
      expect_equal(family_integral(f, d), 1, tolerance = 1e-9)
    }
  }
})

test_that("another constant changes the integral by the power v/(v + d)", {
  # Futami et al. (2017), theorem 2; the printed exponent (3 - q)/2 is d = 1
  for (df in c(2, 6)) {
    for (p in family_examples(df)) {
      d <- length(p$mu)
      natural <- mvt_natural(p)
      g <- mvt_log_partition(natural)
      for (a in g + c(-0.2, 0.5)) {
        f <- function(x) {
          x <- matrix(x, ncol = d)
          inner <- drop(x %*% natural$theta1) +
            rowSums((x %*% natural$theta2) * x)
          exp_q(inner - a, natural$q)
        }
        value <- family_integral(f, d)
        base <- exp_q((g - a) / family_psi(p), natural$q)
        expect_equal(value, base^(df / (df + d)), tolerance = 1e-9)
        if (d == 2) {
          expect_gt(abs(value / base^((3 - natural$q) / 2) - 1), 0.01)
        }
      }
    }
  }
})

test_that("the escort is p^q, normalised, with covariance Sigma", {
  for (df in c(1, 5, 40, Inf)) {
    for (p in family_examples(df)) {
      d <- length(p$mu)
      q <- 1 + 2 / (df + d)
      e <- mvt_escort(p)
      power <- function(x) exp(q * family_log_density(x, p))
      s <- family_integral(power, d)
      if (is.finite(df)) {
        expect_equal(s, df / ((df + d) * family_psi(p)), tolerance = 1e-9)
      }
      x <- matrix(c(-1, 0.3, 2, 0.5, 1, -3), ncol = d)
      expect_equal(exp(family_log_density(x, e)), power(x) / s, tolerance = 1e-9)

      last <- function(x) matrix(x, ncol = d)[, d]
      mean <- family_integral(function(x) last(x) * power(x), d) / s
      var <- family_integral(
        function(x) (last(x) - p$mu[d])^2 * power(x), d
      ) / s
      expect_equal(mean, p$mu[d], tolerance = 1e-9)
      expect_equal(var, p$Sigma[d, d], tolerance = 1e-9)
    }
  }
})

test_that("the gradient of log_partition is the escort moments", {
  d <- 3
  mu <- c(0.5, -1, 0.2)
  Sigma <- matrix(c(2, 0.3, -0.2, 0.3, 1, 0.1, -0.2, 0.1, 0.7), 3)
  second <- Sigma + tcrossprod(mu)
  h <- 1e-5
  for (df in c(0.8, 4, 1e4, Inf)) {
    natural <- mvt_natural(mu, Sigma, df)
    slope <- function(change) {
      step <- function(h) mvt_log_partition(change(natural, h))
      (step(h) - step(-h)) / (2 * h)
    }
    for (i in seq_len(d)) {
      first <- slope(function(x, h) {
        x$theta1[i] <- x$theta1[i] + h
        x
      })
      expect_equal(first, mu[i], tolerance = 1e-7)
      for (j in seq_len(i)) {
        cross <- slope(function(x, h) {
          x$theta2[i, j] <- x$theta2[i, j] + h
          x$theta2[j, i] <- x$theta2[i, j]
          x
        })
        # off the diagonal both entries move
        expect_equal(cross, second[i, j] * (1 + (i != j)), tolerance = 1e-7)
      }
    }
  }
})

test_that("the Gaussian is the limit of large df", {
  mu <- c(1, -1)
  Sigma <- matrix(c(2, 0.5, 0.5, 1), 2)
  normal <- mvt_natural(mu, Sigma, Inf)
  expect_equal(normal$theta1, solve(Sigma, mu), tolerance = 1e-14)
  expect_equal(normal$theta2, -solve(Sigma) / 2, tolerance = 1e-14)
  g <- sum(mu * solve(Sigma, mu)) / 2 + log(det(2 * pi * Sigma)) / 2
  expect_equal(mvt_log_partition(normal), g, tolerance = 1e-14)
  # the difference falls as 1/df: here 1e-9 and below
  for (df in c(1e10, 1e12, 1e15, 1e20, 1e300)) {
    near <- mvt_natural(mu, Sigma, df)
    expect_equal(near$theta1, normal$theta1, tolerance = 1e-8)
    expect_equal(near$theta2, normal$theta2, tolerance = 1e-8)
    expect_equal(mvt_log_partition(near), g, tolerance = 1e-8)
    expect_equal(mvt_from_natural(normal$theta1, normal$theta2, df)$Sigma,
                 Sigma, tolerance = 1e-8)
  }
  expect_identical(mvt_escort(mu, Sigma, Inf), mvt(mu, Sigma, Inf))
})

test_that("scaling the natural parameters moves Psi by |P|^(-1/df) alone", {
  # P = Psi K = (1 - q) theta2; Psi is proportional to |P|^{-1/df}
  df <- 4
  Sigma <- matrix(c(2, 0.5, 0.5, 1), 2)
  natural <- mvt_natural(c(1, 2), Sigma, df)
  scaled <- mvt_from_natural(3 * natural$theta1, 3 * natural$theta2, df)
  expect_equal(scaled$mu, c(1, 2))
  psi <- family_psi(mvt(c(1, 2), Sigma, df))
  expect_equal(family_psi(scaled) / psi, (3^2)^(-1 / df), tolerance = 1e-12)
})

test_that("only the symmetric matrix matters, and names are kept", {
  mu <- c(a = 1, b = 2)
  Sigma <- matrix(c(2, 0.5, 0.5, 1), 2, dimnames = list(names(mu), names(mu)))
  natural <- mvt_natural(mu, Sigma, 3)
  expect_named(natural$theta1, c("a", "b"))
  expect_identical(dimnames(natural$theta2), dimnames(Sigma))
  back <- mvt_from_natural(natural)
  expect_equal(back, mvt(mu, Sigma, 3), tolerance = 1e-14)
  expect_identical(dimnames(mvt_escort(back)$Sigma), dimnames(Sigma))
  expect_true(isSymmetric(natural$theta2))
  expect_identical(mvt(1, 2, 3), mvt(1, matrix(2), 3))
  expect_identical(mvt(1L, 2L)$df, Inf)
})

test_that("print says what it is", {
  p <- mvt(c(a = 1, b = -1), matrix(c(2, 0.5, 0.5, 1), 2), df = 5)
  expect_snapshot({
    p
    mvt_natural(p)
    mvt(0, 1)
  })
  expect_output(print(mvt(1:3, diag(3), df = 5)), "3 dimensions, q = 1.25", fixed = TRUE)
  expect_output(out <- withVisible(print(p)))
  expect_identical(out$value, p)
  expect_false(out$visible)
})

test_that("what is left out is asked for by name", {
  for (call in expression(mvt(), mvt(1), mvt_natural(), mvt_natural(c(1, 2)), mvt_from_natural(1), mvt_log_partition())) {
    expect_error(eval(call), class = "sturdy_error_missing_argument")
  }
})

test_that("bad input is a classed error", {
  S <- diag(2)
  expect_error(mvt("a", 1), class = "sturdy_error_type")
  expect_error(mvt(numeric(0), S), class = "sturdy_error_type")
  expect_error(mvt(c(1, NA), S), class = "sturdy_error_type")
  expect_error(mvt(c(1, Inf), S), class = "sturdy_error_type")
  expect_error(mvt(c(1, 2), "a"), class = "sturdy_error_type")
  expect_error(mvt(c(1, 2), S * NA_real_), class = "sturdy_error_type")
  expect_error(mvt(c(1, 2), diag(3)), class = "sturdy_error_shape")
  expect_error(mvt(c(1, 2), 1), class = "sturdy_error_shape")
  expect_error(mvt(1, -1), class = "sturdy_error_not_positive_definite")
  expect_error(mvt(c(1, 2), matrix(1, 2, 2)),
               class = "sturdy_error_not_positive_definite")
  expect_error(mvt(c(1, 2), matrix(c(1, 0, 0.5, 1), 2)),
               class = "sturdy_error_not_positive_definite")
  expect_error(mvt(1, 1, 0), class = "sturdy_error_df")
  expect_error(mvt(1, 1, -2), class = "sturdy_error_df")
  expect_error(mvt(1, 1, NA), class = "sturdy_error")
  expect_error(mvt(1, 1, 1e-300), class = "sturdy_error_overflow")
  # a scale of 1e-330 is no number
  expect_error(mvt_escort(mvt(0, 1e-300, 1e-30)), "underflows", class = "sturdy_error_overflow")
  expect_error(mvt_from_natural(c(1, 2), S),
               class = "sturdy_error_not_positive_definite")
  expect_error(mvt_log_partition(1), class = "sturdy_error_type")
  p <- mvt(c(1, 2), S, 4)
  expect_error(mvt_natural(p, df = 3), class = "sturdy_error_unknown_argument")
  expect_error(mvt_from_natural(mvt_natural(p), S),
               class = "sturdy_error_unknown_argument")
  p$Sigma <- -S
  expect_error(mvt_log_partition(p), class = "sturdy_error_not_positive_definite")
  expect_snapshot({
    family_error(mvt(c(1, NA), S))
    family_error(mvt("a", 1))
    family_error(mvt(c(1, 2), diag(3)))
    family_error(mvt(c(1, 2), -S))
    family_error(mvt(c(1, 2), matrix(c(1, 0, 0.5, 1), 2)))
    family_error(mvt(1, 1, 1e-300))
    family_error(mvt_from_natural(c(1, 2), S))
    family_error(mvt_log_partition(1))
    family_error(mvt_natural(mvt(1, 1), df = 3))
  })
})
