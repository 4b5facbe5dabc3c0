# Which labels of new rows are wrong: what a fit says of rows that it was not fitted to is a cavity.

#' Labels of new rows
#'
#' With the probabilities pi of the true classes under each node, of weight w, the label v
#' has joint probabilities sum_k w_k pi_k(t) Omega_k[t, v] with the true classes [M 13.3].
#' @return as mislabelled(), without a test.
#' @noRd
mislabelled_new <- function(object, newdata, labels, fdr, level, id,
                            call = rlang::caller_env()) {
  check_posterior(object, call)
  newdata <- new_scores(newdata, object$blueprint)
  new <- forge_labelled(object$blueprint, newdata, labels, stats::na.omit, call)
  data <- list(
    y = new$y, rows = new$rows, row_names = row_names_of(newdata)[new$rows],
    n_given = NROW(newdata), reports = list(classes = length(object$blueprint$levels))
  )
  code <- label_code(data)
  at <- truth_new(object, new$X, call)
  omega <- node_omega(object)[at$node]
  likely <- lapply(omega, function(omega) t(omega)[code, , drop = FALSE])
  joint <- lapply(seq_along(omega), function(k) at_k(at$p, k) * likely[[k]])
  total <- Reduce(`+`, Map(`*`, joint, at$weight))
  as_one <- function(p) array(p, c(dim(p), 1))
  said <- list(
    p = as_one(total / rowSums(total)), loo = as_one(mean_over(at$p, at$weight)),
    log_z = matrix(log(rowSums(total))), weight = 1, model = "given", y = code,
    source = rep(1L, length(code))
  )
  object$data <- data
  found <- suspicion(object, said, row_ids(data, id, call = call))
  found$fdr <- cumsum(1 - found$probability) / found$rank
  cutoff <- if (!is.null(fdr)) fdr_cutoff(found, found$probability, fdr, "average", NULL)
  p <- found$probability
  expected <- c(
    density_summary(poisson_binomial(p), level),
    list(at_fit = sum(p), level = level, epsilon = "given")
  )
  structure(
    if (is.null(cutoff)) found else found[cutoff$called, ],
    expected = expected, cutoff = cutoff[names(cutoff) != "called"], n = length(code),
    rate = shown_rate(object),
    class = c("sturdy_mislabelled", "data.frame")
  )
}
