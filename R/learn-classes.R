# A noise matrix learned: rows under a Dirichlet prior whose centre is one rate and whose
# strength is learned, so that it is that of one rate where the data say no more.

matrix_rounds <- 2L     # of EM and kernel steps in turn
matrix_kernel_steps <- 8L
matrix_em_steps <- 30L
matrix_em_tol <- 1e-3   # largest change of an entry
# Prior of the log strength, in rows of data: wide
matrix_strength <- c(meanlog = log(30), sdlog = 1.5)

# The rate at which one of the starts is learned: with a learned rate, one class taken for
# another may end as a wiggly boundary and no noise.
matrix_start_rate <- 0.15

#' Learn the kernel and one rate, then the matrix and the kernel in turn
#'
#' @return list(hyper, epsilon, ep, learning, omega, rate, strength, counts), the field
#'   `epsilon` a rate for each true class.
#' @noRd
learn_classes <- function(latent, spec) {
  from <- function(epsilon) {
    fit <- learn_at_once(latent, utils::modifyList(unclass(spec), list(epsilon = epsilon)))
    omega <- rate_omega(fit$epsilon, latent$classes)
    c(fit, list(omega = omega, spent = sum(fit$learning$evaluations)))
  }
  starts <- list(from("learn"), from(matrix_start_rate))
  usable <- vapply(starts, function(fit) ep_converged_name(fit$ep), NA)
  if (!any(usable)) {
    return(starts[[1]])
  }
  ends <- lapply(starts[usable], function(fit) {
    here <- list(hyper = fit$hyper, omega = fit$omega, sites = fit$ep$sites, spent = fit$spent)
    for (round in seq_len(matrix_rounds)) {
      here <- matrix_em(latent, here, spec)
      if (learn_is_over(spec)) break
      if (round < matrix_rounds) here <- matrix_kernel(latent, here, spec)
    }
    here
  })
  here <- ends[[which.max(vapply(ends, matrix_score, numeric(1), latent))]]
  fit <- starts[usable][[1]]
  fit$hyper <- here$hyper
  fit$ep <- ep_run(latent, here$hyper, Inf, here$omega, here$sites, spec$control, final = TRUE)
  fit$learning$method <- "em"
  fit$learning$evaluations <- sum(vapply(ends, `[[`, numeric(1), "spent"))
  fit$epsilon <- 1 - unname(diag(here$omega))
  parts <- c("omega", "rate", "strength", "counts")
  fit[parts] <- here[parts]
  fit
}

#' What ends are compared by: the evidence, the log prior of the kernel, and what the
#' Dirichlet posterior of the matrix costs against its prior [M 12.14]
#' @noRd
matrix_score <- function(here, latent) {
  if (is.null(here$counts)) {
    return(-Inf)
  }
  log_prior <- 0
  for (name in intersect(latent$free, names(latent$prior))) {
    prior <- latent$prior[[name]]
    z <- (log(here$hyper[[name]]) - prior$meanlog) / prior$sdlog
    log_prior <- log_prior - sum(z^2) / 2
  }
  centre <- here$strength * rate_omega(here$rate, latent$classes)
  here$value + log_prior - dirichlet_divergence(centre + here$counts, centre)
}

#' Sum over rows of KL(Dirichlet(a) || Dirichlet(b))
#' @noRd
dirichlet_divergence <- function(a, b) {
  total <- rowSums(a)
  sum(lgamma(total) - lgamma(rowSums(b))) - sum(lgamma(a) - lgamma(b)) +
    sum((a - b) * (digamma(a) - digamma(total)))
}

ep_converged_name <- function(ep) identical(ep$status, "converged")

#' EM for the matrix at a kernel: the expected counts of [M 12.12], then the posterior
#' mean of its rows under the prior that these counts make most probable
#' @noRd
matrix_em <- function(latent, here, spec) {
  control <- utils::modifyList(unclass(spec$control), list(tol = 1e-4))
  spent <- if (is.null(here$spent)) 0L else here$spent
  for (step in seq_len(matrix_em_steps)) {
    out <- latent$native(here$hyper, Inf, here$omega, here$sites, control)
    spent <- spent + 1L
    if (!ep_converged(out)) break
    counts <- class_counts(out$true_class, latent$y, latent$trusted, latent$checked)
    prior <- matrix_prior(counts)
    omega <- (prior$strength * rate_omega(prior$rate, latent$classes) + counts) /
      (prior$strength + rowSums(counts))
    change <- max(abs(omega - here$omega))
    here <- list(
      hyper = here$hyper, omega = omega, sites = out$sites, rate = prior$rate,
      strength = prior$strength, counts = counts, value = out$log_evidence
    )
    if (change < matrix_em_tol || learn_is_over(spec)) break
  }
  here$spent <- spent
  here
}

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

#' A few quasi-Newton steps for the kernel at a matrix
#' @noRd
matrix_kernel <- function(latent, here, spec) {
  latent$hyper <- here$hyper
  problem <- learn_problem(latent, utils::modifyList(unclass(spec), list(epsilon = here$omega)))
  if (!length(problem$start)) {
    return(here)
  }
  objective <- learn_objective(problem)
  objective$begin(list(par = problem$start, sites = here$sites))
  learn_optim(
    problem, objective, problem$start, diag(length(problem$start)), matrix_kernel_steps
  )
  best <- objective$best()
  here$spent <- here$spent + objective$evaluations()
  if (is.finite(best$penalised)) {
    here$hyper <- learn_hyper(problem, best$par)
    here$sites <- best$sites
  }
  here
}
