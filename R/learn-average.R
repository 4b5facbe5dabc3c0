# Averaging over hyperparameters and over noise models: what a fit with
# hyper = "integrate" learns. One noise model after the other, each from the modes of the
# one before; then nodes, as many as a model deserves.

average_rows_classes <- 1000L # of several classes that modes are sought on first
# Kernels by class are left out from so many flops on, see average_cost(), of their curvature and of
# so many passes over all rows: climbs and nodes
pooled_dear <- 5e9
pooled_all <- 50

#' Is anything free that is to be integrated, or averaged over?
#' @noRd
is_averaged <- function(latent, spec) {
  known <- latent$classes == 2 && report_beside(latent$reports)
  known || length(latent$reports$sources) > 1 || identical(spec$epsilon, "average") ||
    identical(spec$hyper, "integrate") && (length(latent$free) > 0 || is.character(spec$epsilon))
}

#' Integrate what is free, over noise models, and fit
#'
#' @param latent see latent.R. @param spec as of learn_fit(), with `hyper` and
#'   `noise`.
#' @return as learn_fit(), at the best mode, and `nodes`: see new_nodes().
#' @noRd
average_fit <- function(latent, spec) {
  integrate <- spec$hyper == "integrate" && !average_is_long(latent)
  noise <- noise_model(
    spec$epsilon, spec$noise, latent$reports, integrate, latent_share(latent)
  )
  open <- learn_unpriored(latent)
  if (length(open)) abort_no_prior(open)
  plain <- learn_problem(latent, utils::modifyList(unclass(spec), list(epsilon = 0)))
  counter <- learn_counter(spec$control$progress$tick, latent$n)
  rows <- average_rows(latent)
  few <- min(rows$fewer, rows$few, latent$n)
  left_out <- if (pooled_is_open(latent, spec) && pooled_is_dear(latent, few)) {
    if (latent$functions > 1) "kernels by class" else "a plain kernel"
  }
  if (length(left_out)) spec$kernels <- "shared"
  both <- if (pooled_is_open(latent, spec)) pooled_noise(noise) else noise
  kernels <- length(both$weights) / length(noise$weights)
  plan_average(
    spec$control$progress, c(rows$fewer, rows$few, latent$n), length(plain$start) + 1,
    kernels * length(union(noise$models, names(noise$weights))),
    if (integrate) average_expected(latent, kernels > 1) else 0, spec$df
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
      with_null(parts[[name]], null_of(latent, name, noise, spec$df, size), latent$classes)
    })
  }
  inform_models_left(
    setdiff(names(noise$weights), c(names(models), hopeless)), learn_is_over(spec)
  )
  nodes <- new_nodes(models, parts, noise)
  nodes <- nodes_at_df(nodes, latent, spec, noise, counter$tick)
  nodes$evaluations <- counter$count()
  nodes$left_out <- left_out
  inform_rough(nodes, noise)
  average_result(spec, models, average_point(models, parts, noise), nodes)
}

#' Would kernels by class cost too much? Of many rows they would take as long again as all else.
#' @param few on how many rows their curvature is measured.
#' @noRd
pooled_is_dear <- function(latent, few) {
  d <- max(2L, latent$functions) * sum(lengths(latent$hyper[latent$free]))
  average_is_long(latent) ||
    average_cost(latent) * (d * few / latent$n + pooled_all) > pooled_dear
}

#' Rows of the stages of a search before all
#' @return list(few, fewer: `NULL` where none come before them)
#' @noRd
average_rows <- function(latent) {
  # with several classes all rows cost several times as much; where modes must do, those of
  # some rows tell the curvature; what is elsewhere is not fetched for less
  quarter <- is.null(latent$again) || latent$functions > 1 ||
    !average_is_long(latent) && !is.null(latent$y)
  few <- min(
    if (quarter) learn_few_rows(latent$n), if (latent$functions > 1) average_rows_classes,
    stage_rows
  )
  list(few = few, fewer = stage_fewer(stage_few(latent, few)$n))
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
