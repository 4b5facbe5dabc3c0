# Coordinates z in which the prior of every free parameter is standard normal, so that
# all noise models are integrated by the same code: hyperparameters of the latent
# function first, flip rates last.

#' Coordinates of a latent and a noise model
#'
#' @param latent see ep-latent.R. @param rates see rate_map().
#' @return list(d, field (d, what each coordinate belongs to), hyper(z), rates(z),
#'   epsilon(z): rates as EP takes them, pull(z, gradient): the gradient in z of a native
#'   one, checked(z): value and gradient of what checks of labels say of the rates). [M 8.8]
#' @noRd
new_coordinates <- function(latent, rates) {
  kernel <- kernel_coordinates(latent)
  field <- c(kernel$field, rep("epsilon", rates$d))
  mine <- seq_along(kernel$field)
  rate_part <- function(z) z[field == "epsilon"]
  list(
    d = length(field), field = field,
    hyper = function(z) kernel$hyper(z[mine]),
    rates = function(z) rates$rates(rate_part(z)),
    epsilon = function(z) spread_rates(rates$rates(rate_part(z)), rates$row),
    pull = function(z, gradient) {
      c(kernel$pull(z[mine], gradient), rates$pull(rate_part(z), gradient$epsilon))
    },
    checked = function(z) {
      found <- rates$checked(rate_part(z))
      list(value = found$value, gradient = c(numeric(length(mine)), found$gradient))
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
#' @param model "none", "one", "two", or, with what is held in `noise$given`, "given" or
#'   "matrix".
#' @param noise see noise_model(). @return list(d, rates(z): groups x 1 or 2, pull(z,
#'   gradient), row: see spread_rates(), checked(z): log probability of the labels that were
#'   recorded where checks have told the true classes, sum of w log e + r log(1 - e) over w
#'   wrong and r right ones of a rate, and its gradient) [M 8.12].
#' @noRd
rate_map <- function(model, noise) {
  groups <- max(1L, length(noise$groups))
  if (model %in% c("none", "given", "matrix")) {
    held <- if (model == "none") 0 else unname(noise$given)
    if (!is.matrix(held)) held <- matrix(held, groups, length(held), byrow = TRUE)
    return(list(
      d = 0, rates = function(z) held, pull = function(z, gradient) numeric(),
      row = noise$row,
      checked = function(z) list(value = checked_log(held, noise$checked), gradient = numeric())
    ))
  }
  kinds <- if (model == "one") "one" else c("neg", "pos")
  root <- rate_root(noise)
  each <- function(z, f) {
    z <- root %*% matrix(z, groups)
    kind <- rep(kinds, each = groups)
    value <- vapply(seq_along(z), function(k) f(z[k], noise$rate[[kind[k]]]), numeric(1))
    matrix(value, groups)
  }
  list(
    d = groups * length(kinds),
    rates = function(z) each(z, rate_quantile),
    pull = function(z, gradient) {
      g <- gather_rates(gradient, length(kinds), groups, noise$row)
      as.vector(crossprod(root, g * each(z, rate_slope)))
    },
    row = noise$row,
    checked = function(z) {
      if (is.null(noise$checked)) {
        return(list(value = 0, gradient = numeric(length(z))))
      }
      e <- each(z, rate_quantile)
      count <- checked_of(noise$checked, e)
      slope <- (count$wrong / e - count$right / (1 - e)) * each(z, rate_slope)
      list(
        value = checked_log(e, noise$checked), gradient = as.vector(crossprod(root, slope))
      )
    }
  )
}

#' Log probability of what was recorded where checks have told the true classes, at rates e
#' (groups x kinds) [M 8.12]. What a given rate of 0 calls impossible is left out.
#' @param checked see checked_counts(), or `NULL`.
#' @noRd
checked_log <- function(e, checked) {
  if (is.null(checked)) {
    return(0)
  }
  count <- checked_of(checked, e)
  sum((count$wrong * log(e))[e > 0]) + sum(count$right * log1p(-e))
}

#' One count where both classes have one rate
#' @noRd
checked_of <- function(checked, e) {
  if (ncol(e) == 2) checked else lapply(checked, function(count) matrix(rowSums(count)))
}

#' Root of the prior correlation of the rates of groups
#' @noRd
rate_root <- function(noise) {
  groups <- length(noise$groups)
  if (groups < 2) {
    return(matrix(1))
  }
  common_root(groups, sqrt(1 - noise$pooling), sqrt(noise$pooling))
}

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

#' Rates of groups (groups x 1 or 2) as EP takes them; a noise matrix as it is
#' @param row the group of each row, 0 where its label is trusted; `NULL`: all are alike.
#' @noRd
spread_rates <- function(rates, row) {
  if (is.null(row)) {
    if (nrow(rates) > 1) {
      return(rates)
    }
    return(if (ncol(rates) == 2) c(neg = rates[1, 1], pos = rates[1, 2]) else rates[1, 1])
  }
  by_row <- rbind(0, rates)[row + 1L, c(1L, ncol(rates)), drop = FALSE]
  rbind(neg = by_row[, 1], pos = by_row[, 2])
}

#' Gradient of the rates of groups from that of EP
#' @noRd
gather_rates <- function(gradient, n_kinds, groups, row) {
  if (is.null(row)) {
    return(matrix(if (n_kinds == 2) gradient else sum(gradient), 1))
  }
  by_row <- t(matrix(gradient, 2))
  if (n_kinds == 1) by_row <- matrix(rowSums(by_row))
  sums <- vapply(seq_len(groups), function(g) {
    colSums(by_row[row == g, , drop = FALSE])
  }, numeric(n_kinds))
  matrix(sums, groups, byrow = TRUE)
}
