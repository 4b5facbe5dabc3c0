# Learning and the final fit, and what a fit says of its learning.

#' Learn what is free, then fit
#'
#' @param latent see ep-latent.R. @param spec a list of `df`, `epsilon` (one or two
#'   rates, "learn" or "learn2"), `criterion` ("evidence" or "loo"), `control`, and, for
#'   a flip rate learned by EM, `method`; where it averages, `hyper` and `noise`.
#' @param rows see noise_model().
#' @return list(hyper, epsilon, ep, learning, latent, nodes): the latent of the fit, which is
#'   another where inducing inputs were placed again; nodes see new_nodes(), or `NULL`.
#' @noRd
learn_fit <- function(latent, spec, rows = NULL) {
  spec$deadline <- seconds_now() + spec$control$budget
  fit <- if (is_averaged(latent, spec, rows)) {
    average_fit(latent, spec, rows)
  } else if (is_staged(latent, spec)) {
    staged_fit(latent, spec)
  } else {
    learn_at_once(latent, spec)
  }
  fit$ep[c("value", "gradient", "gradient_solved", "cold")] <- NULL
  if (!spec$control$trace) fit$ep["trace"] <- list(NULL)
  fit
}

learn_at_once <- function(latent, spec) {
  problem <- learn_problem(latent, spec)
  learning <- NULL
  hyper <- latent$hyper
  epsilon <- spec$epsilon
  if (length(problem$start)) {
    learning <- if (is.character(epsilon) && isTRUE(spec$method != "gradient")) {
      em_search(problem, spec$method)
    } else {
      learn_search(problem)
    }
    hyper <- learn_hyper(problem, learning$par)
    epsilon <- learn_epsilon(problem, learning$par)
  }
  ep <- learning[["ep"]]
  if (is.null(ep)) {
    ep <- ep_run(
      latent, hyper, spec$df, epsilon, learning$sites, spec$control, spec$criterion,
      final = TRUE
    )
  }
  if (!is.null(learning)) {
    learning <- learn_report(problem, learning, ep)
  }
  list(hyper = hyper, epsilon = epsilon, ep = ep, learning = learning, latent = latent)
}

#' The `learning` field of a model
#' @noRd
learn_report <- function(problem, found, ep) {
  near <- 1e-3
  low <- found$par < problem$lower + near
  high <- found$par > problem$upper - near
  names <- learn_names(problem)
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
    on_bound = names[low | high]
  )
}

#' Names of the free parameters: `field.column` where there is one a column
#' @noRd
learn_names <- function(problem) {
  names <- problem$field
  for (field in setdiff(unique(names), "epsilon")) {
    columns <- names(problem$latent$hyper[[field]])
    if (!is.null(columns)) {
      names[names == field] <- paste0(field, ".", columns)
    }
  }
  if (sum(names == "epsilon") == 2) {
    names[names == "epsilon"] <- c("epsilon.neg", "epsilon.pos")
  }
  names
}
