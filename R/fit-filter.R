# Assumed density filtering: a linear model that takes in rows one after the other and keeps none of
# them [M 2.11]; how many it got wrong before it had seen their labels.

# What every absorbed row changes in the field `filter`, before the first one
no_counts <- list(rows = 0, errors = 0, log_score = 0, log_evidence = 0, counts = c(0, 0), log_scale = 0)

#' A fit that keeps no rows; the log evidence goes on from that of EP
#' @noRd
as_filtered <- function(object) {
  if (inherits(object, "bpm_filtered")) {
    return(object)
  }
  filter <- no_counts
  if (!is.null(object$ep)) filter[c("log_evidence", "counts")] <- list(object$ep$log_evidence, label_counts(object))
  object$filter <- filter
  object[c("data", "ep", "nodes", "label_stage")] <- list(NULL) # it goes on from the point of an average
  object$shards <- NULL # whose rows are among those counted
  class(object) <- c("bpm_filtered", setdiff(class(object), "sharded"))
  object
}

#' Absorb rows in their order
#'
#' Each in turn: p(w) becomes the t with the moments of p(w) p(label | w) [M 2.11], and
#' log p(label | the rows before it) adds to the evidence.
#' @param object a bpm fit with a posterior. @param X encoded inputs n x p without
#'   missing values. @param y labels -1/+1.
#' @return the fit, filtered from then on.
#' @noRd
absorb_rows <- function(object, X, y) {
  object <- as_filtered(object)
  n <- length(y)
  k <- length(object$prior$weights)
  check_memory(n * (3 * k + 20) + 4 * k^2, n, FALSE)
  before <- object$filter
  event <- y > 0
  out <- native_adf(
    bpm_design(X, object$prior), label_likelihood(1 + event, as_omega(object$epsilon, 2)),
    object$spec$df, weight_scales(object$prior), object$prior$nugget,
    list(mu = object$weights$mean, S = object$weights$C, log_scale = before$log_scale)
  )
  if (out$status < 0) abort_not_absorbed(out)
  # a nugget has the scale of the prior
  scaled <- if (object$prior$nugget > 0) {
    object$weights$log_scale + out$log_scale - before$log_scale
  }
  object$weights <- new_weights(out$mu, out$S, object$prior, scaled)
  object$filter <- utils::modifyList(before, list(
    rows = before$rows + n, errors = before$errors + sum((out$prob > 0.5) != event),
    log_score = before$log_score + sum(out$log_zp), log_evidence = before$log_evidence + sum(out$log_zp),
    counts = before$counts + c(sum(!event), sum(event)), log_scale = out$log_scale
  ))
  object
}

#' The error of native_adf() at a row, in words
#' @noRd
abort_not_absorbed <- function(out) {
  row <- out$done + 1L
  squared <- out$status == -3L
  abort_sturdy(c(
    if (squared) "The inputs must be small enough to be squared." else
      "The posterior of the weights is not positive definite.",
    x = "Row {row} could not be absorbed."
  ), if (squared) "not_finite" else "not_positive_definite", row = row)
}

# How well it went ------------------------------------------------------------------

#' Share of the filtered labels that were predicted wrongly before
#' @noRd
filter_error <- function(object) object$filter$errors / object$filter$rows

filter_settled <- 1000 # rows from which the share above says something

#' Were many more labels predicted wrongly than epsilon expects? Then ADF takes rows for better
#' evidence than they are, and remembers the last few dozens only (?bpm_stream)
#' @noRd
filter_forgets <- function(object) {
  !is.null(object$filter) && object$filter$rows >= filter_settled &&
    filter_error(object) > 3 * max(object$epsilon)
}
