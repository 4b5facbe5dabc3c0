#' Leave-one-out predictive score
#'
#' The log probability of each recorded label predicted from all other rows,
#' without refitting: EP's cavities hold it.
#'
#' @details
#' With the cavity of row i, location `m` and squared scale `s2`,
#' `Zp = epsilon + (1 - 2 epsilon) F_df(y m / sqrt(s2))`, and the score is the sum
#' of `log Zp`. Hyperparameters are those learned from all rows, so the score is
#' optimistic, the more so the more of them were learned.
#'
#' # With the loo package
#' The method also serves the generic `loo::loo()`, and `loo::loo_compare()` takes
#' scores as they are, one by one or as a (named) list, when that package is
#' installed:
#' ```
#' loo::loo_compare(loo(fit1), loo(fit2))
#' loo::loo_compare(list(gpc = loo(fit1), stc = loo(fit2)))
#' ```
#' `pointwise` is a plain vector here and a matrix there, so a score is converted
#' first, by `as_loo()`. Call `as_loo()` yourself to compare with a score of another
#' package that stands first, or for other functions of the loo package. There is no
#' effective number of parameters (`p_loo`) and no Pareto k: nothing is sampled.
#' Fits of other labels or other rows differ in the attribute `yhash`, of which
#' `loo_compare()` warns.
#'
#' @param x A model fitted by [gpc()], [stc()] or, by EP, [bpm()]; for `as_loo()` a
#'   score.
#' @param ... Not used.
#' @return
#' * `loo()`: a list of class `sturdy_loo` with the fields `pointwise` (one log
#'   probability a training row), `estimate` (their sum) and `se` (the standard
#'   error of the sum, `NA` for one row).
#' * `as_loo()`: a list of class `c("sturdy_elpd", "loo")` with the matrices `estimates`
#'   (rows `elpd_loo` and `looic`, -2 times the former; columns `Estimate` and `SE`)
#'   and `pointwise` (a row a label, columns `elpd_loo` and `looic`).
#' @inherit sturdy-package references
#' @seealso [brier_score()], [calibration()], [select_model()], [log_evidence()]
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' loo(fit)
#' as_loo(loo(fit))$estimates
loo <- function(x, ...) {
  UseMethod("loo")
}

#' @rdname loo
#' @export
#' @rawNamespace S3method(loo::loo, sturdy_model)
loo.sturdy_model <- function(x, ...) {
  check_no_dots(...)
  check_sites_kept(x)
  pointwise <- x$ep$loo
  structure(
    list(
      pointwise = pointwise,
      estimate = sum(pointwise),
      se = se_sum(pointwise)
    ),
    yhash = rlang::hash(list(x$data$y, x$data$rows)),
    class = "sturdy_loo"
  )
}

#' Standard error of a sum of independent terms
#' @noRd
se_sum <- function(x) {
  if (length(x) > 1) sqrt(length(x)) * stats::sd(x) else NA_real_
}

#' @export
print.sturdy_loo <- function(x, digits = 4, ...) {
  n <- length(x$pointwise)
  cat("<sturdy_loo> leave-one-out log predictive probability of ", n,
      if (n == 1) " label\n" else " labels\n", sep = "")
  cat("  Estimate  ", format(x$estimate, digits = digits),
      " (standard error ", format(x$se, digits = 2), ")\n", sep = "")
  cat("  Per row   ", format(x$estimate / n, digits = digits),
      ", worst ", format(min(x$pointwise), digits = digits),
      " in row ", which.min(x$pointwise), "\n", sep = "")
  invisible(x)
}

# For the loo package -------------------------------------------------------

#' @rdname loo
#' @export
as_loo <- function(x) {
  if (!inherits(x, "sturdy_loo")) {
    abort_sturdy(
      "{.arg x} must be what {.fn loo} returned for a fit of this package, not
       {describe(x)}.",
      "type", arg = "x"
    )
  }
  estimates <- c(x$estimate, -2 * x$estimate, x$se, 2 * x$se)
  names <- c("elpd_loo", "looic")
  structure(
    list(
      estimates = matrix(
        estimates, 2, dimnames = list(names, c("Estimate", "SE"))
      ),
      pointwise = matrix(
        c(x$pointwise, -2 * x$pointwise), ncol = 2, dimnames = list(NULL, names)
      )
    ),
    yhash = attr(x, "yhash"),
    class = c("sturdy_elpd", "loo")
  )
}

#' @export
print.sturdy_elpd <- function(x, digits = 1, ...) {
  cat("<sturdy_elpd> leave-one-out score of ", nrow(x$pointwise),
      " labels, for the loo package\n", sep = "")
  print(x$estimates, digits = digits + 2)
  invisible(x)
}

as_loo_all <- function(x) {
  lapply(x, function(score) {
    if (inherits(score, "sturdy_loo")) as_loo(score) else score
  })
}

#' Methods for loo::loo_compare(). The one for bare lists leaves lists without a
#' score of this package to the default.
#' @rawNamespace S3method(loo::loo_compare, sturdy_loo)
#' @rawNamespace S3method(loo::loo_compare, list)
#' @noRd
loo_compare.sturdy_loo <- function(x, ...) {
  loo::loo_compare(as_loo_all(list(x, ...)))
}

loo_compare.list <- function(x, ...) {
  ours <- vapply(x, inherits, logical(1), "sturdy_loo")
  if (any(ours)) loo::loo_compare(as_loo_all(x), ...) else NextMethod()
}
