# Figures of merit of predictions, as functions of the true classes.

#' A function of the true classes: a named vector of figures
#'
#' The area and the calibration are of the event of two classes, and of several means over the
#' classes, each against the rest.
#' @param p n x C. @param called_only whether classes were predicted, not probabilities.
#' @noRd
performance_measures <- function(p, called_only) {
  called <- max.col(p, ties.method = "first")
  if (called_only) {
    return(function(true) c(accuracy = mean(called == true)))
  }
  ranks <- lapply(as.data.frame(p), rank)
  against_rest <- if (ncol(p) == 2) 2L else seq_len(ncol(p))
  over_classes <- function(values) { # of those that occur
    if (all(is.na(values))) NA_real_ else mean(values, na.rm = TRUE)
  }
  function(true) {
    area <- vapply(against_rest, function(c) ranked_area(ranks[[c]], true == c), 0)
    off <- vapply(against_rest, function(c) calibration_gap(p[, c], true == c), 0)
    c(
      accuracy = mean(called == true), auc = over_classes(area),
      log_score = mean(log(p[cbind(seq_along(true), true)])), calibration = over_classes(off)
    )
  }
}

#' The same of each class against the rest, those of the first class first
#' @noRd
class_measures <- function(p, called_only) {
  called <- max.col(p, ties.method = "first")
  ranks <- lapply(as.data.frame(p), rank)
  share <- function(of, all) if (any(all)) mean(of[all]) else NA_real_
  function(true) {
    each <- lapply(seq_len(ncol(p)), function(c) {
      mine <- called == c
      event <- true == c
      c(
        sensitivity = share(mine, event), specificity = share(!mine, !event), precision = share(event, mine),
        auc = if (!called_only) ranked_area(ranks[[c]], event)
      )
    })
    unlist(each)
  }
}

#' The area under the curve, of the ranks of the probabilities of an event
#' @noRd
ranked_area <- function(rank, event) {
  n <- c(sum(event), sum(!event))
  if (all(n > 0)) (sum(rank[event]) - n[1] * (n[1] + 1) / 2) / prod(n) else NA_real_
}

#' The mean of |predicted - observed| over ten bins
#' @noRd
calibration_gap <- function(p, event) {
  bin <- findInterval(p, seq(0, 1, by = 0.1), all.inside = TRUE)
  sum(abs(rowsum(p - event, bin))) / length(event)
}
