#' Tidy data frames from a fitted model
#'
#' Methods for generics of the generics package, as used by broom and tidymodels.
#'
#' @param x A model fitted by [gpc()], [stc()] or [bpm()].
#' @param data The data that the model was fitted to, which are returned with columns
#'   added; they must have the rows given to the fit. `NULL`, the default, stands for the
#'   inputs (after the transformations of the formula) and labels that the model keeps.
#' @param newdata New data to predict, used instead of `data`.
#' @param conf.int Whether `tidy()` of a [bpm()] gives intervals (`TRUE` by default).
#' @param conf.level Their probability, strictly between 0 and 1 (0.95 by default).
#' @param exponentiate Whether `tidy()` of a [bpm()] gives ratios of odds in the place of
#'   coefficients. Those of a probit model are not its coefficients' exponents and differ from
#'   row to row: the ratio is that of the odds of the average probability of the event, of the
#'   rows with the column larger by one (or all of the level) to the rows as they are (or all of
#'   the first level), from 1000 draws. The intercept has none, and neither has a column that
#'   also occurs in another term: `NA`. `std.error` is `Inf` where a draw is above the largest number.
#' @param component See [coef()][bpm-weights].
#' @param ... Not used.
#' @return
#'   * `tidy()`: one row per hyperparameter: `term`, `estimate` (natural scale),
#'     `learned`. For [bpm()] one row per coefficient on the probit scale, as
#'     [coef()][bpm-weights] has them: `term`, `estimate`, `std.error` (`NA` at
#'     `df <= 2`), `conf.low`, `conf.high`, and `pd`, the probability that it has the more probable
#'     sign; with `component = "weights"` one per weight of the encoded inputs, and `prior_scale`.
#'   * `glance()`: one row, with the same columns for every kind of fit, so that rows can be
#'     bound: `nobs`, `classes` (their number), `df`, `epsilon`, `log_evidence`, `loo`,
#'     `loo_se`, `criterion`, `status`, `sweeps`. Where the fit averages, `log_evidence` is
#'     integrated over the hyperparameters, as `log_evidence(fit, method = "integrated")` has
#'     it; [log_evidence()] by itself and [logLik()][stats::logLik] have that at the best mode.
#'     The evidence of a fit by t-EP (at finite `df`) is not comparable with others (see
#'     [stc()]): `log_evidence` is `NA`. [log_evidence()] gives it, and with `method =
#'     "gaussian"` computes a comparable one.
#'   * `augment()`: `data` with `.fitted` (the probability of the event), `.class`
#'     (the predicted class), `.flipped` (the probability that the label is
#'     wrong) and `.loo` (the leave-one-out probability of the label), the last
#'     two `NA` in rows left out by `na.action`; `newdata` with `.fitted` and
#'     `.class`. With three classes or more there is a column `.prob_<class>` for each
#'     instead of `.fitted`.
#'
#'   A [bpm()] that has absorbed rows by ADF has no leave-one-out score, no sweeps and no
#'   rows: `glance()` gives `NA` for them and the status `"filtered"`, and `augment()`
#'   needs `newdata`.
#' @section Conditions:
#' `sturdy_error_no_sites` from `augment()` without `newdata` for such a [bpm()],
#' `sturdy_error_length` when `data` does not have the rows given to the fit.
#' @importFrom generics tidy
#' @export
#' @examples
#' d <- data.frame(x = c(-2, -1, 1, 2), y = c("no", "no", "yes", "yes"))
#' fit <- gpc(y ~ x, d, epsilon = 0.05)
#' tidy(fit)
#' glance(fit)
#' augment(fit, d)
tidy.sturdy_model <- function(x, ...) {
  fit_of(x, ...)
  hyper_table(x)
}

#' @rdname tidy.sturdy_model
#' @export
tidy.bpm <- function(x, conf.int = TRUE, conf.level = 0.95, exponentiate = FALSE,
                     component = c("coefficients", "weights"), ...) {
  fit_of(x, ...)
  conf.int <- check_flag(conf.int, "conf.int")
  level <- check_number(conf.level, "conf.level", 0, 1, open = TRUE)
  component <- check_choice(component, weight_components, "component")
  table <- if (check_flag(exponentiate, "exponentiate")) {
    must(
      component == "coefficients", "exponentiate",
      "be {.code FALSE} with {.arg component}: odds ratios are of columns and of levels against the
       first", "choice"
    )
    odds_table(x, level)
  } else {
    weight_table(x, level, component)
  }
  if (conf.int) table else table[setdiff(names(table), c("conf.low", "conf.high"))]
}

#' @rdname tidy.sturdy_model
#' @importFrom generics glance
#' @export
glance.sturdy_model <- function(x, ...) {
  fit_of(x, ...)
  pointwise <- row_loo(x)
  tep <- is.finite(x$spec$df) && !is.null(x$ep)
  evidence <- if (tep) NA_real_ else if (is_average(x)) average_evidence(x) else model_evidence(x)
  data.frame(
    nobs = nobs(x), classes = length(x$blueprint$levels), df = x$spec$df,
    epsilon = mean(shown_rate(judged_by(x))), log_evidence = evidence,
    loo = if (has_numbers(pointwise)) sum(pointwise) else NA_real_, loo_se = se_sum(pointwise),
    criterion = x$spec$criterion, status = diagnose(x)$status, sweeps = c(x$ep$sweeps, NA_integer_)[1]
  )
}

#' @rdname tidy.sturdy_model
#' @importFrom generics augment
#' @export
augment.sturdy_model <- function(x, data = NULL, newdata = NULL, ...) {
  fit_of(x, ...)
  if (!is.null(newdata)) {
    return(add_predictions(x, as.data.frame(newdata), predict(x, newdata, type = "prob")))
  }
  check_label_each(x)
  open <- if (!is.null(data)) x$data$unlabelled
  place <- if (is.null(data)) seq_len(nobs(x)) else augment_place(x, data, newdata = TRUE)
  if (is.null(data)) data <- stored_data(x)
  prob <- prob_new(x, x$data$X)[place, , drop = FALSE]
  if (!is.null(open)) prob[open$rows, ] <- prob_new(x, open$X)
  data <- add_predictions(x, data, prob)
  data$.flipped <- row_flipped(x)[place]
  data$.loo <- exp(left_out_score(truth(x)))[place]
  data
}

#' Columns of probabilities, `.fitted` of the event or `.prob_<class>` of each class, and
#' `.class`, the most probable one
#' @noRd
add_predictions <- function(x, data, prob) {
  levels <- x$blueprint$levels
  if (is_several(x)) {
    data[paste0(".prob_", levels)] <- as.data.frame(unname(prob))
  } else {
    data$.fitted <- unname(prob[, 2])
  }
  data$.class <- most_probable(prob, levels)
  data
}

#' The training row that each row of `data` is
#' @param newdata whether the caller takes other rows by this name.
#' @noRd
augment_place <- function(x, data, newdata = FALSE) {
  n <- x$data$n_given
  table <- is.data.frame(data)
  came <- if (table) paste("one of", nrow(data)) else describe(data)
  must(
    table && nrow(data) == n, "data", "be the data frame of {n} row{?s} given to the fit, not {came}",
    "length", more = c(i = if (newdata && table) "Other rows go into {.arg newdata}.")
  )
  fit_place(x$data, seq_len(n))
}

#' The inputs and labels a model holds, as they were given
#' @noRd
stored_data <- function(x) {
  inputs <- decode_features(x$data$X, x$blueprint)
  inputs[[response_name(x)]] <- class_factor(label_code(x$data), x$blueprint$levels)
  row.names(inputs) <- make.unique(as.character(x$data$row_names))
  inputs
}

#' What the labels are called
#' @noRd
response_name <- function(x) {
  formula <- x$blueprint$formula
  name <- if (is.null(formula)) "y" else deparse1(formula[[2]])
  if (name %in% x$blueprint$columns) ".label" else name
}

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom generics augment
#' @export
generics::augment
