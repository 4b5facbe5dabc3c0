#' Performance against the true labels
#'
#' How well a classifier, any classifier, predicts the *true* classes, where only recorded
#' labels are at hand, some of them wrong. The posterior of the true labels under a fit
#' stands in for them.
#'
#' @details
#' A good classifier disagrees with wrong labels, so that scored against recorded labels it
#' looks worse than it is; and a classifier that has learned the errors of the labels looks
#' better than it is. Here true labels are drawn from their posterior: of the training rows
#' from the fit; of new rows from the fit's prediction and the recorded labels, by Bayes'
#' rule: at each point of its label stage, whose weight is multiplied by the probability of
#' the labels there. Each draw gives one value of each figure; their mean and quantiles are
#' reported, beside the figure against the recorded labels.
#'
#' Predictions that were learned from the same labels are flattered either way. Use
#' predictions for new rows, or out-of-fold ones. And the answer is the fit's: where the
#' classifier and the fit err together, neither shows it.
#'
#' Given the point, rows are drawn independently. They share what is not known of the boundary
#' between the classes, so that intervals for many rows are somewhat too short.
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param predictions Predictions of the classifier for the rows: probabilities of the event
#'   (the second level), or a matrix with a column of probabilities for each class; or classes, as
#'   a factor or text. Of the training rows, one for each row of the data that the fit was given,
#'   or one for each row that it used, as [predict()] has them where rows were left out.
#' @param newdata,y New rows and their recorded labels. `NULL`, the default, means the
#'   training rows.
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default).
#' @param draws How many draws of the true labels (1000 by default).
#' @param seed Seed of the draws; the random numbers of the session are not touched.
#' @param by_class Whether the figures are those of each class against the rest (`FALSE` by default).
#' @param ... Not used.
#' @return A data frame of class `sturdy_performance`, by default with the rows `accuracy` and, for
#'   probabilities, `auc`, `log_score` (the mean log probability, `-Inf` where a true class had
#'   the probability 0) and `calibration` (the mean
#'   |predicted - observed| over ten bins; with three classes or more this and `auc` are means
#'   over the classes, each against the rest), and the columns `measure`, `true` (the mean over
#'   draws), `lower`, `upper`, and `recorded`, the naive figure. An `auc` needs rows of both
#'   classes: where more than 5% of the draws have no value of a figure, `true`, `lower` and
#'   `upper` are `NA`, and so is `recorded` where the recorded labels have none. With three
#'   classes or more the `auc` of a draw is the mean over the classes that occur in it.
#'
#'   With `by_class` it begins with a column `class`, and the rows of each are `sensitivity` (or
#'   recall: the share of its rows that are called it), `specificity` (of the other rows that are
#'   not), `precision` (or positive predictive value: the share of the rows called it that belong
#'   to it) and, for probabilities, `auc`. Called is the most probable class.
#' @section Conditions:
#' `sturdy_error_predictions` for predictions that do not match the rows, also
#' `sturdy_error_ambiguous` where `subset` took as many rows as there were, in another order, and
#' the names of the predictions are not those of its rows;
#' `sturdy_error_missing_argument` without `predictions`, and when one of `newdata` and `y` is
#' given alone; `sturdy_error_length`, `sturdy_error_missing` and `sturdy_error_novel_levels` for
#' `y`, and `sturdy_error_impossible` for labels that the fit holds to be impossible.
#' @seealso [mislabelled()], [calibration()]
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(80))
#' y <- flip_labels(factor(x > 0), 0.1, seed = 1)
#' fit <- gpc(x, y, kernel = kernel_iso(1, fixed = TRUE), epsilon = 0.1)
#' true_performance(fit, pnorm(3 * x[, 1]))
true_performance <- function(object, predictions, newdata = NULL, y = NULL, level = 0.9, draws = 1000,
                             seed = 1, by_class = FALSE, ...) {
  object <- fit_of(object, ...)
  check_given(missing(predictions), "predictions")
  check_one_label(object)
  level <- check_level(level)
  by_class <- check_flag(by_class, "by_class")
  draws <- check_count(draws, "draws", min = 10)
  must(
    is.null(newdata) == is.null(y), if (is.null(y)) "y" else "newdata", "be given together",
    "missing_argument", of = "{.arg newdata} and {.arg y}"
  )
  said <- if (is.null(newdata)) truth_of_rows(object) else truth_of_new(object, newdata, y)
  if (is.data.frame(predictions)) predictions <- as.matrix(predictions)
  names <- if (is.matrix(predictions)) rownames(predictions) else names(predictions)
  predictions <- one_column(predictions)
  predicted <- check_predictions(predictions, names, said, object$blueprint$levels)
  measures <- if (by_class) class_measures else performance_measures
  figures <- measures(predicted, are_classes(predictions))
  recorded <- figures(said$y)
  check_memory(as.double(draws) * length(recorded) + length(said$p), draws, what = "draws")
  values <- draw_figures(figures, said, draws, seed)
  new_performance(recorded, values, length(said$y), level, if (by_class) object$blueprint$levels)
}

#' Figures against draws of the true classes, a column a draw
#' @param figures of performance_measures(). @param said list(p: n x C x K, weight, y), of the true classes.
#' @noRd
draw_figures <- function(figures, said, draws, seed) {
  above <- lapply(seq_along(said$weight), function(k) share_above(at_k(said$p, k)))
  with_seed_or_stream(seed, vapply(seq_len(draws), function(draw) {
    u <- stats::runif(nrow(said$p))
    k <- sample.int(length(above), 1, prob = said$weight)
    figures(1 + rowSums(u < above[[k]]))
  }, figures(said$y)))
}

#' P(class > c), c = 1, ..., C - 1
#' @noRd
share_above <- function(p) (p %*% lower.tri(diag(ncol(p))))[, -ncol(p), drop = FALSE]

#' @param recorded figures against the labels as recorded. @param values the same (rows) in each draw.
#' @param n how many rows. @param classes of which there are as many figures each, or `NULL`.
#' @noRd
new_performance <- function(recorded, values, n, level, classes = NULL) {
  values <- matrix(values, length(recorded))
  # the few draws in which a figure is there are not like the others
  values[rowMeans(is.na(values)) > 0.05, ] <- NA_real_
  ends <- apply(values, 1, stats::quantile, c(1 - level, 1 + level) / 2, na.rm = TRUE, names = FALSE)
  shown <- data.frame(
    measure = names(recorded), true = rowMeans(values, na.rm = TRUE), lower = ends[1, ], upper = ends[2, ],
    recorded = recorded, row.names = NULL
  )
  shown[-1] <- lapply(shown[-1], function(v) ifelse(is.na(v), NA_real_, v)) # no NaN
  if (length(classes)) shown <- cbind(class = rep(classes, each = nrow(shown) / length(classes)), shown)
  structure(shown, level = level, n = n, class = c("sturdy_performance", "data.frame"))
}

#' The truth of the training rows, with which of the rows given these are
#' @return list(p, weight, y: as truth(); rows: which of the rows given they are, and their
#'   names; given: how many there were; padded: these, and `NA` where predict() has it).
#' @noRd
truth_of_rows <- function(object) {
  check_sites_kept(object)
  c(node_truth(judged_by(object))[c("p", "weight", "y")], list(
    rows = object$data$rows, names = object$data$row_names, given = object$data$n_given,
    padded = own_places(object$data)
  ))
}

#' Which predictions are those of the rows used
#'
#' There may be one for each row of the data, for each row used, or for each of those and of
#' those that na.exclude() left out. Where subset repeats rows or puts them into another order, as
#' many may be any of these: then their names must tell.
#' @param k how many there are. @param names theirs, or `NULL`.
#' @param said as of truth_of_rows() or truth_of_new().
#' @return positions, or `NULL` where so many are none of these.
#' @noRd
predictions_used <- function(k, names, said) {
  used <- seq_along(said$rows)
  readings <- list(said$rows, used, which(!is.na(said$padded) & !duplicated(said$padded)))
  readings <- unique(readings[k == c(said$given, length(used), length(said$padded))])
  if (length(readings) > 1) {
    readings <- Filter(function(at) identical(names[at], said$names), readings)
    refuse(length(readings) != 1, c(
      "{.arg predictions} may be for the {said$given} rows of the data given, or for the as
       many that {.arg subset} made of them, in another order.",
      i = "Give them the names that {.code fitted(fit)} has, or use {.arg newdata} and {.arg y}."
    ), c("ambiguous", "predictions"), arg = "predictions")
  }
  if (length(readings)) readings[[1]]
}

#' The same of new rows, from the prediction and the recorded labels, by whose probability the nodes are
#' weighed, too
#'
#' Of all nodes: few() have the weights of all as long as nothing is known of the labels.
#' @noRd
truth_of_new <- function(object, newdata, y) {
  rows <- rows_to_predict(object, newdata)
  given <- length(rows$row_names)
  complete <- which(!is.na(rows$spread(seq_len(nrow(rows$X)))))
  y <- one_a_row(y, given, "y", "newdata")
  if (is.null(dim(y))) y[-complete] <- y[complete[1]] # labels that are not looked at
  classes <- length(object$blueprint$levels)
  y <- forge_outcome(y, object$blueprint$levels)[complete]
  data <- list(y = y, reports = label_reports(class_numbers(y, classes), classes))
  X <- rows_for_judge(object, rows$X)
  object <- judged_by(object)
  at <- nodes(object)
  at$omega <- lapply(node_omega(object), array, c(1, classes, classes))
  said <- new_truth(at, seen_new(object, X, all_nodes(object)), data)
  log_weight <- log(said$weight) + new_share(object, length(complete)) * colSums(said$log_z)
  possible <- colSums(said$log_z < log(.Machine$double.xmin)) == 0
  refuse(!any(possible), c(
    "The labels {.arg y} are impossible under the fit.",
    i = "It takes labels to be right for certain, or some mistakes never to be made."
  ), "impossible", arg = "y")
  weight <- softmax(log_weight[possible])
  list(p = said$p[, , possible, drop = FALSE], y = said$y, rows = complete, given = given, weight = weight)
}

are_classes <- function(predictions) is.factor(predictions) || is.character(predictions)

#' Predictions as probabilities of the classes, a row each; 0 and 1 where classes were given; `NULL` of others
#' @noRd
predictions_prob <- function(predictions, levels) {
  if (!is.null(dim(predictions)) && is.numeric(predictions)) {
    named <- colnames(predictions)
    predictions[, if (is.null(named)) seq_len(ncol(predictions)) else match(levels, named), drop = FALSE]
  } else if (are_classes(predictions) && is.null(dim(predictions))) {
    diag(length(levels))[match(as.character(predictions), levels), , drop = FALSE]
  } else if (is.numeric(predictions) && length(levels) == 2) cbind(1 - predictions, as.double(predictions))
}

#' Predictions for the rows used as probabilities of the classes, n x C
#' @noRd
check_predictions <- function(predictions, names, said, levels) {
  p <- predictions_prob(predictions, levels)
  at <- predictions_used(NROW(predictions), names, said)
  used <- if (!is.null(p) && !is.null(at)) unname(p[at, , drop = FALSE])
  shares <- length(used) > 0 && !anyNA(used) && all(used >= 0) && all(abs(rowSums(used) - 1) < 1e-6)
  all <- length(said$rows)
  given <- said$given
  others <- if (all != given) paste0(" (or of the ", all, " used)")
  must(
    shares && ncol(used) == length(levels), "predictions", paste(
      "have, for each of the {given} row{?s}{others},",
      if (length(levels) == 2) "the probability of {.val {levels[2]}},", "a class, {.or {.val {levels}}},
      or be a matrix with the probability of each, rows summing to 1"
    ), "predictions", got = predictions
  )
  used
}

#' @param digits Significant digits.
#' @param x The result of `true_performance()`.
#' @rdname true_performance
#' @export
print.sturdy_performance <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  rows <- attr(x, "n", exact = TRUE)
  if (!is.null(rows)) { # else columns were taken out of it
    percent <- format(100 * attr(x, "level", exact = TRUE))
    print_title(
      "<sturdy_performance> against the true classes of ", count(rows, "row"), " (", percent,
      "% intervals), and against the recorded labels"
    )
  }
  print(as.data.frame(x), digits = digits, row.names = FALSE)
  invisible(x)
}
