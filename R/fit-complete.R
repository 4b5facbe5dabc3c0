# The fitted model: a plain list of one shape for all models and any number of classes C.
#
#   spec         its arguments
#   blueprint    how inputs are encoded; its `levels` are the classes
#   data         encoded rows: X, y (-1 and 1, or of many classes 1, 2, ...), rows, row_names,
#                na_action, and the reports on them; NULL once filtered
#   epsilon      the flip rate in use, or rates by true class
#   omega        C x C, P(recorded | true class), the mean over nodes and rows
#   kernel       in use, and its `inducing` inputs; a bpm() has `prior` and `weights` (NULL
#                without a posterior)
#   recalibration  of scores: see label_means(); `apart`, see apart_count()
#   ep           the fixed point; NULL of a filtered bpm(), which has `filter` instead
#   learning     NULL when nothing was learned
#   label_stage  a second stage on its leave-one-out probabilities; NULL where all was given
#   call         the call that made it
#   nodes        where it averages: see with_nodes(); NULL at one point

#' @param fitted list of `epsilon`, `ep`, `learning` and, where it averages, `nodes`; of several
#'   classes `omega`. @param ... what is the model's own: `kernel`, or `prior` and `weights`.
#' @noRd
new_model <- function(spec, molded, fitted, ...) {
  levels <- molded$blueprint$levels
  classes <- length(levels)
  omega <- if (is.null(fitted$nodes)) {
    as_omega(fitted$epsilon, classes, share = latent_share(fitted$latent))[1, , ]
  } else {
    nodes_omega(fitted$nodes, molded$data$reports)
  }
  dimnames(omega) <- list(true = levels, recorded = levels)
  model <- structure(
    list(
      spec = spec,
      blueprint = molded$blueprint,
      data = molded$data,
      epsilon = if (classes == 2 && !is.null(fitted$epsilon)) fitted$epsilon else omega_rates(omega),
      omega = omega,
      ...,
      ep = fitted$ep,
      learning = fitted$learning,
      call = NULL, # see with_call()
      nodes = NULL
    ),
    class = c(spec_model(spec), "sturdy_model")
  )
  with_nodes(model, fitted$nodes)
}

#' A fit with what learning keeps of its nodes, see new_nodes(), with what they say of the rows
#' together, and with those that it predicts from
#' @noRd
with_nodes <- function(object, nodes) {
  if (is.null(nodes)) {
    return(object)
  }
  if (!is_stage(object)) {
    nodes$models$nodes <- nrow(nodes$table) # those that are averaged over
    of_nodes <- c(as.list(nodes$table[c("weight", "model")]), nodes["omega"])
    nodes$truth <- truth_in_blocks(of_nodes, function(rows) nodes$seen[rows, , , drop = FALSE], object$data)
  }
  object$nodes <- nodes
  object$nodes$few <- few_nodes(object)
  object
}

#' A fit whose rows have changed: its nodes, weighted by the evidence on the rows as they
#' are
#'
#' The weights w of importance sampling are multiplied by the ratio of evidences: at node k they are
#' as w_k Z_k(new rows) / Z_k(old rows), and their sum is the ratio of the integrated evidences. Z is
#' that of Gaussian EP, also of a t process.
#' @noRd
reweighed <- function(object) {
  nodes <- object$nodes
  if (is.null(nodes)) {
    return(object)
  }
  out <- fixed_points(object, nodes, Inf)
  log_evidence <- vapply(out, function(o) if (is.null(o)) -Inf else corrected_evidence(o), 0)
  nodes <- nodes_at_evidence(nodes, log_evidence)
  keep <- log_evidence > -Inf
  if (is.finite(object$spec$df)) {
    out <- fixed_points(object, nodes, object$spec$df)
    keep <- keep & !vapply(out, is.null, NA)
    if (!any(keep)) abort_nodes_lost()
  }
  nodes <- nodes_kept_of(nodes, keep, out)
  object$omega[] <- nodes_omega(nodes, object$data$reports)
  with_nodes(object, nodes)
}

#' EP at each node on the rows of a fit; where it converges at none of them, at the best along a path
#' @return a list of native results, `NULL` at nodes without a fixed point
#' @noRd
fixed_points <- function(object, nodes, df) {
  latent <- model_latent(object)
  control <- object$spec$control
  control$second <- isTRUE(nodes$models$corrected[1])
  out <- ep_at_nodes(nodes, latent, df, control)
  if (all(vapply(out, is.null, NA))) {
    best <- which.max(nodes$table$weight)
    hyper <- nodes$hyper[[best]]
    run <- function(L, sites) latent$ep(list(list(hyper = hyper, L = L, sites = sites)), df, control)[[1]]
    found <- ep_continue(run, report_likelihood(object$data$reports, nodes$omega[[best]]), NULL)$out
    if (!ep_converged(found)) abort_nodes_lost()
    out[[best]] <- found
  }
  out
}

abort_nodes_lost <- function() {
  abort_sturdy(c(
    "EP has no fixed point at any node of the fit when its rows change.",
    i = "Fit again to all rows, perhaps with a larger nugget."
  ), "no_posterior")
}

#' The evidence, and weights of the nodes, by new evidences of the nodes: see reweighed()
#' @param log_evidence log Z_k, -Inf where EP has no fixed point.
#' @noRd
nodes_at_evidence <- function(nodes, log_evidence) {
  within <- log(nodes$table$weight) + log_evidence - nodes$table$log_evidence
  gain <- log_sum(c(-Inf, within))
  nodes$models$log_evidence <- nodes$models$log_evidence + gain
  nodes$table$weight <- if (gain > -Inf) exp(within - gain) else numeric(length(within))
  nodes$table$log_evidence <- log_evidence
  nodes
}

#' The mean noise matrix over nodes, C x C
#' @noRd
nodes_omega <- function(nodes, reports) {
  each <- lapply(nodes$omega, mean_omega, source_sizes(reports))
  Reduce(`+`, Map(`*`, each, nodes$table$weight))
}
