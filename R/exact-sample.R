#' Draws of the exact posterior of the latent function
#'
#' Samples the latent function given all labels by simulation, without the
#' approximation that EP makes, at the hyperparameters of the fit.
#'
#' @details
#' Chains start from the prior, are annealed through the flip rate from 1/2 down to
#' `epsilon` (0 included) and then move on at `epsilon`: each move draws a
#' velocity from the prior and follows the ellipse it gives for a quarter turn,
#' bouncing off or passing the places where a label changes side (exact Hamiltonian
#' Monte Carlo; Pakman and Paninski, 2014). No move is rejected, and there is nothing to
#' tune. Given the latent values at the training rows, those at `newdata` are
#' normal: \deqn{f^* | f \sim N(k^{*\prime} K^{-1} f,\; k^{**} - k^{*\prime} K^{-1} k^*)}{f* | f ~ N(k*'K^-1 f, k** - k*'K^-1 k*)}
#' with the nugget in `k**`, jointly for all rows.
#'
#' At finite `df` the prior is a t process: a Gaussian process divided by the square root
#' of a Gamma(df/2, df/2) variable that is common to the whole function. The labels depend
#' on signs and carry no information on that variable, so each draw is divided by the
#' root of a new one.
#'
#' With three classes or more there is a function for each, which all move together, and walls
#' are where another one becomes the largest; trusted and checked rows, and rates by group, are
#' what they are.
#'
#' Without `newdata`, draws are of the latent values of the training observations
#' themselves, including their share of the nugget. With `newdata`, and in
#' [predict()][predict.sturdy_model], they are of new observations.
#'
#' The draws use R's random numbers: [set.seed()] makes them repeatable. A move costs
#' n^2 for the velocity and n for each of about n/2 bounces, about 30 microseconds at
#' 150 rows; memory grows with n^2, and with the square of the rows of `newdata`.
#'
#' @param object A model fitted by [gpc()] or [stc()].
#' @param n Number of draws, at least 1 (1000 by default).
#' @param newdata As in [predict()][predict.sturdy_model]; `NULL`, the default,
#'   means the latent values at the training rows.
#' @param ... Not used.
#' @param thin Number of moves from one draw of a chain to the next, at least 1 (5 by
#'   default).
#' @param progress Whether progress is shown, as in [ep_control()]; by default that of the
#'   fit.
#'
#' @return A numeric matrix with one row per draw (`n`) and one column per row of the data
#'   (`NA` for rows of `newdata` with missing values); with three classes or more an array with
#'   a third dimension, the classes, the largest of whose functions is that of the true class.
#'   It has the attributes
#'   * `chain` (n): the chain of each draw, in the order of its draws;
#'   * `ess` (one per column; with three classes or more a matrix, rows x classes): bulk effective sample size, by [posterior::ess_bulk()];
#'   * `rhat` (as many): rank-normalised potential scale reduction, by
#'     [posterior::rhat()]: near 1 when the chains agree;
#'   * `jitter`: what was added to the diagonal of a singular kernel matrix, or 0.
#'
#'   `ess` and `rhat` (Vehtari et al., 2021) are computed only when the posterior package
#'   is installed; they are `NA` where a chain has too few draws.
#'
#' @section Conditions:
#' `sturdy_warning_not_mixed` when `rhat` is above 1.1 in some column of chains of 50
#' draws or more (with fewer, chance alone takes it there), and the posterior package is
#' installed;
#' `sturdy_error_no_kernel` for [bpm()]; `sturdy_error_inducing` for a fit with inducing
#' inputs; those of
#' [predict()][predict.sturdy_model] for `newdata`, and `sturdy_error_novel_levels` for
#' factor levels that training did not have; `sturdy_message_jitter` for a singular kernel
#' matrix.
#'
#' @references
#' Pakman, A. and Paninski, L. (2014) Exact Hamiltonian Monte Carlo for truncated
#' multivariate Gaussians. *Journal of Computational and Graphical Statistics* 23,
#' 518-542. \doi{10.1080/10618600.2013.788448}
#'
#' Neal, R. M. (2001) Annealed importance sampling. *Statistics and Computing* 11,
#' 125-139. \doi{10.1023/A:1008923215028}
#'
#' Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Bürkner, P.-C. (2021)
#' Rank-normalization, folding, and localization: an improved R-hat for assessing
#' convergence of MCMC. *Bayesian Analysis* 16, 667-718. \doi{10.1214/20-BA1221}
#' @seealso [check_fit()], [log_evidence()]
#' @export
#' @examples
#' x <- matrix(c(-2, -1, 1, 2), dimnames = list(NULL, "x"))
#' fit <- gpc(x, c("no", "no", "yes", "yes"), epsilon = 0.05)
#' set.seed(1)
#' f <- posterior_sample(fit, 200, newdata = data.frame(x = c(-3, 0.2)))
#' colMeans(f > 0)
#' predict(fit, data.frame(x = c(-3, 0.2)), type = "prob")
posterior_sample <- function(object,
                             n = 1000,
                             newdata = NULL,
                             ...,
                             thin = 5,
                             progress = object$spec$control$progress) {
  object <- fit_of(object, ...)
  check_has_latent(object)
  n <- check_count(n, "n", min = 1)
  thin <- check_count(thin, "thin", min = 1)
  progress <- check_progress(progress)
  new <- if (!is.null(newdata)) forge(object$blueprint, newdata)
  size <- max(nobs(object), length(new$complete)) * latent_functions(object)
  check_memory(4 * as.double(n) * size, n, what = "draws")
  n_most <- max(nobs(object), sum(new$complete))
  check_memory(5 * as.double(n_most)^2, n_most, TRUE)
  problem <- ais_problem(object)
  draws <- sample_moves(problem, sample_start(problem), n, thin, progress)
  if (!is.null(new)) draws <- sample_at(object, problem, draws, new)
  if (is.finite(object$spec$df)) {
    shape <- object$spec$df / 2
    scale <- 1 / sqrt(stats::rgamma(prod(dim(draws)[-1]), shape, shape))
    draws <- draws * rep(scale, each = dim(draws)[1])
  }
  names <- if (is.null(new)) object$data$row_names else new$row_names
  sample_matrix(draws, n, names, problem$jitter, if (is_several(object)) object$blueprint$levels)
}

# Chains --------------------------------------------------------------------

#' States (n x chains, of several classes n C) of the target, from annealing and moves after it
#'
#' A chain that annealing left with a label on the impossible side (weight 0) is
#' replaced by one that it did not.
#' @noRd
sample_start <- function(problem, burn = 200L) {
  pilot <- ais_batch(problem, ais_pilot_path(), NULL)
  alive <- which(is.finite(pilot$log_w))
  refuse(!length(alive), ais_impossible, "no_sample")
  start <- pilot$F[, rep_len(alive, ais_chains), drop = FALSE]
  matrix(move_chains(problem, start, 1L, burn), ncol = ais_chains)
}

#' At least n draws: rows x chains x draws a chain
#'
#' Few draws come from few chains: each must be long enough to tell how it mixes.
#' @noRd
sample_moves <- function(problem, start, n, thin, progress) {
  chains <- min(ncol(start), max(n %/% 50L, 4L), n)
  keep <- ceiling(n / chains)
  meter <- progress_meter("Sampling", progress)
  words <- sprintf("%s draws", whole(keep * chains))
  tick <- function(done) meter(done, keep, words)
  move_chains(problem, start[, seq_len(chains), drop = FALSE], keep, thin, tick)
}

# New rows ------------------------------------------------------------------

#' Draws at new rows (m x chains x draws a chain, of several classes m C), from those at the
#' training rows
#' @noRd
sample_at <- function(object, problem, draws, new) {
  m <- length(new$complete)
  chains <- dim(draws)[-1]
  count <- prod(chains)
  out <- array(NA_real_, c(m, problem$functions, count))
  X <- new$X[new$complete, , drop = FALSE]
  draws <- array(draws, c(nrow(problem$B), problem$functions, count))
  for (kernel in if (nrow(X) > 0) kernels_of(problem)) {
    given <- conditional_latent(object, kernel, X)
    left <- chol_jitter(given$cov)
    inform_jitter(left, "conditional covariance of the new rows")
    for (c in kernel$functions) {
      z <- native_solve(kernel$B, matrix(draws[, c, ], ncol = count))
      noise <- matrix(stats::rnorm(nrow(X) * count), ncol = count)
      out[new$complete, c, ] <- native_product(given$V, z) +
        native_product(left$L, noise, transpose = FALSE)
    }
  }
  array(out, c(m * problem$functions, chains))
}

# The result ----------------------------------------------------------------

#' @param draws rows (of each class, where there are several) x chains x draws a chain.
#' @param levels the classes, if they are several.
#' @noRd
sample_matrix <- function(draws, n, names, jitter, levels = NULL) {
  rows <- dim(draws)[1]
  chains <- dim(draws)[2]
  keep <- dim(draws)[3]
  mixing <- chain_diagnostics(draws)
  # the draws of a chain together, the last ones of the last chains left out
  out <- matrix(aperm(draws, c(3, 2, 1)), keep * chains, rows)
  chain <- rep(seq_len(chains), each = keep)
  full <- chains - (keep * chains - n)
  kept <- rep(seq_len(keep), chains) < keep | chain <= full
  if (keep >= mixing_draws && any(mixing$rhat > 1.1, na.rm = TRUE)) {
    warn_sturdy(c(
      "The chains disagree (rhat up to
       {format(max(mixing$rhat, na.rm = TRUE), digits = 3)}).",
      i = "Use more draws and a larger {.arg thin}."
    ), "not_mixed", rhat = mixing$rhat)
  }
  out <- out[kept, , drop = FALSE]
  named <- list(NULL, names)
  if (!is.null(levels)) {
    dim(out) <- c(n, length(names), length(levels))
    named <- list(NULL, names, levels)
    mixing <- lapply(mixing, matrix, length(names), dimnames = named[-1])
  }
  structure(
    out, dimnames = named, chain = chain[kept], ess = mixing$ess, rhat = mixing$rhat,
    jitter = jitter
  )
}

# Of independent draws in 4 chains of 50 one rhat in a million is above 1.1; in chains
# of 10 one in seven is.
mixing_draws <- 50

#' Rank-normalised diagnostics of draws (rows x chains x draws a chain)
#'
#' Those of the posterior package or none: the same on every machine.
#' @return list(ess, rhat), one value a row; `NULL` without that package.
#' @noRd
chain_diagnostics <- function(draws) {
  if (!rlang::is_installed("posterior")) {
    return(NULL)
  }
  each <- function(measure) {
    if (dim(draws)[3] < 4) {
      return(rep(NA_real_, dim(draws)[1]))
    }
    apply(draws, 1, function(x) measure(matrix(x, dim(draws)[3], byrow = TRUE)))
  }
  # of few draws it says that it caps the size
  list(
    ess = each(function(x) suppressWarnings(posterior::ess_bulk(x))), rhat = each(posterior::rhat)
  )
}
