# Noise models: what is reported of each true class, as a function of coordinates: standard
# normals, or the logits of an optimum.

#' A noise model
#'
#' @param name see noise_models, "matrix" or "given". @param d coordinates.
#' @param omega function(z) of the S x C x C probabilities.
#' @param pull function(z, slope) of the gradient in z, slope that in omega, S x C x C.
#' @param rates function(z) of the rates that omega is made of as a fit shows them, the mean of
#'   the sources': one rate, or (neg, pos); or what is held. @param prior function(z): value and
#'   gradient of what the log prior has beside the normal one.
#' @noRd
new_noise <- function(name, d, omega, pull, rates, prior = nothing_besides) {
  list(name = name, d = d, omega = omega, pull = pull, rates = rates, prior = prior)
}

nothing_besides <- function(z) list(value = 0, gradient = numeric(length(z)))

#' One that is held
#' @param epsilon,share as as_omega() takes them.
#' @noRd
noise_held <- function(name, epsilon, classes, sources, share = NULL) {
  omega <- as_omega(epsilon, classes, sources, share)
  new_noise(
    name, 0L, function(z) omega, function(z, slope) numeric(), function(z) epsilon
  )
}

#' A rate of every source, or one for each of its true classes, or of one of them
#'
#' @param link see rates_of_groups(): which coordinates and rates there are. @param kinds of rates a
#'   source has: 1, or C. @param prior see new_noise(). @param only the true class that alone is
#'   recorded wrongly: its rate is of the one kind. @param share see as_omega().
#' @noRd
noise_rates <- function(name, link, kinds, classes, prior = nothing_besides, only = NULL,
                        share = NULL) {
  by_class <- if (is.null(only)) kinds else classes
  by_source <- function(z) {
    rates <- link$rates(z)
    if (is.null(only)) rates else rates %*% diag(classes)[only, , drop = FALSE]
  }
  new_noise(
    name, link$d,
    omega = function(z) rates_omega(by_source(z), classes, share),
    pull = function(z, slope) {
      slope <- rates_slope(slope, by_class, share)
      link$pull(z, if (is.null(only)) slope else slope[, only, drop = FALSE])
    },
    rates = function(z) {
      rates <- colMeans(by_source(z))
      if (by_class == 2) stats::setNames(rates, c("neg", "pos")) else rates[1]
    },
    prior = prior
  )
}

#' A noise model by name, in standard normals
#' @param noise see noise_model().
#' @noRd
noise_of <- function(name, noise) {
  kinds <- noise_kinds[[name]]
  if (is.null(kinds)) {
    given <- if (name == "none") 0 else noise$given
    return(noise_held(name, given, noise$classes, noise$sources, noise$share))
  }
  root <- rate_root(noise$groups, noise$pooling)
  link <- rates_of_groups(rate_normals(noise$rate[kinds]), root, length(kinds))
  if (!is.null(noise$design)) {
    size <- vapply(noise$rate[kinds], function(rate) rate$size, 1)
    link <- rates_with_slopes(link, noise$design, size)
  }
  noise_rates(
    name, link, length(kinds), noise$classes, only = noise_only[[name]], share = noise$share
  )
}

# Priors of the rates of noise models; where one class alone is recorded wrongly, which
noise_kinds <- list(one = "one", two = c("neg", "pos"), first = "neg", second = "pos")
noise_only <- list(first = 1L, second = 2L, third = 3L, fourth = 4L)
# Noise models whose rates differ by class
noise_by_class <- c("two", "matrix", names(noise_only))
# One row of a matrix alone costs about what the whole matrix does: so many of several classes and
# rows have it among their noise models
alone_classes <- 4L
alone_rows <- 200L

#' What learning needs to know of label noise
#'
#' @param epsilon as in gpc_spec(). @param prior see noise_prior(). @param reports of the rows.
#' @param integrate whether hyperparameters are integrated. @param share of classes in an order: see
#'   as_omega().
#' @return list(weights: prior probabilities of the noise models; models: those whose modes are
#'   sought, `matrices`, of several classes "matrix" and its rows alone, not among them, for these
#'   are sought from theirs; rate: priors by kind,
#'   list(a, b, size) each; shape: that of the rate at the centre of a matrix; study: see
#'   matrix_study(); given; classes,
#'   sources; groups of these, and their design, see rates_design(); own: whether each has a matrix; ruled_out: prior probabilities of models that can't
#'   be; pooling; integrate).
#' @noRd
noise_model <- function(epsilon, prior, reports, integrate = TRUE, share = NULL) {
  readers <- by_readers(reports) && length(reports$sources) > 1
  groups <- length(rate_groups(reports)$names)
  shape <- rate_shape(prior, if (readers) 1 else groups)
  # the others tell of a reader who is wrong more often than not
  most <- if (readers) 1 else 0.5
  usual <- list(a = 1, b = shape, size = most, most = most, free = readers)
  wrong <- function(shapes) { # of the rate of wrong labels, which is the user's to be above 1/2
    if (is.null(shapes)) {
      return(usual)
    }
    list(a = shapes[2], b = shapes[1], size = 1, most = 1, free = readers)
  }
  weights <- noise_weights(epsilon, prior, reports, !is.null(share))
  out <- noise_ruled_out(names(weights), reports)
  names <- names(weights)[!out]
  matrices <- if (reports$classes > 2) intersect(c("matrix", names(noise_only)), names)
  list(
    weights = weights[!out],
    models = union(setdiff(names, matrices), if (length(matrices)) "one"), matrices = matrices,
    rate = list(one = usual, neg = wrong(prior$specificity), pos = wrong(prior$sensitivity)),
    shape = shape,
    study = matrix_study(prior, reports$classes, if (readers) length(reports$sources) else 1L),
    given = if (!is.character(epsilon)) epsilon, share = share,
    classes = reports$classes, sources = length(reports$sources), groups = groups,
    design = reports$design, own = readers,
    ruled_out = if (any(out)) weights[out], pooling = prior$pooling, integrate = integrate
  )
}

#' Which noise models can't be: a check has found a label wrong that under them is right, or
#' readers contradict each other
#'
#' Where that leaves none of them they are the user's word, as a rate of 0 is that a check has
#' disproved: see report_factors().
#' @noRd
noise_ruled_out <- function(names, reports) {
  misread <- report_misread(reports)
  disputed <- by_readers(reports) && length(report_disputed(reports)) > 0
  out <- vapply(names, function(name) {
    may <- if (name == "none") integer() else noise_only[[name]]
    if (name == "none" && disputed) {
      return(TRUE)
    }
    length(setdiff(misread, may)) > 0 && (name == "none" || !is.null(may))
  }, NA)
  out & !all(out)
}

#' Prior probabilities of the noise models by name
#' @param ordered whether the classes are in an order: then there is one rate or none.
#' @noRd
noise_weights <- function(epsilon, prior, reports, ordered = FALSE) {
  if (!is.character(epsilon)) {
    return(c(given = 1))
  }
  # a rate for each class of several is a matrix, and so is one of a class alone
  several <- reports$classes > 2
  own <- if (several) "matrix" else "two"
  told <- prior[c("sensitivity", "specificity", "study")]
  told <- !all(vapply(told, is.null, NA)) && is.null(prior$unlabelled)
  if (told) epsilon <- "learn2"
  one <- switch(epsilon, learn = "one", learn2 = own, matrix = "matrix")
  weights <- if (is.null(one) && ordered) {
    none <- prior$models[["none"]]
    c(none = none, one = 1 - none)
  } else if (is.null(one) && by_readers(reports) && length(reports$sources) > 1) {
    # a reader hardly ever errs alike in all classes
    none <- prior$models[["none"]]
    stats::setNames(c(none, 1 - none), c("none", own))
  } else if (is.null(one)) {
    if (several) matrix_weights(prior$models, reports) else prior$models
  } else {
    stats::setNames(1, one)
  }
  weights[weights > 0]
}

#' The same of several classes: half of the probability of the first or second alone is that of
#' one of them alone, whichever
#' @noRd
matrix_weights <- function(models, reports) {
  by_class <- names(models) %in% noise_by_class
  few <- reports$classes <= alone_classes && reports$n <= alone_rows && !by_readers(reports)
  alone <- if (few) sum(models[names(models) %in% names(noise_only)]) / 2 else 0
  each <- rep(alone / reports$classes, reports$classes)
  names(each) <- names(noise_only)[seq_along(each)]
  c(models[!by_class], matrix = sum(models[by_class]) - alone, if (few) each)
}

# Rates as functions of coordinates ------------------------------------------------

#' Rates by standard normals
#'
#' Where one of two may be above 1/2, their sum is below 1: the second is cut off where the first
#' leaves it [M 13.8].
#' @param priors of the rates by kind, see rate_quantile().
#' @return list(rates(Z), pull(Z, slope)), of a row a source and a column a kind
#' @noRd
rate_normals <- function(priors) {
  each <- function(Z, f) {
    kind <- col(Z)
    matrix(vapply(seq_along(Z), function(k) f(Z[k], priors[[kind[k]]]), numeric(1)), nrow(Z))
  }
  most <- vapply(priors, function(prior) prior$most, numeric(1))
  if (length(priors) < 2 || sum(most) <= 1 || isTRUE(priors[[1]]$free)) {
    return(list(
      rates = function(Z) each(Z, rate_quantile),
      pull = function(Z, slope) slope * each(Z, rate_slope)
    ))
  }
  second <- function(Z, first, f) {
    vapply(seq_along(first), function(s) {
      prior <- priors[[2]]
      prior$most <- min(prior$most, 1 - first[s])
      f(Z[s, 2], prior)
    }, numeric(1))
  }
  list(
    rates = function(Z) {
      first <- each(Z[, 1, drop = FALSE], rate_quantile)
      cbind(first, second(Z, first, rate_quantile))
    },
    pull = function(Z, slope) {
      first <- each(Z[, 1, drop = FALSE], rate_quantile)
      by_cut <- second(Z, first, rate_cut_slope)
      by_cut[1 - first >= most[2]] <- 0
      cbind(
        (slope[, 1] - slope[, 2] * by_cut) * each(Z[, 1, drop = FALSE], rate_slope),
        slope[, 2] * second(Z, first, rate_slope)
      )
    }
  )
}

#' Rates by logits of twice the rate, alike
#' @noRd
rate_logits <- list(
  rates = function(Z) 0.5 * stats::plogis(Z),
  pull = function(Z, slope) {
    e <- 0.5 * stats::plogis(Z)
    slope * e * (1 - 2 * e)
  }
)

#' The prior of a rate in its logit: the density of the rate times its slope e (1 - 2e) [M 8.7]
#' @noRd
logit_prior <- function(z) {
  e <- 0.5 * stats::plogis(z)
  b <- rate_prior_shape
  list(value = sum(log(2 * b * e) + b * log1p(-2 * e)), gradient = 1 - 2 * e - 2 * b * e)
}

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

#' e with the standard normal z: e/size has a Beta(a, b) distribution, cut off at e = most
#' @param prior list(a, b, size, most; free: whether the sum of two may be above 1).
#' @noRd
rate_quantile <- function(z, prior) {
  cap <- rate_cap(prior)
  e <- prior$size * if (z < 0 || cap < log(0.5)) {
    stats::qbeta(cap + stats::pnorm(z, log.p = TRUE), prior$a, prior$b, log.p = TRUE)
  } else { # from above, where a sum would lose the tail
    above <- -expm1(cap) + exp(cap) * stats::pnorm(-z)
    stats::qbeta(above, prior$a, prior$b, lower.tail = FALSE)
  }
  min(e, prior$most - rate_margin)
}

rate_slope <- function(z, prior) {
  e <- rate_quantile(z, prior)
  if (e == prior$most - rate_margin) {
    return(0)
  }
  exp(stats::dnorm(z, log = TRUE) + rate_cap(prior) + log(prior$size) -
    stats::dbeta(e / prior$size, prior$a, prior$b, log = TRUE))
}

#' Derivative of a rate in the most that it can be, where it is cut off
#' @noRd
rate_cut_slope <- function(z, prior) {
  e <- rate_quantile(z, prior)
  log_density <- function(e) stats::dbeta(e / prior$size, prior$a, prior$b, log = TRUE)
  exp(stats::pnorm(z, log.p = TRUE) + log_density(prior$most) - log_density(e))
}

rate_margin <- 1e-6 # of a rate below the most that it can be

#' Log probability of a rate below the most that it can be, before it is cut off there
#' @noRd
rate_cap <- function(prior) stats::pbeta(prior$most / prior$size, prior$a, prior$b, log.p = TRUE)

#' The standard normal of a rate
#' @noRd
rate_normal <- function(e, prior) {
  below <- stats::pbeta(e / prior$size, prior$a, prior$b, log.p = TRUE)
  stats::qnorm(below - rate_cap(prior), log.p = TRUE)
}
