# The continuation where EP finds no fixed point: a likelihood that says less, and back.

ep_follow_trials <- 60 # of EP along a path: one that is there takes some ten, also where it bends
ep_follow_step <- c(first = 0.25, least = 2e-3) # in s: what no shorter step comes past is taken for lost
# From where another start, or a path, may lead on: not where the user's limit ended EP, nor where the prior
# can't be evaluated
ep_path_from <- c("stalled", "sites_skipped", "no_step")
ep_blunt <- 0.45 # of the likelihood for other classes at the easy end: to two classes next to a coin toss

ep_converged <- function(out) out$status == ep_codes[["converged"]]

#' Did EP end near a fixed point, although it did not converge?
#' @noRd
ep_near <- function(out, residual) {
  out$status %in% ep_codes[c("max_sweeps", "stalled")] && ends_below(out, residual)
}

#' Is every residual below that?
#' @noRd
ends_below <- function(out, residual) length(out$residual) > 0 && isTRUE(max(out$residual) < residual)

#' Follow a fixed point along a path in the likelihoods
#'
#' Each step starts from the sites of the last. It is longer where EP has converged, much shorter where not.
#' @param run function(L, sites), EP. @param at function(s): L from easy, s = 0, to wanted, s = 1.
#' @param over function(): is there no time left for further steps?
#' @return list(out, lost): the native result at s = 1, or `NULL`, and whether a fixed point was there at
#'   s = 0 and then lost: not even the least step led on.
#' @noRd
ep_follow <- function(run, at, over = function() FALSE) {
  last <- run(at(0), NULL)
  s <- 0
  step <- ep_follow_step[["first"]]
  for (trial in seq_len(ep_follow_trials)) {
    if (!ep_converged(last) || s == 1 || step <= ep_follow_step[["least"]] || over()) break
    to <- min(1, s + step)
    there <- run(at(to), last$sites)
    if (ep_converged(there)) {
      s <- to
      last <- there
      step <- 1.5 * step
    } else {
      step <- step / 3
    }
  }
  list(out = if (s == 1) last, lost = step <= ep_follow_step[["least"]])
}

#' Likelihoods from almost nothing said, s = 0, to what they are, s = 1
#'
#' Each row is mixed with equal likelihoods, at s = 0 so that classes other than its likeliest have ep_blunt
#' of the sum: (1 - share) rest + share (C - 1) / C = ep_blunt. With one flip rate, which is `rest`, that is
#' a path in the rate. It slows down towards its end, where fixed points are lost.
#' @noRd
likelihood_blunted <- function(L, s) {
  classes <- ncol(L)
  total <- rowSums(L)
  rest <- 1 - row_max(L) / total
  # nothing is mixed in where the divisor would be smaller, or 0: all classes alike
  share <- pmax(ep_blunt - rest, 0) / pmax((classes - 1) / classes - rest, 0.5 - ep_blunt) * (1 - s)^3
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
#' First from labels that say almost nothing, where EP is easiest. Then from rarer wrong labels: for a branch
#' that folds on the first way, as with tiny nuggets on New Thyroid, normal against the rest.
#'
#' @param run function(L, sites) that runs the native engine. @param L n x C, see report_likelihood().
#' @param certain whether there is a fixed point for certain, so that only rounding can
#'   keep EP from it.
#' @param over see ep_follow(): a path may take a hundred times as long as EP itself.
#' @return list(out, status)
#' @noRd
ep_continue <- function(run, L, sites, certain = FALSE, over = function() FALSE) {
  out <- run(L, sites)
  if (!ep_converged(out) && !is.null(sites)) out <- run(L, NULL)
  status <- ep_status(out$status)
  if (!status %in% ep_path_from || over()) {
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
  gone <- eased$lost && !certain && !ends_below(out, ep_near_residual)
  list(out = out, status = if (gone) "no_fixed_point" else status)
}
