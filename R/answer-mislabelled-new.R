# Which labels of new rows are wrong: what a fit says of rows that it was not fitted to is a cavity.

new_block <- 2e6 # numbers by row, class and node that are looked at together

# Rows, and draws of the latent function there, that tell how far new rows are wrong together
shared_rows <- 300L
shared_draws <- 200L

#' Labels of new rows
#'
#' Each row is told by the fit and its own label alone, as one that was left out; how many labels
#' are wrong by all of them.
#' @return as mislabelled(), without a test.
#' @noRd
mislabelled_new <- function(object, newdata, labels, rates, fdr, level, id, given) {
  check_posterior(object)
  new <- labelled_rows(object, newdata, labels, rates)
  inform_no_label_noise(object)
  said <- said_of_new(object, new$X, new$data, level)
  test <- if (is_test(object) && !is.null(fdr)) noise_statement(object, NULL) # the verdict is the fit's
  some <- if (is_test(object)) list(if_some = said$if_some)
  object <- judged_by(object)
  object$data <- new$data
  found <- suspicion(object, said$rows, row_ids(new$data, id), more = some)
  new_mislabelled(found, fdr, given, test, NULL, said$expected, n = nrow(found), rate = shown_rate(object))
}

#' The same of rows that are not here: a method of their class writes what is found
#' @noRd
mislabelled_apart <- function(rows, object, labels, rates, ...) UseMethod("mislabelled_apart")

#' What is said of rows, in their order, as mislabelled() has it
#' @param said,unusual see suspicion(). @param data list(y, rows) of them.
#' @noRd
answers_in_order <- function(object, said, data, unusual = NULL) {
  object$data <- data
  found <- suspicion(object, said, NULL, unusual, order = seq_along(data$y))
  found[setdiff(names(found), "rank")]
}

#' No rows, as labelled_rows() has some
#' @noRd
no_labelled_rows <- function(object) {
  blueprint <- object$blueprint
  reports <- label_reports(integer(), length(blueprint$levels), integer(), object$data$reports$sources)
  X <- with_offset(matrix(0, 0, length(blueprint_columns(blueprint)$group)), if (!is.null(blueprint$offset)) 0[0])
  list(X = X, data = list(y = numeric(), rows = integer(), reports = reports))
}

#' New rows as they are encoded, and what is recorded of them
#' @return list(X, data: as of a fit)
#' @noRd
labelled_rows <- function(object, newdata, labels, rates) {
  newdata <- new_scores(newdata, object$blueprint)
  new <- forge_labelled(object$blueprint, newdata, labels, stats::na.omit, y_arg = "labels")
  classes <- length(object$blueprint$levels)
  source <- new_groups(object, newdata, rates, new$rows)
  sources <- object$data$reports$sources
  if (!length(sources)) sources <- "label"
  reports <- label_reports(class_numbers(new$y, classes), classes, source, sources)
  list(X = within_reach(new$X), data = list(
    y = new$y, rows = new$rows, row_names = row_names_of(newdata)[new$rows],
    n_given = nrow(newdata), reports = reports
  ))
}

#' Encoded new rows as what judges the labels takes them
#' @noRd
rows_for_judge <- function(object, X) if (is.null(object$label_stage)) X else label_stage_rows(object, X)

#' What a fit says of the true classes of labelled rows, and of how many labels are wrong
#'
#' Nodes of the weights w, where class t has the probability pi_k(t), are weighed again for each
#' row by what its label v has there, sum_t pi_k(t) Omega_k[t, v], and for the number by what all
#' labels have together [M 13.6].
#' @param block see new_block.
#' @return list(rows: of all nodes together, see truth(); if_some, their probabilities under the
#'   noise models with wrong labels; expected, see wrong_count())
#' @noRd
said_of_new <- function(object, X, data, level, block = new_block) {
  n <- nrow(X)
  shared <- if (is.null(level)) 0 else n * shared_sd(object, X, data)
  X <- rows_for_judge(object, X)
  judge <- judged_by(object)
  at <- nodes(judge)
  used <- all_nodes(judge)
  check_memory(as.double(n) * length(at$weight), n)
  blocks <- if (n > 0) row_blocks(n, data$reports$classes * length(at$weight), block) else list(integer())
  said <- bind_blocks(lapply(blocks, function(rows) {
    seen <- seen_new(judge, X[rows, , drop = FALSE], used)
    labels <- list(y = data$y[rows], reports = reports_of(data$reports, rows))
    said_by_label(new_truth(at, seen, labels))
  }))
  as_one <- list(weight = 1, model = "given", y = label_code(data), source = label_source(data$reports))
  rows <- c(said[c("p", "loo", "log_z")], as_one)
  expected <- count_new(judge, rows, at$weight, said$wrong, said$recorded, level, shared)
  list(rows = rows, if_some = said$if_some, expected = expected)
}

#' What all nodes together say of a block of new rows, and what each of them says of wrong labels
#' @param each see node_truth().
#' @noRd
said_by_label <- function(each) {
  own <- by_own_label(each)
  some <- setdiff(each$model, "none")
  list(
    p = own$p, loo = as_slices(list(mean_over(each$loo, each$weight))), log_z = own$log_z,
    if_some = if (length(some)) mean_wrong(by_own_label(truth_under(each, some))),
    wrong = wrong_each(each), recorded = each$log_z
  )
}

#' All nodes as one, for each row weighed by its own label
#' @param said see node_truth(), of new rows.
#' @noRd
by_own_label <- function(said) {
  log_joint <- said$log_z + rep(log(said$weight), each = length(said$y))
  log_z <- row_log_sum(log_joint)
  p <- mean_over(said$p, exp(log_joint - log_z))
  list(p = array(p, c(dim(p), 1)), log_z = matrix(log_z), weight = 1, y = said$y)
}

#' How many labels of new rows are wrong
#' @param rows see said_of_new(). @param weight of the K nodes.
#' @param wrong,recorded n x K: that each label is wrong, and the log probability of it as it is.
#' @param shared standard deviation of the number by what the rows share, see shared_sd().
#' @noRd
count_new <- function(object, rows, weight, wrong, recorded, level, shared) {
  n <- nrow(wrong)
  by_labels <- softmax(log(weight) + new_share(object, n) * colSums(recorded))
  used <- by_labels > 1e-9
  share <- shares(by_labels[used])
  wrong <- wrong[, used, drop = FALSE]
  expected <- if (is.null(level)) {
    list(count = sum(colSums(wrong) * share))
  } else {
    density <- wrong_mixture(wrong, share)
    c(density_summary(density, NULL), density_summary(blurred_density(density, shared, n), level)[-1])
  }
  epsilon <- if (rate_learned(object) && length(weight) > 1) "uncertain" else "given"
  c(expected, list(at_fit = sum(mean_wrong(rows)), level = level, epsilon = epsilon, newdata = TRUE))
}

#' Standard deviation of the share of wrong labels among new rows, given the noise: the rows share
#' the latent function, of which a fit is not certain [M 13.9]
#'
#' By draws of the function at the best node, each of which makes every label wrong with a probability.
#' @noRd
shared_sd <- function(object, X, data) {
  if (latent_functions(object) == 0 || nrow(X) == 0) {
    return(0)
  }
  rows <- spread_over(nrow(X), shared_rows)
  reports <- reports_of(data$reports, rows)
  label <- label_code(data)[rows]
  fit <- latent_at(object, which.max(node_weight(object)))
  p <- path_prob(fit, X[rows, , drop = FALSE], shared_draws) # rows x draws, by true class
  omega <- as_omega(unname(judged_by(object)$omega), reports$classes, length(reports$sources))
  likelihood <- report_likelihood(reports, omega)
  over_classes <- function(of) Reduce(`+`, Map(function(p, t) p * of[, t], p, seq_along(p))) # rows x draws
  right <- over_classes(likelihood * (col(likelihood) == label)) / over_classes(likelihood)
  right[is.nan(right)] <- 0 # a label that the noise holds for impossible
  stats::sd(colMeans(1 - right))
}
