# Parallel EP with Anderson acceleration over shards: what src/ep-parallel.c does with rows
# that are here, by the same decisions (src/parallel.h). Rows see one message a pass.
# P = I + sum Phi' diag(tt) Phi and h = sum Phi' nt are linear in the sites, so that P and h
# after any step are known before it is made, and a step without a posterior costs nothing
# [M 10.2].

#' EP over all shards
#'
#' @param team see shard-team.R. @param lik list(df, L).
#' @param on whether to start from the sites of the last fixed point.
#' @param progress `NULL` or a function of the round and its residual.
#' @return list(status, ..): as native_inducing_fit() names things, without those that are
#'   by row; `posterior` and `sites`, a token for those that the shards hold.
#' @noRd
shard_rounds <- function(team, lik, control, on, progress = NULL) {
  it <- list2env(list(rounds = 0L, least = Inf)) # of the sizes so far
  start <- function(...) {
    it$at <- team$sum("begin", list(...), add_grams)
    team$points <- team$number
    it$memory <- list()
    rounds_go(it, team, lik, it$at)
  }
  # there is a posterior as soon as no site is negative
  if (!(on && (start(sites = team$sites) || start(sites = team$sites, least = 0)) || start())) {
    return(list(status = ep_codes[["not_positive_definite"]]))
  }
  status <- rounds_run(it, team, lik, control, progress)
  if (status == ep_codes[["converged"]]) {
    team$ask("settle", list(point = team$points[1]))
    team$sites <- team$number
  }
  posterior <- it$posterior
  k <- length(posterior$w)
  half <- native_solve(unpacked_lower(posterior$L, k), diag(k))
  c(list(
    status = status, b = posterior$w, posterior = posterior[c("L", "w")], extra = native_product(half, half),
    sweeps = it$rounds, newton = 0L, skipped = as.integer(it$sums$improper), trace = it$trace, sites = held_sites,
    point = team$points[1]
  ), rounds_now(it, lik))
}

#' A pass under the posterior at the end of a step
#'
#' @param to P and h there. @param gamma,scale of the step, see native_shard_pass(); a `scale` of 0
#'   stays where we are.
#' @return whether there is a posterior and the rows are not further from theirs than `bound`: then that
#'   is where we are
#' @noRd
rounds_go <- function(it, team, lik, to, gamma = numeric(), scale = 0, bound = Inf) {
  posterior <- posterior_of(to)
  if (is.null(posterior)) return(FALSE)
  sums <- team$sum("pass", list(
    points = team$points, posterior = posterior[c("L", "w")], lik = lik, gamma = gamma, scale = scale
  ), add_passes)
  if (sums$status != 0 || scale > 0 && sqrt(sums$squares) > bound) return(FALSE)
  if (scale > 0) {
    change <- Map(function(x, x0, f, f0) (x - x0) + (f - f0), to, it$at, sums[c("P", "h")], it$sums[c("P", "h")])
    it$memory <- utils::head(c(list(change), it$memory), length(sums$g))
  }
  team$points <- utils::head(c(team$number, team$points), length(it$memory) + 1)
  it$at <- to
  it$posterior <- posterior
  it$sums <- sums
  it$least <- min(it$least, sqrt(sums$squares))
  TRUE
}

#' A symmetric or triangular matrix of its packed lower triangle
#' @noRd
unpacked_lower <- function(packed, k) {
  M <- matrix(0, k, k)
  M[lower.tri(M, diag = TRUE)] <- packed
  M
}

#' The posterior of u, `NULL` where there is none
#' @param at list(P (packed, without the identity), h)
#' @return list(L (packed), w, log_det)
#' @noRd
posterior_of <- function(at) {
  k <- length(at$h)
  P <- unpacked_lower(at$P, k)
  diag(P) <- diag(P) + 1
  L <- native_cholesky(P)
  if (!is.null(L)) {
    w <- native_solve(L, native_solve(L, at$h), TRUE)
    list(L = L[lower.tri(L, diag = TRUE)], w = drop(w), log_det = 2 * sum(log(diag(L))))
  }
}

rounds_run <- function(it, team, lik, control, progress) {
  watch <- NULL
  scale <- control$damping
  repeat {
    now <- rounds_now(it, lik)
    it$trace <- rbind(it$trace, c(unlist(now[c("residual", "log_evidence")]), damping = scale, newton = 0))
    if (it$sums$worst < control$tol) return(ep_codes[["converged"]])
    seen <- native_parallel_watch(watch, it$rounds, it$sums$worst, control$max_sweeps)
    if (seen$status != 0) return(seen$status)
    watch <- seen$watch
    if (!is.null(progress)) progress(it$rounds, it$sums$worst)
    scale <- rounds_step(it, team, lik, control)
    it$rounds <- it$rounds + 1L
    if (scale == 0) return(ep_codes[["no_step"]])
  }
}

#' The first of the steps that helps
#' @return its length, 0 when none does
#' @noRd
rounds_step <- function(it, team, lik, control) {
  plan <- native_parallel_steps(it$sums, control$damping, it$least)
  for (k in seq_along(plan$scale)) {
    if (k == plan$along + 1) { # steps so far are not differences that count any more
      it$memory <- list()
      team$points <- team$points[1]
    }
    gamma <- if (k <= plan$along) plan$gamma else numeric()
    move <- it$sums[c("P", "h")]
    for (j in seq_along(gamma)) move <- Map(function(f, d) f - gamma[j] * d, move, it$memory[[j]])
    to <- Map(function(x, d) x + plan$scale[k] * d, it$at, move)
    if (rounds_go(it, team, lik, to, gamma, plan$scale[k], plan$bound)) return(plan$scale[k])
  }
  0
}

#' What EP says where we are, as far as all cavities are proper
#' @noRd
rounds_now <- function(it, lik) {
  sums <- it$sums
  log_det <- it$posterior$log_det + sums$log_det
  proper <- sums$improper == 0
  evidence <- function(which) if (proper) native_evidence(sums[[which]], log_det, lik$df) else NA_real_
  list(
    log_det = log_det, residual = if (proper) sums$worst else Inf, log_evidence = evidence("evidence"),
    log_evidence_zp = evidence("evidence_zp"), loo_sum = if (proper) sums$loo else NA_real_
  )
}

# A token for the sites that the shards hold: learning adds multiples of sites to each
# other, which these survive.
held_sites <- list(tau = numeric(), nu = numeric())
