# Sums of numbers that are known by their logs, and shares of such sums.

#' log(rowSums(exp(x)))
#' @noRd
row_log_sum <- function(x) {
  top <- row_max(x)
  top[top == -Inf] <- 0
  top + log(rowSums(exp(x - top)))
}

#' log(sum(exp(x)))
#' @noRd
log_sum <- function(x) {
  top <- max(x)
  if (is.finite(top)) top + log(sum(exp(x - top))) else top
}

#' Shares in proportion to exp(x), 0 for all where none is finite
#' @noRd
softmax <- function(x) {
  total <- log_sum(x)
  if (is.finite(total)) exp(x - total) else 0 * exp(x)
}

#' Weights that sum to 1, alike where all are 0: nodes of a noise model that is out of question
#' @noRd
shares <- function(weight) {
  if (sum(weight) == 0) weight[] <- 1
  weight / sum(weight)
}
