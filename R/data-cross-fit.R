# Out-of-sample probabilities of a classifier that has none of its own.

#' Out-of-sample class probabilities of any classifier
#'
#' Fits a classifier `folds` times, each time without the rows of one fold, and has it predict
#' these: what [mislabelled()] and [second_stage()] need of a classifier that keeps no
#' out-of-sample predictions.
#'
#' @param x Inputs: a data frame or a matrix, a row for each label; whatever `fit` takes and
#'   `x[rows, , drop = FALSE]` cuts.
#' @param y Labels: a factor, character or logical vector, or numbers. Rows whose label is `NA` train
#'   no classifier; they are predicted all the same.
#' @param fit A function of inputs and labels that returns a fitted classifier; or a model
#'   specification of parsnip, whose mode is classification.
#' @param predict A function of a fitted classifier and inputs that returns class probabilities: a
#'   matrix or data frame with the names of the classes (also with the prefix `.pred_` or
#'   `prob.`), or a vector for the event, the second of two classes. By default
#'   `predict(model, x, type = "prob")`.
#' @param folds How many (2 or more; at most as many as there are labelled rows), or the fold of
#'   each row: a vector. Rows that belong together (of one batch) must be in one fold.
#'   A number of folds is dealt out at random within each class: `set.seed()` fixes it.
#' @param units The unit of each row (its patient, its image), a vector: folds leave whole units out, dealt out by
#'   the first label of each; and [mislabelled()] and [second_stage()] judge the unit. `NULL`, the default, for none.
#' @param progress `TRUE`, `FALSE` or `NA`, as in [ep_control()].
#' @return A matrix of probabilities (rows x classes), with the attributes `labels` and `units`: the
#'   first argument of [mislabelled()] and [second_stage()], which then need no `labels`. A class that was not among
#'   the labels of the other folds has the probability 0 there.
#' @section Cost: `folds` fits to most of the rows, and one prediction of each row. Nothing runs in
#'   parallel here; a classifier may.
#' @section Conditions: Errors: `sturdy_error_type` and `sturdy_error_length` for arguments of other
#'   kinds, `sturdy_error_outcome_levels` for fewer than two classes, `sturdy_error_prob` where
#'   `predict` returns no probabilities of these rows; `sturdy_error_classifier` where `fit` or
#'   `predict` fails, with the number of the fold as `fold` and the error of the classifier as
#'   `parent`. Warnings of the classifier come through.
#' @seealso [second_stage()], `vignette("your-own-classifier")`
#' @export
#' @examples
#' set.seed(1)
#' flowers <- iris[51:150, ]
#' truth <- droplevels(flowers$Species)
#' labels <- flip_labels(truth, rate = 0.1, seed = 1)
#' # any two functions will do: here a logistic model
#' prob <- cross_fit(
#'   flowers[1:4], labels,
#'   fit = function(x, y) glm(y ~ ., binomial, data.frame(x, y = y)),
#'   predict = function(model, x) predict(model, x, type = "response"), folds = 5
#' )
#' head(mislabelled(prob))
cross_fit <- function(x, y, fit, predict = NULL, folds = 10, units = NULL, progress = NA) {
  check_given(missing(x), "x")
  check_given(missing(y), "y")
  check_given(missing(fit), "fit")
  must(length(dim(x)) == 2, "x", "be a data frame or a matrix", got = x)
  y <- one_a_row(y, nrow(x), "y", "x")
  must(is.atomic(y) && is.null(dim(y)), "y", "be a vector or a factor", got = y)
  check_progress(progress)
  learn <- fit
  if (inherits(fit, "model_spec")) {
    check_package("parsnip", "cross_fit")
    learn <- function(x, y) generics::fit_xy(fit, x, y)
  }
  must(
    is.function(learn), "fit", "be a function of inputs and labels, or a parsnip specification",
    got = fit
  )
  if (is.null(predict)) predict <- function(model, x) stats::predict(model, x, type = "prob")
  must(
    is.function(predict), "predict", "be a function of a fitted classifier and inputs",
    got = predict
  )
  y <- droplevels(as.factor(y))
  must(nlevels(y) >= 2, "y", "have two classes or more, not {nlevels(y)}", "outcome_levels")
  fold <- if (is.null(units)) check_folds(folds, y) else unit_folds(folds, y, units)
  prob <- matrix(0, nrow(x), nlevels(y), dimnames = list(row_names_of(x), levels(y)))
  meter <- progress_meter("Cross-fitting", progress)
  all <- unique(fold)
  for (k in seq_along(all)) {
    out <- fold == all[k]
    train <- !out & !is.na(y)
    said <- trying({
      model <- learn(x[train, , drop = FALSE], droplevels(y[train]))
      predict(model, x[out, , drop = FALSE])
    }, "The classifier failed in fold {k}, in {.arg fit} or {.arg predict}.", "classifier", fold = k)
    prob[out, ] <- fold_prob(said, sum(out), levels(droplevels(y[train])), y)
    meter(k, length(all), sprintf("fits of %d folds", length(all)))
  }
  structure(prob, labels = y, units = units)
}

#' The fold of each row, the same for all rows of a unit, whose label is the first that there is
#' @noRd
unit_folds <- function(folds, y, units) {
  unit <- check_units(units, list(rows = seq_along(y), n_given = length(y)))
  must(length(folds) == 1, "folds", "be one number where there are {.arg units}", "units", got = folds)
  of <- match(unit, unique(unit))
  labelled <- order(is.na(y))
  first <- labelled[match(seq_len(max(of)), of[labelled])]
  check_folds(folds, y[first])[of]
}

#' The fold of each row
#' @noRd
check_folds <- function(folds, y) {
  known <- !is.na(y)
  if (length(folds) == length(y) && length(y) > 1) {
    must(
      !anyNA(folds) && length(unique(folds[known])) >= 2, "folds",
      "have the fold of each row, at least two of them"
    )
    return(match(folds, unique(folds)))
  }
  must(
    length(folds) == 1, "folds", "be one number, or the fold of each of the {length(y)} rows", "type",
    got = folds
  )
  check_count(folds, "folds", min = 2, max = sum(known)) # a fold has a labelled row
  # class by class, on from where the last one ended, so that folds differ by one row at most
  fold <- integer(length(y))
  order <- unlist(lapply(split(seq_along(y), addNA(y)), function(rows) {
    rows[sample.int(length(rows))]
  }))
  fold[order] <- rep_len(seq_len(folds), length(y))
  fold
}

#' What a classifier said of the rows of a fold, by the classes of all rows
#' @param trained the classes it was trained on.
#' @noRd
fold_prob <- function(said, rows, trained, y) {
  said <- score_table(out_of_sample(said), "predict()")
  must(
    nrow(said) == rows, "predict()",
    "return a row for each of the {rows} row{?s} it is given, not {nrow(said)}", c("prob", "length")
  )
  odd <- sum(!(said >= 0 & said <= 1 + scores_off) %in% TRUE)
  must(
    odd == 0, "predict()", "return probabilities, from 0 to 1", "prob",
    more = c(x = "{odd} of {length(said)} value{?s} {qty(odd)}{?is/are} not, or missing.")
  )
  if (ncol(said) == 1) said <- event_columns(said, trained)
  columns <- score_names(colnames(said))
  if (is.null(columns) && ncol(said) == length(trained)) columns <- trained
  must(
    length(columns) && all(trained %in% columns), "predict()",
    "return a column for each class it was trained on", c("prob", "column_names"),
    more = c(x = "Classes: {.val {few(trained)}}. Columns: {.val {few(columns)}}.")
  )
  prob <- matrix(0, rows, nlevels(y))
  shared <- intersect(levels(y), columns)
  prob[, match(shared, levels(y))] <- said[, match(shared, columns)]
  prob
}
