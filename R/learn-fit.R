# Learning and the final fit.

#' Learn what is free, then fit
#'
#' @param latent see latent.R. @param spec a list of `df`, `epsilon` (one or two
#'   rates, "learn" or "learn2"), `criterion` ("evidence" or "loo"), `control`, and, for
#'   a flip rate learned by EM, `method`; where it averages, `hyper` and `noise`.
#' @return list(hyper, epsilon, ep, learning, latent, nodes): the latent of the fit, which is
#'   another where inducing inputs were placed again; nodes see new_nodes(), or `NULL`.
#' @noRd
learn_fit <- function(latent, spec) {
  spec$deadline <- seconds_now() + spec$control$budget
  if (is_averaged(latent, spec)) average_fit(latent, spec) else learn_optimum(latent, spec)
}

#' The optimum of the criterion and the prior, and the fit there
#' @noRd
learn_optimum <- function(latent, spec) {
  if (identical(spec$epsilon, "matrix")) {
    return(matrix_optimum(latent, spec))
  }
  if (is.null(latent$again) || learns_by_em(spec)) {
    return(learn_once(latent, spec))
  }
  problem <- learn_problem(latent, spec)
  if (!length(problem$start)) {
    return(learn_result(problem, NULL, stage_held(problem, spec)))
  }
  search <- function(latent, before) {
    problem <- learn_problem(latent, spec)
    few <- before$optimum
    found <- if (is.null(few)) {
      learn_search(problem)
    } else {
      stage_optimum(few, problem, spec)
    }
    list(optimum = list(problem = problem, modes = list(found)))
  }
  end <- learn_staged(latent, stage_rows, spec, search)$models$optimum
  learn_result(end$problem, end$modes[[1]])
}
