#' Absorb further rows into a Bayes point machine
#'
#' `update(fit, newdata)` absorbs the rows of `newdata` by assumed density
#' filtering, in their order, into the posterior of a fit by EP or ADF; the rows seen
#' before are not needed again. [predict()][predict.sturdy_model] before `update()`
#' gives the error on rows the model has not seen.
#'
#' @details
#' Hyperparameters, levels, centring and scaling stay those of the fit, and it costs
#' O(k^2) a row, k being the number of weights. A fit by EP becomes one by ADF: its
#' sites belong to rows of the past and are dropped, and with them [loo()] and
#' [mislabelled()]. The log evidence adds the log predictive probability of each
#' new label before it was absorbed, and the field `filter` counts rows and wrong
#' predictions.
#'
#' Absorbing rows in one call or in several gives the same posterior.
#'
#' A bpm keeps no training rows, so changed arguments need `data` to be fitted to
#' again: `update(fit, data = d, epsilon = 0.1)`.
#'
#' @param object A model fitted by [bpm()].
#' @param newdata Rows to absorb: a data frame (or matrix) with the input columns and,
#'   for a fit by a formula, the response.
#' @param y For a fit from `x` and `y`: the labels of `newdata`, of the classes of the
#'   fit.
#' @param ... With `data`: arguments of [bpm()] to change, by name.
#' @param data A data frame to fit to afresh, with the arguments of `object` unless
#'   changed.
#' @param formula. With `data`: changes to the formula, as in
#'   [stats::update.formula()].
#' @param na.action What to do with rows that have missing values.
#' @return A model as from [bpm()].
#' @section Conditions:
#' `sturdy_error_missing_argument` without `newdata` and `data`, or without the labels;
#' `sturdy_error_novel_levels` for a label that is not one of the two classes of the
#' fit; `sturdy_error_not_positive_definite`, with the field `row`, when rounding has
#' destroyed the posterior; and those of [predict()][predict.sturdy_model] and
#' [bpm()]. The model given is unchanged in any case.
#' @seealso [bpm()]
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(200), b = rnorm(200))
#' d$class <- d$a + d$b > 0
#' fit <- bpm(class ~ ., d[1:100, ], epsilon = 0.01, inference = "adf")
#' mean(predict(fit, d[101:200, ]) != d$class[101:200])
#' update(fit, d[101:200, ])
update.bpm <- function(object,
                       newdata = NULL,
                       y = NULL,
                       ...,
                       data = NULL,
                       formula. = NULL,
                       na.action = stats::na.omit) {
  call <- rlang::current_env()
  if (inherits(newdata, "formula")) { # update(fit, . ~ . - a, data = d)
    formula. <- newdata
    newdata <- NULL
  }
  if (!is.null(data)) {
    return(bpm_refit(object, data, formula., na.action, list(...), call))
  }
  if (is.null(newdata)) {
    abort_sturdy(
      c(
        "{.arg newdata} or {.arg data} must be given: a {.fn bpm} keeps none of its
         training rows.",
        i = "{.code update(fit, newdata)} absorbs further rows.",
        i = "{.code update(fit, data = d, ...)} fits to {.code d} with changed
             arguments."
      ),
      "missing_argument", arg = "newdata"
    )
  }
  check_no_dots(...)
  new <- forge_labelled(object$blueprint, newdata, y, na.action, call)
  object <- bpm_absorb(object, new$X, new$y, call)
  object$last <- NULL
  object
}

bpm_refit <- function(object, data, formula., na.action, changed, call) {
  arguments <- c(object$spec, list(scale = object$scale))
  unknown <- setdiff(names(changed), names(arguments))
  if (length(unknown) || (length(changed) && is.null(names(changed)))) {
    do.call(check_no_dots, c(changed, list(call = call)))
  }
  arguments[names(changed)] <- changed
  scale <- arguments$scale
  arguments$scale <- NULL
  spec <- do.call(bpm_spec, c(arguments, list(call = call)))
  formula <- formula(object)
  if (!is.null(formula.)) {
    formula <- stats::update.formula(formula, formula.)
  }
  space <- bpm_space(spec)
  molded <- mold_formula(formula, data, scale, na.action, call, space)
  bpm_impl(molded, spec, call)
}
