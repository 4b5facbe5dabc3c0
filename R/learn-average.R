# Averaging over hyperparameters and over noise models: what a fit with
# hyper = "integrate" learns. One noise model after the other, each from the modes of the
# one before; then nodes, as many as a model deserves.

average_nodes <- 120L  # of all noise models; with many coordinates
average_nodes_wide <- 240L
average_nodes_least <- 20L # of a model
average_kept <- 1e-3   # share of the weight of a model that may be left out

#' Is anything free that is to be integrated, or averaged over?
#' @noRd
is_averaged <- function(latent, spec) {
  identical(spec$epsilon, "average") ||
    identical(spec$hyper, "integrate") && (length(latent$free) > 0 || is.character(spec$epsilon))
}

#' Integrate what is free, over noise models, and fit
#'
#' @param latent see ep-latent.R. @param spec as of learn_fit(), with `hyper` and
#'   `noise`. @param rows see noise_model().
#' @return as learn_fit(), at the best mode, and `nodes`: see new_nodes().
#' @noRd
average_fit <- function(latent, spec, rows = NULL) {
  noise <- noise_model(spec$epsilon, spec$noise, rows, spec$hyper == "integrate")
  open <- average_unpriored(latent)
  if (length(open)) abort_no_prior(open)
  count <- 0L
  tick <- learn_progress(
    learn_problem(latent, utils::modifyList(spec, list(epsilon = 0))),
    more = average_nodes, what = "Integrating"
  )
  counting <- function(n) {
    count <<- count + 1L
    tick(n)
  }
  models <- average_all_modes(latent, noise, spec, counting)
  if (!length(models)) abort_no_modes()
  sizes <- average_sizes(models, noise)
  parts <- lapply(names(models), function(name) {
    model <- models[[name]]
    node_integral(model$problem, model$modes, sizes[[name]], counting)
  })
  names(parts) <- names(models)
  point <- average_point(models, parts, noise)
  nodes <- new_nodes(models, parts, noise, latent)
  nodes$evaluations <- count
  average_result(latent, spec, models[[point]], nodes)
}

#' Modes of every noise model
#' @return list by model of list(problem, modes), those without a mode left out.
#' @noRd
average_all_modes <- function(latent, noise, spec, tick) {
  found <- list()
  for (name in noise$models) {
    problem <- average_problem(latent, rate_map(name, noise), spec)
    objective <- learn_objective(problem, tick)
    starts <- average_from(problem, name, noise, found)
    modes <- average_modes(problem, starts, objective)
    if (length(modes)) found[[name]] <- list(problem = problem, modes = modes)
  }
  found
}

#' Where the search under a noise model starts: from the modes of the simpler one
#' @noRd
average_from <- function(problem, name, noise, found) {
  rate <- function(e) {
    kinds <- if (name == "one") "one" else c("neg", "pos")
    groups <- max(1L, length(noise$groups))
    root <- common_root(groups, sqrt(1 - noise$pooling), sqrt(noise$pooling))
    if (groups == 1) root[] <- 1
    z <- mapply(function(e, kind) rate_normal(e, noise$rate[[kind]]), e, kinds)
    z <- matrix(rep(z, each = groups), groups)
    pmin(pmax(as.vector(solve(root, z)), 1 - average_far), average_far - 1)
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
  even <- function(e) rep(e, if (name == "two") 2 else 1)
  c(
    lapply(list(c(0, -0.55), c(-1, -1.35)), average_start, problem = problem,
           rate = rate(even(0.05))),
    list(average_start(c(0.7, 0.5), problem, rate(even(0.15))))
  )
}

#' Nodes for each model: in proportion to the root of its probability by Laplace's method
#' @noRd
average_sizes <- function(models, noise) {
  laplace <- vapply(models, function(model) {
    log_sum(vapply(model$modes, node_laplace, numeric(1)))
  }, numeric(1)) + log(noise$weights[names(models)])
  d <- max(vapply(models, function(model) length(model$problem$field), numeric(1)))
  if (!noise$integrate) {
    return(vapply(models, function(model) 0, 0))
  }
  total <- (if (d <= node_wide) average_nodes else average_nodes_wide) * length(models) / 3
  share <- exp((laplace - max(laplace)) / 2)
  pmax(round(total * share / sum(share)), average_nodes_least)
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

average_unpriored <- function(latent) {
  none <- vapply(latent$free, function(name) is.null(latent$prior[[name]]), logical(1))
  latent$free[none]
}

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

# What the fit keeps -------------------------------------------------------------

#' Nodes of all noise models
#'
#' @return list(models, a data frame with a row a noise model; table, one with a row a node:
#'   model, weight (all sum to 1), log_evidence; hyper, epsilon (K each: as EP takes them); tau, b,
#'   loo (n, k, n x K); C (k x k x K, or `NULL`)). Nodes of next to no weight are left out.
#' @noRd
new_nodes <- function(models, parts, noise, latent) {
  log_evidence <- vapply(parts, function(part) part$log_evidence, numeric(1))
  prior <- noise$weights[names(parts)]
  posterior <- log_evidence + log(prior)
  posterior <- exp(posterior - log_sum(posterior))
  kept <- lapply(parts, function(part) {
    w <- exp(part$log_weight)
    order <- order(-w)
    enough <- cumsum(w[order]) < (1 - average_kept) * sum(w)
    keep <- sort(order[c(TRUE, enough[-length(w)])])
    keep[w[keep] > 0]
  })
  model <- rep(names(parts), lengths(kept))
  weight <- unlist(lapply(names(parts), function(name) {
    w <- exp(parts[[name]]$log_weight[kept[[name]]])
    posterior[[name]] * w / sum(w)
  }))
  out <- unlist(lapply(names(parts), function(name) parts[[name]]$out[kept[[name]]]), FALSE)
  at <- function(what) {
    unlist(lapply(names(parts), function(name) {
      lapply(kept[[name]], function(k) {
        models[[name]]$problem$coordinates[[what]](parts[[name]]$Z[, k])
      })
    }), FALSE)
  }
  columns <- function(part) {
    matrix(vapply(out, part, numeric(length(part(out[[1]])))), ncol = length(out))
  }
  pick <- function(field) vapply(parts, function(part) part[[field]], parts[[1]][[field]])
  list(
    models = data.frame(
      model = names(parts), prior = unname(prior) / sum(prior), log_evidence = log_evidence,
      probability = posterior,
      modes = vapply(models, function(model) length(model$modes), 1L),
      nodes = vapply(parts, function(part) length(part$out), 1L),
      ess = pick("ess"), pareto_k = pick("pareto_k"), method = pick("method"),
      laplace = pick("laplace"), row.names = NULL
    ),
    table = data.frame(
      model = model, weight = weight,
      log_evidence = vapply(out, function(o) o$log_evidence, numeric(1))
    ),
    hyper = at("hyper"), epsilon = at("epsilon"),
    tau = columns(function(o) o$sites$tau), b = columns(function(o) o$b),
    loo = columns(function(o) o$loo),
    C = if (!is.null(out[[1]]$extra)) simplify2array(lapply(out, function(o) o$extra))
  )
}

#' The fit at a mode, and the nodes
#' @noRd
average_result <- function(latent, spec, model, nodes) {
  mode <- model$modes[[1]]
  hyper <- model$problem$coordinates$hyper(mode$par)
  epsilon <- model$problem$coordinates$epsilon(mode$par)
  ep <- ep_run(
    latent, hyper, spec$df, epsilon, mode$sites, spec$control, spec$criterion, final = TRUE
  )
  list(
    hyper = hyper, epsilon = epsilon, ep = ep, latent = latent, nodes = nodes,
    learning = list(
      value = if (is.null(ep$value)) NA_real_ else ep$value, penalised = mode$penalised,
      convergence = 0L, message = "", cold_start = isTRUE(ep$cold),
      evaluations = nodes$evaluations,
      starts = data.frame(
        start = seq_along(model$modes),
        penalised = vapply(model$modes, function(m) m$penalised, numeric(1)),
        chosen = seq_along(model$modes) == 1L
      ),
      method = "integrate", trace = NULL, on_bound = character()
    )
  )
}
