# A flip rate that was learned at one point, where it is not taken as known: its posterior given
# the kernel of the fit, by EP at some rates outward from that of the fit [M 7.6].

rate_points <- 31L # of the posterior
rate_step <- 2.7   # first step, in standard deviations,
rate_longer <- 1.5 # and what later ones are longer by
rate_fall <- 3     # nats below the best rate where steps end
rate_range <- stats::qlogis(2 * c(1e-7, 0.4999)) # of the logits of twice a rate

#' The posterior of the rate, as nodes() has them
#'
#' Between the rates at which EP was run its evidence is a cubic through values and slopes, and
#' log probabilities given the other rows are straight lines; beyond them the evidence is its
#' tangent. Of several rates the odds move by a common factor.
#' @return list(weight [K], omega [K], seen(k): n x C, of node_seen()); `NULL` where EP has no
#'   fixed point.
#' @noRd
rate_posterior <- function(object) {
  at <- rate_evidence(object)
  points <- rate_walk(at, at(0, object$ep$sites, rate_known(object)))
  if (is.null(points)) {
    return(NULL)
  }
  each <- function(name) vapply(points, `[[`, numeric(1), name)
  shift <- each("shift")
  value <- each("value")
  slope <- each("slope")
  last <- length(shift)
  grid <- shift
  if (last > 1) {
    # as far again as the tangents fall by as much
    outward <- slope[c(1, last)] * c(-1, 1)
    further <- ifelse(outward < 0, 2 * rate_fall / pmax(-outward, 1), 0)
    ends <- shift[c(1, last)] + further * c(-1, 1)
    room <- rate_range - range(start_theta(object))
    grid <- seq(max(ends[1], room[1]), min(ends[2], room[2]), length.out = rate_points)
    value <- stats::splinefunH(shift, value, slope)(grid)
  }
  list(
    weight = softmax(value), omega = lapply(grid, rate_omega_at, object = object),
    seen = function(k) {
      from <- max(1, min(findInterval(grid[k], shift), last - 1))
      to <- min(from + 1, last)
      share <- if (to > from) (grid[k] - shift[from]) / (shift[to] - shift[from]) else 0
      share <- min(max(share, 0), 1)
      seen <- (1 - share) * points[[from]]$seen + share * points[[to]]$seen
      seen - row_log_sum(seen)
    }
  )
}

#' Where the rate starts: that of the fit, away from its bounds
#' @noRd
start_theta <- function(object) {
  stats::qlogis(2 * pmin(pmax(object$epsilon, 0.5 / label_total(object)), 0.49))
}

#' @param shift of the logit of twice the rate, from that of start_theta().
#' @noRd
rate_omega_at <- function(object, shift) {
  rates <- 0.5 * stats::plogis(start_theta(object) + shift)
  omega <- scaled_omega(unname(object$omega), rates)
  as_omega(omega, ncol(omega), max(1L, length(object$data$reports$sources)))
}

#' EP at the rate of the fit, where the fit is that; else `NULL`
#' @noRd
rate_known <- function(object) {
  here <- all(abs(0.5 * stats::plogis(start_theta(object)) - object$epsilon) < 1e-12)
  if (here && is.infinite(object$spec$df) && object$ep$status == "converged") {
    c(object$ep[c("sites", "log_evidence", "seen", "loo")], list(status = 0L))
  }
}

#' EP at rates, as a function of a shift and of sites to start from
#' @return a function, of which comes list(shift, value and slope of the log density of the shift,
#'   seen, sites, count: expected number of wrong labels), or `NULL`.
#' @noRd
rate_evidence <- function(object) {
  control <- object$spec$control
  control$tol <- max(control$tol, 1e-4)
  latent <- model_latent(object)
  hyper <- model_hyper(object)
  function(shift, sites, out = NULL) {
    theta <- start_theta(object) + shift
    if (any(theta < rate_range[1] | theta > rate_range[2])) {
      return(NULL)
    }
    omega <- rate_omega_at(object, shift)
    L <- latent_likelihood(latent, omega)
    run <- function(sites) latent$native(hyper, Inf, L, sites, control)
    if (is.null(out)) out <- run(if (is.infinite(object$spec$df)) sites)
    if (!ep_converged(out)) out <- run(NULL)
    if (!ep_converged(out)) {
      return(NULL)
    }
    # a uniform prior on the rate, as a density in its logit
    rate <- 0.5 * stats::plogis(theta)
    times <- report_times(latent$reports)
    slope <- report_slope(latent$reports, omega, times * exp(out$seen - out$loo))
    moved <- (rate_omega_at(object, shift + 1e-4) - rate_omega_at(object, shift - 1e-4)) / 2e-4
    list(
      shift = shift, value = out$log_evidence + mean(log(rate) + log1p(-2 * rate)),
      slope = sum(slope * moved) + mean(1 - 4 * rate), seen = out$seen,
      sites = out$sites, count = sum(times * wrong_share(truth_posterior(L, out$seen), latent$y))
    )
  }
}

#' Rates on both sides of the best, until the density has fallen
#' @param at see rate_evidence(). @param first what it gives at the rate of the fit.
#' @return what it gives at each, by their shifts; `NULL` if nothing.
#' @noRd
rate_walk <- function(at, first, room = 4L) {
  if (is.null(first)) {
    return(NULL)
  }
  points <- list(first)
  for (side in c(-1, 1)) {
    here <- first
    step <- rate_step / sqrt(1 + first$count)
    top <- first$value
    while (!is.null(here) && here$value >= top - rate_fall && length(points) < 25) {
      here <- at(here$shift + side * step, here$sites)
      step <- step * rate_longer
      if (!is.null(here)) {
        points <- c(points, list(here))
        top <- max(top, here$value)
      }
    }
  }
  value <- vapply(points, `[[`, numeric(1), "value")
  best <- points[[which.max(value)]]
  if (room > 1 && best$value > first$value + 1) {
    return(rate_walk(at, best, room - 1L)) # steps were too long there
  }
  points[order(vapply(points, `[[`, numeric(1), "shift"))]
}

#' What numbers of rows are counted by: node_truth(), where a rate was learned at one point over
#' its posterior
#' @noRd
counted_truth <- function(object) {
  if (rate_is_open(object)) rate_truth(object) else node_truth(object)
}

#' Was a flip rate learned at one point?
#' @noRd
rate_is_open <- function(object) !is_average(object) && rate_learned(object)

#' The posterior of the true classes with rates for nodes
#' @noRd
rate_truth <- function(object) {
  at <- rate_posterior(object)
  if (is.null(at)) {
    return(node_truth(object))
  }
  used <- which(at$weight > 1e-6)
  seen <- as_slices(lapply(used, at$seen))
  here <- list(weight = shares(at$weight[used]), model = rep("given", length(used)))
  new_truth(c(here, list(omega = at$omega[used])), seen, object$data)
}

#' Distribution of the number of wrong labels, among some rows
#' @noRd
wrong_density <- function(object, rows = NULL, said = counted_truth(object)) {
  if (is.null(rows)) {
    return(wrong_total(said, object$data$reports))
  }
  times <- object$data$reports$times
  wrong_mixture(wrong_each(said)[rows, , drop = FALSE], said$weight, times[rows])
}
