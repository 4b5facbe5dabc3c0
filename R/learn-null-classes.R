# Inputs that say nothing of several classes: their shares are the same in all rows [M 12.22]. As
# there are as many as classes, the integral is over draws: noise models from their prior; given
# one, shares near those that the reports alike make likely, weighted. Classes in an order have the
# same shares, between thresholds on what is noise alone.

null_models <- 160L      # noise models that are drawn,
null_shares <- 120L      # and shares for each,
null_held <- 4000L       # or so many of one that is held,
# from Dirichlet distributions that take so much of what the rows say, and this besides: there may
# be next to none of a class
null_trust <- data.frame(rows = c(0.7, 0.2, 0.2), besides = c(1, 1, 0.05))

#' What EP would give at such a node, of two classes or several
#' @noRd
constant_output <- function(latent, table, k, L, df) {
  beta <- as.matrix(table$constant)[k, ]
  if (length(beta) > 1) {
    null_output_classes(latent, beta, L)
  } else {
    null_output(latent, beta, L, df)
  }
}

#' The constant latent function under a noise model of an average
#' @param name of the model. @param noise see noise_model(). @return see null_integral().
#' @noRd
null_of <- function(latent, name, noise, df, size) {
  if (latent$classes > 2) {
    return(null_classes(latent, null_omegas(latent, name, noise), size))
  }
  null_integral(latent, noise_of(name, noise), df, size)
}

#' The constant latent functions of several classes under a noise model
#' @param draws its S x C x C arrays, from the prior, see null_omegas().
#' @return see null_integral(); beta is size x C, of classes in an order the C - 1 thresholds.
#' @noRd
null_classes <- function(latent, draws, size = null_nodes) {
  kinds <- report_kinds(latent$reports)
  prior <- null_shares_prior(latent$classes)
  each <- if (length(draws) == 1) null_held else null_shares
  points <- lapply(draws, function(omega) {
    L <- report_likelihood(kinds$reports, omega)
    null_shares_given(L, kinds$count, prior, each)
  })
  log_weight <- unlist(lapply(points, `[[`, "log_weight")) - log(length(draws))
  evidence <- log_sum(log_weight)
  if (evidence == -Inf) {
    return(NULL)
  }
  # nodes stand for equal shares of the weight, in the order of the rates
  of <- rep(seq_along(draws), each = length(points[[1]]$log_weight))
  rate <- vapply(draws, function(omega) 1 - mean(apply(omega, 1, diag)), 0)
  order <- order(rate[of])
  at <- (seq_len(size) - 0.5) / size
  cumulated <- cumsum(exp(log_weight[order] - evidence))
  k <- order[1 + findInterval(at * max(cumulated), utils::head(cumulated, -1))]
  all <- do.call(rbind, lapply(points, `[[`, "share"))
  all <- all[k, , drop = FALSE]
  beta <- if (has_order(latent)) null_thresholds(all) else null_locations(all)
  omega <- draws[of[k]]
  list(
    log_evidence = evidence, log_weight = rep(-log(size), size), beta = beta,
    hyper = lapply(seq_len(size), function(j) latent$constant(beta[j, ])$hyper), omega = omega,
    out = function() {
      lapply(seq_len(size), function(j) {
        null_output_classes(latent, beta[j, ], latent_likelihood(latent, omega[[j]]))
      })
    }
  )
}

#' Draws of a noise model from its prior
#' @param noise see noise_model().
#' @noRd
null_omegas <- function(latent, name, noise) {
  if (name %in% noise$matrices) {
    none <- list(
      counts = 0 * noise$study, shape = noise$shape, study = noise$study,
      only = noise_only[[name]]
    )
    component <- list(centre = numeric(), matrix = matrix_component(none, 1))
    logs <- matrix_points(component, null_models, 0)
    return(lapply(matrix_of_points(logs, latent$classes), latent_omega, latent = latent))
  }
  noise <- noise_of(name, noise)
  if (noise$d == 0) {
    return(list(noise$omega(numeric())))
  }
  z <- even_normals(null_models, noise$d)
  lapply(seq_len(null_models), function(k) noise$omega(z[k, ]))
}

#' Log prior density of shares, as a function of the sum of their logs: symmetric Dirichlet
#' distributions, whose parameter has that of one over the variance of the constants
#' @noRd
null_shares_prior <- function(classes) {
  a <- exp(stats::qnorm((seq_len(40) - 0.5) / 40, -null_bias$meanlog, null_bias$sdlog))
  constant <- lgamma(classes * a) - classes * lgamma(a) - log(length(a))
  function(logs) apply(outer(logs, a - 1) + rep(constant, each = length(logs)), 1, log_sum)
}

#' Shares given a noise model, drawn by what the reports say of them
#' @param L a row a kind of report. @param count of each kind. @param n draws.
#' @return list(share, a row a draw; log_weight, which sum to the evidence: -Inf where a kind is
#'   next to impossible of every class, as readers who contradict each other are under small rates)
#' @noRd
null_shares_given <- function(L, count, prior, n) {
  classes <- ncol(L)
  most <- row_max(L)
  if (any(most == 0)) {
    return(list(share = matrix(1 / classes, n, classes), log_weight = rep(-Inf, n)))
  }
  L <- L / most # whose products with shares are above 0
  share <- rep(1 / classes, classes)
  for (step in 1:30) { # of EM; where it ends need not be its limit
    joint <- L * rep(share, each = nrow(L))
    expected <- colSums(joint / rowSums(joint) * count)
    share <- (expected + 1) / sum(expected + 1)
  }
  expected <- expected^2 / (expected + 3) # few may well be none
  p <- pmin(pmax(stats::pnorm(even_normals(n, classes)), 1e-9), 1 - 1e-9)
  ways <- seq_len(nrow(null_trust))
  alpha <- outer(null_trust$rows, expected) + null_trust$besides
  gamma <- pmax(stats::qgamma(p, alpha[rep(ways, length.out = n), ]), 1e-200)
  gamma <- matrix(gamma, n)
  share <- gamma / rowSums(gamma)
  logs <- log(share)
  drawn <- vapply(ways, function(k) {
    lgamma(sum(alpha[k, ])) - sum(lgamma(alpha[k, ])) + drop(logs %*% (alpha[k, ] - 1))
  }, numeric(n))
  drawn <- apply(drawn, 1, log_sum) - log(length(ways))
  likelihood <- drop(log(tcrossprod(share, L)) %*% count) + sum(count * log(most))
  list(
    share = share, log_weight = likelihood + prior(rowSums(logs)) - drawn - log(n)
  )
}

#' Constants under which the classes have these probabilities, or 1e-6 where that is less
#' @param share a row each.
#' @noRd
null_locations <- function(share) {
  share <- pmax(share, 1e-6)
  share <- share / rowSums(share)
  beta <- 0.7 * (log(share) - rowMeans(log(share)))
  for (step in 1:200) {
    behind <- log(share) - constant_shares(beta)
    if (max(abs(behind)) < 1e-6) break
    beta <- beta + 0.5 * behind
    beta <- beta - rowMeans(beta)
  }
  beta
}

#' Thresholds on a standard normal between which the classes have these probabilities
#' @param share a row each.
#' @noRd
null_thresholds <- function(share) {
  share <- pmax(share, 1e-6)
  below <- t(apply(share / rowSums(share), 1, cumsum))
  stats::qnorm(below[, -ncol(share), drop = FALSE])
}

#' What EP would give where the latent functions are constants
#' @noRd
null_output_classes <- function(latent, beta, L) {
  seen <- drop(if (has_order(latent)) ordered_log_prob(0, 1, beta) else constant_shares(rbind(beta)))
  seen <- seen - log_sum(seen)
  none <- matrix(0, latent$n, latent$functions)
  c(latent$constant(beta)[c("b", "extra")], list(
    sites = list(tau = none, nu = none),
    seen = matrix(seen, latent$n, latent$classes, byrow = TRUE),
    log_evidence = sum(log(L %*% exp(seen)))
  ))
}
