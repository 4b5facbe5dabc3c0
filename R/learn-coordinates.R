# Coordinates z of what is free, hyperparameters of the latent function first, flip rates
# last. In normal ones the prior of everything is standard normal, so that all noise models
# are integrated by the same code; in logs a search climbs to the optimum.

average_far <- 8 # no normal coordinate is looked at beyond this many prior sds

learn_bounds <- list(
  lengthscale = log(1e3), # either side of the start, on the log scale
  variance = log(c(1e-4, 1e4)),
  bias = log(c(1e-6, 1e4)),
  nugget = log(c(1e-6, 1e4)),
  linear = log(c(1e-4, 1e4)),
  width = log(c(1e-4, 1e4)),
  prior_scale = log(c(1e-6, 1e6)),
  weight = log(c(1e-4, 1e4)),
  slope = log(c(1e-2, 1e2)),
  epsilon = stats::qlogis(2 * c(1e-6, 0.49))
)
overlap_names <- c("nugget", "slope") # what stands for overlap of the classes
learn_small_epsilon <- 0.01   # below this, 0 is tried
average_least <- 0.5 # least curvature in normal coordinates: the prior contributes 1
learn_least <- 0.25  # in logs: that of a prior with standard deviation 2

#' Coordinates of a latent and a noise model, made of those of both
#'
#' @param kernel list(field, hyper(z), pull(z, gradient), mean, precision: of the prior of each
#'   coordinate, 0 where it has none). @param noise see noise-coordinates.R.
#' @param noise_precision of its normal prior, 0 where it has none. @param box list(start,
#'   lower, upper, curvature: to start a climb with, of each coordinate; least: curvature to
#'   go on with; constant, and spent where there is some: what the log prior lacks; logit_prior:
#'   whether rates have that).
#' @return list(field (what each coordinate belongs to), precision, hyper(z), rates(z),
#'   omega(z), noise, pull(z, gradient, slope): the gradient in z from those in the hyperparameters'
#'   logs and in omega, prior(z): value and gradient of the log prior; and the fields of
#'   `box`). [M 8.1, 8.8]
#' @noRd
new_coordinates <- function(kernel, noise, noise_precision, box) {
  field <- c(kernel$field, rep("epsilon", noise$d))
  mean <- c(kernel$mean, numeric(noise$d))
  precision <- c(kernel$precision, rep(noise_precision, noise$d))
  mine <- seq_along(kernel$field)
  noise_part <- function(z) z[field == "epsilon"]
  c(box, list(
    field = field, precision = precision,
    hyper = function(z) kernel$hyper(z[mine]),
    noise = noise,
    rates = function(z) noise_shown(noise, noise_part(z)),
    omega = function(z) noise_omega(noise, noise_part(z)),
    pull = function(z, gradient, slope) {
      c(kernel$pull(z[mine], gradient), noise_pull(noise, matrix(noise_part(z)), slope))
    },
    prior = function(z) {
      besides <- if (isTRUE(box$logit_prior)) {
        logit_prior(noise_part(z))
      } else list(value = 0, gradient = numeric(noise$d))
      list(
        value = besides$value - sum(box$constant + precision * (z - mean)^2 / 2) - sum(box$spent),
        gradient = -precision * (z - mean) + c(numeric(length(mine)), besides$gradient)
      )
    }
  ))
}

#' @param noise see noise-coordinates.R.
#' @noRd
normal_coordinates <- function(latent, noise) {
  kernel <- kernel_coordinates(latent, normal = TRUE)
  d <- length(kernel$field) + noise$d
  new_coordinates(kernel, noise, 1, list(
    start = numeric(d), lower = rep(-average_far, d), upper = rep(average_far, d),
    curvature = rep(1.5, d), least = average_least,
    constant = rep(-stats::dnorm(0, log = TRUE), d), spent = prior_spent(latent)
  ))
}

#' What the ratios of lengthscales that are held have cost of the log prior, see wide_kernel()
#' @noRd
prior_spent <- function(latent) sum(latent$prior$lengthscale$spent)

#' @param epsilon rates: "learn", one for all sources; "learn2", one for each class; or held.
#' @param proper whether the prior is a density, with its constants, of the logit of a flip
#'   rate, too.
#' @noRd
log_coordinates <- function(latent, epsilon, proper = FALSE) {
  kernel <- kernel_coordinates(latent, normal = FALSE)
  sources <- length(latent$reports$sources)
  noise <- if (is.character(epsilon)) {
    of <- if (epsilon == "learn2") seq_len(latent$classes) else rep(1L, latent$classes)
    whereto <- whereto_known(latent$classes, latent_share(latent))
    noise_free("logit", of, matrix(1, sources), NULL, whereto)
  } else {
    noise_held("given", epsilon, latent$classes, sources, latent_share(latent))
  }
  bounds <- kernel_bounds(latent, kernel$field)
  w <- kernel$precision
  new_coordinates(kernel, noise, 0, list(
    start = c(bounds$start, rep(stats::qlogis(2 * 0.05), noise$d)),
    lower = c(bounds$lower, rep(learn_bounds$epsilon[1], noise$d)),
    upper = c(bounds$upper, rep(learn_bounds$epsilon[2], noise$d)),
    # rather too small: that is mended by the first steps
    curvature = pmax(c(w, numeric(noise$d)), learn_least), least = learn_least,
    constant = if (proper) c(-stats::dnorm(0, log = TRUE) - log(w) / 2, numeric(noise$d)) else 0,
    logit_prior = proper && noise$d > 0, small = stats::qlogis(2 * learn_small_epsilon)
  ))
}

# Hyperparameters -------------------------------------------------------------

#' log u = centre + root z, in normal coordinates the bias in units of what it competes with, and
#' the widths of classes in units of its root
#'
#' All log lengthscales share one factor beside their own: independent ones of many
#' columns would pin the overall scale. The bias is in units of variance + nugget:
#' otherwise unbalanced classes without signal would not be in the prior. The log of a nugget
#' whose prior has bounds follows a curve of its own.
#' @noRd
kernel_coordinates <- function(latent, normal) {
  free <- latent$free
  start <- latent$hyper
  of <- rep(free, lengths(start[free])) # what each value belongs to
  prior <- latent$prior
  centre <- numeric(length(of))
  precision <- numeric(length(of))
  for (name in intersect(free, names(Filter(Negate(is.null), prior)))) {
    centre[of == name] <- prior[[name]]$meanlog
    precision[of == name] <- prior[[name]]$sdlog^-2
  }
  roots <- lapply(free, function(name) {
    if (normal && !is.null(prior[[name]])) {
      prior_root(latent, name)
    } else {
      moved_alone(latent, name)
    }
  })
  root <- block_diagonal(roots)
  field <- rep(free, vapply(roots, ncol, 1L))
  shift <- if (normal) centre else held_ratios(latent, root)
  # powers of variance + nugget that these are in units of
  scaled <- if (normal) c(bias = 1, width = 1 / 2)[intersect(c("bias", "width"), free)]
  overlap <- intersect(overlap_names, free)
  curve <- if (normal && length(overlap)) nugget_curve(prior[[overlap]])
  bent <- of %in% overlap & !is.null(curve)
  shift[bent] <- 0
  if (any(bent)) root[bent, ] <- root[bent, ] / prior[[overlap]]$sdlog
  logs <- function(score) {
    u <- shift + score
    if (any(bent)) u[bent] <- curve$value(score[bent])
    u
  }
  hyper <- function(z) {
    u <- exp(logs(drop(root %*% z)))
    values <- start
    for (name in free) values[[name]][] <- u[of == name]
    for (name in names(scaled)) {
      values[[name]] <- values[[name]] * (values$variance + values$nugget)^scaled[[name]]
    }
    values
  }
  pull <- function(z, gradient) {
    slope <- unlist(gradient[free], use.names = FALSE)
    if (length(scaled)) {
      now <- hyper(z)
      # one bias a kernel, all widths of the one there is
      by_scale <- Reduce(`+`, lapply(names(scaled), function(name) {
        scaled[[name]] * if (name == "width") sum(gradient$width) else gradient[[name]]
      }))
      for (name in intersect(c("variance", "nugget"), free)) {
        share <- now[[name]] / (now$variance + now$nugget)
        slope[of == name] <- slope[of == name] + by_scale * share
      }
    }
    if (any(bent)) slope[bent] <- slope[bent] * curve$slope(drop(root %*% z)[bent])
    drop(crossprod(root, slope))
  }
  if (normal) {
    centre <- numeric(length(field))
    precision <- centre + 1
  } else {
    centre <- moved_mean(root, centre)
    precision <- moved_mean(root, precision)
  }
  list(field = field, hyper = hyper, pull = pull, mean = centre, precision = precision)
}

#' Root of the prior covariance of the logs of one kind of hyperparameter: a row a value, a
#' column a coordinate
#' @noRd
prior_root <- function(latent, name) {
  prior <- latent$prior
  alone <- moved_alone(latent, name)
  values <- ncol(alone)
  common <- sum(if (name == "lengthscale") prior$common else prior[[name]]$common)
  root <- common_root(values, prior[[name]]$sdlog, common)
  if (values < nrow(alone)) alone %*% root else root
}

#' What moves by itself of the values of one kind of hyperparameter: a row a value, a column for
#' each that does. Of the lengthscales of very many columns it is their common factor alone, see
#' wide_kernel().
#' @noRd
moved_alone <- function(latent, name) {
  values <- length(latent$hyper[[name]])
  if (name != "lengthscale" || !isTRUE(latent$prior$lengthscale$tied)) {
    return(diag(values))
  }
  kernels <- length(latent$hyper$nugget)
  diag(kernels) %x% matrix(1, values / kernels)
}

#' What the logs of values that move together differ by: 0 for others
#' @noRd
held_ratios <- function(latent, root) {
  start <- log(as.numeric(unlist(latent$hyper[latent$free])))
  if (nrow(root) == ncol(root)) 0 * start else start - drop(root %*% moved_mean(root, start))
}

#' The means of values that move together
#' @noRd
moved_mean <- function(root, values) {
  if (nrow(root) == ncol(root)) values else drop(crossprod(root, values)) / colSums(root)
}

#' A matrix with others along its diagonal
#' @noRd
block_diagonal <- function(blocks) {
  rows <- vapply(blocks, nrow, 1L)
  columns <- vapply(blocks, ncol, 1L)
  out <- matrix(0, sum(rows), sum(columns))
  for (k in seq_along(blocks)) {
    at <- sum(rows[seq_len(k - 1)]) + seq_len(rows[k])
    out[at, sum(columns[seq_len(k - 1)]) + seq_len(columns[k])] <- blocks[[k]]
  }
  out
}

#' Where a search among the logs starts and how far it may go
#' @noRd
kernel_bounds <- function(latent, field) {
  start <- log(as.numeric(unlist(latent$hyper[latent$free])))
  start <- moved_mean(block_diagonal(lapply(latent$free, moved_alone, latent = latent)), start)
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
    within <- latent$prior[[name]]$within
    if (!is.null(within)) {
      lower[at] <- within[1]
      upper[at] <- within[2]
    }
  }
  list(start = start, lower = lower, upper = upper)
}

#' Onto the bounds what is beyond them
#' @noRd
learn_within <- function(problem, par) pmin(pmax(par, problem$lower), problem$upper)
