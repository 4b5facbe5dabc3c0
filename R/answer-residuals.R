#' Residuals, deviance and simulated labels of a fit
#'
#' Methods known from [stats::glm()]. All of them are about *recorded* labels: `p` is the
#' fitted probability that the event is recorded in a row
#' (`predict(fit, type = "response", noise = TRUE)`), and `y` is 1 where it was recorded
#' and 0 elsewhere.
#'
#' @details
#' * `residuals()`: `"response"` is `y - p`, `"pearson"` is `(y - p) / sqrt(p (1 - p))`,
#'   `"deviance"` is the signed root of `-2 log P(label)`.
#' * `deviance()`: `-2 sum(log P(label))`, the sum of squared deviance residuals. The
#'   fitted probabilities were computed from the labels themselves; for each label
#'   predicted from the others see [loo()].
#' * `simulate()`: labels drawn independently for each row from `p`.
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param type `"deviance"`, the default, `"pearson"` or `"response"`.
#' @param nsim Number of simulated responses, at least 1.
#' @param seed `NULL`, the default, draws from R's current random number stream. A whole
#'   number is a seed, and the stream is left as it was.
#' @param ... Not used.
#' @return
#' * `residuals()`: a named vector with one number per training row, padded with `NA` where
#'   `na.action = na.exclude` left rows out. With three classes or more `"deviance"` has no
#'   sign, and `"pearson"` and `"response"` are matrices with a column for each class.
#' * `deviance()`: a number.
#' * `simulate()`: a data frame with one row per training row and `nsim` columns `sim_1`,
#'   `sim_2`, ..., which are factors with the levels of the response.
#' @section Conditions:
#' `sturdy_error_no_sites` for a [bpm()] that has absorbed rows by filtering,
#' `sturdy_error_memory` for more simulations than fit into memory.
#' @name residuals.sturdy_model
#' @seealso [fitted()][fitted.sturdy_model], [loo()], [posterior_sample()]
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' residuals(fit)
#' deviance(fit)
#' simulate(fit, 2, seed = 1)
NULL

#' Probabilities of what is recorded at each training row, padded, a column a class
#' @noRd
recorded_fit <- function(object) {
  check_by_ep(object)
  check_one_label(object)
  predict(object, type = "prob", noise = TRUE)
}

#' @rdname residuals.sturdy_model
#' @importFrom stats residuals
#' @export
residuals.sturdy_model <- function(object, type = c("deviance", "pearson", "response"), ...) {
  fit_of(object, ...)
  type <- check_choice(type, c("deviance", "pearson", "response"), "type")
  p <- recorded_fit(object)
  code <- label_code(object$data)[own_places(object$data)]
  several <- is_several(object)
  if (type == "deviance") {
    sign <- if (several) 1 else 2 * code - 3 # - of the first class, + of the second
    return(stats::setNames(sign * sqrt(-2 * log(p[cbind(seq_along(code), code)])), rownames(p)))
  }
  raw <- outer(code, seq_len(ncol(p)), `==`) - p
  if (type == "pearson") raw <- raw / sqrt(p * (1 - p))
  if (several) raw else raw[, 2]
}

#' @rdname residuals.sturdy_model
#' @importFrom stats deviance
#' @export
deviance.sturdy_model <- function(object, ...) {
  fit_of(object, ...)
  sum(residuals(object)[!duplicated(own_places(object$data))]^2, na.rm = TRUE)
}

#' @rdname residuals.sturdy_model
#' @importFrom stats simulate
#' @export
simulate.sturdy_model <- function(object, nsim = 1, seed = NULL, ...) {
  fit_of(object, ...)
  nsim <- check_count(nsim, "nsim", min = 1)
  p <- recorded_fit(object)
  place <- own_places(object$data)
  p <- p[!is.na(place), , drop = FALSE]
  place <- place[!is.na(place)]
  unit <- match(place, unique(place)) # all its rows have one label
  check_memory(as.double(nsim) * nrow(p), nsim, what = "simulations")
  levels <- object$blueprint$levels
  above <- share_above(p)
  draws <- with_seed_or_stream(seed, lapply(stats::setNames(nm = paste0("sim_", seq_len(nsim))), function(name) {
    class_factor(1 + rowSums(stats::runif(nrow(p))[unit] < above), levels)
  }))
  data.frame(draws, row.names = make.unique(rownames(p)))
}
