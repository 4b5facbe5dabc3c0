# A bpm() to a table of a database: from the fit to a sample of rows by Newton steps in the weights and
# the flip rates at once, each of them one query. Rows say something of w / sqrt(nugget) alone, so that
# queries are in these units; nugget and prior scales belong to the prior, and are learned here.

table_near <- 1e-3   # g' H^-1 g of a step after which EP is at rest
table_inducing <- 30L # inducing inputs, unless told otherwise: with a bias 596 sums
table_rounds <- 30L   # at most, and as a rule:
table_usual <- 4L
table_least_rate <- 0.02 # to begin with: from rates near 0 steps only double them

#' @param few latent of the sample. @param prior of weights, see bpm_prior(); of features at inducing inputs list(columns):
#'   their weights are standard normal, at the hyperparameters of the sample. @param n number of rows.
#' @return as learn_fit(), and `at`, see table_cavity()
#' @noRd
learn_by_queries <- function(table, few, prior, n, spec) {
  refuse(
    is.finite(spec$df) || !"nugget" %in% few$free && few$hyper$nugget == 0,
    "A table of a database takes {.code df = Inf} and a {.arg nugget} above 0.", "no_sql"
  )
  start <- learn_over_shards(few, spec)
  few$hyper <- start$hyper
  if (!is.null(prior$columns)) {
    of <- list(Z = start$latent$Z, columns = prior$columns, hyper = start$hyper)
    prior <- list(scale = 1, group = rep(1L, length(start$ep$b)), free = FALSE, inducing = of)
    few[c("hyper", "free")] <- list(list(nugget = 1), character())
  }
  problem <- learn_problem(few, spec) # of which the coordinates of the prior are used here
  nugget <- few$hyper$nugget
  by <- rates_by(is.character(spec$epsilon) * length(start$epsilon))
  at <- list(
    w = start$ep$b / sqrt(nugget), M = start$ep$C * few$n / n / nugget,
    rates = pmax(rep_len(start$epsilon, 2), if (ncol(by)) table_least_rate else 0),
    prior = prior_at(prior, few$hyper), z = problem$start, by = by
  )
  meter <- progress_meter("Queries", spec$control$progress)
  best <- list(penalised = -Inf, left = 0)
  trace <- NULL
  repeat {
    now <- newton_round(at, table_round(table, at), problem)
    trace <- rbind(trace, c(residual = sqrt(now$left), log_evidence = now$value, damping = 1, newton = 1))
    meter(nrow(trace), max(table_usual, nrow(trace) + 1), paste("residual", format(sqrt(now$left), digits = 1)))
    # evidence under another M may mislead; so may a residual
    better <- isTRUE(now$penalised > best$penalised - 1 - best$left || now$left < best$left)
    done <- better && now$left < table_near
    if (better) {
      at <- newton_next(now, if (nrow(trace) > 1) best)
      best <- now
    }
    if (done || nrow(trace) == table_rounds || is.null(best$at)) break
    if (!better) at <- between(best$at, at, newton_share(best, now))
  }
  newton_fit(start, best, done, trace)
}

#' How the rates of both classes move with those that are learned: none, one, or one for each
#' @noRd
rates_by <- function(d) list(matrix(0, 2, 0), matrix(1, 2, 1), diag(2))[[d + 1]]

#' What the sums of a round come to, and where the step leads
#' @return list(value, penalised, left: g' H^-1 g, at, to, log_det)
#' @noRd
newton_round <- function(at, sums, problem) {
  if (!all(is.finite(unlist(sums)))) {
    return(list(value = NA_real_, penalised = -Inf, left = Inf))
  }
  evidence <- newton_evidence(at$prior, problem, sums$g + drop(sums$H %*% at$w), sums$H)
  at$z <- newton_prior(at$z, evidence, problem)
  there <- evidence(at$z)
  at$prior <- there$prior
  precision <- at$prior$nugget / weight_scales(at$prior)
  cross <- -sums$cross %*% at$by
  step <- newton_step(
    c(sums$g - precision * at$w, crossprod(at$by, sums$slope)),
    rbind(cbind(there$P, cross), cbind(t(cross), -crossprod(at$by, sums$curvature %*% at$by))), at
  )
  to <- at
  k <- seq_along(at$w)
  to$w <- at$w + step$by[k]
  to$rates <- at$rates + drop(at$by %*% step$by[-k])
  to$M <- chol2inv(chol(there$P))
  list(
    value = sums$value + there$value, penalised = sums$value + there$value + there$log_prior, left = step$left,
    at = at, to = to, log_det = there$log_det, step = step
  )
}

#' Where the next round is: Newton's point or, where this step turns back over the one before, the point between both
#' ends at which steps would be 0. They turn where few rows decide: a round sees the covariance of the round before.
#' @param last the round before, or `NULL`.
#' @return as `at`
#' @noRd
newton_next <- function(now, last) {
  step <- now$step$by
  along <- function(a, b) sum(a * now$step$H %*% b)
  if (is.null(last) || along(step, last$step$by) >= 0) return(now$to)
  turn <- step - last$step$by
  between(now$to, last$to, along(turn, step) / along(turn, turn))
}

#' @noRd
between <- function(a, b, share) {
  of <- c("w", "M", "rates")
  utils::modifyList(a, Map(function(a, b) a + share * (b - a), a[of], b[of]))
}

#' The share of a step that led where it is worse after which its slope is 0, were that linear
#' @noRd
newton_share <- function(best, now) {
  slope <- if (is.null(now$step)) NA else sum(now$step$g * best$step$by)
  share <- best$left / (best$left - slope)
  if (isTRUE(share > 0 && share < 0.5)) max(share, 0.05) else 0.5
}

#' The log evidence as a function of the coordinates of the prior, with the sites as they are
#' @param h,H their sums. @return function(z)
#' @noRd
newton_evidence <- function(prior, problem, h, H) {
  function(z) {
    prior <- prior_at(prior, problem$hyper(z))
    v0 <- weight_scales(prior) / prior$nugget
    P <- H + diag(1 / v0, length(v0))
    R <- chol(P)
    log_det <- 2 * sum(log(diag(R))) + sum(log(v0))
    list(
      prior = prior, P = P, log_det = log_det, log_prior = problem$prior(z)$value,
      value = (sum(backsolve(R, h, transpose = TRUE)^2) - log_det) / 2
    )
  }
}

#' The coordinates of the prior at the maximum
#' @noRd
newton_prior <- function(z, evidence, problem) {
  mine <- which(problem$field != "epsilon")
  if (length(mine)) {
    z[mine] <- stats::optim(z[mine], function(par) {
      there <- evidence(replace(z, mine, par))
      there$value + there$log_prior
    }, method = "L-BFGS-B", lower = problem$lower[mine], upper = problem$upper[mine],
    control = list(fnscale = -1, factr = 1e3))$par
  }
  z
}

#' A Newton step within the bounds of the rates, by steps of one and the same quadratic form
#' @param g,H gradient, and minus the curvature. @return list(by, left)
#' @noRd
newton_step <- function(g, H, at) {
  rate <- seq_len(ncol(at$by))
  room <- outer(at$rates[rate], stats::plogis(learn_bounds$epsilon) / 2, function(from, to) to - from)
  held <- rep(Inf, length(at$w))
  box <- list(low = c(-held, room[, 1]), up = c(held, room[, 2]))
  H <- convex(H, learn_least)
  by <- numeric(length(g))
  for (k in 1:3) { # what has reached a bound stays there, and the others are moved once more
    here <- list(z = by, slope = drop(H %*% by) - g)
    by <- pmin(pmax(by + learn_newton_step(here, H, box)$d, box$low), box$up)
  }
  list(by = by, left = sum(g * by), g = g, H = H)
}

newton_fit <- function(start, best, done, trace) {
  must(!is.null(best$at), NULL, "be numbers", "not_finite", of = "The sums of a query")
  to <- best$to
  nugget <- to$prior$nugget
  if (is.null(to$prior$inducing)) start$hyper <- list(prior_scale = to$prior$scale[to$prior$free], nugget = nugget)
  start$epsilon[] <- to$rates[seq_along(start$epsilon)]
  out <- list(
    status = ep_codes[[if (done) "converged" else "max_sweeps"]], sites = held_sites, b = sqrt(nugget) * to$w,
    log_det = best$log_det, residual = sqrt(best$left), sweeps = nrow(trace), newton = nrow(trace), skipped = 0L,
    log_evidence = best$value, log_evidence_zp = best$value, trace = trace
  )
  start$ep <- ep_result(list(out = out, status = ep_status(out$status)), Inf, matrix(1, 1, 2), NULL)
  start$ep$C <- nugget * to$M
  start$at <- to
  if (!is.null(start$learning)) {
    start$learning[c("value", "penalised")] <- best[c("value", "penalised")]
    start$learning[c("convergence", "message")] <- stage_end(best$left / 2)
    start$learning$starts <- data.frame(start = 1L, penalised = best$penalised, chosen = TRUE)
  }
  start
}
