# Classes against classes: as recorded, as predicted, as they truly are; and labels put right.

#' Which classes are taken for which
#'
#' `confusion()` counts the rows of each recorded class by the class that the other rows predict,
#' and gives the expected numbers of rows of each true class by the class recorded, with intervals.
#' `relabel()` replaces labels that are wrong with a high probability.
#'
#' @details
#' Predictions are those of the true class from all *other* rows. Where classes overlap they differ
#' from labels that are right; only the second table is about wrong labels. It
#' averages over noise models as all answers do. Trusted labels count as they are, and rows that
#' were checked ([update()][update.sturdy_model]) as they had been recorded before.
#'
#' `relabel()` replaces a label where one other class has a probability of at least `threshold`,
#' averaged over noise models. Trusted labels stay. A label that a model replaces is a suspicion
#' put into the table: check records where they can be checked ([review()]), and fit a
#' [gpc()] to labels as they were recorded, not to relabelled ones, which would agree with it.
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default).
#' @param threshold The least probability of the class that takes the place of the recorded one,
#'   above 1/2 and at most 1 (0.9 by default).
#' @param ... Not used.
#' @return
#' `confusion()` returns a list of class `sturdy_confusion`, with matrices that have the classes as
#' names: `predicted`, the numbers of rows by recorded class (rows) and predicted class (columns);
#' `true`, the expected numbers by true class (rows) and recorded class (columns), with their
#' `lower` and `upper` ends; and `level`.
#'
#' `relabel()` returns a factor with the levels of the fit and an entry for each row of the data
#' given to it, `NA` for rows left out, with a message. Its attribute `changed` holds the positions of the rows
#' whose labels were replaced.
#' @section Conditions:
#' `sturdy_error_no_sites` for a [bpm()] that has absorbed rows by filtering and for fits to
#' [shards()], which keep no rows; message `sturdy_message_no_new_label` of [relabel()], where rows
#' were left out of the fit.
#' @seealso [noise_matrix()], [flip_rates()], [mislabelled()]
#' @export
#' @examples
#' fit <- gpc(Species ~ ., data = iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
#'            kernel = kernel_iso(2, fixed = TRUE))
#' confusion(fit)
#' table(relabel(fit, threshold = 0.8), iris$Species[c(1:15, 51:65, 101:115)])
confusion <- function(object, level = 0.9, ...) {
  object <- fit_of(object, ...)
  level <- check_level(level)
  check_sites_kept(object)
  check_one_label(object)
  object <- judged_by(object)
  levels <- object$blueprint$levels
  all <- truth(object)
  unseen <- mean_over(all$loo, left_out_weight(all))
  likely <- max.col(unseen, ties.method = "first")
  recorded <- recorded_code(object)
  said <- node_truth(object)
  times <- object$data$reports$times
  classes <- diag(length(levels))
  predicted <- crossprod(
    classes[recorded, , drop = FALSE],
    report_times(object$data$reports) * classes[likely, , drop = FALSE]
  )
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
  structure(
    list(
      predicted = as_matrix(predicted, c("recorded", "predicted")),
      true = as_matrix(matrix_counts(object)), lower = as_matrix(numbers[1, ]),
      upper = as_matrix(numbers[2, ]), level = level
    ),
    class = "sturdy_confusion"
  )
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
  print_title(
    "Expected rows by true class and recorded class (", format(100 * x$level), "% intervals)"
  )
  words <- x$true
  number <- function(v) if (v > 0 && v < 0.05) "< 0.05" else count_text(v, digits)
  words[] <- paste0(
    vapply(x$true, number, ""), " (", range_text(list(lower = x$lower, upper = x$upper)), ")"
  )
  print(words, quote = FALSE, right = TRUE)
  invisible(x)
}

#' @rdname confusion
#' @export
relabel <- function(object, threshold = 0.9, ...) {
  object <- fit_of(object, ...)
  threshold <- check_number(threshold, "threshold", min = 0.5, max = 1)
  check_sites_kept(object)
  object <- judged_by(object)
  levels <- object$blueprint$levels
  said <- truth(object)
  readers <- has_readers(object)
  p <- if (readers) mean_over(said$p, said$weight) else other_classes(said)
  best <- max.col(p, ties.method = "first")
  likely <- row_max(p)
  sure <- likely >= threshold & (readers | said$source > 0 & likely > 0.5)
  place <- fit_place(object$data, seq_len(object$data$n_given))
  label <- ifelse(sure, best, if (readers) NA else said$y)[place]
  left_out <- setdiff(which(is.na(label)), object$data$unlabelled$rows)
  inform_these(
    "no_new_label",
    c(
      i = "{length(these)} row{?s} {qty(length(these))}{?was/were} left out of the fit: {?its
           label/their labels} {?is/are} {.code NA} here, not what is recorded."
    ),
    rows = if (!readers) left_out
  )
  changed <- sure & best != said$y
  structure(factor(levels[label], levels = levels), changed = which(changed[place]))
}
