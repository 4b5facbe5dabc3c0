# Rates of wrong labels as functions of coordinates: standard normals, by their priors, or logits.

#' Rates by standard normals
#'
#' Where one of two may be above 1/2, their sum is below 1: the second is cut off where the first
#' leaves it [M 13.7].
#' @param priors of the rates by kind, see rate_quantile().
#' @return list(rates(Z), pull(Z, slope)), sources x kinds x points; normal(e), the standard normals of
#'   rates e, or of what is as near to them as they may be
#' @noRd
rate_normals <- function(priors) {
  most <- vapply(priors, function(prior) prior$most, 0)
  cut <- length(priors) == 2 && sum(most) > 1 && !isTRUE(priors[[1]]$free)
  left <- function(kind, first) if (cut && kind == 2) pmin(most[2], 1 - first) else most[kind]
  rates <- function(Z) {
    for (kind in seq_along(priors)) {
      Z[, kind, ] <- rate_quantile(Z[, kind, ], priors[[kind]], left(kind, Z[, 1, ]))
    }
    Z
  }
  list(
    rates = rates,
    pull = function(Z, slope) {
      e <- rates(Z)
      if (cut) {
        most_here <- left(2, e[, 1, ])
        by_cut <- rate_cut_slope(Z[, 2, ], priors[[2]], most_here, e[, 2, ])
        by_cut[most_here == most[2]] <- 0
        slope[, 1, ] <- slope[, 1, ] - slope[, 2, ] * by_cut
      }
      for (kind in seq_along(priors)) {
        slope[, kind, ] <- slope[, kind, ] *
          rate_slope(Z[, kind, ], priors[[kind]], left(kind, e[, 1, ]), e[, kind, ])
      }
      slope
    },
    normal = function(e) {
      z <- e
      for (kind in seq_along(priors)) {
        most_here <- left(kind, e[, 1, ])
        e[, kind, ] <- pmin(e[, kind, ], 0.9 * most_here)
        z[, kind, ] <- rate_normal(e[, kind, ], priors[[kind]], most_here)
      }
      z
    }
  )
}

#' Rates by logits of twice the rate, alike
#' @noRd
rate_logits <- list(
  rates = function(Z) 0.5 * stats::plogis(Z),
  pull = function(Z, slope) {
    e <- 0.5 * stats::plogis(Z)
    slope * e * (1 - 2 * e)
  }
)

#' The prior of a rate in its logit: the density of the rate times its slope e (1 - 2e) [M 8.7]
#' @noRd
logit_prior <- function(z) {
  e <- 0.5 * stats::plogis(z)
  b <- rate_prior_shape
  list(value = sum(log(2 * b * e) + b * log1p(-2 * e)), gradient = 1 - 2 * e - 2 * b * e)
}

#' Symmetric root of sd^2 I + common^2 11'
#' @noRd
common_root <- function(n, sd, common) {
  diag(sd, n) + (sqrt(sd^2 + n * common^2) - sd) / max(n, 1)
}

#' Root of the prior correlation of the rates of sources
#' @noRd
rate_root <- function(sources, pooling) {
  if (sources < 2) {
    return(matrix(1))
  }
  common_root(sources, sqrt(1 - pooling), sqrt(pooling))
}

#' Rates as functions of coordinates, by source
#' @param scale see rate_normals(). @param root S x coordinates of a kind. @param kinds how many.
#' @return list(d; sources; rates(Z), of a column a point: sources x kinds x points; pull(Z, slope),
#'   d x points)
#' @noRd
rates_of_groups <- function(scale, root, kinds) {
  sources <- nrow(root)
  scores <- function(Z) array(root %*% matrix(Z, ncol(root)), c(sources, kinds, NCOL(Z)))
  list(
    d = ncol(root) * kinds, sources = sources,
    rates = function(Z) scale$rates(scores(Z)),
    pull = function(Z, slope) {
      matrix(crossprod(root, matrix(scale$pull(scores(Z), slope), sources)), ncol = ncol(Z))
    }
  )
}

#' e with the standard normal z: e/size has a Beta(a, b) distribution, cut off at e = most
#' @param z,most vectors. @param prior list(a, b, size, most; free: whether the sum of two may be
#'   above 1).
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

#' The standard normal of a rate
#' @noRd
rate_normal <- function(e, prior, most = prior$most) {
  below <- stats::pbeta(e / prior$size, prior$a, prior$b, log.p = TRUE)
  stats::qnorm(below - rate_cap(prior, most), log.p = TRUE)
}
