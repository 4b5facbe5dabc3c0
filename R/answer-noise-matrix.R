#' Which classes are recorded as which
#'
#' The noise matrix of a fit: the probability that a row of a
#' true class is recorded as each class, with intervals. [confusion()] has the expected numbers of rows.
#'
#' @details
#' The matrix is that of the label stage ([wrong-labels]), the mean over all noise models, the one
#' without wrong labels included, and the interval is over its points. A rate or matrix that is given
#' has none.
#'
#' Where fewer than three labels are of a class, next to nothing is learned of its row: it is that of
#' the prior ([noise_prior()]) and, where one rate is shared, of the other classes. `print()` says so.
#'
#' Classes that look alike and classes whose labels are mistaken for each other both ways can't be
#' told apart: a rate between two classes is a reason to look at rows, not a proof.
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param level Probability of the intervals, strictly between 0 and 1; `NULL` for none.
#' @param reader Of a fit to [readers()]: the name of one, whose matrix it is then. `NULL`, the
#'   default, is the mean over readers by how many labels they gave.
#' @param ... Not used.
#' @return A matrix of class `sturdy_noise_matrix` with a row for each true class and a column
#'   for each recorded one. It has the attributes `lower`, `upper` and `level` where
#'   there is an interval; `rare` has the names of classes with fewer than three labels.
#' @seealso [gpc()], [confusion()], [mislabelled()]
#' @export
#' @examples
#' fit <- gpc(Species ~ ., data = iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
#'            kernel = kernel_iso(2, fixed = TRUE))
#' noise_matrix(fit)
noise_matrix <- function(object, level = 0.9, reader = NULL, ...) {
  object <- fit_of(object, ...)
  if (!is.null(level)) level <- check_level(level)
  object <- check_judge(object)
  size <- source_sizes(object$data$reports)
  if (!is.null(reader)) {
    check_has_readers(object)
    readers <- object$data$reports$sources
    must(is_one_of(reader, readers), "reader", "be one of {.or {.val {few(readers)}}}", "readers", got = reader)
    size <- as.numeric(readers == reader)
  }
  entries <- noise_over_points(object, function(omega) mean_omega(omega, size), if (rate_learned(object)) level)
  omega <- object$omega
  omega[] <- entries$rate
  if (!anyNA(entries)) {
    ends <- lapply(entries[c("lower", "upper")], matrix, nrow(omega))
    attributes(omega)[c("lower", "upper", "level")] <- c(ends, level)
  }
  structure(omega, rare = rare_classes(object), class = c("sturdy_noise_matrix", "matrix"))
}

rare_rows <- 3L # labels of a class that say something of its errors

#' Classes whose rates are those of the prior, as hardly a label is of them
#' @return their names, or `NULL`
#' @noRd
rare_classes <- function(object) {
  by_class <- any(is_by_class(object$nodes$models$model))
  if (has_readers(object) || !rate_learned(object) || !has_rows(object) || !by_class) {
    return(NULL)
  }
  levels <- object$blueprint$levels
  labels <- class_sums(report_times(object$data$reports), label_code(object$data), length(levels))
  rare <- levels[labels < rare_rows]
  if (length(rare)) rare
}

#' Sums over the rows of each class
#' @noRd
class_sums <- function(v, code, classes) vapply(seq_len(classes), function(c) sum(v[code == c]), 0)

rare_words <- function(rare) {
  of <- name_some(quoted_empty(rare))
  if (length(rare)) paste0("Fewer than three labels are ", of, ": noise_matrix() has the prior there.")
}

#' Expected number of rows of each true class recorded as each class; of a label that was
#' looked up it is what had been recorded that counts
#' @noRd
matrix_counts <- function(object) {
  if (has_readers(object)) {
    counts <- expected_reports(object)
    return(mean_omega(counts, rep(1, nrow(counts))))
  }
  said <- truth(object)
  p <- mean_over(said$p, said$weight) * report_times(object$data$reports)
  crossprod(p, diag(ncol(p))[recorded_code(object), , drop = FALSE])
}

#' The class recorded of each row, of a label that was looked up the one before
#' @noRd
recorded_code <- function(object) {
  reports <- object$data$reports
  recorded <- label_code(object$data)
  by_source <- reports$source > 0
  recorded[reports$row[by_source]] <- reports$value[by_source]
  recorded
}

#' @param x The result of `noise_matrix()`.
#' @param digits Digits after the point of per cents (1 by default).
#' @rdname noise_matrix
#' @export
print.sturdy_noise_matrix <- function(x, digits = 1, ...) {
  digits <- check_count(digits, "digits", max = 15)
  words <- function(m) {
    replace(formatC(100 * m, digits = digits, format = "f"), 100 * m < 0.5 * 10^-digits, ".")
  }
  print_title("<sturdy_noise_matrix> per cent of each true class (rows) recorded as each class")
  values <- matrix(words(unclass(x)), nrow(x), dimnames = dimnames(x))
  print(values, quote = FALSE, right = TRUE)
  if (!is.null(attr(x, "level"))) {
    cat(format(100 * attr(x, "level")), "% intervals\n", sep = "")
    values[] <- paste(words(attr(x, "lower")), "to", words(attr(x, "upper")))
    print(values, quote = FALSE, right = TRUE)
  }
  rare <- rare_words(attr(x, "rare"))
  if (length(rare)) print_title(rare)
  invisible(x)
}
