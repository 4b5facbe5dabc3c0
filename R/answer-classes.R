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
#'   m_c, s_c^2) prod_(k != c) Phi((f - m_k)/s_k) df,} which is computed to 1e-12.
#'
#' @param object A model fitted by [gpc()] to a response with three classes or more.
#' @param newdata As for [predict.sturdy_model()]. `NULL`, the default, means the training
#'   rows, as new observations at the same inputs.
#' @param type `"class"`, the default, `"prob"` or `"latent"`.
#' @param noise Whether probabilities are those of the class as it would be recorded, instead
#'   of those of the true class (`FALSE`, the default). It affects `"prob"` only.
#' @param ... Not used.
#' @return One entry per row of `newdata`, in its order; rows with missing values give `NA`.
#'   * `"class"`: a factor, the most probable true class;
#'   * `"prob"`: a matrix with one column per class; rows sum to 1;
#'   * `"latent"`: a list of two such matrices, `mean` and `sd`.
#' @seealso [gpc()], [mislabelled()], [noise_matrix()]
#' @export
#' @examples
#' fit <- gpc(Species ~ ., data = iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
#'            kernel = kernel_iso(2, fixed = TRUE))
#' new <- iris[c(20, 70, 120), ]
#' predict(fit, new)
#' round(predict(fit, new, type = "prob"), 2)
predict.gpc_classes <- function(object,
                                newdata = NULL,
                                type = c("class", "prob", "latent"),
                                noise = FALSE,
                                ...) {
  check_no_dots(...)
  type <- check_choice(type, c("class", "prob", "latent"), "type")
  noise <- check_flag(noise, "noise")
  check_classes_model(object)
  latent <- with_memory(classes_latent_at(object, newdata, rlang::current_env()))
  levels <- object$blueprint$levels
  as_asked <- function(x) {
    matrix(x, ncol = length(levels), dimnames = list(latent$row_names, levels))
  }
  if (type == "latent") {
    return(list(mean = as_asked(latent$m), sd = as_asked(sqrt(latent$s2))))
  }
  prob <- latent$m
  known <- stats::complete.cases(prob)
  prob[known, ] <- class_probabilities(
    latent$m[known, , drop = FALSE], latent$s2[known, , drop = FALSE]
  )
  if (type == "class") {
    best <- rep(NA_integer_, nrow(prob))
    best[known] <- max.col(prob[known, , drop = FALSE], ties.method = "first")
    return(factor(levels[best], levels = levels))
  }
  as_asked(if (noise) prob %*% object$omega else prob)
}

#' P(each class is the largest) under normals, rows summing to 1 as exactly as it can be
#' @noRd
class_probabilities <- function(m, s2) {
  if (nrow(m) == 0) {
    return(m)
  }
  prob <- exp(native_classes_prob(m, s2))
  prob / rowSums(prob)
}

#' Latent moments at new data, or at the training rows, `NA` where an input is
#' @return list(m, s2, row_names)
#' @noRd
classes_latent_at <- function(object, newdata, call) {
  if (is.null(newdata)) {
    latent <- classes_latent_new(object, object$data$X)
    omitted <- object$data$na_action
    return(list(
      m = stats::naresid(omitted, latent$m), s2 = stats::naresid(omitted, latent$s2),
      row_names = padded_names(object)
    ))
  }
  new <- forge(object$blueprint, newdata, call, novel = TRUE)
  m <- s2 <- matrix(NA_real_, nrow(new$X), length(object$blueprint$levels))
  if (any(new$complete)) {
    latent <- classes_latent_new(object, new$X[new$complete, , drop = FALSE])
    m[new$complete, ] <- latent$m
    s2[new$complete, ] <- latent$s2
  }
  list(m = m, s2 = s2, row_names = new$row_names)
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
  check_classes_model(x)
  structure(
    loo_shape(x$ep$loo, x$data$row_names),
    yhash = rlang::hash(list(x$data$y, x$data$rows)),
    class = c("sturdy_loo", "loo")
  )
}

#' @rdname log_evidence
#' @export
log_evidence.gpc_classes <- function(object, ...) {
  check_no_dots(...)
  check_classes_model(object)
  object$ep$log_evidence
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
  check_classes_model(object)
  if (all(object$epsilon == 0)) inform_no_label_noise()
  found <- class_suspicion(object)
  cutoff <- if (!is.null(fdr)) fdr_cutoff(found, found$probability, fdr)
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
  n <- nobs(object)
  rows <- seq_len(n)
  others <- object$ep$true_class
  others[cbind(rows, object$data$y)] <- -1
  best <- max.col(others, ties.method = "first")
  p_best <- others[cbind(rows, best)]
  others[cbind(rows, best)] <- -1
  second <- max.col(others, ties.method = "first")
  class_of <- function(k) factor(levels[k], levels = levels)
  first <- order(-object$ep$flipped, object$ep$loo)
  found <- data.frame(
    row = object$data$rows,
    label = class_of(object$data$y),
    probability = object$ep$flipped,
    rank = order(first),
    loo = exp(object$ep$loo),
    suggested = class_of(best),
    p_suggested = p_best,
    runner_up = class_of(second),
    p_runner_up = others[cbind(rows, second)],
    loo_wrong = rowSums(replace(object$ep$loo_class, cbind(rows, object$data$y), 0)),
    row.names = make.unique(as.character(object$data$row_names))
  )[first, ]
  found$fdr <- cumsum(1 - found$probability) / found$rank
  found
}

# Scores ----------------------------------------------------------------------

#' Half the squared distance of the recorded classes' probabilities from what was recorded
#' @noRd
classes_brier <- function(object) {
  check_classes_model(object)
  p <- object$ep$loo_class %*% object$omega
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
