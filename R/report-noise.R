# Noise models: what is reported of each true class, as a function of standard normals.

#' A noise model
#'
#' @param name "none", "one", "two", "given" or "matrix". @param d coordinates.
#' @param omega function(z) of the S x C x C probabilities, z standard normal.
#' @param pull function(z, slope) of the gradient in z, slope that in omega, S x C x C.
#' @param rates function(z) of the rates that omega is made of, S x 1 or S x C; of a matrix
#'   itself. @param prior function(z): value and gradient of what the log prior has beside the
#'   normal one.
#' @noRd
new_noise <- function(name, d, omega, pull, rates, prior = nothing_besides) {
  list(name = name, d = d, omega = omega, pull = pull, rates = rates, prior = prior)
}

nothing_besides <- function(z) list(value = 0, gradient = numeric(length(z)))

#' One that is held
#' @param epsilon as as_omega() takes it.
#' @noRd
noise_held <- function(name, epsilon, classes, sources) {
  omega <- as_omega(unname(epsilon), classes, sources)
  rates <- unname(epsilon)
  if (!is.matrix(rates)) rates <- matrix(rates, sources, length(rates), byrow = TRUE)
  new_noise(
    name, 0L, function(z) omega, function(z, slope) numeric(), function(z) rates
  )
}

#' A rate of every source, or one for each of its true classes
#'
#' @param priors of the rates, by kind: one, or one a class, see rate_quantile().
#' @param pooling prior correlation of two sources' rates on the normal scale.
#' @noRd
noise_rates <- function(name, priors, classes, sources, pooling = 0) {
  root <- rate_root(sources, pooling)
  kind <- rep(seq_along(priors), each = sources)
  each <- function(z, f) {
    z <- root %*% matrix(z, sources)
    value <- vapply(seq_along(z), function(k) f(z[k], priors[[kind[k]]]), numeric(1))
    matrix(value, sources)
  }
  rates <- function(z) each(z, rate_quantile)
  new_noise(
    name, sources * length(priors),
    omega = function(z) rates_omega(rates(z), classes),
    pull = function(z, slope) {
      as.vector(crossprod(root, rates_slope(slope, length(priors)) * each(z, rate_slope)))
    },
    rates = rates
  )
}

#' A noise model by name
#' @param noise see noise_model().
#' @noRd
noise_of <- function(name, noise) {
  switch(name,
    none = noise_held(name, 0, noise$classes, noise$sources),
    given = , matrix = noise_held(name, noise$given, noise$classes, noise$sources),
    one = noise_rates(name, noise$rate["one"], noise$classes, noise$sources, noise$pooling),
    two = noise_rates(
      name, noise$rate[c("neg", "pos")], noise$classes, noise$sources, noise$pooling
    )
  )
}

#' What averaging needs to know of label noise
#'
#' @param epsilon as in gpc_spec(). @param reports of the rows. @param integrate whether
#'   hyperparameters are integrated.
#' @return list(models, weights, rate: priors by kind, list(a, b, size) each; given; classes,
#'   sources; ruled_out: prior probabilities of models that can't be; pooling; integrate).
#' @noRd
noise_model <- function(epsilon, prior, reports, integrate = TRUE) {
  usual <- list(a = 1, b = rate_shape(prior, length(reports$sources)), size = 0.5)
  wrong <- function(shapes) { # of the rate of wrong labels
    if (is.null(shapes)) usual else list(a = shapes[2], b = shapes[1], size = 1)
  }
  study <- !is.null(prior$sensitivity) || !is.null(prior$specificity)
  weights <- if (is.numeric(epsilon)) {
    c(given = 1)
  } else if (study || epsilon == "learn2") {
    c(two = 1)
  } else if (epsilon == "learn") {
    c(one = 1)
  } else {
    prior$models[prior$models > 0]
  }
  without_excluded(list(
    models = names(weights), weights = weights,
    rate = list(one = usual, neg = wrong(prior$specificity), pos = wrong(prior$sensitivity)),
    given = if (is.numeric(epsilon)) epsilon, classes = reports$classes,
    sources = length(reports$sources), pooling = prior$pooling, integrate = integrate
  ), reports)
}

#' Once a check has found a wrong label, that there is none is ruled out
#' @noRd
without_excluded <- function(noise, reports) {
  none <- names(noise$weights) == "none"
  if (report_disproved(reports) && any(none) && !all(none)) {
    noise$ruled_out <- noise$weights[none]
    noise$weights <- noise$weights[!none]
    noise$models <- setdiff(noise$models, "none")
  }
  noise
}

# Rates as functions of normals ----------------------------------------------------

#' Symmetric root of sd^2 I + common^2 11'
#' @noRd
common_root <- function(n, sd, common) {
  diag(sd, n) + (sqrt(sd^2 + n * common^2) - sd) / max(n, 1)
}

#' Root of the prior correlation of the rates of sources
#' @noRd
rate_root <- function(sources, pooling) {
  if (sources < 2) {
    return(matrix(1))
  }
  common_root(sources, sqrt(1 - pooling), sqrt(pooling))
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
