# What a fit says of how it was learned.

stage_near <- 1      # nats that a search may end from its optimum, or it has stopped short

#' The fit at a mode
#' @param problem of the fit: its `df` and criterion are those of `ep`. @param mode an evaluation,
#'   with `opt`, how its climb ended. @param modes all that were found, the best first.
#' @noRd
learn_result <- function(problem, mode, ep, method, modes) {
  list(
    hyper = problem$hyper(mode$par), epsilon = problem$rates(mode$par), ep = ep,
    latent = problem$latent,
    learning = if (length(problem$field)) learn_report(problem, mode, ep, method, modes)
  )
}

#' The `learning` field of a model
#' @noRd
learn_report <- function(problem, mode, ep, method, modes) {
  ended <- learn_ended(problem, mode)
  list(
    value = if (is.null(ep$value)) NA_real_ else ep$value,
    penalised = mode$penalised,
    convergence = ended$convergence,
    message = ended$message,
    cold_start = if (is.null(mode$cold)) NA else mode$cold,
    evaluations = problem$control$progress$count(),
    starts = data.frame(
      start = seq_along(modes), penalised = reached(modes),
      chosen = vapply(modes, function(end) identical(end$par, mode$par), NA)
    ),
    method = method,
    on_bound = learn_on_bound(problem, mode$par)
  )
}

#' What lies on a bound of the search: names of hyperparameters, named by the end
#' @noRd
learn_on_bound <- function(problem, par) {
  low <- par - problem$lower < 1e-3
  high <- problem$upper - par < 1e-3
  stats::setNames(learn_names(problem), ifelse(low, "lower", "upper"))[low | high]
}

#' How the search for a mode has ended
#' @return list(convergence, message)
#' @noRd
learn_ended <- function(problem, mode) {
  if (!is.finite(mode$penalised)) {
    list(convergence = 99L, message = "EP converged at no starting point")
  } else if (learn_is_over(problem)) {
    list(convergence = 1L, message = learn_out_of_time(problem))
  } else {
    stage_end(max(0, mode$opt$left))
  }
}

#' Is what a further step promises in the metric of the curvature, g' H^-1 g / 2, too much?
#' @return list(convergence, message)
#' @noRd
stage_end <- function(left) {
  short <- !isTRUE(left <= stage_near)
  list(convergence = as.integer(short), message = paste0(
    if (short) "stopped short, ", "a further step promises ", format(left, digits = 1), " nats"
  ))
}

#' Names of the free parameters: `field.column` where there is one a column
#' @noRd
learn_names <- function(problem) {
  names <- problem$field
  for (field in setdiff(unique(names), "epsilon")) {
    columns <- names(problem$latent$hyper[[field]])
    # coordinates of kernels by class need not be one a column
    if (length(columns) == sum(names == field)) {
      # one for each class has the name of the class alone, after its @
      names[names == field] <- paste0(field, ifelse(startsWith(columns, "@"), "", "."), columns)
    }
  }
  if (sum(names == "epsilon") == 2) names[names == "epsilon"] <- c("epsilon.neg", "epsilon.pos")
  names
}
