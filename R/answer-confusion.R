# Classes against classes: as recorded, as predicted, as they truly are.

#' Which classes are taken for which
#'
#' `confusion()` counts the rows of each recorded class by the class that the other rows predict,
#' and gives the expected numbers of rows of each true class by the class recorded, with intervals.
#'
#' @details
#' Predictions are those of the true class from all *other* rows. Where classes overlap they differ
#' from labels that are right; only the second table is about wrong labels. It
#' averages over noise models as all answers do. Trusted labels count as they are, and rows that
#' were checked ([update()][update.sturdy_model]) as they had been recorded before.
#'
#' No label is replaced: the probabilities of the true class of each row, its label taken into account, are
#' `predict(fit, type = "true")`. Check records where they can be checked ([review()]), and fit a
#' [gpc()] to labels as they were recorded, not to ones that a model has put right, which would agree
#' with it.
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default).
#' @param ... Not used.
#' @return
#' `confusion()` returns a list of class `sturdy_confusion`, with matrices that have the classes as
#' names: `predicted`, the numbers of rows by recorded class (rows) and predicted class (columns);
#' `true`, the expected numbers by true class (rows) and recorded class (columns), with their
#' `lower` and `upper` ends; and `level`.
#' @section Conditions:
#' `sturdy_error_no_sites` for a [bpm()] that has absorbed rows by filtering and for fits to
#' [shards()], which keep no rows.
#' @seealso [noise_matrix()], [flip_rates()], [mislabelled()]
#' @export
#' @examples
#' fit <- gpc(Species ~ ., data = iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
#'            kernel = kernel_iso(2, fixed = TRUE))
#' confusion(fit)
confusion <- function(object, level = 0.9, ...) {
  object <- fit_of(object, ..., .level = level)
  check_label_each(object)
  object <- judged_by(object)
  levels <- object$blueprint$levels
  all <- truth(object)
  unseen <- mean_over(all$loo, left_out_weight(all))
  likely <- max.col(unseen, ties.method = "first")
  recorded <- recorded_code(object)
  said <- node_truth(object)
  times <- object$data$reports$times
  by_class <- lapply(list(recorded, likely), factor, seq_along(levels))
  predicted <- tapply(report_times(object$data$reports), by_class, sum, default = 0)
  if (is.null(times)) storage.mode(predicted) <- "integer"
  cells <- expand.grid(true = seq_along(levels), recorded = seq_along(levels))
  numbers <- vapply(seq_len(nrow(cells)), function(k) {
    mine <- recorded == cells$recorded[k]
    p <- matrix(said$p[mine, cells$true[k], ], sum(mine), length(said$weight))
    density_ends(wrong_mixture(p, said$weight, times[mine]), level)
  }, numeric(2))
  as_matrix <- function(v, names = c("true", "recorded")) {
    matrix(v, length(levels), dimnames = stats::setNames(list(levels, levels), names))
  }
  structure(list(
    predicted = as_matrix(predicted, c("recorded", "predicted")), true = as_matrix(matrix_counts(object)),
    lower = as_matrix(numbers[1, ]), upper = as_matrix(numbers[2, ]), level = level
  ), class = "sturdy_confusion")
}

#' What is expected of the labels of each class
#'
#' @return A data frame: recorded, how many labels name the class; true, how many rows are expected
#'   to belong to it; wrong, of the labels; missed, of the rows; sensitivity, the share of
#'   the rows that are recorded so; precision, the share of the labels that are right. Shares of
#'   nothing are `NA`.
#' @noRd
class_table <- function(object) {
  object <- judged_by(object)
  counts <- matrix_counts(object)
  right <- diag(counts)
  share <- function(of) ifelse(of > 0, pmin(right / of, 1), NA_real_)
  data.frame(
    class = object$blueprint$levels, recorded = round(colSums(counts)), true = rowSums(counts),
    wrong = wrong_rates(t(counts)), missed = wrong_rates(counts),
    sensitivity = share(rowSums(counts)), precision = share(colSums(counts)), row.names = NULL
  )
}

#' @param x The result of `confusion()`.
#' @param digits Significant digits of expected numbers (2 by default).
#' @rdname confusion
#' @export
print.sturdy_confusion <- function(x, digits = 2, ...) {
  digits <- check_digits(digits)
  cat("<sturdy_confusion>\n")
  print_title("Rows by recorded class and class predicted from the other rows")
  print(x$predicted)
  cat("\n")
  print_title("Expected rows by true class and recorded class (", format(100 * x$level), "% intervals)")
  words <- x$true
  number <- function(v) if (v > 0 && v < 0.05) "< 0.05" else count_text(v, digits)
  words[] <- paste0(vapply(x$true, number, ""), " (", range_text(x), ")")
  print(words, quote = FALSE, right = TRUE)
  invisible(x)
}
