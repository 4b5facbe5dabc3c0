# EM-EP for the flip rate [KG08 section 3]: EP for the posterior, a closed form
# for epsilon, gradient steps for the kernel, in turn.

em_maxit <- 500L
em_kernel_maxit <- 5L

#' Posterior of the true classes, n x 2, for the M-step
#'
#' "em": under the tilted marginal. With w the probability that a label is wrong,
#' d log Z_EP/d epsilon = sum(w/epsilon - (1 - w)/(1 - epsilon)) and the fixed point
#' epsilon = mean(w) is a stationary point of the evidence [M 8.3]. "em_kg08":
#' 1 - F(y m/sqrt(A)) under the posterior marginal, as KG08 17-20 print it; it overshoots
#' [M 8.4].
#' @noRd
em_truth <- function(out, L, method) {
  if (method == "em") {
    return(truth_posterior(L, out$seen))
  }
  z <- out$m / sqrt(out$C_diag)
  cbind(stats::pnorm(-z), stats::pnorm(z))
}

#' One rate, or one for each true class
#'
#' The rate of a true class is the expected number of its wrong labels over its size [M 8.5].
#' @param counts expected numbers of labels, true classes x recorded ones.
#' @noRd
em_rates <- function(counts, n_rates) {
  wrong <- rowSums(counts) - diag(counts)
  if (n_rates == 1) sum(wrong) / sum(counts) else wrong / rowSums(counts)
}

#' Alternate E, M and kernel steps until neither moves
#'
#' Starts at epsilon = 0.05: 0 is a fixed point of EM whatever the data, and near
#' 1/2 every label is as likely wrong as right.
#' @return as learn_search(), with `method` and `trace`.
#' @noRd
em_search <- function(problem, method) {
  counter <- learn_counter(learn_tick(problem))
  at <- problem$field == "epsilon"
  bounds <- learn_bounds$epsilon
  par <- problem$start
  sites <- NULL
  rows <- list()
  ended <- FALSE
  for (iteration in seq_len(em_maxit)) {
    if (!all(at)) {
      step <- em_kernel_step(problem, par, at, counter$tick)
      par <- step$par
      sites <- step$sites
    }
    out <- learn_native(problem, par, sites)
    if (!ep_converged(out)) out <- learn_follow(problem, par)
    counter$tick(problem$latent$n)
    now <- learn_evaluation(problem, par, out)
    if (!is.finite(now$penalised)) break
    sites <- out$sites
    truth <- em_truth(out, learn_likelihood(problem, par), method)
    counts <- report_counts(problem$latent$reports, truth)
    rate <- em_rates(apply(counts, 2:3, sum), sum(at))
    rows[[iteration]] <- data.frame(
      iteration = iteration, epsilon = mean(problem$rates(par)),
      log_evidence = now$value
    )
    moved <- par
    moved[at] <- pmin(pmax(stats::qlogis(2 * pmin(rate, 0.49)), bounds[1]), bounds[2])
    change <- max(abs(0.5 * stats::plogis(moved[at]) - 0.5 * stats::plogis(par[at])))
    par <- moved
    ended <- change < 1e-7
    if (ended || learn_is_over(problem)) break
  }
  list(
    par = par, value = now$value, penalised = now$penalised,
    gradient = now$gradient, sites = sites, cold = TRUE, start = 1L,
    evaluations = counter$count(), method = method, trace = do.call(rbind, rows),
    starts = data.frame(start = 1L, penalised = now$penalised, chosen = TRUE),
    opt = list(
      convergence = if (ended && is.finite(now$penalised)) 0L else 1L,
      message = sprintf("EM, %d iterations", iteration)
    )
  )
}

#' A few quasi-Newton steps for everything but epsilon
#' @noRd
em_kernel_step <- function(problem, par, at, tick) {
  objective <- learn_objective(problem, tick)
  basis <- diag(length(par))[, !at, drop = FALSE]
  learn_walk(list(par = par), objective, basis, em_kernel_maxit, learn_gain)
}
