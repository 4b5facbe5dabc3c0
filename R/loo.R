#' Leave-one-out predictive score
#'
#' The log probability of each recorded label predicted from all other rows,
#' without refitting: EP's cavities hold it.
#'
#' @details
#' With the cavity of row i, location `m` and squared scale `s2`,
#' `Zp = epsilon + (1 - 2 epsilon) F_df(y m / sqrt(s2))`, and the score is the sum
#' of `log Zp`. Hyperparameters are those learned from all rows, so the score is
#' slightly optimistic when many were learned.
#'
#' The method also serves the generic `loo::loo()` when that package is in use.
#'
#' @param x A model fitted by [gpc()] or [stc()].
#' @param ... Not used.
#' @return A list of class `sturdy_loo` with the fields `pointwise` (one log
#'   probability a training row), `estimate` (their sum) and `se` (the standard
#'   error of the sum, `NA` for one row).
#' @inherit sturdy-package references
#' @seealso [mislabelled()], [log_evidence()]
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' loo(fit)
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
  n <- length(pointwise)
  structure(
    list(
      pointwise = pointwise,
      estimate = sum(pointwise),
      se = if (n > 1) sqrt(n) * stats::sd(pointwise) else NA_real_
    ),
    class = "sturdy_loo"
  )
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
