# The rows of a fit by how likely their labels are to be wrong.

#' The rows, the most suspicious first: how likely each label is to be wrong, and what it
#' should be
#' @param ids of row_ids(). @param unusual probability of each row to be unusual, its label right, where
#'   that is known. @param more further columns, as the rows come. @param order see suspicion_order().
#' @noRd
suspicion <- function(object, said = truth(object), ids = row_ids(object$data), unusual = NULL,
                      more = NULL, order = suspicion_order(said)) {
  levels <- object$blueprint$levels
  class_of <- function(k) class_factor(k, levels)
  rows <- seq_along(said$y)
  others <- replace(mean_over(said$p, said$weight), cbind(rows, said$y), -1)
  best <- max.col(others, ties.method = "first")
  unseen <- mean_over(said$loo, left_out_weight(said))
  flipped <- mean_wrong(said)
  found <- data.frame(
    with_ids(object$data$rows, ids), label = class_of(said$y), probability = flipped,
    rank = order(order), loo = exp(left_out_score(said)), check.names = FALSE
  )
  if (length(levels) == 2) {
    found$suggested <- class_of(ifelse(flipped > 0.5, best, said$y))
  } else {
    found$suggested <- class_of(best)
    found$p_suggested <- others[cbind(rows, best)]
    others[cbind(rows, best)] <- -1
    second <- max.col(others, ties.method = "first")
    found$runner_up <- class_of(second)
    found$p_runner_up <- others[cbind(rows, second)]
  }
  if (length(unusual)) found$unusual <- unusual
  found$loo_wrong <- rowSums(replace(unseen, cbind(rows, said$y), 0))
  found[names(more)] <- more
  found <- found[order, ]
  row.names(found) <- if (anyDuplicated(found$row)) make.unique(as.character(found$row)) else found$row
  found
}

#' The flip rate in use, those of an average on average
#' @noRd
shown_rate <- function(object) {
  if (node_count(object) > 1) unname(omega_rates(object$omega)) else object$epsilon
}

inform_no_label_noise <- function(object) {
  if (takes_labels_as_right(object)) {
    inform_sturdy(c(
      i = "With {.code epsilon = 0} no label can be wrong: the probabilities are 0.",
      i = "Rows are ranked by the leave-one-out probability of their label."
    ), "no_label_noise")
  }
}
