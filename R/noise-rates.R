# Rates of wrong labels and their scores: standard normals, by the priors of the rates, or logits of twice
# the rate. Both are arrays, sources x kinds x points; a kind is one for all classes, or one for each.

#' Rates at scores
#'
#' Where one of two may be above 1/2, their sum is below 1: the second is cut off where the first
#' leaves it [M 13.7].
#' @param priors of the rates by kind, see rate_quantile(); `NULL` where scores are logits.
#' @noRd
rates_at <- function(scores, priors) {
  if (is.null(priors)) {
    return(0.5 * stats::plogis(scores))
  }
  rates <- scores
  for (kind in seq_along(priors)) {
    most <- rate_most(priors, kind, rates[, 1, ])
    rates[, kind, ] <- rate_quantile(scores[, kind, ], priors[[kind]], most)
  }
  rates
}

#' Derivatives in the scores from those in the rates e
#' @noRd
rates_slope <- function(scores, priors, slope, e = rates_at(scores, priors)) {
  if (is.null(priors)) {
    return(slope * e * (1 - 2 * e))
  }
  if (rates_share_one(priors)) {
    most <- rate_most(priors, 2, e[, 1, ])
    by_cut <- rate_cut_slope(scores[, 2, ], priors[[2]], most, e[, 2, ])
    by_cut[most == priors[[2]]$most] <- 0
    slope[, 1, ] <- slope[, 1, ] - slope[, 2, ] * by_cut
  }
  for (kind in seq_along(priors)) {
    most <- rate_most(priors, kind, e[, 1, ])
    slope[, kind, ] <- slope[, kind, ] * rate_slope(scores[, kind, ], priors[[kind]], most, e[, kind, ])
  }
  slope
}

#' The standard normals of rates, or of what is as near to them as they may be
#' @noRd
rates_scores <- function(e, priors) {
  scores <- e
  for (kind in seq_along(priors)) {
    most <- rate_most(priors, kind, e[, 1, ])
    e[, kind, ] <- pmin(e[, kind, ], 0.9 * most)
    scores[, kind, ] <- rate_normal(e[, kind, ], priors[[kind]], most)
  }
  scores
}

#' Two rates, one of which may be above 1/2, have a sum below 1
#' @noRd
rates_share_one <- function(priors) {
  length(priors) == 2 && priors[[1]]$most + priors[[2]]$most > 1 && !isTRUE(priors[[1]]$free)
}

#' The most that a rate can be, where the first is known
#' @noRd
rate_most <- function(priors, kind, first) {
  most <- priors[[kind]]$most
  if (kind == 2 && rates_share_one(priors)) pmin(most, 1 - first) else most
}

#' The prior of a rate in its logit: the density of the rate times its slope e (1 - 2e) [M 8.7]
#' @return list(value, gradient)
#' @noRd
logit_prior <- function(z) {
  e <- 0.5 * stats::plogis(z)
  b <- rate_prior_shape
  list(value = sum(log(2 * b * e) + b * log1p(-2 * e)), gradient = 1 - 2 * e - 2 * b * e)
}

#' Symmetric root of sd^2 I + common^2 11'
#' @noRd
common_root <- function(n, sd, common) diag(sd, n) + (sqrt(sd^2 + n * common^2) - sd) / max(n, 1)

#' Root of the prior correlation of the rates of sources
#' @noRd
rate_root <- function(sources, pooling) {
  if (sources < 2) matrix(1) else common_root(sources, sqrt(1 - pooling), sqrt(pooling))
}

#' The rate e whose score is the standard normal z: e / size has a Beta(a, b) distribution, cut off at e = most
#' @param z vector. @param prior see rate_priors(). @param most what cuts the rates off, one for all or one each.
#' @noRd
rate_quantile <- function(z, prior, most = prior$most) {
  cap <- rate_cap(prior, most)
  below <- cap + stats::pnorm(z, log.p = TRUE)
  above <- -expm1(cap) + exp(cap) * stats::pnorm(-z) # where a sum would lose the tail
  upper <- z >= 0 & cap >= log(0.5)
  e <- stats::qbeta(ifelse(upper, 0, below), prior$a, prior$b, log.p = TRUE)
  if (any(upper)) e[upper] <- stats::qbeta(above[upper], prior$a, prior$b, lower.tail = FALSE)
  pmin(prior$size * e, most - rate_margin)
}

#' Derivative of a rate in its score
#' @noRd
rate_slope <- function(z, prior, most = prior$most, e = rate_quantile(z, prior, most)) {
  slope <- exp(stats::dnorm(z, log = TRUE) + rate_cap(prior, most) + log(prior$size) -
    stats::dbeta(e / prior$size, prior$a, prior$b, log = TRUE))
  ifelse(e == most - rate_margin, 0, slope)
}

#' Derivative of a rate in the most that it can be, where it is cut off
#' @noRd
rate_cut_slope <- function(z, prior, most, e) {
  log_density <- function(e) stats::dbeta(e / prior$size, prior$a, prior$b, log = TRUE)
  exp(stats::pnorm(z, log.p = TRUE) + log_density(most) - log_density(e))
}

rate_margin <- 1e-6 # of a rate below the most that it can be

#' Log probability of a rate below the most that it can be, before it is cut off there
#' @noRd
rate_cap <- function(prior, most = prior$most) {
  stats::pbeta(most / prior$size, prior$a, prior$b, log.p = TRUE)
}

#' The score of a rate, the inverse of rate_quantile()
#' @noRd
rate_normal <- function(e, prior, most = prior$most) {
  below <- stats::pbeta(e / prior$size, prior$a, prior$b, log.p = TRUE)
  stats::qnorm(below - rate_cap(prior, most), log.p = TRUE)
}
