# Whether labels are wrong, and which to check next, with several classes.

#' @rdname noise_test
#' @export
noise_test.gpc_classes <- function(object, level = 0.9, ...) {
  check_no_dots(...)
  level <- check_number(level, "level", min = 0, max = 1, open = TRUE)
  check_posterior(object)
  if (!is_test(object)) abort_no_test(object, rlang::current_env())
  noise_statement(object, level)
}

#' Rates by true class, as rate_table()
#' @noRd
class_rate_table <- function(object, level, models) {
  nodes <- object$nodes
  mine <- nodes$table$model %in% models
  weight <- nodes$table$weight[mine] / sum(nodes$table$weight[mine])
  classes <- nrow(nodes$omega[[1]])
  rates <- vapply(nodes$omega[mine], function(omega) 1 - diag(omega), numeric(classes))
  ends <- node_ends(object, mine, t(rates), level)
  true <- nodes$true_class / sum(nodes$table$weight[mine]) # as in rate_table()
  own <- cbind(seq_along(object$data$y), object$data$y)
  trusted <- report_known(fit_data(object)$reports)
  data.frame(
    class = object$blueprint$levels, rate = drop(rates %*% weight), lower = ends[1, ],
    upper = ends[2, ], rows = nobs(object) - sum(trusted), wrong = colSums(replace(true, own, 0))
  )
}

#' As suspected_class()
#' @noRd
suspected_of_classes <- function(object) {
  y <- factor(object$data$y, seq_along(object$blueprint$levels))
  share <- tapply(row_flipped(object) > 0.3, y, mean)
  if (any(share > 0.5, na.rm = TRUE)) object$blueprint$levels[which.max(share)]
}

#' @rdname review
#' @export
review.gpc_classes <- function(object, n = 10, level = 0.9, ...) {
  check_no_dots(...)
  n <- check_count(n, "n", min = 1)
  level <- check_number(level, "level", min = 0, max = 1, open = TRUE)
  check_posterior(object)
  trusted <- report_known(fit_data(object)$reports)
  ranked <- class_suspicion(object)
  place <- match(ranked$row, object$data$rows)
  list <- utils::head(ranked[!trusted[place], ], n)
  list$suggested[list$probability <= 0.5] <- list$label[list$probability <= 0.5]
  new_review(object, list, which(trusted), level)
}
