# From native results to the `ep` list of a model: status in words, continuation
# in df where EP finds no fixed point, no numbers of its own.

engine_status <- function(code) {
  switch(as.character(code),
    "0" = "converged", "4" = "converged",
    "1" = "max_sweeps",
    "2" = "sites_skipped",
    "3" = "interrupted",
    "-1" = "not_positive_definite",
    "-2" = "improper",
    "bad_argument"
  )
}

engine_message <- function(status, out, df) {
  worst <- if (length(out$residual)) format(max(out$residual), digits = 2)
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
      sprintf("t-EP has no fixed point at df = %s that could be followed down", format(df)),
      sprintf("from larger df (largest residual %s): with so little noise", worst),
      "there may be none. A larger df, nugget or epsilon helps."
    ),
    native_status_sentence(out$status)
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

#' EP with continuation in df
#'
#' `fit(df, sites)` runs the native engine. Where it does not converge at a
#' finite df the fixed point is followed down from a df where it does, each
#' step starting from the sites of the last, halving the step on failure.
#' @return list(out, status)
#' @noRd
engine_continue <- function(fit, df, sites) {
  out <- fit(df, sites)
  if (out$status %in% c(0L, 4L) || !is.finite(df)) {
    return(list(out = out, status = engine_status(out$status)))
  }
  at <- max(10, 4 * df)
  last <- fit(at, NULL)
  while (last$status != 0L && at < 1e4) {
    at <- 4 * at
    last <- fit(at, NULL)
  }
  step <- log(at / df) / 4 # on the log scale of df
  while (last$status == 0L && at > df && step > 1e-3) {
    to <- if (log(at / df) <= step * 1.01) df else at * exp(-step)
    trial <- fit(to, last$sites)
    if (trial$status == 0L) {
      at <- to
      last <- trial
      step <- 1.5 * step
    } else {
      step <- step / 3
    }
  }
  if (at == df && last$status == 0L) {
    list(out = last, status = "converged")
  } else {
    list(out = out, status = "no_fixed_point")
  }
}

#' EP at given hyperparameters
#'
#' Arguments as native_gp_fit(). @return the `ep` list with `value`, `gradient`
#'   (both `NULL` unless asked for).
#' @noRd
engine_fit_gp <- function(X, group, hyper, y, df, epsilon, sites = NULL,
                          control = ep_control(), criterion = "none",
                          gradient = FALSE) {
  progress <- engine_progress(control, length(y))
  run <- function(df, sites) {
    native_gp_fit(
      X, group, hyper, y, df, epsilon, sites, control, criterion, gradient,
      progress
    )
  }
  result <- engine_continue(run, df, sites)
  ep <- engine_result(result$out, df, result$status)
  ep$value <- result$out$value
  ep$gradient <- result$out$gradient
  ep$gradient_solved <- result$out$status != 4L
  ep
}

#' EP on a Gram matrix
#' @noRd
engine_fit_gram <- function(K, y, df, epsilon, sites = NULL,
                            control = ep_control()) {
  storage.mode(K) <- "double"
  progress <- engine_progress(control, length(y))
  run <- function(df, sites) {
    native_ep_fit(K, y, df, epsilon, sites, control, progress)
  }
  result <- engine_continue(run, df, sites)
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
