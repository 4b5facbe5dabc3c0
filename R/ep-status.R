# How EP can end: one row for each status, with its code in src/status.h and the words
# for it. `happened` is filled in by ep_message(); `means` and `do` are shown by
# ep_diagnostics(), and after it `do_kernel` or, for a model without a kernel, `do_linear`.

ep_damp_more <- "Damp more: ep_control(damping = 0.3, max_sweeps = 1000)."
ep_more_noise <- "Allow more label noise (a larger epsilon) or a larger nugget."
ep_larger_df <- "In stc(), use a larger df."
ep_learn_nugget <- paste(
  "If the classes overlap near the boundary, EP may have no fixed point with many rows and few",
  "weights without a nugget: use nugget = \"learn\", or inference = \"adf\"."
)

ep_near_residual <- 1e-3 # below which a fixed point is nearby, as the words of max_sweeps tell

ep_statuses <- list(
  converged = list(
    code = 0L,
    happened = "EP converged in {sweeps} sweep{?s} (largest residual {residual}).",
    means = "The results are those of an EP fixed point."
  ),
  max_sweeps = list(
    code = 1L,
    happened = "EP did not converge in {sweeps} sweep{?s} (largest residual {residual}).",
    means = paste(
      "The results are those of the best sites met. If the residual is below 1e-3, the",
      "probabilities are usually close to their final values."
    ),
    do = c(
      "Allow more sweeps: ep_control(max_sweeps = 1000).",
      "If the residual goes up and down, damp: ep_control(damping = 0.5)."
    )
  ),
  sites_skipped = list(
    code = 2L,
    happened = paste(
      "EP did not converge: some sites had an improper cavity and were left out",
      "(largest residual {residual})."
    ),
    means = paste(
      "Some rows took no part in the last sweep. The evidence and the probabilities",
      "are only rough."
    ),
    do = c(ep_damp_more, ep_more_noise), do_kernel = ep_larger_df, do_linear = ep_learn_nugget
  ),
  stalled = list(
    code = 5L,
    happened = paste(
      "EP did not converge: after {sweeps} sweep{?s} its residual had stopped falling",
      "(largest residual {residual})."
    ),
    means = paste(
      "EP cycles, takes steps that are too short, or is limited by rounding. If the",
      "residual is below 1e-6, the results are good; otherwise they are only rough."
    ),
    do = c(
      "If damping is small, damp less; if it is 1, damp: ep_control(damping = 0.3).",
      ep_more_noise
    ),
    do_linear = ep_learn_nugget
  ),
  no_step = list(
    code = 6L,
    happened = paste(
      "EP did not converge: after {sweeps} sweep{?s} no step was left that has a posterior",
      "and is no worse (largest residual {residual})."
    ),
    means = paste(
      "Every step, however short, led to sites without a posterior or away from a fixed",
      "point. The results are those of the best sites met, and only rough."
    ),
    do = c(ep_damp_more, ep_more_noise), do_kernel = ep_larger_df, do_linear = ep_learn_nugget
  ),
  no_fixed_point = list(
    code = NA_integer_, # found in R: a path towards a fixed point was lost
    happened = paste(
      "EP found no fixed point at df = {df} (largest residual {residual}). The fixed",
      "point found at a larger epsilon was lost on the way to this one: there may be",
      "none here. A larger epsilon, a larger nugget (in a kernel) or a larger df helps."
    ),
    means = paste(
      "EP probably has no fixed point at these hyperparameters. The numbers shown do",
      "not describe a posterior."
    ),
    do = ep_more_noise, do_kernel = "In stc(), use a larger df; or use gpc().",
    do_linear = c(ep_learn_nugget, "Use a larger df.")
  ),
  not_positive_definite = list(
    code = -1L,
    happened = "The posterior precision is not positive definite.",
    means = paste(
      "There is no posterior: with the prior covariance and the sites, the posterior",
      "precision is not positive definite in floating-point numbers."
    ),
    do_kernel = c(
      "Add a nugget: kernel_ard(nugget = 1e-6).",
      "For ep_fit(), check that K is positive semidefinite."
    ),
    do_linear = paste("Scale the inputs (scale = TRUE), or use prior scales of similar size.")
  ),
  improper = list(
    code = -2L,
    happened = "EP could not start: its first step can't be computed.",
    means = paste(
      "There is no posterior: at these hyperparameters the first cavities or tilted",
      "moments are outside the range of floating-point numbers."
    ),
    do = "Use a larger df, or hyperparameters that are less extreme."
  )
)

ep_codes <- vapply(ep_statuses, `[[`, integer(1), "code")

#' Name of a status code of the core
#' @noRd
ep_status <- function(code) names(ep_codes)[match(code, ep_codes)]

#' What happened, in one sentence
#' @noRd
ep_message <- function(status, out, df) {
  sweeps <- if (is.null(out$sweeps)) 0 else out$sweeps
  residual <- if (length(out$residual)) format(max(out$residual), digits = 2) else "unknown"
  df <- format(df)
  as.character(cli::pluralize(ep_statuses[[status]]$happened))
}

#' What a status means and what to do about it
#'
#' @param linear whether the latent function is linear: no kernel, no nugget.
#' @noRd
ep_advice <- function(status, linear = FALSE) {
  row <- ep_statuses[[status]]
  list(means = row$means, do = c(row$do, row[[if (linear) "do_linear" else "do_kernel"]]))
}

#' How EP ended, in a few words
#' @noRd
ep_words <- function(ep) {
  status <- gsub("_", " ", ep$status)
  if (!has_numbers(ep$b)) {
    return(paste0(status, ": no posterior, see ep_diagnostics()"))
  }
  paste0(
    status, " after ", count(ep$sweeps, "sweep"), ", residual ",
    format(max(ep$residual), digits = 2),
    if (!is.null(ep$rival)) "; another fixed point: see ep_diagnostics()"
  )
}

has_numbers <- function(x) length(x) > 0 && !anyNA(x)
