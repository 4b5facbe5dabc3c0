# Classes in an order: one latent function, and thresholds on it [M 12.17]. What is learned of these
# are the widths of the classes between the first and the last; where they stand the bias says.

width_sdlog <- 1 # of the log of a width, about that of classes that are alike

#' A resolved kernel with the widths of the classes, and their prior
#' @param levels of the outcome, in their order.
#' @noRd
ordered_kernel <- function(kernel, levels) {
  classes <- length(levels)
  alike <- diff(stats::qnorm(seq_len(classes - 1) / classes))
  kernel$width <- stats::setNames(
    alike * sqrt(kernel$variance + kernel$nugget), levels[-c(1, classes)]
  )
  kernel$prior$width <- list(meanlog = log(alike), sdlog = width_sdlog)
  kernel
}

#' Logs of the probabilities that a normal is between thresholds, from the tail that is nearer
#' @param cut thresholds, of all or a row each.
#' @noRd
ordered_log_prob <- function(m, s2, cut) {
  if (!is.matrix(cut)) cut <- matrix(rep(cut, each = length(m)), length(m), length(cut))
  z <- (cut - m) / sqrt(s2)
  end <- rep(Inf, length(m)) # there may be no rows
  lower <- cbind(-end, z)
  upper <- cbind(z, end)
  turn <- lower > 0 # above the mean: by the upper tails
  from <- stats::pnorm(ifelse(turn, -lower, upper), log.p = TRUE)
  less <- stats::pnorm(ifelse(turn, -upper, lower), log.p = TRUE)
  log_p <- from + log1p(-exp(less - from))
  log_p[is.nan(log_p)] <- -1e300 # far beyond all sense
  matrix(pmax(log_p, -1e300), length(m), ncol(z) + 1)
}
