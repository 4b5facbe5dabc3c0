# Averaging over hyperparameters and over noise models: what a fit with
# hyper = "integrate" learns. One noise model after the other, each from the modes of the
# one before; then nodes, as many as a model deserves.

average_hopeless <- 15    # nats behind on some of many rows: on all it is many times as far
average_rough_steps <- 8L # so many on all rows at most, from some of fewer, the last of them
average_rough_gain <- 1   # promising no more than this, tell whether one is so many nats behind
average_dropped <- 10     # the best that its mode need not be known better
average_laplace_rows <- 4800L # from here on the posterior is narrow: modes, by Laplace
average_exact_cells <- 2e5    # rows times classes from which on the same, where there is no EP
average_rows_classes <- 1000L # of several classes that modes are sought on first

#' Is anything free that is to be integrated, or averaged over?
#' @noRd
is_averaged <- function(latent, spec) {
  known <- latent$classes == 2 && report_beside(latent$reports)
  known || length(latent$reports$sources) > 1 || identical(spec$epsilon, "average") ||
    identical(spec$hyper, "integrate") && (length(latent$free) > 0 || is.character(spec$epsilon))
}

#' Are there so many rows, a third of it for each class of several, that modes must do?
#' @noRd
average_is_long <- function(latent) {
  if (latent$exact) {
    return(latent$n * latent$classes > average_exact_cells)
  }
  latent$n * max(1, latent$classes / 3) > average_laplace_rows
}

#' Integrate what is free, over noise models, and fit
#'
#' @param latent see latent.R. @param spec as of learn_fit(), with `hyper` and
#'   `noise`.
#' @return as learn_fit(), at the best mode, and `nodes`: see new_nodes().
#' @noRd
average_fit <- function(latent, spec) {
  integrate <- spec$hyper == "integrate" && !average_is_long(latent)
  noise <- noise_model(spec$epsilon, spec$noise, latent$reports, integrate)
  open <- learn_unpriored(latent)
  if (length(open)) abort_no_prior(open)
  plain <- learn_problem(latent, utils::modifyList(unclass(spec), list(epsilon = 0)))
  counter <- learn_counter(spec$control$progress$tick, latent$n)
  # kernels by class would take as long again there
  if (average_is_long(latent) && identical(spec$kernels, "average")) spec$kernels <- "shared"
  both <- if (pooled_is_open(latent, spec)) pooled_noise(noise) else noise
  models <- length(union(noise$models, names(noise$weights))) *
    length(both$weights) / length(noise$weights)
  rows <- average_rows(latent)
  plan_average(
    spec$control$progress, c(rows$fewer, rows$few, latent$n), length(plain$start) + 1,
    models, if (integrate) average_total(latent) else 0, spec$df
  )
  stages <- learn_staged(latent, rows$few, spec, function(latent, before) {
    average_models(latent, noise, spec, counter$tick, before)
  }, rows$fewer)
  latent <- stages$latent
  models <- stages$models[intersect(names(both$weights), names(stages$models))]
  hopeless <- if (average_is_long(latent) && length(stages$before)) {
    hopeful <- average_hopeful(marked_behind(stages$before))
    setdiff(noise_named(names(stages$before)), noise_named(hopeful))
  }
  noise$ruled_out <- c(noise$ruled_out, noise$weights[intersect(hopeless, "none")])
  if (!length(models)) abort_no_modes()
  seconds <- function(models) lapply(average_corners(models), model_second, counter$tick)
  found <- average_parts(
    seconds(models), both, spec$control$progress, counter$tick,
    function(ahead) {
      best <- ahead[[names(which.max(vapply(ahead, model_laplace, 1)))]]
      hyper <- best$problem$hyper(best$modes[[1]]$par)
      again <- if (latent$places) stage_again(latent, latent, hyper, spec) else latent
      anew <- seconds(average_models(again, noise, spec, counter$tick, ahead))
      if (length(anew)) latent <<- again
      anew
    }
  )
  models <- found$models
  parts <- found$parts
  # where EP that went on from a mode did not come to a fixed point there
  parts <- Filter(function(part) !all(vapply(part$out, is.null, NA)), parts)
  if (!length(parts)) abort_no_modes()
  joined <- average_joined(models[names(parts)], parts, both)
  models <- joined$models
  parts <- joined$parts
  if (null_is_open(latent, spec)) {
    size <- if (average_is_long(latent)) null_few else null_nodes
    parts <- lapply(stats::setNames(nm = names(parts)), function(name) {
      with_null(parts[[name]], null_of(latent, name, noise, spec$df, size))
    })
  }
  inform_models_left(
    setdiff(names(noise$weights), c(names(models), hopeless)), learn_is_over(spec)
  )
  nodes <- new_nodes(models, parts, noise)
  nodes <- nodes_at_df(nodes, latent, spec, noise, counter$tick)
  nodes$evaluations <- counter$count()
  inform_rough(nodes, noise)
  average_result(spec, models, average_point(models, parts, noise), nodes)
}

#' Rows of the stages of a search before all
#' @return list(few, fewer: `NULL` where none come before them)
#' @noRd
average_rows <- function(latent) {
  # with several classes all rows cost several times as much; where modes must do, those of
  # some rows tell the curvature; what is elsewhere is not fetched for less
  quarter <- is.null(latent$again) || latent$classes > 2 ||
    !average_is_long(latent) && !is.null(latent$y)
  few <- min(
    if (quarter) learn_few_rows(latent$n), if (latent$classes > 2) average_rows_classes, stage_rows
  )
  list(few = few, fewer = stage_fewer(stage_few(latent, few)$n))
}

# Modes -------------------------------------------------------------------------

#' Modes of all noise models, under the kernel that classes share and, where that is a
#' possibility, under kernels by class
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
  own <- average_found(latent$pooled(), noise, spec, tick, few, shared)
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
  if ("matrix" %in% if (long) average_hopeful(before) else names(noise$weights)) {
    models$matrix <- average_matrix(latent, noise, spec, models, tick, before, long, shared)
  }
  models
}

#' Modes of the noise models without a matrix
#' @param before,shared see average_found().
#' @noRd
average_modes <- function(latent, noise, spec, tick, before, shared) {
  found <- list()
  long <- length(before) > 0 && average_is_long(latent)
  gain <- if (long && latent$classes > 2) modes_gain_classes else modes_gain
  # the best on some rows first: how far the others are behind tells how well they need be known
  sought <- if (long) average_hopeful(before) else names(sort(-vapply(before, model_laplace, 1)))
  sought <- setdiff(if (long) sought else union(sought, noise$models), "matrix")
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
        average_rough(objective, few$modes[[1]], starts[[1]], found, shared)
      }
      if (isFALSE(rough$far)) starts[[1]] <- rough
      if (isTRUE(rough$far)) {
        list(rough)
      } else if (is.null(shared) || is.null(few)) {
        learn_modes(objective, starts, found)
      } else { # kernels by class have many coordinates: their curvature is that on some rows
        modes_grown(objective, starts, few$modes)
      }
    }
    modes <- best_first(Filter(function(mode) is.finite(mode$penalised), modes))
    modes <- modes[!duplicated(lapply(modes, `[[`, "par"))]
    if (length(modes)) found[[name]] <- list(problem = problem, modes = modes)
  }
  found
}

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
#' @param found other noise models on all rows. @return a mode, or where to go on from, where
#'   on all rows this one is not so `far` behind that it does not matter; `NULL` without others.
#' @noRd
average_rough <- function(objective, mode, start, found, shared) {
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
  best <- max(vapply(c(found, shared), model_laplace, numeric(1)))
  here$far <- best - node_laplace(here) > average_dropped + average_rough_gain &&
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

# Nodes -------------------------------------------------------------------------

#' Whether nodes are corners is one rule for all noise models of a kernel, whose evidences are
#' compared: by the one with the most coordinates
#' @noRd
average_corners <- function(models) {
  d <- vapply(models, function(model) length(model$problem$field), 1L)
  most <- stats::ave(d, is_pooled(names(models)), FUN = max)
  Map(function(model, most) {
    model$problem$corners <- most >= node_corners && is.null(model$modes[[1]]$matrix)
    model
  }, models, most)
}

#' Each noise model as one, whatever its kernels
#' @return list(models: with the better of the kernels; parts: with the nodes of both)
#' @noRd
average_joined <- function(models, parts, noise) {
  parts <- Map(part_points, parts, lapply(models, function(model) model$problem))
  of <- split(names(parts), factor(noise_named(names(parts)), unique(noise_named(names(parts)))))
  best <- vapply(of, function(names) {
    names[which.max(vapply(parts[names], function(part) part$log_evidence, 1))]
  }, "")
  list(
    models = stats::setNames(models[best], names(of)),
    parts = lapply(of, function(names) join_parts(parts[names], noise$weights[names]))
  )
}

#' The model at whose best mode the fit is held: the most probable one with flip rates, for
#' at a rate of 0 no label can be wrong
#' @noRd
average_point <- function(models, parts, noise) {
  evidence <- part_evidence(parts, noise)
  some <- setdiff(names(parts), "none")
  names(which.max(if (length(some)) evidence[some] else evidence))
}

#' Nodes of a Student-t process: weighted by their Gaussian evidence, which is the exact
#' one up to the error of EP [M 4.6], with the sites and probabilities of t-EP. Those
#' without a fixed point of t-EP are left out, and with them a noise model that has no other.
#' @noRd
nodes_at_df <- function(nodes, latent, spec, noise, tick) {
  if (is.infinite(spec$df)) {
    return(nodes)
  }
  out <- lapply(seq_along(nodes$hyper), function(k) {
    L <- latent_likelihood(latent, nodes$omega[[k]])
    if (at_constant(nodes$table)[k]) {
      return(constant_output(latent, nodes$table, k, L, spec$df))
    }
    out <- latent$native(nodes$hyper[[k]], spec$df, L, NULL, spec$control)
    tick(latent$n, 1L, "end")
    if (ep_converged(out)) out
  })
  keep <- !vapply(out, is.null, NA)
  if (!any(keep)) {
    return(nodes)
  }
  utils::modifyList(nodes_left(nodes, keep), node_arrays(out[keep]))
}

# Conditions ----------------------------------------------------------------------

abort_no_prior <- function(open, call = rlang::caller_env(2)) {
  abort_sturdy(
    c(
      "With {.code hyper = \"integrate\"} every hyperparameter that is learned must have
       a prior; {.val {open}} {?has/have} none.",
      i = "Give the kernel a {.fn weak_prior}, hold them by {.arg fixed}, or use
           {.code hyper = \"optimum\"}."
    ),
    "prior", arg = "prior", call = call
  )
}

abort_no_modes <- function(call = rlang::caller_env(2)) {
  abort_sturdy(
    c(
      "EP has no fixed point at any starting point of the search.",
      i = "A larger nugget often has one; {.code hyper = \"optimum\"} tells more."
    ),
    "no_posterior", call = call
  )
}

#' A message where a noise model that counts is held at its modes although nodes were wanted
#' @noRd
inform_rough <- function(nodes, noise) {
  models <- nodes$models
  rough <- grepl("^mode", models$method) & models$probability > 0.01
  if (noise$integrate && any(rough)) {
    inform_sturdy(
      c(i = "Hyperparameters are integrated roughly, by Laplace's method, under the noise
             model{?s} {.val {models$model[rough]}}."),
      "integrated_roughly", models = models$model[rough]
    )
  }
}
