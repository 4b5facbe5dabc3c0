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
#'   `na.action = na.exclude` left rows out.
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

#' Probability that the event is recorded at each training row, padded
#' @noRd
recorded_prob <- function(object, call) {
  check_by_ep(object, call)
  predict(object, type = "response", noise = TRUE)
}

#' @rdname residuals.sturdy_model
#' @importFrom stats residuals
#' @export
residuals.sturdy_model <- function(object,
                                   type = c("deviance", "pearson", "response"),
                                   ...) {
  check_no_dots(...)
  type <- check_choice(type, c("deviance", "pearson", "response"), "type")
  p <- recorded_prob(object, rlang::current_env())
  y <- stats::naresid(object$data$na_action, (object$data$y > 0) * 1)
  switch(type,
    deviance = sign(y - p) * sqrt(-2 * log(ifelse(y > 0, p, 1 - p))),
    pearson = (y - p) / sqrt(p * (1 - p)),
    response = y - p
  )
}

#' @rdname residuals.sturdy_model
#' @importFrom stats deviance
#' @export
deviance.sturdy_model <- function(object, ...) {
  check_no_dots(...)
  sum(residuals(object)^2, na.rm = TRUE)
}

#' @rdname residuals.sturdy_model
#' @importFrom stats simulate
#' @export
simulate.sturdy_model <- function(object, nsim = 1, seed = NULL, ...) {
  check_no_dots(...)
  nsim <- check_count(nsim, "nsim", min = 1)
  p <- recorded_prob(object, rlang::current_env())
  p <- p[!is.na(p)]
  check_memory(as.double(nsim) * length(p), nsim, what = "simulations")
  levels <- object$blueprint$levels
  draws <- with_seed_or_stream(
    seed,
    lapply(seq_len(nsim), function(k) {
      factor(levels[1 + (stats::runif(length(p)) < p)], levels = levels)
    })
  )
  names(draws) <- paste0("sim_", seq_len(nsim))
  data.frame(draws, row.names = make.unique(names(p)))
}
