# Overlap of the classes: how often a label that is right contradicts the inputs. It is what a
# nugget stands for, and it is a belief: what the prior of the nugget says of it, or the user.

# By default the prior has two possibilities [M 8.16]: beside the wide one, that classes hardly
# overlap, with the probability `share`. Of the log of the nugget over the prior variance.
overlap_besides <- list(meanlog = log(0.01), sdlog = 0.5, share = 0.5)

#' The share of right labels that a nugget puts on the other side of the latent function [M 8.15]
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
#'   the latent function in the prior. @param overlap see noise_prior(). @param two whether the
#'   prior has two possibilities by default.
#' @return the same list; its prior has `besides`, a second possibility, and `within`, bounds of
#'   the log, where there are such.
#' @noRd
overlap_believed <- function(nugget, variance, overlap, two, classes = 2) {
  if (length(overlap) == 1) {
    nugget$nugget <- variance * overlap_nugget(overlap, classes)
    nugget$held <- TRUE
    return(nugget)
  }
  if (two && !is.null(nugget$prior)) {
    nugget$prior$besides <- overlap_besides
    nugget$prior$besides$meanlog <- overlap_besides$meanlog + log(variance)
  }
  if (length(overlap) == 2) {
    within <- log(variance * overlap_nugget(overlap, classes))
    nugget$held <- FALSE
    nugget$nugget <- exp(min(max(log(nugget$nugget), within[1] + 0.1), within[2] - 0.1))
    if (!is.null(nugget$prior)) nugget$prior$within <- within
  }
  nugget
}

# The log of a nugget as a function of a standard normal ------------------------------

nugget_far <- 9 # sds, beyond which it is not looked at

#' @param prior list(meanlog, sdlog, besides, within). @return list(value(z), slope(z), normal(x),
#'   the way back), vectorised; `NULL` where the log is normal. Values are of a spline.
#' @noRd
nugget_curve <- function(prior) {
  if (is.null(prior$besides) && is.null(prior$within)) {
    return(NULL)
  }
  mean <- c(prior$meanlog, prior$besides$meanlog)
  sd <- c(prior$sdlog, prior$besides$sdlog)
  share <- c(1 - sum(prior$besides$share), prior$besides$share)
  ends <- prior$within
  if (is.null(ends)) ends <- range(mean - 10 * sd, mean + 10 * sd)
  mass <- function(from, to) { # of each part, without cancellation in the tails
    part <- function(k) {
      side <- ifelse(from > mean[k], -1, 1)
      between <- stats::pnorm(side * (to - mean[k]) / sd[k]) -
        stats::pnorm(side * (from - mean[k]) / sd[k])
      share[k] * side * between
    }
    Reduce(`+`, lapply(seq_along(mean), part))
  }
  all <- mass(ends[1], ends[2])
  normal <- function(x) {
    x <- pmin(pmax(x, ends[1]), ends[2])
    below <- mass(ends[1], x) / all
    above <- mass(x, ends[2]) / all
    ifelse(below < above, stats::qnorm(below), -stats::qnorm(above))
  }
  # as fine at the bounds as in the middle
  step <- seq(-1, 1, length.out = 1500)
  share_at <- if (is.null(prior$within)) (step + 1) / 2 else stats::pnorm(8.2 * step)
  grid <- ends[1] + diff(ends) * share_at
  at <- normal(grid)
  fine <- which(abs(at) < nugget_far & c(TRUE, diff(at) > 0))
  curve <- stats::splinefun(at[fine], grid[fine], "natural", ties = "ordered")
  list(
    value = function(z) pmin(pmax(curve(z), ends[1]), ends[2]),
    slope = function(z) curve(z, deriv = 1), normal = normal
  )
}

#' Posterior probability of the second possibility at log nuggets, by its prior density there
#' @noRd
besides_share <- function(x, prior) {
  second <- prior$besides
  first <- stats::dnorm(x, prior$meanlog, prior$sdlog, log = TRUE) + log1p(-second$share)
  1 / (1 + exp(first - stats::dnorm(x, second$meanlog, second$sdlog, log = TRUE) -
                 log(second$share)))
}
