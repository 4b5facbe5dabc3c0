# How far an average is from that of all the nodes there could be, told by its own nodes: those
# of a noise model are draws with weights, and so have a standard error [M 8.13]. They are spread
# more evenly than draws are, which makes it rather too large.

node_error_share <- 0.01 # models of less, of mere modes most often, hardly take part

#' Standard errors of what noise_test() says
#' @return list(log_bayes_factor, count, if some labels are wrong; rates, the largest of them;
#'   probability, of the rows' labels being wrong, rms), `NA` where modes stand for a model that
#'   matters.
#' @noRd
node_error <- function(object) {
  at <- nodes(object)
  models <- object$nodes$models
  mine <- outer(at$model, models$model, `==`) # K x models
  by_model <- function(weight) matrix(apply(weight, 2, shares), nrow(mine)) # of one node, too
  within <- by_model(mine * at$weight) * mine
  drawn <- object$nodes$drawn[models$model]
  pair <- interaction(at$model, object$nodes$table$pair, drop = TRUE)
  by_ep <- !at_constant(object$nodes$table) # others are no draws: integrals [M 8.17]
  evidence <- colSums(within * by_ep) *
    evidence_errors(by_model(within * by_ep), pair, models, drawn)
  some <- models$model != "none"
  wrong <- node_wrong(object)
  times <- report_times(object$data$reports)
  rates <- vapply(at$omega, wrong_entries, numeric(length(wrong_entries(at$omega[[1]]))))
  error <- function(values, these = TRUE) {
    share <- shares(models$probability * these)
    values <- matrix(values, ncol = length(at$weight))
    mean_error(values, within, share, evidence, pair, by_ep)
  }
  share <- shares(models$probability * some)
  counts <- !some | share > node_error_share
  list(
    log_bayes_factor = sqrt(sum(factor_variance(share, some, evidence)[counts])),
    count = error(colSums(times * wrong), some), rates = max(error(rates, some)),
    probability = sqrt(mean(error(wrong)^2))
  )
}

#' Probabilities that a report is wrong, of each source and true class
#' @noRd
wrong_entries <- function(omega) {
  unlist(lapply(seq_len(dim(omega)[1]), function(s) wrong_rates(omega[s, , ])))
}

#' Standard errors of the log evidences of noise models
#' @param within weights of nodes, K x models, which sum to 1 for each. @param pair which nodes are
#'   mirror images, K. @param models see new_nodes(). @param drawn how many pairs each has had.
#' @noRd
evidence_errors <- function(within, pair, models, drawn) {
  error <- vapply(seq_along(drawn), function(m) evidence_error(within[, m], pair, drawn[m]), 1)
  error[startsWith(models$method, "mode")] <- NA
  behind <- max(models$laplace) - models$laplace
  carried <- average_carried_error[1 + (behind > average_behind(models$model))]
  error <- ifelse(startsWith(models$method, "carried"), carried, error)
  replace(error, models$method == "exact", 0)
}

#' Standard errors of means over nodes, see mean_variance()
#' @noRd
mean_error <- function(values, within, share, evidence, pair, drawn = TRUE) {
  variance <- mean_variance(values, within, share, evidence, pair, drawn)
  sqrt(rowSums(variance[, share > node_error_share, drop = FALSE]))
}

#' The same in words
#' @noRd
node_error_words <- function(error, nodes) {
  number <- function(v) format(signif(v, 2))
  if (anyNA(error[c("count", "rates", "probability")])) {
    return("Modes stand for nodes, so the error of the average is not known.")
  }
  paste0(
    "By ", nodes, " nodes, which leave a standard error of ", number(error$count),
    " in the number if some are wrong, ", number(error$rates), " in flip rates and ",
    number(error$probability), " in probabilities of rows",
    if (!is.na(error$log_bayes_factor)) {
      paste0("; the Bayes factor may be off by a factor of ", number(exp(error$log_bayes_factor)))
    }, "."
  )
}
