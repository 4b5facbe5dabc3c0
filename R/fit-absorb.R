#' Take in further rows
#'
#' `absorb(fit, newdata)` adds the rows of `newdata` to a fit without learning again:
#' hyperparameters, levels, centring and scaling stay as they are.
#'
#' @details
#' A fit by [gpc()] or [stc()] keeps its rows. EP is run on the old and the new rows
#' together, starting from the sites of the fit, which costs time n^3 for all n rows, and their
#' labels are judged anew.
#'
#' A [bpm()] absorbs the rows by assumed density filtering, in their order, into its
#' posterior, whether that came from EP or from ADF. It costs time k^2 per row for k
#' weights, and the earlier rows are not needed again. A fit by EP becomes a filtered
#' one (class `bpm_filtered`): its sites are dropped, and functions that need them, such
#' as [loo()] and [mislabelled()], no longer work. So is its label stage, which has not seen the new
#' rows: predictions are those of its own likelihood at the rates it has learned. To the log evidence
#' is added the log predictive probability of each new label before it was absorbed, and the field
#' `filter` counts rows and wrong predictions; see [bpm()]. Absorbing rows in one call or in
#' several gives the same posterior.
#'
#' To estimate the error on rows that the model has not seen, call
#' [predict()][predict.sturdy_model] before `absorb()`. To learn again from all rows use
#' [update()][update.sturdy_model] with `data`.
#'
#' @param object A model fitted by [gpc()], [stc()] or [bpm()].
#' @param newdata Rows to absorb: a data frame (or matrix) with the input columns and,
#'   for a fit by a formula, the response.
#' @param y For a fit from `x` and `y`, the labels of `newdata`, which must be among the
#'   classes of the fit. `NULL`, the default, for a fit by a formula.
#' @param ... Not used.
#' @param na.action What to do with rows that have missing values:
#'   [stats::na.omit()], the default, leaves them out, [stats::na.fail()] stops.
#' @return A model of the same kind. [mislabelled()] numbers the new rows after the rows
#'   of the data given before.
#' @section Conditions:
#' Errors: `sturdy_error_missing_argument` when `newdata` or the labels are missing;
#' `sturdy_error_novel_levels` for a label that is not one of the classes of the fit,
#' or a factor level that training did not have, which has no place in the fit (fit to
#' all rows with [update()][update.sturdy_model] instead); `sturdy_error_not_finite` and
#' `sturdy_error_not_positive_definite`, with the field `row`, as in [bpm()];
#' `sturdy_error_no_posterior` when the fit has
#' none, or an average has none at any of its nodes with the new rows; and those of
#' [predict()][predict.sturdy_model] and [gpc()]. Warning `sturdy_warning_not_converged` when EP
#' does not converge on all rows, `sturdy_warning_fixed_points` as in [gpc()]. The model given is
#' not changed. Message `sturdy_message_rows_left_out` for rows with missing values, as in [gpc()].
#' @seealso [update()][update.sturdy_model], [bpm_stream()]
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(200), b = rnorm(200))
#' d$class <- d$a + d$b > 0
#' fit <- bpm(class ~ ., d[1:100, ], epsilon = 0.01, inference = "adf")
#' mean(predict(fit, d[101:200, ]) != d$class[101:200])
#' absorb(fit, d[101:200, ])
absorb <- function(object, ...) UseMethod("absorb")

#' @export
absorb.default <- function(object, ...) by_own_fit(absorb, object, ...)

#' @rdname absorb
#' @export
absorb.sturdy_model <- function(object, newdata, y = NULL, ...,
                                na.action = stats::na.omit) {
  fit_of(object, ...)
  check_posterior(object)
  check_given(missing(newdata), "newdata")
  filters <- inherits(object, "bpm")
  if (!filters) {
    check_by_ep(object)
    check_one_label(object)
  }
  check_rows_without(
    object$data, "A fit that absorbs rows", c("units", if (!filters) "known", "offset"),
    "Fit again to all of them."
  )
  newdata <- new_scores(newdata, object$blueprint)
  new <- forge_labelled(object$blueprint, newdata, y, na.action)
  n_new <- length(new$y)
  inform_new_lost(object, newdata, y, n_new)
  if (n_new == 0) {
    return(object)
  }
  if (filters) {
    return(absorb_rows(object, new$X, new$y))
  }
  object$data <- with_new_rows(object, new, newdata)
  if (is_stage(object)) {
    again <- new_second_stage(object$spec, object[c("blueprint", "data")])
    again$call <- object$call
    return(again)
  }
  sites <- lapply(object$ep$sites, function(site) {
    if (is.matrix(site)) rbind(site, matrix(0, n_new, ncol(site))) else c(site, numeric(n_new))
  })
  ep <- refit_ep(object, sites = sites, final = TRUE)
  if (!is.null(object$inducing)) object$inducing["C"] <- list(ep$C)
  object$ep <- kept_ep(ep, object$spec)
  warn_ep(object$ep)
  with_label_stage(reweighed(object))
}

#' @param n rows of the new data that are complete.
#' @noRd
inform_new_lost <- function(object, newdata, y, n) {
  given <- as.data.frame(newdata)
  given <- given[intersect(labelled_columns(object$blueprint), names(given))]
  if (!is.null(y)) given$y <- y
  inform_lost_rows(given, n)
}

#' The rows of a fit and new ones
#' @param new of forge_labelled().
#' @noRd
with_new_rows <- function(object, new, newdata) {
  data <- object$data
  object$data <- c(data[intersect(names(data), c("unlabelled", "kind", "in_sample"))], list(
    X = rbind(data$X, new$X), y = c(data$y, new$y), rows = c(data$rows, data$n_given + new$rows),
    row_names = c(data$row_names, row_names_of(newdata, data$n_given)[new$rows]),
    na_action = data$na_action, n_given = data$n_given + nrow(newdata)
  ))
  new_data <- with_reports(object)$data
  times <- data$reports$times
  if (!is.null(times)) times <- c(times, rep(1, length(new$y)))
  new_data$reports <- with_times(new_data$reports, times)
  new_data
}
