# Hyperparameters by maximising a criterion plus the log prior, with the exact
# gradient: what is free, the objective, the report. The search: learn-search.R.

learn_bounds <- list(
  lengthscale = log(1e3), # either side of the start, on the log scale
  variance = log(c(1e-4, 1e4)),
  bias = log(c(1e-6, 1e4)),
  nugget = log(c(1e-6, 1e4)),
  prior_scale = log(c(1e-6, 1e6)),
  epsilon = c(1e-6, 0.49)
)
# EP tolerance while searching. The Gaussian evidence is stationary in the sites: its
# error is the square of the residual; that of its slope is not.
learn_tol <- function(df, criterion) {
  if (is.infinite(df) && criterion == "evidence") 1e-4 else 1e-6
}
learn_tol_curvature <- 1e-6 # where gradients are subtracted from each other
learn_trail <- 6L      # evaluations whose sites foretell the next
learn_maxit <- 200L    # of a climb
learn_gain <- 2e-5     # a climb ends when the next step promises less than this,
learn_slope <- 1e-3    # or when no slope is steeper than this
learn_race_maxit <- 10L
learn_race_maxit_deep <- 3L # where the race goes on to climb
learn_race_gain <- 1e-2
learn_race_rows <- 150L # or a quarter of all, when there are half as many again
learn_rows_each <- 8L   # a parameter, for an optimum on some rows to be worth having
learn_same <- 0.5       # ends of a race that are nearer are one
learn_small_epsilon <- 0.01 # below this, 0 is tried
learn_little_noise <- 0.05  # below this, twice as much is
learn_tied <- c("lengthscale", "prior_scale") # one factor for all in the race

# Packing --------------------------------------------------------------------

#' What is free, where it starts, how far it may go
#'
#' Free parameters are logs; epsilon is 0.5 plogis(.) [M 8.1].
#' @noRd
learn_problem <- function(latent, spec) {
  n_epsilon <- learn_n_epsilon(spec$epsilon)
  free <- latent$free
  start <- unlist(lapply(latent$hyper[free], log))
  field <- rep(free, lengths(latent$hyper[free]))
  lower <- upper <- numeric(length(field))
  for (name in free) {
    at <- field == name
    b <- learn_bounds[[name]]
    if (name == "lengthscale") {
      b <- NULL
      lower[at] <- start[at] - learn_bounds$lengthscale
      upper[at] <- start[at] + learn_bounds$lengthscale
    } else {
      least <- log(max(exp(b[1]), latent$least[[name]]))
      lower[at] <- min(least, start[at])
      upper[at] <- max(b[2], start[at])
    }
  }
  b <- stats::qlogis(2 * learn_bounds$epsilon)
  start <- c(start, rep(stats::qlogis(2 * 0.05), n_epsilon))
  lower <- c(lower, rep(b[1], n_epsilon))
  upper <- c(upper, rep(b[2], n_epsilon))
  field <- c(field, rep("epsilon", n_epsilon))
  tol <- max(spec$control$tol, learn_tol(spec$df, spec$criterion), if (
    is.infinite(spec$df) && spec$criterion == "evidence"
  ) latent$coarse)
  list(
    latent = latent, df = spec$df, epsilon = spec$epsilon,
    criterion = spec$criterion, control = spec$control, deadline = spec$deadline,
    search_control = utils::modifyList(unclass(spec$control), list(tol = tol)),
    start = unname(start), lower = lower, upper = upper, field = field
  )
}

#' Is the time over that `ep_control(budget = )` gives a search?
#' @noRd
learn_is_over <- function(problem) isTRUE(seconds_now() > problem$deadline)

#' How many flip rates are learned
#' @noRd
learn_n_epsilon <- function(epsilon) {
  if (is.character(epsilon)) match(epsilon, c("learn", "learn2")) else 0L
}

learn_hyper <- function(problem, par) {
  if (!is.null(problem$coordinates)) {
    return(problem$coordinates$hyper(par))
  }
  hyper <- problem$latent$hyper
  for (name in intersect(names(hyper), problem$field)) {
    hyper[[name]][] <- exp(par[problem$field == name])
  }
  hyper
}

learn_epsilon <- function(problem, par) {
  if (!is.null(problem$coordinates)) {
    return(problem$coordinates$epsilon(par))
  }
  at <- problem$field == "epsilon"
  if (!any(at)) {
    return(problem$epsilon)
  }
  epsilon <- 0.5 * stats::plogis(par[at])
  if (length(epsilon) == 2) stats::setNames(epsilon, c("neg", "pos")) else epsilon
}

#' EP from a cold start and from the sites of the search, with the user's control: what
#' the fit will hold
#' @noRd
learn_final <- function(problem, par, sites) {
  ep_run(
    problem$latent, learn_hyper(problem, par), problem$df,
    learn_epsilon(problem, par), sites, problem$control, problem$criterion,
    final = TRUE
  )
}

#' EP at a point of the search
#' @noRd
learn_native <- function(problem, par, sites, gradient = TRUE) {
  problem$latent$native(
    learn_hyper(problem, par), problem$df, learn_epsilon(problem, par), sites,
    problem$search_control, problem$criterion, gradient
  )
}

#' EP at a start of the search, followed there from easier problems if need be
#' @noRd
learn_follow <- function(problem, par) {
  run <- function(epsilon, sites) {
    problem$latent$native(
      learn_hyper(problem, par), problem$df, epsilon, sites,
      problem$search_control, problem$criterion, TRUE
    )
  }
  ep_continue(run, learn_epsilon(problem, par), NULL)$out
}

#' Log prior density of the logs (normal, without its constant) and its gradient [M 8.2];
#' with `rate_prior` also that of the logits of the flip rates (integrated.R)
#' @noRd
learn_prior <- function(problem, par) {
  value <- 0
  gradient <- numeric(length(par))
  for (name in setdiff(unique(problem$field), "epsilon")) {
    prior <- problem$latent$prior[[name]]
    if (is.null(prior)) next
    at <- problem$field == name
    z <- (par[at] - prior$meanlog) / prior$sdlog
    value <- value - sum(z^2) / 2
    gradient[at] <- -z / prior$sdlog
  }
  if (isTRUE(problem$rate_prior)) {
    at <- problem$field == "epsilon"
    e <- 0.5 * stats::plogis(par[at])
    b <- rate_prior_shape
    # density of the rate times its derivative e (1 - 2e) in the logit [M 8.7]
    value <- value + sum(log(2 * b * e) + b * log1p(-2 * e))
    gradient[at] <- 1 - 2 * e - 2 * b * e
  }
  list(value = value, gradient = gradient)
}

# Objective ------------------------------------------------------------------

#' Penalised criterion with memory
#'
#' Returns `at(par)`, which gives an evaluation: list(par, value, penalised,
#' gradient, sites); `best()`, the best of them since `begin()`, which forgets all
#' or goes on from an evaluation, or from list(par, sites) that is known nearby; and
#' `evaluations()`. EP starts from the sites of the last evaluations that converged.
#' Where EP gives no value the objective is -Inf, which the line search backs away from.
#' @param tick is told after each evaluation on how many rows it was.
#' @noRd
learn_objective <- function(problem, tick = function(n) NULL) {
  last <- list(par = NULL)
  trail <- list()
  best <- list(penalised = -Inf)
  evaluations <- 0L
  at <- function(par) {
    if (identical(par, last$par)) {
      return(last)
    }
    evaluations <<- evaluations + 1L
    sites <- learn_foresee(trail, par)
    out <- learn_native(problem, par, sites)
    if (!ep_converged(out) && is.null(problem$impatient)) {
      # old sites may mislead; a start without sites may need a path to it
      out <- if (is.null(sites)) {
        learn_follow(problem, par)
      } else {
        learn_native(problem, par, NULL)
      }
    }
    last <<- learn_evaluation(problem, par, out)
    if (is.finite(last$penalised)) {
      trail <<- utils::head(c(list(last[c("par", "sites")]), trail), learn_trail)
      if (last$penalised > best$penalised) best <<- last
    }
    tick(problem$latent$n)
    last
  }
  list(
    at = at,
    best = function() best,
    evaluations = function() evaluations,
    count = function() { # one that was made elsewhere
      evaluations <<- evaluations + 1L
      tick(problem$latent$n)
    },
    begin = function(from = NULL) {
      known <- !is.null(from$penalised)
      last <<- if (known) from else list(par = NULL)
      best <<- if (known) from else list(penalised = -Inf)
      trail <<- if (!is.null(from)) list(from[c("par", "sites")])
    }
  )
}

#' Sites to start EP from: linear in the parameters through the last evaluations
#'
#' As far as the step to `par` is a combination of the last ones, so is the change of the
#' sites; what is not leaves them as they were.
#' @noRd
learn_foresee <- function(trail, par) {
  if (length(trail) < 2) {
    return(if (length(trail)) trail[[1]]$sites)
  }
  here <- trail[[1]]
  before <- trail[-1]
  steps <- vapply(before, function(t) t$par - here$par, numeric(length(par)))
  steps <- matrix(steps, length(par))
  size <- sum(steps^2) / ncol(steps)
  # a little ridge: steps of nearly one direction
  share <- solve(
    crossprod(steps) + diag(1e-3 * colSums(steps^2) + 1e-12, ncol(steps)),
    crossprod(steps, par - here$par)
  )
  share <- share / max(1, sum(abs(share)) / 2)
  for (k in seq_along(before)) {
    for (part in c("tau", "nu")) {
      here$sites[[part]] <- here$sites[[part]] +
        share[k] * (before[[k]]$sites[[part]] - trail[[1]]$sites[[part]])
    }
  }
  here$sites
}

#' Native result -> value and gradient in the packed parameters
#' @noRd
learn_evaluation <- function(problem, par, out) {
  bad <- list(
    par = par, value = NA_real_, penalised = -Inf,
    gradient = numeric(length(par))
  )
  solved <- ep_converged(out) && identical(out$gradient_status, 0L)
  if (!solved || !is.finite(out$value)) {
    return(bad)
  }
  if (!is.null(problem$coordinates)) {
    return(average_evaluation(problem, par, out, bad))
  }
  gradient <- unlist(out$gradient[setdiff(unique(problem$field), "epsilon")])
  if ("epsilon" %in% problem$field) {
    eps <- learn_epsilon(problem, par)
    slope <- eps * (1 - 2 * eps) # d eps / d logit
    by_rate <- out$gradient$epsilon # (neg, pos)
    gradient <- c(gradient, slope * if (length(eps) == 2) by_rate else sum(by_rate))
  }
  if (!all(is.finite(gradient))) {
    return(bad)
  }
  prior <- learn_prior(problem, par)
  list(
    par = par, value = out$value, penalised = out$value + prior$value,
    gradient = unname(gradient) + prior$gradient, sites = out$sites
  )
}
