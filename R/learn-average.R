# Averaging over hyperparameters and over noise models: what a fit with
# hyper = "integrate" learns. One noise model after the other, each from the modes of the
# one before; then nodes, as many as a model deserves.

average_nodes <- 120L       # of three noise models together,
average_nodes_wide <- 240L  # with many coordinates,
average_nodes_classes <- 60L # with several classes, of which each costs as much as one of two,
average_nodes_many <- 150L  # on up to so many rows; with more, as the posterior narrows and
                            # each costs more, fewer in proportion, but no fewer than
average_nodes_fewest <- 27L
average_nodes_least <- 12L  # of a model, unless its probability by Laplace is below
average_negligible <- 1e-3
average_kept <- 1e-3        # share of the weight of a model that may be left out
average_hopeless <- 15    # nats behind on some of many rows: on all it is many times as far
average_laplace_rows <- 4800L # from here on the posterior is narrow: modes, by Laplace

#' Is anything free that is to be integrated, or averaged over?
#' @noRd
is_averaged <- function(latent, spec, rows = NULL) {
  !is.null(rows) || identical(spec$epsilon, "average") ||
    identical(spec$hyper, "integrate") && (length(latent$free) > 0 || is.character(spec$epsilon))
}

#' Are there so many rows, a third of it for each class of several, that modes must do?
#' @noRd
average_is_long <- function(latent) {
  latent$n * max(1, latent$classes / 3) > average_laplace_rows
}

#' Integrate what is free, over noise models, and fit
#'
#' @param latent see ep-latent.R. @param spec as of learn_fit(), with `hyper` and
#'   `noise`. @param rows see noise_model().
#' @return as learn_fit(), at the best mode, and `nodes`: see new_nodes().
#' @noRd
average_fit <- function(latent, spec, rows = NULL) {
  noise <- if (is.null(latent$classes)) {
    noise_model(spec$epsilon, spec$noise, rows, spec$hyper == "integrate")
  } else {
    classes_noise(spec, if (is.null(latent$checked)) matrix(0) else latent$checked)
  }
  if (average_is_long(latent)) noise$integrate <- FALSE
  open <- average_unpriored(latent)
  if (length(open)) abort_no_prior(open)
  counter <- average_counter(latent, spec)
  before <- average_few(latent, noise, spec, counter$tick)
  if (!is.null(before$latent)) latent <- before$latent
  hopeless <- if (average_is_long(latent) && length(before$models)) {
    setdiff(names(before$models), average_hopeful(before$models))
  }
  noise$ruled_out <- c(noise$ruled_out, noise$weights[intersect(hopeless, "none")])
  models <- average_all_modes(latent, noise, spec, counter$tick, before$models)
  if (isTRUE(noise$matrix)) models <- average_matrix(latent, noise, spec, models, counter$tick)
  if (!length(models)) abort_no_modes()
  inform_models_left(setdiff(names(noise$weights), c(names(models), hopeless)))
  sizes <- average_sizes(models, noise)
  parts <- lapply(stats::setNames(nm = names(models)), function(name) {
    node_integral(models[[name]]$problem, models[[name]]$modes, sizes[[name]], counter$tick)
  })
  nodes <- new_nodes(models, parts, noise)
  nodes <- nodes_at_df(nodes, latent, spec, noise, counter$tick)
  nodes$evaluations <- counter$count()
  inform_rough(nodes, noise)
  model <- models[[average_point(models, parts, noise)]]
  if (is.null(latent$classes)) {
    average_result(latent, spec, model, nodes)
  } else {
    average_classes(latent, spec, model, nodes, models$matrix$modes[[1]]$matrix)
  }
}

#' Counts evaluations on all rows, and shows how far they have come
#' @noRd
average_counter <- function(latent, spec) {
  count <- 0L
  plain <- utils::modifyList(spec, list(epsilon = 0))
  tick <- learn_progress(learn_problem(latent, plain), average_nodes, "Integrating")
  list(
    tick = function(n) {
      if (n == latent$n) count <<- count + 1L
      tick(n)
    },
    count = function() count
  )
}

# Modes -------------------------------------------------------------------------

#' The modes on some of the rows, where there are many, and inducing inputs placed by them
#' @return list(models, latent): each `NULL` where there is nothing to say.
#' @noRd
average_few <- function(latent, noise, spec, tick) {
  # with several classes all rows cost several times as much
  fewer <- is.null(latent$staged) || !is.null(latent$classes)
  size <- min(if (fewer) learn_few_rows(latent$n), staged_rows)
  placed <- !is.null(latent$staged) && !latent$staged$given
  if (latent$n <= 1.2 * size && !placed) {
    return(NULL)
  }
  few <- if (latent$n <= 1.2 * size) latent else latent$some(size)
  some <- noise
  if (!is.null(noise$row)) some$row <- noise$row[few$rows]
  models <- average_all_modes(few, some, spec, tick)
  again <- if (placed && length(models)) {
    # with wrong labels: without, the kernel follows each of them
    model <- models[[min(2, length(models))]]
    hyper <- model$problem$coordinates$hyper(model$modes[[1]]$par)
    staged_again(latent, few, hyper, spec)
  }
  list(models = models, latent = again)
}

#' Modes of every noise model
#' @param before the same on some of the rows.
#' @return list by model of list(problem, modes), those without a mode left out.
#' @noRd
average_all_modes <- function(latent, noise, spec, tick, before = NULL) {
  found <- list()
  many <- !is.null(before) && average_is_long(latent)
  for (name in if (many) average_hopeful(before) else noise$models) {
    problem <- average_problem(latent, rate_map(name, noise), spec)
    if (many) {
      problem$impatient <- TRUE
      problem$search_control$max_sweeps <- min(staged_sweeps, spec$control$max_sweeps)
    }
    objective <- learn_objective(problem, tick)
    starts <- if (is.null(before[[name]])) {
      average_from(problem, name, noise, found)
    } else {
      few <- before[[name]]$problem$latent$n
      lapply(before[[name]]$modes, function(mode) {
        start <- average_transfer(mode, latent$n / few)
        if (many && is.null(noise$row) && !is.null(latent$staged)) {
          at <- problem$coordinates
          start$sites <- staged_sites(latent, few, at$hyper(mode$par), at$epsilon(mode$par), spec)
        }
        start
      })
    }
    climb <- if (many && !is.null(before[[name]])) average_modes_near else average_modes
    modes <- climb(problem, starts, objective)
    if (length(modes)) found[[name]] <- list(problem = problem, modes = modes)
  }
  found
}

#' Noise models that can still be the best on all of many rows
#' @noRd
average_hopeful <- function(before) {
  laplace <- vapply(before, function(model) {
    log_sum(vapply(model$modes, node_laplace, numeric(1)))
  }, numeric(1))
  names(before)[laplace > max(laplace) - average_hopeless]
}

#' A start from a mode on some of the rows: the data's part of the curvature grows with them
#' @noRd
average_transfer <- function(mode, times) {
  prior <- diag(length(mode$par))
  e <- eigen(prior + times * (mode$H - prior), symmetric = TRUE)
  curvature <- e$vectors %*% (pmax(e$values, average_least) * t(e$vectors))
  list(par = mode$par, curvature = curvature)
}

#' Where the search under a noise model starts: from the modes of the simpler one
#' @noRd
average_from <- function(problem, name, noise, found) {
  kinds <- if (name == "one") "one" else c("neg", "pos")
  root <- rate_root(noise)
  rate <- function(e) {
    z <- mapply(function(e, kind) rate_normal(e, noise$rate[[kind]]), e, kinds)
    z <- solve(root, matrix(z, nrow(root), length(kinds), byrow = TRUE))
    pmin(pmax(as.vector(z), 1 - average_far), average_far - 1)
  }
  onward <- function(before, k, e) {
    average_onward(problem, before$modes[[k]], before$problem, rate(e))
  }
  if (name %in% c("none", "given")) {
    return(average_starts(problem))
  }
  if (name == "one" && !is.null(found$none)) {
    known <- lapply(seq_len(min(2, length(found$none$modes))), onward,
                    before = found$none, e = 0.03)
    return(c(known, list(average_start(c(0.7, -0.9), problem, rate(0.15)))))
  }
  if (name == "two" && !is.null(found$one)) {
    return(lapply(list(c(0.05, 0.05), c(0.2, 0.01), c(0.01, 0.2)), onward,
                  before = found$one, k = 1L))
  }
  list(
    average_start(c(0, -0.55), problem, rate(rep(0.05, length(kinds)))),
    average_start(c(-1, -1.35), problem, rate(rep(0.05, length(kinds)))),
    average_start(c(0.7, 0.5), problem, rate(rep(0.15, length(kinds))))
  )
}

# Nodes -------------------------------------------------------------------------

#' Nodes for each model: in proportion to the root of its probability by Laplace's method
#' @noRd
average_sizes <- function(models, noise) {
  problem <- models[[1]]$problem
  if (!noise$integrate || learn_is_over(problem)) {
    return(vapply(models, function(model) 0, 0))
  }
  laplace <- vapply(models, function(model) {
    log_sum(vapply(model$modes, node_laplace, numeric(1)))
  }, numeric(1)) + log(noise$weights[names(models)])
  d <- max(vapply(models, function(model) length(model$problem$field), numeric(1)))
  total <- if (d > node_wide) {
    average_nodes_wide
  } else if (is.null(problem$latent$classes)) average_nodes else average_nodes_classes
  total <- total * length(models) / 3
  total <- max(
    total * min(1, average_nodes_many / problem$latent$n), min(total, average_nodes_fewest)
  )
  share <- exp((laplace - max(laplace)) / 2)
  size <- pmax(round(total * share / sum(share)), average_nodes_least)
  ifelse(share^2 < average_negligible * sum(share^2), 0, size)
}

#' The model at whose best mode the fit is held: the most probable one with flip rates, for
#' at a rate of 0 no label can be wrong
#' @noRd
average_point <- function(models, parts, noise) {
  evidence <- vapply(parts, function(part) part$log_evidence, numeric(1)) +
    log(noise$weights[names(parts)])
  some <- setdiff(names(parts), "none")
  names(which.max(if (length(some)) evidence[some] else evidence))
}

#' Nodes of a Student-t process: weighted by their Gaussian evidence, which is the exact
#' one up to the error of EP [M 4.6], with the sites and probabilities of t-EP. Those
#' without a fixed point of t-EP are left out.
#' @noRd
nodes_at_df <- function(nodes, latent, spec, noise, tick) {
  if (is.infinite(spec$df)) {
    return(nodes)
  }
  out <- lapply(seq_along(nodes$hyper), function(k) {
    epsilon <- spread_rates(nodes$rates[[k]], noise$row)
    out <- latent$native(nodes$hyper[[k]], spec$df, epsilon, NULL, spec$control)
    tick(latent$n)
    if (ep_converged(out)) out
  })
  keep <- !vapply(out, is.null, NA)
  if (!any(keep)) {
    return(nodes)
  }
  out <- out[keep]
  nodes$table <- nodes$table[keep, ]
  nodes[c("hyper", "rates")] <- lapply(nodes[c("hyper", "rates")], `[`, keep)
  model <- nodes$table$model
  left <- vapply(unique(model), function(m) sum(nodes$table$weight[model == m]), 0)
  probability <- nodes$models$probability[match(names(left), nodes$models$model)]
  nodes$table$weight <- nodes$table$weight * (probability / left)[model]
  nodes$table$weight <- nodes$table$weight / sum(nodes$table$weight)
  utils::modifyList(nodes, node_arrays(out))
}

average_unpriored <- function(latent) {
  none <- vapply(latent$free, function(name) is.null(latent$prior[[name]]), logical(1))
  latent$free[none]
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

#' A message where EP found no fixed point under a noise model, so that it is not in the average
#' @noRd
inform_models_left <- function(lost) {
  if (length(lost)) {
    inform_sturdy(
      c(
        "!" = "The average is without the noise model{?s} {.val {lost}}: EP found no fixed point under
               {?it/them}.",
        i = "What it says of there being wrong labels is not to be relied on."
      ),
      "models_left_out", models = lost
    )
  }
}

#' A message where a noise model that counts is held at its modes although nodes were wanted
#' @noRd
inform_rough <- function(nodes, noise) {
  models <- nodes$models
  rough <- models$method == "mode" & models$probability > 0.01
  if (noise$integrate && any(rough)) {
    inform_sturdy(
      c(i = "Hyperparameters are integrated roughly, by Laplace's method, under the noise
             model{?s} {.val {models$model[rough]}}."),
      "integrated_roughly", models = models$model[rough]
    )
  }
}
