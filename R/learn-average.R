# Integrating what is free: modes of the evidence and the prior, on some rows first where there are
# many, and nodes around them, under one noise model that allows for wrong labels.

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

#' Learn what is free, at the optimum or, where it is integrated, at nodes, then fit, there at the best
#' mode
#'
#' @param latent see latent.R. @param spec a list of `df`, `epsilon` (rates, or how they are
#'   learned), `criterion` ("evidence" or "loo"), `control`; where it averages, `hyper` and `noise`.
#' @return list(hyper, epsilon, ep, learning, latent, nodes): the latent of the fit, which is
#'   another where inducing inputs were placed again; nodes see new_nodes(), or `NULL`.
#' @noRd
learn_fit <- function(latent, spec) {
  spec$deadline <- seconds_now() + spec$control$budget
  spec$control$progress <- learn_work(spec$control$progress, latent)
  if (!is_averaged(latent, spec)) {
    return(optimum_fit(latent, spec))
  }
  noise <- noise_model(spec$epsilon, spec$noise, latent$reports, latent_share(latent))
  noise$turn <- latent_turn(latent)
  noise <- learner_noise(noise)
  open <- learn_unpriored(latent)
  refuse(
    length(open) > 0,
    c(
      "With {.code hyper = \"integrate\"} or {.code epsilon = \"average\"} every hyperparameter
       that is learned must have a prior; {.val {open}} {?has/have} none.",
      i = "Give the kernel a {.fn weak_prior}, hold them by {.arg fixed}, or use
           {.code hyper = \"optimum\", epsilon = \"learn\"}."
    ),
    "prior", arg = "prior"
  )
  stages <- learn_staged(latent, function(latent) average_problem(latent, noise, spec), spec)
  if (!length(stages$model$modes)) abort_no_modes()
  if (spec$hyper == "optimum") stages$model$modes <- stages$model$modes[1] # the only node
  integrate <- spec$hyper == "integrate" && !learn_is_long(latent)
  found <- average_nodes_of(stages$model, integrate, spec)
  if (!length(found$part$out) || all(vapply(found$part$out, is.null, NA))) abort_no_modes()
  nodes <- nodes_at_df(new_nodes(found$model, found$part, noise), found$model$problem, spec)
  inform_rough(nodes, integrate)
  mode <- found$model$modes[[1]]
  problem <- found$model$problem
  problem[c("df", "criterion")] <- spec[c("df", "criterion")]
  ep <- learn_final(problem, mode$par, mode$sites, learn_asks_cold(problem$latent))
  mode$cold <- ep$cold
  nodes$point <- problem$omega(mode$par)
  c(learn_result(problem, mode, ep, "integrate", found$model$modes), list(nodes = nodes))
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

# Modes -------------------------------------------------------------------------

#' The same of the evidence of a Gaussian process, in normal coordinates
#' @param noise see noise-coordinates.R.
#' @noRd
average_problem <- function(latent, noise, spec) {
  spec[c("df", "criterion")] <- list(Inf, "evidence")
  coordinates <- normal_coordinates(latent, noise)
  c(learn_problem(latent, spec, coordinates), list(
    starts = average_starts, climbed = average_climbed, curved = TRUE,
    way = list(
      look = 3L, basis = diag(length(coordinates$field)), behind = 3, value = Inf,
      place = modes_place, steps = 40L, gain = modes_gain
    )
  ))
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
#' @return list(model, part: see node_further())
#' @noRd
average_nodes_of <- function(model, integrate, spec) {
  size <- if (integrate && !learn_is_over(spec)) average_total(model$problem$latent) else 0
  fits <- if (is.finite(spec$df)) 2 else 1 # of a t process once more
  spec$control$progress$expect(fits * max(size, 1) + length(model$modes))
  problem <- model$problem
  problem$search_control$second <- problem$latent$second
  problem$corners <- length(problem$field) >= node_corners
  for (round in seq_len(average_rounds)) {
    model$modes <- lapply(model$modes, learn_second, problem)
    part <- if (size > 0 && length(problem$field)) node_further(problem, model$modes, NULL, size)
    if (is.null(part)) part <- node_at_modes(problem, model$modes)
    ahead <- average_ahead(model, part)
    if (is.null(ahead) || round == average_rounds || learn_is_over(spec)) break
    anew <- learn_search(model$problem, ahead, spec)
    if (!length(anew$modes)) break
    model <- anew
  }
  # more nodes, where they are cheap and their weights uneven
  cheap <- average_cost(problem$latent) <= average_cheap && !is.null(problem$latent$y)
  uneven <- function(n) n < average_more * size && part$ess < average_uneven * n
  while (part$method == "nodes" && cheap && uneven(length(part$log_f)) && !learn_is_over(spec)) {
    part <- node_further(problem, model$modes, part, size)
  }
  # nodes, or where their weights say nothing the modes
  if (part$method == "nodes" && part$ess < node_least_ess) part <- node_at_modes(problem, model$modes)
  list(model = model, part = part)
}

#' Where a node is above the mode that it was drawn around there is a better mode
#' @return list(problem, modes) as learn_search() takes it of some rows, `NULL` where no node is.
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
nodes_at_df <- function(nodes, problem, spec) {
  latent <- problem$latent
  if (is.infinite(spec$df)) {
    return(nodes)
  }
  out <- lapply(seq_along(nodes$hyper), function(k) {
    L <- latent_likelihood(latent, nodes$omega[[k]])
    out <- latent$native(nodes$hyper[[k]], spec$df, L, NULL, spec$control)
    learn_tick(problem)(latent$n)
    if (ep_converged(out)) out
  })
  keep <- !vapply(out, is.null, NA)
  if (any(keep)) nodes_left(nodes, keep, out) else nodes
}

# Conditions ----------------------------------------------------------------------

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
