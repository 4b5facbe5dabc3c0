# Nodes of a noise matrix: each has a matrix of its own beside its kernel, so that both
# are integrated. Matrices are drawn from their prior times a share of what the counts at a
# mode say: relative to the prior the density of a component is then known in full [M 12.18].

matrix_share <- 0.7      # of the counts, which are uncertain themselves
matrix_share_wide <- 0.3 # of those of the wider scales
matrix_least_log <- -650 # of an entry, as EP takes it

#' What the matrices of a component are drawn by
#'
#' A count below 1 may well be 0, where its entry of the matrix would be.
#' @param matrix list(counts, shape, study, only) of a mode.
#' @return list(counts, study, only, and of
#'   matrix_prior_grid() log_marginal, often, whereto), or `NULL`.
#' @noRd
matrix_component <- function(matrix, share) {
  if (is.null(matrix)) {
    return(NULL)
  }
  counts <- share * matrix$counts^2 / (matrix$counts + 1)
  c(
    list(counts = counts, study = matrix$study, only = matrix$only),
    matrix_prior_grid(counts, matrix$shape, matrix$study)
  )
}

#' Points k = first + 1..n of the matrices of a component, in logs: their entries x n
#' @noRd
matrix_points <- function(component, n, first) {
  part <- component$matrix
  size <- 2 + length(part$counts)
  mine <- seq_len(nrow(part$counts))
  u <- kronecker_sequence(size, n, first, length(component$centre))
  pick <- function(u, of) min(findInterval(u, cumsum(of$share)) + 1, length(of$share))
  points <- vapply(seq_len(n), function(k) {
    one <- pick(u[1, k], part$often)
    other <- pick(u[2, k], part$whereto)
    posterior <- matrix_posterior(
      list(
        rate = part$often$rate[one], strength = part$often$strength[one],
        apart = part$whereto$apart[other]
      ),
      part$counts + part$study
    )
    often <- log_beta_quantile(u[2 + mine, k], posterior$often)
    whereto <- log_gamma_quantile(u[-c(1:2, 2 + mine), k], posterior$whereto)
    whereto <- whereto - apply(whereto, 1, log_sum)
    omega <- with_diagonal(often[, 1] + whereto, often[, 2])
    row_alone(omega, part$only, none = matrix_least_log, sure = 0)
  }, part$counts)
  matrix(points, ncol = n)
}

#' Logs of Beta quantiles and of what is left of 1, a row each; below the least number by the
#' lower tail
#' @noRd
log_beta_quantile <- function(u, shapes) {
  a <- shapes[, 1]
  b <- shapes[, 2]
  p <- stats::qbeta(u, a, b)
  tail <- (log(u) + log(a) + lbeta(a, b)) / a
  cbind(ifelse(log(p) > matrix_least_log, log(p), tail), log1p(-p))
}

#' Logs of gamma quantiles, likewise
#' @noRd
log_gamma_quantile <- function(u, shape) {
  x <- log(stats::qgamma(u, shape))
  tail <- (log(u) + lgamma(shape + 1)) / shape
  matrix(ifelse(x > matrix_least_log, x, tail), nrow(shape))
}

#' Log density of a component at matrices, less that of the prior
#' @noRd
matrix_log_ratio <- function(log_omega, part) {
  drop(crossprod(log_omega, as.vector(part$counts))) - part$log_marginal
}

#' The matrices of nodes as EP takes them, or `NULL`
#' @noRd
matrix_of_points <- function(log_omega, classes) {
  if (!is.null(log_omega)) {
    lapply(seq_len(ncol(log_omega)), function(k) {
      matrix(exp(pmax(log_omega[, k], matrix_least_log)), ncol = classes)
    })
  }
}

#' Logs of the mean matrices of modes, their entries x K, or `NULL`
#' @noRd
matrix_logs <- function(modes) {
  if (!is.null(modes[[1]]$matrix)) {
    size <- length(modes[[1]]$matrix$mean)
    matrix(vapply(modes, function(mode) log(as.vector(mode$matrix$mean)), numeric(size)), size)
  }
}
