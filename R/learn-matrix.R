# A noise matrix, under a prior whose centre is one rate and whose strengths are learned
# (report-dirichlet.R). Its posterior, of the same kind, and the kernel are found in turn. Nodes:
# learn-nodes-matrix.R.

matrix_rounds <- 3L     # of the matrix and the kernel in turn, for an average
matrix_kernel_steps <- 8L
matrix_em_steps <- 30L
matrix_em_tol <- 1e-3   # largest change of an entry
matrix_same <- 0.03     # entries of two matrices that are nearer are one
# The rate at which one of the starts is learned: with a learned rate, one class taken for
# another may end as a wiggly boundary and no noise.
matrix_start_rate <- 0.15

#' Learn the kernel and one rate, then the matrix and the kernel in turn, from there and from
#' where many labels are wrong
#'
#' @return as learn_result() and `omega`, the posterior mean of the matrix, rate, strength,
#'   counts; `epsilon` is a rate for each true class.
#' @noRd
matrix_optimum <- function(latent, spec) {
  at_rate <- function(epsilon) utils::modifyList(unclass(spec), list(epsilon = epsilon))
  starts <- lapply(list("learn", matrix_start_rate), function(epsilon) {
    learn_once(latent, at_rate(epsilon))
  })
  usable <- Filter(function(fit) identical(fit$ep$status, "converged"), starts)
  if (!length(usable)) {
    return(starts[[1]])
  }
  counter <- learn_counter(spec$control$progress$tick)
  way <- list(
    problem = function(omega) learn_problem(latent, at_rate(omega)),
    point = matrix_mean, shape = 1, study = matrix_study(spec$noise, latent$classes),
    rounds = 1L, gain = learn_gain
  )
  ends <- lapply(usable, function(fit) {
    here <- list(
      hyper = fit$hyper, par = log(as.numeric(unlist(fit$hyper[latent$free]))),
      omega = rate_matrix(fit$epsilon, latent$classes), sites = fit$ep$sites
    )
    end <- matrix_climb(here, latent, spec, way, counter$tick)
    if (!is.null(end) && !learn_is_over(spec)) {
      end$matrix <- matrix_em(latent, end$here, spec, way, counter$tick)
    }
    if (!is.null(end$matrix)) end
  })
  ends <- Filter(Negate(is.null), ends)
  fit <- usable[[1]]
  if (!length(ends)) {
    return(fit)
  }
  score <- vapply(ends, function(end) end$matrix$value + end$log_prior + end$matrix$offset, 0)
  best <- ends[[which.max(score)]]
  fit[c("omega", matrix_fields)] <- best$matrix[c("mean", matrix_fields)]
  fit$hyper <- best$here$hyper
  fit$epsilon <- 1 - unname(diag(fit$omega))
  fit$ep <- ep_run(
    latent, fit$hyper, Inf, latent_omega(latent, fit$omega), best$matrix$sites, spec$control,
    final = TRUE
  )
  # what the search for one rate says of itself is not of this end
  fit$learning[c("value", "penalised")] <- list(fit$ep$log_evidence, max(score))
  fit$learning$on_bound <- learn_on_bound(way$problem(fit$omega), best$here$par)
  fit$learning$method <- "em"
  fit$learning$evaluations <- counter$count() +
    sum(vapply(usable, function(fit) sum(fit$learning$evaluations), numeric(1)))
  fit
}

# In turn -----------------------------------------------------------------------

#' The matrix and the kernel in turn
#'
#' @param here list(hyper, omega, sites, par: the kernel's coordinates, curvature: in them, where
#'   it is known) to start from.
#' @param way list(problem(omega), point(posterior): the matrix at which EP is run, shape: see
#'   matrix_prior(), study: see matrix_study(), only: see matrix_posterior(), rounds, gain: of the
#'   steps of the kernel).
#' @return list(matrix: see matrix_em(), mode: an evaluation, value: f there, log_prior, here),
#'   or `NULL`.
#' @noRd
matrix_climb <- function(here, latent, spec, way, tick) {
  found <- NULL
  for (round in seq_len(way$rounds)) {
    matrix <- matrix_em(latent, here, spec, way, tick)
    if (is.null(matrix)) break
    omega <- way$point(matrix$posterior)
    problem <- way$problem(omega)
    end <- learn_walk(
      list(par = here$par, sites = matrix$sites, curvature = here$curvature),
      learn_objective(problem, tick), diag(length(here$par)), matrix_kernel_steps, way$gain
    )
    if (!is.finite(end$penalised)) break
    value <- end$penalised + matrix$offset
    moved <- if (is.null(found)) Inf else abs(value - found$value)
    here <- list(
      hyper = problem$hyper(end$par), sites = end$sites, par = end$par, omega = omega,
      curvature = here$curvature
    )
    found <- list(
      matrix = matrix, mode = end, value = value, here = here,
      log_prior = problem$prior(end$par)$value
    )
    if (moved < modes_gain || learn_is_over(problem)) break
  }
  found
}

#' EM for the matrix at a kernel: the expected counts of [M 12.12], then the posterior of its
#' rows under the prior that these counts make most probable
#'
#' @return list(posterior, mean, counts, rate, strength, apart, shape, study, value: log evidence,
#'   offset: see matrix_offset(), sites), or `NULL`.
#' @noRd
matrix_em <- function(latent, here, spec, way, tick) {
  control <- way$problem(here$omega)$search_control
  own <- nrow(way$study) > latent$classes # a matrix for each reader
  omega <- if (own) stacked(latent_omega(latent, here$omega)) else here$omega
  sites <- here$sites
  found <- NULL
  for (step in seq_len(matrix_em_steps)) {
    L <- latent_likelihood(latent, latent_omega(latent, omega))
    out <- latent$native(here$hyper, Inf, L, sites, control)
    tick(latent$n)
    if (!ep_converged(out)) break
    # of labels, by their true class, but for those that are certain
    counts <- report_counts(latent$reports, truth_posterior(L, out$seen))
    counts <- if (own) stacked(counts) else apply(counts, 2:3, sum)
    if (!is.null(way$only)) counts[-way$only, ] <- 0
    prior <- matrix_prior(counts + way$study, way$shape)
    posterior <- matrix_posterior(prior, counts + way$study, way$only)
    before <- omega
    omega <- way$point(posterior)
    sites <- out$sites
    found <- c(prior, list(
      posterior = posterior, counts = counts, shape = way$shape, study = way$study,
      only = way$only,
      value = out$log_evidence, sites = sites
    ))
    if (max(abs(omega - before)) < matrix_em_tol || learn_is_over(spec)) break
  }
  if (!is.null(found)) {
    found$mean <- matrix_mean(found$posterior)
    found$offset <- matrix_offset(found)
  }
  found
}

#' What the matrix adds to the log evidence: -KL of its posterior from its prior, this
#' integrated over the prior's parameters [M 12.17]
#' @noRd
matrix_offset <- function(found) {
  study <- found$study
  at <- function(counts) {
    often_marginal(found$rate, found$strength, counts) + whereto_marginal(found$apart, counts)
  }
  spread <- matrix_prior_grid(found$counts, found$shape, study)$log_marginal -
    (at(found$counts + study) - at(study))
  spread - matrix_divergence(found$posterior, matrix_posterior(found, study))
}

# An average --------------------------------------------------------------------

#' The matrix, or one of its rows alone, as a noise model
#'
#' With q the variational posterior of the matrix, see matrix_posterior(), and omega~ its
#' geometric mean, f(z) = log Z(z; omega~) + log prior(z), and its integral less
#' KL(q || prior) is a lower bound of the evidence [M 12.17].
#' @param name of the noise model. @param models those of average_modes(), and of matrices before
#'   this one. @param before the noise models on some of the rows, this one among them, from whose
#'   modes it then goes on. @param long whether modes must do.
#' @param shared the noise models under the kernel that classes share, where they have their own.
#' @return list(problem, modes, each with the field `matrix`, see matrix_em()), or `NULL`.
#' @noRd
average_matrix <- function(name, latent, noise, spec, models, tick, before = NULL, long = FALSE,
                           shared = NULL) {
  way <- list(
    problem = function(omega) {
      sources <- length(latent$reports$sources)
      average_problem(latent, noise_held(name, omega, latent$classes, sources), spec)
    },
    point = matrix_geometric, shape = noise$shape, study = noise$study, only = noise_only[[name]],
    rounds = if (long) 1L else matrix_rounds, gain = if (long) modes_gain_classes else modes_gain
  )
  few <- before[[name]]
  from <- c(
    if (!is.null(few)) matrix_onward(few, latent, way, models$one, long),
    if (is.null(few)) matrix_pooled(shared[[name]], way),
    if (is.null(few) && !is.null(way$only)) matrix_row_start(models, way),
    # some rows need not show what all do
    if (!long && is.null(way$only) && !(length(few) && learn_is_over(spec))) {
      many <- !is.null(shared[[name]])
      matrix_starts(latent, noise, spec, models, tick, one = is.null(few), many)
    }
  )
  climb <- function(here) matrix_climb(here, latent, spec, way, tick)
  ends <- Filter(is.list, until_over(from, spec, climb, is.list))
  if (!length(ends) && !is.null(way$only)) { # the kernel of labels that are right
    ends <- Filter(is.list, lapply(matrix_row_start(models, way, "none"), climb))
  }
  value <- vapply(ends, function(end) end$value, numeric(1))
  modes <- list()
  for (end in ends[order(-value)]) {
    if (max(value) - end$value > modes_lost || matrix_is_known(end, modes)) next
    problem <- way$problem(way$point(end$matrix$posterior))
    # the mode of the kernel at the matrix, its value with what the matrix adds
    told <- matrix_curvature(end, if (!long) models$one$modes, long || learn_is_over(spec))
    more <- if (is.null(told)) {
      from <- c(end$mode[c("par", "sites")], list(curvature = end$here$curvature))
      learn_modes(learn_objective(problem, tick), list(from))
    } else {
      list(utils::modifyList(end$mode, told))
    }
    modes <- c(modes, lapply(more, function(mode) {
      mode$penalised <- mode$penalised + end$matrix$offset
      mode$matrix <- end$matrix
      mode
    }))
  }
  if (length(modes)) {
    modes <- best_first(modes)
    list(problem = way$problem(way$point(modes[[1]]$matrix$posterior)), modes = modes)
  }
}

#' A start for one row of the matrix alone: that row of the whole matrix, and a kernel
#' @param of the noise model whose kernel it is.
#' @noRd
matrix_row_start <- function(models, way, of = "matrix") {
  mode <- models[[of]]$modes[[1]]
  whole <- models$matrix$modes[[1]]$matrix
  if (is.null(mode) || is.null(whole)) {
    return(NULL)
  }
  omega <- row_alone(way$point(whole$posterior), way$only)
  problem <- way$problem(omega)
  list(list(
    hyper = problem$hyper(mode$par), omega = omega, sites = mode$sites, par = mode$par,
    curvature = mode$H
  ))
}

#' Starts on all rows: where the matrix ended on some, and how it curved there
#' @param few the matrix on some rows. @param one the model with one rate on all, whose sites
#'   are near, or `NULL`. @param long whether its kernel is nearer than that on some rows, too.
#' @noRd
matrix_onward <- function(few, latent, way, one, long = FALSE) {
  times <- latent$n / few$problem$latent$n
  near <- one$modes[[1]]
  lapply(few$modes, function(mode) {
    omega <- way$point(mode$matrix$posterior)
    problem <- way$problem(omega)
    par <- if (long && !is.null(near)) near$par[one$problem$field != "epsilon"] else mode$par
    list(
      hyper = problem$hyper(par), omega = omega, sites = near$sites, par = par,
      curvature = grown_curvature(problem, mode$H, times)
    )
  })
}

#' Starts for kernels by class: where the kernel that they share ended
#' @param shared the matrix there: list(problem, modes), or `NULL`.
#' @noRd
matrix_pooled <- function(shared, way) {
  lapply(shared$modes, function(mode) {
    omega <- way$point(mode$matrix$posterior)
    problem <- way$problem(omega)
    start <- pooled_start(problem, mode, shared$problem)
    c(start, list(hyper = problem$hyper(start$par), omega = omega))
  })
}

#' The curvature of the kernel where it need not be measured: that of a mode near by under one
#' rate, whose rate is held; else, where modes must do, the one on some rows
#' @return list(H, tangent, measured), or `NULL`.
#' @noRd
matrix_curvature <- function(end, modes, long) {
  mine <- seq_along(end$mode$par)
  for (mode in modes) {
    apart <- end$mode$par - mode$par[mine]
    H <- mode$H[mine, mine, drop = FALSE]
    if (sum(apart * (H %*% apart)) < 1) {
      return(list(
        H = H, tangent = mode$tangent[, mine, drop = FALSE], measured = mode$measured[mine]
      ))
    }
  }
  if (long && !is.null(end$here$curvature)) {
    list(H = end$here$curvature, measured = "converged")
  }
}

#' Is an end one of the modes, kernel and matrix?
#' @noRd
matrix_is_known <- function(end, modes) {
  known <- vapply(modes, function(mode) {
    sum((end$mode$par - mode$par)^2) < 1 &&
      max(abs(end$matrix$mean - mode$matrix$mean)) < matrix_same
  }, logical(1))
  any(known)
}

#' Where the search for a matrix starts: from the best mode under one rate, and from where
#' many labels are wrong: a learned rate may end as a wiggly boundary and no noise
#' @param one whether from that mode itself. @param many whether it is known where many are wrong.
#' @return list of list(hyper, omega, sites, par, curvature).
#' @noRd
matrix_starts <- function(latent, noise, spec, models, tick, one = TRUE, many = FALSE) {
  at <- function(mode, problem) {
    rate <- max(problem$rates(mode$par), 1 / latent$n)
    mine <- problem$field != "epsilon"
    list(
      hyper = problem$hyper(mode$par), sites = mode$sites, par = mode$par[mine],
      omega = rate_matrix(rate, latent$classes),
      curvature = if (is.null(mode$H)) mode$curvature else mode$H[mine, mine, drop = FALSE]
    )
  }
  from <- models$one
  near <- if (!is.null(from)) at(from$modes[[1]], from$problem)
  here <- if (one && !is.null(near)) list(near)
  if (many || length(here) && learn_is_over(spec)) {
    return(here)
  }
  given <- utils::modifyList(noise, list(given = matrix_start_rate))
  problem <- average_problem(latent, noise_of("given", given), spec)
  objective <- learn_objective(problem, tick)
  starts <- if (is.null(near)) average_from(problem, "given", given, NULL) else list(near)
  d <- length(problem$field)
  ends <- lapply(starts, learn_walk, objective, diag(d), matrix_kernel_steps, modes_gain)
  ends <- Filter(function(end) is.finite(end$penalised), ends)
  c(here, lapply(ends, at, problem))
}
