# Figures of merit of predictions, as functions of the true classes.

#' Named list of functions of the true classes
#'
#' The area and the calibration are of the event of two classes, and of several means over the
#' classes, each against the rest.
#' @param p n x C. @param called_only whether classes were predicted, not probabilities.
#' @noRd
performance_measures <- function(p, called_only) {
  called <- max.col(p, ties.method = "first")
  accuracy <- list(accuracy = function(true) mean(called == true))
  if (called_only) {
    return(accuracy)
  }
  meant <- if (ncol(p) == 2) 2L else seq_len(ncol(p))
  over <- function(measure) {
    each <- lapply(meant, function(c) measure(p[, c]))
    function(true) {
      values <- vapply(seq_along(meant), function(j) each[[j]](true == meant[j]), numeric(1))
      # of the classes that occur
      if (all(is.na(values))) NA_real_ else mean(values, na.rm = TRUE)
    }
  }
  c(accuracy, list(
    auc = over(measure_auc),
    log_score = function(true) mean(log(p[cbind(seq_along(true), true)])),
    calibration = over(measure_calibration)
  ))
}

#' The same of each class against the rest, those of the first class first
#' @noRd
class_measures <- function(p, called_only) {
  called <- max.col(p, ties.method = "first")
  share <- function(of, all) if (any(all)) mean(of[all]) else NA_real_
  each <- lapply(seq_len(ncol(p)), function(c) {
    auc <- if (!called_only) measure_auc(p[, c])
    mine <- called == c
    c(list(
      sensitivity = function(true) share(mine, true == c),
      specificity = function(true) share(!mine, true != c),
      precision = function(true) share(true == c, mine)
    ), if (!called_only) list(auc = function(true) auc(true == c)))
  })
  unlist(each)
}

measure_auc <- function(p) {
  rank <- rank(p)
  function(event) {
    n <- c(sum(event), sum(!event))
    if (all(n > 0)) (sum(rank[event]) - n[1] * (n[1] + 1) / 2) / prod(n) else NA_real_
  }
}

measure_calibration <- function(p) {
  bin <- findInterval(p, seq(0, 1, by = 0.1), all.inside = TRUE)
  function(event) sum(abs(rowsum(p - event, bin))) / length(event)
}
