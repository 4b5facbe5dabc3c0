# Whether the nodes of a fit are as fit-nodes.R and learn-kept.R have them, see fit-check.R.

#' Hyperparameters of nodes: numbers of at least 0, as many of each name as the fit has for a
#' kernel, or of several classes so many for each
#' @noRd
are_hyper <- function(hyper, sizes, classes) {
  values <- unlist(hyper, use.names = FALSE)
  each <- sizes / sizes[[length(sizes)]] # a nugget, or a slope
  known <- list(each, if (classes > 2) each * classes)
  are_numbers(values) && all(values >= 0) && all(vapply(hyper, function(one) {
    is.list(one) && list(lengths(one) + 0) %in% known && all(vapply(one, is.numeric, NA)) &&
      all(unlist(one[c("lengthscale", "variance")]) > 0)
  }, NA))
}

#' Numbers from 0 to 1, but for rounding
#' @noRd
are_shares <- function(x) are_numbers(x) && all(x >= 0 & x <= 1 + 1e-8)

#' For each source and true class, probabilities of what is recorded
#' @noRd
is_omega <- function(omega) {
  length(dim(omega)) == 3 && are_shares(omega) && all(abs(rowSums(omega, dims = 2) - 1) < 1e-6)
}

#' Points of noise models with their weights: what the nodes of a fit and the points of its label
#' stage have in common
#' @param n the number of rows.
#' @noRd
are_weighed <- function(nodes, n, classes) {
  models <- nodes$models
  omega <- nodes$omega
  is.data.frame(models) && are_shares(models$probability) && are_strings(models$model) &&
    are_shares(nodes$table$weight) && all(nodes$table$model %in% models$model) &&
    length(omega) == nrow(nodes$table) &&
    identical(dim(omega[[1]])[-1], c(classes, classes)) &&
    all(lengths(omega) == length(omega[[1]])) && all(vapply(omega, is_omega, NA)) &&
    is_made_of_nodes(nodes, n, classes)
}

is_nodes <- function(nodes, n, classes) {
  k <- nrow(nodes$table)
  sized <- function(x) is.numeric(x) && utils::tail(dim(x), 1) == k
  are_weighed(nodes, n, classes) && are_shares(nodes$models$prior) &&
    are_strings(nodes$models$method) && sized(nodes$tau) && sized(nodes$b) &&
    identical(dim(nodes$seen), c(n, classes, k)) && !anyNA(nodes$seen) && length(nodes$hyper) == k
}

#' Are they what label_average() makes?
#' @noRd
is_stage <- function(nodes, n, classes) {
  counts <- table(factor(nodes$table$model, nodes$models$model))
  sized <- function(points, k) {
    identical(dim(points$w), c(classes, as.integer(k))) && identical(dim(points$b), dim(points$w)) &&
      ncol(points$U) == k && is.numeric(unlist(points)) && all(is.finite(unlist(points)))
  }
  are_weighed(nodes, n, classes) && identical(names(nodes$points), nodes$models$model) &&
    all(mapply(sized, nodes$points, counts)) && are_shares(nodes$unusual) &&
    length(nodes$unusual) == n && all(names(nodes$wrong) %in% nodes$models$model)
}

#' What is made of nodes when a fit is completed, or is made when it is asked for, in fits of
#' before
#' @noRd
is_made_of_nodes <- function(nodes, n, classes) {
  truth <- nodes$truth
  few <- nodes$few
  models <- length(truth$model)
  by_class <- function(x) {
    is.numeric(x) && identical(dim(x), c(n, classes, models)) && !anyNA(x)
  }
  arrays <- truth[intersect(c("p", "loo", "recorded"), names(truth))]
  (is.null(truth) || all(vapply(arrays, by_class, NA)) &&
    are_numbers(truth$y, n) && are_strings(truth$model) && is.numeric(truth$log_z) &&
    identical(dim(truth$log_z), c(n, models)) &&
    are_shares(truth$weight) && length(truth$weight) == models) &&
    (is.null(few) || all(few$node %in% seq_len(nrow(nodes$table))) &&
      are_numbers(few$weight, length(few$node)))
}
