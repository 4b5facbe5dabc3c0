# Learning and the final fit.

#' Learn what is free, then fit
#'
#' @param latent see latent.R. @param spec a list of `df`, `epsilon` (rates, or how they are
#'   learned), `criterion` ("evidence" or "loo"), `control`; where it averages, `hyper` and `noise`.
#' @return list(hyper, epsilon, ep, learning, latent, nodes): the latent of the fit, which is
#'   another where inducing inputs were placed again; nodes see new_nodes(), or `NULL`.
#' @noRd
learn_fit <- function(latent, spec) {
  spec$deadline <- seconds_now() + spec$control$budget
  spec$control$progress <- learn_work(spec$control$progress, latent)
  if (is_averaged(latent, spec)) average_fit(latent, spec) else optimum_fit(latent, spec)
}
