# What a fit says of the true classes: the one thing that every answer about labels is made
# of, for any number of classes C and of nodes K.

#' The posterior of the true class of each training row, the nodes of a noise model being one
#'
#' A fit that averages keeps it: means over the nodes are those of node_truth(), at a fraction of
#' its cost.
#' @return as node_truth(), which it is of a fit at one point. Of one that averages, K is the
#'   number of noise models, and recorded (n x C x K), see recorded_each(), stands in the place of
#'   omega.
#' @noRd
truth <- function(object) {
  kept <- object$nodes$truth
  if (is.null(kept)) {
    return(node_truth(object))
  }
  if (is.null(kept$source)) kept$source <- label_source(object$data$reports)
  kept
}

#' The posterior of the true class of each training row under each node [M 13.3]
#'
#' With the likelihood L of the reports on a row and the probabilities pi of its true class
#' given the other rows, p = L pi / Z, Z = sum L pi.
#' @return list(p, loo: n x C x K, the posterior and pi; log_z, n x K: log probability of each
#'   label given the other rows; weight and model [K]; y [n], the labels as 1..C; source [n], of
#'   the labels, 0 where they are right for certain; omega, K arrays S x C x C).
#' @noRd
node_truth <- function(object) {
  data <- object$data
  if (is.null(data)) data <- list(y = numeric(), reports = label_reports(integer(), ncol(object$omega)))
  new_truth(nodes(object), node_seen(object), data)
}

#' What the log probability of each of n new labels counts for among nodes
#'
#' Given a node, rows are taken as independent. But they share what is not known of the latent function, so that all
#' of them together count for no more labels than the fit has [M 13.6].
#' @noRd
new_share <- function(object, n) min(1, label_total(object) / n)

#' Probabilities of the true classes of new rows, whose labels are not known, under each node
#' @param X encoded inputs. @return list(p, m x C x K; node and weight, see used_nodes()).
#' @noRd
truth_new <- function(object, X, used = used_nodes(object)) {
  c(list(p = exp(seen_new(object, X, used))), used[c("node", "weight")])
}

#' The logs of these, which are finite
#' @return m x C x K
#' @noRd
seen_new <- function(object, X, used) UseMethod("seen_new")

seen_new.sturdy_model <- function(object, X, used) {
  latent <- node_latent(object, X, used)
  width <- lapply(nodes_hyper(object)[latent$node], `[[`, "width")
  seen <- lapply(seq_along(latent$weight), function(k) {
    class_log_prob(at_k(latent$m, k), at_k(latent$s2, k), object$spec$df, width[[k]])
  })
  array(unlist(seen), c(nrow(X), length(object$blueprint$levels), length(seen)))
}

# Averaged over nodes -----------------------------------------------------------------

#' Leave-one-out probabilities of what is recorded, n x C; a second stage has them from the points
#' that it keeps
#' @noRd
recorded_rows <- function(object) {
  group <- label_groups(object$data$reports)
  seen <- function(rows) log(label_seen_new(object$data$X[rows, , drop = FALSE], object$nodes, group = group[rows]))
  stage <- is_stage(object)
  recorded_prob(if (stage) truth_in_blocks(nodes(object), seen, object$data) else truth(object))
}

#' Which labels the other rows predict to be others
#' @noRd
row_missed <- function(object) max.col(recorded_rows(object), ties.method = "first") != label_code(object$data)

#' Has a fit its rows, and a posterior of them?
#' @noRd
has_rows <- function(object) has_numbers(object$ep$b) && !is.null(object$data)

#' Probability that each label is wrong
#' @noRd
row_flipped <- function(object) {
  object <- judged_by(object)
  if (has_rows(object)) mean_wrong(truth(object)) else numeric()
}

#' Rows by the probability that their labels are wrong, ties by the leave-one-out score
#' @noRd
suspicion_order <- function(said) order(-mean_wrong(said), left_out_score(said))

#' The rows whose class is not known, in that order
#' @noRd
suspicious_rows <- function(object) {
  check_one_label(object)
  said <- truth(judged_by(object))
  order <- suspicion_order(said)
  object$data$rows[order[said$source[order] > 0L]]
}

#' Draws of the true classes of rows, those of a point of the noise together
#' @param said see truth() and node_truth(). @param keep what is made of some of the draws, n x at most `most`.
#' @param row of these n, the rows of `said` that they are.
#' @return a list of what was kept
#' @noRd
draw_classes <- function(said, draws, keep, most = draws, row = seq_len(size[1])) {
  size <- dim(said$p)
  node <- do.call(rep.int, unname(node_draws(said$weight, draws))) # of each draw
  parts <- split(node, list(node, ceiling(seq_along(node) / most)), drop = TRUE)
  with_seed_or_stream(1L, lapply(parts, function(part) {
    u <- matrix(stats::runif(length(row) * length(part)), length(row))
    class <- replace(u, TRUE, 1)
    upto <- 0
    for (t in seq_len(size[2] - 1)) {
      upto <- upto + said$p[row, t, part[1]]
      class <- class + (u > upto)
    }
    keep(class)
  }))
}

#' Log leave-one-out probability of the label of each row, summed over those it stands for
#' @noRd
row_loo <- function(object) {
  if (has_rows(object)) report_times(object$data$reports) * left_out_score(truth(object)) else numeric()
}

#' How many of its labels a fit expects to be wrong, those of readers each counted
#' @noRd
expected_wrong <- function(object) {
  object <- judged_by(object)
  if (!has_readers(object) || !has_rows(object)) {
    return(sum(report_times(object$data$reports) * row_flipped(object)))
  }
  said <- truth(object)
  reports <- object$data$reports
  own <- reports$source > 0L
  p <- mean_over(said$p, said$weight)[reports$row[own], , drop = FALSE]
  sum(wrong_share(p, reports$value[own]))
}
