# Parallel EP with Anderson acceleration over shards: what src/ep-parallel.c does with rows
# that are here, by the same decisions (src/parallel.h). Rows see one message a pass.
# P = I + sum Phi' diag(tt) Phi and h = sum Phi' nt are linear in the sites, so that P and h
# after any step are known before it is made, and a step without a posterior costs nothing
# [M 10.2].

#' EP over all shards
#'
#' @param team see shard-team.R. @param lik list(df, L).
#' @param from where to start: "prior" or "sites", those of the last fixed point.
#' @param progress `NULL` or a function of the round and its residual.
#' @return list(status, ..): as native_inducing_fit() names things, without those that are
#'   by row; `posterior` and `sites`, a token for those that the shards hold.
#' @noRd
shard_rounds <- function(team, lik, control, from, progress = NULL) {
  it <- new.env(parent = emptyenv())
  it$least <- Inf # of the sizes so far
  begun <- from != "prior" && (rounds_begin(it, team, lik, list(sites = team$sites)) ||
    rounds_begin(it, team, lik, list(point = team$points))) || rounds_begin(it, team, lik, list())
  if (!begun) {
    return(list(status = ep_codes[["not_positive_definite"]]))
  }
  status <- rounds_run(it, team, lik, control, progress)
  if (status == ep_codes[["converged"]]) {
    team$ask("settle", list(point = team$points[1]))
    team$sites <- team$number
  }
  c(rounds_result(it, lik, status), point = team$points[1])
}

#' @return whether there is a posterior of the sites that EP starts from
#' @noRd
rounds_begin <- function(it, team, lik, from) {
  it$at <- team$sum("begin", from, add_grams)
  team$points <- team$number
  it$rounds <- 0L
  it$trace <- NULL
  it$save <- FALSE # whether sites have changed since they were saved
  rounds_look(it, team, lik)
}

#' Evaluates all rows where we are, under the posterior there
#' @noRd
rounds_look <- function(it, team, lik) {
  rounds_forget(it, team)
  rounds_go(it, team, lik, it$at)
}

#' Steps so far are not differences that count any more
#' @noRd
rounds_forget <- function(it, team) {
  it$memory <- list()
  team$points <- team$points[1]
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
  if (is.null(posterior)) {
    return(FALSE)
  }
  sums <- team$sum("pass", list(
    points = team$points, posterior = posterior[c("L", "w")], lik = lik, gamma = gamma,
    scale = scale, save = it$save
  ), add_passes)
  it$save <- FALSE
  if (sums$status != 0 || scale > 0 && sqrt(sums$squares) > bound) {
    return(FALSE)
  }
  if (scale > 0) {
    change <- Map(
      function(x, x0, f, f0) (x - x0) + (f - f0), to, it$at, sums[c("P", "h")], it$sums[c("P", "h")]
    )
    it$memory <- utils::head(c(list(change), it$memory), length(sums$g))
  }
  team$points <- utils::head(c(team$number, team$points), length(it$memory) + 1)
  it$at <- to
  it$posterior <- posterior
  it$sums <- sums
  it$least <- min(it$least, sqrt(sums$squares))
  it$save <- TRUE
  TRUE
}

#' The posterior of u, `NULL` where there is none
#' @param at list(P (packed, without the identity), h)
#' @return list(L (packed), w, log_det)
#' @noRd
posterior_of <- function(at) {
  k <- length(at$h)
  P <- matrix(0, k, k)
  lower <- lower.tri(P, diag = TRUE)
  P[lower] <- at$P
  diag(P) <- diag(P) + 1
  L <- native_cholesky(P)
  if (is.null(L)) {
    return(NULL)
  }
  w <- native_solve(L, native_solve(L, at$h), TRUE)
  list(L = L[lower], w = drop(w), log_det = 2 * sum(log(diag(L))))
}

rounds_run <- function(it, team, lik, control, progress) {
  seen <- list(watch = NULL)
  exact <- TRUE # whether P and h are sums over the rows, and not of steps
  scale <- control$damping
  repeat {
    worst <- it$sums$worst
    rounds_record(it, lik, scale)
    if (worst < control$tol && !exact) {
      if (!rounds_exact(it, team, lik)) return(ep_codes[["not_positive_definite"]])
      exact <- TRUE
      worst <- it$sums$worst
    }
    if (worst < control$tol) return(ep_codes[["converged"]])
    seen <- native_parallel_watch(seen$watch, it$rounds, worst, control$max_sweeps)
    if (seen$status != 0) return(seen$status)
    if (!is.null(progress)) progress(it$rounds, worst)
    scale <- rounds_step(it, team, lik, control)
    exact <- FALSE
    it$rounds <- it$rounds + 1L
    if (scale == 0) return(ep_codes[["no_step"]])
  }
}

#' P and h anew from the rows, for those of the rounds are sums of many steps
#' @noRd
rounds_exact <- function(it, team, lik) {
  it$at <- team$sum("gram", list(point = team$points[1]), add_grams)
  rounds_look(it, team, lik)
}

#' The first of the steps that helps
#' @return its length, 0 when none does
#' @noRd
rounds_step <- function(it, team, lik, control) {
  plan <- native_parallel_steps(it$sums, control$damping, it$least)
  for (k in seq_along(plan$scale)) {
    gamma <- if (k <= plan$along) plan$gamma else numeric()
    if (k == plan$along + 1) {
      rounds_forget(it, team)
    }
    if (rounds_try(it, team, lik, gamma, plan$scale[k], plan$bound)) {
      return(plan$scale[k])
    }
  }
  0
}

rounds_try <- function(it, team, lik, gamma, scale, bound) {
  move <- it$sums[c("P", "h")]
  for (j in seq_along(gamma)) {
    move <- Map(function(f, d) f - gamma[j] * d, move, it$memory[[j]])
  }
  rounds_go(it, team, lik, Map(function(x, d) x + scale * d, it$at, move), gamma, scale, bound)
}

# What comes of it ------------------------------------------------------------

rounds_record <- function(it, lik, scale) {
  sums <- it$sums
  it$trace <- rbind(it$trace, c(
    residual = if (sums$improper > 0) Inf else sums$worst,
    log_evidence = rounds_evidence(it, lik, "evidence"), damping = scale, newton = 0
  ))
}

rounds_evidence <- function(it, lik, which) {
  if (it$sums$improper > 0) {
    return(NA_real_)
  }
  native_evidence(it$sums[[which]], rounds_log_det(it), lik$df)
}

rounds_log_det <- function(it) it$posterior$log_det + it$sums$log_det

rounds_result <- function(it, lik, status) {
  posterior <- it$posterior
  sums <- it$sums
  list(
    status = status, b = posterior$w, posterior = posterior[c("L", "w")],
    extra = posterior_covariance(posterior), log_det = rounds_log_det(it),
    residual = if (sums$improper > 0) Inf else sums$worst,
    log_evidence = rounds_evidence(it, lik, "evidence"),
    log_evidence_zp = rounds_evidence(it, lik, "evidence_zp"),
    loo_sum = if (sums$improper > 0) NA_real_ else sums$loo,
    sweeps = it$rounds, newton = 0L, skipped = as.integer(sums$improper),
    trace = it$trace, sites = held_sites
  )
}

# A token for the sites that the shards hold: learning adds multiples of sites to each
# other, which these survive.
held_sites <- list(tau = numeric(), nu = numeric())

posterior_covariance <- function(posterior) {
  k <- length(posterior$w)
  L <- matrix(0, k, k)
  L[lower.tri(L, diag = TRUE)] <- posterior$L
  half <- native_solve(L, diag(k))
  native_product(half, half)
}
