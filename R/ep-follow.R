# The continuation where EP finds no fixed point: a likelihood that says less, and back.

ep_follow_trials <- 60 # of steps along a path,
ep_follow_step <- c(first = 0.25, least = 2e-3)
# From where another start, or a path, may lead on: not where the user's limit ended EP, nor where the prior
# can't be evaluated
ep_may_be_led <- c("stalled", "sites_skipped", "no_step")

ep_converged <- function(out) out$status == ep_codes[["converged"]]

#' Did EP end near a fixed point, although it did not converge?
#' @noRd
ep_near <- function(out, residual) {
  out$status %in% ep_codes[c("max_sweeps", "stalled")] && length(out$residual) > 0 &&
    max(out$residual) < residual
}

#' Follow a fixed point along a path in the likelihoods
#'
#' `run(L, sites)` is EP; `at(s)`, s from 0 (easy) to 1 (wanted), gives L.
#' Each step starts from the sites of the last and is shortened on failure; a path that is
#' there takes some ten of them.
#' @param over function(): is there no time left for further steps?
#' @return list(out, lost): the native result at s = 1, or `NULL`, and whether a fixed
#'   point was there at s = 0 and then lost.
#' @noRd
ep_follow <- function(run, at, over = function() FALSE) {
  last <- run(at(0), NULL)
  s <- 0
  step <- ep_follow_step[["first"]]
  trials <- 0
  while (ep_converged(last) && s < 1 && step > ep_follow_step[["least"]] && trials < ep_follow_trials && !over()) {
    trials <- trials + 1
    to <- min(1, s + step)
    trial <- run(at(to), last$sites)
    if (ep_converged(trial)) {
      s <- to
      last <- trial
      step <- 1.5 * step
    } else {
      step <- step / 3
    }
  }
  list(out = if (ep_converged(last) && s == 1) last, lost = ep_converged(last) && s < 1 && !over())
}

#' Likelihoods that say less, s = 1, or almost nothing, s = 0
#'
#' Each row is mixed with equal likelihoods, until classes other than its likeliest have .45
#' of the sum: with one flip rate, which is that share, a path in the rate.
#' @noRd
likelihood_blunted <- function(L, s) {
  classes <- ncol(L)
  total <- rowSums(L)
  rest <- 1 - row_max(L) / total
  share <- pmax(0.45 - rest, 0) / pmax((classes - 1) / classes - rest, 0.05) * (1 - s)^3
  (1 - share) * L + share * total / classes
}

#' Likelihoods of which half of what speaks for other classes than the likeliest of the row
#' is taken away, s = 0, or nothing, s = 1
#' @noRd
likelihood_sharpened <- function(L, s) {
  best <- cbind(seq_len(nrow(L)), max.col(L, "first"))
  sharp <- L * (1 + s) / 2
  sharp[best] <- L[best] + (1 - s) / 2 * (rowSums(L) - L[best])
  sharp
}

#' EP, and where it does not converge, EP along a path in the likelihoods
#'
#' First from labels that say almost nothing, for which EP always converges. Then from rarer
#' wrong labels: for a branch that folds on the first way, as with the tiny nuggets that em
#' meets on New Thyroid.
#'
#' @param run function(L, sites) that runs the native engine. @param L n x C, see
#'   report_likelihood().
#' @param certain whether there is a fixed point for certain, so that only rounding can
#'   keep EP from it.
#' @param over see ep_follow(): a path may take a hundred times as long as EP itself.
#' @return list(out, status)
#' @noRd
ep_continue <- function(run, L, sites, certain = FALSE, over = function() FALSE) {
  out <- run(L, sites)
  if (!ep_converged(out) && !is.null(sites)) out <- run(L, NULL)
  status <- ep_status(out$status)
  if (!status %in% ep_may_be_led || over()) {
    return(list(out = out, status = status))
  }
  eased <- ep_follow(run, function(s) likelihood_blunted(L, s), over)
  found <- eased$out
  if (is.null(found) && all(L > 0) && !over()) {
    found <- ep_follow(run, function(s) likelihood_sharpened(L, s), over)$out
  }
  if (!is.null(found)) {
    return(list(out = found, status = "converged"))
  }
  # a small residual is that of a fixed point nearby
  gone <- eased$lost && !certain && !isTRUE(max(out$residual) < 1e-3)
  list(out = out, status = if (gone) "no_fixed_point" else status)
}
