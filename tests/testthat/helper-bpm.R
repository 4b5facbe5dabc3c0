# Linear problems for the tests of the Bayes point machine.

# Noisy half-spaces with a few wrong labels, prior scales of different size. With
# many other seeds plain sweeps, as those of the reference, do not settle.
linear_problem <- function(n = 40, k = 3, seed = 4) {
  withr::with_seed(seed, {
    X <- matrix(rnorm(n * k), n, dimnames = list(NULL, make.unique(rep_len(letters, k))))
    y <- ifelse(drop(X %*% rnorm(k)) + 0.5 * rnorm(n) > 0, 1, -1)
    wrong <- sample(n, n %/% 15)
    y[wrong] <- -y[wrong]
    list(X = X, y = y, s = stats::setNames(exp(rnorm(k)), colnames(X)))
  })
}

# Unscaled, without intercept, to rounding: the model of linear_problem() itself.
bare_bpm <- function(problem, df = Inf, epsilon = 0.1, nugget = 0, ...) {
  bpm(
    problem$X, problem$y, df = df, prior_scale = problem$s, nugget = nugget, epsilon = epsilon,
    intercept = FALSE, scale = FALSE, control = ep_control(tol = 1e-12), ...
  )
}

# Mean and covariance of the escort of St(w; df, mu, S) times the flip likelihood
# of the label y of w'x, by nested quadrature: the escort of the t is a t with
# df + 2, the likelihood enters to the power q. u is w'x standardised, v the
# coordinate across it; given u, the distribution of v is symmetric.
escort_moments_2d <- function(mu, S, x, y, df, epsilon) {
  q <- ref_q(df, 2)
  s <- sqrt(drop(t(x) %*% S %*% x))
  along <- drop(S %*% x) / s
  across <- drop(t(chol(S)) %*% c(1, 0))
  across <- across - along * sum(solve(S, across) * along)
  across <- across / sqrt(sum(solve(S, across) * across))
  density <- function(u, v) { # of the escort, not normalised
    if (is.finite(df)) (1 + (u^2 + v^2) / df)^(-(df + 4) / 2) else exp(-(u^2 + v^2) / 2)
  }
  over_v <- function(u, power) {
    vapply(u, function(u) {
      2 * integrate(function(v) v^power * density(u, v), 0, Inf,
                    rel.tol = 1e-11, abs.tol = 0)$value
    }, 0)
  }
  edge <- -sum(mu * x) / s
  side <- function(lower, upper, right, i, j) {
    (if (right) 1 - epsilon else epsilon)^q *
      integrate(function(u) u^i * over_v(u, j), lower, upper,
                rel.tol = 1e-10, abs.tol = 1e-14)$value
  }
  mass <- function(i, j) {
    side(edge, Inf, y > 0, i, j) + side(-Inf, edge, y < 0, i, j)
  }
  total <- mass(0, 0)
  mean_u <- mass(1, 0) / total
  var_u <- mass(2, 0) / total - mean_u^2
  var_v <- mass(0, 2) / total
  list(
    mean = mu + along * mean_u,
    cov = var_u * tcrossprod(along) + var_v * tcrossprod(across)
  )
}

# A class of two, three inputs (one a factor), a few wrong labels.
linear_data <- function(n = 120) {
  withr::with_seed(11, {
    d <- data.frame(
      a = rnorm(n, 5), b = rnorm(n, 0, 3), f = factor(sample(c("u", "v", "w"), n, TRUE))
    )
    d$class <- factor(ifelse(d$a - 5 - d$b / 3 + (d$f == "u") > 0, "yes", "no"))
    wrong <- sample(n, 5)
    d$class[wrong] <- ifelse(d$class[wrong] == "yes", "no", "yes")
    d
  })
}
