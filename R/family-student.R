#' The multivariate Student-t as a member of the t-exponential family
#'
#' `mvt()` describes a multivariate Student-t distribution by its location, scale
#' matrix and degrees of freedom. `mvt_natural()` gives its natural parameters as
#' a q-exponential, `mvt_from_natural()` goes back, `mvt_log_partition()` is the
#' log-partition function of the natural parameters, and `mvt_escort()` the
#' escort distribution, whose moments are the gradient of the log-partition
#' function. `df = Inf` is the Gaussian with its usual natural parameters.
#'
#' @details
#' With d dimensions, v = `df` and the entropic index q = 1 + 2/(v + d),
#' \deqn{\mathrm{St}(x; v, \mu, \Sigma) =
#'   \exp_q(\theta_1' x + x' \theta_2 x - g(\theta))}{St(x; v, mu, Sigma) =
#'   exp_q(theta1' x + x' theta2 x - g(theta))}
#' \deqn{\theta_1 = -2 \Psi K \mu / (1-q), \quad \theta_2 = \Psi K / (1-q), \quad
#'   (1-q) g = 1 - \Psi (1 + \mu' K \mu)}{theta1 = -2 Psi K mu/(1-q),
#'   theta2 = Psi K/(1-q), (1-q) g = 1 - Psi (1 + mu' K mu)}
#' \deqn{K = (v \Sigma)^{-1}, \quad \Psi = (c |\Sigma|^{-1/2})^{1-q}, \quad
#'   c = \frac{\Gamma((v+d)/2)}{(\pi v)^{d/2} \Gamma(v/2)}}{K = (v Sigma)^(-1),
#'   Psi = (c |Sigma|^(-1/2))^(1-q),
#'   c = Gamma((v+d)/2) / ((pi v)^(d/2) Gamma(v/2))}
#' (Futami, Sato and Sugiyama, 2017). As `df` grows these tend to the Gaussian's
#' \eqn{\Sigma^{-1} \mu}{Sigma^(-1) mu} and \eqn{-\Sigma^{-1}/2}{-Sigma^(-1)/2},
#' and they are computed without loss of accuracy on the way.
#'
#' The escort distribution, proportional to \eqn{p^q}{p^q}, of
#' \eqn{\mathrm{St}(v, \mu, \Sigma)}{St(v, mu, Sigma)} is
#' \eqn{\mathrm{St}(v + 2, \mu, v \Sigma/(v+2))}{St(v + 2, mu, v Sigma/(v+2))}.
#' Its mean is \eqn{\mu}{mu} and its covariance is exactly \eqn{\Sigma}{Sigma},
#' for every `df`: \eqn{\partial g/\partial \theta_1 = \mu}{dg/dtheta1 = mu} and
#' \eqn{\partial g/\partial \theta_2 = \Sigma + \mu\mu'}{dg/dtheta2 = Sigma +
#' mu mu'}.
#'
#' @param mu Location, a numeric vector of length d; in `mvt_natural()` and `mvt_escort()` also an object
#'   made by `mvt()`, and then `Sigma` and `df` are left out.
#' @param Sigma Scale matrix, d x d, symmetric and positive definite (a number
#'   when d is 1). The covariance is `df/(df - 2) * Sigma`.
#' @param df Degrees of freedom, a number above 0; `Inf`, the default, is the Gaussian.
#' @param theta1 First natural parameter, a numeric vector of length d; or an
#'   object made by `mvt_natural()`, and then `theta2` and `df` are left out.
#' @param theta2 Second natural parameter, d x d, symmetric and negative definite.
#' @param x An object made by `mvt()` or `mvt_natural()`.
#'
#' @return
#' * `mvt()`, `mvt_from_natural()` and `mvt_escort()`: a list of class
#'   `sturdy_mvt` with the fields `mu`, `Sigma` (a matrix) and `df`.
#' * `mvt_natural()`: a list of class `sturdy_mvt_natural` with the fields
#'   `theta1` (length d), `theta2` (d x d), `df` and `q`.
#' * `mvt_log_partition()`: a number.
#'
#' Names of `mu` or of the rows of `Sigma` are kept.
#'
#' @section Conditions:
#' * `sturdy_error_type`: not numeric, not finite, or not of the right kind.
#' * `sturdy_error_shape`: sizes that do not agree.
#' * `sturdy_error_not_positive_definite`: `Sigma` or `-theta2` is not symmetric
#'   and positive definite.
#' * `sturdy_error_df`: `df` is not a number above 0.
#' * `sturdy_error_overflow`: the result cannot be represented.
#' * `sturdy_error_missing_argument`: a part was left out.
#' * `sturdy_error_unknown_argument`: parts were given along with a whole object.
#'
#' @inherit sturdy-package references
#' @seealso [exp_q()], [q_entropy()], [q_divergence()]
#' @keywords internal
#' @export
#' @examples
#' p <- mvt(c(1, -1), matrix(c(2, 0.5, 0.5, 1), 2), df = 5)
#' natural <- mvt_natural(p)
#' mvt_from_natural(natural)
#'
#' # the density as a q-exponential
#' x <- c(0, 0)
#' inner <- sum(natural$theta1 * x) + sum(x * natural$theta2 %*% x)
#' exp_q(inner - mvt_log_partition(natural), q = natural$q)
#'
#' mvt_escort(p)
mvt <- function(mu, Sigma, df = Inf) {
  mu <- check_location(mu, "mu")
  Sigma <- check_square(Sigma, length(mu), "Sigma")
  df <- check_df(df)
  # membership of the family: positive definite, and representable
  check_mvt_status(native_mvt_natural(mu, Sigma, df)$status, "Sigma")
  new_mvt(mu, Sigma, df)
}

#' @rdname mvt
#' @export
mvt_natural <- function(mu, Sigma, df = Inf) {
  p <- as_mvt(mu, Sigma, df, missing(Sigma) && missing(df))
  out <- native_mvt_natural(p$mu, p$Sigma, p$df) # mvt() has seen that it can be represented
  new_mvt_natural(stats::setNames(out$theta1, names(p$mu)), copy_dimnames(out$theta2, p$Sigma), p$df)
}

#' @rdname mvt
#' @export
mvt_from_natural <- function(theta1, theta2, df = Inf) {
  natural <- as_mvt_natural(theta1, theta2, df, missing(theta2) && missing(df))
  out <- native_mvt_from_natural(natural$theta1, natural$theta2, natural$df)
  check_mvt_status(out$status, "theta2")
  mu <- stats::setNames(out$mu, names(natural$theta1))
  new_mvt(mu, copy_dimnames(out$S, natural$theta2), natural$df)
}

#' @rdname mvt
#' @export
mvt_log_partition <- function(x) {
  check_given(missing(x), "x")
  is_natural <- inherits(x, "sturdy_mvt_natural")
  must(is_natural || inherits(x, "sturdy_mvt"), "x", "be made by {.fn mvt} or {.fn mvt_natural}", got = x)
  if (is_natural) {
    x <- as_mvt_natural(x)
    out <- native_mvt_from_natural(x$theta1, x$theta2, x$df)
    check_mvt_status(out$status, "theta2")
  } else {
    x <- as_mvt(x)
    out <- native_mvt_natural(x$mu, x$Sigma, x$df)
  }
  out$log_partition
}

#' @rdname mvt
#' @export
mvt_escort <- function(mu, Sigma, df = Inf) {
  p <- as_mvt(mu, Sigma, df, missing(Sigma) && missing(df))
  out <- native_mvt_escort(p$Sigma, p$df)
  # nothing fails on the way, but df / (df + 2) Sigma may be too small for a number
  refuse_overflow(any(diag(out$S) == 0), "Sigma", "underflows")
  new_mvt(p$mu, copy_dimnames(out$S, p$Sigma), out$df)
}

#' @export
print.sturdy_mvt <- function(x, digits = 4, ...) print_parts(x, c("mu", "Sigma"), digits)

#' @export
print.sturdy_mvt_natural <- function(x, digits = 4, ...) print_parts(x, c("theta1", "theta2"), digits)

#' Some fields, a vector first, below a line that says what they are of
#' @noRd
print_parts <- function(x, parts, digits) {
  digits <- check_digits(digits)
  cat("<", class(x)[1], "> ", describe_mvt(length(x[[parts[1]]]), x$df), "\n", sep = "")
  for (part in parts) {
    cat(part, ":\n", sep = "")
    print(x[[part]], digits = digits)
  }
  invisible(x)
}

# Construction --------------------------------------------------------------

describe_mvt <- function(d, df) {
  name <- if (is.finite(df)) paste("Student-t, df =", format(df)) else "Gaussian"
  paste0(name, ", ", count(d, "dimension"), ", q = ", format(mvt_q(df, d), digits = 5))
}

#' The entropic index q of a t in d dimensions, 1 - q = -2 / (df + d)
#' @noRd
mvt_q <- function(df, d) 1 + 2 / (df + d)

new_mvt <- function(mu, Sigma, df) structure(list(mu = mu, Sigma = Sigma, df = df), class = "sturdy_mvt")

#' An mvt object, or its parts, of which those that a user left out are missing here, too
#' @param alone whether only the first was given.
#' @noRd
as_mvt <- function(mu, Sigma, df, alone = TRUE) {
  check_given(missing(mu), "mu")
  if (inherits(mu, "sturdy_mvt")) {
    check_alone(alone, "mu", c("Sigma", "df"))
    return(mvt(mu$mu, mu$Sigma, mu$df))
  }
  mvt(mu, Sigma, df)
}

check_alone <- function(alone, whole, others) {
  must(
    alone, others, "not be given when {.arg {whole}} is an object that contains them",
    "unknown_argument"
  )
}

as_mvt_natural <- function(theta1, theta2, df, alone = TRUE) {
  check_given(missing(theta1), "theta1")
  if (inherits(theta1, "sturdy_mvt_natural")) {
    check_alone(alone, "theta1", c("theta2", "df"))
    theta2 <- theta1$theta2
    df <- theta1$df
    theta1 <- theta1$theta1
  }
  theta1 <- check_location(theta1, "theta1")
  theta2 <- check_square(theta2, length(theta1), "theta2")
  new_mvt_natural(theta1, theta2, check_df(df))
}

new_mvt_natural <- function(theta1, theta2, df) {
  structure(
    list(theta1 = theta1, theta2 = theta2, df = df, q = mvt_q(df, length(theta1))),
    class = "sturdy_mvt_natural"
  )
}

check_finite_numbers <- function(x, arg) {
  must(is.numeric(x) && length(x) > 0, arg, "be numeric and not empty", got = x)
  must(all(is.finite(x)), arg, "have no missing or infinite values")
}

check_location <- function(x, arg) {
  check_given(missing(x), arg)
  check_finite_numbers(x, arg)
  stats::setNames(as.double(x), names(x))
}

check_square <- function(x, d, arg) {
  check_given(missing(x), arg)
  check_finite_numbers(x, arg)
  if (!is.matrix(x) && d == 1 && length(x) == 1) x <- matrix(x)
  must(is.matrix(x) && nrow(x) == d && ncol(x) == d, arg, "be a {d} x {d} matrix", "shape", got = x)
  must(isSymmetric(unname(x)), arg, "be symmetric", "not_positive_definite")
  storage.mode(x) <- "double"
  x
}

mvt_not_definite <- -1L # EP_NOT_PD of src/status.h; what else is not 0 can't be represented

#' Words for the status of a native_mvt_*() call
#' @param arg the matrix that the call was given: "Sigma", or the second natural parameter "theta2".
#' @noRd
check_mvt_status <- function(status, arg) {
  sign <- if (arg == "theta2") "negative" else "positive"
  must(status != mvt_not_definite, arg, paste("be", sign, "definite"), "not_positive_definite")
  refuse_overflow(status != 0, arg)
}

refuse_overflow <- function(when, arg, how = "overflows") {
  refuse(when, c(
    "The result can't be represented: it {how}.",
    i = "Rescale the variables, or use a larger {.arg df}."
  ), "overflow", arg = arg)
}

copy_dimnames <- function(x, from) {
  dimnames(x) <- dimnames(from)
  x
}
