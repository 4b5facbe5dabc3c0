# The rows nearest to a row, as the model sees them: what suspicion rests on.

#' The rows most similar to each of some training rows
#'
#' @param rows positions among the rows of the fit. @param k how many.
#' @return A list with a data frame for each: `place`, the position among the rows of the
#'   fit, and `similarity`, the most similar first.
#' @noRd
nearest_rows <- function(object, rows, k) {
  similarity <- row_similarity(object, rows)
  lapply(seq_along(rows), function(i) {
    # a row is not its own neighbour
    place <- utils::head(setdiff(order(-similarity[i, ]), rows[i]), k)
    data.frame(place = place, similarity = similarity[i, place])
  })
}

#' Similarity of rows to all rows, between 0 and 1
#'
#' The correlation of the smooth parts of two rows' latent values under the prior, averaged
#' over the nodes and the latent functions: exp(-d^2 / 2) with the differences of inputs in
#' lengthscales.
#' @return a row for each of `rows`, a column for each row of the fit.
#' @noRd
row_similarity <- function(object, rows) UseMethod("row_similarity")

row_similarity.default <- function(object, rows) {
  X <- object$data$X
  over_lengthscales(object, function(lengthscale) {
    hyper <- list(lengthscale = unname(lengthscale), variance = 1, bias = 0, nugget = 0, linear = 0)
    native_gram(X[rows, , drop = FALSE], X, model_columns(object), hyper)
  })
}

#' Mean over the nodes of a fit and its latent functions
#' @noRd
over_lengthscales <- function(object, of) {
  over_nodes(object, function(k) {
    each <- lapply(function_hyper(object, k), function(hyper) of(hyper$lengthscale))
    Reduce(`+`, each) / length(each)
  })
}

# Rows to which the classifier gives alike probabilities: Bhattacharyya's coefficient
row_similarity.second_stage <- function(object, rows) {
  root <- sqrt(object$data$X)
  tcrossprod(root[rows, , drop = FALSE], root)
}

# A linear model has no lengthscales: a difference counts as much as its weight says.
row_similarity.bpm <- function(object, rows) {
  X <- object$data$X
  over_nodes(object, function(k) {
    moved <- t(X) * input_weights(object, k)
    distance <- vapply(rows, function(i) colSums((moved - moved[, i])^2), numeric(nrow(X)))
    exp(-t(distance) / 2)
  })
}

#' The weights of a Bayes point machine at a node, without that of the intercept
#' @noRd
input_weights <- function(object, k) {
  weight <- latent_at(object, k)$weights$mean
  if (object$prior$intercept) weight[-1] else weight
}

#' Inputs by how much they matter, those first that do most: shortest lengthscale, or
#' largest weight; the columns in their order where one lengthscale is for all
#' @return list(place, value, what): positions in order, the value of each input, its name.
#' @noRd
input_order <- function(object) UseMethod("input_order")

input_order.default <- function(object) {
  lengths <- exp(over_lengthscales(object, log))
  lengths <- rep_len(lengths, length(object$blueprint$columns))
  list(place = order(lengths), value = lengths, what = "lengthscale")
}

input_order.second_stage <- function(object) {
  X <- object$data$X
  list(place = seq_len(ncol(X)), value = unname(colMeans(X)), what = "mean score")
}

input_order.bpm <- function(object) {
  group <- blueprint_columns(object$blueprint)$group
  weight <- abs(over_nodes(object, function(k) input_weights(object, k)))
  largest <- vapply(seq_along(object$blueprint$columns), function(j) max(weight[group == j], 0), 0)
  list(place = order(-largest), value = largest, what = "size of the weight")
}
