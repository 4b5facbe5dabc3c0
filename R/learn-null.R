# Inputs that say nothing. A kernel can say so only at the price of prior for its nugget and
# lengthscales, a saturated latent function for nothing: without it rare labels would be called
# wrong. So with probability 1/4, of several classes 1/2, each noise model has a latent function
# that is a constant beta, whose posterior is that of P(+) = e0 + (1 - e0 - e1) Phi(beta) by the
# numbers of reports alike: integrals that need no EP [M 8.17].

null_prior <- c(two = 1 / 4, several = 1 / 2)
null_bias <- list(meanlog = log(0.3), sdlog = 2) # of the variance of beta
null_draws <- 64L  # points for each coordinate of the rates,
null_least <- 40   # and how many must count, or more are drawn, nearer
null_rounds <- 4L
null_nodes <- 10L  # that a noise model gets,
null_few <- 4L     # on many rows
null_wide <- 7     # |beta| beyond which the labels can't tell
null_negligible <- 1e-9 # share of a noise model below which there are none of them

#' Is that a possibility? Where what the inputs say is learned: who holds the overlap of the
#' classes, or their lengthscales, has said that they say something
#' @noRd
null_is_open <- function(latent, spec) {
  telling <- intersect(c("lengthscale", "nugget", "slope"), names(latent$hyper))
  spec$hyper == "integrate" && is.null(spec$noise$overlap) && !is.null(latent$constant) &&
    all(telling %in% latent$free)
}

#' A part of an average with the constant latent function in it, see node_integral()
#'
#' @param part that of the latent function of the inputs. @param null see null_integral(). @param
#'   classes their number.
#' @noRd
with_null <- function(part, null, classes) {
  prior <- null_prior[[if (classes > 2) "several" else "two"]]
  if (is.null(null)) {
    part$log_evidence <- part$log_evidence + log(1 - prior)
    return(part)
  }
  null$constant <- as.matrix(null$beta)
  share <- prior / (1 - prior) * exp(null$log_evidence - part$log_evidence)
  if (share < null_negligible) { # what they say of many rows is not even made
    part$log_evidence <- part$log_evidence + log1p(-prior) + log1p(share)
    return(part)
  }
  null$out <- null$out()
  null$pair <- seq_along(null$out) # each by itself
  join_parts(list(part, null), c(1 - prior, prior), says = 1)
}

#' Which nodes have a constant latent function
#' @param table of nodes, see new_nodes().
#' @noRd
at_constant <- function(table) !is.na(as.matrix(table$constant)[, 1])

#' The constant latent function under a noise model
#'
#' @param noise see new_noise(). @param df of the latent function that it stands beside. @param
#'   size how many nodes.
#' @return list(log_evidence; log_weight, of nodes, which sum to 1; beta, hyper, omega of each; out,
#'   a function that gives the list of what EP would: see node_integral()), or `NULL` where the rows
#'   rule it out
#' @noRd
null_integral <- function(latent, noise, df, size = null_nodes) {
  kinds <- report_kinds(latent$reports)
  cells <- null_cells(latent, kinds$count)
  drawn <- null_points(noise, kinds, cells)
  log_evidence <- log_sum(drawn$log_weight)
  if (log_evidence == -Inf) {
    return(NULL)
  }
  share <- softmax(drawn$log_weight)
  # nodes stand for equal shares, in the order of their rates and spread over beta
  order <- order(vapply(drawn$omega, function(omega) mean(omega[, 1, 2] + omega[, 2, 1]), 0))
  at <- (seq_len(size) - 0.5) / size
  k <- order[1 + findInterval(at, utils::head(cumsum(share[order]), -1))]
  beta <- vapply(seq_len(size), function(j) {
    density <- drawn$cells[, k[j]]
    turn <- if (noise$d > 0) golden_share(j, 0.5) else at[j]
    cells$beta[1 + sum(cumsum(density) < turn * sum(density))]
  }, numeric(1))
  omega <- drawn$omega[k]
  list(
    log_evidence = log_evidence, log_weight = rep(-log(size), size), beta = beta,
    hyper = lapply(beta, function(at) latent$constant(at)$hyper), omega = omega,
    out = function() {
      Map(function(beta, omega) {
        null_output(latent, beta, latent_likelihood(latent, omega), df)
      }, beta, omega)
    }
  )
}

#' What EP would give at a node where the latent function is a constant
#' @noRd
null_output <- function(latent, beta, L, df) {
  seen <- stats::pnorm(c(-beta, beta), log.p = TRUE)
  # where it is a t process the constant with these probabilities
  at <- if (is.finite(df)) null_location(beta, df) else beta
  none <- numeric(latent$n)
  c(latent$constant(at)[c("b", "extra")], list(
    sites = list(tau = none, nu = none), seen = matrix(seen, latent$n, 2, byrow = TRUE),
    log_evidence = sum(report_times(latent$reports) * log(L %*% exp(seen)))
  ))
}

null_location <- function(beta, df) {
  sign(beta) * stats::qt(stats::pnorm(abs(beta), lower.tail = FALSE), df, lower.tail = FALSE)
}

# Integrals ---------------------------------------------------------------------------

#' Cells of beta as narrow as the rows can tell apart, and their prior probabilities
#' @return list(beta, log_prior)
#' @noRd
null_cells <- function(latent, count) {
  step <- min(0.05, 0.5 / sqrt(sum(count)))
  inside <- seq(-null_wide, null_wide, by = step)
  ends <- c(-Inf, inside, Inf)
  # log variance at the midpoints of equal shares
  prior <- if (is.null(latent$prior$bias)) null_bias else latent$prior$bias
  sd <- exp(stats::qnorm((seq_len(40) - 0.5) / 40, prior$meanlog, prior$sdlog) / 2)
  upper <- rowMeans(stats::pnorm(outer(-abs(ends), sd, `/`))) # of the smaller side
  side <- ends[-1] <= 0
  mass <- ifelse(side, diff(upper), -diff(upper))
  across <- ends[-1] > 0 & ends[-length(ends)] < 0
  mass[across] <- 1 - upper[which(across)] - upper[which(across) + 1]
  list(
    beta = c(-null_wide, (inside[-1] + inside[-length(inside)]) / 2, null_wide),
    log_prior = log(mass)
  )
}

#' Points of a noise model with the evidence of each, over beta
#' @return list(log_weight, of the prior draws, with the evidence in it; omega; cells: the
#'   posterior of beta at each, a column a point)
#' @noRd
null_points <- function(noise, kinds, cells) {
  pi <- cbind(stats::pnorm(-cells$beta), stats::pnorm(cells$beta))
  look <- function(z) {
    omega <- noise$omega(z)
    L <- report_likelihood(kinds$reports, omega)
    log_joint <- drop(log(tcrossprod(pi, L)) %*% kinds$count) + cells$log_prior
    top <- max(log_joint)
    # rates that are next to 0 where readers contradict each other
    if (top == -Inf) {
      return(list(log_evidence = -Inf, omega = omega, cells = 0 * cells$beta))
    }
    joint <- exp(log_joint - top)
    list(log_evidence = top + log(sum(joint)), omega = omega, cells = joint)
  }
  d <- noise$d
  if (d == 0) {
    only <- look(numeric())
    return(list(
      log_weight = only$log_evidence, omega = list(only$omega), cells = matrix(only$cells)
    ))
  }
  size <- null_draws * d
  normals <- t(even_normals(size, d))
  Z <- normals
  log_q <- list(node_log_prior)
  for (round in seq_len(null_rounds)) {
    at <- if (round == 1) list() else at
    at <- c(at, lapply(seq_len(size), function(k) look(Z[, ncol(Z) - size + k])))
    f <- vapply(at, function(point) point$log_evidence, 0) + node_log_prior(Z)
    q <- vapply(log_q, function(density) density(Z), numeric(ncol(Z)))
    log_weight <- f - apply(matrix(q, ncol(Z)), 1, log_sum) + log(length(log_q)) - log(ncol(Z))
    w <- softmax(log_weight)
    if (1 / sum(w^2) > null_least || round == null_rounds) break
    # nearer: around their mean, as wide as they are and a little more
    near <- null_nearer(Z, w)
    Z <- cbind(Z, near$centre + near$root %*% normals)
    log_q <- c(log_q, near$log_density)
  }
  list(
    log_weight = log_weight, omega = lapply(at, `[[`, "omega"),
    cells = vapply(at, `[[`, numeric(length(cells$beta)), "cells")
  )
}

#' @return list(centre, root: of points yet to be drawn; log_density, of them)
#' @noRd
null_nearer <- function(Z, w) {
  d <- nrow(Z)
  centre <- drop(Z %*% w)
  apart <- Z - centre
  trust <- 1 / sum(w^2) / (1 / sum(w^2) + d)
  S <- trust * apart %*% (w * t(apart)) + (1 - trust) * diag(0.3, d)
  U <- chol(1.5 * S)
  list(
    centre = centre, root = t(U),
    log_density = function(Z) {
      node_log_prior(backsolve(U, Z - centre, transpose = TRUE)) - sum(log(diag(U)))
    }
  )
}
