# The truth by simulation: annealed importance sampling (AIS) of the log evidence, and the chains
# that samples of the posterior come from, for the Gaussian process at the kernel of a fit. At
# finite df the latent is divided by a random scale, which no sign shows [M 4.6].

# The path ------------------------------------------------------------------
#
# s in (0, 1] sets the barriers to s times those of the wanted flip rates, for a
# rate of 0 to s times a value at which a wrong label is out of the question; then
# follows one level at Inf. The barriers of several classes: exact-problem.R.

ais_chains <- 32L        # of a batch: one matrix product draws for all of them
ais_pilot_levels <- 200L # of the batch that sets the levels of the others
ais_blocks <- 20L        # stretches of levels over which fluctuations are summed
ais_variance <- 0.5      # of a log weight that is aimed at: 60 % are effective
ais_least_share <- 0.3   # of effective chains: fewer ask for more levels
ais_least_levels <- 500L # fewer may pass by a small region of large likelihood
ais_fewest_levels <- 20L # where moves do not last for those
# with a level more at a rate of 0
ais_least_moves <- ais_chains * (ais_pilot_levels + 2L * ais_fewest_levels)

ais_levels <- function(problem, s) {
  levels <- outer(problem$top, s)
  if (identical(problem$top, problem$barrier)) levels else cbind(levels, problem$barrier)
}

#' How many levels, and where
#'
#' The variance of a log weight is the sum over the levels of the variance of its
#' change, (step in s)^2 times that of the (barrier-weighted) number of wrong labels,
#' times what successive levels have in common. Sums over stretches of levels show
#' both. Its minimum for T levels is length^2 / T, `length` being the integral of the
#' root of that rate over s [M A.3], with levels at equal lengths.
#'
#' @param s,trace levels of a batch, no fewer than stretches, and its log weights (levels x chains).
#' @return list(levels, at): `at` maps a share of the length to s.
#' @noRd
ais_length <- function(s, trace) {
  change <- diff(rbind(0, trace)) / diff(c(0, s))
  change[!is.finite(change)] <- NA # chains that died
  block <- ceiling(seq_along(s) * ais_blocks / length(s))
  summed <- rowsum(change, block)
  size <- tabulate(block)
  rate <- apply(summed, 1, stats::var, na.rm = TRUE) / size
  rate[!is.finite(rate)] <- 0
  n <- length(rate)
  root <- sqrt((rate[c(1, 1:(n - 1))] + 2 * rate + rate[c(2:n, n)]) / 4) # smoothed
  ends <- c(0, s[cumsum(size)])
  width <- diff(ends)
  length <- sum(root * width)
  # one in eleven levels is spread evenly
  spread <- root * width + (0.1 * length + 1e-8) * width
  list(
    levels = length^2 / ais_variance,
    at = stats::approxfun(c(0, cumsum(spread)) / sum(spread), ends, rule = 2)
  )
}

# The run -------------------------------------------------------------------

ais_pilot_path <- function() (seq_len(ais_pilot_levels) / ais_pilot_levels)^2

#' Levels suggested by a batch, as many as leave moves for two batches of chains
#' @noRd
ais_plan <- function(s, batch, least, moves_left) {
  path <- ais_length(s, batch$trace[seq_along(s), , drop = FALSE])
  most <- moves_left / ais_chains / 2 - 1
  levels <- max(as.integer(min(max(path$levels, least), most)), ais_fewest_levels)
  path$at(seq_len(levels) / levels)
}

#' @return as native_ais(), with the log weights of the likelihood, `log_w` [M A.2]
#' @noRd
ais_batch <- function(problem, s, tick, chains = ais_chains) {
  barrier <- ais_levels(problem, s)
  out <- native_ais(problem$K, problem$B, problem$y, barrier, chains, tick)
  out$log_w <- problem$offset + out$trace[ncol(barrier), ]
  out
}

#' Batches of chains until the standard error is `se` or `max_moves` are spent
#'
#' @return list(log_z, se, ess, log_w, F (n x chains, of several classes n C), levels, moves)
#' @noRd
ais_run <- function(problem, se, max_moves, progress) {
  tick <- ais_progress(progress, se, max_moves)
  pilot <- ais_batch(problem, ais_pilot_path(), tick(NULL))
  moves <- length(pilot$trace)
  s <- ais_plan(ais_pilot_path(), pilot, ais_least_levels, max_moves - moves)
  run <- NULL
  repeat {
    chains <- if (is.null(run)) {
      2L * ais_chains
    } else {
      ais_next_chains(run, se, (max_moves - moves) / run$levels)
    }
    if (chains == 0) break
    batch <- ais_batch(problem, s, tick(run, chains, length(s)), chains)
    moves <- moves + length(batch$trace)
    run <- c(
      ais_estimate(c(run$log_w, batch$log_w)),
      list(F = cbind(run$F, batch$F), levels = nrow(batch$trace))
    )
    more <- ais_more_levels(s, batch, run, max_moves - moves)
    if (!is.null(more)) { # all anew
      s <- more
      run <- NULL
    }
  }
  c(run, list(moves = moves))
}

#' More levels, for chains from anew, where the weights vary too much; `NULL` when they
#' don't, or when fewer moves are left than would be given up
#' @noRd
ais_more_levels <- function(s, batch, now, moves_left) {
  enough <- now$ess >= ais_least_share * length(now$log_w)
  if (!enough && moves_left >= now$levels * length(now$log_w)) {
    more <- ais_plan(s, batch, 2 * length(s), moves_left)
    if (length(more) >= 2 * length(s)) more
  }
}

#' Chains to run next: half of what seems to be missing, in whole batches
#' @noRd
ais_next_chains <- function(now, se, affordable) {
  done <- length(now$log_w)
  missing <- if (is.na(now$se)) done else ((now$se / se)^2 - 1) * done
  batches <- min(ceiling(missing / 2 / ais_chains), affordable %/% ais_chains, 32)
  as.integer(max(batches, 0)) * ais_chains
}

#' Log of the mean weight, its standard error, effective number of chains
#' @noRd
ais_estimate <- function(log_w) {
  top <- max(log_w)
  if (!is.finite(top)) {
    return(list(log_z = -Inf, se = NA_real_, ess = 0, log_w = log_w))
  }
  w <- exp(log_w - top)
  list(
    log_z = top + log(mean(w)),
    se = stats::sd(w) / mean(w) / sqrt(length(w)),
    ess = sum(w)^2 / sum(w^2), log_w = log_w
  )
}

#' A meter of chains; `tick(now, chains, levels)` makes the callback of a batch
#'
#' How many chains it takes is known when the first ones tell their variance.
#' @noRd
ais_progress <- function(progress, se, max_moves, .envir = rlang::caller_env()) {
  meter <- progress_meter("Annealing", progress, .envir)
  function(now, chains = NULL, levels = NULL) {
    if (is.null(now$se) || is.na(now$se)) {
      return(function(done) meter(0, NA, "first chains", NA))
    }
    before <- length(now$log_w)
    total <- min(max(before + chains, ceiling((now$se / se)^2 * before)), max_moves %/% levels)
    words <- sprintf(
      "some %s chains of %s levels, standard error %s (goal: %s)", whole(total),
      whole(levels), format(now$se, digits = 2), format(se)
    )
    function(done) meter(min(before + chains * done / levels, total), total, words)
  }
}

# The evidence --------------------------------------------------------------

ais_evidence <- function(object,
                         se = 0.05,
                         max_moves = 2e6,
                         progress = object$spec$control$progress,
                         ...) {
  check_no_dots(...)
  se <- check_number(se, "se", min = 0, open = TRUE)
  max_moves <- check_number(max_moves, "max_moves", min = 1)
  progress <- check_progress(progress)
  problem <- ais_problem(object)
  new_ais(ais_run_checked(problem, se, max_moves, progress), problem)
}

ais_impossible <- c(
  "No chain found latent values that are possible with {.field epsilon} = 0.",
  i = "The labels contradict each other: allow some label noise, or a nugget."
)

#' ais_run(), with warnings where its result is not what was asked for
#' @noRd
ais_run_checked <- function(problem, se, max_moves, progress) {
  run <- ais_run(problem, se, max_moves, progress)
  larger <- c(i = "Use a larger {.arg max_moves} than {format(max_moves)}.")
  if (run$log_z == -Inf) {
    warn_sturdy(
      c(ais_impossible, i = "If they do not, use a larger {.arg max_moves} than
        {format(max_moves)}."),
      "ais_weights", ess = 0
    )
  } else if (run$ess < 10) {
    warn_sturdy(c(
      "{format(run$ess, digits = 2)} of {length(run$log_w)} chains carry all of the
       weight: neither the log evidence nor its standard error can be relied on.", larger
    ), "ais_weights", ess = run$ess)
  } else if (!isTRUE(run$se <= se)) {
    warn_sturdy(c(
      "After {format(run$moves)} moves the standard error is
       {format(run$se, digits = 2)}, not {format(se)}.", larger
    ), "ais_budget", se = run$se)
  }
  run
}

new_ais <- function(run, problem) {
  structure(
    list(
      log_evidence = run$log_z, se = run$se, ess = run$ess,
      chains = length(run$log_w), levels = run$levels, moves = run$moves,
      jitter = problem$jitter
    ),
    class = "sturdy_ais"
  )
}

#' @export
print.sturdy_ais <- function(x, digits = 5, ...) {
  digits <- check_digits(digits)
  cat(
    "<sturdy_ais> log evidence ", format(x$log_evidence, digits = digits), " (standard error ",
    format(x$se, digits = 2), ")\n  ", x$chains, " chains of ", x$levels, " levels, ",
    format(x$ess, digits = 3), " effective\n", sep = ""
  )
  invisible(x)
}
