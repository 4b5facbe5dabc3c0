# Weak priors of the hyperparameters.

#' Log-normal priors of the hyperparameters
#'
#' A log-normal prior on each hyperparameter that is learned. Where the criterion is flat
#' it decides where the search stops, and it keeps many lengthscales from overfitting a
#' small table.
#'
#' @details
#' The default standard deviation of 0.7 means that the lengthscales of [kernel_ard()] are
#' mostly within a factor of 4 of the median heuristic. ([kernel_iso()] has 1.5 as its own
#' default.) A column that carries no information can still be switched off, but this
#' takes more rows. The default comes from an experiment (`experiments/priors.R` in the
#' repository): five data sets with none to a fifth of the training labels flipped, and
#' [gpc()] with standard deviations from 0.4 to 1.5 for the log lengthscales and with
#' [kernel_iso()]. The table shows means over all of them. (0.4 is slightly
#' better on these data; 0.7 allows the influence of the columns to differ more.)
#'
#' ```{r, echo = FALSE, results = "asis"}
#' rows <- utils::read.csv("inst/results/priors-overall.csv")
#' cat(
#'   "| kernel | integrated log evidence |", "| --- | --- |",
#'   sprintf("| %s | %.1f |", rows$kernel, rows$integrated),
#'   sep = "\n"
#' )
#' ```
#'
#' @param lengthscale,variance,bias,nugget,linear The mean and the standard deviation
#'   of the logarithm, `c(meanlog, sdlog)` with `sdlog` above 0, or `NULL` for no prior on
#'   this hyperparameter. For `lengthscale`, `meanlog = NA`, the default, centres the
#'   prior on the median heuristic of the data. For `bias` and `nugget` it is log(0.1) where
#'   the optimum of one criterion is sought. Where hyperparameters are integrated (`hyper = "integrate"` in
#'   [gpc_spec()]), and at the best mode of that (`epsilon = "average"`), it is log(0.3) for the bias, in units of variance + nugget, and for the nugget
#'   log(variance), or with three classes or more log(0.03), with a standard deviation of 1.5 at most:
#'   what a large nugget leaves to wrong labels, the label stage judges ([averaging]).
#' @param common Where hyperparameters are integrated, and at the best mode of that: the standard deviation of the log of a
#'   factor common to all lengthscales of [kernel_ard()], at least 0. Without it many
#'   independent lengthscales would fix their overall size.
#'
#' @return A list of class `sturdy_prior` with the fields `lengthscale`,
#'   `variance`, `bias`, `nugget` and `linear`, each `NULL` or a list of `meanlog` and
#'   `sdlog`, and `common`.
#'
#' @section Conditions:
#' `sturdy_error_prior` when a value is not `NULL` or a pair of numbers, the second one
#' above 0.
#'
#' @seealso [kernel_ard()]
#' @export
#' @examples
#' weak_prior()
#' kernel_ard(prior = weak_prior(nugget = c(log(0.01), 1)))
weak_prior <- function(lengthscale = c(NA, 0.7),
                       variance = c(0, 2),
                       bias = c(NA, 2),
                       nugget = c(NA, 2),
                       linear = c(0, 2),
                       common = 0.5) {
  structure(
    list(
      lengthscale = check_prior(lengthscale, "lengthscale", centred = TRUE),
      variance = check_prior(variance, "variance"),
      bias = check_prior(bias, "bias", centred = TRUE),
      nugget = check_prior(nugget, "nugget", centred = TRUE),
      linear = check_prior(linear, "linear"),
      common = check_number(common, "common", min = 0, class = "prior")
    ),
    class = "sturdy_prior"
  )
}

hyper_names <- c("lengthscale", "variance", "bias", "nugget", "linear")

check_prior <- function(x, arg, centred = FALSE) {
  # c(NA, NA) is logical, c(NA, 1.5) is not
  two <- is.numeric(x) && length(x) == 2
  pair <- two && are_numbers(x[2], above = 0) && (is.finite(x[1]) || centred && is.na(x[1]))
  # describe() would say "a numeric vector of length 2"
  came <- if (two) deparse1(as.numeric(x)) else describe(x)
  must(
    is.null(x) || pair, arg,
    paste0(
      "be {.code NULL} or {.code c(meanlog, sdlog)} with a finite {.code meanlog}",
      if (centred) " (or {.code NA}, for the usual one)", " and {.code sdlog} above 0, not {came}"
    ),
    "prior"
  )
  if (pair) list(meanlog = x[[1]], sdlog = x[[2]])
}

check_weak_prior <- function(prior) {
  made <- inherits(prior, "sturdy_prior") && has_fields(prior, c(hyper_names, "common")) &&
    is_number(prior$common) && all(vapply(prior[hyper_names], is_prior, NA))
  must(
    is.null(prior) || made, "prior", "be made by {.fn weak_prior} or be {.code NULL}", got = prior
  )
  prior
}

#' The lengthscales of a fit have a `meanlog` each, and those of many columns more, see
#' wide_kernel(); so may the nugget, see overlap_believed()
#' @noRd
is_prior <- function(x) {
  plain <- x[setdiff(names(x), c("within", "tied", "spent"))]
  is.null(x) || (has_fields(plain, c("meanlog", "sdlog")) && is.numeric(x$meanlog) &&
    length(x$meanlog) > 0 && !any(is.infinite(x$meanlog)) && is_number(x$sdlog) &&
    are_numbers(x$sdlog, above = 0))
}

#' @export
print.sturdy_prior <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  cat("<sturdy_prior> log-normal, mean and sd of the logarithm\n")
  for (name in hyper_names) {
    prior <- x[[name]]
    text <- if (is.null(prior)) {
      "none"
    } else if (anyNA(prior$meanlog)) {
      paste0(if (name == "lengthscale") "at the median heuristic, " else "usual, ", prior$sdlog)
    } else {
      paste0(paste(format_each(prior$meanlog, digits), collapse = " "), ", ", prior$sdlog)
    }
    cat("  ", format(name, width = 12), text, "\n", sep = "")
  }
  invisible(x)
}

# Prior density of a learned flip rate e on (0, 1/2): 2 b (1 - 2e)^(b - 1), mean
# 1/(2 (b + 1)) = 0.1 [M 8.7]. Wrong labels are rare rather than frequent.
rate_prior_shape <- 4
