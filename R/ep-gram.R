#' Expectation propagation with a Gram matrix of your own
#'
#' The engine of [gpc()] and [stc()], for any kernel matrix: EP at `df = Inf`,
#' t-EP at finite `df`, with the same likelihood, in which a label is wrong with
#' probability `epsilon`. Nothing is learned.
#'
#' @details
#' In scaled coordinates, with `T = diag(tau)`: `C = (K^-1 + T)^-1`, `m = C nu`,
#' `log_det = log|I + K T|`, `kappa = exp(-log_det / df)`; the posterior of the latent
#' vector is t (or normal) with location `sqrt(kappa) m` and scale matrix
#' `kappa C`. The likelihood is `epsilon + (1 - 2 epsilon) 1(y f > 0)`; add 1 to the
#' diagonal of `K` for a probit. Time grows as n^3, memory as n^2 (about four n x n
#' matrices of doubles).
#'
#' @param K Symmetric positive semidefinite numeric matrix, n x n.
#' @param y n labels: -1/+1, 0/1, logical, or a two-level factor or character
#'   vector (the second level is +1). All of them may be of one class here.
#' @param df Degrees of freedom, above 0; `Inf`, the default, is Gaussian EP.
#' @param epsilon Probability that a label is wrong: a number in `[0, 0.5)` (0 by
#'   default), or two, named `neg` and `pos`, by true class, as in [gpc()].
#' @param sites `NULL`, or a list of `tau` and `nu` (n each) to start from, such as
#'   the `sites` of an earlier result. EP then ends at the fixed point they lead to; with
#'   `NULL` it has several starts, see [ep_diagnostics()].
#' @param control [ep_control()].
#'
#' @return A list of class `sturdy_ep` with the fields
#'   * `sites`: list of `tau` and `nu`, n each;
#'   * `m` (n), `C_diag` (n), `log_det`, `kappa`: the posterior;
#'   * `log_evidence` (with the site normalisers Z1) and `log_evidence_zp` (with Zp);
#'     see [log_evidence()];
#'   * `loo`: the leave-one-out log predictive probability, and `loo_pointwise` (n),
#'     its terms; `flipped` (n): the probability that each label is wrong;
#'   * `cavity`: list of `mean` and `var`, n each;
#'   * `b` (n): `K^-1 m`, so that `k*'b` is the location at a new point;
#'   * `residual` (n), `sweeps`, `skipped` (sites left out of the last sweep), `status`
#'     and `message` (see [ep_diagnostics()]), `rival` (`NULL`, or what is known of
#'     another fixed point, see there), `trace` (a data frame with one row per sweep);
#'   * `df`, `epsilon` and `y`: the arguments, `y` as -1 and +1.
#'
#' @section Conditions:
#' Errors `sturdy_error_gram` (not numeric, square, finite, symmetric or positive
#' semidefinite, or a diagonal entry below 0),
#' `sturdy_error_length`, `sturdy_error_outcome_type`, `sturdy_error_outcome_levels`,
#' `sturdy_error_missing`, `sturdy_error_no_rows`, `sturdy_error_df`,
#' `sturdy_error_epsilon`, `sturdy_error_sites`, `sturdy_error_memory`. Warning
#' `sturdy_warning_not_converged` when EP does not converge, `sturdy_warning_fixed_points`
#' when it has several fixed points with different probabilities,
#' `sturdy_warning_evidence_undefined` when it converges where t-EP has no evidence;
#' `message` says more.
#'
#' @inherit sturdy-package references
#' @seealso [ep_diagnostics()], [gpc()]
#' @export
#' @examples
#' X <- cbind(c(0, 0, 1), c(0, 1, 0), 1)
#' ep_fit(tcrossprod(X), c(1, 1, -1))
ep_fit <- function(K,
                   y,
                   df = Inf,
                   epsilon = 0,
                   sites = NULL,
                   control = ep_control()) {
  K <- check_gram(K)
  y <- one_a_row(y, nrow(K), "y", "K")
  labels <- mold_outcome(y, one_class = TRUE)$y
  df <- check_df(df)
  epsilon <- check_epsilon(epsilon, learn = FALSE)
  sites <- check_sites(sites, nrow(K))
  control <- check_control(control)
  ep <- ep_run_gram(K, labels, df, epsilon, sites, control)
  result <- new_ep(ep, df, epsilon, labels)
  warn_ep(result)
  result
}

new_ep <- function(ep, df, epsilon, y) {
  ep["loo_pointwise"] <- list(ep$loo)
  ep$loo <- if (has_numbers(ep$loo)) sum(ep$loo) else NA_real_
  fields <- c(
    "sites", "m", "C_diag", "log_det", "kappa", "log_evidence",
    "log_evidence_zp", "loo", "loo_pointwise", "flipped", "cavity", "b",
    "residual", "sweeps", "skipped", "status", "message", "rival", "trace"
  )
  structure(c(ep[fields], list(df = df, epsilon = epsilon, y = y)), class = "sturdy_ep")
}

check_gram <- function(K) {
  must(
    is.matrix(K) && is.numeric(K) && nrow(K) == ncol(K), "K", "be a square numeric matrix",
    "gram", got = K
  )
  check_rows(nrow(K), 0)
  check_memory(5 * length(K), nrow(K), TRUE)
  storage.mode(K) <- "double"
  must(
    all(is.finite(K)), "K",
    "be finite: {sum(!is.finite(K))} of its entries {?is/are} missing or infinite", "gram"
  )
  scale <- sqrt(pmax(diag(K), 0))
  scale[scale == 0] <- 1
  unit <- K / outer(scale, scale) # of variance 1
  gap <- max(abs(K - t(K)))
  must(
    max(abs(unit - t(unit))) <= 1e-8, "K",
    "be symmetric, but K and t(K) differ by up to {format(gap, digits = 2)}", "gram"
  )
  check_semidefinite(unit, diag(K))
  unname((K + t(K)) / 2)
}

#' Positive semidefinite up to rounding
#' @noRd
check_semidefinite <- function(unit, variances) {
  must(
    all(variances >= 0), "K",
    "not be below 0, but entry {which.min(variances)} is {describe(min(variances))}", "gram",
    of = "The diagonal of {.arg K}"
  )
  must(
    !is.null(native_cholesky(unit, 1e-8)), "K",
    "be positive semidefinite, but it has a negative eigenvalue", "gram"
  )
}

#' @export
print.sturdy_ep <- function(x, digits = 4, ...) {
  digits <- check_digits(digits)
  kind <- if (is.infinite(x$df)) "EP" else paste0("t-EP, df = ", format(x$df))
  print_title(
    "<sturdy_ep> ", kind, " for ", count(length(x$y), "label"), ", epsilon = ",
    format(x$epsilon, digits = digits)
  )
  print_fields(c(
    Status = ep_words(x),
    "Log evidence" = paste0(
      format(x$log_evidence, digits = digits),
      if (is.finite(x$df)) " (t-EP: not comparable across df)"
    ),
    "Leave-one-out" = format(x$loo, digits = digits),
    "Latent m" = paste(format_each(range(x$m), digits), collapse = " to ")
  ))
  invisible(x)
}
