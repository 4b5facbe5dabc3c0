# How many nodes each noise model gets: a number for all of them together, which falls slowly with
# what a node costs, dealt out by the roots of their probabilities; and more, while the error that
# the nodes state of themselves is large and they are cheap.

average_nodes <- 60L         # of all noise models together where a node is cheap
average_nodes_fewest <- 27L  # and where it is dear
average_rounds <- 4L         # at most, of nodes around ever better modes
average_cheap <- 8e6         # flops of a pass over the rows of which a node is cheap
average_cell <- 50           # flops of a row and class, where there is no EP,
average_integral <- 5000     # and of the integrals where there are several classes
average_quantum <- 16L       # corners come in so many,
average_nodes_least <- 16L   # other nodes in no fewer, unless a model's probability by Laplace
average_negligible <- 1e-3   # is below this; with flip rates, for the Bayes factor hangs on all of
average_minor <- 0.03        # them together, below this, and as much more as a node is dear
average_more <- 1            # times as many at most, of cheap ones, come later, where an error is
# above this: of the log Bayes factor, of rows' probabilities (rms), of the number of wrong labels
average_goal <- c(evidence = 0.1, wrong = 0.01, count = 0.5)
# Of the log evidence where other models' nodes tell what it lacks; and of one so far behind that
# its mode was sought in a few steps
average_carried_error <- c(near = 0.3, far = 2)

#' What a pass over the rows costs, in flops of low-rank algebra: those of dense one, n^3, are
#' some eight times as fast from 300 to 700 rows
#' @noRd
average_cost <- function(latent) {
  if (latent$exact) {
    return(average_cell * latent$n * latent$classes)
  }
  dense <- is.null(latent$Z)
  rank <- if (dense) 0.36 * latent$n else if (is.matrix(latent$Z)) nrow(latent$Z) else latent$Z
  integral <- if (latent$functions > 1) average_integral else 0
  latent$n * (min(latent$n, rank)^2 + integral) * max(2L, latent$functions) / 2
}

#' Nodes of all noise models together, at first
#' @noRd
average_total <- function(latent) {
  dear <- average_cost(latent) / average_cheap
  max(average_nodes_fewest, average_nodes * min(1, 2 * dear^(-2 / 3)))
}

#' So many more of them at most
#' @param nodes how many there are.
#' @noRd
average_further <- function(latent, nodes) {
  # what is elsewhere is not fetched for it
  here <- !is.null(latent$y)
  here * nodes * average_more * min(1, average_cheap / average_cost(latent))^2
}

#' How many there will be, as far as is known before the search
#' @param both whether there is a second kernel.
#' @noRd
average_expected <- function(latent, both) {
  nodes <- average_total(latent)
  nodes * (if (both) work_both else 1) + work_more * average_further(latent, nodes)
}

#' Nodes for each model
#' @return a vector named by model: 0 where modes do.
#' @noRd
average_sizes <- function(models, noise) {
  problem <- models[[1]]$problem
  if (!noise$integrate || learn_is_over(problem)) {
    return(vapply(models, function(model) 0, 0))
  }
  free <- vapply(models, function(m) as.numeric(node_is_free(m$problem, m$modes)), 0)
  laplace <- vapply(models, model_laplace, numeric(1)) + log(noise$weights[names(models)])
  share <- exp((laplace - max(laplace)) / 2)
  minor <- average_minor * max(1, average_cost(problem$latent) / average_cheap)
  least <- ifelse(noise_named(names(models)) == "none", average_negligible, minor)
  matters <- free * (share^2 > least * sum(share^2))
  size <- average_total(problem$latent) * share * matters / max(sum(share * matters), 1e-300)
  corners <- vapply(models, function(m) isTRUE(m$problem$corners), NA)
  blocks <- stats::ave(corners, is_pooled(names(models)), FUN = any)
  matters * ifelse(
    blocks, pmax(round(size / average_quantum), 1) * average_quantum,
    pmax(round(size), average_nodes_least)
  )
}

#' Nodes of all noise models, and more of them where what they leave open is too much
#' @param seek function(ahead) -> models anew, see average_ahead(); none where EP finds no fixed
#'   point there.
#' @return list(models, parts: see node_integral())
#' @noRd
average_parts <- function(models, noise, progress, tick, seek) {
  for (round in seq_len(average_rounds)) {
    size <- average_sizes(models, noise)
    latent <- models[[1]]$problem$latent
    expected <- sum(pmax(size, 1))
    left <- average_further(latent, min(sum(size), average_total(latent)))
    progress$expect("nodes", latent$n, expected + work_more * left)
    parts <- lapply(stats::setNames(nm = names(models)), function(name) {
      node_integral(models[[name]]$problem, models[[name]]$modes, size[[name]], tick)
    })
    ahead <- average_ahead(models, parts)
    if (is.null(ahead) || round == average_rounds || learn_is_over(models[[1]]$problem)) break
    anew <- seek(ahead)
    if (!length(anew)) break
    models <- anew
  }
  while (left >= average_quantum && !learn_is_over(models[[1]]$problem)) {
    more <- average_wanted(models, parts, noise)
    if (!any(more > 0)) break
    expected <- expected + min(sum(more), left)
    progress$expect("nodes", latent$n, expected)
    for (name in names(which(more > 0))) {
      n <- min(more[[name]], average_quantum * (left %/% average_quantum))
      if (n == 0) next
      parts[[name]] <- node_further(
        models[[name]]$problem, models[[name]]$modes, parts[[name]], n, tick
      )
      left <- left - n
    }
  }
  parts <- lapply(stats::setNames(nm = names(models)), function(name) {
    node_trusted(models[[name]]$problem, models[[name]]$modes, parts[[name]], tick)
  })
  list(models = models, parts = average_carried(parts, noise))
}

#' Where a node is above the mode that it was drawn around there is a better mode: all noise models
#' are to be sought from there, that one first
#' @return models as average_modes() takes them of some rows, `NULL` where no node is.
#' @noRd
average_ahead <- function(models, parts) {
  beyond <- vapply(names(models), function(name) {
    known <- vapply(models[[name]]$modes, function(mode) sum(mode$penalised, mode$second), 1)
    if (length(parts[[name]]$log_f)) max(parts[[name]]$log_f) - max(known) else -Inf
  }, 1)
  several <- isTRUE(models[[1]]$problem$latent$functions > 1)
  if (several || !any(beyond > node_beyond)) {
    return(NULL)
  }
  of <- names(which.max(beyond))
  part <- parts[[of]]
  best <- which.max(part$log_f)
  node <- part$Z[, best]
  from <- models[[of]]$problem$field != "epsilon"
  lapply(models, function(model) {
    mode <- model$modes[[1]]
    kernel <- model$problem$field != "epsilon"
    mode$par[kernel] <- node[from]
    same <- identical(model, models[[of]])
    if (same) mode$par <- node
    mode$from <- part$out[[best]]$sites
    mode$penalised <- if (same) 0 else -Inf # which is sought first
    list(problem = model$problem, modes = list(mode))
  })
}

#' How many more nodes each model should have: as many again for those that the error comes from
#' @noRd
average_wanted <- function(models, parts, noise) {
  from <- average_errors(models, parts, noise)
  blame <- rowSums(matrix(vapply(names(average_goal), function(goal) {
    part <- from[[goal]] / average_goal[[goal]]^2
    part * (sum(part) > 1)
  }, numeric(length(parts))), length(parts)))
  blame[is.na(blame)] <- 0 # of nodes that are all lost
  count <- vapply(parts, function(part) length(part$log_f), 1L)
  count * (blame > 0 & blame >= max(blame) / 2)
}

#' What each noise model adds to the squared errors of the log Bayes factor, of the rows'
#' probabilities of a wrong label and of their sum
#' @return list(evidence, wrong, count), a number for each model.
#' @noRd
average_errors <- function(models, parts, noise) {
  share <- softmax(part_evidence(parts, noise))
  error <- vapply(parts, function(part) {
    if (part$method == "nodes") evidence_error(exp(part$log_weight), part$pair) else 0
  }, 1)
  used <- lapply(parts, function(part) which(part$log_weight > -Inf))
  each <- function(of) unlist(Map(of, parts, used), use.names = FALSE)
  model <- rep(seq_along(parts), lengths(used))
  within <- outer(model, seq_along(parts), `==`) *
    each(function(part, nodes) exp(part$log_weight[nodes]))
  pair <- paste(model, each(function(part, nodes) part$pair[nodes]))
  problems <- lapply(models[names(parts)], function(model) model$problem)
  wrong <- do.call(cbind, Map(part_wrong, parts, problems, used))
  variance <- mean_variance(
    rbind(wrong, colSums(wrong)), within, share, error, pair, (error > 0)[model]
  )
  rows <- seq_len(nrow(wrong))
  some <- noise_named(names(parts)) != "none"
  list(
    evidence = factor_variance(share, some, error) * !all(some),
    wrong = colMeans(variance[rows, , drop = FALSE]), count = variance[nrow(variance), ]
  )
}

#' Probability that each label is wrong at nodes of a model
#' @param nodes which. @return a column a node.
#' @noRd
part_wrong <- function(part, problem, nodes) {
  latent <- problem$latent
  omega <- matrix_of_points(part$log_omega, latent$classes)
  wrong <- vapply(nodes, function(k) {
    at <- if (is.null(omega)) problem$omega(part$Z[, k]) else latent_omega(latent, omega[[k]])
    p <- truth_posterior(latent_likelihood(latent, at), part$out[[k]]$seen)
    1 - p[cbind(seq_len(latent$n), latent$y)]
  }, numeric(latent$n))
  matrix(wrong, latent$n)
}

#' Laplace's evidence of modes that have no nodes, with what nodes of the other noise models add
#' to theirs: it lacks much the same under all of them
#' @noRd
average_carried <- function(parts, noise) {
  method <- vapply(parts, function(part) part$method, "")
  told <- parts[method == "nodes"]
  if (!length(told)) {
    return(parts)
  }
  w <- softmax(part_evidence(told, noise))
  adds <- sum(w * vapply(told, function(part) part$log_evidence - part$laplace, 1))
  lapply(parts, function(part) {
    if (part$method == "mode") {
      part$log_evidence <- part$laplace + adds
      part$method <- "carried"
    }
    part
  })
}

# What weights leave open ----------------------------------------------------------

#' Sums over mirror images
#' @param x a row a node.
#' @noRd
pair_sums <- function(x, pair) rowsum(x, pair, reorder = FALSE)

#' Standard error of the log evidence by weighted nodes
#' @param w their weights, which sum to 1. @param drawn how many pairs there were, those of next
#'   to no weight included.
#' @noRd
evidence_error <- function(w, pair, drawn = length(unique(pair))) {
  sqrt(max(sum(pair_sums(w, pair)^2) - 1 / drawn, 0)) # [M 8.13]
}

#' Squared standard errors of means
#' @param apart of values from their mean, a column a node. @param w weights, which sum to 1.
#' @noRd
pair_variance <- function(apart, w, pair) {
  colSums(pair_sums(t(apart) * w, pair)^2) # [M 8.13]
}

#' What noise models add to the squared standard errors of means over nodes: by what is open of the
#' means within each, and of their shares
#' @param values a column a node. @param within weights of nodes, K x models, which sum to 1 for
#'   each. @param share of the models. @param evidence errors of their log evidences.
#' @param pair which nodes are mirror images. @param drawn which are draws; others are exact.
#' @return a column a model.
#' @noRd
mean_variance <- function(values, within, share, evidence, pair, drawn = TRUE) {
  of_model <- values %*% within
  apart <- of_model - drop(of_model %*% share)
  each <- vapply(seq_along(share), function(m) {
    mine <- which(within[, m] * drawn > 0)
    spread <- values[, mine, drop = FALSE] - rep(of_model[, m], length(mine))
    inside <- pair_variance(spread, within[mine, m], pair[mine])
    share[m]^2 * (inside + (apart[, m] * evidence[m])^2)
  }, numeric(nrow(values)))
  matrix(each, nrow(values), length(share))
}

#' The same of the log Bayes factor for some wrong labels
#' @param some which models are with flip rates.
#' @noRd
factor_variance <- function(share, some, evidence) {
  (ifelse(some, shares(share * some), 1) * evidence)^2
}
