# The prior of a noise matrix, in two levels: how often rows of a class are wrong, alike among
# the classes, and whereto, which may be one other class only. Given the prior's parameters both
# are conjugate, Beta and Dirichlet; these by the counts, or integrated over grids [M 12.13]. Where
# readers have a matrix each, counts and matrices are those of all on top of each other: (S C) x C.

# Of the log strength of how often, in rows of data, and of whereto
matrix_strength <- c(meanlog = log(150), sdlog = 1)
readers_strength <- c(meanlog = log(10), sdlog = 1) # readers differ more than classes do
matrix_apart <- c(meanlog = 0, sdlog = 1.5)
matrix_grid <- 41L # points a side
matrix_fields <- c("rate", "strength", "apart", "counts")

#' The prior of the log strength of how often
#' @param counts of one matrix, or of those of several readers.
#' @noRd
strength_prior <- function(counts) {
  if (nrow(counts) > ncol(counts)) readers_strength else matrix_strength
}

#' Parameters of the prior by the marginal likelihood of the counts
#' @param shape twice the rate has a Beta(1, shape) distribution.
#' @return list(rate, strength: of how often, apart: the strength of whereto).
#' @noRd
matrix_prior <- function(counts, shape = 1) {
  # densities in par, of the rate and of the log-normal strengths
  strength <- strength_prior(counts)
  normal <- function(x, of) (x - of[["meanlog"]])^2 / (2 * of[["sdlog"]]^2)
  often <- function(par) {
    rate <- 0.5 * stats::plogis(par[1])
    normal(par[2], strength) - often_marginal(rate, exp(par[2]), counts) - log(rate) -
      shape * log1p(-2 * rate)
  }
  whereto <- function(par) normal(par, matrix_apart) - whereto_marginal(exp(par), counts)
  wrong <- (sum(counts) - sum(on_diagonal(counts)) + 0.5) / (sum(counts) + 1)
  start <- c(stats::qlogis(2 * min(wrong, 0.45)), strength[["meanlog"]])
  found <- stats::optim(start, often, control = list(reltol = 1e-8))
  ends <- matrix_apart[["meanlog"]] + c(-5, 5) * matrix_apart[["sdlog"]]
  list(
    rate = 0.5 * stats::plogis(found$par[1]), strength = exp(found$par[2]),
    apart = exp(stats::optimize(whereto, ends)$minimum)
  )
}

#' Counts of a study of the labels, true classes x recorded ones; 0 of none
#' @param prior see noise_prior(). @param matrices how many there are, one for each reader.
#' @noRd
matrix_study <- function(prior, classes, matrices = 1L) {
  if (is.null(prior$study)) matrix(0, matrices * classes, classes) else unname(prior$study)
}

#' Parameters of the prior, and their probabilities given counts
#'
#' @param study counts that were known before: the prior is that given them.
#' @return list(often: list(rate, strength, share), whereto: list(apart, share), of as many
#'   points each; log_marginal of the counts).
#' @noRd
matrix_prior_grid <- function(counts, shape, study = 0 * counts) {
  p <- (seq_len(matrix_grid) - 0.5) / matrix_grid
  normals <- function(p, of) exp(stats::qnorm(p, of[["meanlog"]], of[["sdlog"]]))
  often <- expand.grid(
    rate = 0.5 * stats::qbeta(p, 1, shape), strength = normals(p, strength_prior(counts))
  )
  fine <- (seq_len(5L * matrix_grid) - 0.5) / (5L * matrix_grid)
  whereto <- list(apart = normals(fine, matrix_apart))
  given <- function(counts) {
    one <- often_marginal(often$rate, often$strength, counts)
    other <- whereto_marginal(whereto$apart, counts)
    list(
      one = one, other = other,
      log_marginal = log_sum(one) - log(length(one)) + log_sum(other) - log(length(other))
    )
  }
  all <- given(counts + study)
  list(
    often = c(often, list(share = softmax(all$one))),
    whereto = c(whereto, list(share = softmax(all$other))),
    log_marginal = all$log_marginal - if (any(study > 0)) given(study)$log_marginal else 0
  )
}

#' Log marginal likelihood of how often rows are wrong, up to the multinomial coefficients
#' @param rate,strength of the prior: numbers, or as many of each.
#' @noRd
often_marginal <- function(rate, strength, counts) {
  right <- on_diagonal(counts)
  wrong <- rowSums(counts) - right
  a <- strength * rate
  b <- strength - a
  value <- 0
  for (c in seq_along(right)) value <- value + lbeta(a + wrong[c], b + right[c]) - lbeta(a, b)
  value
}

#' Log marginal likelihood of where those go that are wrong
#' @param apart strength of the prior: a number, or several.
#' @noRd
whereto_marginal <- function(apart, counts) {
  off <- off_diagonal(counts)
  each <- apart / ncol(off)
  gain <- function(at, count) lgamma(at + count) - lgamma(at)
  value <- 0
  for (count in off) value <- value + gain(each, count)
  for (total in rowSums(off)) value <- value - gain(apart, total)
  value
}

#' Which entries are on the diagonal of a matrix, or of one of several on top of each other
#' @noRd
is_diagonal <- function(m) (row(m) - 1) %% ncol(m) + 1 == col(m)

on_diagonal <- function(m) t(m)[t(is_diagonal(m))]

#' The rows of a matrix without their diagonal entries: C - 1 columns
#' @noRd
off_diagonal <- function(m) matrix(t(m)[!t(is_diagonal(m))], nrow(m), byrow = TRUE)

#' And back
#' @noRd
with_diagonal <- function(off, on) {
  m <- matrix(0, nrow(off), ncol(off) + 1)
  diagonal <- is_diagonal(m)
  across <- t(m)
  across[!t(diagonal)] <- t(off)
  across[t(diagonal)] <- on
  t(across)
}

# The posterior of the rows -----------------------------------------------------------

#' @param prior see matrix_prior(); with counts of 0, the prior itself. @param only the true class
#'   that alone is recorded wrongly, or `NULL`.
#' @return list(often (a row each, 2 columns: Beta, of wrong and of right), whereto (C - 1 columns:
#'   Dirichlet), only).
#' @noRd
matrix_posterior <- function(prior, counts, only = NULL) {
  right <- on_diagonal(counts)
  off <- off_diagonal(counts)
  rate <- c(prior$rate, 1 - prior$rate)
  list(
    often = cbind(rowSums(off), right) + rep(prior$strength * rate, each = length(right)),
    whereto = off + prior$apart / ncol(off), only = only
  )
}

#' exp E log of the rows, or what else a function of Dirichlet rows gives
#' @noRd
matrix_point <- function(posterior, of) {
  often <- of(posterior$often)
  row_alone(with_diagonal(often[, 1] * of(posterior$whereto), often[, 2]), posterior$only)
}

#' A matrix with the row of one class alone; the others are recorded rightly
#' @param none,sure what stands for a probability of 0 and of 1.
#' @noRd
row_alone <- function(m, only, none = 0, sure = 1) {
  if (!is.null(only)) {
    m[-only, ] <- none
    diag(m)[-only] <- sure
  }
  m
}

matrix_mean <- function(posterior) matrix_point(posterior, dirichlet_mean)

matrix_geometric <- function(posterior) {
  matrix_point(posterior, function(alpha) exp(digamma(alpha) - digamma(rowSums(alpha))))
}

dirichlet_mean <- function(alpha) alpha / rowSums(alpha)

#' Sum over rows of KL(a || b), how often and whereto
#' @noRd
matrix_divergence <- function(a, b) {
  dirichlet_divergence(a$often, b$often) + dirichlet_divergence(a$whereto, b$whereto)
}

#' Variances of the entries: of the product of two that are independent
#' @noRd
matrix_variance <- function(posterior) {
  spread <- function(alpha) {
    mean <- dirichlet_mean(alpha)
    mean * (1 - mean) / (rowSums(alpha) + 1)
  }
  often <- spread(posterior$often)
  rate <- dirichlet_mean(posterior$often)[, 1]
  to <- dirichlet_mean(posterior$whereto)
  moved <- spread(posterior$whereto)
  row_alone(
    with_diagonal(rate^2 * moved + often[, 1] * (to^2 + moved), often[, 2]), posterior$only,
    sure = 0
  )
}

#' Sum over rows of KL(Dirichlet(a) || Dirichlet(b))
#' @noRd
dirichlet_divergence <- function(a, b) {
  total <- rowSums(a)
  sum(lgamma(total) - lgamma(rowSums(b))) - sum(lgamma(a) - lgamma(b)) +
    sum((a - b) * (digamma(a) - digamma(total)))
}

# log sum exp
log_sum <- function(x) {
  top <- max(x)
  if (is.finite(top)) top + log(sum(exp(x - top))) else top
}

#' Shares in proportion to exp(x), 0 for all where none is finite
#' @noRd
softmax <- function(x) {
  total <- log_sum(x)
  if (is.finite(total)) exp(x - total) else 0 * exp(x)
}
