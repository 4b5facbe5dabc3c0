# Helpers of nodes: primes and Kronecker's points, shares in whole numbers, and the largest weights
# smoothed by Pareto's distribution.

#' The first n primes
#' @noRd
primes <- function(n) {
  found <- integer()
  k <- 2L
  while (length(found) < n) {
    if (!any(k %% found[found^2 <= k] == 0)) found <- c(found, k)
    k <- k + 1L
  }
  found
}

#' Points first + 1..n of Kronecker's sequence, evenly spread over (0, 1)^d, a column each
#' @noRd
kronecker_sequence <- function(d, n, first) {
  u <- outer(sqrt(primes(d)), first + seq_len(n), function(a, k) (0.5 + k * a) %% 1)
  pmin(pmax(u, 1e-6), 1 - 1e-6)
}

#' Whole numbers near x with the sum of x, rounded
#' @noRd
largest_remainder <- function(x) {
  whole <- floor(x)
  more <- round(sum(x)) - sum(whole)
  up <- order(whole - x)[seq_len(more)]
  whole[up] <- whole[up] + 1
  whole
}

# Pareto smoothing ---------------------------------------------------------------

#' Weights of points, smoothed, and what they say of themselves
#' @param log_weight log of the density over that of what the points were drawn from.
#' @return list(log_weight: of weights that sum to 1; log_evidence, ess, pareto_k, method)
#' @noRd
smoothed_weights <- function(log_weight) {
  smooth <- pareto_smooth(log_weight)
  total <- log_sum(smooth$log_weight)
  log_weight <- smooth$log_weight - if (is.finite(total)) total else 0 # all may be lost
  w <- exp(log_weight)
  list(
    log_weight = log_weight, log_evidence = total - log(length(w)),
    ess = if (any(w > 0)) sum(w)^2 / sum(w^2) else 0, pareto_k = smooth$k, method = "nodes"
  )
}

#' Largest weights replaced by quantiles of the Pareto distribution fitted to them
#'
#' Vehtari, Simpson, Gelman, Yao and Gabry (2024), with the fit of Zhang and Stephens
#' (2009). DEVIATION: the paper's tail has a fifth of the weights, at most 3 sqrt(n). Here it has up
#' to five more, as a fifth of some 40 nodes is little to fit a shape to, and no upper end, which
#' matters above 225 nodes only.
#' @return list(log_weight, k), k the shape: above 0.7 the mean can't be relied on.
#' @noRd
pareto_smooth <- function(log_weight) {
  n <- sum(is.finite(log_weight))
  tail <- min(ceiling(max(0.2 * n, min(3 * sqrt(n), 0.2 * n + 5))), n - 1)
  if (n < 10 || tail < 5) {
    return(list(log_weight = log_weight, k = if (n < 3) Inf else 0))
  }
  top <- max(log_weight)
  w <- exp(log_weight - top)
  at <- utils::tail(order(log_weight), tail)
  cut <- max(w[-at])
  excess <- w[at] - cut
  if (max(excess) < 1e-10) {
    return(list(log_weight = log_weight, k = 0))
  }
  fit <- pareto_fit(excess)
  p <- (seq_len(tail) - 0.5) / tail
  q <- -log1p(-p) # of the exponential distribution, which a shape of 0 is
  if (abs(fit$k) > 1e-8) q <- expm1(fit$k * q) / fit$k
  q <- fit$sigma * q
  log_weight[at] <- pmin(log(cut + q), 0) + top
  list(log_weight = log_weight, k = fit$k)
}

#' Generalised Pareto distribution by the estimator of Zhang and Stephens (2009), its
#' shape shrunk a little to 1/2 as few values need it
#' @param x sorted, at least 0. @return list(k, sigma).
#' @noRd
pareto_fit <- function(x) {
  n <- length(x)
  m <- 20 + floor(sqrt(n))
  quartile <- max(x[floor(n / 4 + 0.5)], 1e-10 * x[n])
  theta <- 1 / x[n] + (1 - sqrt(m / (seq_len(m) - 0.5))) / (3 * quartile)
  shape <- function(theta) mean(log1p(-theta * x))
  k <- vapply(theta, shape, numeric(1))
  profile <- n * (log(-theta / k) - k - 1)
  weight <- softmax(profile)
  theta <- sum(theta * weight)
  k <- shape(theta)
  sigma <- -k / theta
  list(k = (n * k + 5) / (n + 10), sigma = sigma)
}
