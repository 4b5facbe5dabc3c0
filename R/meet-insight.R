# insight, and with it parameters, performance and modelsummary.

#' Fits in easystats and modelsummary
#'
#' Methods for the insight package (`find_formula()`, `model_info()`, `get_data()`,
#' `get_predicted()`, `link_function()`, `link_inverse()`; its `find_parameters()` and
#' `get_parameters()` are those of [coef()][bpm-weights]),
#' for `model_parameters()` of parameters, `model_performance()` of performance, and
#' `describe_posterior()`, `p_direction()`, `hdi()` and `eti()` of bayestestR. With them
#' `modelsummary::modelsummary()` prints a table of fits.
#'
#' @details
#' The parameters of a [bpm()] are its coefficients on the probit scale
#' ([coef()][bpm-weights]), with standard deviations and intervals of
#' their posterior and the probability of direction, `pd`, of the more probable sign. Those of fits with a kernel are hyperparameters, without a spread: `Learned` says
#' which of them were learned, or integrated over.
#'
#' `model_info()` is that of a binomial model with a probit link (that of several classes:
#' categorical). `get_data()` gives the data of the call where they are still found
#' unchanged, and otherwise the inputs and labels that the fit keeps. `get_predicted()` gives the
#' probability of the event without label noise, with `ci` also the interval of
#' [predict()][predict.sturdy_model]; with three classes or more a row for each class and row of
#' the data.
#'
#' `model_performance()` has the leave-one-out score of the recorded labels (`ELPD`, its
#' standard error, `LOOIC`), the log loss and Brier score per row of the same predictions, and
#' the log evidence; the scores are `NA` for a fit that keeps no rows. `compare_performance()`
#' takes only classes that insight lists, not ours, and says so where a fit is the first of its
#' arguments: bind the rows of `model_performance()`, or compare fits by [select_model()].
#' `performance_roc(fit)` fails for the same reason and can't be made to speak. The curve of the
#' recorded labels is that of leave-one-out probabilities,
#' `performance_roc(labels, predictions = )`, as below; [true_performance()] has the area under that
#' of the true classes.
#'
#' `describe_posterior()`, `p_direction()`, `hdi()` and `eti()` of bayestestR are of 4000 draws of the
#' coefficients of a [bpm()]. A fit with a kernel has none, and says so.
#'
#' @param x,model A fit.
#' @param data A data frame, or `NULL` for the training rows.
#' @param predict `"expectation"`, a probability, or `"classification"`.
#' @param ci Probability of intervals; `NULL`, the default, or for `model_parameters()` 0.95.
#' @param exponentiate,component,contrasts For a [bpm()], see [tidy()][tidy.sturdy_model].
#' @param ... Not used, or arguments for the default methods.
#' @return As those packages have them.
#' @section Conditions:
#' `sturdy_error_no_comparison` from `compare_performance()` and what else compares models by a list of
#' classes; `sturdy_error_no_coefficients` for draws, ratios of odds, contrasts and weights of fits
#' that have none.
#' @seealso [tidy()][tidy.sturdy_model], [summary()][summary.sturdy_model]
#' @name sturdy-insight
#' @examplesIf all(rlang::is_installed(c("insight", "parameters")))
#' d <- data.frame(x = c(-2, -1, 1, 2), y = factor(c("no", "no", "yes", "yes")))
#' fit <- bpm(y ~ x, d, epsilon = 0.05, hyper = "optimum")
#' insight::find_formula(fit)
#' parameters::model_parameters(fit)
#'
#' # the ROC curve of the recorded labels
#' said <- augment(fit)
#' event <- said$y == "yes"
#' p <- ifelse(event, said$.loo, 1 - said$.loo) # of the event, without the label of the row
#' if (rlang::is_installed(c("performance", "bayestestR"))) {
#'   roc <- performance::performance_roc(as.numeric(event), predictions = p)
#'   bayestestR::area_under_curve(roc$Specificity, roc$Sensitivity)
#' }
NULL

# insight -----------------------------------------------------------------------

#' @rdname sturdy-insight
#' @exportS3Method insight::find_formula
find_formula.sturdy_model <- function(x, ...) {
  check_model(x)
  structure(list(conditional = any_formula(x)), class = c("insight_formula", "list"))
}

#' The formula of a fit, or one that names its inputs
#' @noRd
any_formula <- function(x) {
  if (!is.null(x$blueprint$formula)) {
    return(x$blueprint$formula)
  }
  formula <- call("~", as.name(response_name(x)), sum_of(x$blueprint$columns))
  stats::as.formula(formula, globalenv())
}

#' @rdname sturdy-insight
#' @exportS3Method insight::model_info
model_info.sturdy_model <- function(x, ...) {
  check_model(x)
  # as insight describes a glm() of the kind, whatever its version has to say of one
  two <- suppressWarnings(stats::glm(c(0, 1) ~ 1, family = stats::binomial("probit")))
  info <- insight::model_info(two)
  info$n_obs <- stats::nobs(x)
  if (length(x$blueprint$levels) > 2) {
    info[c("is_binomial", "is_bernoulli", "is_probit")] <- FALSE
    info[c("is_categorical", "is_multinomial")] <- TRUE
    info[c("family", "link_function")] <- c("categorical", "identity")
  }
  info
}

#' @rdname sturdy-insight
#' @exportS3Method insight::link_function
link_function.sturdy_model <- function(x, ...) {
  check_model(x)
  df <- x$spec$df
  function(mu) stats::qt(mu, df)
}

#' @rdname sturdy-insight
#' @exportS3Method insight::link_inverse
link_inverse.sturdy_model <- function(x, ...) {
  check_model(x)
  df <- x$spec$df
  function(eta) stats::pt(eta, df)
}

#' @rdname sturdy-insight
#' @exportS3Method insight::get_data
get_data.sturdy_model <- function(x, ...) {
  check_model(x)
  insight_data(x, if (!is.null(x$call)) {
    tryCatch(suppressWarnings(NextMethod()), error = function(cnd) NULL)
  })
}

#' The data of a fit where they are still `found` unchanged, or what it keeps of them
#' @noRd
insight_data <- function(x, found = eval_data(x)) {
  if (fits_data(x, found)) {
    return(found)
  }
  plain <- setequal(x$blueprint$columns, x$blueprint$variables)
  if (plain && !is.null(x$data)) stored_data(x)
}

#' What the call of a fit by a formula calls its data
#' @noRd
eval_data <- function(x) {
  home <- environment(x$blueprint$formula)
  tryCatch(eval(x$call$data, if (is.null(home)) globalenv() else home), error = function(cnd) NULL)
}

#' Are these the rows of the fit, and not others that now have their name?
#' @noRd
fits_data <- function(x, found) {
  if (!is.data.frame(found) || is.null(x$data)) {
    return(is.data.frame(found))
  }
  X <- tryCatch(suppressMessages(forge(x$blueprint, found))$X, error = function(cnd) NULL)
  identical(dim(X), dim(x$data$X)) && isTRUE(all.equal(X, x$data$X, check.attributes = FALSE))
}

#' @rdname sturdy-insight
#' @exportS3Method insight::get_predicted
get_predicted.sturdy_model <- function(x, data = NULL, predict = "expectation", ci = NULL,
                                       ...) {
  check_model(x)
  predict <- check_choice(predict, c("expectation", "classification"), "predict")
  class <- predict == "classification"
  answer <- if (class) stats::predict(x, data) else expected_probability(x, data, ci)
  attr(answer, "data") <- if (is.null(data)) insight::get_data(x) else data
  attr(answer, "predict") <- predict
  class(answer) <- c("get_predicted", class(answer))
  answer
}

#' Probabilities of the event, or of several classes in a row for each row and class, with their
#' intervals as insight has them
#' @noRd
expected_probability <- function(x, data, ci) {
  several <- is_several(x)
  each <- if (is.null(ci)) {
    list(estimate = stats::predict(x, data, type = if (several) "prob" else "response"))
  } else {
    stats::predict(x, data, interval = ci)
  }
  row <- data.frame(Row = seq_len(NROW(each$estimate)))
  answer <- unname(each$estimate)
  if (several) {
    row <- data.frame(
      Row = rep(row$Row, ncol(answer)), Response = rep(x$blueprint$levels, each = nrow(answer))
    )
    answer <- cbind(row, Predicted = as.vector(answer))
  }
  if (!is.null(ci)) {
    ends <- lapply(each[c("lower", "upper")], as.vector)
    attr(answer, "ci_data") <- cbind(row, CI_low = ends$lower, CI_high = ends$upper)
    attr(answer, "ci") <- ci
  }
  answer
}

#' @rdname sturdy-insight
#' @param objects A fit, the first of those to compare.
#' @exportS3Method insight::ellipsis_info
ellipsis_info.sturdy_model <- function(objects, ...) {
  abort_sturdy(
    c(
      "Packages of easystats compare only models that insight has in its list of classes, which fits
       of sturdy are not.",
      i = "{.code rbind(model_performance(fit), model_performance(other))} has the scores of both.",
      i = "{.fn select_model} compares fits by their evidence or leave-one-out score."
    ),
    "no_comparison"
  )
}

# parameters and performance ----------------------------------------------------

#' @rdname sturdy-insight
#' @exportS3Method parameters::model_parameters
model_parameters.sturdy_model <- function(model, ci = 0.95, exponentiate = FALSE,
                                          component = "coefficients", contrasts = NULL, ...) {
  check_model(model)
  table <- if (inherits(model, "bpm")) {
    level <- if (is.null(ci)) 0.95 else ci
    table <- tidy(model, !is.null(ci), level, exponentiate, component, contrasts)
    table$ci <- ci
    table
  } else {
    plain <- !check_flag(exponentiate, "exponentiate") && is.null(contrasts)
    if (!plain || component != "coefficients") abort_no_coefficients(model)
    tidy(model)
  }
  known <- c(
    term = "Parameter", estimate = "Coefficient", std.error = "SE", ci = "CI",
    conf.low = "CI_low", conf.high = "CI_high", pd = "pd", learned = "Learned"
  )
  known <- known[names(known) %in% names(table)]
  structure(
    stats::setNames(table[names(known)], known), ci = ci, coefficient_name = "Coefficient",
    class = c("parameters_model", "see_parameters_model", "data.frame")
  )
}

abort_no_coefficients <- function(fit) {
  what <- if (!is.null(fit$kernel)) "with a kernel" else "to scores"
  abort_sturdy(
    c(
      "A fit {what} has hyperparameters, and no coefficients.",
      i = if (!is.null(fit$kernel)) {
        "{.fn marginaleffects::avg_comparisons} has risk differences and, by {.code comparison =
         \"lnoravg\", transform = exp}, ratios of odds, with their draws."
      }
    ),
    "no_coefficients"
  )
}

#' Some verb of bayestestR, of draws of the coefficients of a fit that has any
#' @noRd
of_coefficients <- function(verb, fit, ...) {
  check_model(fit)
  if (!inherits(fit, "bpm")) abort_no_coefficients(fit)
  verb(coefficient_draws(fit), ...)
}

#' @rdname sturdy-insight
#' @param posteriors A fit of [bpm()].
#' @exportS3Method bayestestR::describe_posterior
describe_posterior.sturdy_model <- function(posteriors, ...) {
  of_coefficients(bayestestR::describe_posterior, posteriors, ...)
}

#' @rdname sturdy-insight
#' @exportS3Method bayestestR::p_direction
p_direction.sturdy_model <- function(x, ...) of_coefficients(bayestestR::p_direction, x, ...)

#' @rdname sturdy-insight
#' @exportS3Method bayestestR::hdi
hdi.sturdy_model <- function(x, ...) of_coefficients(bayestestR::hdi, x, ...)

#' @rdname sturdy-insight
#' @exportS3Method bayestestR::eti
eti.sturdy_model <- function(x, ...) of_coefficients(bayestestR::eti, x, ...)

#' @rdname sturdy-insight
#' @exportS3Method performance::model_performance
model_performance.sturdy_model <- function(model, ...) {
  check_model(model)
  row <- glance(model)
  kept <- is.finite(row$loo)
  structure(
    data.frame(
      ELPD = row$loo, ELPD_SE = row$loo_se, LOOIC = -2 * row$loo,
      Log_loss = -row$loo / row$nobs,
      Score_brier = if (kept) brier_score(model)$estimate else NA_real_,
      Log_evidence = row$log_evidence
    ),
    class = c("performance_model", "data.frame")
  )
}
