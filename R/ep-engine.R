# From native results to the `ep` list of a model. No numbers of its own.

#' The `ep` list of a model
#' @param result list(out, status, rival) of ep_continue() or ep_settle(). @param L
#'   likelihoods of the true classes. @param code labels 1..C, `NULL` where rows are elsewhere.
#' @return what the native result has, `seen` (n x C, log probabilities of the true classes
#'   given the other rows) among it; `truth`, with several classes, their posterior;
#'   `flipped`, the probability that the label is not the true class.
#' @noRd
ep_result <- function(result, df, L, code) {
  out <- result$out
  status <- result$status
  truth <- if (!is.null(out$seen)) truth_posterior(L, out$seen)
  list(
    sites = out$sites, m = out$m, C_diag = out$C_diag, log_det = out$log_det,
    kappa = if (length(out$log_det)) exp(-out$log_det / df),
    residual = out$residual, sweeps = out$sweeps, newton = out$newton,
    skipped = out$skipped, status = status,
    message = paste0(ep_message(status, out, df), rival_words(result$rival)),
    rival = result$rival,
    cavity = out$cavity, b = out$b, log_evidence = out$log_evidence,
    log_evidence_zp = out$log_evidence_zp, loo = out[["loo"]],
    seen = out$seen, truth = if (ncol(L) > 2) truth,
    flipped = if (!is.null(truth)) wrong_share(truth, code),
    # a sweep on the way may have no evidence
    trace = if (!is.null(out$trace)) as.data.frame(replace(out$trace, is.nan(out$trace), NA))
  )
}

#' EP of a latent at given hyperparameters
#'
#' @param latent see latent.R. @param omega the noise model, S x C x C. Others as
#'   native_gp_fits().
#' @param final whether this is the posterior that a fit will hold, so that further
#'   starts are worth their time: see ep_settle().
#' @return the `ep` list with `value`, `NULL` without a criterion, `second`, where control asks for it,
#'   and `C`, the covariance of the weights, in weight space.
#' @noRd
ep_run <- function(latent, hyper, df, omega, sites = NULL, control = ep_control(),
                   criterion = "none", final = FALSE) {
  progress <- ep_progress(control, latent$n)
  L <- report_likelihood(latent$reports, omega, latent$cells)
  run <- function(L, sites, damping = 1) {
    control$damping <- damping * control$damping
    at <- list(hyper = hyper, L = L, sites = sites)
    latent$ep(list(at), df, control, criterion, progress = progress)[[1]]
  }
  # log-concave, and every pattern of labels possible
  certain <- is.infinite(df) && all(rowSums(L > 0) == 1) && isTRUE(hyper$nugget > 0)
  result <- if (final) {
    ep_settle(run, L, sites, certain, small_noise(hyper), control$tol)
  } else {
    ep_continue(run, L, sites, certain)
  }
  out <- result$out
  ep <- ep_result(result, df, L, latent$y)
  ep$value <- out$value
  ep$cold <- result$cold
  ep$second <- if (isTRUE(control$second)) out$second
  ep$C <- out$extra
  ep
}

#' EP on a Gram matrix
#' @noRd
ep_run_gram <- function(K, y, df, epsilon, sites = NULL, control = ep_control()) {
  code <- 1 + (y > 0)
  L <- label_likelihood(code, as_omega(epsilon, 2))
  progress <- ep_progress(control, length(y))
  # sums are rounded in the order of the rows; the same when all labels change sides
  visit <- row_order(list(diag(K), signif(rowSums(K), 10), signif(y * drop(K %*% y), 10)))
  K <- K[visit, visit, drop = FALSE]
  rows <- in_order(visit, c(row_fields, "b"))
  run <- function(L, sites, damping = 1) {
    control$damping <- damping * control$damping
    rows$result(native_ep_fit(
      K, L[visit, , drop = FALSE], df, rows$sites(sites), control, progress
    ))
  }
  result <- if (is.null(sites)) {
    ep_settle(run, L, sites, FALSE, small_noise = TRUE, control$tol)
  } else {
    ep_continue(run, L, sites)
  }
  ep_result(result, df, L, code)
}

#' What the sweeps of EP are counted by, over all its starts
#'
#' How many there will be is a guess: most fits take some 10.
#' @noRd
ep_progress <- function(control, n, .envir = rlang::caller_env()) {
  meter <- progress_meter("EP", control$progress, .envir)
  done <- -1
  function(sweep, residual) {
    done <<- done + 1
    total <- max(ep_usual_sweeps, done + 3)
    meter(done, total, sprintf(
      "sweep %d of some %d over %s rows, residual %s", done + 1, total, whole(n),
      format(residual, digits = 1)
    ))
  }
}

ep_usual_sweeps <- 10

#' A warning with the sentence of an EP that did not converge, or that has another
#' fixed point with other probabilities
#' @noRd
warn_ep <- function(ep) {
  class <- if (ep$status != "converged") {
    "not_converged"
  } else if (isTRUE(ep$rival$probability > 0.01)) {
    "fixed_points"
  }
  if (!is.null(class)) {
    warn_sturdy(
      c("{ep$message}", i = "See {.code ep_diagnostics(fit)} for what that means and what to do."),
      class, status = ep$status
    )
  } else if (is.na(ep$log_evidence)) {
    warn_no_evidence()
  }
}

warn_no_evidence <- function() {
  warn_sturdy(c(
    "The t-EP evidence is not defined at these sites.",
    i = "Use {.code log_evidence(fit, method = \"gaussian\")}, or a larger {.arg df}."
  ), "evidence_undefined")
}
