# A label stage as a fit: rows that have scores in the place of inputs.

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

fit_molded.second_stage_spec <- function(spec, molded) {
  new_second_stage(check_class_number(spec, molded), molded)
}

#' A label stage as a fit
#' @param kind see label_rows(). @param ordered,share of classes in an order: see label_average() and
#'   noise_model().
#' @noRd
new_second_stage <- function(spec, molded, kind = molded$data$kind, ordered = FALSE) {
  data <- molded$data
  if (is.null(kind)) kind <- "scores"
  levels <- molded$blueprint$levels
  classes <- length(levels)
  check_memory(12 * length(data$X), nrow(data$X))
  times <- report_times(data$reports)
  overlap <- if (kind == "scores") spec$noise$overlap
  way <- label_way(kind, classes, spec$noise$unusual)
  slopes <- vapply(overlap, overlap_slope, 0, S = log(data$X), times = times)
  if (length(slopes) == 1) way$slope <- slopes
  if (length(slopes) == 2) way$within <- sort(log(slopes))
  noise <- noise_model(spec$epsilon, spec$noise, data$reports, if (ordered) neighbour_share(classes))
  points <- if (spec$hyper == "optimum") 0L
  nodes <- label_average(data$X, data, noise, way, points, ordered)
  said <- function(what) mean_over(nodes$truth[[what]], nodes$truth$weight) # rows x classes
  if (by_readers(data$reports)) {
    data$reports$together <- shared_errors(data$reports, said("loo"), said("p"))
    if (!is.null(data$reports$together)) nodes <- label_average(data$X, data, noise, way, points, ordered)
    inform_readers(data$reports, levels, said("p"))
  }
  mean_slopes <- exp(colMeans(log(points_all(nodes, "b"))))
  nodes$hyper <- lapply(mean_slopes, function(slope) list(slope = slope))
  at <- label_means(nodes, levels, way)
  molded$data <- data
  object <- new_model(
    spec, molded, list(ep = label_ep(nodes, at), nodes = nodes),
    recalibration = c(at, list(kind = kind, way = way))
  )
  if (kind == "scores" && is.null(overlap)) {
    object$recalibration["apart"] <- list(apart_count(object, noise, way))
  }
  object
}

#' Mean weights of the classes against the first, and slope
#' @noRd
label_means <- function(nodes, levels, way) {
  weight <- nodes$table$weight
  w <- drop(points_all(nodes, "w") %*% weight)
  list(
    weight = stats::setNames(exp(w - w[1])[-1], levels[-1]),
    slope = exp(sum(weight * colMeans(log(points_all(nodes, "b"))))),
    free = c(if (length(levels) <= label_weights_most) "weight", if (length(way$slope) != 1) "slope")
  )
}

#' In the place of EP: the likelihood is exact
#' @noRd
label_ep <- function(nodes, at) {
  list(
    status = "converged", message = "The likelihood of the scores is exact.",
    log_evidence = log_sum(nodes$models$log_evidence + log(nodes$models$prior)),
    sites = list(tau = numeric(), nu = numeric()), b = c(0, log(at$weight), at$slope),
    residual = 0, sweeps = 0L, skipped = 0L, kappa = 1
  )
}

#' The distribution of the number of wrong labels where right labels hardly contradict the scores
#' @return list(density), `NULL` where the scores can't be so.
#' @noRd
apart_count <- function(object, noise, way) {
  data <- object$data
  S <- log(data$X)
  slope <- tryCatch(
    overlap_slope(recalibration_apart, S, report_times(data$reports)),
    sturdy_error_prior = function(cnd) NULL
  )
  if (is.null(slope) || all(noise$weights == 0) || identical(names(noise$weights), "none")) {
    return(NULL)
  }
  way$slope <- slope
  nodes <- label_average(data$X, data, noise, way)
  share <- nodes$models$probability[match(names(nodes$wrong), nodes$models$model)]
  list(density = mix_densities(nodes$wrong, share))
}

model_hyper.second_stage <- function(object) object$recalibration[c("weight", "slope")]

own_hyper.second_stage <- function(object) {
  now <- object$recalibration
  weights <- length(now$weight)
  names <- c(paste0("weight.", names(now$weight)), "slope")
  list(
    value = stats::setNames(c(now$weight, now$slope), names),
    learned = c(rep(weights < label_weights_most, weights), length(now$way$slope) != 1)
  )
}

seen_new.second_stage <- function(object, X, used) log(label_seen_new(X, object$nodes, used$node))

node_latent.second_stage <- function(object, X, used = all_nodes(object)) check_has_latent(object)
