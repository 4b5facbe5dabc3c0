# Nodes of a noise matrix: each has a matrix of its own beside its kernel, so that both
# are integrated. Matrices are drawn from their prior times a share of what the counts at a
# mode say: relative to the prior the density of a component is then known in full [M 12.18].

matrix_share <- 0.7      # of the counts, which are uncertain themselves
matrix_share_wide <- 0.3 # of those of the wider scales
matrix_least_log <- -650 # of an entry, as EP takes it

#' What the matrices of a component are drawn by
#'
#' A count below 1 may well be 0, where its entry of the matrix would be.
#' @param matrix list(counts, shape) of a mode. @return list(counts, log_marginal, and of
#'   the prior's grid rate, strength, cumulative probability), or `NULL`.
#' @noRd
matrix_component <- function(matrix, share) {
  if (is.null(matrix)) {
    return(NULL)
  }
  counts <- share * matrix$counts^2 / (matrix$counts + 1)
  grid <- matrix_prior_grid(counts, matrix$shape)
  list(
    counts = counts, log_marginal = grid$log_marginal, rate = grid$rate,
    strength = grid$strength, cumulative = cumsum(grid$share)
  )
}

#' Points k = first + 1..n of the matrices of a component, in logs: C^2 x n
#' @noRd
matrix_points <- function(component, n, first) {
  part <- component$matrix
  size <- 1 + length(part$counts)
  p <- utils::tail(primes(length(component$centre) + size), size)
  u <- outer(sqrt(p), first + seq_len(n), function(a, k) (0.5 + k * a) %% 1)
  u <- pmin(pmax(u, 1e-6), 1 - 1e-6)
  points <- vapply(seq_len(n), function(k) {
    at <- min(findInterval(u[1, k], part$cumulative) + 1, length(part$rate))
    alpha <- part$strength[at] * rate_matrix(part$rate[at], ncol(part$counts)) + part$counts
    # below the least number the lower tail of a gamma distribution
    log_gamma <- log(stats::qgamma(u[-1, k], alpha))
    tail <- (log(u[-1, k]) + lgamma(alpha + 1)) / alpha
    log_gamma <- matrix(ifelse(log_gamma > matrix_least_log, log_gamma, tail), nrow(alpha))
    log_gamma - apply(log_gamma, 1, log_sum)
  }, numeric(length(part$counts)))
  matrix(points, ncol = n)
}

#' Log density of a component at matrices, less that of the prior
#' @noRd
matrix_log_ratio <- function(log_omega, part) {
  drop(crossprod(log_omega, as.vector(part$counts))) - part$log_marginal
}

#' The matrices of nodes as EP takes them, or `NULL`
#' @noRd
matrix_of_points <- function(log_omega) {
  if (!is.null(log_omega)) {
    classes <- sqrt(nrow(log_omega))
    lapply(seq_len(ncol(log_omega)), function(k) {
      matrix(exp(pmax(log_omega[, k], matrix_least_log)), classes)
    })
  }
}

#' Logs of the mean matrices of modes, C^2 x K, or `NULL`
#' @noRd
matrix_logs <- function(modes) {
  if (!is.null(modes[[1]]$matrix)) {
    size <- length(modes[[1]]$matrix$mean)
    matrix(vapply(modes, function(mode) log(as.vector(mode$matrix$mean)), numeric(size)), size)
  }
}
