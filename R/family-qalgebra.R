#' q-exponential, q-logarithm, q-product and q-quotient
#'
#' The four operations of q-algebra, on which the t-exponential family is built:
#' an exponential and a logarithm with one parameter `q`, and the product and
#' quotient that become sum and difference under that logarithm. At `q = 1`
#' they are the usual operations, which are reached continuously.
#'
#' @details
#' \deqn{\exp_q(x) = [1 + (1-q) x]_+^{1/(1-q)}, \qquad
#'   \ln_q(x) = \frac{x^{1-q} - 1}{1-q}}{exp_q(x) = [1 + (1-q) x]_+^(1/(1-q)),
#'   ln_q(x) = (x^(1-q) - 1)/(1-q)}
#' \deqn{x \otimes_q y = [x^{1-q} + y^{1-q} - 1]_+^{1/(1-q)}, \qquad
#'   x \oslash_q y = [x^{1-q} - y^{1-q} + 1]_+^{1/(1-q)}}{q_product(x, y) =
#'   [x^(1-q) + y^(1-q) - 1]_+^(1/(1-q)), q_quotient(x, y) =
#'   [x^(1-q) - y^(1-q) + 1]_+^(1/(1-q))}
#' where `[.]_+` is the positive part. A bracket of 0 or below gives 0 for
#' `q < 1` and `Inf` for `q > 1`. Where the brackets are positive,
#' `ln_q(q_product(x, y, q), q)` is `ln_q(x, q) + ln_q(y, q)`,
#' `ln_q(q_quotient(x, y, q), q)` is their difference, and the quotient inverts
#' the product. (Equation 22 of Futami, Sato and Sugiyama (2017) prints the
#' quotient with -1 in place of +1; that would not be the inverse.)
#'
#' # Domains
#' * `q`: every finite number.
#' * `exp_q()`: every `x`, `-Inf` and `Inf` included.
#' * `ln_q()`, `q_product()`, `q_quotient()`: `x` and `y` of at least 0, `Inf`
#'   included. `ln_q(0, q)` is `-1/(1-q)` for `q < 1` and `-Inf` for `q >= 1`;
#'   `ln_q(Inf, q)` is `1/(q-1)` for `q > 1` and `Inf` for `q <= 1`.
#'
#' Outside, and where a limit does not exist (`0 * Inf`, `Inf - Inf`), the result
#' is `NaN` with a warning. `NA` and `NaN` in an argument are passed on silently.
#'
#' @param x,y Numeric vectors or arrays.
#' @param q Numeric; the index of the algebra.
#'
#' @return A numeric vector as long as the longest argument, to which the others
#'   are recycled, or of length 0 if one is empty. Dimensions, names and other
#'   attributes are kept from the arguments of that length, the first one first.
#'
#' @section Conditions:
#' * `sturdy_warning_nan`: NaNs were produced.
#' * `sturdy_warning_recycling`: the longest length is not a multiple of another.
#' * `sturdy_error_type`: an argument is not numeric.
#' * `sturdy_error_shape`: arrays whose dimensions do not agree.
#'
#' @inherit sturdy-package references
#' @seealso [mvt_natural()] for the family, [q_entropy()], [q_divergence()]
#' @keywords internal
#' @export
#' @examples
#' exp_q(-1:1, q = 1.5)
#' ln_q(exp_q(0.3, q = 1.5), q = 1.5)
#'
#' # q = 1 is the limit, not a special case
#' exp_q(1, q = 1 + c(-1e-3, -1e-9, 0, 1e-9, 1e-3)) - exp(1)
#'
#' z <- q_product(0.4, 0.7, q = 1.2)
#' q_quotient(z, 0.7, q = 1.2)
exp_q <- function(x, q) elementwise("exp_q", list(x = x, q = q))

#' @rdname exp_q
#' @export
ln_q <- function(x, q) elementwise("ln_q", list(x = x, q = q))

#' @rdname exp_q
#' @export
q_product <- function(x, y, q) elementwise("q_product", list(x = x, y = y, q = q))

#' @rdname exp_q
#' @export
q_quotient <- function(x, y, q) elementwise("q_quotient", list(x = x, y = y, q = q))

# Elementwise functions: checks, recycling and attributes as in R's arithmetic --

#' @param f the name of an elementwise function in C, or a function that answers as
#'   native_elementwise(). @param args a list of arguments of the caller, by their names.
#' @noRd
elementwise <- function(f, args) {
  for (arg in names(substitute(args))[-1]) {
    check_given(eval(substitute(missing(x), list(x = as.name(arg))), rlang::caller_env()), arg)
  }
  for (arg in names(args)) check_elementwise(args[[arg]], arg)
  lengths <- lengths(args)
  n <- if (any(lengths == 0)) 0L else max(lengths)
  check_conformable(args, n)
  if (n > 0 && any(n %% lengths != 0)) {
    warn_sturdy("longer object length is not a multiple of shorter object length", "recycling")
  }
  given <- lapply(unname(args), as.double)
  out <- if (is.function(f)) do.call(f, given) else native_elementwise(f, given)
  if (out$nan) warn_nan()
  like_arguments(out$value, args)
}

warn_nan <- function() warn_sturdy("NaNs produced", "nan")

# logical is let in for NA
check_elementwise <- function(x, arg) {
  must(is.numeric(x) || is.logical(x), arg, "be numeric", got = x)
}

check_conformable <- function(args, n) {
  arrays <- Filter(is.array, args)
  none <- length(arrays) == 0 || n == 0
  must(
    none || length(unique(lapply(arrays, dim))) == 1 && length(arrays[[1]]) == n, names(arrays),
    "have the same dimensions, and vectors used with them must not be longer", "shape",
    more = c(x = "{.arg {names(arrays)[1]}} is {describe(arrays[[1]])}."), of = "Arrays"
  )
}

#' Attributes of the arguments that are as long as the value, first ones first
#' @noRd
like_arguments <- function(value, args) {
  merged <- list()
  for (donor in args[lengths(args) == length(value)]) {
    given <- attributes(donor)
    if (is.object(donor) && !stats::is.ts(donor)) {
      given <- given[intersect(names(given), c("names", "dim", "dimnames"))]
    }
    merged <- c(merged, given[setdiff(names(given), names(merged))])
  }
  if (!is.null(merged$dim)) merged$names <- NULL
  attributes(value) <- merged
  value
}
