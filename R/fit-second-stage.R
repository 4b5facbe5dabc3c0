# A second stage on out-of-sample scores of any classifier: what stands between the scores and the
# learner, and a fit of its own class.

#' Which labels are wrong, by out-of-sample scores of any classifier
#'
#' For any classifier that gives probabilities of the classes: a forest, boosted trees, a network.
#' From the labels, and probabilities that were predicted for each row *without its own label*,
#' `second_stage()` makes a fit that answers as every fit of this package does: [mislabelled()],
#' [noise_test()], [review()], [label_report()], [noise_matrix()], [confusion()], [relabel()],
#' [`update(fit, checked = )`][update.sturdy_model], [calibration()], [loo()], `plot()`.
#' [`mislabelled(prob, labels)`][mislabelled] does both steps at once.
#'
#' @details
#' The ranking of the rows is that of the classifier. What is added is how many labels are
#' wrong, with an interval, whether any is, which class a label should be, and which rows to
#' call wrong at a false-discovery rate.
#'
#' With the score `p` of row i for class c, the true class has the probability proportional
#' to `weight[c] * p^slope`: the scores, recalibrated. The recorded label follows from it by the
#' noise models of all fits ([noise_prior()], [averaging]). Weights, slope and rates are
#' integrated over; their likelihood is exact, and there is no EP. In logs the weights, against
#' that of the first class, have standard normal priors, and so has `log(slope) / 0.7`. With more
#' than 100 classes the weights are held at 1.
#'
#' # Out of sample
#' A score must be made without the label of its row: by cross-validation, out of bag, or from
#' another table. In-sample scores agree with wrong labels, and hide them. If no score contradicts
#' its label, a message asks whether they are in sample; otherwise nothing in the scores shows it.
#' Copies of rows, with their labels, must be left out together (`folds` of [cross_fit()]): a copy
#' gives the label away.
#'
#' # How many: both ends
#' A classifier that was trained on wrong labels is calibrated to wrong labels. Where these fall
#' at random it still contradicts them, and their number can be learned. Where they fall on rows
#' that do look like the other class, as most human errors do, flatter scores explain them as well
#' as wrong labels do: the number that is learned is then a lower limit. Two things are possible:
#' the scores err (because the classes overlap, or because the classifier is poor), or the labels
#' are wrong. Only somebody who knows the subject and the classifier can tell.
#'
#' If you know how often a right label would contradict the *scores*, say so:
#' `noise = noise_prior(overlap = 0.01)` holds that share, `overlap = c(0.01, 0.1)` bounds it.
#' That two experts agree on 99 % of the rows does not make it 0.01: a classifier that was trained
#' on 200 rows errs more often than they do, and its errors would count as wrong labels. Without
#' `overlap` the number is learned, and the number at an overlap of 1 % stands beside it: "if the
#' scores hardly err".
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
#' ```{r, include = FALSE}
#' embedded <- utils::read.csv("inst/results/embeddings-summary.csv")
#' embedded$kind <- ifelse(embedded$family == "embeddings", "embeddings", "real")
#' embedded_told <- function(by, n) {
#'   rows <- embedded[embedded$by == by & embedded$kind == "embeddings" & embedded$rate > 0, ]
#'   rows <- rows[rows$rows == n, ]
#'   toString(format(round(rows$count / rows$wrong, 2), nsmall = 2))
#' }
#' embedded_real <- function(value, by, large, wrong = TRUE) {
#'   rows <- embedded[embedded$kind == "real" & embedded$by == by, ]
#'   rows <- rows[(rows$rate > 0) == wrong & (rows$rows > 110) == large, ]
#'   format(round(eval(value, rows), 2), nsmall = 2)
#' }
#' embedded_covered <- quote(weighted.mean(covered, n))
#' embedded_share <- quote(weighted.mean(count, n) / weighted.mean(wrong, n))
#' embedded_count <- quote(weighted.mean(count, n))
#' embedded_signs <- quote(weighted.mean(factor, n))
#' ```
#' The more columns, the better a model explains any labels, right or wrong. A fit of [gpc()],
#' [stc()] or [bpm()] then still ranks wrong labels first, but expects too few of them. Its
#' leave-one-out probabilities of the true classes contradict wrong labels all the same. So for a
#' fit that averages over noise models, a second stage on these probabilities judges the labels,
#' where a table has at least `r told_columns` coded columns (a factor has one for each level), at
#' least `r told_least` rows, and at most `r 1 / told_share` rows a column. `print()` then says
#' "labels by second_stage()".
#'
#' The second stage says whether labels are wrong, how many, which, and at which rates, also among
#' new rows and in [true_performance()]. Predictions, [loo()], [log_evidence()] and `coef()` are
#' those of the fit itself. The second stage is the field `told`. Without it (`fit$told <- NULL`,
#' until the next `update()`) the fit judges the labels by itself. It also does so where the prior
#' has an `overlap` of classes, for classes in an order, for [readers()], and where labels are
#' probabilities.
#'
#' Outside the limits above the fit judges by itself, and the answer changes there;
#' `second_stage(fit)` has that of a second stage for such a fit. With fewer columns, or many
#' times as many rows, both agree or the fit is better.
#'
#' In simulations (`experiments/embeddings.R` in the repository) of rows of unit length with 10 %
#' of wrong labels, the expected number of wrong labels was this share of the true one, with 32,
#' 256 and 768 columns:
#' * 400 rows: `r embedded_told("fit", 400)` by the fit itself,
#'   `r embedded_told("second stage", 400)` by the second stage;
#' * 3,000 rows: `r embedded_told("fit", 3000)` by the fit itself,
#'   `r embedded_told("second stage", 3000)` by the second stage.
#'
#' On real tables with a tenth of the labels flipped:
#' * 80 samples of 110 rows of four tables with 33 to 166 columns: share
#'   `r embedded_real(embedded_share, "fit", FALSE)` by the fit and
#'   `r embedded_real(embedded_share, "second stage", FALSE)` by the second stage; 90 % intervals
#'   held the number in `r embedded_real(embedded_covered, "fit", FALSE)` and
#'   `r embedded_real(embedded_covered, "second stage", FALSE)` of the samples;
#' * 30 samples of 700 and 1,500 rows of three tables: share
#'   `r embedded_real(embedded_share, "fit", TRUE)` and
#'   `r embedded_real(embedded_share, "second stage", TRUE)`; intervals were too short by either,
#'   and held it in `r embedded_real(embedded_covered, "fit", TRUE)` and
#'   `r embedded_real(embedded_covered, "second stage", TRUE)`.
#'
#' Where no label was flipped, the second stage is wrong more often. In samples of 110 rows it
#' expects `r embedded_real(embedded_count, "second stage", FALSE, FALSE)` wrong labels (the fit:
#' `r embedded_real(embedded_count, "fit", FALSE, FALSE)`), and its Bayes factor is above 3 in a
#' share of `r embedded_real(embedded_signs, "second stage", FALSE, FALSE)` of them (the fit:
#' `r embedded_real(embedded_signs, "fit", FALSE, FALSE)`). With 700 and 1,500 rows, it is in
#' `r embedded_real(embedded_signs, "second stage", TRUE, FALSE)` (the fit:
#' `r embedded_real(embedded_signs, "fit", TRUE, FALSE)`), as real tables have rows that are not
#' typical of their class. The second stage adds a second to 5,000 rows.
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
#'   least log loss; `xgb.cv()` with `prediction = TRUE`; a `ResampleResult` of mlr3. Rows that were
#'   predicted several times have the mean. For others there is [cross_fit()]. Or a fit of [gpc()],
#'   [stc()] or [bpm()], leave-one-out, with its weights (its `trusted` rows and `rates` are to be given again).
#'   Objects whose predictions are in sample are refused (`sturdy_error_in_sample`).
#' @param labels The recorded labels, needed where `prob` does not hold them (where a `glm()` does,
#'   the same by other names): a factor,
#'   character or logical vector, or numbers. Where the columns of `prob` have names these are the
#'   labels; a vector of probabilities takes any two, of numbers 0/1 or -1/1.
#' @param ... Arguments of the fit: `epsilon` (`"average"`, the default; `"learn"`, `"learn2"`,
#'   `"matrix"`, rates or a matrix), `hyper` (`"integrate"` or `"optimum"`), `noise`
#'   ([noise_prior()]) and `control` ([ep_control()]), as in [gpc_spec()].
#' @param trusted,rates,weights Rows whose labels are known to be right, the group of each row that
#'   has a flip rate of its own, and how many rows alike each stands for: vectors, as in [gpc()].
#' @return A fit of class `c("second_stage", "sturdy_model")`, with the fields of those of
#'   [gpc()], but for kernel and inducing inputs; and `recalibration`, a list with `weight` (of the
#'   classes but the first), `slope`, `free`, `prior` and `apart`, the number of wrong labels
#'   under an overlap of 1 %. `coef()` has the weights, the slope and the rates.
#' @section Conditions:
#' Errors: `sturdy_error_prob` for what are no probabilities, with the field `rows`;
#' `sturdy_error_column_names`, `sturdy_error_novel_levels` and `sturdy_error_outcome_levels` where
#' columns and labels do not match; `sturdy_error_prior` for an overlap that the scores can't
#' have; `sturdy_error_no_latent` for questions to a latent function. Messages:
#' `sturdy_message_rows_left_out`; `sturdy_message_scores_agree` where the most probable class is the
#' recorded one in every row, of 50 or more.
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
second_stage <- function(prob, labels, ..., trusted = NULL, rates = NULL, weights = NULL) {
  check_given(missing(prob), "prob")
  spec <- second_stage_spec(...)
  call <- rlang::current_env()
  given <- prob
  prob <- if (inherits(prob, "sturdy_model")) own_left_out(prob, call) else out_of_sample(prob, call)
  own <- attr(prob, "labels")
  if (is.null(weights)) weights <- attr(prob, "times")
  if (missing(labels)) labels <- own else prob <- with_event(prob, own, labels, call)
  must(
    !is.null(labels), "labels", "be given", "missing_argument",
    more = c(i = "This {.cls {class(given)[1]}} does not hold the recorded labels."), call = call
  )
  molded <- with_memory(mold_scores(prob, labels, call), call)
  known <- list(trusted = trusted, rates = rates, weights = weights)
  fit <- fit_spec(spec, known_in(molded, NULL, known), call)
  inform_agree(fit$data)
  fit
}

agree_least <- 50L # rows that all agree by chance are fewer

#' Scores none of which contradicts its label may be in sample
#' @noRd
inform_agree <- function(data) {
  n <- nrow(data$X)
  if (n >= agree_least && all(max.col(data$X, ties.method = "first") == label_code(data))) {
    inform_sturdy(
      c(
        i = "Not one of {n} scores contradicts its label. Were they made without the labels of their
             rows? Scores in sample hide wrong labels."
      ), "scores_agree"
    )
  }
}

#' Leave-one-out probabilities of the true classes by a fit of ours, and its labels: those of what is
#' recorded are never below the rate of wrong labels, and would say so little of them [M 15.1]
#' @noRd
own_left_out <- function(fit, call) {
  check_sites_kept(fit, call)
  check_one_label(fit, call)
  own_scores(fit)
}

own_scores <- function(fit) {
  said <- truth(fit)
  levels <- fit$blueprint$levels
  prob <- mean_over(said$loo, left_out_weight(said))
  dimnames(prob) <- list(as.character(fit$data$row_names), levels)
  prob <- with_scorer_labels(prob, factor(levels[said$y], levels))
  structure(prob, times = fit$data$reports$times)
}

second_stage_spec <- function(...,
                              epsilon = default_epsilon(hyper),
                              hyper = default_hyper(),
                              noise = noise_prior(),
                              control = ep_control()) {
  blame_caller()
  check_no_dots(..., known = c(names(formals(second_stage_spec))[-1], "trusted", "rates", "weights"))
  new_spec(
    "second_stage",
    df = Inf, kernel = NULL, epsilon = check_epsilon(epsilon, average = TRUE, matrix = TRUE),
    hyper = check_choice(hyper, c("integrate", "optimum"), "hyper"),
    noise = check_noise_prior(noise), criterion = "evidence", method = "gradient",
    kernels = "shared", scale = FALSE, control = check_control(control)
  )
}

fit_molded.second_stage_spec <- function(spec, molded, call) {
  with_apart(new_second_stage(spec, molded, call), call)
}

new_second_stage <- function(spec, molded, call) {
  spec <- check_class_number(spec, molded, call)
  X <- molded$data$X
  check_memory(12 * length(X), nrow(X), call = call)
  S <- log(X)
  times <- report_times(molded$data$reports)
  recalibration <- new_recalibration(S, spec$noise$overlap, call, times)
  fit <- learn_fit(latent_scores(S, row_labels(molded$data), recalibration), spec)
  recalibration[names(fit$hyper)] <- fit$hyper
  fit$ep <- kept_ep(fit$ep, spec)
  new_model(spec, molded, call, fit, recalibration = recalibration)
}

#' A second stage with the number of wrong labels where the classes hardly overlap, by its rows as
#' they are
#' @noRd
with_apart <- function(object, call) {
  if (!is.null(object$recalibration)) {
    learned <- !is.null(object$nodes) && is.null(object$spec$noise$overlap)
    object$recalibration["apart"] <- list(if (learned) apart_count(object$spec, object, call))
  }
  object
}

#' The distribution of the number of wrong labels where the classes hardly overlap, by some of
#' many rows
#' @return list(density, times: as many labels), `NULL` where the scores can't be so.
#' @noRd
apart_count <- function(spec, molded, call) {
  molded <- molded[c("blueprint", "data")]
  data <- molded$data
  times <- report_times(data$reports)
  rows <- rows_for_all(data$X, data$y, recalibration_rows)
  spec$noise$overlap <- recalibration_apart
  spec$control$progress <- FALSE
  molded$data <- data_of(data, rows)
  fit <- tryCatch(
    suppressMessages(fit_molded(spec, molded, call)), sturdy_error_prior = function(cnd) NULL
  )
  if (!is.null(fit)) {
    parts <- fit$nodes$wrong
    share <- fit$nodes$models$probability
    list(density = mix_densities(parts, share), times = sum(times) / sum(times[rows]))
  }
}

model_latent.second_stage <- function(object) {
  latent_scores(log(object$data$X), row_labels(object$data), object$recalibration)
}

model_hyper.second_stage <- function(object) object$recalibration[c("weight", "slope")]

hyperparameters.second_stage <- function(object) {
  now <- object$recalibration
  names <- c(paste0("weight.", names(now$weight)), "slope")
  c(stats::setNames(c(now$weight, now$slope), names), named_rates(object))
}

learned.second_stage <- function(object) {
  now <- object$recalibration
  c(
    rep("weight" %in% now$free, length(now$weight)), "slope" %in% now$free,
    rep(rate_learned(object), length(object$epsilon))
  )
}

seen_new.second_stage <- function(object, X, call, used) {
  b <- matrix(node_kept(object, "b", object$ep$b), ncol(X) + 1)
  S <- log(X)
  seen <- vapply(used$node, function(k) recalibrated(S, b[, k]), unname(S))
  array(seen, c(dim(S), length(used$node)))
}

#' Log probabilities of the true classes
#' @param S log scores. @param b the log weights of the classes and the slope.
#' @noRd
recalibrated <- function(S, b) {
  eta <- unname(S) * b[length(b)] + rep(b[-length(b)], each = nrow(S))
  eta - row_log_sum(eta)
}

node_latent.second_stage <- function(object, X, call, used = all_nodes(object)) {
  check_has_latent(object, call)
}

check_has_latent.second_stage <- function(object, call = rlang::caller_env()) {
  abort_sturdy(
    c(
      "A second stage has no latent function, and its likelihood needs no EP: it is exact.",
      i = "{.code predict(fit, type = \"prob\")} has probabilities of the true classes."
    ),
    "no_latent", call = call
  )
}
