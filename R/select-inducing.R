# Is the number of inducing inputs enough?

#' Would more inducing inputs change a fit?
#'
#' Fits a model again with more inducing inputs, its hyperparameters learned anew where they
#' were, and compares the two: the evidence, leave-one-out, the probabilities at the rows. A check
#' that is made for developers.
#'
#' @details
#' The second fit costs what the first did, times the square of the ratio of the numbers.
#' Fits with different inducing inputs are models with different priors. Their evidences tell
#' which of these the labels support; that of neither is a bound of the dense one. The
#' verdict is by leave-one-out: the second fit is better when the gain is more than twice its
#' standard error, that of the sum of the differences row by row.
#'
#' A nugget that is learned makes up for variance that the inducing inputs leave, so it
#' usually grows with their number while `left` falls.
#'
#' @param object A model fitted by [gpc()] or [stc()] with inducing inputs.
#' @param inducing The number of inducing inputs of the second fit, twice that of the first
#'   by default; or `NULL`, for the kernel between all rows; or a table of them.
#'
#' @return A list of class `sturdy_inducing` with the fields
#'   * `table`: a data frame with a row for each of the two fits: `inducing` (their number,
#'     `NA` for the kernel between all rows), `left` (the share of the variance left),
#'     `nugget`, `epsilon`, `log_evidence` and `elpd_loo` (the sum of the leave-one-out log
#'     probabilities);
#'   * `gain`, `gain_se`: the difference of `elpd_loo`, second minus first, and its
#'     standard error;
#'   * `probability`, `flipped`: the largest and the mean absolute change of the
#'     probabilities of the event and of a flip, at the rows (`largest`, `mean`);
#'   * `fit`: the second fit;
#'   * `means`: sentences that say what this means.
#'
#'   Its print method shows the numbers and the sentences.
#' @section Conditions:
#' `sturdy_error_inducing` for a fit without inducing inputs or a wrong number;
#' `sturdy_error_no_kernel` for [bpm()]; those of [gpc()].
#' @seealso [gpc()], [many-rows]
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(80), b = rnorm(80))
#' d$class <- factor(ifelse(d$a + d$b^2 > 1, "yes", "no"))
#' fit <- gpc(class ~ ., d, inducing = 5, epsilon = 0.05, hyper = "optimum")
#' compare_inducing(fit)
compare_inducing <- function(object, inducing = 2 * nrow(object$inducing$Z)) {
  object <- fit_of(object)
  check_has_inducing(object)
  other <- update(object, inducing = inducing)
  check_posterior(other)
  fits <- list(object, other)
  each <- function(value) vapply(fits, value, 0)
  gains <- row_loo(other) - row_loo(object)
  change <- function(value) {
    moved <- abs(value(other) - value(object))
    c(largest = max(moved, na.rm = TRUE), mean = mean(moved, na.rm = TRUE))
  }
  comparison <- list(
    table = data.frame(
      inducing = each(function(fit) if (is_low_rank(fit)) nrow(fit$inducing$Z) else NA_real_),
      left = each(function(fit) if (is_low_rank(fit)) fit$inducing$left else 0),
      nugget = each(function(fit) mean(fit$kernel$nugget)),
      epsilon = each(function(fit) mean(fit$epsilon)),
      log_evidence = each(fit_evidence), elpd_loo = each(function(fit) sum(row_loo(fit)))
    ),
    gain = sum(gains), gain_se = se_sum(gains),
    probability = change(fitted), flipped = change(row_flipped),
    fit = other
  )
  comparison$means <- inducing_words(comparison)
  structure(comparison, class = "sturdy_inducing")
}

check_has_inducing <- function(object) {
  check_posterior(object)
  must(
    !is.null(object$kernel), "object",
    "be a model with a kernel; a Bayes point machine has none", "no_kernel"
  )
  must(
    is_low_rank(object), "object",
    "have inducing inputs; this fit has the kernel between all rows", "inducing",
    more = c(i = "Nothing is to be gained from more of them.")
  )
}

inducing_words <- function(x) {
  m <- x$table$inducing
  name <- function(k) {
    if (is.na(m[k])) "the kernel between all rows" else paste(m[k], "inducing inputs")
  }
  gained <- sprintf("%+.1f in all, standard error %.1f", x$gain, x$gain_se)
  c(
    if (isTRUE(x$gain > 2 * x$gain_se)) {
      paste0("With ", name(2), " the labels are predicted better (", gained, "): use that fit.")
    } else {
      paste0(
        "With ", name(2), " the labels are predicted no better (", gained, "): ", name(1),
        " are enough."
      )
    },
    sprintf(
      paste(
        "Class probabilities move by at most %.3f (mean %.4f), those of a flip by",
        "%.3f (mean %.4f)."
      ),
      x$probability[["largest"]], x$probability[["mean"]], x$flipped[["largest"]],
      x$flipped[["mean"]]
    )
  )
}

#' @export
print.sturdy_inducing <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  cat("<sturdy_inducing> ", count(length(x$fit$data$y), "row"), "\n", sep = "")
  table <- x$table
  table$inducing <- ifelse(is.na(table$inducing), "all rows", table$inducing)
  exact <- c("log_evidence", "elpd_loo")
  table[exact] <- lapply(table[exact], round, 1)
  print(table, digits = digits, row.names = FALSE)
  print_sentences("What it means", x$means)
  invisible(x)
}
