# A bpm() to a table of a database: from the fit to a sample of rows by Newton steps in the weights and
# the flip rates at once, each of them one query. Rows say something of w / sqrt(nugget) alone, so that
# queries are in these units; nugget and prior scales belong to the prior, and are learned here.

table_near <- 1e-4   # g' H^-1 g of a step after which EP is at rest
table_rounds <- 30L

#' @param few latent of the sample. @param n number of rows. @return as learn_fit()
#' @noRd
learn_by_queries <- function(table, few, prior, n, spec) {
  refuse(
    is.finite(spec$df) || !prior$free_nugget && prior$nugget == 0,
    "A table of a database takes {.code df = Inf} and a {.arg nugget} above 0.", "no_sql"
  )
  start <- learn_over_shards(few, spec)
  nugget <- start$hyper$nugget
  at <- list(
    w = start$ep$b / sqrt(nugget), M = start$ep$C * few$n / n / nugget, rates = rep_len(start$epsilon, 2),
    prior = prior_at(prior, start$hyper), by = rates_by(is.character(spec$epsilon) * length(start$epsilon))
  )
  meter <- progress_meter("Queries", spec$control$progress)
  best <- list(penalised = -Inf, left = 0)
  trace <- NULL
  repeat {
    now <- newton_round(at, table_round(table, at))
    trace <- rbind(trace, c(residual = sqrt(now$left), log_evidence = now$value, damping = 1, newton = 1))
    meter(nrow(trace), table_rounds, paste("residual", format(sqrt(now$left), digits = 1)))
    better <- isTRUE(now$penalised > best$penalised - 1 - best$left)
    if (better) best <- now
    done <- better && now$left < table_near
    if (done || nrow(trace) == table_rounds || is.null(best$at)) break
    at <- if (better) best$to else newton_between(best$at, at)
  }
  newton_fit(start, best, done, trace)
}

#' How the rates of both classes move with those that are learned: none, one, or one for each
#' @noRd
rates_by <- function(d) list(matrix(0, 2, 0), matrix(1, 2, 1), diag(2))[[d + 1]]

#' What the sums of a round come to, and where the step leads
#' @return list(value, penalised, left: g' H^-1 g, at, to, log_det)
#' @noRd
newton_round <- function(at, sums) {
  if (!all(is.finite(unlist(sums)))) {
    return(list(value = NA_real_, penalised = -Inf, left = Inf))
  }
  evidence <- newton_evidence(sums$g + drop(sums$H %*% at$w), sums$H)
  at$prior <- newton_prior(at$prior, evidence)
  there <- evidence(at$prior)
  precision <- at$prior$nugget / weight_scales(at$prior)
  cross <- -sums$cross %*% at$by
  step <- newton_step(
    c(sums$g - precision * at$w, crossprod(at$by, sums$slope)),
    rbind(cbind(there$P, cross), cbind(t(cross), -crossprod(at$by, sums$curvature %*% at$by))), at
  )
  to <- at
  k <- length(at$w)
  to$w <- at$w + step$by[seq_len(k)]
  to$rates <- at$rates + drop(at$by %*% step$by[-seq_len(k)])
  to$M <- chol2inv(chol(there$P))
  list(
    value = sums$value + there$value, penalised = sums$value + there$value + there$log_prior, left = step$left,
    at = at, to = to, log_det = there$log_det
  )
}

#' The log evidence as a function of the prior, with the sites as they are
#' @param h,H their sums.
#' @noRd
newton_evidence <- function(h, H) {
  function(prior) {
    v0 <- weight_scales(prior) / prior$nugget
    P <- H + diag(1 / v0, length(v0))
    R <- chol(P)
    log_det <- 2 * sum(log(diag(R))) + sum(log(v0))
    off <- c(
      if (prior$free_nugget) (log(prior$nugget) - prior$nugget_prior$meanlog) / prior$nugget_prior$sdlog,
      (log(prior$scale[prior$free]) - prior$prior$meanlog) / prior$prior$sdlog
    )
    list(
      P = P, log_det = log_det, value = (sum(backsolve(R, h, transpose = TRUE)^2) - log_det) / 2,
      log_prior = -sum(off^2) / 2
    )
  }
}

#' The prior with what is learned of it at the maximum
#' @noRd
newton_prior <- function(prior, evidence) {
  from <- log(c(prior$scale[prior$free], prior$nugget[prior$free_nugget]))
  if (!length(from)) {
    return(prior)
  }
  scales <- seq_len(sum(prior$free))
  with <- function(par) {
    prior$scale[prior$free] <- exp(par[scales])
    if (prior$free_nugget) prior$nugget <- exp(par[[length(par)]])
    prior
  }
  bounds <- rep(list(learn_bounds$prior_scale), length(scales))
  within <- prior$nugget_prior$within
  if (prior$free_nugget) bounds <- c(bounds, list(if (is.null(within)) learn_bounds$nugget else within))
  bounds <- do.call(rbind, bounds)
  with(stats::optim(from, function(par) {
    at <- evidence(with(par))
    at$value + at$log_prior
  }, method = "L-BFGS-B", lower = bounds[, 1], upper = bounds[, 2], control = list(fnscale = -1, factr = 1e3))$par)
}

newton_between <- function(a, b) {
  b$w <- (a$w + b$w) / 2
  b$rates <- (a$rates + b$rates) / 2
  b
}

#' A Newton step within the bounds of the rates: those that reach one stay there
#' @param g,H gradient, and minus the curvature. @return list(by, left)
#' @noRd
newton_step <- function(g, H, at) {
  d <- length(g)
  rate <- seq_len(ncol(at$by))
  room <- outer(at$rates[rate], stats::plogis(learn_bounds$epsilon) / 2, function(from, to) to - from)
  low <- c(rep(-Inf, d - length(rate)), room[, 1])
  high <- c(rep(Inf, d - length(rate)), room[, 2])
  by <- numeric(d)
  open <- rep(TRUE, d)
  repeat {
    now <- H[open, open, drop = FALSE]
    ridge <- 0
    while (is.null(L <- native_cholesky(now + diag(ridge * abs(diag(now)), sum(open))))) {
      ridge <- max(1e-3, 4 * ridge)
    }
    rest <- g[open] - drop(H[open, !open, drop = FALSE] %*% by[!open])
    by[open] <- drop(native_solve(L, native_solve(L, rest), TRUE))
    out <- open & (by < low | by > high)
    if (!any(out)) {
      return(list(by = by, left = sum(g * by)))
    }
    by[out] <- pmin(pmax(by, low), high)[out]
    open <- open & !out
  }
}

newton_fit <- function(start, best, done, trace) {
  must(!is.null(best$at), NULL, "be numbers", "not_finite", of = "The sums of a query")
  to <- best$to
  nugget <- to$prior$nugget
  start$hyper <- list(prior_scale = to$prior$scale[to$prior$free], nugget = nugget)
  start$epsilon[] <- to$rates[seq_along(start$epsilon)]
  out <- list(
    status = ep_codes[[if (done) "converged" else "max_sweeps"]], sites = held_sites, b = sqrt(nugget) * to$w,
    log_det = best$log_det, residual = sqrt(best$left), sweeps = nrow(trace), newton = nrow(trace), skipped = 0L,
    log_evidence = best$value, log_evidence_zp = best$value, trace = trace
  )
  start$ep <- ep_result(list(out = out, status = ep_status(out$status)), Inf, matrix(1, 1, 2), NULL)
  start$ep$C <- nugget * to$M
  if (!is.null(start$learning)) {
    start$learning[c("value", "penalised")] <- best[c("value", "penalised")]
    start$learning[c("convergence", "message")] <- stage_end(best$left / 2)
    start$learning$starts <- data.frame(start = 1L, penalised = best$penalised, chosen = TRUE)
  }
  start
}
