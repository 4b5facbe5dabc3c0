# The modes of all noise models that are averaged over: one noise model after the other, each from
# the modes of the one before; on some rows first, where it shows which are far behind.

average_hopeless <- 15    # nats behind on some of many rows: on all it is many times as far
average_rare <- -2         # in the prior's sds: rates of next to nothing
average_rough_steps <- 8L # so many on all rows at most, from some of fewer, the last of them
average_rough_gain <- 1   # promising no more than this, tell whether one is so many nats behind
average_dropped <- 10     # the best that its mode need not be known better,
average_dropped_rates <- 6 # with flip rates
average_laplace_rows <- 4800L # from here on the posterior is narrow: modes, by Laplace
average_exact_cells <- 2e5    # rows times classes from which on the same, where there is no EP

#' Are there so many rows, a third of it for each class of several, that modes must do?
#' @noRd
average_is_long <- function(latent) {
  if (latent$exact) {
    return(latent$n * latent$classes > average_exact_cells)
  }
  latent$n * max(1, latent$classes / 3) > average_laplace_rows
}

#' Modes of all noise models, under the usual kernel and, where that is a possibility, under
#' kernels by class or a plain one
#' @param before the same on some of the rows. @return see average_found().
#' @noRd
average_models <- function(latent, noise, spec, tick, before = NULL) {
  before <- marked_behind(before)
  mine <- is_pooled(names(before))
  shared <- average_found(latent, noise, spec, tick, before[!mine])
  if (!pooled_is_open(latent, spec) || length(shared) && learn_is_over(spec)) {
    return(shared)
  }
  few <- stats::setNames(before[mine], noise_named(names(before)[mine]))
  own <- average_found(latent$pooled(), whole_matrices(noise), spec, tick, few, shared)
  c(shared, stats::setNames(own, pooled_name(names(own))))
}

#' Modes of every noise model under one kernel, or kernels by class
#' @param before the same on some of the rows, see marked_behind().
#' @param shared those of the kernel that classes share, where they have their own.
#' @return list by model of list(problem, modes), those without a mode left out.
#' @noRd
average_found <- function(latent, noise, spec, tick, before = NULL, shared = NULL) {
  models <- average_modes(latent, noise, spec, tick, before, shared)
  long <- length(before) > 0 && average_is_long(latent)
  open <- if (long) average_hopeful(before) else names(noise$weights)
  for (name in intersect(noise$matrices, open)) {
    models[[name]] <- average_matrix(
      name, latent, noise, spec, models, tick, before, long, shared
    )
  }
  models
}

#' Modes of the noise models without a matrix
#' @param before,shared see average_found().
#' @noRd
average_modes <- function(latent, noise, spec, tick, before, shared) {
  found <- list()
  long <- length(before) > 0 && average_is_long(latent)
  gain <- if (long && latent$functions > 1) modes_gain_classes else modes_gain
  # the best on some rows first: how far the others are behind tells how well they need be known
  sought <- if (long) average_hopeful(before) else names(sort(-vapply(before, model_laplace, 1)))
  sought <- setdiff(if (long) sought else union(sought, noise$models), noise$matrices)
  for (name in sought) {
    problem <- average_problem(latent, noise_of(name, noise), spec)
    few <- before[[name]]
    modes <- if (long) {
      lapply(few$modes, stage_onward, problem, few$problem$latent$n, spec, tick, gain)
    } else {
      starts <- if (is.null(few)) {
        average_from(problem, name, noise, found, shared[[name]])
      } else {
        grown_starts(problem, few, latent$n)
      }
      objective <- learn_objective(problem, tick)
      rough <- if (!is.null(few)) {
        average_rough(
          objective, few$modes[[1]], starts[[1]], found, shared, average_behind(name)
        )
      }
      # the best on some rows: a second kernel that has not even that has none
      if (!is.null(shared) && name == sought[1] && isTRUE(rough$far)) {
        return(list())
      }
      if (isFALSE(rough$far)) starts[[1]] <- rough
      if (isTRUE(rough$far)) {
        list(rough)
      } else if (is.null(few)) {
        average_climbed(objective, starts, function(mode) {
          mode_curvature(objective, mode, curvature_beside(problem, mode, found))
        })
      } else if (is.null(shared)) { # whose curvature is known when all have been sought
        learn_modes(objective, starts, function(mode) grown_measure(mode, few$modes[[1]]))
      } else { # kernels by class have many coordinates: their curvature is that on some rows
        modes_grown(objective, starts, few$modes)
      }
    }
    modes <- best_first(Filter(function(mode) is.finite(mode$penalised), modes))
    modes <- modes[!duplicated(lapply(modes, `[[`, "par"))]
    if (length(modes)) found[[name]] <- list(problem = problem, modes = modes)
  }
  if (length(before) && !long && is.null(shared)) average_measured(found, tick) else found
}

#' Modes from starts; where EP fails at them, or all around where a climb comes to, also from there
#' with hardly a wrong label: EP is then nearly that of the noise model before
#' @noRd
average_climbed <- function(objective, starts, measure) {
  modes <- learn_modes(objective, starts, measure)
  rates <- objective$problem$field == "epsilon"
  stuck <- !length(modes) || identical(modes[[1]]$opt$message, learn_stuck)
  if (!stuck || !any(rates)) {
    return(modes)
  }
  again <- learn_modes(objective, lapply(starts, function(start) {
    start$par[rates] <- pmin(start$par[rates], average_rare)
    start
  }), measure)
  if (max(reached(again), -Inf) > max(reached(modes), -Inf)) again else modes
}

#' Noise models with the curvature on all rows, the best first, from which others near by have it;
#' those that are far behind keep that of some rows
#' @noRd
average_measured <- function(found, tick) {
  behind <- vapply(marked_behind(found), `[[`, 1, "behind")
  known <- list()
  for (name in names(sort(behind[behind < average_behind(names(behind))]))) {
    problem <- found[[name]]$problem
    if (learn_is_over(problem)) break
    objective <- learn_objective(problem, tick)
    modes <- lapply(found[[name]]$modes, function(mode) {
      told <- learn_curvature(objective, mode, told = curvature_beside(problem, mode, known))
      mode[names(told)] <- told
      mode
    })
    known[[name]] <- list(
      problem = problem, modes = Filter(function(mode) !is.null(mode$H), modes)
    )
    found[[name]] <- if (length(known[[name]]$modes)) known[[name]]
  }
  found
}

#' How far behind the best a noise model's mode need not be known better: the Bayes factor hangs on
#' that without wrong labels, on all others together
#' @noRd
average_behind <- function(names) ifelse(names == "none", average_dropped, average_dropped_rates)

#' Noise models with `behind`, how far they are behind the best
#' @noRd
marked_behind <- function(before) {
  laplace <- vapply(before, model_laplace, numeric(1))
  Map(function(model, laplace) {
    model$behind <- laplace
    model
  }, before, max(laplace, -Inf) - laplace)
}

#' Noise models on some rows that can still be the best on all of many
#' @noRd
average_hopeful <- function(before, most = average_hopeless) {
  names(before)[vapply(before, `[[`, 1, "behind") < most]
}

#' Where modes on some rows lead a search on more of them
#' @noRd
grown_starts <- function(problem, few, n) {
  lapply(few$modes, function(mode) {
    list(
      par = mode$par, sites = mode$from, # NULL but for average_ahead()
      curvature = grown_curvature(problem, mode$H, n / few$problem$latent$n)
    )
  })
}

#' A few steps, by the curvature of some rows, for a noise model that is far behind there
#' @param found other noise models on all rows. @param most nats behind that matter.
#' @return a mode, or where to go on from, where on all rows this one is not so `far` behind that
#'   it does not matter; `NULL` without others.
#' @noRd
average_rough <- function(objective, mode, start, found, shared, most = average_dropped) {
  if (!length(found) && !length(shared)) {
    return(NULL)
  }
  if (length(found)) start <- average_lent(objective, start, found)
  basis <- diag(length(start$par))
  here <- learn_walk(start, objective, basis, average_rough_steps, average_rough_gain)
  if (!is.finite(here$penalised)) {
    return(NULL)
  }
  here[c("H", "measured")] <- list(start$curvature, mode$measured)
  here$learned <- here$opt$curvature
  best <- max(vapply(c(found, shared), model_laplace, numeric(1)))
  here$far <- best - node_laplace(here) > most + average_rough_gain &&
    isTRUE(here$opt$convergence == 0L)
  here
}

#' A start, or its noise with the function of the best noise model where that is better: what some
#' rows take for noise may be a function on all
#' @noRd
average_lent <- function(objective, start, found) {
  best <- found[[which.max(vapply(found, model_laplace, numeric(1)))]]
  noise <- c("epsilon", "nugget")
  lent <- start
  lent$par[!objective$problem$field %in% noise] <-
    best$modes[[1]]$par[!best$problem$field %in% noise]
  value <- reached(lapply(list(start, lent), function(from) objective$at(from$par)))
  if (value[2] > value[1]) lent else start
}
