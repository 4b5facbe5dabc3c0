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
  spec$control$progress <- learn_work(spec$control$progress, latent)
  if (is_averaged(latent, spec)) average_fit(latent, spec) else learn_optimum(latent, spec)
}

#' The optimum of the criterion and the prior, and the fit there
#' @noRd
learn_optimum <- function(latent, spec) {
  work <- spec$control$progress
  problem <- learn_problem(latent, spec)
  if (learns_by_em(spec) || !is_staged(latent)) {
    if (learns_by_em(spec)) work$expect("search", latent$n, work_em) else plan_search(work, problem)
    return(learn_once(latent, spec))
  }
  plan_staged(work, problem, stage_few(latent)$n)
  if (!length(problem$start)) {
    return(learn_result(problem, NULL, stage_held(problem, spec)))
  }
  search <- function(latent, before) {
    problem <- learn_problem(latent, spec)
    found <- if (is.null(before)) learn_search(problem) else stage_optimum(before, problem, spec)
    list(problem = problem, modes = list(found))
  }
  end <- learn_staged(latent, stage_rows, spec, search)$model
  learn_result(end$problem, end$modes[[1]])
}
