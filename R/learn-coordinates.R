# Coordinates z in which the prior of every free parameter is standard normal, so that
# all noise models are integrated by the same code: hyperparameters of the latent
# function first, flip rates last.

#' Coordinates of a latent and a noise model
#'
#' @param latent see ep-latent.R. @param rates see rate_map().
#' @return list(d, field (d, what each coordinate belongs to), hyper(z), epsilon(z), pull(z,
#'   gradient): the gradient in z of a native gradient). [M 8.8]
#' @noRd
new_coordinates <- function(latent, rates) {
  kernel <- kernel_coordinates(latent)
  field <- c(kernel$field, rep("epsilon", rates$d))
  mine <- seq_along(kernel$field)
  rate_part <- function(z) z[field == "epsilon"]
  list(
    d = length(field), field = field,
    hyper = function(z) kernel$hyper(z[mine]),
    epsilon = function(z) rates$epsilon(rate_part(z)),
    pull = function(z, gradient) {
      c(kernel$pull(z[mine], gradient), rates$pull(rate_part(z), gradient$epsilon))
    }
  )
}

# Hyperparameters -------------------------------------------------------------

#' log u = centre + root z, the bias in units of what it competes with
#'
#' All log lengthscales share one factor beside their own: independent ones of many
#' columns would pin the overall scale. The bias is in units of variance + nugget:
#' otherwise unbalanced classes without signal would not be in the prior.
#' @noRd
kernel_coordinates <- function(latent) {
  free <- latent$free
  start <- latent$hyper
  field <- rep(free, lengths(start[free]))
  centre <- numeric(length(field))
  root <- matrix(0, length(field), length(field))
  for (name in free) {
    at <- field == name
    prior <- latent$prior[[name]]
    centre[at] <- prior$meanlog
    common <- if (name == "lengthscale") latent$prior$common
    root[at, at] <- common_root(sum(at), prior$sdlog, if (is.null(common)) 0 else common)
  }
  bias <- "bias" %in% free
  hyper <- function(z) {
    u <- exp(centre + drop(root %*% z))
    values <- start
    for (name in free) values[[name]][] <- u[field == name]
    if (bias) values$bias <- values$bias * (values$variance + values$nugget)
    values
  }
  pull <- function(z, gradient) {
    slope <- unlist(gradient[free], use.names = FALSE)
    if (bias) {
      now <- hyper(z)
      for (name in intersect(c("variance", "nugget"), free)) {
        share <- now[[name]] / (now$variance + now$nugget)
        slope[field == name] <- slope[field == name] + gradient$bias * share
      }
    }
    drop(crossprod(root, slope))
  }
  list(field = field, hyper = hyper, pull = pull)
}

#' Symmetric root of sd^2 I + common^2 11'
#' @noRd
common_root <- function(n, sd, common) {
  diag(sd, n) + (sqrt(sd^2 + n * common^2) - sd) / max(n, 1)
}

# Flip rates --------------------------------------------------------------------

#' The flip rates of a noise model as functions of standard normals
#'
#' @param model "none", "one", "two" or "given" (with the rates in `noise$given`).
#' @param noise see noise_model(). @return list(d, epsilon(z), pull(z, gradient)): one
#'   rate, two, or a matrix of 2 x n, those of each row.
#' @noRd
rate_map <- function(model, noise) {
  if (model %in% c("none", "given")) {
    held <- if (model == "none") 0 else noise$given
    return(list(d = 0, epsilon = function(z) spread_rates(held, noise), pull = no_pull))
  }
  kinds <- if (model == "one") "one" else c("neg", "pos")
  groups <- max(1L, length(noise$groups))
  root <- common_root(groups, sqrt(1 - noise$pooling), sqrt(noise$pooling))
  if (groups == 1) root[] <- 1
  kind <- rep(kinds, each = groups)
  each <- function(z, f) {
    z <- root %*% matrix(z, groups)
    matrix(
      vapply(seq_along(z), function(k) f(z[k], noise$rate[[kind[k]]]), numeric(1)), groups
    )
  }
  list(
    d = length(kind),
    epsilon = function(z) spread_rates(each(z, rate_quantile), noise),
    pull = function(z, gradient) {
      g <- gather_rates(gradient, length(kinds), noise)
      as.vector(crossprod(root, g * each(z, rate_slope)))
    }
  )
}

no_pull <- function(z, gradient) numeric()

#' e with the standard normal z: e/size has a Beta(a, b) distribution, cut off at e = 1/2
#' @noRd
rate_quantile <- function(z, prior) {
  cap <- stats::pbeta(0.5 / prior$size, prior$a, prior$b)
  e <- prior$size * if (z < 0) {
    stats::qbeta(cap * stats::pnorm(z), prior$a, prior$b)
  } else { # from above, where a sum would lose the tail
    stats::qbeta((1 - cap) + cap * stats::pnorm(-z), prior$a, prior$b, lower.tail = FALSE)
  }
  min(e, 0.5 - 1e-6)
}

rate_slope <- function(z, prior) {
  cap <- stats::pbeta(0.5 / prior$size, prior$a, prior$b, log.p = TRUE)
  e <- rate_quantile(z, prior)
  exp(stats::dnorm(z, log = TRUE) + cap + log(prior$size) -
    stats::dbeta(e / prior$size, prior$a, prior$b, log = TRUE))
}

#' The standard normal of a rate
#' @noRd
rate_normal <- function(e, prior) {
  cap <- stats::pbeta(0.5 / prior$size, prior$a, prior$b)
  stats::qnorm(stats::pbeta(e / prior$size, prior$a, prior$b) / cap)
}

#' Rates of groups (groups x 1 or 2) as EP takes them
#' @noRd
spread_rates <- function(e, noise) {
  e <- matrix(e, ncol = if (is.matrix(e)) ncol(e) else length(e))
  if (is.null(noise$row)) {
    return(if (ncol(e) == 2) c(neg = e[1, 1], pos = e[1, 2]) else e[1, 1])
  }
  rates <- rbind(0, e)[noise$row + 1L, , drop = FALSE] # 0: trusted
  rates <- t(if (ncol(rates) == 1) cbind(rates, rates) else rates)
  rownames(rates) <- c("neg", "pos")
  rates
}

#' Gradient of the rates of groups from that of EP
#' @noRd
gather_rates <- function(gradient, n_kinds, noise) {
  if (is.null(noise$row)) {
    return(matrix(if (n_kinds == 2) gradient else sum(gradient), 1))
  }
  by_row <- t(matrix(gradient, 2))
  if (n_kinds == 1) by_row <- matrix(rowSums(by_row))
  groups <- max(1L, length(noise$groups))
  sums <- vapply(seq_len(groups), function(g) {
    colSums(by_row[noise$row == g, , drop = FALSE])
  }, numeric(n_kinds))
  matrix(sums, groups, byrow = TRUE)
}
