# Where the nodes of a noise model stand: points of a mixture of distributions around its modes.
# With few coordinates, among which there are ridges, Kronecker points in place of random numbers;
# with many the corners of a mirrored design: a pair of mirror images is free of all odd terms
# [M 8.10].

node_corners <- 8L      # coordinates from which on nodes are corners
node_corner_scale <- 1.1 # of the scales around a mode, for corners
node_inflation <- 1.1   # the same where there are fewer coordinates
node_defensive <- 0.15  # share of nodes drawn from wider scales
node_tails <- 6L        # directions at most that are drawn from a t distribution,
node_curved <- 1.3      # of those with at least this curvature,
node_df <- 5            # of so many degrees of freedom

#' The distribution that nodes are drawn from
#'
#' @param modes see learn_modes(). @param corners whether they are corners.
#' @return list of components: list(centre, axes (d x d),
#'   scale, tails (logical, d), share, mode, corners).
#' @noRd
node_proposal <- function(modes, corners = FALSE) {
  laplace <- vapply(modes, node_laplace, numeric(1))
  share <- exp(0.7 * (laplace - max(laplace)))
  share <- pmax(share / sum(share), 0.08)
  share <- share / sum(share)
  unlist(lapply(seq_along(modes), function(k) {
    mode <- modes[[k]]
    d <- length(mode$par)
    e <- axes(mode$H)
    curvature <- pmax(e$values, average_least)
    component <- list(
      centre = mode$par, axes = e$vectors, scale = curvature^-0.5, tails = logical(d),
      share = share[k], mode = k, corners = corners
    )
    if (corners) {
      component$scale <- component$scale * node_corner_scale
      return(list(component))
    }
    core <- utils::modifyList(component, list(
      scale = component$scale * if (d < node_corners) node_inflation else 1,
      tails = seq_len(d) <= node_tails & curvature > node_curved & d < node_corners,
      share = share[k] * (1 - node_defensive)
    ))
    wide <- utils::modifyList(component, list(
      scale = sqrt((1 / curvature + 1) / 2), share = share[k] * node_defensive
    ))
    list(core, wide)
  }), recursive = FALSE)
}

#' Points first + 1..n of a component (d x n)
#' @noRd
node_points <- function(component, n, first = 0) {
  d <- length(component$centre)
  if (component$corners) {
    x <- corner_points(d, n, first)
  } else {
    u <- kronecker_sequence(d, n, first)
    x <- stats::qnorm(u)
    x[component$tails, ] <- stats::qt(u[component$tails, ], node_df)
  }
  matrix(component$centre + component$axes %*% (component$scale * x), d, n)
}

#' Corners of cubes, each followed by its mirror image
#'
#' Their signs in a block are the rows of a Hadamard matrix, so that coordinates are orthogonal;
#' their distances from the centre quantiles of those of normal points. The next block has other
#' columns of the matrix, some of them turned round, and other quantiles.
#' @return d x n
#' @noRd
corner_points <- function(d, n, first = 0) {
  size <- 2^ceiling(log2(d + 1))
  k <- first + seq_len(n) - 1
  row <- k %/% 2 %% size
  block <- k %/% (2 * size)
  column <- 1 + outer(seq_len(d), 3 * block, `+`) %% (size - 1)
  turned <- outer(sqrt(primes(d)), block) %% 1 >= 0.5
  sign <- hadamard(size)[cbind(rep(row + 1, each = d), as.vector(column) + 1)] * (1 - 2 * turned)
  # near and far in turn
  at <- (bits_reversed(row) + 0.5 / size + bits_reversed(block)) %% 1
  radius <- sqrt(stats::qchisq(at, d) / d)
  matrix(sign, d, n) * rep((1 - 2 * (k %% 2)) * radius, each = d)
}

#' The Hadamard matrix of a power of 2, by Sylvester's construction
#' @noRd
hadamard <- function(size) {
  H <- matrix(1)
  while (ncol(H) < size) H <- rbind(cbind(H, H), cbind(H, -H))
  H
}

#' The sequence of van der Corput at k: evenly spread over (0, 1) whatever its length
#' @noRd
bits_reversed <- function(k) drop((outer(k, 2^(0:15), bitwAnd) > 0) %*% 2^-(1:16))

node_log_density <- function(Z, component) {
  x <- crossprod(component$axes, Z - component$centre) / component$scale
  by_axis <- -x^2 / 2 - log(2 * pi) / 2
  by_axis[component$tails, ] <- stats::dt(x[component$tails, ], node_df, log = TRUE)
  colSums(by_axis) - sum(log(component$scale))
}

#' Log density of the mixture
#' @noRd
node_log_mixture <- function(Z, proposal) {
  parts <- vapply(proposal, function(component) {
    log(component$share) + node_log_density(Z, component)
  }, numeric(ncol(Z)))
  apply(matrix(parts, ncol(Z)), 1, log_sum)
}
