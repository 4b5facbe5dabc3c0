# The posterior of the free parameters under one noise model, near its modes: what nodes
# are drawn from. In coordinates z with a standard normal prior (learn-coordinates.R),
#   f(z) = log Z_EP(z) - |z|^2/2 - d/2 log(2 pi),
# so that the integral of exp f is the evidence of the noise model [M 8.9].

average_far <- 8        # no coordinate is looked at beyond this many prior sds
average_steps <- 40L    # of a climb
average_look <- 3L      # steps of a start before the worse ones are dropped
average_behind <- 3     # nats below the best from which a start is dropped
average_gain <- 0.02    # a climb ends when the next step promises less
average_lost <- 7       # nats below the best from which a mode does not count
average_same <- 0.5     # modes nearer in value, or within one sd, are one
average_difference <- 0.03 # between the gradients that tell the curvature
average_least <- 0.5    # least curvature: the prior contributes 1

#' What learn_objective() needs to know, in coordinates
#' @noRd
average_problem <- function(latent, rates, spec) {
  coordinates <- new_coordinates(latent, rates)
  d <- coordinates$d
  control <- spec$control
  tol <- max(control$tol, learn_tol(Inf, "evidence"), latent$coarse)
  list(
    latent = latent, df = Inf, criterion = "evidence", control = control,
    deadline = spec$deadline,
    search_control = utils::modifyList(unclass(control), list(tol = tol)),
    coordinates = coordinates, field = coordinates$field, start = numeric(d),
    lower = rep(-average_far, d), upper = rep(average_far, d)
  )
}

#' Value and gradient of f from a native result
#' @noRd
average_evaluation <- function(problem, z, out, bad) {
  gradient <- problem$coordinates$pull(z, out$gradient)
  if (!all(is.finite(gradient))) {
    return(bad)
  }
  checked <- problem$coordinates$checked(z)
  value <- out$value + checked$value
  list(
    par = z, value = value, penalised = value + average_log_prior(z),
    gradient = gradient + checked$gradient - z, sites = out$sites
  )
}

average_log_prior <- function(z) sum(stats::dnorm(z, log = TRUE))

# Starts ----------------------------------------------------------------------

#' Starting points of the model without wrong labels: as the heuristics have it, smooth
#' with much noise, wiggly with little. Shifts of log lengthscale, nugget in sds.
#' @noRd
average_starts <- function(problem) {
  lapply(list(c(0, -0.55), c(0.3, 1.15), c(-1, -1.35)), average_start, problem = problem)
}

average_start <- function(shift, problem, rate = NULL) {
  at <- problem$field
  z <- numeric(length(at))
  scaled <- at %in% learn_tied
  if (any(scaled)) {
    # the coordinates of a common factor exp(shift): root z = shift
    prior <- problem$latent$prior
    name <- at[scaled][1]
    common <- if (name == "lengthscale") prior$common
    root <- common_root(sum(scaled), prior[[name]]$sdlog, if (is.null(common)) 0 else common)
    toward <- if (name == "lengthscale") shift[1] else -2 * shift[1]
    from <- log(unlist(problem$latent$hyper[[name]])) - prior[[name]]$meanlog
    z[scaled] <- solve(root, from + toward)
  }
  z[at == "nugget"] <- shift[2]
  z[at == "epsilon"] <- rate
  pmin(pmax(z, -average_far + 1), average_far - 1)
}

#' From the modes of one noise model to starts of another: its kernel, and these rates
#' @noRd
average_onward <- function(problem, mode, from, rate) {
  z <- numeric(length(problem$field))
  z[problem$field != "epsilon"] <- mode$par[from$field != "epsilon"]
  z[problem$field == "epsilon"] <- rate
  list(par = z, sites = mode$sites)
}

# Modes -----------------------------------------------------------------------

#' The modes that the starts lead to
#'
#' @param starts list of list(par, sites, curvature) or of vectors.
#' @return list of evaluations with `H`, the curvature -f'' in z, and `tangent`, the
#'   derivatives of the sites; the best first. Empty where EP has no fixed point.
#' @noRd
average_modes <- function(problem, starts, objective) {
  look <- if (length(starts) > 1) average_look else 0L
  short <- lapply(starts, average_climb, problem, objective, look)
  reached <- vapply(short, function(end) end$penalised, numeric(1))
  keep <- is.finite(reached) & reached > max(reached, -Inf) - average_behind
  ends <- list()
  for (k in order(-reached)) {
    near <- vapply(ends, function(end) {
      sum((end$par - short[[k]]$par)^2) < 0.25 * length(end$par)
    }, logical(1))
    if (!keep[k] || any(near)) next
    ends <- c(ends, list(average_climb(short[[k]], problem, objective, average_steps)))
  }
  ends <- ends[order(-vapply(ends, function(end) end$penalised, numeric(1)))]
  modes <- list()
  for (end in ends) {
    if (is.finite(end$penalised) && !average_known(end, modes)) {
      end[c("H", "tangent")] <- average_curvature(problem, end, objective)
      if (!is.null(end$H)) modes <- c(modes, list(end))
    }
  }
  modes
}

average_known <- function(end, modes) {
  known <- vapply(modes, function(mode) {
    apart <- end$par - mode$par
    behind <- mode$penalised - end$penalised
    behind > average_lost || abs(behind) < average_same && sum(apart^2) < 1 ||
      !is.null(mode$H) && sum(apart * (mode$H %*% apart)) < 1
  }, logical(1))
  any(known)
}

average_climb <- function(from, problem, objective, maxit) {
  if (!is.list(from)) from <- list(par = from)
  curvature <- from$curvature
  objective$begin(if (!is.null(from$sites)) from)
  d <- length(from$par)
  if (d == 0 || maxit == 0) {
    return(c(objective$at(from$par), curvature = list(curvature)))
  }
  learn_optim(
    problem, objective, from$par, diag(d), maxit, average_gain,
    if (is.null(curvature)) diag(1.5, d) else curvature
  )
  best <- objective$best()
  best <- if (is.null(best$par)) list(par = from$par, penalised = -Inf) else best
  c(best, curvature = list(curvature))
}

#' The modes on all of many rows, a few steps from those on some of them: the curvature is
#' theirs, grown with the rows, for to measure it takes as many evaluations as parameters
#' @param starts as average_transfer() makes them.
#' @noRd
average_modes_near <- function(problem, starts, objective) {
  modes <- lapply(starts, function(start) {
    end <- average_climb(start, problem, objective, staged_steps)
    c(end[names(end) != "curvature"], list(H = start$curvature))
  })
  modes <- modes[vapply(modes, function(mode) is.finite(mode$penalised), NA)]
  modes <- modes[order(-vapply(modes, function(mode) mode$penalised, 0))]
  modes[seq_along(modes) == 1 | !duplicated(lapply(modes, function(mode) mode$par))]
}

#' -f'' at a mode by forward differences of the gradient, and how the sites move there
#' @noRd
average_curvature <- function(problem, mode, objective) {
  d <- length(mode$par)
  n <- length(mode$sites$tau)
  H <- diag(d)
  tangent <- matrix(0, 2 * n, d)
  problem$search_control$tol <- max(
    problem$control$tol, learn_tol_curvature, problem$latent$coarse
  )
  slope <- function(z, sites) {
    out <- learn_native(problem, z, sites)
    objective$count()
    learn_evaluation(problem, z, out)
  }
  here <- slope(mode$par, mode$sites)
  if (!is.finite(here$penalised)) {
    return(list(H = NULL, tangent = NULL))
  }
  for (j in seq_len(d)) {
    step <- average_difference
    there <- slope(replace(mode$par, j, mode$par[j] + step), here$sites)
    if (!is.finite(there$penalised)) {
      step <- -step
      there <- slope(replace(mode$par, j, mode$par[j] + step), here$sites)
    }
    if (!is.finite(there$penalised)) next # that of the prior
    H[, j] <- (here$gradient - there$gradient) / step
    tangent[, j] <- (unlist(there$sites) - unlist(here$sites)) / step
  }
  list(H = (H + t(H)) / 2, tangent = tangent)
}
