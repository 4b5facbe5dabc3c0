# A fit with several classes as data frames, and its summary.

#' @noRd
glance_classes <- function(x, ...) {
  check_no_dots(...)
  pointwise <- row_loo(x)
  has_loo <- has_numbers(pointwise)
  data.frame(
    nobs = nobs(x), df = Inf, classes = length(x$blueprint$levels), epsilon = mean(x$epsilon),
    log_evidence = c(fit_evidence(x), NA_real_)[1],
    loo = if (has_loo) sum(pointwise) else NA_real_, loo_se = se_sum(pointwise),
    criterion = "evidence", status = x$ep$status, sweeps = c(x$ep$sweeps, NA_integer_)[1]
  )
}

#' @noRd
augment_classes <- function(x, data = NULL, newdata = NULL, ...) {
  check_no_dots(...)
  call <- rlang::current_env()
  check_posterior(x)
  if (!is.null(newdata)) {
    return(add_classes(as.data.frame(newdata), predict(x, newdata, type = "prob")))
  }
  place <- if (is.null(data)) {
    data <- stored_data(x)
    seq_len(nobs(x))
  } else {
    augment_place(x, data, call)
  }
  prob <- prob_new(x, x$data$X)
  colnames(prob) <- x$blueprint$levels
  data <- add_classes(data, prob[place, , drop = FALSE])
  data$.flipped <- row_flipped(x)[place]
  data$.loo <- exp(row_loo(x))[place]
  data
}

#' Columns .prob_<class>, and .class, the most probable one
#' @noRd
add_classes <- function(data, prob) {
  levels <- colnames(prob)
  for (level in levels) data[[paste0(".prob_", level)]] <- unname(prob[, level])
  data$.class <- most_probable(prob, levels)
  data
}

#' @noRd
summary_classes <- function(object, ...) {
  check_no_dots(...)
  check_posterior(object)
  score <- loo(object)$estimates["elpd_loo", ]
  structure(
    list(
      title = paste0(
        "<gpc> Gaussian process classifier, ", length(object$blueprint$levels), " classes"
      ),
      rows = paste0(nobs(object), ", ", count(length(object$blueprint$columns), "input")),
      inference = "EP", ep = ep_words(object$ep), weights = NULL,
      coefficients = hyper_table(object),
      scores = c(
        log_evidence = fit_evidence(object), loo = score[["Estimate"]],
        loo_se = score[["SE"]], loo_error = mean(exp(row_loo(object)) < 0.5)
      ),
      expected_wrong = sum(row_flipped(object)),
      suspicious = utils::head(suspicion(object), 5)[
        c("row", "label", "probability", "rank", "loo", "suggested", "p_suggested")
      ]
    ),
    class = "summary.sturdy_model"
  )
}
