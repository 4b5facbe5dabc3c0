# Integrating what is free: modes of the evidence and the prior, on some rows first where there are
# many, and nodes around them, under one noise model that allows for wrong labels.

average_rows_classes <- 1000L # of several classes that modes are sought on first
average_laplace_rows <- 4800L # from here on the posterior is narrow: modes, by Laplace
average_nodes <- 60L          # where a node is cheap,
average_nodes_fewest <- 27L   # and where it is dear
average_quantum <- 16L        # corners come in so many
average_rounds <- 4L          # at most, of nodes around ever better modes
average_more <- 2L            # times as many at most, of cheap ones, while their weights are uneven:
average_uneven <- 0.25        # of their number effective
average_cheap <- 8e6          # flops of a pass over the rows of which a node is cheap
average_integral <- 5000      # flops of the integrals of a row and class of several

#' Is anything free that is to be integrated, or are rates by source?
#' @noRd
is_averaged <- function(latent, spec) {
  length(latent$reports$sources) > 1 ||
    learns_by_nodes(spec) && (length(latent$free) > 0 || is.character(spec$epsilon))
}

#' Does a spec ask for nodes: all of them, or the best mode as the only one?
#' @noRd
learns_by_nodes <- function(spec) {
  identical(spec$hyper, "integrate") || identical(spec$epsilon, "average")
}

#' Integrate what is free, and fit
#'
#' @param latent see latent.R. @param spec as of learn_fit(), with `hyper` and
#'   `noise`.
#' @return list(hyper, epsilon, ep, latent, nodes, learning), as learn_fit(), at the best mode, and
#'   `nodes`: see new_nodes().
#' @noRd
average_fit <- function(latent, spec) {
  noise <- noise_model(spec$epsilon, spec$noise, latent$reports, latent_share(latent))
  noise$turn <- latent_turn(latent)
  noise <- noise_of(noise$first, noise)
  open <- learn_unpriored(latent)
  if (length(open)) abort_no_prior(open)
  counter <- learn_counter(spec$control$progress$tick, latent$n)
  rows <- average_rows(latent)
  integrate <- spec$hyper == "integrate" && !average_is_long(latent)
  d <- length(average_problem(latent, noise, spec)$start)
  plan_average(
    spec$control$progress, c(rows$fewer, rows$few, latent$n), d,
    if (integrate) average_total(latent) else 0, spec$df
  )
  stages <- learn_staged(latent, rows$few, spec, function(latent, before) {
    average_modes(average_problem(latent, noise, spec), before, spec, counter$tick)
  }, rows$fewer)
  if (!length(stages$model$modes)) abort_no_modes()
  if (spec$hyper == "optimum") stages$model$modes <- stages$model$modes[1] # the only node
  found <- average_nodes_of(stages$model, integrate, spec, counter$tick)
  if (!length(found$part$out) || all(vapply(found$part$out, is.null, NA))) abort_no_modes()
  nodes <- new_nodes(found$model, found$part, noise)
  nodes <- nodes_at_df(nodes, found$model$problem$latent, spec, counter$tick)
  nodes$evaluations <- counter$count()
  inform_rough(nodes, integrate)
  average_result(spec, found$model, nodes)
}

#' The order in which its classes have rates, see class_turn(); among those with as many labels that
#' of the rows as EP takes them
#' @noRd
latent_turn <- function(latent) {
  reports <- latent$reports
  classes <- seq_len(latent$classes)
  if (is.null(latent$y)) {
    return(classes) # rows are elsewhere
  }
  class_turn(latent$y, latent$classes, report_times(reports), -match(classes, reports$value))
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

#' Are there so many rows, a third of it for each class of several, that modes must do?
#' @noRd
average_is_long <- function(latent) {
  latent$n * max(1, latent$classes / 3) > average_laplace_rows
}

# Modes -------------------------------------------------------------------------

#' The modes on the rows of a problem
#' @param before list(problem, modes) on some of them, or `NULL`. @return list(problem, modes), the
#'   best first.
#' @noRd
average_modes <- function(problem, before, spec, tick) {
  objective <- learn_objective(problem, tick)
  n <- problem$latent$n
  long <- length(before$modes) > 0 && average_is_long(problem$latent)
  modes <- if (long) {
    gain <- if (problem$latent$functions > 1) modes_gain_classes else modes_gain
    lapply(before$modes, stage_onward, problem, before$problem$latent$n, spec, tick, gain)
  } else {
    starts <- if (length(before$modes)) grown_starts(problem, before, n) else average_starts(problem)
    average_climbed(objective, starts)
  }
  modes <- best_first(Filter(function(mode) is.finite(mode$penalised), modes))
  list(problem = problem, modes = modes[!duplicated(lapply(modes, `[[`, "par"))])
}

#' Modes from starts; where EP fails at them, or all around where a climb comes to, also from there
#' with hardly a wrong label: EP is then nearly that without any
#' @noRd
average_climbed <- function(objective, starts) {
  modes <- learn_modes(objective, starts)
  rates <- objective$problem$field == "epsilon"
  stuck <- !length(modes) || identical(modes[[1]]$opt$message, learn_stuck)
  if (!stuck || !any(rates)) {
    return(modes)
  }
  again <- learn_modes(objective, lapply(starts, function(start) {
    start$par[rates] <- pmin(start$par[rates], average_rare)
    start
  }))
  if (max(reached(again), -Inf) > max(reached(modes), -Inf)) again else modes
}
average_rare <- -2 # in the prior's sds: rates of next to nothing

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

# Nodes -------------------------------------------------------------------------

#' What a pass over the rows costs, in flops of low-rank algebra: those of dense one, n^3, are
#' some eight times as fast from 300 to 700 rows
#' @noRd
average_cost <- function(latent) {
  dense <- is.null(latent$Z)
  rank <- if (dense) 0.36 * latent$n else if (is.matrix(latent$Z)) nrow(latent$Z) else latent$Z
  integral <- if (latent$functions > 1) average_integral else 0
  latent$n * (min(latent$n, rank)^2 + integral) * max(2L, latent$functions) / 2
}

#' How many nodes
#' @noRd
average_total <- function(latent) {
  dear <- average_cost(latent) / average_cheap
  size <- max(average_nodes_fewest, average_nodes * min(1, 2 * dear^(-2 / 3)))
  average_quantum * max(1, round(size / average_quantum))
}

#' Nodes around the modes, anew where one of them is above the mode that it was drawn around; more
#' where they are cheap and their weights uneven
#' @return list(model, part: see node_integral())
#' @noRd
average_nodes_of <- function(model, integrate, spec, tick) {
  size <- if (integrate && !learn_is_over(spec)) average_total(model$problem$latent) else 0
  for (round in seq_len(average_rounds)) {
    model$modes <- lapply(model$modes, learn_second, model$problem, tick)
    model$problem$search_control$second <- model$problem$latent$second
    model$problem$corners <- length(model$problem$field) >= node_corners
    part <- node_integral(model$problem, model$modes, size, tick)
    ahead <- average_ahead(model, part)
    if (is.null(ahead) || round == average_rounds || learn_is_over(spec)) break
    anew <- average_modes(average_problem_like(model$problem), ahead, spec, tick)
    if (!length(anew$modes)) break
    model <- anew
  }
  while (average_wants_more(model$problem$latent, part, size) && !learn_is_over(spec)) {
    part <- node_further(model$problem, model$modes, part, size, tick)
  }
  list(model = model, part = node_trusted(model$problem, model$modes, part, tick))
}

#' The problem of a search, without what nodes have set
#' @noRd
average_problem_like <- function(problem) {
  problem$search_control$second <- NULL
  problem$corners <- NULL
  problem
}

average_wants_more <- function(latent, part, size) {
  n <- length(part$log_f)
  cheap <- average_cost(latent) <= average_cheap && !is.null(latent$y)
  part$method == "nodes" && cheap && n < average_more * size && part$ess < average_uneven * n
}

#' Where a node is above the mode that it was drawn around there is a better mode
#' @return list(problem, modes) as average_modes() takes it of some rows, `NULL` where no node is.
#' @noRd
average_ahead <- function(model, part) {
  known <- max(vapply(model$modes, function(mode) sum(mode$penalised, mode$second), 1))
  beyond <- length(part$log_f) && max(part$log_f) > known + node_beyond
  if (isTRUE(model$problem$latent$functions > 1) || !beyond) {
    return(NULL)
  }
  best <- which.max(part$log_f)
  mode <- model$modes[[1]]
  mode$par <- part$Z[, best]
  mode$from <- part$out[[best]]$sites
  list(problem = model$problem, modes = list(mode))
}

#' Nodes of a Student-t process: weighted by their Gaussian evidence, which is the exact
#' one up to the error of EP [M 4.6], with the sites and probabilities of t-EP. Those
#' without a fixed point of t-EP are left out.
#' @noRd
nodes_at_df <- function(nodes, latent, spec, tick) {
  if (is.infinite(spec$df)) {
    return(nodes)
  }
  out <- lapply(seq_along(nodes$hyper), function(k) {
    L <- latent_likelihood(latent, nodes$omega[[k]])
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

abort_no_prior <- function(open) {
  abort_sturdy(
    c(
      "With {.code hyper = \"integrate\"} or {.code epsilon = \"average\"} every hyperparameter
       that is learned must have a prior; {.val {open}} {?has/have} none.",
      i = "Give the kernel a {.fn weak_prior}, hold them by {.arg fixed}, or use
           {.code hyper = \"optimum\", epsilon = \"learn\"}."
    ),
    "prior", arg = "prior"
  )
}

abort_no_modes <- function() {
  abort_sturdy(
    c(
      "EP has no fixed point at any starting point of the search.",
      i = "A larger nugget often has one; {.code hyper = \"optimum\", epsilon = \"learn\"} tells more."
    ),
    "no_posterior"
  )
}

#' A message where hyperparameters are held at their modes although nodes were wanted
#' @noRd
inform_rough <- function(nodes, integrate) {
  if (integrate && startsWith(nodes$models$method, "mode")) {
    inform_sturdy(
      c(i = "Hyperparameters are integrated roughly, by Laplace's method."), "integrated_roughly"
    )
  }
}
