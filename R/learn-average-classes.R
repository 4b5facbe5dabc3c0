# Averaging with several classes: no wrong labels, one rate, and a noise matrix, whose
# modes are sought by a variational posterior of its rows; nodes: learn-nodes-matrix.R.

matrix_average_rounds <- 3L # of the matrix and the kernel in turn
matrix_same <- 0.03         # entries of two matrices that are nearer are one
matrix_grid <- 41L          # points a side, of the prior's rate and strength

#' What averaging needs to know of label noise with several classes
#'
#' @return as noise_model(); `matrix`: whether a noise matrix is among the models, which are
#'   in `weights`; `models` are the others, from whose modes those of the matrix are sought.
#' @param checked see checked_matrix().
#' @noRd
classes_noise <- function(spec, checked = matrix(0)) {
  epsilon <- spec$epsilon
  noise <- noise_model(
    if (is_one_of(epsilon, c("average", "learn", "matrix"))) "learn" else epsilon, spec$noise,
    integrate = spec$hyper == "integrate"
  )
  noise$weights <- switch(if (is.character(epsilon)) epsilon else "given",
    average = {
      # a rate for each class of two is a matrix
      weights <- stats::setNames(spec$noise$models, c("none", "one", "matrix"))
      weights[weights > 0]
    },
    learn = c(one = 1), matrix = c(matrix = 1), given = c(given = 1)
  )
  noise <- without_excluded(noise, sum(checked) - sum(diag(checked)))
  noise$matrix <- "matrix" %in% names(noise$weights)
  noise$models <- union(setdiff(names(noise$weights), "matrix"), if (noise$matrix) "one")
  noise$shape <- spec$noise$rate
  noise
}

# The matrix --------------------------------------------------------------------

#' The noise models with the matrix among them
#'
#' With q the variational posterior of the matrix, Dirichlet in each row, and omega~ its
#' geometric mean, f(z) = log Z(z; omega~) + log prior(z), and its integral less
#' KL(q || prior) is a lower bound of the evidence [M 12.17].
#' @param models those of average_all_modes(). @return the same with `matrix`: list(problem,
#'   modes, each with the field `matrix`: list(alpha, mean, counts, rate, strength, shape,
#'   offset)), those not asked for left out.
#' @noRd
average_matrix <- function(latent, noise, spec, models, tick) {
  from <- matrix_starts(latent, noise, spec, models, tick)
  ends <- Filter(Negate(is.null), lapply(from, matrix_climb, latent, noise, spec, tick))
  reached <- vapply(ends, function(end) end$value + end$matrix$offset, numeric(1))
  modes <- list()
  for (end in ends[order(-reached)]) {
    if (max(reached) - end$value - end$matrix$offset > average_lost) next
    if (matrix_known(end, modes)) next
    modes <- c(modes, matrix_mode(end, latent, spec, tick))
  }
  if (length(modes)) {
    modes <- modes[order(-vapply(modes, function(mode) mode$penalised, numeric(1)))]
    models$matrix <- list(problem = matrix_problem(latent, modes[[1]]$matrix, spec), modes = modes)
  }
  models[intersect(names(noise$weights), names(models))]
}

#' The mode of the kernel at the matrix of an end, its value with what the matrix adds
#' @return list of one mode with the field `matrix`, or of none.
#' @noRd
matrix_mode <- function(end, latent, spec, tick) {
  problem <- matrix_problem(latent, end$matrix, spec)
  modes <- average_modes(problem, list(end$mode), learn_objective(problem, tick))
  lapply(modes, function(mode) {
    mode$penalised <- mode$penalised + end$matrix$offset
    mode$matrix <- end$matrix
    mode
  })
}

#' Is an end one of the modes, kernel and matrix?
#' @noRd
matrix_known <- function(end, modes) {
  known <- vapply(modes, function(mode) {
    sum((end$mode$par - mode$par)^2) < 1 &&
      max(abs(end$matrix$mean - mode$matrix$mean)) < matrix_same
  }, logical(1))
  any(known)
}

#' Where the search for a matrix starts: from the best mode under one rate, and from where
#' many labels are wrong: a learned rate may end as a wiggly boundary and no noise
#' @return list of list(hyper, omega, sites, par).
#' @noRd
matrix_starts <- function(latent, noise, spec, models, tick) {
  at <- function(problem, mode) {
    kernel <- problem$field != "epsilon"
    epsilon <- problem$coordinates$epsilon(mode$par)
    list(
      hyper = problem$coordinates$hyper(mode$par), sites = mode$sites, par = mode$par[kernel],
      omega = rate_omega(max(epsilon, 1 / latent$n), latent$classes)
    )
  }
  many <- noise
  many$given <- matrix_start_rate
  problem <- average_problem(latent, rate_map("given", many), spec)
  objective <- learn_objective(problem, tick)
  starts <- if (is.null(models$one)) {
    average_starts(problem)
  } else {
    list(average_onward(problem, models$one$modes[[1]], models$one$problem, numeric()))
  }
  ends <- lapply(starts, average_climb, problem, objective, matrix_kernel_steps)
  ends <- Filter(function(end) is.finite(end$penalised), ends)
  c(
    if (!is.null(models$one)) list(at(models$one$problem, models$one$modes[[1]])),
    lapply(ends, at, problem = problem)
  )
}

#' The matrix and the kernel in turn
#' @return list(matrix, mode: list(par, sites), value: f there), or `NULL`.
#' @noRd
matrix_climb <- function(here, latent, noise, spec, tick) {
  found <- NULL
  for (round in seq_len(matrix_average_rounds)) {
    matrix <- matrix_posterior(latent, here, noise, spec, tick)
    if (is.null(matrix)) break
    problem <- matrix_problem(latent, matrix, spec)
    objective <- learn_objective(problem, tick)
    start <- list(par = here$par, sites = matrix$sites)
    end <- average_climb(start, problem, objective, matrix_kernel_steps)
    if (!is.finite(end$penalised)) break
    moved <- if (is.null(found)) Inf else {
      abs(end$penalised + matrix$offset - found$value - found$matrix$offset)
    }
    found <- list(
      matrix = matrix[setdiff(names(matrix), "sites")], value = end$penalised,
      mode = list(par = end$par, sites = end$sites)
    )
    if (moved < average_gain || learn_is_over(problem)) break
    here <- list(
      hyper = problem$coordinates$hyper(end$par), sites = end$sites, par = end$par,
      omega = matrix_geometric(matrix$alpha)
    )
  }
  found
}

matrix_problem <- function(latent, matrix, spec) {
  held <- list(given = matrix_geometric(matrix$alpha))
  average_problem(latent, rate_map("matrix", held), spec)
}

#' exp E log omega under Dirichlet rows alpha
#' @noRd
matrix_geometric <- function(alpha) exp(digamma(alpha) - digamma(rowSums(alpha)))

#' Variational posterior of the matrix at a kernel, rate and strength of its prior where the
#' expected counts make them most probable
#' @noRd
matrix_posterior <- function(latent, here, noise, spec, tick) {
  control <- utils::modifyList(unclass(spec$control), list(tol = max(1e-4, spec$control$tol)))
  omega <- here$omega
  sites <- here$sites
  found <- NULL
  for (step in seq_len(matrix_em_steps)) {
    out <- latent$native(here$hyper, Inf, omega, sites, control)
    tick(latent$n)
    if (!ep_converged(out)) break
    counts <- class_counts(out$true_class, latent$y, latent$trusted, latent$checked)
    prior <- matrix_prior(counts, noise$shape)
    alpha <- prior$strength * rate_omega(prior$rate, latent$classes) + counts
    before <- omega
    omega <- matrix_geometric(alpha)
    sites <- out$sites
    found <- c(prior, list(alpha = alpha, counts = counts, sites = sites, shape = noise$shape))
    if (max(abs(omega - before)) < matrix_em_tol) break
  }
  if (!is.null(found)) {
    found$mean <- found$alpha / rowSums(found$alpha)
    found$offset <- matrix_offset(found, noise$shape)
  }
  found
}

#' What the matrix adds to the log evidence: -KL of its posterior from its prior, this
#' integrated over rate and strength [M 12.17]
#' @noRd
matrix_offset <- function(found, shape) {
  centre <- found$strength * rate_omega(found$rate, ncol(found$counts))
  spread <- matrix_prior_grid(found$counts, shape)$log_marginal -
    dirichlet_marginal(found$rate, found$strength, found$counts)
  spread - dirichlet_divergence(found$alpha, centre)
}

# Result --------------------------------------------------------------------------

#' The fit at a mode, and the nodes; as average_result()
#'
#' @param matrix the posterior of the noise matrix at its best mode, or `NULL`.
#' @noRd
average_classes <- function(latent, spec, model, nodes, matrix) {
  mode <- model$modes[[1]]
  hyper <- model$problem$coordinates$hyper(mode$par)
  rates <- model$problem$coordinates$rates(mode$par)
  omega <- mode$matrix$mean
  if (is.null(omega)) omega <- classes_omega(spread_rates(rates, NULL), latent$classes)
  ep <- ep_run(latent, hyper, Inf, omega, mode$sites, spec$control, final = TRUE)
  nodes$omega <- lapply(nodes$rates, function(rates) {
    classes_omega(spread_rates(rates, NULL), latent$classes)
  })
  nodes$point <- omega
  list(
    hyper = hyper, epsilon = omega, omega = omega, ep = ep, latent = latent, nodes = nodes,
    learning = average_learning(model, ep, nodes), rate = matrix$rate,
    strength = matrix$strength, counts = matrix$counts
  )
}
