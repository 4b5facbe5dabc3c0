# A label stage as a fit: rows that have scores in the place of inputs.

#' @param ... none may be given. What second_stage() takes besides is listed by hand for the error, as that
#'   function stands above.
#' @noRd
second_stage_spec <- function(...,
                              epsilon = "average",
                              hyper = default_hyper(),
                              noise = noise_prior(),
                              control = ep_control()) {
  check_no_dots(..., known = c(
    "prob", "labels", "trusted", "rates", "weights", "units", "inputs", names(formals(second_stage_spec))[-1]
  ))
  new_spec(
    "second_stage",
    df = Inf, kernel = NULL, epsilon = check_epsilon(epsilon, average = TRUE, matrix = TRUE),
    hyper = check_choice(hyper, c("integrate", "optimum"), "hyper"),
    noise = check_noise_prior(noise), criterion = "evidence",
    kernels = "shared", scale = FALSE, control = check_control(control)
  )
}

fit_molded.second_stage_spec <- function(spec, molded) new_second_stage(spec, molded)

#' A label stage as a fit
#'
#' What its scores are is a `way`, see label_way(): the centre or the bounds of the slope by which the true
#' class follows them, and the prior of unusual rows.
#' @param kind of the scores: "scores" of a classifier; of a fit of ours "fit" or "recorded", see own_kind().
#' @param ordered whether classes have an order: see label_average() and noise_model().
#' @noRd
new_second_stage <- function(spec, molded, kind = molded$data$kind, ordered = FALSE) {
  data <- molded$data
  levels <- molded$blueprint$levels
  if (is.null(kind)) kind <- "scores"
  check_memory(12 * length(data$X), nrow(data$X)) # no fewer doubles are held of each score
  overlap <- if (kind == "scores") spec$noise$overlap
  way <- way_believed(label_way(kind, length(levels), spec$noise$unusual), overlap, data)
  noise <- noise_model(spec$epsilon, spec$noise, data$reports, if (ordered) neighbour_share(length(levels)))
  points <- if (spec$hyper == "optimum") 0L # the modes alone
  average <- function(data, way) label_average(data$X, data, noise, way, n = points, ordered = ordered)
  nodes <- average(data, way)
  if (by_readers(data$reports)) {
    data$reports$together <- readers_together(data$reports, nodes$truth)
    if (!is.null(data$reports$together)) nodes <- average(data, way) # now that they count for less
    inform_readers(data$reports, levels, mean_over(nodes$truth$p, nodes$truth$weight))
  }
  apart <- if (kind == "scores" && is.null(overlap)) apart_count(average, data, way, noise)
  # as nodes of other fits have theirs
  nodes$hyper <- lapply(exp(mean_log_slopes(nodes)), function(slope) list(slope = slope))
  means <- label_means(nodes, levels, way)
  molded$data <- data
  new_model(
    spec, molded, list(ep = label_ep(nodes, means), nodes = nodes),
    recalibration = c(means, list(kind = kind, way = way, apart = apart))
  )
}

#' Readers who share errors, as far as an average that took them for independent tells
#' @param said its truth. @return see shared_errors()
#' @noRd
readers_together <- function(reports, said) {
  shared_errors(reports, mean_over(said$loo, said$weight), mean_over(said$p, said$weight))
}

#' The log of the slope at each point, the mean over the classes
#' @noRd
mean_log_slopes <- function(nodes) colMeans(log(points_all(nodes, "b")))

#' A way with what is believed of overlap, the share of right labels that scores contradict: one share holds
#' the slope, two are its bounds
#' @noRd
way_believed <- function(way, overlap, data) {
  slopes <- vapply(overlap, overlap_slope, 0, S = log(data$X), times = report_times(data$reports))
  if (length(overlap) == 1) way$slope <- slopes
  if (length(overlap) == 2) way$within <- sort(log(slopes))
  way
}

#' Means over the points of q(t) ~ exp(w[t]) p(t)^b[t] [M 16.2]: the weights exp(w) of the classes against the
#' first, as a common factor means nothing, and the slope b; `free`: which of them are learned
#' @noRd
label_means <- function(nodes, levels, way) {
  weight <- nodes$table$weight
  w <- drop(points_all(nodes, "w") %*% weight)
  list(
    weight = stats::setNames(exp(w - w[1])[-1], levels[-1]),
    slope = exp(sum(weight * mean_log_slopes(nodes))),
    free = c(if (length(levels) <= label_weights_most) "weight", if (length(way$slope) != 1) "slope")
  )
}

#' In the place of EP. The likelihood is exact, so that nothing need be done about it: to who asks for the
#' status it has converged, and ep_diagnostics() says more. The evidence is that of the noise models [M 16.7].
#' @noRd
label_ep <- function(nodes, means) {
  list(
    status = "converged", message = "The likelihood of the scores is exact.",
    log_evidence = log_sum(nodes$models$log_evidence + log(nodes$models$prior)),
    sites = list(tau = numeric(), nu = numeric()), b = c(0, log(means$weight), means$slope),
    residual = 0, sweeps = 0L, skipped = 0L, kappa = 1
  )
}

#' The distribution of the number of wrong labels where right labels hardly contradict the scores
#' @param average function(data, way): the average of the fit, so that both numbers are found alike.
#' @return list(density), `NULL` where the scores can't be so, or no noise model has wrong labels.
#' @noRd
apart_count <- function(average, data, way, noise) {
  way <- tryCatch(way_believed(way, recalibration_apart, data), sturdy_error_prior = function(cnd) NULL)
  if (is.null(way) || all(noise$weights == 0) || identical(names(noise$weights), "none")) {
    return(NULL)
  }
  nodes <- average(data, way)
  share <- nodes$models$probability[match(names(nodes$wrong), nodes$models$model)]
  list(density = mix_densities(nodes$wrong, share))
}

model_hyper.second_stage <- function(object) object$recalibration[c("weight", "slope")]

own_hyper.second_stage <- function(object) {
  now <- object$recalibration
  list(
    value = c(stats::setNames(now$weight, paste0("weight.", names(now$weight))), slope = now$slope),
    learned = c(rep("weight" %in% now$free, length(now$weight)), "slope" %in% now$free)
  )
}

seen_new.second_stage <- function(object, X, used) log(label_seen_new(X, object$nodes, used$node))

# always an error
node_latent.second_stage <- function(object, X, used = all_nodes(object)) check_has_latent(object)
