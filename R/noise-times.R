# Case weights: a row that stands for several alike. EP takes it as so many rows, each with a
# nugget of its own, and counts of labels as so many labels [M 3.18].

#' Molded rows with case weights
#' @param weights as given: of each row of the data, or `NULL` for what they were before.
#' @noRd
with_weights <- function(molded, weights) {
  if (is.null(weights)) {
    return(molded)
  }
  data <- molded$data
  must(
    is.numeric(weights) && length(weights) == data$n_given, "weights",
    "be numbers, one for each of the {data$n_given} row{?s} of the data", "weights", got = weights
  )
  check_units_share(data, weights, "weights")
  times <- as.double(weights)[data$rows]
  must(
    all(is.finite(times) & times > 0), "weights", "be finite and above 0 in every row that is used",
    "weights", more = c(i = "{.arg subset} leaves rows out.")
  )
  refuse(
    any(times != 1) && (!has_one_label(data$reports) || data$reports$classes > 2L),
    "{.arg weights} are for two classes and one label of each row.", "weights", arg = "weights"
  )
  molded$data$reports$times <- if (any(times != 1)) times
  inform_weights_sum(times, data$X)
  molded
}

#' Weights that make more labels of the rows than there are: on rows that are all different these are
#' seldom counts of rows alike, and a wrong label is confirmed by its copies
#' @noRd
inform_weights_sum <- function(times, X) {
  n <- length(times)
  different <- n > 10 && any(apply(X, 2, function(v) length(unique(v)) >= 0.9 * n))
  if (different && mean(times) > 1.5) {
    inform_sturdy(c(
      i = "By their weights {n} rows count as {whole(round(sum(times)))} labels, so that a wrong
           label of weight 2 confirms itself.",
      i = "Weights that are not counts of rows alike: divide them by their mean."
    ), "weights_sum", sum = sum(times))
  }
}

#' Rows as often as they count, to the nearest whole number of all together; of more than `most` an
#' even share
#' @noRd
repeated_rows <- function(rows, times, most = Inf) {
  total <- max(1, round(sum(times)))
  size <- min(total, most)
  at <- (seq_len(size) - 0.5) * (total / size)
  rows[1 + findInterval(at, cumsum(times[-length(times)]))]
}

labels_most <- 1e6 # that are drawn one by one

#' Rows as the labels that they stand for, each wrong or right by itself
#' @return list(row, times: for how many one is taken, other than 1 where weights are not whole or very many)
#' @noRd
labels_apart <- function(times) {
  size <- ceiling(times * min(1, labels_most / sum(times)))
  list(row = rep(seq_along(times), size), times = rep(times / size, size))
}

#' Trials of rows that stand for several alike: as many of each, and for what is left of a weight
#' that is not whole one with its share of the probability
#' @param P probabilities, a row each. @param times of the rows, or `NULL`.
#' @noRd
repeated_trials <- function(P, times) {
  if (is.null(times)) {
    return(P)
  }
  left <- times - floor(times)
  part <- left > 0
  whole <- P[rep(seq_along(times), floor(times)), , drop = FALSE]
  rbind(whole, left[part] * P[part, , drop = FALSE])
}
