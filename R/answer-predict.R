#' Predict from a fitted classifier
#'
#' Classes, class probabilities or the distribution of the latent function at new
#' inputs.
#'
#' @details
#' With `k*` the kernel between the training rows and a new row, `b` and `R` from
#' the sites, the latent value has location `m = k*'b` and squared scale
#' `s2 = k(x*, x*) - k*' R k*` (`k(x*, x*)` with the nugget), and
#' \deqn{P(y^* = event) = F_{df}(m / \sqrt{s2})}{P(event) = F_df(m / sqrt(s2))}
#' where `F` is the distribution function of a standard t distribution (normal at
#' `df = Inf`). With `noise = TRUE` the probability is `epsilon + (1 - 2 epsilon) F`.
#' Training rows are predicted as new observations at the same inputs. The cost is
#' one n^3 factorisation, and n^2 per new row. For [bpm()], with features `x` and the
#' `mean` and `C` of its `weights`, `m = x'mean` and `s2 = x'C x` plus the nugget, at a cost of
#' k^2 per row. A fit with inducing inputs has the same form, with whitened features of
#' the kernel.
#'
#' @param object A model fitted by [gpc()], [stc()] or [bpm()].
#' @param newdata A data frame (or, for a fit from `x` and `y`, also a matrix)
#'   with the input columns of the training data; further columns are ignored.
#'   A level that did not occur in training is allowed by [gpc()] and [stc()], with a
#'   message, and is an error for [bpm()]. `NULL`, the default, means the training rows; a
#'   [bpm()] that has absorbed rows by ADF has none and needs `newdata`, and so does a fit to
#'   [shards()].
#' @param type `"class"`, the default, `"prob"`, `"latent"`, `"response"` or `"link"`.
#' @param noise Whether probabilities are those of the label as it would be
#'   recorded, wrong with probability `epsilon`, instead of those of the true
#'   class (`FALSE`, the default). It affects `"prob"` and `"response"` only.
#' @param ... For `newdata` made by [shards()], arguments that say where answers go, see
#'   [shard_answers]. Otherwise not used.
#'
#' @return One entry per row of `newdata`, in its order; rows with missing values
#'   give `NA`. Without `newdata`, rows left out by `na.action = na.exclude` give `NA`.
#'   * `"class"`: a factor with the levels of the training response;
#'   * `"prob"`: a matrix with one column per class (the second is the event) and
#'     the row names of `newdata`; rows sum to 1;
#'   * `"latent"`: a data frame of `location`, `scale` and `df` of the latent
#'     function's t (or normal, `df = Inf`) distribution, and `m` and `s2`, the
#'     same before the global scale kappa: `location = sqrt(kappa) m`,
#'     `scale = sqrt(kappa s2)`;
#'   * `"response"`: the probability of the event, a named vector;
#'   * `"link"`: `m / sqrt(s2)`, whose distribution function `F` is the probability of
#'     the event without label noise, a named vector.
#'
#' @section Conditions:
#' Errors `sturdy_error_type`, `sturdy_error_missing_column`,
#' `sturdy_error_column_type` and `sturdy_error_not_finite` for `newdata` that does not
#' match the training data;
#' `sturdy_error_no_posterior` when EP left no posterior;
#' `sturdy_error_missing_argument` when `newdata` is needed. Warning
#' `sturdy_warning_not_converged` for a fit whose EP did not converge. Message
#' `sturdy_message_novel_levels` for levels that training did not have, see [gpc()] and
#' [bpm()].
#'
#' @inherit sturdy-package references
#' @seealso [gpc()], [stc()], [fitted()][fitted.sturdy_model]
#' @export
#' @examples
#' x <- matrix(c(-2, -1, 1, 2), dimnames = list(NULL, "x"))
#' fit <- gpc(x, c("no", "no", "yes", "yes"), epsilon = 0.05)
#' new <- data.frame(x = c(-3, 0.2, NA))
#' predict(fit, new)
#' predict(fit, new, type = "prob")
#' predict(fit, new, type = "latent")
predict.sturdy_model <- function(object,
                                 newdata = NULL,
                                 type = c(
                                   "class", "prob", "latent", "response", "link"
                                 ),
                                 noise = FALSE,
                                 ...) {
  apart <- inherits(newdata, "sturdy_shards")
  if (!apart) check_no_dots(...)
  type <- check_choice(
    type, c("class", "prob", "latent", "response", "link"), "type"
  )
  noise <- check_flag(noise, "noise")
  call <- rlang::current_env()
  if (apart) {
    return(predict_apart(newdata, object, type, noise, ..., call = call))
  }
  latent <- with_memory(latent_at(object, newdata, call))
  epsilon <- if (noise) object$epsilon else 0
  switch(type,
    class = predicted_class(object, latent),
    prob = predicted_prob(object, latent, epsilon),
    latent = predicted_latent(object, latent),
    response = stats::setNames(
      predicted_prob(object, latent, epsilon)[, 2], latent$row_names
    ),
    link = stats::setNames(latent$m / sqrt(latent$s2), latent$row_names)
  )
}

#' Fitted class probabilities
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param ... Not used.
#' @return A numeric vector: the probability of the event (the second level) at
#'   each training row, without label noise, named by row; padded with `NA` where
#'   `na.action = na.exclude` left rows out.
#' @seealso [predict()][predict.sturdy_model]
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' fitted(fit)
fitted.sturdy_model <- function(object, ...) {
  predict(object, type = "response")
}

predicted_class <- function(object, latent) {
  levels <- object$blueprint$levels
  factor(levels[1 + (latent$m > 0)], levels = levels)
}

#' Answers for rows that are not here: a method of their class writes them
#' @noRd
predict_apart <- function(rows, object, type, noise, ..., call) {
  UseMethod("predict_apart")
}

# Of the true class at epsilon = 0, otherwise of the recorded label [M 7.3]
predicted_prob <- function(object, latent, epsilon) {
  z <- latent$m / sqrt(latent$s2)
  epsilon <- rep_len(epsilon, 2) # true neg, true pos
  neg <- stats::pt(-z, object$spec$df)
  pos <- stats::pt(z, object$spec$df)
  matrix(
    c(
      (1 - epsilon[1]) * neg + epsilon[2] * pos,
      epsilon[1] * neg + (1 - epsilon[2]) * pos
    ),
    ncol = 2,
    dimnames = list(latent$row_names, object$blueprint$levels)
  )
}

predicted_latent <- function(object, latent) {
  kappa <- latent_kappa(object)
  data.frame(
    location = sqrt(kappa) * latent$m,
    scale = sqrt(kappa * latent$s2),
    df = rep(object$spec$df, length(latent$m)),
    m = latent$m,
    s2 = latent$s2,
    row.names = make.unique(as.character(latent$row_names))
  )
}
