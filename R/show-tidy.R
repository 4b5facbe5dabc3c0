#' Tidy data frames from a fitted model
#'
#' Methods of the generics of the generics package, as broom and tidymodels use
#' them.
#'
#' @param x A model fitted by [gpc()], [stc()] or [bpm()].
#' @param data The data the model was fitted to, to be returned with columns
#'   added; it must have the rows given to the fit.
#' @param newdata New data to predict, used instead of `data`.
#' @param ... Not used.
#' @return
#'   * `tidy()`: one row a hyperparameter: `term`, `estimate` (natural scale),
#'     `learned`. For [bpm()] one row a weight: `term`, `estimate`, `std.error` (`NA` at
#'     `df <= 2`), `conf.low`, `conf.high` (95 %), `prior_scale`.
#'   * `glance()`: one row: `nobs`, `df`, `epsilon`, `log_evidence`, `loo`, `loo_se`,
#'     `criterion`, `status`, `sweeps`.
#'   * `augment()`: `data` with `.fitted` (the probability of the event), `.class`
#'     (the predicted class), `.flipped` (the probability that the label was
#'     flipped) and `.loo` (the leave-one-out probability of the label), the last
#'     two `NA` in rows left out by `na.action`; `newdata` with `.fitted` and
#'     `.class`.
#'
#'   A [bpm()] by ADF has no leave-one-out score, no sweeps and nothing of its rows:
#'   `glance()` gives `NA` and the status `"filtered"`, `augment()` needs `newdata`.
#' @section Conditions:
#' `sturdy_error_no_sites` from `augment(data = )` for a [bpm()] by ADF,
#' `sturdy_error_length` when `data` does not have the rows given to the fit,
#' `sturdy_error_missing_argument` without `data` and `newdata`.
#' @importFrom generics tidy
#' @export
#' @examples
#' d <- data.frame(x = c(-2, -1, 1, 2), y = c("no", "no", "yes", "yes"))
#' fit <- gpc(y ~ x, d, epsilon = 0.05)
#' tidy(fit)
#' glance(fit)
#' augment(fit, d)
tidy.sturdy_model <- function(x, ...) {
  check_no_dots(...)
  hyper_table(x)
}

#' @rdname tidy.sturdy_model
#' @importFrom generics glance
#' @export
glance.sturdy_model <- function(x, ...) {
  check_no_dots(...)
  filtered <- is.null(x$ep)
  score <- if (filtered) list(estimate = NA_real_, se = NA_real_) else loo(x)
  data.frame(
    nobs = x$nobs,
    df = x$df,
    epsilon = mean(x$epsilon),
    log_evidence = x$log_evidence,
    loo = score$estimate,
    loo_se = score$se,
    criterion = x$criterion,
    status = if (filtered) "filtered" else x$ep$status,
    sweeps = if (filtered) NA_integer_ else x$ep$sweeps
  )
}

#' @rdname tidy.sturdy_model
#' @importFrom generics augment
#' @export
augment.sturdy_model <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_dots(...)
  if (!is.null(newdata)) {
    newdata$.fitted <- predict(x, newdata, type = "prob")[, 2]
    newdata$.class <- predict(x, newdata)
    return(newdata)
  }
  n_all <- x$nobs + length(x$na_action)
  if (is.null(data)) {
    abort_sturdy(
      "{.arg data} or {.arg newdata} must be given: the model does not keep its
       data.",
      "missing_argument", arg = "data"
    )
  }
  check_by_ep(x)
  if (!is.data.frame(data) || nrow(data) != n_all) {
    abort_sturdy(
      "{.arg data} must be the data frame of {n_all} row{?s} given to the fit,
       not {describe(data)}.",
      "length", arg = "data"
    )
  }
  latent <- latent_at_training(x, rlang::current_env())
  place <- match(seq_len(n_all), x$rows)
  if (length(latent$m) == x$nobs) {
    latent <- lapply(latent, `[`, place)
  }
  data$.fitted <- predicted_prob(x, latent, 0)[, 2]
  data$.class <- predicted_class(x, latent)
  data$.flipped <- x$ep$flipped[place]
  data$.loo <- exp(x$ep$loo)[place]
  data
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
