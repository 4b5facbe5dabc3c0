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
#' where `F` is the distribution function of a standard t distribution (normal at `df =
#' Inf`). With `noise = TRUE` the probability is `epsilon + (1 - 2 epsilon) F`. Without
#' `noise` the probability is that of the true class: do not score it against recorded
#' labels, some of which are wrong, for right probabilities then look wrong; see
#' [true_performance()]. Training rows are predicted as new observations at the same
#' inputs. The cost is one n^3 factorisation, and n^2 per new row. For [bpm()], with
#' features `x` and the `mean` and `C` of its `weights`, `m = x'mean` and `s2 = x'C x`
#' plus the nugget, at a cost of k^2 per row. A fit with inducing inputs has the same
#' form, with whitened features of the kernel.
#'
#' # Averages
#' A fit that averages over nodes (`hyper = "integrate"` in [gpc_spec()]) returns the mean
#' of the nodes' probabilities; `"class"` is by whether it is above 1/2, `"latent"` has
#' the mean and variance of the mixture, and `"link"` is the quantile of the averaged
#' probability. The cost is that of one prediction for each node.
#'
#' # Intervals
#' At a given input the class is not certain because of the nugget, and its probability is
#' not because the latent function is not known: with the latent function `g` without the
#' nugget it is `pnorm(g / sqrt(nugget))`. `interval` gives the central interval of that
#' probability under the posterior of `g` and, averaged, of the hyperparameters.
#' `estimate`, the probability itself, is its mean. With a nugget of 0 the class is certain
#' given `g`, and the interval says nothing: it is from 0 to 1 unless the class is beyond
#' doubt. At a finite `df` it is approximate.
#'
#' @param object A model fitted by [gpc()], [stc()] or [bpm()].
#' @param newdata A data frame (or, for a fit from `x` and `y`, also a matrix)
#'   with the input columns of the training data; further columns are ignored.
#'   A level that did not occur in training is allowed, with a message: a [gpc()] or [stc()]
#'   takes it to differ from every known level, a [bpm()] gives it a weight as under the
#'   prior. `NULL`, the default, means the training rows; a
#'   [bpm()] that has absorbed rows by ADF has none and needs `newdata`, and so does a fit to
#'   [shards()].
#' @param type `"class"`, the default, `"prob"`, `"latent"`, `"response"` or `"link"`.
#' @param noise Whether probabilities are those of the label as it would be
#'   recorded, wrong with probability `epsilon`, instead of those of the true
#'   class (`FALSE`, the default). It affects `"prob"` and `"response"` only.
#' @param interval Probability of an interval of the probability of the true class, strictly
#'   between 0 and 1, or `NULL`, the default, for none. See 'Intervals'.
#' @param ... For `newdata` made by [shards()], arguments that say where answers go, see
#'   [shard_answers]. Otherwise not used.
#'
#' @return With `interval`, a data frame with the columns `estimate`, the probability of
#'   the event, `lower` and `upper`. Otherwise one entry per row of `newdata`, in its
#'   order; rows with missing values give `NA`. Without `newdata`, rows left out by
#'   `na.action = na.exclude` give `NA`.
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
                                 interval = NULL,
                                 ...) {
  apart <- inherits(newdata, "sturdy_shards")
  if (!apart) check_no_dots(...)
  if (!is.null(interval)) {
    interval <- check_number(interval, "interval", min = 0, max = 1, open = TRUE)
    if (missing(type)) type <- "response"
  }
  type <- check_choice(
    type, c("class", "prob", "latent", "response", "link"), "type"
  )
  noise <- check_flag(noise, "noise")
  if (!is.null(interval)) check_interval(type, noise)
  call <- rlang::current_env()
  if (apart) {
    return(predict_apart(newdata, object, type, noise, ..., call = call))
  }
  latent <- with_memory(latent_at(object, newdata, call))
  if (!is.null(interval)) {
    return(predicted_interval(object, latent, interval))
  }
  switch(type,
    class = predicted_class(object, latent),
    prob = predicted_prob(object, latent, noise),
    latent = predicted_latent(object, latent),
    response = stats::setNames(predicted_prob(object, latent, noise)[, 2], latent$row_names),
    link = stats::setNames(predicted_link(object, latent), latent$row_names)
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
  event <- if (is_average(object)) mean_probability(object, latent) > 0.5 else latent$m > 0
  factor(levels[1 + event], levels = levels)
}

#' Answers for rows that are not here: a method of their class writes them
#' @noRd
predict_apart <- function(rows, object, type, noise, ..., call) {
  UseMethod("predict_apart")
}

# Of the true class, or with `noise` of the recorded label [M 7.3]; averaged over nodes
predicted_prob <- function(object, latent, noise = FALSE) {
  z <- latent$m / sqrt(latent$s2)
  neg <- stats::pt(-z, object$spec$df)
  pos <- stats::pt(z, object$spec$df)
  weight <- node_weight(object)
  if (noise) {
    rates <- node_rates(object)
    flip_neg <- neg %*% (weight * rates[, 1])
    flip_pos <- pos %*% (weight * rates[, 2])
  } else {
    flip_neg <- flip_pos <- 0
  }
  neg <- neg %*% weight
  pos <- pos %*% weight
  prob <- cbind(neg - flip_neg + flip_pos, pos + flip_neg - flip_pos)
  dimnames(prob) <- list(latent$row_names, object$blueprint$levels)
  prob
}

#' The quantile of the probability: m / sqrt(s2) of a fit at one point
#' @noRd
predicted_link <- function(object, latent) {
  z <- latent$m / sqrt(latent$s2)
  if (!is_average(object)) {
    return(drop(z))
  }
  weight <- node_weight(object)
  pos <- drop(stats::pt(z, object$spec$df) %*% weight)
  neg <- drop(stats::pt(-z, object$spec$df) %*% weight)
  ifelse( # from the side on which the probability is small
    pos < neg, stats::qt(pos, object$spec$df), -stats::qt(neg, object$spec$df)
  )
}

predicted_latent <- function(object, latent) {
  weight <- node_weight(object)
  m <- drop(latent$m %*% weight)
  s2 <- drop((latent$s2 + latent$m^2) %*% weight) - m^2 # moments of the mixture
  if (!is_average(object)) s2 <- drop(latent$s2)
  kappa <- latent_kappa(object)
  data.frame(
    location = sqrt(kappa) * m,
    scale = sqrt(kappa * s2),
    df = rep(object$spec$df, length(m)),
    m = m,
    s2 = s2,
    row.names = make.unique(as.character(latent$row_names))
  )
}

# Intervals of the probability -----------------------------------------------------

check_interval <- function(type, noise, allowed = c("response", "prob"),
                           call = rlang::caller_env()) {
  if (!type %in% allowed || noise) {
    abort_sturdy(
      "{.arg interval} is of the probability of the true class: {.arg type} must be
       {.or {.val {allowed}}}, and {.arg noise} {.code FALSE}.",
      "interval", arg = "interval", call = call
    )
  }
}

#' @param latent list(m, s2), a column a node, s2 with the nugget. [M 7.7]
#' @noRd
predicted_interval <- function(object, latent, level) {
  weight <- node_weight(object)
  nugget <- node_nugget(object)
  root <- sqrt(rep(nugget, each = nrow(latent$m)))
  sd <- sqrt(pmax(latent$s2 - root^2, .Machine$double.xmin))
  # P(probability <= pnorm(x)), x on the normal scale
  below <- function(x) drop(stats::pt((root * x - latent$m) / sd, object$spec$df) %*% weight)
  ends <- vapply(c((1 - level) / 2, (1 + level) / 2), function(p) {
    low <- rep(-40, nrow(latent$m))
    high <- -low
    for (step in 1:60) {
      middle <- (low + high) / 2
      up <- below(middle) < p
      low <- ifelse(up, middle, low)
      high <- ifelse(up, high, middle)
    }
    stats::pnorm((low + high) / 2)
  }, numeric(nrow(latent$m)))
  ends <- matrix(ends, ncol = 2)
  data.frame(
    estimate = unname(predicted_prob(object, latent)[, 2]), lower = ends[, 1],
    upper = ends[, 2], row.names = make.unique(as.character(latent$row_names))
  )
}

node_nugget <- function(object) {
  if (is_average(object)) {
    vapply(object$nodes$hyper, function(hyper) hyper$nugget, numeric(1))
  } else {
    model_hyper(object)$nugget
  }
}
