# How many training labels are wrong: expected number and interval.

#' Expected number of wrong labels
#'
#' @param level of the interval, or `NULL` for none.
#' @return list(count, lower, upper, level, epsilon, at_fit): `count` is the mean of
#'   the distribution the interval is of, `at_fit` that at the epsilon of the fit.
#'   Without `level` only `count` and `at_fit`.
#' @noRd
wrong_count <- function(object, level) {
  p <- row_flipped(object)
  if (is.null(level)) {
    return(list(count = sum(p), at_fit = sum(p)))
  }
  uncertain <- rate_learned(object)
  density <- if (!is.null(object$nodes)) {
    average_density(object)
  } else if (uncertain) {
    wrong_density(object)
  } else {
    poisson_binomial(p)
  }
  c(density_summary(density, level), list(
    level = level, epsilon = if (uncertain) "uncertain" else "given", at_fit = sum(p)
  ))
}

#' Distribution of the number of wrong labels under some noise models of an average
#' @noRd
average_density <- function(object, models = object$nodes$models$model) {
  nodes <- object$nodes
  share <- nodes$models$probability[match(models, nodes$models$model)]
  parts <- nodes$wrong[models]
  size <- max(lengths(parts))
  padded <- vapply(parts, function(d) c(d, numeric(size - length(d))), numeric(size))
  drop(matrix(padded, size) %*% share) / sum(share)
}

#' @noRd
density_summary <- function(density, level) {
  ends <- density_ends(density, level)
  list(
    count = sum((seq_along(density) - 1) * density) / sum(density), lower = ends[1],
    upper = ends[2]
  )
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
#' A mixture of Poisson-binomial distributions over theta = logit(2 epsilon) [M 7.6].
#' All by Gaussian EP: the exact posterior does not depend on df. At the kernel of the
#' fit another epsilon may be much better than that of the fit (an epsilon of 0, or
#' a kernel learned otherwise), so the grid moves to the best node it finds.
#' @noRd
wrong_density <- function(object) {
  at <- function(theta) wrong_at(object, theta)
  first <- at(start_theta(object))
  for (move in 1:4) {
    nodes <- wrong_grid(at, first)
    log_weight <- vapply(nodes, `[[`, numeric(1), "log_weight")
    best <- nodes[[which.max(log_weight)]]
    if (!is.finite(best$log_weight)) {
      return(poisson_binomial(object$ep$flipped))
    }
    if (best$log_weight < first$log_weight + 1) break
    first <- best
  }
  shift <- vapply(nodes, function(node) node$theta[1], numeric(1))
  weight <- exp(log_weight - max(log_weight)) * trapezoid(shift)
  drop(vapply(nodes, `[[`, numeric(nobs(object) + 1), "density") %*% weight) /
    sum(weight)
}

#' @noRd
start_theta <- function(object) {
  stats::qlogis(2 * pmin(pmax(object$epsilon, 0.5 / nobs(object)), 0.49))
}

#' Nodes on both sides of the first, wider and wider apart, until the density has
#' fallen by exp(-4)
#'
#' The first gap is theta's standard deviation if the number of flips were seen.
#' @noRd
wrong_grid <- function(at, first) {
  offset <- cumsum(1.5^(0:11)) / sqrt(1 + first$count)
  within <- stats::qlogis(2 * c(1e-7, 0.4999))
  nodes <- list(first)
  for (side in c(-1, 1)) {
    top <- first$log_weight
    for (shift in side * offset) {
      theta <- first$theta + shift
      if (any(theta < within[1] | theta > within[2])) break
      node <- at(theta)
      nodes <- c(nodes, list(node))
      top <- max(top, node$log_weight)
      if (is.finite(node$log_weight) && node$log_weight < top - 4) break
    }
  }
  nodes
}

#' Weights of the trapezoidal rule at nodes in any order
#' @noRd
trapezoid <- function(x) {
  if (length(x) == 1) {
    return(1)
  }
  gap <- diff(sort(x))
  (c(gap, 0) + c(0, gap))[rank(x)] / 2
}

#' Weight and distribution at one theta
#'
#' From a cold start, for sites of another epsilon can mislead; to 1e-5, for whole
#' numbers come out of it. Where EP does not converge there is no weight, and no
#' search for a way around.
#' @noRd
wrong_at <- function(object, theta) {
  epsilon <- 0.5 * stats::plogis(theta)
  control <- object$spec$control
  control$tol <- max(control$tol, 1e-5)
  latent <- model_latent(object)
  omega <- latent_omega(latent, scaled_omega(unname(object$omega), epsilon))
  L <- latent_likelihood(latent, omega)
  out <- latent$native(model_hyper(object), Inf, L, NULL, control)
  if (!ep_converged(out)) {
    return(list(
      theta = theta, log_weight = -Inf, count = 0,
      density = numeric(nobs(object) + 1)
    ))
  }
  # a uniform prior on epsilon, as a density in theta [M 7.6]
  flipped <- wrong_share(truth_posterior(L, out$seen), latent$y)
  jacobian <- mean(log(epsilon) + log1p(-2 * epsilon))
  list(
    theta = theta, log_weight = out$log_evidence + jacobian,
    count = sum(flipped), density = poisson_binomial(flipped)
  )
}
