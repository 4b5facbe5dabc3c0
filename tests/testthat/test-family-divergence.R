shannon <- function(p) -p * log(p) - (1 - p) * log1p(-p)
kullback <- function(p, r) p * log(p / r) + (1 - p) * log((1 - p) / (1 - r))
indices <- c(0.3, 0.9, 0.999, 1.001, 1.1, 1.5, 2, 4)
probs <- c(0.001, 0.2, 0.5, 0.77, 0.99)

# Bernoulli -----------------------------------------------------------------

test_that("Bernoulli entropies are the closed forms", {
  for (q in indices) {
    s <- probs^q + (1 - probs)^q
    # 1e-16 / |1 - q| is what these forms lose
    expect_equal(tsallis_entropy(probs, q), (s - 1) / (1 - q), tolerance = 1e-11)
    expect_equal(renyi_entropy(probs, q), log(s) / (1 - q), tolerance = 1e-11)
    expect_equal(q_entropy(probs, q), (1 - 1 / s) / (1 - q), tolerance = 1e-11)
    # from its meaning: minus the escort mean of ln_q p
    mean <- probs^q * ln_q(probs, q) + (1 - probs)^q * ln_q(1 - probs, q)
    expect_equal(q_entropy(probs, q), -mean / s, tolerance = 1e-12)
  }
})

test_that("Bernoulli divergence is the closed form and its meaning", {
  r <- rev(probs)^2
  for (q in indices) {
    s <- probs^q + (1 - probs)^q
    sum <- probs^q * r^(1 - q) + (1 - probs)^q * (1 - r)^(1 - q)
    expect_equal(q_divergence(probs, r, q), (1 - sum) / ((1 - q) * s),
                 tolerance = 1e-11)
    mean <- probs^q * (ln_q(probs, q) - ln_q(r, q)) +
      (1 - probs)^q * (ln_q(1 - probs, q) - ln_q(1 - r, q))
    expect_equal(q_divergence(probs, r, q), mean / s, tolerance = 1e-12)
    expect_identical(q_divergence(probs, probs, q), rep(0, 5))
    expect_true(all(q_divergence(probs, r, q) >= 0))
  }
})

test_that("the Bernoulli quantities are Shannon's at q = 1, continuously", {
  r <- rev(probs)^2
  for (q in c(1 - 1e-10, 1 - 1e-15, 1, 1 + 1e-15, 1 + 1e-10)) {
    expect_equal(tsallis_entropy(probs, q), shannon(probs), tolerance = 1e-8)
    expect_equal(renyi_entropy(probs, q), shannon(probs), tolerance = 1e-8)
    expect_equal(q_entropy(probs, q), shannon(probs), tolerance = 1e-8)
    expect_equal(q_divergence(probs, r, q), kullback(probs, r), tolerance = 1e-8)
  }
  expect_equal(q_entropy(probs, 1), shannon(probs), tolerance = 1e-14)
  expect_equal(q_divergence(probs, r, 1), kullback(probs, r), tolerance = 1e-13)
})

test_that("sure outcomes have no entropy, and q = 20 keeps its digits", {
  for (q in c(0, 0.5, 1, 2)) {
    expect_identical(tsallis_entropy(c(0, 1), q), c(0, 0))
    expect_identical(renyi_entropy(c(0, 1), q), c(0, 0))
    expect_identical(q_entropy(c(0, 1), q), c(0, 0))
  }
  expect_equal(renyi_entropy(0.5, c(0, 1, 2, 20)), rep(log(2), 4))
  expect_equal(q_entropy(0.5, 20), (2^19 - 1) / 19, tolerance = 1e-14)
  expect_identical(q_divergence(0.5, 0, c(1, 2)), c(Inf, Inf))
  expect_equal(q_divergence(0.5, 0, 0.5), (1 - sqrt(0.5)) / (0.5 * sqrt(2)))
  expect_identical(q_divergence(c(0, 1), c(0, 1), 1.5), c(0, 0))
})

# Both families ---------------------------------------------------------------

test_that("the entropies are related as stated", {
  expect_related <- function(renyi, tsallis, q_entropy, q, s) {
    expect_equal(ln_q(exp(renyi), q), tsallis, tolerance = 1e-12)
    expect_equal(-ln_q(exp(-renyi), q), q_entropy, tolerance = 1e-12)
    expect_equal(tsallis / s, q_entropy, tolerance = 1e-12)
  }
  for (q in c(indices, 1, 1 - 1e-9, 1 + 1e-9)) {
    expect_related(renyi_entropy(probs, q), tsallis_entropy(probs, q),
                   q_entropy(probs, q), q, probs^q + (1 - probs)^q)
  }
  for (df in c(0.5, 3, 30)) {
    for (p in family_examples(df)) {
      d <- length(p$mu)
      expect_related(renyi_entropy(p), tsallis_entropy(p), q_entropy(p),
                     1 + 2 / (df + d), df / ((df + d) * family_psi(p)))
    }
  }
})

# Student-t -------------------------------------------------------------------

test_that("the q-entropy of the t is its closed form, in every dimension", {
  for (d in c(1, 2, 3, 8)) {
    for (df in c(0.6, 4, 25)) {
      p <- mvt(seq_len(d), diag(d) + 0.4, df)
      q <- 1 + 2 / (df + d)
      value <- -(family_psi(p) * (1 + d / df) - 1) / (1 - q)
      expect_equal(q_entropy(p), value, tolerance = 1e-11)
      if (d > 1) {
        # as printed, for d = 1
        printed <- -(family_psi(p) * (1 + 1 / df) - 1) / (1 - q)
        expect_gt(abs(q_entropy(p) / printed - 1), 0.01)
      }
    }
  }
})

test_that("the entropies of the t are integrals of its density", {
  for (df in c(2, 5, 30, Inf)) {
    for (p in family_examples(df)) {
      d <- length(p$mu)
      log_p <- function(x) family_log_density(x, p)
      integral <- function(f) family_integral(f, d)
      q <- 1 + 2 / (df + d)
      s <- integral(function(x) exp(q * log_p(x)))
      if (is.finite(df)) {
        expect_equal(renyi_entropy(p), log(s) / (1 - q), tolerance = 1e-8)
        expect_equal(tsallis_entropy(p), (s - 1) / (1 - q), tolerance = 1e-8)
      }
      mean <- integral(function(x) exp(q * log_p(x)) * family_ln_q(log_p(x), q)) / s
      expect_equal(q_entropy(p), -mean, tolerance = 1e-8)
      for (order in c(0.8, 1.5, 3)) {
        s <- integral(function(x) exp(order * log_p(x)))
        expect_equal(renyi_entropy(p, order), log(s) / (1 - order),
                     tolerance = 1e-8)
        expect_equal(tsallis_entropy(p, order), (s - 1) / (1 - order),
                     tolerance = 1e-8)
        expect_equal(q_entropy(p, order), (1 - 1 / s) / (1 - order),
                     tolerance = 1e-8)
      }
      entropy <- -integral(function(x) exp(log_p(x)) * log_p(x))
      expect_equal(renyi_entropy(p, 1), entropy, tolerance = 1e-8)
      expect_equal(tsallis_entropy(p, c(1, 1 + 1e-9)), rep(entropy, 2),
                   tolerance = 1e-8)
    }
  }
})

test_that("the own index is the same as the order given by number", {
  for (df in c(0.5, 3, 100, 1e6, 1e9)) {
    for (p in family_examples(df)) {
      # q itself is rounded: relative 1e-16 df of 1 - q
      q <- 1 + 2 / (df + length(p$mu))
      expect_equal(renyi_entropy(p, q), renyi_entropy(p), tolerance = 1e-12)
      expect_equal(q_entropy(p, q), q_entropy(p), tolerance = 1e-12)
      expect_equal(tsallis_entropy(p, q), tsallis_entropy(p), tolerance = 1e-12)
    }
  }
})

test_that("the Gaussian's entropies are the limit of large df", {
  Sigma <- matrix(c(2, 0.5, 0.5, 1), 2)
  shannon <- log(det(2 * pi * exp(1) * Sigma)) / 2
  normal <- mvt(c(0, 0), Sigma)
  expect_equal(q_entropy(normal), shannon, tolerance = 1e-14)
  expect_equal(renyi_entropy(normal, 3), shannon - 1 + log(3) / 2,
               tolerance = 1e-14)
  for (df in c(1e10, 1e13, 1e19, 1e21, 1e300)) {
    near <- mvt(c(0, 0), Sigma, df)
    orders <- c(0.5, 1, 1 + 1e-9, 3)
    expect_equal(q_entropy(near), shannon, tolerance = 1e-8)
    expect_equal(renyi_entropy(near, orders), renyi_entropy(normal, orders),
                 tolerance = 1e-8)
    expect_equal(tsallis_entropy(near), shannon, tolerance = 1e-8)
  }
})

test_that("the divergence of two t is its closed form and its integral", {
  for (df in c(1.5, 5, 40, Inf)) {
    p <- family_examples(df)
    r <- list(mvt(-0.2, 0.9, df),
              mvt(c(0.1, 0.2), matrix(c(0.9, -0.2, -0.2, 1.4), 2), df))
    for (d in 1:2) {
      a <- p[[d]]
      b <- r[[d]]
      q <- 1 + 2 / (df + d)
      value <- q_divergence(a, b)
      log_a <- function(x) family_log_density(x, a)
      escort <- mvt_escort(a)
      gap <- function(x) {
        exp(family_log_density(x, escort)) *
          (family_ln_q(log_a(x), q) -
            family_ln_q(family_log_density(x, b), q))
      }
      expect_equal(value, family_integral(gap, d), tolerance = 1e-8)
      if (is.finite(df)) {
        K <- solve(df * b$Sigma)
        m <- a$mu - b$mu
        closed <- (family_psi(a) * (1 + d / df) - family_psi(b) *
          (1 + sum(diag(K %*% a$Sigma)) + sum(m * K %*% m))) / (1 - q)
        expect_equal(value, closed, tolerance = 1e-11)
      }
    }
  }
})

test_that("the divergence is Kullback-Leibler's in the limit of large df", {
  S1 <- matrix(c(2, 0.5, 0.5, 1), 2)
  S2 <- matrix(c(1, -0.2, -0.2, 3), 2)
  m <- c(1, -0.5)
  kl <- (sum(diag(solve(S2, S1))) - 2 + sum(m * solve(S2, m)) +
    log(det(S2) / det(S1))) / 2
  for (df in c(1e10, 1e14, 1e300, Inf)) {
    value <- q_divergence(mvt(m, S1, df), mvt(c(0, 0), S2, df))
    expect_equal(value, kl, tolerance = if (is.finite(df)) 1e-8 else 1e-14)
  }
})

test_that("the divergence is 0 for equal t, and else above", {
  set.seed(2)
  for (df in c(1, 10, Inf)) {
    for (d in c(1, 3)) {
      random <- function() {
        mvt(rnorm(d), crossprod(matrix(rnorm(d * (d + 2)), d + 2)), df)
      }
      p <- random()
      expect_lt(abs(q_divergence(p, p)), 1e-14)
      expect_gt(q_divergence(p, random()), 0.01)
    }
  }
})

test_that("its gradient in the natural parameters is a gap of escort moments", {
  # d D(p || r) / d theta_r = moments of r's escort - moments of p's
  h <- 1e-5
  for (df in c(3, 50, Inf)) {
    p <- mvt(c(0.3, -0.5), matrix(c(1, 0.2, 0.2, 2), 2), df)
    r <- mvt(c(1, 0), matrix(c(2, -0.5, -0.5, 1), 2), df)
    natural <- mvt_natural(r)
    slope <- function(change) {
      step <- function(h) q_divergence(p, mvt_from_natural(change(natural, h)))
      (step(h) - step(-h)) / (2 * h)
    }
    first <- slope(function(x, h) {
      x$theta1[1] <- x$theta1[1] + h
      x
    })
    expect_equal(first, r$mu[1] - p$mu[1], tolerance = 1e-7)
    second <- slope(function(x, h) {
      x$theta2[2, 2] <- x$theta2[2, 2] + h
      x
    })
    expect_equal(second, r$Sigma[2, 2] + r$mu[2]^2 - p$Sigma[2, 2] - p$mu[2]^2,
                 tolerance = 1e-7)
  }
})

# Domains and errors ----------------------------------------------------------

test_that("outside the domains is NaN with a warning", {
  p <- mvt(0, 1, 3)
  expect_warning(out <- q_entropy(c(-0.1, 0.5, 1.1), 1.5),
                 class = "sturdy_warning_nan")
  expect_identical(is.nan(out), c(TRUE, FALSE, TRUE))
  expect_warning(tsallis_entropy(0.5, -1), class = "sturdy_warning_nan")
  expect_warning(renyi_entropy(0.5, Inf), class = "sturdy_warning_nan")
  expect_warning(q_divergence(0.5, 2, 1.5), class = "sturdy_warning_nan")
  expect_warning(q_divergence(0.5, 0.5, 0), class = "sturdy_warning_nan")
  expect_warning(out <- renyi_entropy(p, c(-1, 1)), class = "sturdy_warning_nan")
  expect_identical(is.nan(out), c(TRUE, FALSE))
  expect_silent(out <- renyi_entropy(p, c(NA, 1)))
  expect_identical(is.na(out), c(TRUE, FALSE))
  expect_silent(out <- q_entropy(c(0.5, NA), 1.5))
  expect_identical(is.na(out), c(FALSE, TRUE))
})

test_that("a divergent integral has an infinite entropy", {
  p <- mvt(0, 1, 3) # int p^order diverges up to d/(v + d) = 1/4
  expect_identical(renyi_entropy(p, c(0, 0.25)), c(Inf, Inf))
  expect_identical(tsallis_entropy(p, 0.25), Inf)
  expect_equal(q_entropy(p, 0.25), 1 / 0.75)
  expect_true(is.finite(renyi_entropy(p, 0.2501)))
  expect_identical(renyi_entropy(mvt(0, 1), 0), Inf)
})

test_that("attributes and lengths follow the arguments", {
  expect_identical(q_entropy(numeric(0), 2), numeric(0))
  expect_identical(renyi_entropy(mvt(0, 1), numeric(0)), numeric(0))
  expect_named(q_entropy(c(a = 0.1, b = 0.2), 2), c("a", "b"))
  expect_named(q_divergence(c(a = 0.1, b = 0.2), 0.3, 2), c("a", "b"))
  expect_named(renyi_entropy(mvt(0, 1), c(u = 1, v = 2)), c("u", "v"))
  m <- matrix(c(0.1, 0.2, 0.3, 0.4), 2)
  expect_identical(dim(tsallis_entropy(m, 2)), c(2L, 2L))
})

test_that("bad input is a classed error", {
  p <- mvt(c(0, 0), diag(2), 3)
  expect_error(q_entropy("a", 1), class = "sturdy_error_type")
  expect_error(tsallis_entropy(list(1), 1), class = "sturdy_error_type")
  expect_error(renyi_entropy(NULL, 1), class = "sturdy_error_type")
  expect_error(q_entropy(0.5, "a"), class = "sturdy_error_type")
  expect_error(q_entropy(p, "a"), class = "sturdy_error_type")
  expect_error(q_entropy(0.5, 2, 3), class = "sturdy_error_unknown_argument")
  expect_error(q_entropy(p, order = 2), class = "sturdy_error_unknown_argument")
  expect_error(q_divergence("a", 1, 1), class = "sturdy_error_type")
  expect_error(q_divergence(p, 0.5), class = "sturdy_error_type")
  expect_error(q_divergence(0.5, p, 1), class = "sturdy_error_type")
  expect_error(q_divergence(p, mvt(0, 1, 3)), class = "sturdy_error_mvt_mismatch")
  expect_error(q_divergence(p, mvt(c(0, 0), diag(2), 4)),
               class = "sturdy_error_mvt_mismatch")
  p$Sigma[1, 1] <- -1
  expect_error(q_entropy(p), class = "sturdy_error_not_positive_definite")
  expect_snapshot({
    family_error(q_entropy("a", 1))
    family_error(q_entropy(0.5, "a"))
    family_error(q_divergence(mvt(0, 1), 0.5))
    family_error(q_divergence(mvt(0, 1), mvt(c(0, 0), diag(2), 4)))
  })
})

# DQV11 Theorem 2: minus the q-entropy is the convex conjugate of the log partition
# function, sup over theta of <theta, escort moments> - g(theta), attained at p itself; the
# gap of any other theta is the divergence.
test_that("entropy and log partition of the t are Fenchel duals", {
  withr::local_seed(6)
  for (df in c(1.5, 5, 40, Inf)) {
    for (p in family_examples(df)) {
      d <- length(p$mu)
      moment <- p$Sigma + tcrossprod(p$mu)
      value <- function(r) {
        natural <- mvt_natural(r)
        sum(natural$theta1 * p$mu) + sum(natural$theta2 * moment) - mvt_log_partition(natural)
      }
      expect_equal(value(p), -q_entropy(p), tolerance = 1e-11)
      for (draw in 1:10) {
        root <- matrix(rnorm(d * d), d) + diag(d)
        r <- mvt(p$mu + rnorm(d), crossprod(root) + diag(0.1, d), df)
        expect_lt(value(r), -q_entropy(p))
        expect_equal(-q_entropy(p) - value(r), q_divergence(p, r), tolerance = 1e-9)
      }
    }
  }
})

test_that("and of the Bernoulli, whose log partition is found as a root", {
  log_partition <- function(theta, q) {
    total <- function(g) sum(exp_q(c(theta, 0) - g, q)) - 1
    # below the pole of exp_q for q > 1, where it would be infinite
    least <- max(theta, 0) + if (q > 1) -1 / (q - 1) + 1e-9 else -1
    uniroot(total, c(least, max(theta, 0) + 1e4), tol = 1e-13)$root
  }
  for (q in c(0.6, 1.3, 1.8)) {
    for (p in c(0.2, 0.7)) {
      mean <- escort(p, q)
      value <- function(theta) theta * mean - log_partition(theta, q)
      own <- ln_q(p, q) - ln_q(1 - p, q)
      expect_equal(value(own), -q_entropy(p, q), tolerance = 1e-8)
      # conjugacy: no other theta is above
      best <- optimize(value, own + c(-1, 1), maximum = TRUE, tol = 1e-9)
      expect_equal(best$objective, -q_entropy(p, q), tolerance = 1e-8)
    }
  }
})

test_that("the q-entropy of a narrow density is below 0, unlike what DQV11 says", {
  # its integral, for St(0, 0.01, 3), at q = 1 + 2 / 4
  p <- mvt(0, 0.01, 3)
  log_p <- function(x) family_log_density(x, p)
  s <- family_integral(function(x) exp(1.5 * log_p(x)), 1)
  mean <- family_integral(function(x) exp(1.5 * log_p(x)) * family_ln_q(log_p(x), 1.5), 1)
  expect_equal(q_entropy(p), -mean / s, tolerance = 1e-8)
  expect_lt(q_entropy(p), -0.6)
})
