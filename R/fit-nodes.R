# The nodes of a fit: the points of its hyperparameters and noise models that it averages
# over (learn-average.R), and the fit at one of them. A fit at one point has one.

#' Does a fit average over nodes?
#' @noRd
is_average <- function(object) !is.null(object$nodes)

#' The nodes of a fit
#'
#' @return list(weight [K]; model [K], the names of their noise models; hyper, K lists; omega,
#'   K arrays S x C x C).
#' @noRd
nodes <- function(object) {
  at <- object$nodes
  own <- if (is.null(at)) {
    list(weight = 1, model = "given", omega = list(row_omega(object)))
  } else {
    c(as.list(at$table[c("weight", "model")]), at["omega"])
  }
  c(own, list(hyper = nodes_hyper(object)))
}

#' The hyperparameters at each node
#' @noRd
nodes_hyper <- function(object) node_kept(object, "hyper", list(model_hyper(object)))

#' What a fit keeps of its nodes by that name, or has at its one point
#' @noRd
node_kept <- function(object, name, at_point) {
  if (is_average(object)) object$nodes[[name]] else at_point
}

#' Log probabilities of the true class of each row given the other rows, under each node
#' @return n x C x K
#' @noRd
node_seen <- function(object) {
  if (is_stage(object)) {
    return(log(label_seen_new(object$data$X, object$nodes, group = label_groups(object$data$reports))))
  }
  at_point <- array(object$ep$seen, c(length(object$data$y), ncol(object$omega), 1))
  node_kept(object, "seen", at_point)
}

node_weight <- function(object) if (is_average(object)) object$nodes$table$weight else 1

node_count <- function(object) length(node_weight(object))

#' A fit with the latent function and the mean rates of a node; what is said of its labels is in
#' node_truth(). A fit at one point is that itself
#' @noRd
latent_at <- function(object, k) {
  if (is_average(object)) moved_to(object, object$nodes, k) else object
}

#' A fit with what is of its k-th node in the place of what is of its point, and no other nodes
#' @noRd
moved_to <- function(object, nodes, k) UseMethod("moved_to")

moved_to.default <- function(object, nodes, k) {
  object$kernel[names(nodes$hyper[[k]])] <- nodes$hyper[[k]]
  object$ep$sites <- list(tau = object$ep$sites$tau, nu = object$ep$sites$nu)
  object$ep$sites$tau[] <- last_slice(nodes$tau, k)
  object$ep$b[] <- last_slice(nodes$b, k)
  if (!is.null(object$inducing)) object$inducing$C[] <- node_covariance(nodes, k)
  with_rates(object, nodes, k)
}

#' The same of its rates alone
#' @noRd
with_rates <- function(object, nodes, k) {
  object$omega[] <- mean_omega(nodes$omega[[k]], source_sizes(object$data$reports))
  object$epsilon <- omega_rates(object$omega)
  object["nodes"] <- list(NULL)
  object
}

#' The covariances of the functions at a node, a column each
#' @noRd
node_covariance <- function(nodes, k) whole_symmetric(matrix(nodes$C[, , k], nrow(nodes$C)))

#' The k-th part of an array along its last dimension
#' @noRd
last_slice <- function(x, k) matrix(x, ncol = utils::tail(dim(x), 1))[, k]

#' What a fit keeps by function and node under a name, or has at its one point, as a matrix: a column for each
#' function of each of the nodes asked for
#' @noRd
node_columns <- function(object, name, node, at_point = NULL) {
  all <- node_kept(object, name, at_point)
  functions <- latent_functions(object)
  all <- matrix(all, ncol = functions * node_count(object))
  if (!identical(node, seq_len(node_count(object)))) { # no copy of all
    all <- all[, rep((node - 1) * functions, each = functions) + seq_len(functions), drop = FALSE]
  }
  if (name == "C" && is_average(object)) whole_symmetric(all) else all
}

#' The nodes that probabilities of new rows are made of
#' @noRd
used_nodes <- function(object) {
  few <- object$nodes$few
  if (is.null(few)) all_nodes(object) else few
}

all_nodes <- function(object) list(node = seq_len(node_count(object)), weight = node_weight(object))

#' How many latent functions a fit has
#' @noRd
latent_functions <- function(fields) {
  if (is_stage(fields)) {
    return(0)
  }
  classes <- length(fields$blueprint$levels)
  if (classes > 2 && is.null(fields$kernel$width)) classes else 1
}

#' Hyperparameters of each latent function of nodes
#' @noRd
function_hyper <- function(object, node) {
  functions <- latent_functions(object)
  unlist(lapply(nodes_hyper(object)[node], function(hyper) {
    lapply(seq_len(functions), class_hyper, hyper = hyper)
  }), recursive = FALSE)
}

#' Draws dealt out to nodes by their weights
#' @param most how many nodes are drawn from.
#' @return list(node, draws), those with draws and how many each has.
#' @noRd
node_draws <- function(weight, draws, most = draws) {
  share <- cumsum(weight)
  groups <- min(most, draws)
  drawn <- findInterval((seq_len(groups) - 0.5) / groups * share[length(share)], share) + 1L
  size <- tabulate(rep_len(drawn, draws), length(share)) # draws of each node
  list(node = which(size > 0), draws = size[size > 0])
}

#' Mean over the nodes of a fit of what `at(k)` gives at each
#' @noRd
over_nodes <- function(object, at) {
  weight <- node_weight(object)
  total <- 0
  for (k in seq_along(weight)) total <- total + weight[k] * at(k)
  total
}

# Noise matrices --------------------------------------------------------------------

#' Does a fit take every label for right?
#' @noRd
takes_labels_as_right <- function(object) all(wrong_rates(object$omega) == 0)

#' The noise model of a fit, at its point where it averages, as EP takes it: S x C x C
#' @noRd
row_omega <- function(object) {
  if (is_average(object)) {
    return(object$nodes$point)
  }
  sources <- max(1L, length(object$data$reports$sources))
  as_omega(unname(object$omega), ncol(object$omega), sources)
}

#' The noise matrix for all rows at each node of a fit, see mean_omega()
#' @noRd
node_omega <- function(object) {
  lapply(nodes(object)$omega, mean_omega, source_sizes(object$data$reports))
}

# Noise models --------------------------------------------------------------------

#' Does the fit average over there being wrong labels and none?
#' @noRd
is_test <- function(object) {
  models <- tested_models(judged_by(object))$model
  "none" %in% models && length(models) > 1
}

#' The noise models of a fit, with those that were ruled out: by a check that found a
#' label wrong that they have right, or as all but impossible on a part of many rows
#' @noRd
tested_models <- function(object) {
  models <- object$nodes$models
  out <- object$nodes$ruled_out
  out <- out[setdiff(names(out), models$model)]
  if (!length(out)) {
    return(models)
  }
  ruled <- transform(
    models[rep(NA_integer_, length(out)), ], model = names(out), prior = unname(out), log_evidence = -Inf,
    probability = 0, modes = 0L, nodes = 0L, method = "ruled out", laplace = -Inf
  )
  all <- rbind(ruled, models)
  all <- all[order(match(all$model, noise_order)), ]
  row.names(all) <- NULL
  all
}
