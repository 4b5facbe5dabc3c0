# The door to C of recalibrated scores; the rules stand in native.R.

#' The distribution of the true class by recalibrated scores, and the likelihood of reports
#'
#' @param S log scores, n x C. @param shift (C), slope: of the recalibration. @param L
#'   likelihoods of the true classes, n x C (report_likelihood()).
#' @param times (n) how many rows alike each stands for, or `NULL`.
#' @return list(log_evidence; seen, n x C, log probabilities of the true classes; loo (n), of
#'   the reports on a row; and with a gradient `slope` (n x C), the derivatives of the evidence
#'   in L, and `gradient`, those in shift and, last, slope)
#' @noRd
native_scores <- function(S, shift, slope, L, gradient = FALSE, times = NULL) {
  .Call(C_scores, S, as.double(shift), as.double(slope), L, gradient, times)
}
