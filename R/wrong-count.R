# How many training labels are wrong: expected number and interval.

#' Expected number of wrong labels
#'
#' @param level of the interval, or `NULL` for none.
#' @return list(count, lower, upper, level, epsilon); without `level` only `count`.
#' @noRd
wrong_count <- function(object, level) {
  p <- object$ep$flipped
  if (is.null(level)) {
    return(list(count = sum(p)))
  }
  uncertain <- object$epsilon_learned && !is.null(object$X)
  density <- if (uncertain) wrong_density(object) else poisson_binomial(p)
  ends <- density_ends(density, level)
  list(
    count = sum(p), lower = ends[1], upper = ends[2], level = level,
    epsilon = if (uncertain) "uncertain" else "given"
  )
}

#' Probabilities of 0, 1, ..., n successes of independent trials
#' @noRd
poisson_binomial <- function(p) {
  density <- 1
  for (q in p[p > 0]) {
    density <- c(density * (1 - q), 0) + c(0, density * q)
  }
  c(density, numeric(sum(p <= 0)))
}

#' Central interval of a distribution on 0, 1, ...
#' @noRd
density_ends <- function(density, level) {
  below <- cumsum(density) / sum(density)
  tail <- (1 - level) / 2
  c(sum(below < tail), sum(below < 1 - tail))
}

#' Distribution of the number of wrong labels, epsilon integrated out
#'
#' A mixture of Poisson-binomial distributions over theta = logit(2 epsilon), on
#' a grid that is left where the posterior density of theta has fallen by exp(-4).
#' All by Gaussian EP: the exact posterior does not depend on df.
#' @noRd
wrong_density <- function(object) {
  from <- pmax(object$epsilon, 0.5 / object$nobs) # at 0 the logit scale is flat
  # the spacing is of the size of theta's standard deviation, as if the number of
  # flips were seen
  step <- 1.2 / sqrt(1 + sum(object$ep$flipped))
  at <- function(k) {
    epsilon <- 0.5 * stats::plogis(stats::qlogis(2 * from) + k * step)
    wrong_at(object, epsilon, if (is.infinite(object$df)) object$ep$sites)
  }
  nodes <- list(at(0))
  for (side in c(-1, 1)) {
    for (k in 1:12) {
      node <- at(side * k)
      nodes <- c(nodes, list(node))
      best <- max(vapply(nodes, `[[`, numeric(1), "log_weight"))
      if (node$log_weight < best - 4) break
    }
  }
  log_weight <- vapply(nodes, `[[`, numeric(1), "log_weight")
  if (!any(is.finite(log_weight))) {
    return(poisson_binomial(object$ep$flipped))
  }
  weight <- exp(log_weight - max(log_weight))
  drop(vapply(nodes, `[[`, numeric(object$nobs + 1), "density") %*% weight) /
    sum(weight)
}

#' Weight and distribution at one epsilon
#' @noRd
wrong_at <- function(object, epsilon, sites) {
  at <- object
  at$epsilon <- epsilon
  ep <- refit_ep(at, df = Inf, sites = sites)
  if (ep$status != "converged") {
    return(list(log_weight = -Inf, density = numeric(object$nobs + 1)))
  }
  # a uniform prior on epsilon, as a density in theta
  jacobian <- mean(log(epsilon) + log1p(-2 * epsilon))
  list(
    log_weight = ep$log_evidence + jacobian,
    density = poisson_binomial(ep$flipped)
  )
}
