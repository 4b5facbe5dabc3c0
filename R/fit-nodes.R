# The nodes of a fit: the points of its hyperparameters and noise models that it averages
# over (learn-average.R), and the fit at one of them. A fit at one point has one.

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

nodes_hyper <- function(object) {
  if (is_average(object)) object$nodes$hyper else list(model_hyper(object))
}

#' Log probabilities of the true class of each row given the other rows, under each node
#' @return n x C x K
#' @noRd
node_seen <- function(object) {
  if (is_average(object)) {
    return(object$nodes$seen)
  }
  array(object$ep$seen, c(length(object$data$y), ncol(object$omega), 1))
}

node_weight <- function(object) if (is_average(object)) object$nodes$table$weight else 1

node_count <- function(object) length(node_weight(object))

#' The fit at a node; a fit at one point is that itself
#' @noRd
at_node <- function(object, k) {
  if (is_average(object)) moved_to(object, object$nodes, k) else object
}

moved_to <- function(object, nodes, k) {
  UseMethod("moved_to")
}

moved_to.default <- function(object, nodes, k) {
  object$kernel[names(nodes$hyper[[k]])] <- nodes$hyper[[k]]
  object$ep$sites <- list(tau = object$ep$sites$tau, nu = object$ep$sites$nu)
  object$ep$sites$tau[] <- last_slice(nodes$tau, k)
  object$ep$b[] <- last_slice(nodes$b, k)
  if (!is.null(object$inducing)) object$inducing$C[] <- last_slice(nodes$C, k)
  with_rates(object, nodes, k)
}

with_rates <- function(object, nodes, k) {
  object$omega[] <- mean_omega(nodes$omega[[k]], source_sizes(object$data$reports))
  object$epsilon <- omega_rates(object$omega)
  object["nodes"] <- list(NULL)
  object
}

#' The k-th part of an array along its last dimension
#' @noRd
last_slice <- function(x, k) matrix(x, ncol = utils::tail(dim(x), 1))[, k]

#' What a fit holds by function and node, or at its one point, a column each
#' @noRd
node_columns <- function(object, name, at_point, node) {
  all <- if (is_average(object)) object$nodes[[name]] else at_point(object)
  functions <- latent_functions(object)
  all <- matrix(all, ncol = functions * node_count(object))
  if (length(node) == node_count(object)) {
    return(all)
  }
  all[, rep((node - 1) * functions, each = functions) + seq_len(functions), drop = FALSE]
}

#' The nodes that probabilities of new rows are made of
#' @noRd
used_nodes <- function(object) {
  few <- object$nodes$few
  if (is.null(few)) all_nodes(object) else few
}

all_nodes <- function(object) {
  list(node = seq_len(node_count(object)), weight = node_weight(object))
}

#' How many latent functions a fit has
#' @noRd
latent_functions <- function(fields) {
  classes <- length(fields$blueprint$levels)
  if (classes > 2) classes else 1
}

#' Hyperparameters of each latent function of nodes
#' @noRd
node_hyper <- function(object, node) {
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

#' The noise model of a fit, or of its node k, as EP takes it: S x C x C
#' @noRd
row_omega <- function(object, k = NULL) {
  if (is_average(object)) {
    return(if (is.null(k)) object$nodes$point else object$nodes$omega[[k]])
  }
  sources <- max(1L, length(object$data$reports$sources))
  as_omega(unname(object$omega), ncol(object$omega), sources)
}

#' The likelihoods of the rows there, n x C
#' @noRd
row_likelihood <- function(object, k = NULL) {
  report_likelihood(object$data$reports, row_omega(object, k))
}

#' A noise matrix for all rows: that of a row whose label is not known to be right, on average
#' @param omega S x C x C. @param size see source_sizes(). @return C x C.
#' @noRd
mean_omega <- function(omega, size) apply(omega, 2:3, function(rates) sum(rates * size))

#' The same at each node of a fit
#' @noRd
node_omega <- function(object) {
  lapply(nodes(object)$omega, mean_omega, source_sizes(object$data$reports))
}

#' Shares of the sources among the labels that are not known to be right; of a fit without
#' rows, and where all are known, equal ones
#' @noRd
source_sizes <- function(reports) {
  size <- tabulate(label_source(reports), max(1L, length(reports$sources)))
  if (sum(size) == 0) size[] <- 1
  size / sum(size)
}

#' The source of the label of each row, 0 where the label is right for certain
#' @noRd
label_source <- function(reports) {
  if (is.null(reports)) {
    return(integer())
  }
  source <- reports$source[match(seq_len(reports$n), reports$row)]
  replace(source, report_known(reports), 0L)
}

#' Rates of wrong labels by true class: 0 exactly where none can be wrong, also of a mean of
#' matrices, whose diagonal may be 1 but for rounding
#' @noRd
wrong_rates <- function(omega) {
  diag(omega) <- 0
  rowSums(omega)
}

#' Rates of wrong labels by true class, or one where they and all entries are alike
#' @noRd
omega_rates <- function(omega) {
  off <- unname(omega)[row(omega) != col(omega)]
  if (diff(range(off)) < 1e-12) {
    return(mean(off) * (ncol(omega) - 1))
  }
  rates <- unname(wrong_rates(omega))
  if (length(rates) == 2) stats::setNames(rates, c("neg", "pos")) else rates
}

#' A noise matrix with other rates of wrong labels, shared by the other classes as before
#' @param rates one, or one for each true class.
#' @noRd
scaled_omega <- function(omega, rates) {
  diag(omega) <- 0
  none <- rowSums(omega) == 0
  omega[none, ] <- 1 - diag(ncol(omega))[none, ]
  omega <- omega / rowSums(omega) * rates
  diag(omega) <- 1 - rates
  omega
}

# Made and changed ------------------------------------------------------------------

#' Hyperparameters of a fit as its latent takes them
#' @noRd
model_hyper <- function(object) {
  UseMethod("model_hyper")
}

model_hyper.sturdy_model <- function(object) kernel_hyper(object$kernel)

model_hyper.bpm <- function(object) {
  prior <- object$prior
  list(prior_scale = prior$scale[prior$free], nugget = prior$nugget)
}
