# What a fit keeps of the nodes of all noise models.

average_kept <- 1e-3 # share of the weight of a model that may be left out

#' Nodes of all noise models
#'
#' Those of next to no weight are left out.
#' @param parts see part_points().
#' @return list(models, a data frame with a row a noise model; table, one with a row a
#'   node: model, weight (all sum to 1), log_evidence, constant (the latent function where it is
#'   one, or `NA`); hyper, omega (K each; omega S x C x C); and the arrays of node_arrays()).
#' @noRd
new_nodes <- function(models, parts, noise) {
  pick <- function(field) vapply(parts, function(part) part[[field]], parts[[1]][[field]])
  prior <- noise$weights[names(parts)]
  posterior <- softmax(part_evidence(parts, noise))
  kept <- lapply(parts, kept_nodes)
  of <- function(f) {
    unlist(lapply(names(parts), function(name) lapply(kept[[name]], f, name = name)), FALSE)
  }
  weight <- lapply(names(parts), function(name) {
    w <- exp(parts[[name]]$log_weight[kept[[name]]])
    posterior[[name]] * w / sum(w)
  })
  out <- of(function(k, name) parts[[name]]$out[[k]])
  constant <- do.call(rbind, of(function(k, name) parts[[name]]$constant[k, ]))
  c(
    list(
      models = data.frame(
        model = names(parts), prior = unname(prior) / sum(prior, noise$ruled_out),
        log_evidence = pick("log_evidence"), probability = posterior,
        modes = vapply(models, function(model) length(model$modes), 1L),
        nodes = vapply(parts, function(part) length(part$out), 1L),
        ess = pick("ess"), pareto_k = pick("pareto_k"), method = part_method(parts, models),
        laplace = pick("laplace"), corrected = models[[1]]$problem$latent$second,
        row.names = NULL
      ),
      table = data.frame(
        model = rep(names(parts), lengths(kept)), weight = unlist(weight),
        log_evidence = vapply(out, function(o) o$log_evidence, numeric(1)),
        pair = unlist(lapply(names(parts), function(name) parts[[name]]$pair[kept[[name]]])),
        constant = I(if (ncol(constant) > 1) constant else constant[, 1])
      ),
      hyper = of(function(k, name) parts[[name]]$hyper[[k]]),
      omega = of(function(k, name) parts[[name]]$omega[[k]]), ruled_out = noise$ruled_out,
      drawn = vapply(parts, function(part) length(unique(part$pair[!at_constant(part)])), 1L)
    ),
    node_arrays(out)
  )
}

#' A part of an average with the hyperparameters and the noise model at each of its nodes
#' @param part see node_integral(). @return it with hyper, omega (K each) and constant (K).
#' @noRd
part_points <- function(part, problem) {
  nodes <- seq_along(part$log_weight)
  drawn <- matrix_of_points(part$log_omega, problem$latent$classes)
  part$hyper <- lapply(nodes, function(k) problem$hyper(part$Z[, k]))
  part$omega <- lapply(nodes, function(k) {
    if (is.null(drawn)) problem$omega(part$Z[, k]) else latent_omega(problem$latent, drawn[[k]])
  })
  latent <- problem$latent
  constants <- if (has_order(latent)) latent$classes - 1 else latent$functions
  part$constant <- matrix(NA_real_, length(nodes), constants)
  part
}

#' Log evidence of noise models times their prior probability
#' @return a vector named by model.
#' @noRd
part_evidence <- function(parts, noise) {
  vapply(parts, function(part) part$log_evidence, 1) + log(noise$weights[names(parts)])
}

#' Where the evidence of each noise model is from; where it hangs on a curvature that differences
#' did not tell, that as well
#' @noRd
part_method <- function(parts, models) {
  vapply(names(parts), function(name) {
    method <- parts[[name]]$method
    paste0(method, if (method %in% c("mode", "carried")) curvature_words(models[[name]]$modes))
  }, "")
}

#' Which nodes of a part have all but `average_kept` of its weight
#' @noRd
kept_nodes <- function(part) {
  w <- exp(part$log_weight)
  order <- order(-w)
  enough <- cumsum(w[order]) < (1 - average_kept) * sum(w)
  keep <- sort(order[c(TRUE, enough[-length(w)])])
  keep[w[keep] > 0]
}

#' What predictions and rows need of EP at each node
#' @return list(tau, b, seen, C): arrays whose last dimension is K; before it those of the
#'   native result. `NULL` is in the place of C in kernel space.
#' @noRd
node_arrays <- function(out) {
  part <- function(of) {
    first <- of(out[[1]])
    size <- if (is.null(dim(first))) length(first) else dim(first)
    if (!is.null(first)) array(unlist(lapply(out, of)), c(size, length(out)))
  }
  list(
    tau = part(function(o) o$sites$tau), b = part(function(o) o$b),
    seen = part(function(o) o$seen), C = part(function(o) o$extra)
  )
}

#' Some of the nodes, weighted anew, without the noise models that have none of them
#'
#' A noise model so unlikely that its weight is 0 stays, with its nodes.
#' @param nodes with the probabilities of noise models when all nodes were there.
#' @noRd
nodes_left <- function(nodes, keep) {
  nodes$table <- nodes$table[keep, ]
  nodes[c("hyper", "omega")] <- lapply(nodes[c("hyper", "omega")], `[`, keep)
  model <- nodes$table$model
  there <- nodes$models$model %in% model
  inform_models_left(nodes$models$model[!there & nodes$models$probability > average_kept])
  nodes$models <- nodes$models[there, ]
  nodes$models$probability <- model_probability(nodes$models$log_evidence, nodes$models$prior)
  for (k in seq_along(nodes$models$model)) {
    mine <- model == nodes$models$model[k]
    weight <- shares(nodes$table$weight[mine])
    nodes$table$weight[mine] <- weight * nodes$models$probability[k]
  }
  nodes
}

#' @noRd
model_probability <- function(log_evidence, prior) softmax(log_evidence + log(prior))

#' Weights that sum to 1, alike where all are 0: nodes of a noise model that is out of question
#' @noRd
shares <- function(weight) {
  if (sum(weight) == 0) weight[] <- 1
  weight / sum(weight)
}

#' A message where EP found no fixed point under a noise model, so that it is not in the average
#' @param over whether the search had no time left to look for it.
#' @noRd
inform_models_left <- function(lost, over = FALSE) {
  if (length(lost)) {
    found <- if (over) "before its time was over the search found no" else "EP found no"
    inform_sturdy(
      c(
        "!" = paste0(
          "The average is without the noise model{?s} {.val {lost}}: ", found, " fixed point
           under {?it/them}."
        ),
        i = "What it says of there being wrong labels is not to be relied on."
      ),
      "models_left_out", models = lost
    )
  }
}

#' The fit at a mode, and the nodes
#' @param name of the noise model at whose best mode.
#' @noRd
average_result <- function(spec, models, name, nodes) {
  model <- models[[name]]
  mode <- model$modes[[1]]
  latent <- model$problem$latent
  hyper <- model$problem$hyper(mode$par)
  omega <- model$problem$omega(mode$par)
  if (!is.null(mode$matrix)) omega <- latent_omega(latent, mode$matrix$mean)
  nodes$point <- omega
  ep <- ep_run(
    latent, hyper, spec$df, omega, mode$sites, spec$control, spec$criterion,
    final = !learn_is_over(spec)
  )
  c(
    list(
      hyper = hyper, epsilon = model$problem$rates(mode$par), ep = ep, latent = latent,
      nodes = nodes, learning = average_learning(models, name, ep, nodes)
    ),
    models$matrix$modes[[1]]$matrix[matrix_fields]
  )
}

#' The `learning` field of a model that averages, `NULL` where nothing is free. Its search has
#' stopped short where that of any noise model has: their weights hang on all of them
#' @noRd
average_learning <- function(models, name, ep, nodes) {
  model <- models[[name]]
  if (length(model$problem$field)) {
    mode <- model$modes[[1]]
    left <- unlist(lapply(models, function(model) model$modes[[1]]$opt$left))
    over <- learn_is_over(model$problem)
    learn_report(model$problem, c(mode[c("par", "penalised")], list(
      opt = if (over) learn_out_of_time(model$problem) else stage_end(max(0, left)),
      cold = if (is.null(ep$cold)) NA else ep$cold, method = "integrate",
      evaluations = nodes$evaluations,
      starts = ends_table(list(ends = model$modes, of = seq_along(model$modes)), 1L)
    )), ep)
  }
}
