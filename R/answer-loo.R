#' Leave-one-out predictive score
#'
#' The log probability of each recorded label, predicted from all other rows. It is
#' computed from the cavities of EP, without fitting again.
#'
#' @details
#' With `pi`, the probabilities of the true class given the other rows, and the probability `L` of
#' what is recorded given each, `Zp = sum(L * pi)`, and the score is the sum of `log Zp`. For two
#' classes and one rate, with the cavity of row i, location `m` and squared scale `s2`, `Zp =
#' epsilon + (1 - 2 epsilon) F_df(y m / sqrt(s2))`. Hyperparameters are those learned from all
#' rows, so the score is optimistic, the more so the more of them were learned.
#'
#' It is the score of the fit itself, its first stage: [mislabelled()] has the leave-one-out
#' probabilities of the label stage, which are made to say which labels are wrong.
#'
#' Where a fit averages (`hyper = "integrate"` in [gpc_spec()]), the label is left out of
#' the weights of the nodes, too: the probability is `1 / sum(weight / Zp)`. Learned
#' hyperparameters then cost what they should.
#'
#' # With the loo package
#' The result has the class and shape of those of the loo package (Vehtari, Gelman
#' and Gabry), so that its functions accept it:
#' ```
#' loo::loo_compare(loo(fit1), loo(fit2))
#' loo::loo_compare(list(gpc = loo(fit1), stc = loo(fit2)))
#' ```
#' `p_loo`, the effective number of parameters, is `NA`, and there are no Pareto k
#' diagnostics: nothing is sampled, so there are no weights to diagnose. Fits to
#' other labels or other rows differ in the attribute `yhash`, about which
#' `loo_compare()` warns.
#'
#' The loo package has a generic of the same name. When both packages are attached,
#' it does not matter which of the two is called: the method for fits of this package is
#' registered for both, and the `loo()` of this package passes any other object on to
#' `loo::loo()`.
#'
#' @param x A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param ... Not used.
#' @return A list of class `c("sturdy_loo", "loo")` with
#'   * `estimates`: a matrix with the rows `elpd_loo` (the score, the sum of the log
#'     probabilities), `p_loo` (`NA`) and `looic` (-2 times the score), and the
#'     columns `Estimate` and `SE` (the standard error of the sum; `NA` for one row);
#'   * `pointwise`: a matrix with one row per training row, named by it, and
#'     the columns `elpd_loo`, `p_loo` and `looic`.
#' @section Conditions:
#' A fit that keeps no sites of its rows, as `bpm(inference = "adf")` or one over shards, is refused
#' by an error of class `sturdy_error_no_sites`.
#' @inherit sturdy-package references
#' @seealso [calibration()], [select_model()], [log_evidence()]
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' score <- loo(fit)
#' score
#' score$estimates["elpd_loo", "Estimate"]
#' exp(score$pointwise[, "elpd_loo"])
loo <- function(x, ...) UseMethod("loo")

#' @rdname loo
#' @export
#' @rawNamespace S3method(loo::loo, sturdy_model)
loo.sturdy_model <- function(x, ...) {
  fit_of(x, ...)
  check_sites_kept(x)
  structure(
    loo_shape(row_loo(x), x$data$row_names),
    yhash = rlang::hash(paste(x$data$rows, x$data$y)), # however these are stored
    labels = label_total(x),
    class = c("sturdy_loo", "loo")
  )
}

#' @export
loo.default <- function(x, ...) {
  has_method <- function(class) {
    !is.null(utils::getS3method("loo", class, optional = TRUE, asNamespace("loo")))
  }
  ours <- !is.null(own_fit(x, "x"))
  if (ours || !rlang::is_installed("loo") || !any(vapply(.class2(x), has_method, NA))) {
    return(by_own_fit(loo, x, ..., .arg = "x"))
  }
  # from outside, where the method of our own generic is not in the way
  do.call(loo::loo, list(x, ...), quote = TRUE, envir = globalenv())
}

#' The lists `estimates` and `pointwise` of the loo package
#' @noRd
loo_shape <- function(elpd, names) {
  pointwise <- cbind(elpd_loo = elpd, p_loo = rep(NA_real_, length(elpd)), looic = -2 * elpd)
  rownames(pointwise) <- as.character(names)
  se <- se_sum(elpd)
  sums <- c(elpd_loo = sum(elpd), p_loo = NA, looic = -2 * sum(elpd))
  list(estimates = cbind(Estimate = sums, SE = c(se, NA, 2 * se)), pointwise = pointwise)
}

#' Standard error of a sum of independent terms, `NA` of one
#' @noRd
se_sum <- function(x) sqrt(length(x)) * stats::sd(x)

#' @export
print.sturdy_loo <- function(x, digits = 4, ...) {
  digits <- check_digits(digits)
  elpd <- x$pointwise[, "elpd_loo"]
  labels <- c(attr(x, "labels"), length(elpd))[1]
  lowest <- which.min(elpd)
  score <- x$estimates["elpd_loo", ]
  se <- format(score[["SE"]], digits = 2)
  print_title("<sturdy_loo> leave-one-out log predictive probability of ", count(labels, "label"))
  print_fields(c(
    "Sum" = paste0(format(score[["Estimate"]], digits = digits), " (standard error ", se, ")"),
    "Mean" = format(sum(elpd) / labels, digits = digits),
    "Lowest" = paste0(format(elpd[[lowest]], digits = digits), " in row ", rownames(x$pointwise)[lowest])
  ))
  invisible(x)
}
