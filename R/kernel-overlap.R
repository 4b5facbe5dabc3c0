# Overlap of the classes: how often a label that is right contradicts the inputs. It is what a
# nugget stands for, and it is a belief: what the prior of the nugget says of it, or the user.

#' The share of right labels that a nugget puts on the other side of the latent function [M 8.14]
#' @param nugget over the prior variance of the latent function.
#' @noRd
nugget_overlap <- function(nugget, classes = 2) {
  if (classes == 2) {
    return(atan(sqrt(nugget)) / pi)
  }
  f <- even_normals(2000L, classes)
  same <- native_classes_prob(f, matrix(nugget, nrow(f), classes))
  1 - mean(exp(same[cbind(seq_len(nrow(f)), max.col(f, "first"))]))
}

#' The nugget, over the prior variance, of such a share
#' @noRd
overlap_nugget <- function(overlap, classes = 2) {
  if (classes == 2) {
    return(tan(pi * overlap)^2)
  }
  vapply(overlap, function(share) {
    behind <- function(x) nugget_overlap(exp(x), classes) - share
    exp(stats::uniroot(behind, c(-30, 30), tol = 1e-4)$root)
  }, numeric(1))
}

#' Independent standard normals that fill the space evenly, n x d: a lattice and, in the other
#' dimensions, multiples of powers of a number that is as irrational as can be
#' @noRd
even_normals <- function(n, d) {
  base <- 2
  for (k in 1:50) base <- (1 + base)^(1 / d) # base^d = base + 1
  others <- (0.5 + outer(seq_len(n), base^-seq_len(d - 1))) %% 1
  stats::qnorm(cbind((seq_len(n) - 0.5) / n, others))
}

#' What is believed of overlap, as the nugget of a fit and its prior
#'
#' @param nugget list(nugget, held, prior) as the fit would have it without. @param variance of
#'   the latent function in the prior. @param overlap see noise_prior().
#' @return the same list; its prior has `within`, bounds of the log, where there are such.
#' @noRd
overlap_believed <- function(nugget, variance, overlap, classes = 2) {
  if (length(overlap) == 1) {
    nugget$nugget <- variance * overlap_nugget(overlap, classes)
    nugget$held <- TRUE
  } else if (length(overlap) == 2) {
    within <- log(variance * overlap_nugget(overlap, classes))
    nugget$held <- FALSE
    inside <- within + c(1, -1) * min(0.1, diff(within) / 4)
    nugget$nugget <- exp(min(max(log(nugget$nugget), inside[1]), inside[2]))
    if (!is.null(nugget$prior)) nugget$prior$within <- within
  }
  nugget
}

#' The log of a nugget within bounds as a function of a standard normal
#'
#' @param prior list(meanlog, sdlog, within). @return list(value(z), slope(z), normal(x), the way
#'   back), vectorised; `NULL` where the log is normal.
#' @noRd
nugget_curve <- function(prior) {
  if (is.null(prior$within)) {
    return(NULL)
  }
  ends <- (prior$within - prior$meanlog) / prior$sdlog
  side <- if (ends[1] > 0) -1 else 1 # from the tail in which there is no cancellation
  low <- stats::pnorm(min(side * ends))
  mass <- stats::pnorm(max(side * ends)) - low
  at <- function(z) {
    side * pmin(pmax(stats::qnorm(low + mass * stats::pnorm(side * z)), min(side * ends)), max(side * ends))
  }
  list(
    value = function(z) prior$meanlog + prior$sdlog * at(z),
    slope = function(z) prior$sdlog * mass * stats::dnorm(z) / pmax(stats::dnorm(at(z)), 1e-300),
    normal = function(x) {
      x <- pmin(pmax((x - prior$meanlog) / prior$sdlog, ends[1]), ends[2])
      side * stats::qnorm((stats::pnorm(side * x) - low) / mass)
    }
  )
}
