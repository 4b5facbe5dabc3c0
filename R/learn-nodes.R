# Nodes of one noise model: points around its modes with weights, so that the mean of
# anything over the posterior of the free parameters is a weighted mean over nodes
# [M 8.10]. Deterministic: importance sampling with Kronecker points in place of random
# numbers.

node_wide <- 12L        # with more coordinates than this, Laplace may give the evidence
node_inflation <- 1.1   # of the scales around a mode, where there are few coordinates
node_defensive <- 0.15  # share of nodes drawn from wider scales
node_tails <- 6L        # directions at most that are drawn from a t distribution,
node_curved <- 1.3      # of those with at least this curvature,
node_df <- 5            # of so many degrees of freedom
node_sweeps <- 30L      # of EP at a node; one without a fixed point by then has no weight
node_at_once <- 8L      # nodes that start from what is known before all of them
node_least_ess <- 10    # below this, and
node_most_k <- 0.7      # above this, nodes are drawn once more

# The distribution that nodes are drawn from -----------------------------------

#' @param modes see learn_modes(). @return list of components: list(centre, axes (d x d),
#'   scale, tails (logical, d), share, matrix: see matrix_component()).
#' @noRd
node_proposal <- function(modes) {
  laplace <- vapply(modes, node_laplace, numeric(1))
  share <- pmax(exp(0.7 * (laplace - max(laplace))), 0)
  share <- pmax(share / sum(share), 0.08)
  share <- share / sum(share)
  unlist(lapply(seq_along(modes), function(k) {
    mode <- modes[[k]]
    d <- length(mode$par)
    e <- axes(mode$H)
    curvature <- pmax(e$values, average_least)
    tails <- seq_len(d) <= node_tails & curvature > node_curved & d <= node_wide
    core <- list(
      centre = mode$par, axes = e$vectors, tails = tails,
      scale = curvature^-0.5 * if (d <= node_wide) node_inflation else 1,
      share = share[k] * (1 - node_defensive), mode = k,
      matrix = matrix_component(mode$matrix, matrix_share)
    )
    wide <- list(
      centre = mode$par, axes = e$vectors, tails = logical(d),
      scale = sqrt((1 / curvature + 1) / 2), share = share[k] * node_defensive, mode = k,
      matrix = matrix_component(mode$matrix, matrix_share_wide)
    )
    list(core, wide)
  }), recursive = FALSE)
}

#' Points k = 1..n of a component (d x n)
#' @noRd
node_points <- function(component, n, first = 0) {
  d <- length(component$centre)
  u <- outer(sqrt(primes(d)), first + seq_len(n), function(a, k) (0.5 + k * a) %% 1)
  u <- pmin(pmax(u, 1e-6), 1 - 1e-6)
  x <- stats::qnorm(u)
  x[component$tails, ] <- stats::qt(u[component$tails, ], node_df)
  matrix(component$centre + component$axes %*% (component$scale * x), d, n)
}

node_log_density <- function(Z, component) {
  x <- crossprod(component$axes, Z - component$centre) / component$scale
  by_axis <- -x^2 / 2 - log(2 * pi) / 2
  by_axis[component$tails, ] <- stats::dt(x[component$tails, ], node_df, log = TRUE)
  colSums(by_axis) - sum(log(component$scale))
}

#' Log density of the mixture, relative to the prior of a noise matrix if there is one
#' @noRd
node_log_mixture <- function(Z, proposal, log_omega = NULL) {
  parts <- vapply(proposal, function(component) {
    log(component$share) + node_log_density(Z, component) +
      if (is.null(log_omega)) 0 else matrix_log_ratio(log_omega, component$matrix)
  }, numeric(ncol(Z)))
  apply(matrix(parts, ncol(Z)), 1, log_sum)
}

# Nodes ------------------------------------------------------------------------

#' Nodes of a noise model
#'
#' @param n how many. @return list(Z (d x K), log_weight (K, with the evidence in it: their
#'   log_sum() less log K), out (K native results, `NULL` without a fixed point), log_f,
#'   log_omega (C^2 x K, of a noise matrix), log_evidence, laplace, ess, pareto_k, method).
#' @noRd
node_integral <- function(problem, modes, n, tick) {
  laplace <- log_sum(vapply(modes, node_laplace, numeric(1)))
  if (n == 0 || !node_is_free(problem, modes)) {
    return(node_at_modes(problem, modes, laplace, tick))
  }
  proposal <- node_proposal(modes)
  drawn <- node_draw(problem, modes, proposal, n, 0, tick)
  found <- node_weights(drawn, laplace)
  narrow <- length(problem$field) <= node_wide
  if (found$ess < node_least_ess || narrow && found$pareto_k > node_most_k) {
    again <- node_adapt(proposal, modes, found)
    more <- node_draw(problem, modes, again, n, n, tick)
    both <- lapply(c(drawn$drawn, more$drawn), function(component) {
      component$share <- component$share / 2
      component
    })
    drawn <- list(Z = cbind(drawn$Z, more$Z), log_f = c(drawn$log_f, more$log_f),
                  out = c(drawn$out, more$out), log_omega = cbind(drawn$log_omega, more$log_omega))
    drawn$log_q <- node_log_mixture(drawn$Z, both, drawn$log_omega)
    found <- node_weights(drawn, laplace)
  }
  if (found$ess < node_least_ess / 2) {
    return(node_at_modes(problem, modes, laplace, tick))
  }
  if (!narrow && found$ess < 3 * node_least_ess) {
    found$log_evidence <- laplace
    found$method <- "laplace"
  }
  found
}

#' Of each column; there may be no row
#' @noRd
node_log_prior <- function(Z) -colSums(Z^2) / 2 - nrow(Z) / 2 * log(2 * pi)

#' Is there anything to integrate?
#' @noRd
node_is_free <- function(problem, modes) length(problem$field) > 0 || !is.null(modes[[1]]$matrix)

#' @param first how many points of the sequence are left out.
#' @noRd
node_draw <- function(problem, modes, proposal, n, first, tick) {
  share <- vapply(proposal, function(component) component$share, numeric(1))
  size <- largest_remainder(n * share)
  # the shares that were drawn, not those wished for
  proposal <- Map(utils::modifyList, proposal, lapply(size / n, function(s) list(share = s)))
  proposal <- proposal[size > 0]
  size <- size[size > 0]
  points <- function(f) {
    do.call(cbind, lapply(seq_along(proposal), function(k) {
      f(proposal[[k]], size[k], first + 1000 * (k - 1))
    }))
  }
  Z <- points(node_points)
  log_omega <- if (!is.null(modes[[1]]$matrix)) points(matrix_points)
  Z[] <- pmin(pmax(Z, -average_far), average_far)
  from <- rep(vapply(proposal, function(component) component$mode, integer(1)), size)
  out <- node_outputs(problem, modes, from, Z, matrix_of_points(log_omega), tick)
  log_f <- vapply(out, function(o) if (is.null(o)) -Inf else o$log_evidence, numeric(1)) +
    node_log_prior(Z)
  log_f[!is.finite(log_f)] <- -Inf
  list(
    Z = Z, log_f = log_f, out = out, log_omega = log_omega,
    log_q = node_log_mixture(Z, proposal, log_omega), drawn = proposal
  )
}

#' EP at every node, each started from what is known nearest to it
#' @param omega their noise matrices, or `NULL`.
#' @noRd
node_outputs <- function(problem, modes, from, Z, omega, tick) {
  out <- vector("list", ncol(Z))
  known <- lapply(modes, function(mode) list(list(par = mode$par, sites = mode$sites)))
  nodes <- seq_len(ncol(Z))
  for (batch in split(nodes, (nodes - 1) %/% node_at_once)) {
    near <- lapply(batch, function(k) {
      mode <- modes[[from[k]]]
      apart <- vapply(known[[from[k]]], function(there) {
        d <- Z[, k] - there$par
        sum(d * (mode$H %*% d))
      }, numeric(1))
      c(known[[from[k]]][[which.min(apart)]], list(tangent = mode$tangent))
    })
    out[batch] <- node_evaluate(problem, near, Z[, batch, drop = FALSE], tick, omega[batch])
    for (k in batch[!vapply(out[batch], is.null, NA)]) {
      known[[from[k]]] <- c(known[[from[k]]], list(list(par = Z[, k], sites = out[[k]]$sites)))
    }
  }
  out
}

#' EP at nodes Z from the sites that points near them foretell, or else from the prior
#' @return list of K, `NULL` where there is no fixed point.
#' @noRd
node_evaluate <- function(problem, near, Z, tick, omega = NULL) {
  control <- problem$search_control
  problem$search_control$max_sweeps <- min(control$max_sweeps, node_sweeps)
  run <- function(nodes, cold) {
    out <- learn_natives(problem, lapply(nodes, function(k) {
      given <- if (!is.null(omega[[k]])) latent_omega(problem$latent, omega[[k]])
      list(par = Z[, k], omega = given, sites = if (!cold) node_foresee(near[[k]], Z[, k]))
    }), gradient = FALSE)
    if (length(nodes)) tick(problem$latent$n, length(nodes), "nodes")
    out
  }
  out <- run(seq_len(ncol(Z)), FALSE)
  again <- which(!vapply(out, function(o) ep_converged(o) || isTRUE(o$sweeps >= node_sweeps), NA))
  out[again] <- run(again, TRUE)
  lapply(out, function(o) {
    if (ep_converged(o) && is.finite(o$log_evidence)) {
      o[c("sites", "b", "extra", "loo", "log_evidence", "seen")]
    }
  })
}

node_foresee <- function(mode, z) {
  moved <- unlist(mode$sites)
  if (!is.null(mode$tangent)) moved <- moved + drop(mode$tangent %*% (z - mode$par))
  n <- length(mode$sites$tau)
  list(tau = moved[seq_len(n)], nu = moved[n + seq_len(n)])
}

#' The modes alone, weighted by their Laplace evidences
#' @noRd
node_at_modes <- function(problem, modes, laplace, tick) {
  Z <- matrix(unlist(lapply(modes, `[[`, "par")), ncol = length(modes))
  near <- lapply(modes, function(mode) mode[c("par", "sites")])
  out <- node_evaluate(problem, near, Z, tick, lapply(modes, function(mode) mode$matrix$mean))
  weight <- vapply(modes, node_laplace, numeric(1))
  weight[vapply(out, is.null, NA)] <- -Inf
  list(
    Z = Z, log_weight = weight - log_sum(weight), out = out,
    log_omega = matrix_logs(modes), log_evidence = laplace,
    laplace = laplace, ess = NA_real_, pareto_k = NA_real_,
    method = if (node_is_free(problem, modes)) "mode" else "exact"
  )
}

#' Smoothed weights and what they say of themselves
#' @noRd
node_weights <- function(drawn, laplace) {
  raw <- drawn$log_f - drawn$log_q
  smooth <- pareto_smooth(raw)
  total <- log_sum(smooth$log_weight)
  log_weight <- smooth$log_weight - if (is.finite(total)) total else 0 # all may be lost
  w <- exp(log_weight)
  list(
    Z = drawn$Z, out = drawn$out, log_f = drawn$log_f, log_omega = drawn$log_omega,
    log_weight = log_weight, log_evidence = total - log(length(raw)), laplace = laplace,
    ess = if (any(w > 0)) sum(w)^2 / sum(w^2) else 0, pareto_k = smooth$k, method = "nodes"
  )
}

#' A second proposal from the weighted moments, shrunk to those of the first
#' @noRd
node_adapt <- function(proposal, modes, found) {
  w <- exp(found$log_weight)
  trust <- found$ess / (found$ess + length(modes[[1]]$par))
  centre <- drop(found$Z %*% w)
  lapply(proposal, function(component) {
    if (component$mode == 1L) {
      component$centre <- trust * centre + (1 - trust) * component$centre
    }
    x <- crossprod(component$axes, found$Z - component$centre)
    spread <- drop(x^2 %*% w)
    component$scale <- sqrt(trust * spread + (1 - trust) * component$scale^2)
    component
  })
}
