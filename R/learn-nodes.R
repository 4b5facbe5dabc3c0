# Nodes of one noise model: points around its modes with weights, so that the mean of
# anything over the posterior of the free parameters is a weighted mean over nodes
# [M 8.10]. Deterministic: importance sampling with the points of learn-points.R in place of
# random numbers. More of them can be added to those that are there.

# Sweeps of EP at a node, of two classes in turn and else. Where it takes more than the first of
# them rounding tells where it ends; more than the second, whether it ends: it is led there by half
# of the way
node_easy <- list(turn = c(6L, 10L), slower = c(16L, 30L))
node_sweeps <- 30L      # of so many sweeps each; a node without a fixed point then has no weight
# and with a tolerance that makes its end that of EP, not that of the way: of several classes that
# of their integrals
node_settled <- c(two = 1e-8, several = 1e-6)
node_at_once <- 8L      # nodes that start from what is known before all of them
node_least_ess <- 5     # below this, modes stand for them
node_tol <- 1e-3        # of EP: the error of its evidence is of the square of it
node_beyond <- 1        # nats that a node may be above its mode, or there is a better one

# Nodes ------------------------------------------------------------------------

#' Nodes of a noise model, or more of them: all are weighted by the mixture of what they were drawn
#' from
#'
#' @param part nodes that there are, or `NULL`: it stays where time ends before the new ones.
#' @param n how many. @return list(Z (d x K), log_weight (K, with the evidence in it: their
#'   log_sum() less log K), out (K native results, `NULL` without a fixed point), log_f,
#'   log_evidence, laplace, ess, pareto_k, method; pair:
#'   which of them are mirror images; proposal: what they were drawn from, each component with
#'   its share of all).
#' @noRd
node_further <- function(problem, modes, part, n) {
  before <- length(part$log_f)
  proposal <- if (isTRUE(problem$corners)) {
    node_proposal(modes, TRUE)
  } else if (before == 0) node_proposal(modes) else node_adapt(modes, part)
  new <- node_draw(proposal, n, before)
  out <- node_outputs(problem, modes, new$from, new$Z)
  if (is.null(out)) {
    return(part)
  }
  log_prior <- -colSums(new$Z^2) / 2 - nrow(new$Z) / 2 * log(2 * pi)
  log_f <- vapply(out, function(o) if (is.null(o)) -Inf else o$log_evidence, numeric(1)) +
    log_prior - prior_spent(problem$latent)
  log_f[!is.finite(log_f)] <- -Inf
  share <- function(proposal, part) {
    lapply(proposal, function(component) {
      component$share <- component$share * part / (before + n)
      component
    })
  }
  drawn <- list(
    Z = if (before == 0) new$Z else cbind(part$Z, new$Z), log_f = c(part$log_f, log_f),
    out = c(part$out, out),
    pair = c(part$pair, length(unique(part$pair)) + new$pair),
    proposal = c(share(part$proposal, before), share(new$proposal, n)),
    laplace = log_sum(vapply(modes, node_laplace, numeric(1)))
  )
  c(drawn, smoothed_weights(drawn$log_f - node_log_mixture(drawn$Z, drawn$proposal)))
}

#' Points of a mixture, each of its components having its share
#' @param first how many points of the sequence are left out.
#' @return list(Z; from, their modes; proposal, with the shares that were drawn; pair)
#' @noRd
node_draw <- function(proposal, n, first) {
  share <- vapply(proposal, function(component) component$share, numeric(1))
  # mirror images stay together
  images <- if (proposal[[1]]$corners) 2 else 1
  size <- images * largest_remainder(n / images * share)
  # the shares that were drawn, not those wished for
  proposal <- Map(utils::modifyList, proposal, lapply(size / n, function(s) list(share = s)))
  proposal <- proposal[size > 0]
  size <- size[size > 0]
  Z <- do.call(cbind, lapply(seq_along(proposal), function(k) {
    node_points(proposal[[k]], size[k], first + 1000 * (k - 1))
  }))
  Z[] <- pmin(pmax(Z, -average_far), average_far)
  from <- rep(vapply(proposal, function(component) component$mode, integer(1)), size)
  list(Z = Z, from = from, proposal = proposal, pair = (seq_len(n) - 1) %/% images + 1)
}

#' EP at every node, each started from what is known nearest to it
#' @return list of K; `NULL` where time ends before them, as the first of them would not stand for all.
#' @noRd
node_outputs <- function(problem, modes, from, Z) {
  out <- vector("list", ncol(Z))
  known <- lapply(modes, function(mode) list(list(par = mode$par, sites = mode$sites)))
  nodes <- seq_len(ncol(Z))
  for (batch in split(nodes, (nodes - 1) %/% node_at_once)) {
    if (learn_is_over(problem)) {
      return(NULL)
    }
    near <- lapply(batch, function(k) {
      mode <- modes[[from[k]]]
      apart <- vapply(known[[from[k]]], function(there) {
        d <- Z[, k] - there$par
        sum(d * (mode$H %*% d))
      }, numeric(1))
      # of mirrored points as far away the first, whatever the last digits
      nearest <- which.min(signif(apart, 6))
      c(known[[from[k]]][[nearest]], list(tangent = mode$tangent))
    })
    out[batch] <- node_evaluate(problem, near, Z[, batch, drop = FALSE])
    for (k in batch[!vapply(out[batch], is.null, NA)]) {
      known[[from[k]]] <- c(known[[from[k]]], list(list(par = Z[, k], sites = learn_even(problem, out[[k]]))))
    }
  }
  out
}

#' EP at nodes Z from the sites that points near them foretell; where that is hard by half of the
#' way there, or else from the prior
#' @return list of K, `NULL` where there is no fixed point.
#' @noRd
node_evaluate <- function(problem, near, Z) {
  control <- problem$search_control
  several <- isTRUE(problem$latent$functions > 1)
  settled <- node_settled[[if (several) "several" else "two"]]
  run <- function(nodes, sites, share = 1, sweeps = node_sweeps, tol = settled) {
    problem$search_control$max_sweeps <- min(control$max_sweeps, sweeps)
    problem$search_control$tol <- max(problem$control$tol, tol, problem$latent$coarse)
    out <- learn_ep(problem, lapply(nodes, function(k) {
      par <- near[[k]]$par + share * (Z[, k] - near[[k]]$par)
      list(par = par, sites = sites(k, par))
    }), gradient = FALSE)
    learn_tick(problem, length(nodes))
    out
  }
  foreseen <- function(k, par) node_foresee(near[[k]], par)
  ended <- function(out) which(vapply(out, ep_converged, NA))
  problem <- learn_near(problem)
  problem$search_control$near <- TRUE
  easy <- node_easy[[if (isTRUE(problem$search_control$parallel) || several) "slower" else "turn"]]
  out <- run(seq_len(ncol(Z)), foreseen, sweeps = easy[2], tol = node_tol)
  slow <- Filter(function(k) out[[k]]$sweeps > easy[1], ended(out))
  hard <- setdiff(seq_along(out), ended(out))
  finer <- run(slow, function(k, par) out[[k]]$sites)
  out[slow[ended(finer)]] <- finer[ended(finer)]
  problem$search_control["parallel"] <- list(control$parallel)
  out[hard] <- run(hard, foreseen, 0.5)
  half <- hard[ended(out[hard])]
  out[half] <- run(half, function(k, par) out[[k]]$sites)
  stuck <- vapply(out[hard], function(o) !ep_converged(o) && !isTRUE(o$sweeps >= node_sweeps), NA)
  again <- hard[stuck]
  out[again] <- run(again, function(k, par) NULL)
  out[setdiff(hard, c(half, again))] <- list(NULL) # they ended half way
  lapply(out, function(o) {
    if (is.null(o)) {
      return(NULL)
    }
    o$log_evidence <- corrected_evidence(o)
    if (ep_converged(o) && is.finite(o$log_evidence)) o[node_fields]
  })
}

node_foresee <- function(mode, z) {
  moved <- unlist(mode$sites)
  if (!is.null(mode$tangent)) moved <- moved + drop(mode$tangent %*% (z - mode$par))
  n <- length(moved) / 2
  stats::setNames(list(moved[seq_len(n)], moved[n + seq_len(n)]), names(mode$sites))
}

#' The modes alone, weighted by their Laplace evidences
#' @noRd
node_at_modes <- function(problem, modes) {
  Z <- matrix(unlist(lapply(modes, `[[`, "par")), ncol = length(modes))
  near <- lapply(modes, function(mode) mode[c("par", "sites")])
  out <- lapply(modes, `[[`, "out")
  if (any(vapply(out, is.null, NA))) out <- node_evaluate(problem, near, Z)
  laplace <- vapply(modes, node_laplace, numeric(1))
  weight <- replace(laplace, vapply(out, is.null, NA), -Inf)
  list(
    Z = Z, log_weight = weight - log_sum(weight), out = out,
    log_evidence = log_sum(weight), laplace = log_sum(laplace), ess = NA_real_,
    pareto_k = NA_real_, method = if (length(problem$field)) "mode" else "exact",
    pair = seq_along(modes)
  )
}

#' What more nodes are drawn from that are not corners: the weighted moments of those there are,
#' shrunk to those of the modes
#' @noRd
node_adapt <- function(modes, part) {
  proposal <- node_proposal(modes)
  if (part$ess == 0) {
    return(proposal)
  }
  w <- exp(part$log_weight)
  trust <- part$ess / (part$ess + length(modes[[1]]$par))
  centre <- drop(part$Z %*% w)
  lapply(proposal, function(component) {
    if (component$mode == 1L) component$centre <- trust * centre + (1 - trust) * component$centre
    x <- crossprod(component$axes, part$Z - component$centre)
    spread <- drop(x^2 %*% w)
    component$scale <- sqrt(trust * spread + (1 - trust) * component$scale^2)
    component
  })
}
