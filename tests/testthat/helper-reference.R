# The mathematics in plain R: slow, dense and readable on purpose, one formula
# at a time, sharing no code with the package. Sections, and equations such as
# [M 2.5], are those of vignettes/articles/mathematics.Rmd. Keys: [FSS17] Futami, Sato,
# Sugiyama, NIPS 2017; [DQV11] Ding, Vishwanathan, Qi, NIPS 2011; [KG08] Kim,
# Ghahramani, SSPR 2008; [RW06] Rasmussen, Williams, GPML 2006.
#
# Symbols: df = v (Inf: Gaussian), d = dimension of the latent vector (n in
# kernel space, k in weight space), y = labels -1/+1, epsilon = flip rate,
# (tau, nu) = sites in scaled coordinates.

# ---- Section 2: tilted escort moments ---------------------------------------

# Entropic index of a t with v degrees of freedom in d dimensions (section 1).
ref_q <- function(df, d) if (is.finite(df)) 1 + 2 / (df + d) else 1

# log(e0 + (e1 - e0) F); at e0 = 0 only logs, so that F may underflow.
ref_log_mix <- function(e0, e1, log_F) {
  if (e0 == 0) log(e1) + log_F else log(e0 + (e1 - e0) * exp(log_F))
}

# Mean and variance of w = y f / s under the tilted escort when epsilon = 0: a
# t with v + 2 df, location z and squared scale v / (v + 2), cut to w > 0. Its
# density relative to w = 0 is (1 + (w^2 - 2 z w) / (v + z^2))^(-(v + 3) / 2),
# integrated in units of its decay length. No difference of large numbers: right
# where the closed form cancels, far below zero at large v.
ref_tail_moments <- function(z, df) {
  finite <- is.finite(df)
  unit <- if (finite) (df + z^2) / (-z * (df + 3)) else -1 / z
  density <- function(x) {
    w <- x * unit
    if (!finite) return(exp(z * w - w^2 / 2))
    exp(-(df + 3) / 2 * log1p((w^2 - 2 * z * w) / (df + z^2)))
  }
  moment <- function(power) {
    integrate(function(x) power(x) * density(x), 0, Inf,
              rel.tol = 1e-12, abs.tol = 0, subdivisions = 1000L)$value
  }
  mass <- moment(function(x) 1)
  mean <- moment(function(x) x) / mass
  var <- moment(function(x) (x - mean)^2) / mass
  c(mean = unit * mean, var = unit^2 * var)
}

# Scalar cavity St(f; v, m, s2) times the flip likelihood: [DQV11] eqs 38-47,
# [FSS17] eq. 36. `a` and `ratio` = Z1 / Z2 as in [M 2.3, 2.5].
ref_tilted <- function(m, s2, y, df, epsilon, d) {
  q <- ref_q(df, d)
  e0 <- epsilon^q
  e1 <- (1 - epsilon)^q
  s <- sqrt(s2)
  z <- y * m / s
  stretch <- if (is.finite(df)) sqrt((df + 2) / df) else 1
  log_F <- pt(z, df, log.p = TRUE)
  log_Z1 <- ref_log_mix(e0, e1, log_F)
  log_Zp <- ref_log_mix(epsilon, 1 - epsilon, log_F)
  # Probability that the label was flipped [M 7.4].
  flipped <- exp(log(epsilon) + pt(-z, df, log.p = TRUE) - log_Zp)

  if (epsilon == 0 && z < -5 && df > 10) {
    tail <- ref_tail_moments(z, df)
    a <- (tail[["mean"]] - z) / s
    ratio <- tail[["var"]] - z * tail[["mean"]] + tail[["mean"]]^2
    m_hat <- y * s * tail[["mean"]]
    V <- s2 * tail[["var"]]
  } else {
    log_Z2 <- ref_log_mix(e0, e1, pt(z * stretch, df + 2, log.p = TRUE))
    a <- exp(log(e1 - e0) + dt(z, df, log = TRUE) - log_Z2) / s
    ratio <- exp(log_Z1 - log_Z2)
    m_hat <- m + y * s2 * a
    V <- ratio * s2 - s2 * a * y * m_hat
  }
  list(log_Z1 = log_Z1, log_Zp = log_Zp, flipped = flipped, a = a,
       ratio = ratio, m_hat = m_hat, V = V)
}

# Assumed density filtering: full escort moments of St(w; v, mu, S) times the
# flip likelihood of <w, x> [M 2.11].
ref_adf <- function(mu, S, x, y, df = Inf, epsilon = 0) {
  Sx <- drop(S %*% x)
  s2 <- sum(x * Sx)
  tilted <- ref_tilted(sum(x * mu), s2, y, df, epsilon, length(mu))
  mu_new <- mu + y * tilted$a * Sx
  S_new <- tilted$ratio * S -
    tcrossprod(Sx) * tilted$a * y * tilted$m_hat / s2
  list(mu = mu_new, S = S_new, log_Z1 = tilted$log_Z1, log_Zp = tilted$log_Zp)
}

# ---- Section 3: EP ----------------------------------------------------------

# Cavity [M 3.4] of a site with marginal (A, m) and sites (tau, nu); A, m, ...
# may be vectors. Improper where u <= 0.
ref_cavity <- function(A, m, tau, nu, df) {
  u <- 1 - tau * A
  Ac <- A / u
  s2 <- if (is.finite(df)) ifelse(u > 0, pmax(u, 0)^(-1 / df), NaN) * Ac else Ac
  list(u = u, var = Ac, mean = (m - A * nu) / u, s2 = s2)
}

# Projection of the tilted distribution onto one site [M 3.5].
ref_project <- function(A, m, tau, nu, y, df, epsilon, d) {
  cavity <- ref_cavity(A, m, tau, nu, df)
  if (!is.finite(cavity$u) || cavity$u <= 0) return(NULL)
  tilted <- ref_tilted(cavity$mean, cavity$s2, y, df, epsilon, d)
  power <- if (is.finite(df)) df / (df + 1) else 1
  g <- (cavity$s2 / tilted$V)^power
  list(tau = (g - 1) / cavity$var,
       nu = (tilted$m_hat * g - cavity$mean) / cavity$var)
}

# C = (S0^-1 + X'TX)^-1, D = log|I + S0 X'TX|, latent marginals x_i'm, x_i'Cx_i
# [M 3.2, 3.11].
# S0 may be singular; T may have negative entries.
ref_posterior <- function(S0, X, tau, nu) {
  B <- diag(nrow(S0)) + S0 %*% crossprod(X, tau * X)
  C <- solve(B, S0, tol = 0)
  C <- (C + t(C)) / 2
  det <- determinant(B, logarithm = TRUE)
  mean <- drop(C %*% crossprod(X, nu))
  list(C = C, mean = mean, m = drop(X %*% mean), A = rowSums((X %*% C) * X),
       D = as.numeric(det$modulus), proper = det$sign > 0,
       condition = kappa(B))
}

# Sequential EP, sites in order. Prior St(w; v, 0, S0), observation i sees the
# sign of <w, X[i, ]>. Kernel space is S0 = K with X the identity. A residual
# within rounding, machine epsilon times the condition number of I + S0 X'TX,
# is accepted too: `tol` may be out of reach.
ref_ep_weights <- function(S0, X, y, df = Inf, epsilon = 0, tol = 1e-12,
                           sites = NULL, max_sweeps = 1000) {
  n <- length(y)
  d <- nrow(S0)
  tau <- if (is.null(sites)) numeric(n) else sites$tau
  nu <- if (is.null(sites)) numeric(n) else sites$nu
  post <- ref_posterior(S0, X, tau, nu)
  damping <- 1
  last <- Inf
  residual <- rep(Inf, n)
  status <- "max_sweeps"
  for (sweep in seq_len(max_sweeps)) {
    C <- post$C
    h <- drop(crossprod(X, nu))
    skipped <- FALSE
    for (i in seq_len(n)) {
      x <- X[i, ]
      Cx <- drop(C %*% x)
      A <- sum(x * Cx)
      new <- ref_project(A, sum(Cx * h), tau[i], nu[i], y[i], df, epsilon, d)
      dtau <- if (is.null(new)) NaN else damping * (new$tau - tau[i])
      if (!is.finite(dtau) || 1 + dtau * A <= 0) {
        skipped <- TRUE
        next
      }
      dnu <- damping * (new$nu - nu[i])
      residual[i] <- max(abs(dtau) * A, abs(dnu) * sqrt(A)) / damping
      C <- C - tcrossprod(Cx) * dtau / (1 + dtau * A)
      h <- h + x * dnu
      tau[i] <- tau[i] + dtau
      nu[i] <- nu[i] + dnu
    }
    post <- ref_posterior(S0, X, tau, nu)
    if (!post$proper || !all(is.finite(post$A)) || any(post$A < 0)) {
      status <- "improper"
      break
    }
    worst <- max(residual, 0)
    rounding <- min(1e-9, .Machine$double.eps * post$condition)
    if (!skipped && worst < max(tol, rounding)) {
      status <- "converged"
      break
    }
    grew <- skipped || worst > last
    damping <- if (grew) max(damping / 2, 1 / 16) else min(1, damping * 1.2)
    last <- worst
  }
  list(status = status, sweeps = sweep, residual = residual, tau = tau, nu = nu,
       m = post$m, C_diag = post$A, C = post$C, log_det = post$D,
       kappa = if (is.finite(df)) exp(-post$D / df) else 1,
       mean = post$mean, y = y, df = df, epsilon = epsilon, d = d, S0 = S0)
}

# Kernel space. Where a cold start finds no fixed point, follow it down from
# larger v; "no_fixed_point" means that this did not find one either. (There may
# be one on which sweeps do not settle at any damping; only Newton finds those.)
ref_ep <- function(K, y, df = Inf, epsilon = 0, tol = 1e-12, sites = NULL,
                   max_sweeps = 1000) {
  run <- function(v, sites) {
    ref_ep_weights(K, diag(length(y)), y, v, epsilon, tol, sites, max_sweeps)
  }
  fit <- run(df, sites)
  if (fit$status == "converged" || !is.finite(df)) return(fit)
  sites <- NULL
  for (v in c(Inf, df * 2^(6:1 / 2), df)) {
    fit <- run(v, sites)
    if (fit$status != "converged") break
    sites <- fit[c("tau", "nu")]
  }
  if (fit$status != "converged") fit$status <- "no_fixed_point"
  fit
}

# ---- Sections 4, 5 and 7: evidence, leave-one-out, flipped labels -----------

# log Z with site normalisers log_Zi; u and cavity from ref_cavity(). NA where
# the bracket of the q-exponential is not positive.
ref_log_evidence <- function(fit, cavity, log_Zi) {
  v <- fit$df
  D <- fit$log_det
  h <- sum(fit$nu * fit$m)
  if (!is.finite(v)) {
    # [M 4.5], [RW06 3.65]
    return(-D / 2 + h / 2 + sum(
      log_Zi - log(cavity$u) / 2 - fit$m^2 / (2 * fit$C_diag) +
        cavity$mean^2 / (2 * cavity$var)
    ))
  }
  # [M 4.3, 4.4]: [FSS17] eq. 42 with the exponent v / (v + d)
  w <- fit$m - fit$C_diag * fit$nu
  R <- sum(
    expm1(-(2 / v) * log_Zi) - expm1(-log(cavity$u) / v) +
      (2 * fit$nu * fit$m - fit$nu^2 * fit$C_diag -
         (fit$tau / cavity$u) * w^2) / v
  ) - h / v
  if (!isTRUE(exp(-D / v) * R > -1)) return(NA_real_)
  -D / 2 - (v / 2) * log1p(exp(-D / v) * R)
}

# Everything is NA when a cavity is improper (sites that are no fixed point).
ref_criteria <- function(fit) {
  cavity <- ref_cavity(fit$C_diag, fit$m, fit$tau, fit$nu, fit$df)
  if (!isTRUE(all(cavity$u > 0))) {
    none <- rep(NA_real_, length(fit$y))
    return(list(log_evidence = NA_real_, log_evidence_zp = NA_real_,
                loo = NA_real_, loo_pointwise = none, flipped = none,
                cavity = cavity))
  }
  tilted <- Map(ref_tilted, cavity$mean, cavity$s2, fit$y,
                MoreArgs = list(df = fit$df, epsilon = fit$epsilon, d = fit$d))
  pick <- function(name) vapply(tilted, function(x) x[[name]], 0)
  log_Zp <- pick("log_Zp")
  list(log_evidence = ref_log_evidence(fit, cavity, pick("log_Z1")),
       log_evidence_zp = ref_log_evidence(fit, cavity, log_Zp),
       loo = sum(log_Zp), loo_pointwise = log_Zp, flipped = pick("flipped"),
       cavity = cavity)
}

# How far the sites are from s = G(s), all at once [M 3.6].
ref_residual <- function(fit) {
  vapply(seq_along(fit$y), function(i) {
    new <- ref_project(fit$C_diag[i], fit$m[i], fit$tau[i], fit$nu[i],
                       fit$y[i], fit$df, fit$epsilon, fit$d)
    if (is.null(new)) return(Inf)
    max(abs(new$tau - fit$tau[i]) * fit$C_diag[i],
        abs(new$nu - fit$nu[i]) * sqrt(fit$C_diag[i]))
  }, 0)
}

# ---- Section 6: kernel ------------------------------------------------------

# [M 6.1, 6.2]: [FSS17] eq. 44, [KG08] eqs 11-12, l_j = 1 / (2 lengthscale_j^2);
# X is a matrix or a data frame. Without Xnew the Gram matrix, nugget included;
# otherwise the cross kernel, no nugget, one row per row of X.
ref_kernel <- function(X, Xnew = NULL, lengthscale, variance = 1, bias = 0,
                       nugget = 0, is_factor = rep(FALSE, ncol(X))) {
  other <- if (is.null(Xnew)) X else Xnew
  lengthscale <- rep_len(lengthscale, ncol(X))
  exponent <- matrix(0, nrow(X), nrow(other))
  for (j in seq_len(ncol(X))) {
    distance <- if (is_factor[j]) {
      outer(as.character(X[, j]), as.character(other[, j]), "!=") + 0
    } else {
      outer(X[, j], other[, j], "-")^2
    }
    exponent <- exponent + distance / (2 * lengthscale[j]^2)
  }
  K <- variance * exp(-exponent) + bias
  if (is.null(Xnew)) K <- K + diag(nugget, nrow(X))
  K
}

# ---- Section 7: prediction --------------------------------------------------

# [M 7.1]. K: Gram matrix, k_star: n x new cross kernel, k_self: k(x*, x*) with
# nugget.
# m and s2 are in scaled coordinates, location and scale in units of f.
ref_predict <- function(fit, K, k_star, k_self) {
  H <- solve(diag(nrow(K)) + fit$tau * K, tol = 0)
  b <- drop(H %*% fit$nu)
  R <- t(t(H) * fit$tau)
  m <- drop(crossprod(k_star, b))
  s2 <- k_self - colSums(k_star * (R %*% k_star))
  ref_class_probability(m, s2, fit)
}

# The same in weight space, rows of Xnew being features.
ref_predict_weights <- function(fit, Xnew) {
  ref_class_probability(drop(Xnew %*% fit$mean),
                        rowSums((Xnew %*% fit$C) * Xnew), fit)
}

ref_class_probability <- function(m, s2, fit) {
  prob <- pt(m / sqrt(s2), fit$df)
  list(m = m, s2 = s2, prob = prob,
       prob_noisy = fit$epsilon + (1 - 2 * fit$epsilon) * prob,
       location = sqrt(fit$kappa) * m, scale = sqrt(fit$kappa * s2))
}

# ---- Section 5: gradients by differences ------------------------------------

# Fourth-order central differences of every criterion, the sites re-converged at
# each point. Rows: log lengthscale.1, ..., log variance, log bias, log nugget,
# and epsilon itself (NA at 0); columns: the criteria.
ref_gradient <- function(X, y, lengthscale, variance = 1, bias = 0, nugget = 0,
                         is_factor = rep(FALSE, ncol(X)), df = Inf, epsilon = 0,
                         tol = 1e-12, step = 1e-3) {
  lengthscale <- rep_len(lengthscale, ncol(X))
  value <- c(lengthscale, variance, bias, nugget, epsilon)
  names(value) <- c(paste0("lengthscale.", seq_along(lengthscale)),
                    "variance", "bias", "nugget", "epsilon")
  p <- length(lengthscale)
  fit_at <- function(v, sites = NULL) {
    K <- ref_kernel(X, NULL, v[1:p], v[[p + 1]], v[[p + 2]], v[[p + 3]],
                    is_factor)
    ref_ep(K, y, df, v[[p + 4]], tol, sites)
  }
  sites <- fit_at(value)[c("tau", "nu")]
  at <- function(j, move) {
    value[j] <- value[j] * exp(move)
    fit <- fit_at(value, sites)
    if (fit$status != "converged") return(c(NA, NA, NA))
    unlist(ref_criteria(fit)[c("log_evidence", "log_evidence_zp", "loo")])
  }
  slope <- t(vapply(seq_along(value), function(j) {
    (8 * (at(j, step) - at(j, -step)) - (at(j, 2 * step) - at(j, -2 * step))) /
      (12 * step)
  }, numeric(3)))
  dimnames(slope) <- list(names(value),
                          c("log_evidence", "log_evidence_zp", "loo"))
  slope[p + 4, ] <- if (epsilon > 0) slope[p + 4, ] / epsilon else NA_real_
  slope
}

# Of C: tilted escort moments of single cavities St(df, mean, var), a matrix with the
# columns log_z1, log_zp, mean, var
tilted_labels <- function(y, mean, var, df, epsilon, d) {
  out <- native_tilted(likely(y, epsilon), mean, var, df, d)[, 1:4, drop = FALSE]
  colnames(out) <- c("log_z1", "log_zp", "mean", "var")
  out
}
