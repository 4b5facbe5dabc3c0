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
#' from the fit; of new rows from the fit's prediction and the recorded label, by Bayes'
#' rule. Each draw gives one value of each figure; their mean and quantiles are reported,
#' beside the figure against the recorded labels.
#'
#' Predictions that were learned from the same labels are flattered either way. Use
#' predictions for new rows, or out-of-fold ones. And the answer is the fit's: where the
#' classifier and the fit err together, neither shows it.
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param predictions Predictions of the classifier for the rows: probabilities of the event
#'   (the second level), with three classes or more a matrix with a column of probabilities
#'   for each; or classes, as a factor or text. Of the training rows, one for each row of the
#'   data that the fit was given, or one for each row that it used, as [predict()] has them
#'   where rows were left out.
#' @param newdata,y New rows and their recorded labels. `NULL`, the default, means the
#'   training rows.
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default).
#' @param draws How many draws of the true labels (1000 by default).
#' @param seed Seed of the draws; the random numbers of the session are not touched.
#' @param ... Not used.
#' @return A data frame of class `sturdy_performance` with the rows `accuracy` and, for
#'   probabilities, `auc`, `log_score` (the mean log probability) and `calibration` (the
#'   mean
#'   |predicted - observed| over ten bins; with three classes or more this and `auc` are means
#'   over the classes, each against the rest), and the columns `measure`, `true` (the mean over
#'   draws), `lower`, `upper`, and `recorded`, the naive figure. An `auc` needs rows of both
#'   classes: where more than 5% of the draws have no value of a figure, `true`, `lower` and
#'   `upper` are `NA`, and so is `recorded` where the recorded labels have none. With three
#'   classes or more the `auc` of a draw is the mean over the classes that occur in it.
#' @section Conditions:
#' `sturdy_error_predictions` for predictions that do not match the rows;
#' `sturdy_error_missing_argument` without `predictions`, and when one of `newdata` and `y` is
#' given alone.
#' @seealso [mislabelled()], [calibration()]
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(80))
#' y <- flip_labels(factor(x > 0), 0.1, seed = 1)
#' fit <- gpc(x, y, kernel = kernel_iso(1, fixed = TRUE), epsilon = 0.1)
#' true_performance(fit, pnorm(3 * x[, 1]))
true_performance <- function(object, ...) {
  UseMethod("true_performance")
}

#' @export
true_performance.default <- function(object, ...) abort_no_fit(object)

#' @rdname true_performance
#' @export
true_performance.sturdy_model <- function(object, predictions, newdata = NULL, y = NULL,
                                          level = 0.9, draws = 1000, seed = 1, ...) {
  check_no_dots(...)
  call <- rlang::current_env()
  check_given(missing(predictions), "predictions", call)
  level <- check_number(level, "level", min = 0, max = 1, open = TRUE)
  draws <- check_count(draws, "draws", min = 10)
  check_new_pair(newdata, y, call)
  truth <- if (is.null(newdata)) {
    check_sites_kept(object)
    truth_of_rows(object)
  } else {
    truth_of_new(object, newdata, y, call)
  }
  predicted <- check_predictions(predictions, truth, object$blueprint$levels, call)
  measures <- performance_measures(predicted)
  check_memory(as.double(draws) * length(truth$event), draws, what = "draws")
  values <- draw_measures(measures, draws, seed, ncol(truth$p), truth$weight, function(k) {
    stats::runif(nrow(truth$p)) < truth$p[, k]
  })
  new_performance(measures, values, truth$event, level)
}

#' Measures against draws of the true labels: `truth_at(k)` draws them at node k
#' @noRd
draw_measures <- function(measures, draws, seed, nodes, weight, truth_at) {
  with_seed_or_stream(seed, vapply(seq_len(draws), function(draw) {
    true <- truth_at(sample.int(nodes, 1, prob = weight))
    vapply(measures, function(measure) measure(true), numeric(1))
  }, numeric(length(measures))))
}

check_new_pair <- function(newdata, y, call) {
  if (is.null(newdata) != is.null(y)) {
    abort_sturdy(
      "{.arg newdata} and {.arg y} must be given together.", "missing_argument",
      arg = if (is.null(y)) "y" else "newdata", call = call
    )
  }
}

#' @param values of the measures (rows) in each draw. @param recorded labels as recorded.
#' @noRd
new_performance <- function(measures, values, recorded, level) {
  values <- matrix(values, length(measures))
  # the few draws in which a figure is there are not like the others
  values[rowMeans(is.na(values)) > 0.05, ] <- NA_real_
  ends <- apply(values, 1, stats::quantile, c((1 - level) / 2, (1 + level) / 2), na.rm = TRUE,
                names = FALSE)
  shown <- data.frame(
    measure = names(measures), true = rowMeans(values, na.rm = TRUE), lower = ends[1, ],
    upper = ends[2, ],
    recorded = vapply(measures, function(measure) measure(recorded), numeric(1)),
    row.names = NULL
  )
  shown[-1] <- lapply(shown[-1], function(v) ifelse(is.na(v), NA_real_, v)) # no NaN
  structure(
    shown,
    level = level, n = length(recorded), class = c("sturdy_performance", "data.frame")
  )
}

#' Probability that the true class is the event, of each training row at each node
#' @return list(p (n x K), weight, event: as recorded, given: how many rows there are in all,
#'   rows: which of them these are, padded: these, and `NA` where predict() has it).
#' @noRd
truth_of_rows <- function(object) {
  event <- object$data$y > 0
  flipped <- if (is_average(object)) {
    node_flips(object$nodes, fit_data(object))$flipped
  } else {
    matrix(object$ep$flipped)
  }
  flipped[event, ] <- 1 - flipped[event, ]
  list(
    p = flipped, weight = node_weight(object), event = event,
    rows = object$data$rows, given = object$data$n_given, padded = padded_rows(object)
  )
}

#' @noRd
padded_rows <- function(object) {
  stats::naresid(object$data$na_action, seq_along(object$data$rows))
}

#' Which predictions are those of the rows used
#'
#' There may be one for each row of the data, for each row used, or for each of those and of
#' those that na.exclude() left out.
#' @param k how many there are. @param truth as of truth_of_rows() or truth_of_new().
#' @return positions, or `NULL` if there are neither as many as these nor as those.
#' @noRd
predictions_used <- function(k, truth) {
  if (k == truth$given) {
    truth$rows
  } else if (k == length(truth$rows)) {
    seq_len(k)
  } else if (k == length(truth$padded)) {
    which(!is.na(truth$padded))
  }
}

#' How many there may be, in words
#' @noRd
predictions_wanted <- function(truth) {
  used <- length(truth$rows)
  paste0(
    "for each of the ", count(truth$given, "row"),
    if (used != truth$given) paste0(" (or of the ", used, " used)")
  )
}

#' The same of new rows, from the prediction and the recorded label
#' @noRd
truth_of_new <- function(object, newdata, y, call) {
  latent <- latent_at(object, newdata, call)
  complete <- which(rowSums(is.na(latent$m)) == 0)
  label <- as.character(y)
  levels <- object$blueprint$levels
  if (length(label) != nrow(latent$m) || !all(label[complete] %in% levels)) {
    abort_sturdy(
      "{.arg y} must have a label, {.or {.val {levels}}}, for each of the {nrow(latent$m)}
       row{?s} of {.arg newdata}.",
      "length", arg = "y", call = call
    )
  }
  event <- label[complete] == levels[2]
  z <- (latent$m / sqrt(latent$s2))[complete, , drop = FALSE]
  pos <- stats::pt(z, object$spec$df)
  neg <- stats::pt(-z, object$spec$df)
  rates <- node_rates(object)
  # a row a node: the probability of the label under either class
  recorded <- function(right, wrong) {
    outer(event, seq_len(ncol(z)), function(e, k) ifelse(e, right[k], wrong[k]))
  }
  if_pos <- recorded(1 - rates[, 2], rates[, 2])
  if_neg <- recorded(rates[, 1], 1 - rates[, 1])
  p <- pos * if_pos / (pos * if_pos + neg * if_neg)
  p[is.nan(p)] <- 0.5 # a label that the node takes for impossible
  list(
    p = p, weight = node_weight(object), event = event, rows = complete, given = nrow(latent$m)
  )
}

#' Predictions as probabilities of the event, or as TRUE and FALSE
#' @noRd
check_predictions <- function(predictions, truth, levels, call) {
  classes <- is.factor(predictions) || is.character(predictions)
  at <- predictions_used(length(predictions), truth)
  fine <- !is.null(at) && (classes || is.numeric(predictions))
  if (fine) {
    used <- if (classes) as.character(predictions)[at] else as.double(predictions)[at]
    fine <- if (classes) all(used %in% levels) else !anyNA(used) && all(used >= 0 & used <= 1)
  }
  if (!fine) {
    abort_sturdy(
      "{.arg predictions} must have, {predictions_wanted(truth)}, the probability of
       {.val {levels[2]}} or a class, {.or {.val {levels}}}, not {describe(predictions)}.",
      "predictions", arg = "predictions", call = call
    )
  }
  if (classes) used == levels[2] else used
}

#' @return named list of functions of the true classes (`TRUE`: the event).
#' @noRd
performance_measures <- function(predicted) {
  called <- if (is.logical(predicted)) predicted else predicted > 0.5
  accuracy <- list(accuracy = function(event) mean(called == event))
  if (is.logical(predicted)) {
    return(accuracy)
  }
  rank <- rank(predicted)
  p <- pmin(pmax(predicted, 1e-12), 1 - 1e-12)
  bin <- findInterval(predicted, seq(0, 1, by = 0.1), all.inside = TRUE)
  c(accuracy, list(
    auc = function(event) {
      n <- c(sum(event), sum(!event))
      if (all(n > 0)) (sum(rank[event]) - n[1] * (n[1] + 1) / 2) / prod(n) else NA_real_
    },
    log_score = function(event) mean(log(ifelse(event, p, 1 - p))),
    calibration = function(event) {
      sum(abs(rowsum(predicted - event, bin))) / length(event)
    }
  ))
}

#' @param digits Significant digits.
#' @param x The result of `true_performance()`.
#' @rdname true_performance
#' @export
print.sturdy_performance <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  cat("<sturdy_performance> against the true classes of ", count(attr(x, "n"), "row"), " (",
      format(100 * attr(x, "level")), "% intervals), and against the recorded labels\n", sep = "")
  shown <- x
  class(shown) <- "data.frame"
  print(shown, digits = digits, row.names = FALSE)
  invisible(x)
}
