# A second stage on out-of-sample scores of any classifier: what stands between the scores and the
# label stage.

#' Which labels are wrong, by out-of-sample scores of any classifier
#'
#' For any classifier that gives probabilities of the classes: a forest, boosted trees, a network.
#' From the labels, and probabilities that were predicted for each row *without its own label*,
#' `second_stage()` makes a fit that answers as every fit of this package does: [mislabelled()],
#' [noise_test()], [review()], [label_report()], [noise_matrix()], [confusion()],
#' [`update(fit, checked = )`][update.sturdy_model], [calibration()], [loo()], `plot()`.
#' [`mislabelled(prob, labels)`][mislabelled] does both steps at once.
#'
#' @details
#' The ranking of the rows is that of the classifier. What is added is how many labels are
#' wrong, with an interval, whether any is, which class a label should be, and which rows to
#' call wrong at a false-discovery rate.
#'
#' It is the label stage of all fits ([wrong-labels], which also says what is approximate), on scores
#' that were not made here. They are recalibrated, by a weight for each class and slopes: in logs the
#' weights, against that of the class with the most labels, have standard normal priors, and so has
#' `log(slope) / 0.7`; each class has a slope of its own beside, with a log standard deviation of 0.4.
#' A small share of rows may be unusual, of several classes pairs may look alike, and the recorded
#' label follows by the noise models ([noise_prior()]). A classifier that was trained on the labels
#' predicts *recorded* classes: how much of the noise its scores have learned is one more
#' unknown, between nothing and all, and that much is taken out of them. The likelihood is exact,
#' and there is no EP.
#'
#' # Out of sample
#' A score must be made without the label of its row: by cross-validation, out of bag, or from
#' another table. In-sample scores agree with wrong labels, and hide them.
#'
#' With `inputs` that is told: on up to 300 rows scores, and labels, are predicted from inputs by the other
#' rows, and what is left of a score is held against what is left of its label. Out of sample a score is a
#' function of the inputs, and the correlation is low; above 0.65 a message and `print()` say so.
#' From the scores alone it is told only where they contradict less than a quarter of the labels that they
#' themselves expect to, or where 50 or more contradict none.
#'
#' Copies of rows, with their labels, must be left out together, and so must rows of one unit (`units` of
#' [cross_fit()]): a copy gives the label away.
#'
#' # How many: both ends
#' Where wrong labels fall at random, or go from some classes to others, scores that learned from them
#' still contradict them, and their number can be learned. Where they fall on rows
#' that do look like the other class, as most human errors do, nothing in the table does: the number
#' that is learned is then a lower limit. Two things are possible:
#' the scores err (because the classes overlap, or because the classifier is poor), or the labels
#' are wrong. Only somebody who knows the subject and the classifier can tell. So where nothing speaks
#' for wrong labels, but there would be more if the scores hardly erred, the verdict is "can't tell",
#' says how many labels the scores contradict, and the interval reaches up to that number.
#'
#' If you know how often a right label would contradict the *scores*, say so:
#' `noise = noise_prior(overlap = 0.01)` holds that share, `overlap = c(0.01, 0.1)` bounds it.
#' That two experts agree on 99 % of the rows does not make it 0.01: a classifier that was trained
#' on 200 rows errs more often than they do, and its errors would count as wrong labels. A held
#' `overlap` leaves nothing to unusual rows and pairs; with any, scores are taken for those of the true
#' class. Without `overlap` the number is learned, and the number at an overlap of 1 % stands beside
#' it: "if the scores hardly err".
#'
#' # Scores
#' Columns are matched to the classes by name, also with the prefix `.pred_` or `prob.`; without
#' names they are taken in the order of the levels. A single column that is named after one of two
#' classes holds the probabilities of that class; otherwise it holds those of the event. The sum
#' of a row may differ from 1 by up to 0.02; the row is then divided by its sum. A score of 0 is
#' replaced by half the smallest score above 0, and by no more than 0.01; in new rows also by no
#' more than half the smallest score of the row. Rows that lack a score or the label are left out,
#' with a message. Log odds, logits, counts and rows that do not sum to 1 are refused.
#'
#' # Of a fit
#' Every fit of [gpc()], [stc()] or [bpm()] that has learned something of its labels has such a stage
#' on its own leave-one-out probabilities, the field `label_stage` ([averaging]). `second_stage(fit)`
#' makes one by itself, with other arguments.
#'
#' # What a second stage lacks
#' There is no latent function: `type = "latent"` and intervals of
#' [predict()][predict.sturdy_model], [posterior_sample()] and [check_fit()] are refused.
#' `newdata` are further probabilities.
#'
#' @param prob Out-of-sample probabilities: a numeric matrix or data frame with a row for
#'   each label and a column for each class (2 to 1,000); or a vector of the probability of the
#'   event, the second of two classes.
#'   Or an object that holds such probabilities: a forest of ranger (with `probability = TRUE`) or
#'   randomForest, out of bag; a logistic [glm()], leave-one-out by one Newton step, with the rows of
#'   its data (of a `subset` by their names); `train` of
#'   caret with saved predictions; results of tune (`fit_resamples()`, `tune_grid()`, `last_fit()`)
#'   with saved predictions, or `collect_predictions()` of them, of several candidates that with the
#'   least log loss; `xgb.cv()` with `prediction = TRUE`; a `ResampleResult` of mlr3; a tensor of
#'   torch, rows x classes. Rows that were predicted several times have the mean. For others there is [cross_fit()]. Or a fit of [gpc()],
#'   [stc()] or [bpm()], leave-one-out, with its weights (its `trusted` rows and `rates` are to be given again).
#'   Objects whose predictions are in sample are refused (`sturdy_error_in_sample`).
#' @param labels The recorded labels, needed where `prob` does not hold them (where a `glm()` does,
#'   the same by other names): a factor,
#'   character or logical vector, or numbers. Where the columns of `prob` have names these are the
#'   labels; a vector of probabilities takes any two, of numbers 0/1 or -1/1.
#' @param ... Not used: an unknown argument is an error.
#' @param epsilon `"average"`, the default; `"learn"`, `"learn2"`, `"matrix"`, rates or a matrix, as in
#'   [gpc()].
#' @param hyper `"integrate"`, or `"optimum"` for the modes alone.
#' @param noise,control As in [gpc()]: made by [noise_prior()] and [ep_control()].
#' @param trusted,rates,weights Rows whose labels are known to be right, the group of each row that
#'   has a flip rate, and weights, of its own, and how many rows alike each stands for: vectors, as in [gpc()].
#' @param units The unit of each row, a vector, as in [gpc()]: scores must be made without any label of the unit.
#'   Those of [cross_fit()] bring its units with them.
#' @param inputs The inputs of the rows, a data frame or matrix with a row for each score, which only
#'   serve to tell whether the scores were made in sample. `NULL`, the default, for none.
#' @return A fit of class `c("second_stage", "sturdy_model")`, with the fields of those of
#'   [gpc()], but for kernel and inducing inputs; and `recalibration`, a list with means of `weight` (of
#'   the classes against the first) and `slope`, `free` (which are learned), `kind` and `way` (what
#'   the scores are), and `apart`, the number of wrong labels under an overlap of 1 %. `coef()` has the
#'   weights, the slope and the rates.
#' @section Conditions:
#' Errors: `sturdy_error_prob` for what are no probabilities, with the field `rows`;
#' `sturdy_error_column_names`, `sturdy_error_novel_levels` and `sturdy_error_outcome_levels` where
#' columns and labels do not match; `sturdy_error_prior` for an overlap that the scores can't
#' have; `sturdy_error_no_latent` for questions to a latent function. Messages:
#' `sturdy_message_rows_left_out`; `sturdy_message_in_sample`, with the field `found`, a list of `n`, `contradicted` and
#' `expected` (how many labels the scores contradict, and expect to), and the `correlation`.
#' @seealso [mislabelled()], [noise_prior()]
#' @export
#' @examples
#' set.seed(1)
#' truth <- factor(sample(c("no", "yes"), 80, TRUE))
#' prob <- ifelse(truth == "yes", rbeta(80, 8, 2), rbeta(80, 2, 8)) # of "yes"
#' labels <- flip_labels(truth, 0.1, seed = 1)
#'
#' fit <- second_stage(prob, labels)
#' fit
#' head(mislabelled(fit))
second_stage <- function(prob, labels, ..., trusted = NULL, rates = NULL, weights = NULL, units = NULL,
                         inputs = NULL) {
  check_given(missing(prob), "prob")
  spec <- second_stage_spec(..., epsilon = epsilon, hyper = hyper, noise = noise, control = control)
  given <- prob
  prob <- if (inherits(prob, "sturdy_model")) own_left_out(prob) else out_of_sample(prob)
  own <- attr(prob, "labels")
  if (is.null(weights)) weights <- attr(prob, "times")
  if (is.null(units)) units <- attr(prob, "units")
  if (missing(labels)) labels <- own else prob <- with_event(prob, own, labels)
  must(
    !is.null(labels), "labels", "be given", "missing_argument",
    more = c(i = "This {.cls {class(given)[1]}} does not hold the recorded labels.")
  )
  molded <- mold_scores(prob, labels)
  molded$data$kind <- attr(prob, "own") # stays with the rows, when they are fitted again
  known <- list(units = units, trusted = trusted, rates = rates, weights = weights)
  molded <- known_in(molded, NULL, known)
  molded$data$in_sample <- found <- in_sample(molded$data, inputs)
  inform_these(
    "in_sample", c(i = "{these}", i = "Score each row without its label: see {.fn cross_fit}."),
    said = in_sample_words(found), found = found
  )
  fit_spec(spec, molded)
}

formals(second_stage) <- c(formals(second_stage), formals(second_stage_spec)[-1])

#' Leave-one-out probabilities by a fit of ours, and its labels
#' @noRd
own_left_out <- function(fit) {
  check_label_each(fit)
  prob <- own_scores(fit)
  levels <- fit$blueprint$levels
  dimnames(prob) <- list(as.character(fit$data$row_names), levels)
  labels <- class_factor(label_code(fit$data), levels)
  structure(prob, labels = labels, times = fit$data$reports$times, own = own_kind(fit))
}
