# What a fit with several classes is asked: predictions, criteria, wrong labels.

#' Predict from a fit with several classes
#'
#' Classes, class probabilities or the distributions of the latent functions at new inputs.
#'
#' @details
#' The true class is the one whose latent function is the largest. Under their independent
#' normal predictive distributions, with means \eqn{m_c} and variances \eqn{s_c^2}, class c
#' has the probability
#' \deqn{P_c = \int N(f; m_c, s_c^2) \prod_{k \ne c} \Phi((f - m_k)/s_k) df,}{P_c = int N(f;
#'   m_c, s_c^2) prod_(k != c) Phi((f - m_k)/s_k) df,} which is computed to 1e-12. A fit
#' that averages (see [averaging]) returns the mean of this over its nodes, and the moments
#' of the mixture of the latent functions.
#'
#' # Intervals
#' At a given input the class is not certain because of the nugget, and its probability is not
#' because the latent functions are not known: given these, without the nugget, it is the integral
#' above with their values for \eqn{m_c} and the nugget for \eqn{s_c^2}. `interval` gives the
#' central interval of that probability under their posterior and, averaged, that of the
#' hyperparameters. It is computed class by class: the ends of a row do not add up to 1.
#' Quantiles are of 1000 draws, so that an interval of probability 0.9 has one between 0.87 and 0.93;
#' `options(sturdy.draws = )` asks for more. The time grows with draws, rows and faster than the
#' square of the number of classes. The draws are the same every time, and the random numbers of the
#' session are left alone.
#'
#' @param object A model fitted by [gpc()] to a response with three classes or more.
#' @param newdata As for [predict.sturdy_model()]. `NULL`, the default, means the training
#'   rows, as new observations at the same inputs.
#' @param type `"class"`, the default, `"prob"` or `"latent"`.
#' @param noise Whether probabilities are those of the class as it would be recorded, instead
#'   of those of the true class (`FALSE`, the default). It affects `"prob"` only.
#' @param interval Probability of an interval of the probability of each class, strictly between 0
#'   and 1, or `NULL`, the default, for none. See 'Intervals'.
#' @param ... Not used.
#' @return With `interval`, a list of three matrices with one column per class: `estimate`, the
#'   probability, `lower` and `upper`. Otherwise one entry per row of `newdata`, in its order; rows with missing values give `NA`.
#'   * `"class"`: a factor, the most probable true class;
#'   * `"prob"`: a matrix with one column per class; rows sum to 1;
#'   * `"latent"`: a list of two such matrices, `mean` and `sd`.
#' @section Conditions:
#' As of [predict.sturdy_model()]; `sturdy_error_interval` where an interval is asked for with
#' another `type` than `"prob"` or with `noise`.
#' @seealso [gpc()], [mislabelled()], [noise_matrix()]
#' @export
#' @examples
#' fit <- gpc(Species ~ ., data = iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
#'            kernel = kernel_iso(2, fixed = TRUE))
#' new <- iris[c(20, 70, 120), ]
#' predict(fit, new)
#' round(predict(fit, new, type = "prob"), 2)
#' lapply(predict(fit, new, interval = 0.9), round, 2)
predict.gpc_classes <- function(object,
                                newdata = NULL,
                                type = c("class", "prob", "latent"),
                                noise = FALSE,
                                interval = NULL,
                                ...) {
  check_no_dots(...)
  if (!is.null(interval)) {
    interval <- check_number(interval, "interval", min = 0, max = 1, open = TRUE)
    if (missing(type)) type <- "prob"
  }
  type <- check_choice(type, c("class", "prob", "latent"), "type")
  noise <- check_flag(noise, "noise")
  if (!is.null(interval)) check_interval(type, noise, "prob")
  check_posterior(object)
  call <- rlang::current_env()
  levels <- object$blueprint$levels
  named <- function(x, names) {
    matrix(x, ncol = length(levels), dimnames = list(names, levels))
  }
  if (type == "latent") {
    latent <- with_memory(classes_at(object, newdata, call, classes_moments_new))
    return(list(mean = named(latent$m, latent$row_names),
                sd = named(sqrt(latent$s2), latent$row_names)))
  }
  if (!is.null(interval)) {
    found <- with_memory(classes_at(object, newdata, call, function(object, X) {
      classes_interval_new(object, X, interval, call)
    }))
    return(lapply(found[c("estimate", "lower", "upper")], named, names = found$row_names))
  }
  found <- with_memory(classes_at(object, newdata, call, function(object, X) {
    list(p = classes_prob_new(object, X, noise && type == "prob"))
  }))
  if (type == "class") {
    return(most_probable(found$p, levels))
  }
  named(found$p, found$row_names)
}

#' The most probable class of each row, `NA` where a probability is
#' @noRd
most_probable <- function(prob, levels) {
  known <- stats::complete.cases(prob)
  best <- rep(NA_integer_, nrow(prob))
  best[known] <- max.col(prob[known, , drop = FALSE], ties.method = "first")
  factor(levels[best], levels = levels)
}

#' What `at` gives at new data, or at the training rows, `NA` where an input is
#' @param at function(object, X) -> list of matrices with a column a class.
#' @return the same, and row_names.
#' @noRd
classes_at <- function(object, newdata, call, at) {
  if (is.null(newdata)) {
    omitted <- object$data$na_action
    found <- lapply(at(object, object$data$X), stats::naresid, omit = omitted)
    return(c(found, list(row_names = padded_names(object))))
  }
  new <- forge(object$blueprint, newdata, call, novel = TRUE)
  found <- at(object, new$X[new$complete, , drop = FALSE])
  found <- lapply(found, function(part) {
    all <- matrix(NA_real_, nrow(new$X), length(object$blueprint$levels))
    all[new$complete, ] <- part
    all
  })
  c(found, list(row_names = new$row_names))
}

#' @export
fitted.gpc_classes <- function(object, ...) {
  predict(object, type = "prob")
}

#' @rdname loo
#' @export
#' @rawNamespace S3method(loo::loo, gpc_classes)
loo.gpc_classes <- function(x, ...) {
  check_no_dots(...)
  check_posterior(x)
  structure(
    loo_shape(row_loo(x), x$data$row_names),
    yhash = rlang::hash(list(x$data$y, x$data$rows)),
    class = c("sturdy_loo", "loo")
  )
}

#' @rdname log_evidence
#' @export
log_evidence.gpc_classes <- function(object, method = c("ep", "integrated"), ...) {
  method <- check_choice(method, c("ep", "integrated"), "method")
  check_no_dots(...)
  check_posterior(object)
  if (method == "integrated") integrated_of(object) else model_evidence(object)
}

integrated_of.gpc_classes <- function(object, call = rlang::caller_env()) {
  if (is_average(object)) {
    return(average_evidence(object))
  }
  learned_matrix <- identical(object$spec$epsilon, "matrix")
  value <- if (learned_matrix) {
    not_integrated("a learned matrix is integrated by {.code hyper = \"integrate\"}")
  } else {
    integrated_evidence(model_latent(object), object$spec, if (rate_learned(object)) object$epsilon)
  }
  warn_not_integrated(value)
}

# Wrong labels ----------------------------------------------------------------

#' @rdname mislabelled
#' @export
mislabelled.gpc_classes <- function(object, fdr = NULL, level = 0.9, ...) {
  check_no_dots(...)
  if (!is.null(fdr)) {
    fdr <- check_number(fdr, "fdr", min = 0, max = 1)
  }
  if (!is.null(level)) {
    level <- check_number(level, "level", min = 0, max = 1, open = TRUE)
  }
  check_posterior(object)
  if (all(object$epsilon == 0)) inform_no_label_noise()
  found <- class_suspicion(object)
  if_some <- pmin(found$probability / max(1 - probability_none(object), 1e-12), 1)
  if (is_test(object)) found$if_some <- if_some
  found$fdr <- cumsum(1 - if_some) / found$rank
  cutoff <- if (!is.null(fdr)) fdr_cutoff(found, if_some, fdr)
  if (!is.null(cutoff)) found <- found[seq_len(cutoff$rows), ]
  within <- object # rates at which a matrix can be moved
  within$epsilon <- pmin(object$epsilon, 0.49)
  found <- new_mislabelled(found, object, wrong_count(within, level), cutoff)
  class(found) <- c("classes_mislabelled", class(found))
  found
}

#' The ranked rows: the best classes other than the recorded one, with the probabilities
#' of being the true one
#' @noRd
class_suspicion <- function(object) {
  levels <- object$blueprint$levels
  rows <- seq_len(nobs(object))
  seen <- class_rows(object)
  others <- seen$true_class
  others[cbind(rows, object$data$y)] <- -1
  best <- max.col(others, ties.method = "first")
  p_best <- others[cbind(rows, best)]
  others[cbind(rows, best)] <- -1
  second <- max.col(others, ties.method = "first")
  class_of <- function(k) factor(levels[k], levels = levels)
  first <- order(-seen$flipped, seen$loo)
  data.frame(
    row = object$data$rows,
    label = class_of(object$data$y),
    probability = seen$flipped,
    rank = order(first),
    loo = exp(seen$loo),
    suggested = class_of(best),
    p_suggested = p_best,
    runner_up = class_of(second),
    p_runner_up = others[cbind(rows, second)],
    loo_wrong = wrong_share(seen$loo_class, object$data$y),
    row.names = make.unique(as.character(object$data$row_names))
  )[first, ]
}

# Scores ----------------------------------------------------------------------

#' Half the squared distance of the recorded classes' probabilities from what was recorded
#' @noRd
classes_brier <- function(object) {
  check_posterior(object)
  p <- class_rows(object)$recorded
  at <- cbind(seq_along(object$data$y), object$data$y)
  p[at] <- p[at] - 1
  unname(rowSums(p^2)) / 2
}

#' @rdname ep_diagnostics
#' @export
ep_diagnostics.gpc_classes <- function(object, ...) {
  check_no_dots(...)
  new_diagnostics(
    diagnose_ep(object$ep), diagnose_learning(object), object$learning$on_bound
  )
}
