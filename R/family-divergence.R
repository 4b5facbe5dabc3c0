#' Entropies of the t-exponential family
#'
#' `q_entropy()` is the entropy that belongs to the q-exponential (the
#' "t-entropy" of Ding, Qi and Vishwanathan, 2011), `tsallis_entropy()` and
#' `renyi_entropy()` the two classical ones it is related to: each for Bernoulli
#' distributions, given as a vector of probabilities, and for the multivariate
#' Student-t, given as an [mvt()] object. For one distribution over more outcomes see
#' [categorical()].
#'
#' @details
#' With \eqn{s = \int p^q}{s = int p^q} (a sum for the Bernoulli),
#' \deqn{\mathrm{Tsallis} = \frac{s - 1}{1 - q}, \quad
#'   \mathrm{Renyi} = \frac{\log s}{1 - q}, \quad
#'   \textrm{q-entropy} = -\mathrm{E}_{p^q/s}[\ln_q p]
#'   = \frac{1 - 1/s}{1 - q}}{Tsallis = (s - 1)/(1 - q),
#'   Renyi = log(s)/(1 - q), q-entropy = -E_escort[ln_q p] = (1 - 1/s)/(1 - q)}
#' All three are Shannon's entropy at `q = 1`, which is reached continuously, and
#' they are increasing functions of each other:
#' * `tsallis_entropy = ln_q(exp(renyi_entropy), q)`
#' * `q_entropy = -ln_q(exp(-renyi_entropy), q)`
#' * `q_entropy = tsallis_entropy / s`.
#'
#' For \eqn{\mathrm{St}(v, \mu, \Sigma)}{St(v, mu, Sigma)} in d dimensions at its
#' own index q = 1 + 2/(v + d), s is
#' \eqn{v / ((v + d) \Psi)}{v/((v + d) Psi)} with \eqn{\Psi}{Psi} as in
#' [mvt_natural()], so that the q-entropy is
#' \eqn{-(\Psi (1 + d/v) - 1)/(1 - q)}{-(Psi (1 + d/v) - 1)/(1 - q)}. (Equation
#' 13 of Ding, Qi and Vishwanathan (2011) has `1 + 1/v`, the case d = 1.)
#'
#' # Domains
#' Probabilities in `[0, 1]` and finite orders of at least 0; elsewhere the result
#' is `NaN` with a warning. At order 0, an outcome of probability 0 is not counted. For
#' the Student-t, the integral diverges for orders up to d/(v + d): there the
#' Renyi and Tsallis entropies are `Inf` and the q-entropy is `1/(1 - q)`.
#'
#' @param x A numeric vector of probabilities, each a Bernoulli distribution, or an
#'   object made by [mvt()].
#' @param q,order Numeric, the index: recycled against `x` for Bernoulli
#'   distributions. For an [mvt()] object, any number of indices, or `NULL` for
#'   its own q = 1 + 2/(df + d).
#' @param ... Not used; an unknown argument is an error.
#'
#' @return A numeric vector in natural units (nats at `q = 1`). For probabilities,
#'   recycled and with attributes as in [exp_q()]; for an [mvt()] object, one
#'   number for each index.
#'
#' @section Conditions:
#' * `sturdy_warning_nan`: NaNs were produced.
#' * `sturdy_error_type`: `x` is neither numeric nor an [mvt()] object, or the
#'   index is not numeric.
#' * `sturdy_error_unknown_argument`: an unknown argument.
#'
#' @inherit sturdy-package references
#' @seealso [q_divergence()], [categorical()], [exp_q()], [mvt()]
#' @keywords internal
#' @export
#' @examples
#' q_entropy(c(0.1, 0.5), q = 1.5)
#' renyi <- renyi_entropy(c(0.1, 0.5), order = 1.5)
#' -ln_q(exp(-renyi), q = 1.5)
#'
#' p <- mvt(c(0, 0), diag(2), df = 3)
#' q_entropy(p)
#' tsallis_entropy(p, order = c(0.9, 1, 1.1))
q_entropy <- function(x, ...) UseMethod("q_entropy")

#' @rdname q_entropy
#' @export
q_entropy.numeric <- function(x, q, ...) {
  check_no_dots(...)
  elementwise("bernoulli_q_entropy", list(x = x, q = q))
}

#' @rdname q_entropy
#' @export
q_entropy.sturdy_mvt <- function(x, q = NULL, ...) {
  check_no_dots(...)
  mvt_entropy(x, q, "q_entropy", "q")
}

#' @export
q_entropy.default <- escort.default

#' @rdname q_entropy
#' @export
tsallis_entropy <- function(x, ...) UseMethod("tsallis_entropy")

#' @rdname q_entropy
#' @export
tsallis_entropy.numeric <- function(x, order, ...) {
  check_no_dots(...)
  elementwise("bernoulli_tsallis", list(x = x, order = order))
}

#' @rdname q_entropy
#' @export
tsallis_entropy.sturdy_mvt <- function(x, order = NULL, ...) {
  check_no_dots(...)
  mvt_entropy(x, order, "tsallis", "order")
}

#' @export
tsallis_entropy.default <- escort.default

#' @rdname q_entropy
#' @export
renyi_entropy <- function(x, ...) UseMethod("renyi_entropy")

#' @rdname q_entropy
#' @export
renyi_entropy.numeric <- function(x, order, ...) {
  check_no_dots(...)
  elementwise("bernoulli_renyi", list(x = x, order = order))
}

#' @rdname q_entropy
#' @export
renyi_entropy.sturdy_mvt <- function(x, order = NULL, ...) {
  check_no_dots(...)
  mvt_entropy(x, order, "renyi", "order")
}

#' @export
renyi_entropy.default <- escort.default

#' q-divergence
#'
#' The divergence that belongs to the q-exponential (the "t-divergence" of Ding,
#' Qi and Vishwanathan, 2011), between two Bernoulli distributions or between two
#' multivariate Student-t distributions with the same degrees of freedom ([categorical()]
#' has that of distributions over more outcomes). It is the one that t-EP minimises, site by site.
#'
#' @details
#' \deqn{D_q(p \| r) = \mathrm{E}_{p^q/s}[\ln_q p - \ln_q r], \quad
#'   s = \int p^q}{D_q(p || r) = E_escort(p)[ln_q p - ln_q r], s = int p^q}
#' For Bernoulli distributions this is \eqn{(1 - p^q r^{1-q} - (1-p)^q
#' (1-r)^{1-q})/((1-q) s)}{(1 - p^q r^(1-q) - (1-p)^q (1-r)^(1-q))/((1-q) s)}.
#' For \eqn{\mathrm{St}(v, \mu_1, \Sigma_1)}{St(v, mu1, Sigma1)} and
#' \eqn{\mathrm{St}(v, \mu_2, \Sigma_2)}{St(v, mu2, Sigma2)} in d dimensions, at
#' q = 1 + 2/(v + d),
#' \deqn{\frac{\Psi_1 (1 + d/v) - \Psi_2 (1 + \mathrm{tr}(K_2 \Sigma_1) +
#'   (\mu_1 - \mu_2)' K_2 (\mu_1 - \mu_2))}{1-q}}{[Psi1 (1 + d/v) -
#'   Psi2 (1 + tr(K2 Sigma1) + (mu1 - mu2)' K2 (mu1 - mu2))]/(1-q)}
#' with \eqn{\Psi}{Psi} and K as in [mvt_natural()]. At `q = 1` (`df = Inf`) it is
#' the Kullback-Leibler divergence, reached continuously. Up to rounding it is at least
#' 0, and 0 only for equal distributions.
#'
#' # Domains
#' Probabilities in `[0, 1]` and finite `q` above 0; elsewhere the result is `NaN`
#' with a warning. For `q >= 1` the divergence is `Inf` where `y` rules out an
#' outcome that `x` does not.
#'
#' @param x,y Two numeric vectors of probabilities, each a Bernoulli distribution,
#'   or two objects made by [mvt()], of equal dimension and `df`.
#' @param q Numeric, the index of the divergence between Bernoulli distributions.
#'   Between two [mvt()] objects it is their own.
#' @param ... Not used; an unknown argument is an error.
#'
#' @return For probabilities, a numeric vector, recycled and with attributes as in
#'   [exp_q()]; for [mvt()] objects, a number.
#'
#' @section Conditions:
#' * `sturdy_warning_nan`: NaNs were produced.
#' * `sturdy_error_type`: `x` and `y` are not both numeric or both [mvt()] objects.
#' * `sturdy_error_mvt_mismatch`: dimensions or `df` differ.
#' * `sturdy_error_overflow`: the result cannot be represented.
#' * `sturdy_error_unknown_argument`: an unknown argument.
#'
#' @inherit sturdy-package references
#' @seealso [q_entropy()], [categorical()], [exp_q()], [mvt()]
#' @keywords internal
#' @export
#' @examples
#' q_divergence(0.3, c(0.1, 0.3, 0.5), q = 1.5)
#'
#' p <- mvt(c(0, 0), diag(2), df = 4)
#' r <- mvt(c(1, 0), 2 * diag(2), df = 4)
#' q_divergence(p, r)
#' q_divergence(p, p)
q_divergence <- function(x, y, ...) UseMethod("q_divergence")

#' @rdname q_divergence
#' @export
q_divergence.numeric <- function(x, y, q, ...) {
  check_no_dots(...)
  elementwise("bernoulli_q_divergence", list(x = x, y = y, q = q))
}

#' @rdname q_divergence
#' @export
q_divergence.sturdy_mvt <- function(x, y, ...) {
  check_no_dots(...)
  must(inherits(y, "sturdy_mvt"), "y", "be made by {.fn mvt}, as {.arg x} is", got = y)
  x <- as_mvt(x)
  y <- as_mvt(y)
  must(
    length(x$mu) == length(y$mu) && x$df == y$df, c("x", "y"),
    "have the same dimension and the same {.arg df}, so that their q agrees", "mvt_mismatch",
    more = c(
      x = "{.arg x}: {describe_mvt(length(x$mu), x$df)}.",
      x = "{.arg y}: {describe_mvt(length(y$mu), y$df)}."
    )
  )
  out <- native_mvt_q_divergence(x$mu, x$Sigma, y$mu, y$Sigma, x$df)
  check_mvt_status(out$status, "Sigma")
  out$divergence
}

#' @export
q_divergence.default <- function(x, y, ...) escort.default(x)

# Helpers -------------------------------------------------------------------

mvt_entropy <- function(x, order, type, arg) {
  x <- as_mvt(x)
  if (!is.null(order)) check_elementwise(order, arg)
  out <- native_mvt_entropy(x$Sigma, x$df, if (!is.null(order)) as.double(order))
  check_mvt_status(out$status, "Sigma")
  if (out$nan) warn_nan()
  like_arguments(out[[type]], list(order))
}
