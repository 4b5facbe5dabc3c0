# What learning maximises: a criterion plus the log prior, with its exact gradient, in
# coordinates of what is free.

learn_race_rows <- 150L # of a first search, or a quarter of all, when there are half as many again
learn_long_rows <- 4800L # from here on the posterior is narrow: modes, by Laplace
learn_trail <- 6L       # evaluations whose sites foretell the next
node_fields <- c("sites", "cavity", "b", "extra", "loo", "log_evidence", "seen") # of EP, that a node has

#' The problem of learning: a latent, a criterion, coordinates
#'
#' @param latent see latent.R. @param spec see learn_fit(). @param coordinates see
#'   new_coordinates(), whose fields the problem has.
#' @noRd
learn_problem <- function(latent, spec, coordinates = log_coordinates(latent, spec$epsilon)) {
  # The Gaussian evidence is stationary in the sites: its error is the square of the residual of EP;
  # that of its slope is not
  gaussian <- is.infinite(spec$df) && spec$criterion == "evidence"
  tol <- max(spec$control$tol, if (gaussian) c(1e-4, latent$coarse) else 1e-6)
  c(coordinates, list(
    latent = latent, df = spec$df, criterion = spec$criterion, control = spec$control,
    deadline = spec$deadline,
    # integrals of several classes to 1e-8 of their value
    search_control = utils::modifyList(
      unclass(spec$control), list(tol = tol, lean = latent$functions > 1)
    )
  ))
}

#' Rows of a first search where there are many, else `NULL`
#' @noRd
learn_few_rows <- function(n) {
  if (n >= 1.5 * learn_race_rows) max(learn_race_rows, n %/% 4L)
}

#' Are there so many rows, a third of it for each class of several, that modes must do?
#' @noRd
learn_is_long <- function(latent) latent$n * max(1, latent$classes / 3) > learn_long_rows

#' Is the time over that `ep_control(budget = )` gives a search?
#' @noRd
learn_is_over <- function(problem) isTRUE(seconds_now() > problem$deadline)

learn_out_of_time <- function(problem) {
  paste("its budget of", rough_time(problem$control$budget), "is used up")
}

#' EP at points of the search
#' @param points list of list(par, sites; L: likelihoods, where they are not those at `par`).
#' @return list of native results
#' @noRd
learn_ep <- function(problem, points, gradient = TRUE) {
  at <- lapply(points, function(point) {
    if (is.null(point$L)) point$L <- latent_likelihood(problem$latent, problem$omega(point$par))
    list(hyper = problem$hyper(point$par), L = point$L, sites = point$sites)
  })
  problem$latent$ep(at, problem$df, problem$search_control, problem$criterion, gradient)
}

#' The problem where EP starts from near its end: that of all sites at once then takes half the time
#' of EP in turn, where a pass over them is one of low rank
#' @noRd
learn_near <- function(problem) {
  if (!is.null(problem$latent$Z)) problem$search_control$parallel <- TRUE
  problem
}

#' EP from the sites of the search, with the user's control: what the fit will hold
#' @param final whether from other starts, too, if there is time left: see ep_run().
#' @noRd
learn_final <- function(problem, par, sites, final = TRUE) {
  ep_run(
    problem$latent, problem$hyper(par), problem$df, problem$omega(par), sites,
    problem$control, problem$criterion, final = final && !learn_is_over(problem)
  )
}

#' Native result -> value and gradient in the coordinates
#' @param residual below which EP need not have converged.
#' @return list(par, value, penalised, gradient, sites; out: what a node at a mode needs, of so many rows that EP
#'   there once more takes long), `penalised` -Inf where EP gave none.
#' @noRd
learn_evaluation <- function(problem, par, out, residual = 0) {
  bad <- list(par = par, value = NA_real_, penalised = -Inf, gradient = numeric(length(par)))
  there <- ep_converged(out) || residual > 0 && ep_near(out, residual)
  solved <- there && identical(out$gradient_status, 0L)
  if (!solved || !is.finite(out$value)) {
    return(bad)
  }
  slope <- if ("epsilon" %in% problem$field) {
    report_slope(problem$latent$reports, problem$omega(par), out$slope)
  }
  gradient <- problem$pull(par, out$gradient, slope)
  if (!all(is.finite(gradient))) {
    return(bad)
  }
  prior <- problem$prior(par)
  # of several classes a gradient comes without the probabilities of all true ones, of few rows EP ends early
  whole <- isFALSE(problem$latent$second) && problem$latent$functions == 1 && learn_is_long(problem$latent)
  list(
    par = par, value = out$value, penalised = out$value + prior$value,
    gradient = gradient + prior$gradient, sites = out$sites, cavity = out$cavity,
    out = if (whole) out[node_fields]
  )
}

#' Where EP nearby starts from: cavities, which move more evenly than sites (these are
#' native_run()'s to find); else sites
#' @param end an evaluation, or a result of EP.
#' @noRd
learn_even <- function(problem, end) {
  even <- isTRUE(problem$df == Inf) && !is.null(end$cavity) && is.null(problem$latent$reports$times)
  z <- if (even) end$cavity$mean / sqrt(end$cavity$var)
  if (length(z) && all(is.finite(z))) list(z = z, log_var = log(end$cavity$var)) else end$sites
}

# Objective ------------------------------------------------------------------

#' Penalised criterion with memory
#'
#' Returns the `problem`; `at(par)`, which gives an evaluation: list(par, value, penalised, gradient,
#' sites); and `begin()`, which forgets all or goes on from an evaluation, or from list(par, sites) that is
#' known nearby. EP starts from the sites of the last evaluations that converged. Where EP gives no value
#' the objective is -Inf, which the line search backs away from.
#' @noRd
learn_objective <- function(problem) {
  last <- list(par = NULL)
  trail <- list()
  at <- function(par) {
    if (identical(par, last$par)) {
      return(last)
    }
    start <- list(par = par, sites = learn_foresee(trail, par))
    out <- learn_ep(if (is.null(start$sites)) problem else learn_near(problem), list(start))[[1]]
    if (!ep_converged(out) && is.null(problem$impatient)) {
      # old sites may mislead; a start without sites may need a path to it
      out <- if (is.null(start$sites)) {
        run <- function(L, sites) learn_ep(problem, list(list(par = par, sites = sites, L = L)))[[1]]
        over <- function() learn_is_over(problem)
        L <- latent_likelihood(problem$latent, problem$omega(par))
        ep_continue(run, L, NULL, over = over)$out
      } else {
        learn_ep(problem, list(list(par = par)))[[1]]
      }
    }
    last <<- learn_evaluation(problem, par, out)
    if (is.finite(last$penalised)) {
      trail <<- utils::head(c(list(last[c("par", "sites")]), trail), learn_trail)
    }
    learn_tick(problem)
    last
  }
  begin <- function(from = NULL) {
    last <<- if (is.null(from$penalised)) list(par = NULL) else from
    trail <<- if (!is.null(from$sites)) list(from[c("par", "sites")])
  }
  list(problem = problem, at = at, begin = begin)
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
  # a little ridge: steps of nearly one direction
  share <- solve(
    crossprod(steps) + diag(1e-3 * colSums(steps^2) + 1e-12, ncol(steps)),
    crossprod(steps, par - here$par)
  )
  share <- share / max(1, sum(abs(share)) / 2)
  for (k in seq_along(before)) {
    moved <- function(to, there, from) to + share[k] * (there - from)
    here$sites <- Map(moved, here$sites, before[[k]]$sites, trail[[1]]$sites)
  }
  here$sites
}
