# The optimum of a criterion and the prior by one search, and what a fit says of it.

learns_by_em <- function(spec) is.character(spec$epsilon) && isTRUE(spec$method != "gradient")

#' The same on all rows at once, with inducing inputs, if any, as they are
#' @noRd
learn_once <- function(latent, spec) {
  problem <- learn_problem(latent, spec)
  learn_result(problem, if (learns_by_em(spec)) {
    em_search(problem, spec$method)
  } else if (length(problem$start)) {
    learn_search(problem)
  })
}

#' The fit at what a search has found
#' @param found see learn_search(); `NULL` where nothing was free.
#' @noRd
learn_result <- function(problem, found, ep = found$ep) {
  par <- if (is.null(found)) problem$start else found$par
  if (is.null(ep)) ep <- learn_final(problem, par, found$sites)
  list(
    hyper = problem$hyper(par), epsilon = problem$rates(par), ep = ep,
    learning = if (!is.null(found)) learn_report(problem, found, ep), latent = problem$latent
  )
}

#' The `learning` field of a model
#' @noRd
learn_report <- function(problem, found, ep) {
  list(
    value = if (is.null(ep$value)) NA_real_ else ep$value,
    penalised = found$penalised,
    convergence = found$opt$convergence,
    message = paste(found$opt$message),
    cold_start = found$cold,
    evaluations = found$evaluations,
    starts = found$starts,
    method = if (is.null(found$method)) "gradient" else found$method,
    trace = found$trace,
    on_bound = learn_on_bound(problem, found$par)
  )
}

#' Names of the parameters that lie on a bound of the search
#' @noRd
learn_on_bound <- function(problem, par) {
  near <- 1e-3
  learn_names(problem)[par < problem$lower + near | par > problem$upper - near]
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
  if (sum(names == "epsilon") == 2) {
    names[names == "epsilon"] <- c("epsilon.neg", "epsilon.pos")
  }
  names
}
