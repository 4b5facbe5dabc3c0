# The number of wrong labels: sums of independent trials, and mixtures over nodes.

#' Probabilities of 0, 1, ..., n successes of independent trials [M 7.5]
#' @noRd
poisson_binomial <- function(p) {
  n <- length(p)
  if (n > 1000) { # the sum of two halves
    half <- n %/% 2
    return(convolve_densities(
      poisson_binomial(p[seq_len(half)]), poisson_binomial(p[(half + 1):n])
    ))
  }
  native_count_density(as.double(p))
}

#' @noRd
convolve_densities <- function(a, b) {
  n <- length(a) + length(b) - 1
  size <- stats::nextn(n)
  pad <- function(x) stats::fft(c(x, numeric(size - length(x))))
  pmax(Re(stats::fft(pad(a) * pad(b), inverse = TRUE))[seq_len(n)] / size, 0)
}

#' Mixture of Poisson-binomial distributions, the columns of P
#' @return probabilities of 0, 1, ..., as far as they are above 0.
#' @noRd
wrong_mixture <- function(P, weight) {
  weight <- weight / sum(weight)
  each <- lapply(seq_along(weight), function(k) poisson_binomial(P[, k]) * weight[k])
  density <- Reduce(`+`, each)
  density[seq_len(max(which(density > 1e-12)))]
}

#' The mean of distributions of numbers
#' @param parts list of densities at 0, 1, ..
#' @noRd
mix_densities <- function(parts, share) {
  size <- max(lengths(parts))
  padded <- vapply(parts, function(d) c(d, numeric(size - length(d))), numeric(size))
  drop(matrix(padded, size) %*% share) / sum(share)
}
