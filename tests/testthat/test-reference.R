# The plain-R reference must be right before anything is compared with it.

case_kernel <- function(case, Xnew = NULL) {
  ref_kernel(case$X, Xnew, case$lengthscale, case$theta0, case$theta2,
             case$theta3)
}

six_points <- function() {
  machine <- published_cases()$machines$six_points_flips
  list(K = tcrossprod(machine$X), X = machine$X, y = machine$y)
}

# Posterior of the weights from a kernel-space fit with K = X X' (+ noise).
weights_from_kernel <- function(fit, K, X) {
  H <- solve(diag(nrow(K)) + fit$tau * K, tol = 0)
  R <- t(t(H) * fit$tau)
  list(mean = drop(crossprod(X, H %*% fit$nu)),
       cov = diag(ncol(X)) - crossprod(X, R %*% X))
}

# ---- tilted moments ----

test_that("tilted moments equal integrals over the escort distribution", {
  # The marginal of the escort is a t with v + 2 df and squared scale
  # s2 v / (v + 2); the likelihood enters to the power q of d dimensions.
  brute <- function(m, s2, y, v, epsilon, d) {
    q <- ref_q(v, d)
    scale <- if (is.finite(v)) sqrt(s2 * v / (v + 2)) else sqrt(s2)
    side <- function(lower, upper, weight, power) {
      weight * integrate(
        function(f) f^power * dt((f - m) / scale, v + 2) / scale,
        lower, upper, rel.tol = 1e-11, abs.tol = 0, subdivisions = 2000L
      )$value
    }
    mass <- vapply(0:2, function(power) {
      right <- if (y > 0) 1 - epsilon else epsilon
      side(0, Inf, right^q, power) + side(-Inf, 0, (1 - right)^q, power)
    }, 0)
    mean <- mass[2] / mass[1]
    c(mean, mass[3] / mass[1] - mean^2)
  }
  grid <- expand.grid(v = c(3, 10, Inf), epsilon = c(0.1, 0.01), d = c(1, 7),
                      m = c(-1.3, 0.4), y = c(-1, 1))
  for (i in seq_len(nrow(grid))) {
    g <- grid[i, ]
    tilted <- ref_tilted(g$m, 1.7, g$y, g$v, g$epsilon, g$d)
    expect_close(tilted[c("m_hat", "V")],
                 brute(g$m, 1.7, g$y, g$v, g$epsilon, g$d), 1e-8)
  }
})

test_that("Gaussian tilted moments follow the continued fraction in the tail", {
  # D2 = 2 / (t + 3 / (t + 4 / ...)), D1 = 1 / (t + D2), t = -z
  for (t in c(5, 8, 30, 300, 1e5)) {
    rest <- t
    for (j in 62:3) rest <- t + j / rest
    D2 <- 2 / rest
    D1 <- 1 / (t + D2)
    s <- 0.7
    tilted <- ref_tilted(t * s, s^2, -1, Inf, 0, 4)
    # 1e-12: at t = 5 the closed form has lost three digits to cancellation.
    expect_close(tilted$a * s, t + D1, 1e-12)
    expect_close(-tilted$m_hat, s * D1, 1e-12)
    expect_close(tilted$V, s^2 * (D2 - D1) / (t + D2), 1e-12)
  }
})

test_that("closed form and tail integrals are one function of z", {
  for (v in c(0.5, 3, 10, 11, 100, 1e4, 1e8, Inf)) {
    s2 <- 2
    # Where both hold: z = -5 for large v, anywhere for small v.
    for (z in if (v <= 10) c(-5, -30, -300) else c(-4.9, -5)) {
      closed <- ref_tilted(z * sqrt(s2), s2, 1, v, 0, 3)
      tail <- ref_tail_moments(z, v)
      expect_close(closed[c("m_hat", "V")],
                   tail * c(sqrt(s2), s2), 5e-12)
    }
  }
})

test_that("the far tail is finite and right to first order", {
  # For z -> -Inf the cut density is a Pareto tail for finite v: mean of w is
  # |z| / (v + 1), its variance z^2 (v + 2) / ((v + 1)^2 v).
  for (v in c(0.5, 3, 10, 20)) {
    tilted <- ref_tilted(-1e7, 1, 1, v, 0, 5)
    expect_close(tilted$m_hat, 1e7 / (v + 1), 1e-6)
    expect_close(tilted$V, 1e14 * (v + 2) / ((v + 1)^2 * v), 1e-6)
    expect_true(is.finite(tilted$log_Z1))
  }
  known <- published_cases()$log_pnorm
  expect_close(vapply(known$x, function(x) {
    ref_tilted(x, 1, 1, Inf, 0, 1)$log_Z1
  }, 0), known$value, 1e-14)
})

test_that("assumed density filtering matches all escort moments", {
  mu <- c(0.4, -0.9)
  S <- matrix(c(1.3, 0.5, 0.5, 0.8), 2)
  x <- c(0.7, 1.2)
  # Coordinates (f, g): f along L'x, so that the step lies on one line.
  L <- t(chol(S))
  along <- drop(crossprod(L, x))
  U <- cbind(along, c(-along[2], along[1])) / sqrt(sum(along^2))
  for (setting in list(c(3, 0.1, 1), c(8, 0, -1), c(Inf, 0.05, -1))) {
    v <- setting[1]
    epsilon <- setting[2]
    y <- setting[3]
    q <- ref_q(v, 2)
    # The escort, St(v + 2, mu, S v / (v + 2)), in whitened coordinates.
    density <- function(r2) {
      if (is.finite(v)) (1 + r2 / v)^(-(v + 4) / 2) else exp(-r2 / 2)
    }
    edge <- -sum(x * mu) / sqrt(sum(along^2))
    integral <- function(i, j) {
      inner <- function(f) vapply(f, function(f1) {
        integrate(function(g) g^j * density(f1^2 + g^2), -Inf, Inf,
                  rel.tol = 1e-9, abs.tol = 1e-14)$value
      }, 0)
      part <- function(lower, upper) {
        integrate(function(f) f^i * inner(f), lower, upper, rel.tol = 1e-9,
                  abs.tol = 1e-14)$value
      }
      above <- if (y > 0) 1 - epsilon else epsilon
      (1 - above)^q * part(-Inf, edge) + above^q * part(edge, Inf)
    }
    mass <- integral(0, 0)
    first <- c(integral(1, 0), integral(0, 1)) / mass
    second <- matrix(c(integral(2, 0), integral(1, 1), integral(1, 1),
                       integral(0, 2)), 2) / mass
    M <- L %*% U
    new <- ref_adf(mu, S, x, y, v, epsilon)
    expect_close(new$mu, mu + M %*% first, 1e-7)
    expect_close(new$S, M %*% (second - tcrossprod(first)) %*% t(M), 1e-7)
  }
})

test_that("a surprising label inflates the covariance at finite df only", {
  S <- diag(3)
  x <- c(1, 0, 0)
  at <- function(v) ref_adf(c(3, 0, 0), S, x, -1, v, 0.01)$S[2, 2]
  expect_gt(at(3), 1.1)
  expect_close(at(Inf), 1, 1e-14)
})

# ---- reference cases ----

test_that("the 18 reference cases are reproduced", {
  skip_if_not_installed("jsonlite")
  for (case in reference_cases()) {
    K <- case_kernel(case)
    fit <- ref_ep(K, case$y, case$df, case$epsilon)
    expect_identical(fit$status, "converged",
                     label = paste("status of case", case$case))
    expect_lt(max(ref_residual(fit)), 1e-11)
    # Relative to each value. 2e-9: the smallest entries of m are 1e-4.
    for (name in c("tau", "nu", "m", "C_diag")) {
      expect_close(fit[[name]], case[[name]], 2e-9)
    }
    expect_close(fit$log_det, case$log_det, 1e-10)
    expect_close(fit$kappa, case$kappa, 1e-10)

    criteria <- ref_criteria(fit)
    expect_close(criteria$log_evidence, case$log_evidence_Z1, 1e-10)
    expect_close(criteria$log_evidence_zp, case$log_evidence_Zp, 1e-10)
    expect_close(criteria$loo, case$loo, 1e-10)
    expect_close(criteria$flipped, case$prob_flipped_loo, 1e-9)

    new <- ref_predict(fit, K, case_kernel(case, case$X_new),
                       case$theta0 + case$theta2 + case$theta3)
    expect_close(new$m, case$latent_new_m, 1e-9)
    expect_close(new$s2, case$latent_new_s2, 1e-9)
    expect_close(new$prob, case$prob_true_class_new, 1e-9)
    expect_close(new$prob_noisy, case$prob_observed_new, 1e-9)
  }
})

test_that("the stored sites are a fixed point of the projection", {
  skip_if_not_installed("jsonlite")
  for (case in reference_cases()) {
    fit <- ref_posterior(case_kernel(case), diag(case$n), case$tau, case$nu)
    fit <- list(tau = case$tau, nu = case$nu, m = fit$m, C_diag = fit$A,
                y = case$y, df = case$df, epsilon = case$epsilon, d = case$n)
    expect_lt(max(ref_residual(fit)), 1e-11)
  }
})

expect_case_gradient <- function(case) {
  slope <- ref_gradient(case$X, case$y, case$lengthscale, case$theta0,
                        case$theta2, case$theta3, df = case$df,
                        epsilon = case$epsilon)
  known <- seq_len(nrow(slope) - (case$epsilon == 0))
  # The stored gradients are good to 1e-6 max(1, |g|), the differences to 1e-8.
  expect_close(slope[known, "log_evidence"], case$d_evidence_Z1[known], 1e-6,
               floor = 1)
  expect_close(slope[known, "loo"], case$d_loo[known], 1e-6, floor = 1)
  # The scale of the kernel is not identified.
  scale <- slope[c("variance", "bias", "nugget"), ]
  expect_close(colSums(scale), c(0, 0, 0), 5e-8, floor = 1)
}

test_that("gradients by differences agree with the stored ones", {
  skip_if_not_installed("jsonlite")
  for (case in reference_cases()[c(2, 3, 5)]) expect_case_gradient(case)
})

extended_test("gradients of all reference cases agree with the stored ones", {
  skip_if_not_installed("jsonlite")
  for (case in reference_cases()) expect_case_gradient(case)
})

# ---- published values ----

test_that("small Bayes point machines have their published EP values", {
  for (machine in published_cases()$machines) {
    K <- tcrossprod(machine$X) + diag(machine$noise, length(machine$y))
    fit <- ref_ep(K, machine$y, Inf, machine$epsilon)
    expect_close(ref_criteria(fit)$log_evidence, machine$log_evidence, 1e-12)
    expect_lt(abs(machine$log_evidence - machine$exact), 0.1)
    if (is.null(machine$mean)) next
    # 5e-9: the published moments of the six points with flips are that far
    # from convergence (the evidence, stationary there, is not); others 1e-10.
    weights <- weights_from_kernel(fit, K, machine$X)
    tolerance <- if (machine$epsilon > 0) 5e-9 else 1e-10
    expect_close(weights$mean, machine$mean, tolerance, floor = 1)
    expect_close(weights$cov, machine$cov, tolerance, floor = 1)
    if (machine$noise > 0) next
    direct <- ref_ep_weights(diag(3), machine$X, machine$y, Inf,
                             machine$epsilon)
    expect_close(ref_criteria(direct)$log_evidence, machine$log_evidence, 1e-12)
    expect_close(direct$mean, machine$mean, tolerance, floor = 1)
    expect_close(direct$C, machine$cov, tolerance, floor = 1)
  }
})

test_that("sites of either sign are kept, not clipped", {
  six <- six_points()
  fit <- ref_ep(six$K, six$y, Inf, 0.1)
  expect_lt(min(fit$tau), 0)
  expect_gt(max(fit$tau), 0)
})

test_that("intercept-only probit has its published EP values", {
  known <- published_cases()$intercept
  for (i in seq_len(nrow(known))) {
    row <- known[i, ]
    n <- row$n1 + row$n0
    fit <- ref_ep(matrix(1, n, n) + diag(n), rep(c(1, -1), c(row$n1, row$n0)),
                  Inf, row$epsilon)
    value <- ref_criteria(fit)$log_evidence
    expect_close(value, row$log_evidence, 1e-11)
    expect_lt(abs(value - row$exact), 0.06)
  }
})

test_that("equicorrelated kernels have their tabled evidence", {
  known <- published_cases()$equicorrelated
  for (i in seq_len(nrow(known))) {
    n <- known$n[i]
    K <- (matrix(1, n, n) + diag(n)) / 2
    evidence <- function(v) ref_criteria(ref_ep(K, rep(1, n), v))$log_evidence
    # The table has four decimals.
    expect_lt(abs(evidence(Inf) - known$gaussian[i]), 5.001e-5)
    expect_lt(abs(evidence(10) - known$df_10[i]), 5.001e-5)
    expect_lt(abs(evidence(Inf) + log(n + 1)), 0.025)
  }
})

# ---- closed forms and identities ----

test_that("one observation is exact at every df and epsilon", {
  for (v in c(0.5, 3, 10, Inf)) for (epsilon in c(0, 0.1, 0.4)) {
    fit <- ref_ep(matrix(2.3), -1, v, epsilon)
    expect_identical(fit$status, "converged")
    criteria <- ref_criteria(fit)
    expect_close(criteria$log_evidence_zp, log(1 / 2), 1e-13)
    expect_close(criteria$loo, log(1 / 2), 1e-13)
    if (epsilon == 0 || is.infinite(v)) {
      expect_close(criteria$log_evidence, log(1 / 2), 1e-13)
    }
  }
})

test_that("Gaussian EP is near the orthant probability for n = 2 and 3", {
  six <- six_points()
  for (rows in list(1:2, c(1, 3), 4:6, c(2, 3, 5))) {
    K <- six$K[rows, rows] + diag(length(rows))
    value <- ref_criteria(ref_ep(K, six$y[rows]))$log_evidence
    expect_lt(abs(value - log(orthant_evidence(K, six$y[rows]))), 0.02)
  }
})

test_that("in two weight dimensions EP is near the exact sum over arcs", {
  withr::local_seed(3)
  X <- matrix(rnorm(24), 12)
  y <- sign(X[, 1] + 0.3 * rnorm(12))
  y[4] <- -y[4]
  normal <- atan2(X[, 2], X[, 1])
  cuts <- sort(c(normal + pi / 2, normal - pi / 2) %% (2 * pi))
  ends <- c(cuts, cuts[1] + 2 * pi)
  middle <- (head(ends, -1) + ends[-1]) / 2
  agrees <- y * (X %*% rbind(cos(middle), sin(middle))) > 0
  for (epsilon in c(0.02, 0.2)) {
    likelihood <- epsilon^colSums(!agrees) * (1 - epsilon)^colSums(agrees)
    exact <- log(sum(diff(ends) / (2 * pi) * likelihood))
    fit <- ref_ep_weights(diag(2), X, y, Inf, epsilon)
    expect_identical(fit$status, "converged")
    expect_lt(abs(ref_criteria(fit)$log_evidence - exact), 0.3)
  }
})

test_that("a diagonal kernel gives n log 2, and t-EP evidence does not", {
  known <- published_cases()$diagonal
  y <- rep(c(1, -1), known$n / 2)
  gaussian <- ref_criteria(ref_ep(diag(known$n), y))
  student <- ref_criteria(ref_ep(diag(known$n), y, 10))
  expect_close(gaussian$log_evidence, known$exact, 1e-12)
  expect_close(gaussian$loo, known$exact, 1e-12)
  expect_close(student$loo, known$exact, 1e-12)
  expect_lt(abs(student$log_evidence - known$df_10), 5.001e-3)
})

test_that("labels that say nothing leave the prior", {
  six <- six_points()
  for (v in c(3, Inf)) {
    fit <- ref_ep(six$K, six$y, v, 0.5 - 1e-9)
    # The sites are of order 1e-9 too.
    expect_close(fit$C_diag, diag(six$K), 1e-7)
    criteria <- ref_criteria(fit)
    expect_close(criteria$loo, 6 * log(1 / 2), 1e-7)
    # Section 4 with tau = nu = 0: not 6 log(1 / 2) unless v = Inf.
    expect_close(criteria$log_evidence_zp, if (is.finite(v)) {
      -v / 2 * log1p(6 * expm1(2 / v * log(2)))
    } else {
      6 * log(1 / 2)
    }, 1e-7)
  }
})

test_that("weight space and kernel space agree", {
  six <- six_points()
  X <- six$X
  Xnew <- rbind(c(0.3, -0.2, 1), c(2, 1, 1))
  S0 <- matrix(c(2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 0.5), 3)
  K <- X %*% S0 %*% t(X)
  # At finite df only for epsilon = 0: q depends on the dimension.
  for (setting in list(c(Inf, 0.1), c(Inf, 0), c(8, 0))) {
    v <- setting[1]
    a <- ref_ep(K, six$y, v, setting[2])
    b <- ref_ep_weights(S0, X, six$y, v, setting[2])
    expect_identical(c(a$status, b$status), rep("converged", 2))
    expect_close(a[c("tau", "nu", "m", "C_diag", "log_det")],
                 b[c("tau", "nu", "m", "C_diag", "log_det")], 1e-9, floor = 1)
    expect_close(ref_criteria(a)$log_evidence, ref_criteria(b)$log_evidence,
                 1e-10)
    direct <- ref_predict_weights(b, Xnew)
    kernel <- ref_predict(a, K, X %*% S0 %*% t(Xnew),
                          rowSums((Xnew %*% S0) * Xnew))
    expect_close(kernel, direct, 1e-9, floor = 1)
  }
})

test_that("the evidence is the integral of the q-product", {
  # [FSS17] Theorem 2 and eq. 42 assembled from the log-partition function g,
  # with the exponent v / (v + d), the sites scaled so that cavity times site
  # integrates to Z_i. Natural parameters: P = Psi (v S)^-1, h = P mu; in f
  # itself, so the scaled nu takes a factor sqrt(kappa).
  six <- six_points()
  K <- six$K + diag(0.5, 6)
  for (setting in list(c(3, 0.1), c(10, 0.02), c(10, 0))) {
    v <- setting[1]
    d <- 6
    q <- ref_q(v, d)
    fit <- ref_ep(K, six$y, v, setting[2])
    log_c <- lgamma((v + d) / 2) - lgamma(v / 2) - d / 2 * log(pi * v)
    log_det <- function(A) as.numeric(determinant(A)$modulus)
    psi <- function(P) {
      exp(((1 - q) * log_c + (1 - q) / 2 * (d * log(v) + log_det(P))) /
            (1 + (1 - q) * d / 2))
    }
    # (1 - q) g = 1 - Psi (1 + mu' (v S)^-1 mu)
    g <- function(P, h) (1 - psi(P) - sum(h * solve(P, h))) / (1 - q)
    psi0 <- exp((1 - q) * (log_c - log_det(K) / 2))
    P0 <- psi0 / v * solve(K)
    site <- psi0 / v
    P <- P0 + site * diag(fit$tau)
    nu <- site * sqrt(fit$kappa) * fit$nu
    tilted <- ref_criteria(fit)
    mass <- function(log_Z) expm1(-2 / v * log_Z) / (1 - q)  # ln_q Z^((v+d)/v)
    total <- function(log_Zi) {
      constants <- vapply(1:6, function(i) {
        P_i <- P - site * diag(replace(numeric(6), i, fit$tau[i]))
        h_i <- replace(nu, i, 0)
        # cavity (*) site integrates to
        # exp_q((g - g_i + ln_q c_i) / Psi)^(v / (v + d))
        psi(P) * mass(log_Zi[i]) - g(P, nu) + g(P_i, h_i)
      }, 0)
      bracket <- 1 + (1 - q) *
        (g(P, nu) - g(P0, numeric(6)) + sum(constants)) / psi(P)
      -v / 2 * log(bracket)
    }
    expect_close(total(tilted$loo_pointwise), tilted$log_evidence_zp, 1e-10)
  }
})

test_that("with a zero-mean prior the labels' names do not matter", {
  six <- six_points()
  for (v in c(8, Inf)) {
    a <- ref_ep(six$K, six$y, v, 0.1)
    b <- ref_ep(six$K, -six$y, v, 0.1)
    expect_close(a$m, -b$m, 1e-10, floor = 1)
    expect_close(ref_criteria(a)[c("log_evidence", "loo", "flipped")],
                 ref_criteria(b)[c("log_evidence", "loo", "flipped")], 1e-10)
  }
})

test_that("order of rows and scale of the kernel leave the fit unchanged", {
  skip_if_not_installed("jsonlite")
  for (case in reference_cases()[c(2, 6)]) {
    K <- case_kernel(case)
    fit <- ref_ep(K, case$y, case$df, case$epsilon)
    order <- rev(seq_len(case$n))
    back <- ref_ep(K[order, order], case$y[order], case$df, case$epsilon)
    expect_close(back$m[order], fit$m, 1e-8, floor = 1)
    scaled <- ref_ep(7 * K, case$y, case$df, case$epsilon)
    expect_close(scaled$m, sqrt(7) * fit$m, 1e-9, floor = 1)
    for (other in list(back, scaled)) {
      expect_close(ref_criteria(other)[c("log_evidence", "log_evidence_zp",
                                         "loo")],
                   ref_criteria(fit)[c("log_evidence", "log_evidence_zp",
                                       "loo")], 1e-10)
    }
  }
})

test_that("a large df tends to the Gaussian and does not cancel", {
  six <- six_points()
  for (epsilon in c(0, 0.1)) {
    criteria <- function(v) {
      unlist(ref_criteria(ref_ep(six$K, six$y, v, epsilon))[1:3])
    }
    limit <- criteria(Inf)
    # The difference is of order n / v.
    expect_close(criteria(1e8), limit, 1e-6)
    expect_close(criteria(1e12), limit, 1e-10)
  }
})

test_that("dE/depsilon at df = Inf is that of the tilted masses", {
  skip_if_not_installed("jsonlite")
  case <- reference_cases()[[12]]
  fit <- ref_ep(case_kernel(case), case$y, Inf, case$epsilon)
  # Zero exactly where epsilon is the mean flip probability: the EM fixed point.
  p <- ref_criteria(fit)$flipped
  slope <- sum(p / case$epsilon - (1 - p) / (1 - case$epsilon))
  expect_close(slope, case$d_evidence_Z1[["epsilon"]], 1e-6, floor = 1)
})

test_that("t-EP loses its fixed point in a fold at small df", {
  # Six points, epsilon = 0: Newton's method loses it between 5.110 and 5.1125.
  six <- six_points()
  expect_identical(ref_ep(six$K, six$y, 5.2)$status, "converged")
  lost <- ref_ep(six$K, six$y, 5, max_sweeps = 200)
  expect_identical(lost$status, "no_fixed_point")
})

# ---- kernel ----

test_that("the kernel mixes squared differences and mismatches", {
  X <- data.frame(a = c(0, 1, 3), f = factor(c("u", "v", "u")))
  K <- ref_kernel(X, NULL, c(2, 0.5), 1.5, 0.2, 0.1, c(FALSE, TRUE))
  # l = 1/8 and 2
  by_hand <- 1.5 * exp(-c(1 / 8 + 2, 9 / 8, 4 / 8 + 2)) + 0.2
  expect_close(K[lower.tri(K)], by_hand, 1e-15)
  expect_close(diag(K), rep(1.8, 3), 1e-15)
  new <- data.frame(a = 1, f = factor("u"))
  expect_close(ref_kernel(X, new, c(2, 0.5), 1.5, 0.2, 0.1, c(FALSE, TRUE)),
               1.5 * exp(-c(1 / 8, 2, 4 / 8)) + 0.2, 1e-15)
})
