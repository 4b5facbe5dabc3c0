# The recalibration of scores: a weight of each class against the first, and a slope. The slope is
# what stands for overlap: the steeper, the fewer labels that are right contradict the scores
# [M 16.10].

recalibration_slopes <- log(c(0.01, 100))
recalibration_rows <- 5000L   # that overlap is told by
# The other end that an answer names where overlap is learned
recalibration_apart <- 0.01

#' The share of right labels that contradict the scores at a slope: that are not of the class
#' with the largest, the mean of 1 - max_c q_c, with q as exp(slope S)
#' @param S log scores, rows x classes. @param times how often each row counts.
#' @noRd
slope_overlap <- function(slope, S, times) {
  q <- exp(slope * (S - row_max(S)))
  sum(times * (1 - 1 / rowSums(q))) / sum(times)
}

#' The slope of such a share
#' @noRd
overlap_slope <- function(overlap, S, times = rep(1, nrow(S))) {
  force(times) # of all rows
  rows <- rows_for_all(S, recalibration_rows)
  S <- S[rows, , drop = FALSE]
  times <- times[rows]
  ends <- vapply(exp(recalibration_slopes), slope_overlap, 0, S = S, times = times)
  must(
    overlap > ends[2] && overlap < ends[1], "overlap",
    "be between {signif(ends[2], 2)} and {signif(ends[1], 2)} for these scores", "prior",
    more = c(i = "Scores that are tied leave no less, scores without information no more.")
  )
  behind <- function(x) slope_overlap(exp(x), S, times) - overlap
  exp(stats::uniroot(behind, recalibration_slopes, tol = 1e-6)$root)
}
