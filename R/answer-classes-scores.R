# Calibration, and performance against the true labels, with several classes.

#' @param class With three classes or more, the class whose probability is meant; `NULL`, the
#'   default, takes each row once for each class.
#' @rdname calibration
#' @export
calibration.gpc_classes <- function(object, bins = 10, level = 0.9, class = NULL, ...) {
  check_no_dots(...)
  bins <- check_count(bins, "bins", 1, 1000)
  level <- check_number(level, "level", min = 0, max = 1, open = TRUE)
  levels <- object$blueprint$levels
  check_posterior(object)
  which <- if (is.null(class)) seq_along(levels) else match(as.character(class), levels)
  if (anyNA(which) || !is.null(class) && length(which) != 1) {
    abort_sturdy(
      "{.arg class} must be {.code NULL} or one of {.val {levels}}, not {describe(class)}.",
      "choice", arg = "class"
    )
  }
  recorded <- class_rows(object)$recorded[, which, drop = FALSE]
  event <- as.vector(outer(object$data$y, which, `==`))
  meant <- if (is.null(class)) "a class" else levels[which]
  found <- new_calibration(as.vector(recorded), event, bins, level, c("another class", meant))
  found$rows <- nobs(object)
  found
}

#' @rdname true_performance
#' @export
true_performance.gpc_classes <- function(object, predictions, newdata = NULL, y = NULL,
                                         level = 0.9, draws = 1000, seed = 1, ...) {
  check_no_dots(...)
  call <- rlang::current_env()
  check_given(missing(predictions), "predictions", call)
  level <- check_number(level, "level", min = 0, max = 1, open = TRUE)
  draws <- check_count(draws, "draws", min = 10)
  check_new_pair(newdata, y, call)
  check_posterior(object)
  truth <- if (is.null(newdata)) {
    classes_truth_of_rows(object)
  } else {
    classes_truth_of_new(object, newdata, y, call)
  }
  levels <- object$blueprint$levels
  predicted <- check_class_predictions(predictions, truth, levels, call)
  measures <- class_measures(predicted, is.factor(predictions) || is.character(predictions))
  check_memory(as.double(draws) * length(truth$y), draws, what = "draws")
  values <- draw_measures(measures, draws, seed, length(truth$weight), truth$weight, function(k) {
    below <- truth$below[[k]]
    1 + rowSums(below < stats::runif(nrow(below)))
  })
  new_performance(measures, values, truth$y, level)
}

#' Of each node the distribution function of the true class, n x (C - 1)
#' @return list(below, weight, y: as recorded, given, rows, padded: as truth_of_rows()).
#' @noRd
classes_truth_of_rows <- function(object) {
  classes <- length(object$blueprint$levels)
  each <- if (is_average(object)) {
    lapply(seq_along(object$nodes$omega), function(k) {
      p <- matrix(object$nodes$seen[, k], ncol = classes)
      row_likelihood(object, k) * p
    })
  } else {
    list(object$ep$true_class)
  }
  list(
    below = lapply(each, share_below), weight = node_weight(object), y = object$data$y,
    rows = object$data$rows, given = object$data$n_given, padded = padded_rows(object)
  )
}

#' @noRd
share_below <- function(p) {
  p <- p / rowSums(p)
  below <- p[, -ncol(p), drop = FALSE]
  for (c in seq_len(ncol(below))[-1]) below[, c] <- below[, c] + below[, c - 1]
  below
}

#' The same of new rows, from the prediction and the recorded label
#' @noRd
classes_truth_of_new <- function(object, newdata, y, call) {
  levels <- object$blueprint$levels
  new <- forge(object$blueprint, newdata, call, novel = TRUE)
  complete <- which(new$complete)
  code <- match(as.character(y), levels)
  if (length(code) != nrow(new$X) || anyNA(code[complete])) {
    abort_sturdy(
      "{.arg y} must have a label, {.or {.val {levels}}}, for each of the {nrow(new$X)}
       row{?s} of {.arg newdata}.",
      "length", arg = "y", call = call
    )
  }
  y <- code[complete]
  X <- new$X[complete, , drop = FALSE]
  below <- lapply(seq_along(node_weight(object)), function(k) {
    fit <- if (is_average(object)) at_node(object, k) else object
    joint <- classes_prob_new(fit, X) * label_likelihood(y, as_omega(unname(fit$omega), length(levels)))
    joint[rowSums(joint) == 0, ] <- 1 # a label that the node takes for impossible
    share_below(joint)
  })
  list(
    below = below, weight = node_weight(object), y = y, rows = complete, given = nrow(new$X)
  )
}

#' Predictions for the rows used as probabilities of the classes, n x C; 0 and 1 where
#' classes were given
#' @noRd
check_class_predictions <- function(predictions, truth, levels, call) {
  if (is.data.frame(predictions)) predictions <- as.matrix(predictions)
  classes <- is.factor(predictions) || is.character(predictions)
  named <- !is.null(colnames(predictions))
  at <- predictions_used(NROW(predictions), truth)
  fine <- !is.null(at) && if (classes) {
    used <- as.character(predictions)[at]
    is.null(dim(predictions)) && all(used %in% levels)
  } else {
    is.matrix(predictions) && is.numeric(predictions) &&
      ncol(predictions) == length(levels) &&
      (!named || setequal(colnames(predictions), levels))
  }
  if (fine && !classes) {
    used <- unname(predictions[at, if (named) levels else seq_along(levels), drop = FALSE])
    fine <- !anyNA(used) && all(used >= 0) && all(abs(rowSums(used) - 1) < 1e-6)
  }
  if (!fine) {
    abort_sturdy(
      "{.arg predictions} must have, {predictions_wanted(truth)}, a class,
       {.or {.val {levels}}}, or be a matrix with the probability of each, rows summing to
       1, not {describe(predictions)}.",
      "predictions", arg = "predictions", call = call
    )
  }
  if (classes) diag(length(levels))[match(used, levels), , drop = FALSE] else used
}

#' Named list of functions of the true classes, as performance_measures(): the area and
#' the calibration are means over the classes, each against the rest.
#' @noRd
class_measures <- function(p, called_only) {
  called <- max.col(p, ties.method = "first")
  accuracy <- list(accuracy = function(true) mean(called == true))
  if (called_only) {
    return(accuracy)
  }
  each <- lapply(seq_len(ncol(p)), function(c) performance_measures(p[, c]))
  over <- function(name) {
    function(true) {
      values <- vapply(seq_along(each), function(c) each[[c]][[name]](true == c), numeric(1))
      # of the classes that occur
      if (all(is.na(values))) NA_real_ else mean(values, na.rm = TRUE)
    }
  }
  safe <- pmax(p, 1e-12)
  c(accuracy, list(
    auc = over("auc"),
    log_score = function(true) mean(log(safe[cbind(seq_along(true), true)])),
    calibration = over("calibration")
  ))
}
