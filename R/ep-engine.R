# From native results to the `ep` list of a model, and the continuation where EP finds
# no fixed point. No numbers of its own.

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
    log_evidence_zp = out$log_evidence_zp, loo = out$loo,
    seen = out$seen, truth = if (ncol(L) > 2) truth,
    flipped = if (!is.null(truth)) wrong_share(truth, code),
    trace = if (!is.null(out$trace)) as.data.frame(out$trace)
  )
}

ep_follow_trials <- 60 # of steps along a path

ep_converged <- function(out) out$status == ep_codes[["converged"]]

#' Follow a fixed point along a path in the likelihoods
#'
#' `run(L, sites)` is EP; `at(s)`, s from 0 (easy) to 1 (wanted), gives L.
#' Each step starts from the sites of the last and is shortened on failure; a path that is
#' there takes some ten of them.
#' @return list(out, lost): the native result at s = 1, or `NULL`, and whether a fixed
#'   point was there at s = 0 and then lost.
#' @noRd
ep_follow <- function(run, at) {
  last <- run(at(0), NULL)
  s <- 0
  step <- 0.25
  trials <- 0
  while (ep_converged(last) && s < 1 && step > 2e-3 && trials < ep_follow_trials) {
    trials <- trials + 1
    to <- min(1, s + step)
    trial <- run(at(to), last$sites)
    if (ep_converged(trial)) {
      s <- to
      last <- trial
      step <- 1.5 * step
    } else {
      step <- step / 3
    }
  }
  there <- ep_converged(last)
  list(out = if (there && s == 1) last, lost = there && s < 1)
}

#' Likelihoods that say less, s = 1, or almost nothing, s = 0
#'
#' Each row is mixed with equal likelihoods, until classes other than its likeliest have .45
#' of the sum: with one flip rate, which is that share, a path in the rate.
#' @noRd
likelihood_blunted <- function(L, s) {
  classes <- ncol(L)
  total <- rowSums(L)
  rest <- 1 - row_max(L) / total
  share <- pmax(0.45 - rest, 0) / pmax((classes - 1) / classes - rest, 0.05) * (1 - s)^3
  (1 - share) * L + share * total / classes
}

#' Likelihoods of which half of what speaks for other classes than the likeliest of the row
#' is taken away, s = 0, or nothing, s = 1
#' @noRd
likelihood_sharpened <- function(L, s) {
  best <- cbind(seq_len(nrow(L)), max.col(L, "first"))
  sharp <- L * (1 + s) / 2
  sharp[best] <- L[best] + (1 - s) / 2 * (rowSums(L) - L[best])
  sharp
}

#' EP, and where it does not converge, EP along a path in the likelihoods
#'
#' First from labels that say almost nothing, for which EP always converges. Then from rarer
#' wrong labels: for a branch that folds on the first way, as with the tiny nuggets that em
#' meets on New Thyroid.
#'
#' @param run function(L, sites) that runs the native engine. @param L n x C, see
#'   report_likelihood().
#' @param certain whether there is a fixed point for certain, so that only rounding can
#'   keep EP from it.
#' @return list(out, status)
#' @noRd
ep_continue <- function(run, L, sites, certain = FALSE) {
  out <- run(L, sites)
  if (!ep_converged(out) && !is.null(sites)) {
    out <- run(L, NULL)
  }
  status <- ep_status(out$status)
  # not where the user's limit ended it, nor where the prior can't be evaluated
  if (!status %in% c("stalled", "sites_skipped")) {
    return(list(out = out, status = status))
  }
  down <- ep_follow(run, function(s) likelihood_blunted(L, s))
  found <- down$out
  if (is.null(found) && all(L > 0)) {
    found <- ep_follow(run, function(s) likelihood_sharpened(L, s))$out
  }
  if (!is.null(found)) {
    return(list(out = found, status = "converged"))
  }
  # a small residual is that of a fixed point nearby
  none <- down$lost && !certain && !(max(out$residual) < 1e-3)
  list(out = out, status = if (none) "no_fixed_point" else status)
}

#' EP of a latent at given hyperparameters
#'
#' @param latent see latent.R. @param omega the noise model, S x C x C. Others as
#'   native_gp_fit().
#' @param final whether this is the posterior that a fit will hold, so that further
#'   starts are worth their time: see ep_settle().
#' @return the `ep` list with `value`, `gradient` (both `NULL` unless asked for),
#'   `slope` (that in omega), `gradient_solved`, and `C`, the covariance of the weights, in
#'   weight space.
#' @noRd
ep_run <- function(latent, hyper, df, omega, sites = NULL, control = ep_control(),
                   criterion = "none", gradient = FALSE, final = FALSE) {
  progress <- ep_progress(control, latent$n)
  L <- report_likelihood(latent$reports, omega)
  run <- function(L, sites, damping = 1) {
    control$damping <- damping * control$damping
    latent$native(hyper, df, L, sites, control, criterion, gradient, progress)
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
  ep$gradient <- out$gradient
  ep$slope <- if (!is.null(out$slope)) report_slope(latent$reports, omega, out$slope)
  ep$cold <- result$cold
  ep$gradient_solved <- identical(out$gradient_status, 0L)
  ep$C <- out$extra
  ep
}

#' EP on a Gram matrix
#' @noRd
ep_run_gram <- function(K, y, df, epsilon, sites = NULL, control = ep_control()) {
  code <- 1 + (y > 0)
  L <- label_likelihood(code, as_omega(epsilon, 2))
  progress <- ep_progress(control, length(y))
  visit <- gram_order(K, y)
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
      c(
        "{ep$message}",
        i = "See {.code ep_diagnostics(fit)} for what that means and what to do."
      ),
      class, status = ep$status
    )
  } else if (is.na(ep$log_evidence)) {
    warn_no_evidence()
  }
}

warn_no_evidence <- function() {
  warn_sturdy(
    c(
      "The t-EP evidence is not defined at these sites.",
      i = "Use {.code log_evidence(fit, method = \"gaussian\")}, or a larger {.arg df}."
    ),
    "evidence_undefined"
  )
}
