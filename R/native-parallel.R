# The decisions of parallel EP over all rows, wherever these are (src/parallel.h), and the
# evidence of what they sum to.

#' The steps to try in turn from where the rows sum to H and g
#'
#' @param least the least size so far, the root of the squares' sum.
#' @return list(gamma: what the first `along` steps leave out of each difference; scale, of
#'   each step; bound, on the size where one ends that is taken).
#' @noRd
native_parallel_steps <- function(sums, damping, least) {
  .Call(C_parallel_steps, sums$H, sums$g, as.double(damping), as.double(least))
}

#' Whether to go on after a round
#'
#' @param watch that of the round before, `NULL` in the first.
#' @return list(status, watch): status 0 to go on
#' @noRd
native_parallel_watch <- function(watch, round, worst, max_rounds) {
  .Call(C_parallel_watch, watch, as.integer(round), as.double(worst), as.integer(max_rounds))
}

#' The evidence of what all rows sum to [M 4.4, 4.5], NA where it is undefined
#' @param terms c(R, h, shift). @param log_det log|I + K T|.
#' @noRd
native_evidence <- function(terms, log_det, df) {
  .Call(C_evidence, terms, as.double(log_det), as.double(df))
}
