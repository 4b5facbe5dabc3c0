# The band around a curve: how far the labels leave the averaged probability open.
#
# The latent value of a new row is g + e: g smooth, e with the nugget as its variance.
# Given all of g, the event has probability Phi(g / sqrt(nugget)) there. The average of these over
# rows is a number between 0 and 1, whose posterior is that of draws of g [M 7.7].

band_draws <- 400L

#' Curves with the ends of their 90 % bands; none without a nugget
#' @param curves of strongest_curves().
#' @noRd
add_bands <- function(curves, x) {
  if (x$kernel$nugget == 0) {
    return(curves)
  }
  covariance <- latent_covariance(x)
  lapply(curves, function(curve) c(curve, curve_band(x, curve, covariance, 0.9)))
}

#' Quantiles of the averaged probability at each value of a curve: of draws, which are moved on the normal scale
#' so that their mean is what predict() says, by all nodes and the label stage
#' @noRd
curve_band <- function(x, curve, covariance, level) {
  m <- drop(latent_new(x, curve$X)$m)
  places <- length(curve$at)
  rows <- length(m) / places
  random <- with_seed_or_stream(1L, list(
    z = matrix(stats::rnorm(rows * band_draws), rows), scale = path_scale(x, band_draws)
  ))
  # a covariance matrix each: at every third value of a curve, the others in between
  at <- spread_over(places, 21)
  moved <- vapply(at, function(k) {
    mine <- seq(k, length(m), by = places)
    g <- outer(m[mine], random$scale) + any_root(covariance(curve$X[mine, , drop = FALSE])) %*% random$z
    average <- colMeans(stats::pnorm(g / sqrt(x$kernel$nugget)))
    stats::qnorm(stats::quantile(average, c(1 - level, 1 + level) / 2, names = FALSE)) - stats::qnorm(mean(average))
  }, numeric(2))
  moved <- pmin(pmax(replace(moved, is.nan(moved), 0), -40), 40) # where draws are 0 or 1
  p <- curve$prob[, 2]
  end <- function(moved) {
    if (places > 1) moved <- stats::approx(at, moved, seq_len(places))$y
    stats::pnorm(stats::qnorm(p) + moved)
  }
  # the mean of a very skew distribution may lie outside its central interval
  list(lower = pmin(end(moved[1, ]), p), upper = pmax(end(moved[2, ]), p))
}
