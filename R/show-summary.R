#' Summary of a fitted model
#'
#' Hyperparameters, scores and the most suspicious labels of a fit. At finite `df` the
#' comparable Gaussian evidence is computed as well, which costs one further EP fit.
#'
#' @param object A model fitted by [gpc()], [stc()] or [bpm()].
#' @param ... Not used.
#' @return A list of class `summary.sturdy_model`, with a print method:
#'   * `title`, `rows`: strings that describe the model and its rows;
#'   * `verdict`: what `print()` of the fit says of wrong labels, named strings;
#'   * `fitted`: named strings that describe the kernel or weights, the label noise, known labels
#'     and what was learned;
#'   * `inference`: `"EP"` or `"ADF"`; `ep`: a string that says how it went;
#'   * `weights`: for [bpm()], a data frame as returned by [tidy()][tidy.sturdy_model],
#'     otherwise `NULL`;
#'   * `coefficients`: a data frame of the hyperparameters: `term`, `estimate`, `learned`;
#'   * `scores`: a named vector of `log_evidence` (at the hyperparameters shown),
#'     `log_evidence_integrated` (of a fit that averages), `log_evidence_gaussian` (at finite
#'     `df`), `loo`, `loo_se`, and `loo_error`, the share of labels that the other rows predict
#'     wrongly; `evidence_note`: what limits comparisons of the first, a string or `NULL`;
#'   * `classes`: a data frame of the labels by class: `class`; `recorded`, how many name it;
#'     `true`, how many rows are expected to belong to it; `wrong`, how many of the labels are expected to
#'     be wrong, and `missed`, how many of the rows to be recorded as another class; `sensitivity`,
#'     the share of its rows that are recorded so, and `precision`, the share of its labels that
#'     are right (`NA` of none). Of rows that were checked it is the label of before that counts.
#'     It is printed where there are three classes or more, of more than
#'     `r summary_classes` those with the most wrong labels;
#'   * `unlabelled`: where a class stands for rows without a label (`unlabelled` in [noise_prior()]),
#'     a data frame with the rows `labelled`, the share of the rows of the other class that is
#'     labelled (a row a group with `rates`), and `prevalence`, the share of the table that belongs to
#'     that class: `of`, `estimate`, and `lower` and `upper`, of intervals of 90 %. Otherwise `NULL`;
#'   * `expected_wrong`: the sum of the probabilities that the labels are wrong;
#'   * `suspicious`: the five most suspicious rows, with some columns of [mislabelled()].
#'
#'   For a [bpm()] that has absorbed rows by ADF, `scores` are `log_evidence`,
#'   `prequential` (the sum of the log predictive probabilities of the labels before
#'   they were absorbed) and `prequential_error`, and the last three fields are `NULL`.
#' @seealso [ep_diagnostics()], [tidy()][tidy.sturdy_model]
#' @export
#' @examples
#' x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 1, 1, 1)
#' summary(gpc(x, y, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0.1))
summary.sturdy_model <- function(object, ...) {
  fit_of(object, ...)
  check_posterior(object)
  inference <- describe_inference(object, 3)
  fitted <- c(
    describe_latent(object, 3), Inputs = ranked_inputs(object),
    "Label noise" = describe_noise(judged_by(object), 3), Labels = describe_known(object),
    Learned = describe_learning(object)
  )
  fields <- list(
    title = fit_title(object), rows = describe_rows(object),
    verdict = answer_lines(object, if (is_test(object)) noise_statement(object, 0.9), 3),
    fitted = fitted, inference = names(inference), ep = unname(inference), weights = weight_table(object),
    coefficients = hyper_table(object), evidence_note = evidence_note(object), unlabelled = unlabelled_table(object)
  )
  structure(c(fields, summary_rows(object)), class = "summary.sturdy_model")
}

summary_classes <- 20L # with a line in print

#' The fields of a summary about rows: scores, a named vector; classes, expected_wrong and suspicious, which are
#' missing where a fit keeps no rows
#' @noRd
summary_rows <- function(object) {
  if (!has_rows(object)) {
    return(list(scores = c(
      log_evidence = model_evidence(object), prequential = object$filter$log_score,
      prequential_error = if (!is.null(object$filter)) filter_error(object)
    )))
  }
  score <- loo(object)$estimates["elpd_loo", ]
  readers <- has_readers(object)
  soft <- has_soft(object$data$reports)
  found <- if (readers) suspected_reports(object, row_ids(object$data)) else suspicion(judged_by(object))
  found <- utils::head(found, 5)
  shown <- c(
    "row", id_column(found), if (readers) "reader", "label", "probability", "rank",
    if (!readers) "loo", if (readers || is_several(object)) c("suggested", "p_suggested")
  )
  list(
    scores = c(
      log_evidence = model_evidence(object),
      log_evidence_integrated = average_evidence(object),
      log_evidence_gaussian = if (is.finite(object$spec$df)) log_evidence(object, method = "gaussian"),
      loo = score[["Estimate"]], loo_se = score[["SE"]],
      loo_error = if (!readers && !soft) stats::weighted.mean(row_missed(object), report_times(object$data$reports))
    ),
    classes = class_table(object), expected_wrong = expected_wrong(object),
    suspicious = if (!soft) found[shown]
  )
}

#' Inputs by how much they count over all nodes, as the report has them: those of the best mode alone,
#' further down, may be in another order
#' @noRd
ranked_inputs <- function(object) {
  if (node_count(object) == 1 || is.null(object$kernel) || length(object$blueprint$columns) < 2) {
    return(NULL)
  }
  order <- input_order(object)
  place <- utils::head(order$place, 6)
  shown <- toString(paste(object$blueprint$columns[place], format_each(order$value[place], 3)))
  paste0(shown, if (length(order$place) > 6) ", ...", " (", order$what, " averaged, shortest first)")
}

hyper_table <- function(object) {
  estimate <- hyperparameters(object)
  data.frame(term = names(estimate), estimate = unname(estimate), learned = learned(object))
}

#' @export
print.summary.sturdy_model <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  cat(x$title, "\n", sep = "")
  print_fields(c(x$verdict, Rows = x$rows, x$fitted, stats::setNames(x$ep, x$inference)))
  nugget <- x$coefficients$estimate[x$coefficients$term == "nugget"]
  print_part(x$weights, digits, "Coefficients", if (sum(nugget) > 0) " (probit scale)")
  integrated <- x$scores["log_evidence_integrated"]
  cat("\nHyperparameters", if (!is.na(integrated)) " (at the best mode)", "\n", sep = "")
  table <- x$coefficients
  values <- paste0(format_each(table$estimate, digits), ifelse(table$learned, "", " (held)"))
  print_fields(stats::setNames(values, table$term))
  cat("\nScores\n")
  print_scores(x$scores, digits, x$evidence_note)
  if (NROW(x$classes) > 2) print_classes(x$classes)
  # asked for where there are rows alone
  print_part(x$suspicious, 2, "Most suspicious labels (", round(x$expected_wrong, 1), " expected to be wrong)")
  invisible(x)
}

#' The labels of several classes, a line each
#' @noRd
print_classes <- function(table) {
  all <- nrow(table)
  if (all > summary_classes) table <- utils::head(table[order(-table$wrong), ], summary_classes)
  for (column in c("true", "wrong", "missed")) table[column] <- format(round(table[[column]], 1))
  print_part(table, 2, "Labels by class, rows as expected", if (all > summary_classes) {
    paste0(" (the ", summary_classes, " of ", all, " classes with the most wrong labels)")
  })
}

score_words <- c(
  log_evidence = "Log evidence",
  log_evidence_integrated = "  integrated",
  log_evidence_gaussian = "  Gaussian, comparable",
  loo = "Leave-one-out",
  loo_error = "  share predicted wrongly",
  prequential = "Prequential",
  prequential_error = "  share predicted wrongly"
)

print_scores <- function(scores, digits, note) {
  shown <- scores[intersect(names(score_words), names(scores))]
  at_mode <- if ("log_evidence_integrated" %in% names(shown)) "at the best mode, as logLik() has it"
  se <- paste("standard error", format_each(scores["loo_se"], 2))
  beside <- list(log_evidence = c(at_mode, note), loo = se)
  words <- vapply(names(shown), function(name) {
    value <- format_each(shown[name], if (grepl("error", name)) 2 else digits + 1)
    paste0(value, if (length(beside[[name]])) paste0(" (", paste(beside[[name]], collapse = "; "), ")"))
  }, "")
  print_fields(stats::setNames(words, score_words[names(shown)]))
}
