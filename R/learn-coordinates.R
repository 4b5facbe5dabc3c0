# Coordinates z of what is free, hyperparameters of the latent function first, flip rates
# last. In normal ones the prior of everything is standard normal, so that all noise models
# are integrated by the same code; in logs a search climbs to the optimum.

average_far <- 8 # no normal coordinate is looked at beyond this many prior sds

learn_bounds <- list(
  lengthscale = log(1e3), # either side of the start, on the log scale
  variance = log(c(1e-4, 1e4)),
  bias = log(c(1e-6, 1e4)),
  nugget = log(c(1e-6, 1e4)),
  prior_scale = log(c(1e-6, 1e6)),
  epsilon = stats::qlogis(2 * c(1e-6, 0.49))
)
learn_small_epsilon <- 0.01   # below this, 0 is tried
average_least <- 0.5 # least curvature in normal coordinates: the prior contributes 1
learn_least <- 0.25  # in logs: that of a prior with standard deviation 2

#' Coordinates of a latent and a noise model, made of those of both
#'
#' @param kernel list(field, hyper(z), pull(z, gradient), mean, precision: of the prior of each
#'   coordinate, 0 where it has none). @param rates see rate_map(), or logit_rates().
#' @param rate_precision of their normal prior, 0 where they have none. @param box list(start,
#'   lower, upper, curvature: to start a climb with, of each coordinate; least: curvature to
#'   go on with; constant: what the log prior lacks). @return list(field (what each coordinate belongs
#'   to), precision, hyper(z), rates(z), epsilon(z): rates as EP takes them, pull(z, gradient):
#'   the gradient in z of a native one, checked(z): value and gradient of what checks of labels
#'   say of the rates, prior(z): those of the log prior; and the fields of `box`). [M 8.1, 8.8]
#' @noRd
new_coordinates <- function(kernel, rates, rate_precision, box) {
  field <- c(kernel$field, rep("epsilon", rates$d))
  mean <- c(kernel$mean, numeric(rates$d))
  precision <- c(kernel$precision, rep(rate_precision, rates$d))
  mine <- seq_along(kernel$field)
  rate_part <- function(z) z[field == "epsilon"]
  c(box, list(
    field = field, precision = precision,
    hyper = function(z) kernel$hyper(z[mine]),
    rates = function(z) rates$rates(rate_part(z)),
    epsilon = function(z) rates$epsilon(rate_part(z)),
    pull = function(z, gradient) {
      c(kernel$pull(z[mine], gradient), rates$pull(rate_part(z), gradient$epsilon))
    },
    checked = function(z) {
      found <- rates$checked(rate_part(z))
      list(value = found$value, gradient = c(numeric(length(mine)), found$gradient))
    },
    prior = function(z) {
      besides <- rates$prior(rate_part(z))
      list(
        value = besides$value - sum(box$constant + precision * (z - mean)^2 / 2),
        gradient = -precision * (z - mean) + c(numeric(length(mine)), besides$gradient)
      )
    }
  ))
}

#' @param rates see rate_map().
#' @noRd
normal_coordinates <- function(latent, rates) {
  kernel <- kernel_coordinates(latent, normal = TRUE)
  rates$epsilon <- function(z) spread_rates(rates$rates(z), rates$row)
  rates$prior <- nothing_besides
  d <- length(kernel$field) + rates$d
  new_coordinates(kernel, rates, 1, list(
    start = numeric(d), lower = rep(-average_far, d), upper = rep(average_far, d),
    curvature = rep(1.5, d), least = average_least, constant = rep(-stats::dnorm(0, log = TRUE), d)
  ))
}

#' @param epsilon rates: "learn", "learn2" or held. @param proper whether the prior is a
#'   density, with its constants, of the logit of a flip rate, too.
#' @noRd
log_coordinates <- function(latent, epsilon, proper = FALSE) {
  kernel <- kernel_coordinates(latent, normal = FALSE)
  rates <- logit_rates(epsilon, proper)
  bounds <- kernel_bounds(latent, kernel$field)
  w <- kernel$precision
  new_coordinates(kernel, rates, 0, list(
    start = c(bounds$start, rep(stats::qlogis(2 * 0.05), rates$d)),
    lower = c(bounds$lower, rep(learn_bounds$epsilon[1], rates$d)),
    upper = c(bounds$upper, rep(learn_bounds$epsilon[2], rates$d)),
    # rather too small: that is mended by the first steps
    curvature = pmax(c(w, numeric(rates$d)), learn_least), least = learn_least,
    constant = if (proper) c(-stats::dnorm(0, log = TRUE) - log(w) / 2, numeric(rates$d)) else 0,
    small = stats::qlogis(2 * learn_small_epsilon)
  ))
}

# Hyperparameters -------------------------------------------------------------

#' log u = centre + root z, in normal coordinates the bias in units of what it competes with
#'
#' All log lengthscales share one factor beside their own: independent ones of many
#' columns would pin the overall scale. The bias is in units of variance + nugget:
#' otherwise unbalanced classes without signal would not be in the prior.
#' @noRd
kernel_coordinates <- function(latent, normal) {
  free <- latent$free
  start <- latent$hyper
  field <- rep(free, lengths(start[free]))
  d <- length(field)
  centre <- numeric(d)
  precision <- numeric(d)
  root <- diag(d)
  for (name in intersect(free, names(Filter(Negate(is.null), latent$prior)))) {
    at <- field == name
    prior <- latent$prior[[name]]
    centre[at] <- prior$meanlog
    precision[at] <- prior$sdlog^-2
    if (normal) root[at, at] <- prior_root(latent, name)
  }
  shift <- if (normal) centre else numeric(d)
  bias <- normal && "bias" %in% free
  hyper <- function(z) {
    u <- exp(shift + drop(root %*% z))
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
  list(
    field = field, hyper = hyper, pull = pull, mean = if (normal) numeric(d) else centre,
    precision = if (normal) rep(1, d) else precision
  )
}

#' Root of the prior covariance of the logs of one kind of hyperparameter
#' @noRd
prior_root <- function(latent, name) {
  common <- if (name == "lengthscale") latent$prior$common
  common_root(
    length(latent$hyper[[name]]), latent$prior[[name]]$sdlog, if (is.null(common)) 0 else common
  )
}

#' Symmetric root of sd^2 I + common^2 11'
#' @noRd
common_root <- function(n, sd, common) {
  diag(sd, n) + (sqrt(sd^2 + n * common^2) - sd) / max(n, 1)
}

#' Where a search among the logs starts and how far it may go
#' @noRd
kernel_bounds <- function(latent, field) {
  start <- log(as.numeric(unlist(latent$hyper[latent$free])))
  lower <- upper <- start
  for (name in latent$free) {
    at <- field == name
    b <- learn_bounds[[name]]
    if (name == "lengthscale") {
      lower[at] <- start[at] - b
      upper[at] <- start[at] + b
    } else {
      lower[at] <- min(log(max(exp(b[1]), latent$least[[name]])), start[at])
      upper[at] <- max(b[2], start[at])
    }
  }
  list(start = start, lower = lower, upper = upper)
}

# Flip rates --------------------------------------------------------------------

nothing_besides <- function(z) list(value = 0, gradient = numeric(length(z)))

#' One flip rate, or one of each class, by logits of twice the rate, or rates that are held
#' @param epsilon "learn", "learn2", or what is held. @return as rate_map() and, of the prior,
#'   `prior(z)`: the density of the rate times its derivative e (1 - 2e) in the logit [M 8.7].
#' @noRd
logit_rates <- function(epsilon, proper) {
  d <- if (is.character(epsilon)) match(epsilon, c("learn", "learn2")) else 0L
  rate <- function(z) 0.5 * stats::plogis(z)
  list(
    d = d,
    epsilon = function(z) {
      if (d == 2) c(neg = rate(z[1]), pos = rate(z[2])) else if (d == 1) rate(z) else epsilon
    },
    pull = function(z, gradient) {
      e <- rate(z)
      if (d > 0) e * (1 - 2 * e) * if (d == 2) gradient else sum(gradient)
    },
    checked = nothing_besides,
    prior = if (!proper) nothing_besides else function(z) {
      e <- rate(z)
      b <- rate_prior_shape
      list(value = sum(log(2 * b * e) + b * log1p(-2 * e)), gradient = 1 - 2 * e - 2 * b * e)
    }
  )
}

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
