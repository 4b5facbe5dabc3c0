# insight, and with it parameters, performance and modelsummary.

#' Fits in easystats and modelsummary
#'
#' Methods for the insight package (`find_formula()`, `model_info()`, `get_data()`; its
#' `find_parameters()` and `get_parameters()` are those of [coef()][bpm-weights]), for
#' `model_parameters()` of parameters and for `model_performance()` of performance. With them
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
#' unchanged, and otherwise the inputs and labels that the fit keeps.
#'
#' `model_performance()` has the leave-one-out score of the recorded labels (`ELPD`, its
#' standard error, `LOOIC`), the log loss and Brier score per row of the same predictions, and
#' the log evidence; the scores are `NA` for a fit that keeps no rows. `compare_performance()`
#' and `performance_roc(fit)` take only classes that insight lists, not ours: bind the rows of
#' `model_performance()`, or compare fits by [select_model()]. The curve of the recorded labels is that
#' of leave-one-out probabilities,
#' `performance_roc(labels, predictions = )`, as below; [true_performance()] has the area under that
#' of the true classes.
#'
#' @param x,model A fit.
#' @param ci Probability of intervals, or `NULL` for none.
#' @param exponentiate,component For a [bpm()], see [tidy()][tidy.sturdy_model].
#' @param ... Not used, or arguments for the default methods.
#' @return As those packages have them.
#' @section Conditions:
#' `sturdy_error_no_coefficients` for ratios of odds and weights of fits that have none.
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
  formula <- call("~", as.name(response_name(x)), sum_of(lapply(x$blueprint$columns, as.name)))
  stats::as.formula(formula, globalenv())
}

#' @rdname sturdy-insight
#' @exportS3Method insight::model_info
model_info.sturdy_model <- function(x, ...) {
  check_model(x)
  # as insight describes a glm() of the kind, whatever its version has to say of one
  info <- insight::model_info(suppressWarnings(stats::glm(c(0, 1) ~ 1, family = stats::binomial("probit"))))
  info$n_obs <- stats::nobs(x)
  if (length(x$blueprint$levels) > 2) {
    info[c("is_binomial", "is_bernoulli", "is_probit")] <- FALSE
    info[c("is_categorical", "is_multinomial")] <- TRUE
    info[c("family", "link_function")] <- c("categorical", "identity")
  }
  info
}

#' @rdname sturdy-insight
#' @exportS3Method insight::get_data
get_data.sturdy_model <- function(x, ...) {
  check_model(x)
  home <- c(environment(x$blueprint$formula), globalenv())[[1]]
  found <- tryCatch(eval(x$call$data, home), error = function(cnd) NULL)
  plain <- setequal(x$blueprint$columns, x$blueprint$variables)
  if (fits_data(x, found)) found else if (plain && !is.null(x$data)) stored_data(x)
}

#' Are these the rows of the fit, and not others that now have their name?
#' @noRd
fits_data <- function(x, found) {
  if (!is.data.frame(found) || is.null(x$data)) return(is.data.frame(found) && nrow(found) == nobs(x))
  one_label <- !has_readers(x) && !has_soft(x$data$reports)
  encode <- function() if (one_label) forge_labelled(x$blueprint, found, NULL, NULL) else forge(x$blueprint, found)
  rows <- tryCatch(suppressMessages(encode()), error = function(cnd) NULL)
  same <- function(now, then) isTRUE(all.equal(now, then, check.attributes = FALSE))
  same(dim(rows$X), dim(x$data$X)) && same(rows$X, x$data$X) &&
    (!one_label || same(rows$y, x$data$y))
}

# parameters and performance ----------------------------------------------------

#' @rdname sturdy-insight
#' @exportS3Method parameters::model_parameters
model_parameters.sturdy_model <- function(model, ci = 0.95, exponentiate = FALSE,
                                          component = "coefficients", ...) {
  check_model(model)
  if (inherits(model, "bpm")) {
    if (!is.null(ci)) check_number(ci, "ci", 0, 1, open = TRUE)
    table <- tidy(model, !is.null(ci), c(ci, 0.95)[1], exponentiate, component)
    table$ci <- ci
  } else {
    refuse(check_flag(exponentiate, "exponentiate") || !identical(component, "coefficients"), c(
      "The fit has hyperparameters, and no coefficients.",
      i = "{.fn marginaleffects::avg_comparisons} has risk differences and, by {.code comparison =
           \"lnoravg\", transform = exp}, ratios of odds, with their draws."
    ), "no_coefficients")
    table <- tidy(model)
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

#' @rdname sturdy-insight
#' @exportS3Method performance::model_performance
model_performance.sturdy_model <- function(model, ...) {
  check_model(model)
  row <- glance(model)
  kept <- is.finite(row$loo)
  structure(data.frame(
    ELPD = row$loo, ELPD_SE = row$loo_se, LOOIC = -2 * row$loo,
    Log_loss = if (kept) -mean(left_out_score(truth(model))) else NA_real_,
    Score_brier = if (kept) mean(row_brier(model)) else NA_real_,
    Log_evidence = row$log_evidence
  ), class = c("performance_model", "data.frame"))
}
