# What a fit keeps of the nodes, and the same where rows or degrees of freedom have changed.

average_kept <- 1e-3 # share of the weight of a model that may be left out

#' The nodes of an average
#'
#' Those of next to no weight are left out.
#' @param model list(problem, modes). @param part see node_further().
#' @return list(models, a data frame with one row; table, one with a row a
#'   node: model, weight (all sum to 1), log_evidence; hyper, omega (K each; omega S x C x C); and the
#'   arrays of node_arrays()).
#' @noRd
new_nodes <- function(model, part, noise) {
  kept <- kept_nodes(part)
  w <- exp(part$log_weight[kept])
  out <- part$out[kept]
  problem <- model$problem
  method <- part$method
  if (method == "mode") method <- paste0(method, curvature_words(model$modes))
  c(
    list(
      models = data.frame(
        model = noise$name, prior = 1, log_evidence = part$log_evidence, probability = 1,
        modes = length(model$modes), nodes = length(part$out), ess = part$ess,
        pareto_k = part$pareto_k, method = method, laplace = part$laplace,
        corrected = problem$latent$second
      ),
      table = data.frame(
        model = noise$name, weight = w / sum(w),
        log_evidence = vapply(out, function(o) o$log_evidence, numeric(1))
      ),
      hyper = lapply(kept, function(k) problem$hyper(part$Z[, k])),
      omega = lapply(kept, function(k) problem$omega(part$Z[, k]))
    ),
    node_arrays(out)
  )
}

#' Which nodes of a part have all but `average_kept` of its weight
#' @noRd
kept_nodes <- function(part) {
  w <- exp(part$log_weight)
  heaviest <- order(-w)
  before <- c(0, cumsum(w[heaviest])[-length(w)]) # what heavier ones have
  keep <- sort(heaviest[before < (1 - average_kept) * sum(w)])
  keep[w[keep] > 0]
}

#' What predictions and rows need of EP at each node
#' @return list(tau, b, seen, C): arrays whose last dimension is K; before it those of the
#'   native result, of C its lower triangles. `NULL` is in its place in kernel space.
#' @noRd
node_arrays <- function(out) {
  stacked <- function(of) {
    first <- of(out[[1]])
    size <- if (is.null(dim(first))) length(first) else dim(first)
    if (!is.null(first)) array(unlist(lapply(out, of)), c(size, length(out)))
  }
  list(
    tau = stacked(function(o) o$sites$tau), b = stacked(function(o) o$b),
    seen = stacked(function(o) o$seen), C = stacked(lower_triangles)
  )
}

#' The lower triangles of a native result's covariances of weights, a column a function
#' @noRd
lower_triangles <- function(out) {
  if (!is.null(out$extra)) {
    lower <- lower.tri(diag(NROW(out$b)), diag = TRUE)
    matrix(out$extra, length(lower))[lower, , drop = FALSE]
  }
}

#' Symmetric matrices, a column each, from their lower triangles
#' @noRd
whole_symmetric <- function(lower) {
  k <- floor(sqrt(2 * nrow(lower)))
  at <- matrix(0L, k, k)
  at[lower.tri(at, diag = TRUE)] <- seq_len(nrow(lower))
  lower[pmax(at, t(at)), , drop = FALSE]
}

#' EP at each of the nodes on the rows of a latent
#' @return list of native results, `NULL` without a fixed point
#' @noRd
ep_at_nodes <- function(nodes, latent, df, control) {
  points <- Map(function(hyper, omega) {
    list(hyper = hyper, L = latent_likelihood(latent, omega))
  }, nodes$hyper, nodes$omega)
  lapply(latent$ep(points, df, control), function(out) if (ep_converged(out)) out)
}

#' Some of the nodes, weighted anew
#' @param out results of EP at all of them.
#' @noRd
nodes_kept_of <- function(nodes, keep, out) {
  nodes$table <- nodes$table[keep, ]
  nodes[c("hyper", "omega")] <- lapply(nodes[c("hyper", "omega")], `[`, keep)
  nodes$table$weight <- shares(nodes$table$weight)
  arrays <- node_arrays(out[keep])
  nodes[names(arrays)] <- arrays
  nodes
}
