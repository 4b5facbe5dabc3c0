# The prior of a noise matrix: its rows are Dirichlet, around one rate, with a strength; the
# rate and the strength by the counts, or integrated over a grid.

# Prior of the log strength, in rows of data: wide
matrix_strength <- c(meanlog = log(30), sdlog = 1.5)
matrix_grid <- 41L # points a side, of the prior's rate and strength

#' Rate and strength of the Dirichlet prior by the marginal likelihood of the counts [M 12.13]
#' @param shape twice the rate has a Beta(1, shape) distribution.
#' @noRd
matrix_prior <- function(counts, shape = 1) {
  minus_log <- function(par) {
    rate <- 0.5 * stats::plogis(par[1])
    # densities in par, of the rate and of the log-normal strength
    -dirichlet_marginal(rate, exp(par[2]), counts) - log(rate) - shape * log1p(-2 * rate) +
      (par[2] - matrix_strength[["meanlog"]])^2 / (2 * matrix_strength[["sdlog"]]^2)
  }
  wrong <- (sum(counts) - sum(diag(counts)) + 0.5) / (sum(counts) + 1)
  start <- c(stats::qlogis(2 * min(wrong, 0.45)), matrix_strength[["meanlog"]])
  found <- stats::optim(start, minus_log, control = list(reltol = 1e-8))
  list(rate = 0.5 * stats::plogis(found$par[1]), strength = exp(found$par[2]))
}

#' Rates and strengths of the prior, and their probabilities given counts
#' @return list(rate, strength, share (of as many points), log_marginal of the counts).
#' @noRd
matrix_prior_grid <- function(counts, shape) {
  p <- (seq_len(matrix_grid) - 0.5) / matrix_grid
  rate <- 0.5 * stats::qbeta(p, 1, shape)
  strength <- exp(stats::qnorm(p, matrix_strength[["meanlog"]], matrix_strength[["sdlog"]]))
  grid <- expand.grid(rate = rate, strength = strength)
  value <- dirichlet_marginal(grid$rate, grid$strength, counts)
  total <- log_sum(value)
  list(
    rate = grid$rate, strength = grid$strength, share = exp(value - total),
    log_marginal = total - 2 * log(matrix_grid)
  )
}

#' Log marginal likelihood of the counts under a Dirichlet prior of the rows
#' @param rate,strength of the prior: numbers, or as many of each.
#' @noRd
dirichlet_marginal <- function(rate, strength, counts) {
  classes <- ncol(counts)
  on <- strength * (1 - rate)
  off <- strength * rate / (classes - 1)
  gain <- function(at, count) lgamma(at + count) - lgamma(at)
  value <- 0
  for (true in seq_len(classes)) {
    value <- value - gain(strength, sum(counts[true, ]))
    for (recorded in seq_len(classes)) {
      value <- value + gain(if (recorded == true) on else off, counts[true, recorded])
    }
  }
  value
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
