# Where objects of other packages keep probabilities that were predicted for each row without its
# label: one row of a table for each class of object.

#' The mean of what was predicted for each row, in the order of the rows, and its label
#' @param row,labels those of each prediction.
#' @noRd
mean_by_row <- function(prob, row, labels) {
  sums <- rowsum(as.matrix(prob), row)
  structure(sums / rowSums(sums), labels = labels[match(rownames(sums), row)])
}

#' Leave-one-out probabilities of a logistic model by one step of Newton's method
#'
#' Without row i its linear predictor is eta_i - h_i / (1 - h_i) r_i, h the leverage and r the residual
#' of the last weighted least squares.
#'
#' Rows are those of the data that it was given, also those without a value, and have their names: a
#' `subset` is known by these.
#' @noRd
glm_left_out <- function(x) {
  plain <- class(x)[1] == "glm" && identical(x$family$family, "binomial") && all(x$y %in% 0:1) &&
    all(x$prior.weights == 1)
  if (!plain) {
    return(NULL)
  }
  omitted <- x$na.action
  if (length(omitted)) class(omitted) <- "exclude"
  x["na.action"] <- list(NULL) # or some of what follows has these rows and some has not
  h <- stats::hatvalues(x)
  eta <- x$linear.predictors - h / (1 - h) * stats::residuals(x, "working")
  prob <- stats::setNames(x$family$linkinv(eta), names(x$linear.predictors))
  response <- if (is.data.frame(x$model)) stats::model.response(x$model) # which has names of its classes
  labels <- if (nlevels(response) == 2) factor(levels(response)[x$y + 1], levels(response)) else x$y
  structure(stats::naresid(omitted, prob), labels = unname(stats::naresid(omitted, labels)))
}

#' The mean over resamples of what caret predicted for rows that were left out
#' @noRd
train_left_out <- function(x) {
  pred <- x$pred
  levels <- levels(pred$obs)
  if (length(levels) < 2 || !all(levels %in% names(pred))) {
    return(NULL)
  }
  pred <- merge(pred, x$bestTune) # of all candidates those of the best
  mean_by_row(pred[levels], pred$rowIndex, pred$obs)
}

#' The mean over resamples of the rows of collect_predictions(), in the order of the rows; of several
#' candidates of a grid that with the least log loss
#' @return `NULL` where they are no such rows, of classes.
#' @noRd
collected_left_out <- function(x) {
  classes <- setdiff(sub("^[.]pred_", "", grep("^[.]pred_", names(x), value = TRUE)), "class")
  labels <- vapply(x, function(v) is.factor(v) && setequal(levels(v), classes), NA)
  of_labels <- setdiff(names(x)[labels], ".pred_class") # the recorded ones
  if (!is.data.frame(x) || !".row" %in% names(x) || length(of_labels) != 1) {
    return(NULL)
  }
  obs <- x[[of_labels]]
  prob <- as.matrix(x[paste0(".pred_", levels(obs))])
  colnames(prob) <- levels(obs)
  if (length(unique(x$.config)) > 1) {
    own <- prob[cbind(seq_along(obs), as.integer(obs))]
    loss <- tapply(-log(pmax(own, .Machine$double.eps)), x$.config, mean, na.rm = TRUE)
    best <- as.character(x$.config) == names(which.min(loss))
    return(collected_left_out(x[best, ]))
  }
  mean_by_row(prob, x$.row, obs)
}

#' @param prob function(x): a matrix, a data frame or a vector as mold_scores() takes it, with the
#'   attribute `labels` where x holds them; `NULL` where x has none. @param how code that
#'   makes such predictions.
#' @noRd
new_scorer <- function(how, prob = function(x) NULL) list(how = how, prob = prob)

scorers <- list(
  ranger = new_scorer("ranger(..., probability = TRUE)", function(x) {
    # those of a forest are out of bag
    if (identical(x$treetype, "Probability estimation")) x$predictions
  }),
  randomForest = new_scorer("randomForest(x, y = factor(labels))", function(x) {
    if (is.matrix(x$votes)) structure(unclass(x$votes) / rowSums(x$votes), labels = x$y)
  }),
  glm = new_scorer("glm(..., family = binomial)", glm_left_out),
  train = new_scorer(
    "trainControl(method = \"cv\", savePredictions = \"final\", classProbs = TRUE)",
    train_left_out
  ),
  xgb.cv.synchronous = new_scorer("xgb.cv(..., prediction = TRUE)", function(x) {
    if (is.null(x$pred)) x$cv_predict$pred else x$pred # the second since xgboost 3
  }),
  ResampleResult = new_scorer(
    "resample(task, lrn(..., predict_type = \"prob\"), rsmp(\"cv\"))",
    function(x) {
      pred <- x$prediction() # in the order of the task
      if (!is.null(pred$prob)) mean_by_row(pred$prob, pred$row_ids, pred$truth)
    }
  ),
  tune_results = new_scorer(
    "fit_resamples(..., control = control_resamples(save_pred = TRUE))",
    function(x) {
      each <- x[[".predictions"]]
      seen <- x[["id"]] %in% "Apparent" # resamples that are predicted by what was fitted to them
      rows <- lapply(each[!seen & lengths(each) > 0], as.data.frame)
      collected_left_out(do.call(rbind, rows))
    }
  ),
  torch_tensor = new_scorer("nnf_softmax(output, 2)", function(x) as.array(x$detach()$cpu())),
  workflow = new_scorer(
    "fit_resamples(workflow, vfold_cv(data), control = control_resamples(save_pred = TRUE))"
  ),
  model_fit = new_scorer("cross_fit(x, labels, specification)"),
  # boosters, without the rows that each was not shown
  xgb.Booster = new_scorer("xgb.cv(..., prediction = TRUE)")
)
scorers[c(
  "gam", "lgb.CVBooster", "lgb.Booster", "rpart", "ksvm", "tab_pfn", "catboost.Model", "luz_module_fitted"
)] <- list(new_scorer("cross_fit(x, labels, fit, predict)"))

#' The row of an object, `NULL` where it is of no class of the table
#' @noRd
scorer_of <- function(x) {
  known <- intersect(class(x), names(scorers))
  if (length(known)) scorers[[known[1]]]
}

#' Out-of-sample probabilities of an object, and its labels
#' @param prob as the user gave it. @return `prob`, with the attribute `labels` where it has some.
#' @noRd
out_of_sample <- function(prob) {
  scorer <- scorer_of(prob)
  if (is.null(scorer)) {
    collected <- if (is.data.frame(prob)) collected_left_out(prob)
    return(if (is.null(collected)) prob else collected)
  }
  found <- scorer$prob(prob)
  must(
    !is.null(found), "prob", "have out-of-sample probabilities: this {.cls {class(prob)[1]}} has
     none, and in-sample ones would hide wrong labels", "in_sample",
    more = c(i = "Made by {.code {scorer$how}}.")
  )
  found
}
