# From native results to the `ep` list of a model: status in words, continuation
# in df where EP finds no fixed point, no numbers of its own.

engine_status <- function(code) {
  switch(as.character(code),
    "0" = "converged",
    "1" = "max_sweeps",
    "2" = "sites_skipped",
    "5" = "stalled",
    "-1" = "not_positive_definite",
    "-2" = "improper"
  )
}

engine_message <- function(status, out, df) {
  worst <- if (length(out$residual)) format(max(out$residual), digits = 2) else "unknown"
  switch(status,
    converged = sprintf(
      "EP converged in %d sweep%s (largest residual %s).",
      out$sweeps, if (out$sweeps == 1) "" else "s", worst
    ),
    max_sweeps = sprintf(
      "EP did not converge in %d sweeps (largest residual %s).",
      out$sweeps, worst
    ),
    sites_skipped = paste(
      "EP did not converge: some sites have an improper cavity and were left",
      sprintf("out (largest residual %s).", worst)
    ),
    no_fixed_point = paste(
      sprintf("EP found no fixed point at df = %s (largest residual %s),", format(df), worst),
      "nor could one be followed there from larger df or epsilon:",
      "there may be none. More noise (a larger epsilon, or nugget of a kernel)",
      "or a larger df helps."
    ),
    stalled = "EP stalled: its residual stopped falling.",
    not_positive_definite = "The posterior precision is not positive definite.",
    improper = "The starting sites leave an improper cavity."
  )
}

#' The `ep` list of a model
#' @noRd
engine_result <- function(out, df, status = engine_status(out$status)) {
  list(
    sites = out$sites, m = out$m, C_diag = out$C_diag, log_det = out$log_det,
    kappa = if (length(out$log_det)) {
      if (is.finite(df)) exp(-out$log_det / df) else 1
    },
    residual = out$residual, sweeps = out$sweeps, newton = out$newton,
    skipped = out$skipped, status = status,
    message = engine_message(status, out, df),
    cavity = out$cavity, b = out$b, log_evidence = out$log_evidence,
    log_evidence_zp = out$log_evidence_zp, loo = out$loo, flipped = out$flipped,
    trace = if (!is.null(out$trace)) as.data.frame(out$trace)
  )
}

engine_converged <- function(out) out$status == 0L

#' Follow a fixed point along a path
#'
#' `fit(at, sites)` runs EP at a point of the path; `points(s)`, s from 0 (easy)
#' to 1 (wanted), gives the points. Each step starts from the sites of the last
#' and is shortened on failure.
#' @return the native result at s = 1, or `NULL` when it was not reached.
#' @noRd
engine_follow <- function(fit, points) {
  last <- fit(points(0), NULL)
  s <- 0
  step <- 0.25
  while (engine_converged(last) && s < 1 && step > 2e-3) {
    to <- min(1, s + step)
    trial <- fit(points(to), last$sites)
    if (engine_converged(trial)) {
      s <- to
      last <- trial
      step <- 1.5 * step
    } else {
      step <- step / 3
    }
  }
  if (engine_converged(last) && s == 1) last
}

#' EP, and where it finds no fixed point, EP along a path to one
#'
#' `fit(df, epsilon, sites)` runs the native engine. Fixed points are followed
#' down in df from a df where they exist, then down in epsilon from labels that
#' say almost nothing, for which EP always converges, then up in epsilon.
#' @return list(out, status)
#' @noRd
engine_continue <- function(fit, df, epsilon, sites) {
  out <- fit(df, epsilon, sites)
  if (!engine_converged(out) && !is.null(sites)) {
    out <- fit(df, epsilon, NULL)
  }
  if (engine_converged(out) || out$status == 1L || out$status < 0L) {
    # 1: the user's limit; negative: not even the prior can be evaluated
    return(list(out = out, status = engine_status(out$status)))
  }
  found <- NULL
  if (is.finite(df)) {
    from <- max(10, 4 * df)
    found <- engine_follow(
      function(at, sites) fit(at, epsilon, sites),
      function(s) if (s == 1) df else df^s * from^(1 - s)
    )
  }
  if (is.null(found)) {
    found <- engine_follow(
      function(at, sites) fit(df, at, sites),
      function(s) epsilon + (0.45 - pmin(epsilon, 0.45)) * (1 - s)^3
    )
  }
  if (is.null(found) && all(epsilon > 0)) { # a branch that folds on its way down
    found <- engine_follow(
      function(at, sites) fit(df, at, sites),
      function(s) epsilon * (1 + s) / 2
    )
  }
  if (!is.null(found)) {
    list(out = found, status = "converged")
  } else {
    list(out = out, status = "no_fixed_point")
  }
}

#' EP in a latent space at given hyperparameters
#'
#' @param space a latent space (see space.R). Others as native_gp_fit().
#' @return the `ep` list with `value`, `gradient` (both `NULL` unless asked for),
#'   `gradient_solved` and what else the space returns, `extra`.
#' @noRd
engine_fit <- function(space, hyper, df, epsilon, sites = NULL,
                       control = ep_control(), criterion = "none",
                       gradient = FALSE) {
  progress <- engine_progress(control, space$n)
  run <- function(df, epsilon, sites) {
    space$native(
      hyper, df, epsilon, sites, control, criterion, gradient, progress
    )
  }
  result <- engine_continue(run, df, epsilon, sites)
  ep <- engine_result(result$out, df, result$status)
  ep$value <- result$out$value
  ep$gradient <- result$out$gradient
  ep$gradient_solved <- identical(result$out$gradient_status, 0L)
  ep$extra <- result$out$extra
  ep
}

#' EP on a Gram matrix
#' @noRd
engine_fit_gram <- function(K, y, df, epsilon, sites = NULL,
                            control = ep_control()) {
  storage.mode(K) <- "double"
  progress <- engine_progress(control, length(y))
  run <- function(df, epsilon, sites) {
    native_ep_fit(K, y, df, epsilon, sites, control, progress)
  }
  result <- engine_continue(run, df, epsilon, sites)
  engine_result(result$out, df, result$status)
}

#' A progress line for EP on many rows; short fits stay silent
#' @noRd
engine_progress <- function(control, n, .envir = rlang::caller_env()) {
  if (!isTRUE(control$progress) || n < 2000) {
    return(NULL)
  }
  id <- cli::cli_progress_bar(
    format = paste(
      "{cli::pb_spin} EP sweep {cli::pb_current},",
      "residual {signif(cli::pb_extra$residual, 2)}"
    ),
    total = NA, extra = list(residual = Inf), .envir = .envir
  )
  function(sweep, residual) {
    cli::cli_progress_update(
      set = sweep, extra = list(residual = residual), id = id
    )
  }
}
