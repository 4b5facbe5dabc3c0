# Integrating what is free: modes of the evidence and the prior, and nodes around them, under one noise
# model that allows for wrong labels.

average_nodes <- 60L          # where a node is cheap,
average_nodes_fewest <- 27L   # and where it is dear
average_quantum <- 16L        # corners come in so many
average_rounds <- 4L          # at most, of nodes around ever better modes
average_more <- 2L            # times as many at most, of cheap ones, while their weights are uneven:
average_uneven <- 0.25        # of their number effective
average_cheap <- 8e6          # flops of a pass over the rows of which a node is cheap
average_even <- 2             # wrong labels of each of many classes that go anywhere, beside those there are
average_integral <- 5000      # flops of the integrals of a row and class of several

#' The noise model that is learned under. Where a matrix would have very many coordinates, where errors go is
#' held at what a climb of a matrix on some rows says, or errors that are always the same were learned as right; so
#' many wrong labels of each class are added that go anywhere, for few of them say little.
#' @noRd
average_noise <- function(latent, spec) {
  noise <- noise_model(spec$epsilon, spec$noise, latent$reports, latent_share(latent))
  noise$turn <- latent_turn(latent)
  model <- learner_noise(noise)
  if (noise$first == "each" && is.null(noise$share)) {
    noise$first <- "matrix"
    problem <- average_problem(stage_few(latent, stage_before(latent)), learner_noise(noise), spec)
    problem$curved <- FALSE
    end <- learn_modes(learn_objective(problem), average_starts(problem)[1])
    numbers <- if (length(end)) problem$omega(end[[1]]$par)[1, , ] * latent$n / noise$classes else 0
    model$whereto <- whereto_known(noise$classes, wrong_shares(numbers + average_even * even_share(noise$classes)))
  }
  model
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
    starts = average_starts, elsewhere = average_elsewhere, rival = TRUE, curved = TRUE,
    way = list(
      look = 3L, basis = diag(length(coordinates$field)), behind = 3, value = Inf,
      place = modes_place, steps = 40L, gain = modes_gain
    )
  ))
}

#' Where EP fails at the starts, or all around where a climb comes to: the same with hardly a wrong label,
#' for EP is then nearly that without any
#' @noRd
average_elsewhere <- function(problem, modes, starts) {
  rates <- problem$field == "epsilon"
  stuck <- !length(modes) || identical(modes[[1]]$opt$message, learn_stuck)
  if (stuck && any(rates)) {
    lapply(starts, function(start) {
      start$par[rates] <- pmin(start$par[rates], average_rare)
      start
    })
  }
}
average_rare <- -2 # in the prior's sds: rates of next to nothing

# Nodes -------------------------------------------------------------------------

#' The fit at the best mode, and nodes around all of them
#' @param model,part of average_nodes_of(). @return as learn_fit()
#' @noRd
average_fit <- function(model, part, noise, spec) {
  problem <- model$problem
  nodes <- nodes_at_df(new_nodes(model, part, noise), problem, spec)
  if (integrates(problem$latent, spec)) inform_rough(nodes)
  mode <- model$modes[[1]]
  problem[c("df", "criterion")] <- spec[c("df", "criterion")]
  ep <- learn_final(problem, mode$par, mode$sites, learn_asks_cold(problem$latent))
  mode$cold <- ep$cold
  nodes$point <- problem$omega(mode$par)
  c(learn_result(problem, mode, ep, "integrate", model$modes), list(nodes = nodes))
}

#' Are there nodes around modes, or are these the only ones?
#' @noRd
integrates <- function(latent, spec) spec$hyper == "integrate" && !learn_is_long(latent)

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
#' @param model of learn_search(). @return list(model, part: see node_further())
#' @noRd
average_nodes_of <- function(model, spec) {
  if (!length(model$modes)) abort_no_modes()
  if (spec$hyper == "optimum") model$modes <- model$modes[1] # the only node
  size <- if (integrates(model$problem$latent, spec) && !learn_is_over(spec)) average_total(model$problem$latent) else 0
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
  if (all(vapply(part$out, is.null, NA))) abort_no_modes()
  list(model = model, part = part)
}

#' Where a node is above the mode that it was drawn around there is a better mode
#' @return list(problem, modes) as learn_search() takes it of some rows, `NULL` where no node is.
#' @noRd
average_ahead <- function(model, part) {
  known <- max(vapply(model$modes, function(mode) sum(mode$penalised, mode$second), 1))
  beyond <- length(part$log_f) && max(part$log_f) > known + node_beyond
  if (isTRUE(model$problem$latent$functions > 1) || !beyond) return(NULL)
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
  if (is.infinite(spec$df)) {
    return(nodes)
  }
  out <- ep_at_nodes(nodes, problem$latent, spec$df, spec$control)
  learn_tick(problem, length(out))
  keep <- !vapply(out, is.null, NA)
  if (any(keep)) nodes_kept_of(nodes, keep, out) else nodes
}

# Conditions ----------------------------------------------------------------------

abort_no_modes <- function() {
  abort_sturdy(c(
    "EP has no fixed point at any starting point of the search.",
    i = "A larger nugget often has one; {.code hyper = \"optimum\", epsilon = \"learn\"} tells more."
  ), "no_posterior")
}

#' A message where hyperparameters are held at their modes although nodes were wanted
#' @noRd
inform_rough <- function(nodes) {
  if (startsWith(nodes$models$method, "mode")) {
    inform_sturdy(
      c(i = "Hyperparameters are integrated roughly, by Laplace's method."), "integrated_roughly"
    )
  }
}
