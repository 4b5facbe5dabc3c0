#' A distribution over finitely many outcomes, and escort distributions
#'
#' `categorical()` makes one distribution of a vector of probabilities, one for each
#' outcome. [q_entropy()], [tsallis_entropy()], [renyi_entropy()] and [q_divergence()]
#' take it, where a plain vector of numbers would be many Bernoulli distributions.
#' `escort()` is the escort of a distribution: that proportional to
#' \eqn{p^q}{p^q}.
#'
#' @details
#' With \eqn{s = \sum_k p_k^q}{s = sum p^q}, entropies and divergence are those of
#' [q_entropy()] and [q_divergence()] with sums for integrals. Outcomes of probability 0
#' are not counted. The divergence from x to y is `Inf` for `q >= 1` where y rules out an
#' outcome that x does not.
#'
#' @param prob Probabilities of at least 0 with the sum 1, up to 1e-6; they are then
#'   divided by their sum.
#' @param x For `escort()`: an object made by `categorical()`; or by [mvt()], for which it
#'   is [mvt_escort()]; or a numeric vector of probabilities, each a Bernoulli
#'   distribution. For the methods an object made by `categorical()`.
#' @param y An object made by `categorical()` with as many outcomes as `x`.
#' @param q,order Numeric, the index: finite and at least 0. Entropies take any number of
#'   indices; `escort()` of `categorical()` and `q_divergence()` take one.
#' @param ... Not used; an unknown argument is an error.
#'
#' @return `categorical()`: a list of class `sturdy_categorical` with the field `prob`,
#'   names kept. `escort()`: an object of the class of `x`; for numbers the probabilities of
#'   the escorts, with attributes as in [exp_q()]. Entropies: a number for each index.
#'   `q_divergence()`: a number.
#'
#' @section Conditions:
#' * `sturdy_error_probabilities`: `prob` are not probabilities with the sum 1.
#' * `sturdy_error_length`: `x` and `y` have different numbers of outcomes.
#' * `sturdy_error_type`, `sturdy_error_range`: an index of the wrong kind or below 0.
#' * `sturdy_error_unknown_argument`: an unknown argument.
#'
#' @inherit sturdy-package references
#' @seealso [q_entropy()], [q_divergence()], [mvt_escort()]
#' @keywords internal
#' @export
#' @examples
#' p <- categorical(c(a = 0.7, b = 0.2, c = 0.1))
#' q_entropy(p, q = c(0.5, 1, 1.5))
#' escort(p, q = 2)
#' q_divergence(p, categorical(rep(1, 3) / 3), q = 1.5)
#'
#' # two outcomes: a Bernoulli distribution
#' q_entropy(categorical(c(0.3, 0.7)), q = 1.5) - q_entropy(0.3, q = 1.5)
categorical <- function(prob) {
  must(
    are_numbers(prob) && length(prob) > 0 && all(prob >= 0) && abs(sum(prob) - 1) <= 1e-6,
    "prob", "be probabilities of at least 0 with the sum 1, not
     {describe(prob)}{if (is.numeric(prob)) paste0(' with the sum ', format(sum(prob)))}",
    "probabilities"
  )
  prob <- stats::setNames(as.double(prob), names(prob))
  structure(list(prob = prob / sum(prob)), class = "sturdy_categorical")
}

#' @export
print.sturdy_categorical <- function(x, digits = 4, ...) {
  digits <- check_digits(digits)
  cat("<sturdy_categorical> ", count(length(x$prob), "outcome"), "\n", sep = "")
  print(x$prob, digits = digits)
  invisible(x)
}

#' @rdname categorical
#' @export
escort <- function(x, ...) UseMethod("escort")

#' @rdname categorical
#' @export
escort.sturdy_categorical <- function(x, q, ...) {
  check_no_dots(...)
  log_power <- check_number(q, "q", min = 0) * log(x$prob)
  log_power[x$prob == 0] <- -Inf
  power <- exp(log_power - max(log_power))
  x$prob[] <- power / sum(power)
  x
}

#' @rdname categorical
#' @export
escort.numeric <- function(x, q, ...) {
  check_no_dots(...)
  elementwise(bernoulli_escort, list(x = x, q = q))
}

#' @rdname categorical
#' @export
escort.sturdy_mvt <- function(x, ...) {
  check_no_dots(...)
  mvt_escort(x)
}

#' @export
escort.default <- function(x, ...) {
  must(
    FALSE, "x", "be a numeric vector of probabilities or be made by {.fn mvt} or
     {.fn categorical}", got = x,
    more = c(i = "Each probability is one Bernoulli distribution.")
  )
}

#' @rdname categorical
#' @export
q_entropy.sturdy_categorical <- function(x, q, ...) {
  check_no_dots(...)
  -ln_q(exp(-renyi_of(x$prob, check_orders(q, "q"))), q)
}

#' @rdname categorical
#' @export
tsallis_entropy.sturdy_categorical <- function(x, order, ...) {
  check_no_dots(...)
  ln_q(exp(renyi_of(x$prob, check_orders(order, "order"))), order)
}

#' @rdname categorical
#' @export
renyi_entropy.sturdy_categorical <- function(x, order, ...) {
  check_no_dots(...)
  renyi_of(x$prob, check_orders(order, "order"))
}

#' @rdname categorical
#' @export
q_divergence.sturdy_categorical <- function(x, y, q, ...) {
  check_no_dots(...)
  q <- check_number(q, "q", min = 0)
  must(
    inherits(y, "sturdy_categorical"), "y", "be made by {.fn categorical}, as {.arg x} is",
    got = y
  )
  p <- x$prob
  r <- y$prob
  must(
    length(p) == length(r), c("x", "y"),
    "have the same number of outcomes, not {length(p)} and {length(r)}", "length"
  )
  # p^q (ln_q p - ln_q r) is -p ln_q(r / p); with r - p added, whose sum over all outcomes
  # is 0, no term is below 0 but by rounding
  seen <- p > 0
  ruled_out <- r[!seen]
  p <- p[seen]
  r <- r[seen]
  ratio <- ifelse(abs(r - p) < p / 2, log1p((r - p) / p), log(r) - log(p))
  power <- (1 - q) * ratio
  grown <- ifelse(power > 1, exp(log(p) + power) - p, p * expm1(power))
  terms <- (if (q == 1) -p * ratio else grown / (q - 1)) + r - p
  exp(log(sum(pmax(terms, 0), ruled_out)) - (1 - q) * renyi_of(p, q))
}

#' Renyi's entropy of probabilities, from which the others follow
#' @noRd
renyi_of <- function(p, order) {
  p <- p[p > 0]
  vapply(order, function(a) {
    # near 1 by way of Tsallis, which has no difference of nearly equal numbers there
    if (abs(a - 1) < 0.5) {
      tsallis <- -sum(p * ln_q(p, 2 - a))
      return(if (a == 1) tsallis else log1p((1 - a) * tsallis) / (1 - a))
    }
    log_power <- a * log(p)
    most <- max(log_power)
    (most + log(sum(exp(log_power - most)))) / (1 - a)
  }, numeric(1))
}

bernoulli_escort <- function(p, q) {
  n <- if (length(p) && length(q)) max(length(p), length(q)) else 0
  p <- rep_len(p, n)
  q <- rep_len(q, n)
  value <- suppressWarnings(stats::plogis(q * stats::qlogis(p)))
  sure <- p %in% c(0, 1) & !is.na(q)
  value[sure] <- p[sure]
  outside <- !is.na(p) & !is.na(q) & (p < 0 | p > 1 | q < 0 | is.infinite(q))
  value[outside] <- NaN
  list(value = value, nan = any(outside))
}

#' One index or several
#' @noRd
check_orders <- function(q, arg) {
  check_given(missing(q), arg)
  must(is.numeric(q), arg, "be numeric", got = q)
  must(are_numbers(q) && all(q >= 0), arg, "be finite and at least 0", "range")
  q
}
