# The number of wrong labels: sums of independent trials, and mixtures over nodes.

#' Probabilities of 0, 1, ..., n successes of independent trials [M 7.5]
#' @noRd
poisson_binomial <- function(p) {
  p <- as.double(p)
  if (length(p) <= 1000) {
    return(native_count_density(p))
  }
  sum_parts(lapply(row_blocks(length(p), 1, 1000), function(at) native_count_density(p[at])))
}

#' The distribution of a sum of independent numbers, added in pairs
#' @param densities of each at from, from + 1, ..
#' @noRd
sum_parts <- function(densities, from = rep(0, length(densities))) {
  parts <- unname(Map(likely_part, from, densities))
  while (length(parts) > 1) {
    pairs <- lapply(seq(1, length(parts) - 1, by = 2), function(k) {
      likely_part(
        parts[[k]]$from + parts[[k + 1]]$from,
        convolve_densities(parts[[k]]$density, parts[[k + 1]]$density)
      )
    })
    parts <- c(pairs, if (length(parts) %% 2) parts[length(parts)])
  }
  c(numeric(parts[[1]]$from), parts[[1]]$density)
}

#' A distribution from the first to the last number whose probability is above rounding errors
#' @param density at from, from + 1, ..
#' @noRd
likely_part <- function(from, density) {
  kept <- range(which(density > 1e-16))
  list(from = from + kept[1] - 1, density = density[kept[1]:kept[2]])
}

#' @noRd
#' The distribution of the sum of two independent numbers, by fast Fourier transforms
#' @noRd
convolve_densities <- function(a, b) {
  n <- length(a) + length(b) - 1
  size <- stats::nextn(n)
  pad <- function(x) stats::fft(c(x, numeric(size - length(x))))
  pmax(Re(stats::fft(pad(a) * pad(b), inverse = TRUE))[seq_len(n)] / size, 0)
}

# Trials that are written out one by one; of more that weights make, numbers of a row are taken at once
trials_apart <- 20000L

#' Mixture of Poisson-binomial distributions, the columns of P
#' @param times of its rows, see repeated_trials().
#' @return probabilities of 0, 1, ..., as far as they are above 0.
#' @noRd
wrong_mixture <- function(P, weight, times = NULL) {
  apart <- is.null(times) || sum(times) <= trials_apart
  if (apart) P <- repeated_trials(P, times) else check_memory(4 * sum(times), sum(times), what = "labels")
  mixed <- mix_densities(seq_along(weight), weight, function(k) {
    if (apart) poisson_binomial(P[, k]) else binomial_sum(P[, k], times)
  })
  likely_start(mixed)
}

#' Probabilities of 0, 1, .. without those at the end that are next to nothing
#' @noRd
likely_start <- function(density) density[seq_len(max(which(density > 1e-12)))]

#' Distribution of the number of successes in `times` trials with probability p, of all rows together; what is left
#' of a number of trials that is not whole is one more, with its share of the probability
#' @noRd
binomial_sum <- function(p, times) {
  size <- c(floor(times), rep(1, length(times)))
  p <- c(p, (times - floor(times)) * p)
  used <- seq_along(p) <= length(times) | p > 0 # what is left of a whole number is nothing
  size <- size[used]
  p <- p[used]
  from <- stats::qbinom(1e-16, size, p)
  to <- stats::qbinom(1e-16, size, p, lower.tail = FALSE)
  sum_parts(Map(function(from, to, size, p) stats::dbinom(seq(from, to), size, p), from, to, size, p), from)
}

#' Distribution of a number to which a normal error is added, rounded, from 0 to `most`
#' @noRd
blurred_density <- function(density, sd, most) {
  if (sd == 0) {
    return(density)
  }
  reach <- ceiling(6 * sd)
  steps <- diff(stats::pnorm(seq(-reach - 0.5, reach + 0.5) / sd))
  sums <- convolve_densities(density, steps / sum(steps))
  number <- pmin(pmax(seq_along(sums) - 1 - reach, 0), most)
  size <- max(number) + 1
  replace(numeric(size), unique(number) + 1, rowsum(sums, number, reorder = FALSE))
}

#' The mean of distributions of numbers, one at a time: many of many rows take much memory
#' @param parts of which `of` makes densities at 0, 1, ..
#' @noRd
mix_densities <- function(parts, share, of = identity) {
  mixed <- 0
  for (k in seq_along(parts)) {
    part <- share[[k]] * of(parts[[k]])
    size <- max(length(mixed), length(part))
    mixed <- c(mixed, numeric(size - length(mixed))) + c(part, numeric(size - length(part)))
  }
  mixed / sum(share)
}

#' Distribution of the number of wrong reports: those of a row are wrong together, given its class
#' @param said see truth(). @param reports of these rows.
#' @noRd
reports_mixture <- function(said, reports) {
  counts <- report_votes(reports, reports$n, reports$classes)
  total <- rowSums(counts)
  size <- dim(said$p)
  most <- max(total, 0) + 1
  each <- lapply(seq_along(said$weight), function(k) {
    density <- matrix(0, most, size[1]) # of the reports of a row that are wrong, from 0 on
    for (t in seq_len(size[2])) {
      at <- cbind(total - counts[, t] + 1, seq_len(size[1]))
      density[at] <- density[at] + said$p[, t, k]
    }
    sum_parts(asplit(density, 2))
  })
  likely_start(mix_densities(each, said$weight))
}
