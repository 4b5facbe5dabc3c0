# The recalibration of scores: a weight of each class against the first, and a slope. The slope is
# what stands for overlap: the steeper, the fewer labels that are right contradict the scores
# [M 15.3].

recalibration_weights <- 100L # classes up to which their weights are learned
recalibration_slopes <- log(c(0.01, 100))
recalibration_rows <- 5000L   # that overlap is told by
# The other end that an answer names where overlap is learned
recalibration_apart <- 0.01

#' A recalibration that is to be learned, or whose overlap is held or bounded
#'
#' @param S log scores, n x C, with the names of the classes. @param overlap see noise_prior().
#' @param times how many rows alike each stands for.
#' @return list(weight [C - 1], slope, free, prior: as latents have it)
#' @noRd
new_recalibration <- function(S, overlap, call, times = rep(1, nrow(S))) {
  classes <- ncol(S)
  # differences to the first class, each standard normal
  weight <- if (classes == 2) {
    list(meanlog = 0, sdlog = 1)
  } else {
    list(meanlog = 0, sdlog = sqrt(0.5), common = sqrt(0.5))
  }
  slope <- 1
  prior <- list(weight = weight, slope = list(meanlog = 0, sdlog = 0.7))
  if (length(overlap)) {
    slopes <- vapply(overlap, overlap_slope, 0, S = S, call = call, times = times)
    slope <- exp(mean(log(slopes)))
    if (length(slopes) == 2) prior$slope$within <- sort(log(slopes))
  }
  list(
    weight = stats::setNames(rep(1, classes - 1), colnames(S)[-1]), slope = slope,
    free = c(
      if (classes <= recalibration_weights) "weight", if (length(overlap) != 1) "slope"
    ),
    prior = prior
  )
}

#' The share of right labels that contradict the scores at a slope: that are not of the class
#' with the largest
#' @noRd
slope_overlap <- function(slope, S, times) {
  q <- exp(slope * (S - row_top(S)))
  sum(times * (1 - 1 / rowSums(q))) / sum(times)
}

row_top <- function(x) x[cbind(seq_len(nrow(x)), max.col(x, "first"))]

#' The slope of such a share
#' @noRd
overlap_slope <- function(overlap, S, call = rlang::caller_env(), times = rep(1, nrow(S))) {
  force(times) # of all rows
  rows <- rows_for_all(S, NULL, recalibration_rows)
  S <- S[rows, , drop = FALSE]
  times <- times[rows]
  ends <- vapply(exp(recalibration_slopes), slope_overlap, 0, S = S, times = times)
  must(
    overlap > ends[2] && overlap < ends[1], "overlap",
    "be between {signif(ends[2], 2)} and {signif(ends[1], 2)} for these scores", "prior",
    more = c(i = "Scores that are tied leave no less, scores without information no more."),
    call = call
  )
  behind <- function(x) slope_overlap(exp(x), S, times) - overlap
  exp(stats::uniroot(behind, recalibration_slopes, tol = 1e-6)$root)
}
