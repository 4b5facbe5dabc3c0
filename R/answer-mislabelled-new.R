# Which labels of new rows are wrong: what a fit says of rows that it was not fitted to is a cavity.

#' Labels of new rows
#'
#' With the probabilities pi of the true classes under each node, of weight w, the label v
#' has joint probabilities sum_k w_k pi_k(t) Omega_k[t, v] with the true classes [M 13.3]: of all
#' nodes, for few() have the mean of pi_k alone.
#' @return as mislabelled(), without a test.
#' @noRd
mislabelled_new <- function(object, newdata, labels, fdr, level, id, given,
                            call = rlang::caller_env()) {
  check_posterior(object, call)
  newdata <- new_scores(newdata, object$blueprint)
  new <- forge_labelled(object$blueprint, newdata, labels, stats::na.omit, call)
  data <- list(
    y = new$y, rows = new$rows, row_names = row_names_of(newdata)[new$rows],
    n_given = NROW(newdata), reports = list(classes = length(object$blueprint$levels))
  )
  at <- with_memory(truth_new(object, new$X, call, all_nodes(object)), call)
  at$omega <- node_omega(object)
  said <- label_truth(at, at$weight, label_code(data))
  order <- suspicion_order(said)
  test <- if (is_test(object)) noise_statement(object, NULL)
  if_some <- if (is_test(object)) {
    some <- at$weight * (nodes(object)$model != "none")
    mean_wrong(label_truth(at, some, said$y))[order]
  }
  object$data <- data
  found <- suspicion(object, said, row_ids(data, id, call = call), order)
  found <- called_by_model(found, if_some, fdr, given, test)
  p <- mean_wrong(said)
  expected <- c(
    density_summary(poisson_binomial(p), level),
    list(at_fit = sum(p), level = level, epsilon = "given")
  )
  new_mislabelled(found, expected, shown_rate(object), length(p))
}

#' What nodes say together of rows whose labels they have not seen
#' @param at of truth_new(), with omega. @param weight of the nodes. @param code labels, 1..C.
#' @return as truth(), of one node.
#' @noRd
label_truth <- function(at, weight, code) {
  joint <- Reduce(`+`, lapply(seq_along(weight), function(k) {
    weight[k] * at_k(at$p, k) * t(at$omega[[k]])[code, , drop = FALSE]
  }))
  as_one <- function(p) array(p, c(dim(p), 1))
  list(
    p = as_one(joint / rowSums(joint)), loo = as_one(mean_over(at$p, weight)),
    log_z = matrix(log(rowSums(joint))), weight = 1, model = "given", y = code,
    source = rep(1L, length(code))
  )
}
