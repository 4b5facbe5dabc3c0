# The band around a curve: how far the labels leave the averaged probability open.
#
# The latent value of a new row is g + e: g smooth, e with the nugget as its variance.
# Given all of g, the event has probability Phi(g / sqrt(nugget)) there. The average of these over
# rows is a number between 0 and 1 whose posterior mean and variance are known up to one
# integral. A beta distribution stands for it, whose mean is what predict() says, by the label stage.

#' Curves with `lower` and `upper`, the central interval of the averaged probability at each value;
#' without a nugget none, for each class is then certain given the latent function
#' @noRd
add_bands <- function(curves, x) {
  if (x$kernel$nugget == 0) {
    return(curves)
  }
  covariance <- latent_covariance(x)
  lapply(curves, function(curve) {
    c(curve, beta_band(curve$prob[, 2], open_share(x, curve, covariance), 0.9))
  })
}

#' Variance of the averaged probability at each value of an input, as a share of the largest that it
#' can have
#' @param curve of partial_curve(). @param covariance of latent_covariance().
#' @noRd
open_share <- function(x, curve, covariance) {
  latent <- lapply(latent_new(x, curve$X), drop)
  places <- length(curve$at)
  p <- row_average(stats::pt(latent$m / sqrt(latent$s2), x$spec$df), places)
  # a covariance matrix each: at every third value of a curve, the others in between
  at <- spread_over(places, 21)
  variance <- vapply(at, function(k) {
    mine <- seq(k, length(latent$m), by = places)
    scale <- sqrt(latent$s2[mine])
    average_variance(
      latent$m[mine] / scale,
      covariance(curve$X[mine, , drop = FALSE]) / outer(scale, scale), x$spec$df
    )
  }, numeric(1))
  share <- variance / (p[at] * (1 - p[at]))
  share[is.nan(share)] <- 0 # p is 0 or 1
  if (places > 1) stats::approx(at, share, seq_len(places))$y else share
}

#' Means over rows, of what has the places of a curve for each
#' @noRd
row_average <- function(v, places) rowMeans(matrix(v, places))

#' Central interval of a beta distribution that holds its mean
#' @param share of the largest variance that a distribution with the mean p can have.
#' @return list(lower, upper)
#' @noRd
beta_band <- function(p, share, level) {
  size <- pmin(pmax(1 / share - 1, 0.01), 1e8)
  # qbeta() warns of its precision where the answer rounds to 0 or 1, and may then be beyond 1
  end <- function(q) pmin(suppressWarnings(stats::qbeta(q, p * size, (1 - p) * size)), 1)
  # the mean of a very skew distribution may lie outside its central interval
  list(
    lower = pmin(end((1 - level) / 2), p), upper = pmax(end((1 + level) / 2), p)
  )
}

#' Variance of the mean of Phi(g_i / sqrt(nugget))
#'
#' The covariance of two of them is that of the signs of two latent values that share
#' g only: the integral of the bivariate normal density at (h_i, h_j) over the
#' correlation from 0 to r_ij (Plackett 1954), here over its arc sine. At finite df g and
#' e are divided by one random scale, which no sign sees: mean and variance over
#' W ~ Gamma(df / 2, df / 2) of those at h sqrt(W).
#'
#' @param h latent location over scale. @param r covariance of the g over the product
#'   of scales, at most 1.
#' @noRd
average_variance <- function(h, r, df) {
  angle <- asin(pmin(pmax(r, -1), 1))
  w <- if (is.infinite(df)) 1 else stats::qchisq((seq_len(7) - 0.5) / 7, df) / df
  square <- outer(h^2, h^2, `+`)
  product <- 2 * outer(h, h)
  within <- vapply((seq_len(16) - 0.5) / 16, function(part) { # by the midpoint rule
    sine <- sin(angle * part)
    quadratic <- (square - product * sine) / (2 * (1 - sine^2))
    mean(vapply(w, function(w) mean(angle * exp(-w * quadratic)), 0)) / (2 * pi)
  }, 0)
  means <- vapply(w, function(w) mean(stats::pnorm(h * sqrt(w))), 0)
  mean(within) + mean((means - mean(means))^2)
}
