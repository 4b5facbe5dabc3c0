# Learning from the first row to the last: at the optimum of what is free or, where it is integrated, at
# nodes; on some rows first, where there are many.

#' Is anything free that is to be integrated, or are rates by source?
#' @noRd
is_averaged <- function(latent, spec) {
  length(latent$reports$sources) > 1 ||
    learns_by_nodes(spec) && (length(latent$free) > 0 || is.character(spec$epsilon))
}

#' Does a spec ask for nodes: all of them, or the best mode as the only one?
#' @noRd
learns_by_nodes <- function(spec) {
  identical(spec$hyper, "integrate") || identical(spec$epsilon, "average")
}

#' Learn what is free, and fit at the best mode: modes on some rows, inducing inputs placed again by what
#' they say, then modes on all rows
#'
#' @param latent see latent.R. @param spec a list of `df`, `epsilon` (rates, or how they are
#'   learned), `criterion` ("evidence" or "loo"), `control`; where it averages, `hyper` and `noise`.
#' @return list(hyper, epsilon, ep, learning, latent, nodes): the latent of the fit, which is
#'   another where inducing inputs were placed again; nodes see new_nodes(), or `NULL`.
#' @noRd
learn_fit <- function(latent, spec) {
  spec$deadline <- seconds_now() + spec$control$budget
  spec$control$progress <- learn_work(spec$control$progress, latent)
  averages <- is_averaged(latent, spec)
  if (averages) check_priors(latent)
  noise <- if (averages) average_noise(latent, spec)
  problem_of <- function(latent) {
    if (averages) average_problem(latent, noise, spec) else optimum_problem(latent, spec)
  }
  problem <- problem_of(latent)
  if (!averages && !length(problem$start)) {
    return(held_fit(problem, spec))
  }
  few <- stage_few(latent, stage_before(latent))
  placed <- latent$places || is.null(latent$y) # what is elsewhere follows what is here
  latents <- if (few$n < latent$n || placed) {
    c(if (few$n >= stage_many) list(few$some(learn_few_rows(few$n))), list(few))
  }
  learn_expect(problem, latents)
  before <- NULL
  for (some in latents) {
    problem <- problem_of(some)
    problem$curved <- TRUE
    before <- learn_search(problem, before, spec)
  }
  if (placed && length(before$modes)) {
    latent <- stage_again(latent, few, before$problem$hyper(before$modes[[1]]$par), spec)
  }
  found <- learn_search(problem_of(latent), before, spec)
  if (!averages) {
    return(optimum_fit(found, before))
  }
  found <- average_nodes_of(found, spec)
  average_fit(found$model, found$part, noise, spec)
}

#' What is integrated must have a prior
#' @noRd
check_priors <- function(latent) {
  open <- learn_unpriored(latent)
  refuse(length(open) > 0, c(
    "With {.code hyper = \"integrate\"} or {.code epsilon = \"average\"} every hyperparameter
     that is learned must have a prior; {.val {open}} {?has/have} none.",
    i = "Give the kernel a {.fn weak_prior}, hold them by {.arg fixed}, or use
         {.code hyper = \"optimum\", epsilon = \"learn\"}."
  ), "prior", arg = "prior")
}
