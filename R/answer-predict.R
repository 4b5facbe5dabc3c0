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
#' where `F` is the distribution function of a standard t distribution (normal at `df = Inf`).
#' With `noise = TRUE` the probability is `epsilon + (1 - 2 epsilon) F`. Without `noise` it is
#' that of the true class. Where the fit has a label stage, as it has unless all its rates are given at
#' one point, the probability then goes through that, recalibrated by what the labels say of the
#' fit's own leave-one-out probabilities ([wrong-labels]). Do not score it against recorded labels: some of these are wrong, so
#' probabilities that are right look wrong; see [true_performance()]. Training rows are predicted
#' as new observations at the same
#' inputs. The cost is one n^3 factorisation, and n^2 per new row. For [bpm()], with
#' features `x` and the `mean` and `C` of its `weights`, `m = x'mean` and `s2 = x'C x`
#' plus the nugget, at a cost of k^2 per row. A fit with inducing inputs has the same
#' form, with whitened features of the kernel.
#'
#' # Averages
#' A fit that averages over nodes (`hyper = "integrate"` in [gpc_spec()]) takes the mean
#' of the nodes' probabilities; `"class"` is the most probable one, `"latent"` has
#' the mean and variance of the mixture, of the first stage, and `"link"` is the quantile of the
#' probability.
#'
#' From `r few_least` training labels on, new rows are predicted from some of the nodes only. These are
#' weighted so that the training rows, each without its label, have the same probabilities as
#' under all nodes (to a root mean square of `r few_gap`). So it is with the points of the label stage
#' (to `r few_gap_label`, of very many labels to less). These are themselves an
#' importance sample, some `r label_points[["usual"]]` of a noise model, so that fits to the same rows by other ways
#' ([dbi_source()], [shards()]) differ by some hundredths of a probability's standard deviation. Ends of intervals, `"latent"`
#' and what is said of training rows by their labels use all nodes. The cost is n^2 operations for each row and
#' node, with inducing inputs the square of their number; with intervals and `"latent"` it is that of one
#' prediction for each node.
#'
#' # Several classes
#' With three classes or more the true class is the one whose latent function is the largest.
#' Under their independent normal predictive distributions, before the label stage, with means \eqn{m_c} and variances
#' \eqn{s_c^2}, class c has the probability
#' \deqn{P_c = \int N(f; m_c, s_c^2) \prod_{k \ne c} \Phi((f - m_k)/s_k) df,}{P_c = int N(f;
#'   m_c, s_c^2) prod_(k != c) Phi((f - m_k)/s_k) df,} which is computed to 1e-12. There is no
#' `"response"` and no `"link"`. Of [classes in an order][ordered-classes] the one latent function has a
#' `"link"`, the quantile of the probability that it is above the middle of the first and the last
#' threshold.
#'
#' # Intervals
#' At a given input the class is uncertain because of the nugget, and the probability of the class
#' is uncertain because the latent function is not known: with `g` the latent function without the
#' nugget, it is `pnorm(g / sqrt(nugget))`. `interval` gives the central interval of that
#' probability under the posterior of `g` and, where the fit averages, of the hyperparameters. Through a
#' label stage its ends are those of draws, each of which goes through a point of the stage; all of a row
#' are then moved by one factor of the odds (with three classes or more one of each class) so that their
#' mean is what `type = "prob"` has: the stage was learned from probabilities that are means themselves.
#' `estimate` is the mean, which is the probability that `type = "prob"` has; where the
#' distribution is skewed it may lie outside the interval. With a nugget of 0 the class is certain
#' given `g`, and the interval says nothing: it is from 0 to 1 unless the class is beyond doubt.
#' At a finite `df` it is approximate.
#'
#' With three classes or more the intervals are computed class by class: the ends of a row do not
#' add up to 1. Quantiles of draws are of 1000, so that an interval of probability 0.9 has one between
#' 0.87 and 0.93; `options(sturdy.draws = )` asks for more. The time grows with draws, rows and
#' faster than the square of the number of classes. The draws are the same every time, and the
#' random numbers of the session are left alone.
#'
#' # Costs
#' The class is the most probable one, which makes the fewest mistakes. Where these cost differently, with
#' costs `cost[true, class]`, the class with the least expected cost is that of the smallest column of
#' `predict(fit, new, type = "prob") %*% cost`: where an event that is missed costs nine times what a false
#' alarm does, rows with a probability above 0.1 are to be called events.
#'
#' @param object A model fitted by [gpc()], [stc()], [bpm()] or [second_stage()].
#' @param newdata A data frame (or, for a fit from `x` and `y`, also a matrix)
#'   with the input columns of the training data; further columns are ignored.
#'   A level that did not occur in training is allowed, with a message: a [gpc()] or [stc()]
#'   takes it to differ from every known level, a [bpm()] gives it a weight as under the
#'   prior. `NULL`, the default, means the training rows; a
#'   [bpm()] that has absorbed rows by ADF has none and needs `newdata`, and so does a fit to
#'   [shards()].
#' @param type `"class"`, the default, `"prob"`, `"latent"`, `"response"`, `"link"` or `"true"`.
#'   With `interval` the default is `"response"`, or with three classes or more `"prob"`.
#' @param noise Whether probabilities are those of the label as it would be
#'   recorded, wrong with probability `epsilon`, instead of those of the true
#'   class (`FALSE`, the default). It affects `"prob"` and `"response"` only.
#' @param interval Probability of an interval of the probability of the true class, strictly
#'   between 0 and 1, or `NULL`, the default, for none. See 'Intervals'.
#' @param ... For `newdata` made by [shards()], arguments that say where answers go, see
#'   [shard_answers]. Otherwise not used.
#'
#' @return With `interval`, a data frame with the columns `estimate`, the probability of
#'   the event, `lower` and `upper`; with three classes or more a list of three matrices of these
#'   names, a column a class. Otherwise one entry per row of `newdata`, in its
#'   order; rows with missing values give `NA`. Without `newdata`, rows left out by
#'   `na.action = na.exclude` give `NA`.
#'   * `"class"`: a factor with the levels of the training response; of classes that are as probable,
#'     the first;
#'   * `"prob"`: a matrix with one column per class (the second is the event) and
#'     the row names of `newdata`; rows sum to 1;
#'   * `"latent"`: a data frame of `location`, `scale` and `df` of the latent
#'     function's t (or normal, `df = Inf`) distribution, and `m` and `s2`, the
#'     same before the global scale kappa: `location = sqrt(kappa) m`,
#'     `scale = sqrt(kappa s2)`; with three classes or more a list of the matrices `mean` and
#'     `sd`, a column a class;
#'   * `"true"`, without `newdata`: a matrix as `"prob"` has it, with the probabilities of the true
#'     class of each training row **given its own labels** as well, those of all [readers()] where
#'     there are several;
#'   * `"response"`: the probability of the event, a named vector;
#'   * `"link"`: the number whose distribution function `F` is the probability of the event without
#'     label noise (`m / sqrt(s2)` without a label stage), a named vector.
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
predict.sturdy_model <- function(object, newdata = NULL,
                                 type = c("class", "prob", "latent", "response", "link", "true"),
                                 noise = FALSE, interval = NULL, ...) {
  check_model(object)
  apart <- inherits(newdata, "sturdy_shards")
  if (!apart) check_no_dots(...)
  several <- is_several(object)
  of_event <- if (several) "prob" else "response"
  if (missing(type)) type <- if (is.null(interval)) "class" else of_event
  one <- !several || is_in_order(object) # function
  known <- c("class", "prob", "latent", if (!several) "response", if (one) "link", "true")
  type <- check_choice(type, known, "type")
  noise <- check_flag(noise, "noise")
  if (!is.null(interval)) interval <- check_interval(interval, type, noise, unique(c(of_event, "prob")))
  if (type == "true") {
    return(predicted_truth(object, newdata))
  }
  if (apart) {
    return(predict_apart(newdata, object, type, noise, interval, ...))
  }
  rows <- rows_to_predict(object, newdata)
  if (!is.null(interval)) {
    return(predicted_interval(object, rows, interval))
  }
  named <- function(answers) stats::setNames(rows$spread(answers), rows$row_names)
  switch(type,
    class = rows$spread(most_probable(prob_new(object, rows$X), object$blueprint$levels)),
    prob = named_prob(prob_new(object, rows$X, noise), rows, object),
    latent = predicted_latent(object, rows),
    response = named(prob_new(object, rows$X, noise)[, 2]),
    link = named(predicted_link(object, rows$X))
  )
}

#' Fitted class probabilities
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param ... Not used.
#' @return A numeric vector: the probability of the event (the second level) at
#'   each training row, without label noise, named by row; padded with `NA` where
#'   `na.action = na.exclude` left rows out. With three classes or more a matrix with a
#'   column for each class.
#' @seealso [predict()][predict.sturdy_model]
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' fitted(fit)
fitted.sturdy_model <- function(object, ...) {
  check_model(object)
  predict(object, type = if (is_several(object)) "prob" else "response")
}

#' Answers for rows that are not here: a method of their class writes them
#' @noRd
predict_apart <- function(rows, object, type, noise, interval, ...) UseMethod("predict_apart")

#' The most probable class of each row, `NA` where a probability is
#' @noRd
most_probable <- function(prob, levels) {
  known <- stats::complete.cases(prob)
  best <- rep(NA_integer_, nrow(prob))
  best[known] <- max.col(prob[known, , drop = FALSE], ties.method = "first")
  class_factor(best, levels)
}

#' Probabilities of the true class of the training rows, their own labels included
#' @noRd
predicted_truth <- function(object, newdata) {
  about <- "be left out with {.code type = \"true\"}, which is about the labels of the fit"
  must(is.null(newdata), "newdata", about, "unknown_argument")
  check_sites_kept(object)
  rows <- rows_to_predict(object, NULL)
  said <- truth(judged_by(object))
  prob <- matrix(NA_real_, nrow(rows$X), length(object$blueprint$levels))
  prob[rows$labelled, ] <- mean_over(said$p, said$weight)[rows$each, , drop = FALSE]
  open <- setdiff(seq_len(nrow(prob)), rows$labelled)
  if (length(open)) prob[open, ] <- prob_new(object, rows$X[open, , drop = FALSE])
  named_prob(prob, rows, object)
}

#' The quantile of the probability of the event: m / sqrt(s2) of a fit at one point
#' @noRd
predicted_link <- function(object, X) {
  df <- object$spec$df
  if (!is.null(object$label_stage) && !is_in_order(object)) { # of whose classes none is the event
    p <- prob_new(object, X)
    return(tail_quantile(p[, 1], p[, 2], df))
  }
  latent <- node_latent(object, X, used_nodes(object))
  z <- matrix(latent$m / sqrt(latent$s2), nrow(X), length(latent$weight))
  if (ncol(z) == 1) {
    return(z[, 1])
  }
  mean_tail <- function(z) drop(stats::pt(z, df) %*% latent$weight)
  tail_quantile(mean_tail(-z), mean_tail(z), df)
}

#' The quantiles of probabilities of the event, from the side on which they are small
#' @param other,event probabilities of the other class, and of the event.
#' @noRd
tail_quantile <- function(other, event, df = Inf) {
  z <- replace(other, TRUE, -stats::qt(other, df))
  small <- event < other
  replace(z, small, stats::qt(event[small], df))
}

#' Moments of the latent functions, those of the mixture over nodes
#' @noRd
predicted_latent <- function(object, rows) {
  latent <- node_latent(object, rows$X)
  mean <- mean_over(latent$m, latent$weight)
  m <- rows$spread(mean)
  s2 <- rows$spread(mean_over(latent$s2 + (latent$m - as.vector(mean))^2, latent$weight))
  if (latent_functions(object) > 1) {
    named <- list(rows$row_names, object$blueprint$levels)
    return(lapply(list(mean = m, sd = sqrt(s2)), `dimnames<-`, named))
  }
  kappa <- latent_kappa(object)
  data.frame(
    location = sqrt(kappa) * drop(m), scale = sqrt(kappa * drop(s2)),
    df = rep(object$spec$df, nrow(m)), m = drop(m), s2 = drop(s2),
    row.names = make.unique(as.character(rows$row_names))
  )
}
