# For the tests of the t-exponential family: densities from their textbook
# form, and quadrature in one and two dimensions.

# The message of an error, without what versions of testthat put around it
family_error <- function(code) {
  cat(conditionMessage(rlang::catch_cnd(code, "error")), "\n", sep = "")
}

# log density of St(df, mu, S) at the rows of x; normal at df = Inf
family_log_density <- function(x, p) {
  d <- length(p$mu)
  x <- matrix(x, ncol = d)
  centred <- t(x) - p$mu
  distance <- colSums(centred * solve(p$Sigma, centred))
  log_det <- as.numeric(determinant(p$Sigma)$modulus)
  if (is.infinite(p$df)) {
    return(-(d * log(2 * pi) + log_det + distance) / 2)
  }
  lgamma((p$df + d) / 2) - lgamma(p$df / 2) -
    (d * log(p$df * pi) + log_det) / 2 -
    (p$df + d) / 2 * log1p(distance / p$df)
}

# ln_q of a density given as its logarithm: far out the density is 0
family_ln_q <- function(log_p, q) {
  if (q == 1) log_p else expm1((1 - q) * log_p) / (1 - q)
}

# Integral over the plane of f, a function of a matrix with two columns: the
# product of two tanh-sinh rules for the whole line (x = sinh(pi/2 sinh t)),
# whose error is that of rounding for integrands with algebraic tails.
family_integral_2 <- function(f, step = 1 / 32, range = 4) {
  t <- seq(-range, range, by = step)
  x <- sinh(pi / 2 * sinh(t))
  w <- step * pi / 2 * cosh(t) * cosh(pi / 2 * sinh(t))
  value <- f(cbind(rep(x, length(x)), rep(x, each = length(x))))
  drop(w %*% matrix(value, length(x)) %*% w)
}

# The same over the line, by integrate()
family_integral_1 <- function(f) {
  half <- function(sign) {
    g <- function(u) f(sign * u / (1 - u)) / (1 - u)^2
    integrate(g, 0, 1, rel.tol = 1e-12, abs.tol = 0, subdivisions = 1000)$value
  }
  half(-1) + half(1)
}

family_integral <- function(f, d) {
  if (d == 1) family_integral_1(f) else family_integral_2(f)
}

# Examples in one and two dimensions, neither centred nor isotropic
family_examples <- function(df) {
  list(
    mvt(0.7, 1.8, df),
    mvt(c(0.5, -0.4), matrix(c(1.5, 0.4, 0.4, 0.8), 2), df)
  )
}

# Psi of the closed forms, by the textbook
family_psi <- function(p) {
  d <- length(p$mu)
  log_c <- lgamma((p$df + d) / 2) - lgamma(p$df / 2) - d / 2 * log(pi * p$df)
  exp(-2 / (p$df + d) * (log_c - log(det(p$Sigma)) / 2))
}
