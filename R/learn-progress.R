# How far learning has come: a plan of the evaluations of each kind, on so many rows, that
# are to come. It is corrected as more is known, and what each of them takes is measured.

# What is usual, of a search for an optimum: evaluations on some rows for each start,
work_starts <- 12
# on all rows, from where the optimum on some rows lies, from where a race on some rows ends,
# and with no race on some rows; by the Gaussian evidence, and by other criteria, which have
# more optima;
work_search <- list(one = c(11, 16, 40), many = c(18, 20, 52))
work_onward <- 6   # with very many rows, from the optimum on some of them;
work_climb <- 7    # of a climb to a mode, from elsewhere,
work_climb_on <- 4 # and from a mode on some rows;
work_em <- 60      # of EM,
work_matrix <- 64  # for a noise matrix, from both ends of the searches;
work_end <- 3      # and the final fits
# What they take of one with a gradient
work_cost <- c(search = 1, curvature = 1, nodes = 0.8, end = 1)
work_dense <- 2.5  # power of the rows that the time of a dense evaluation grows with

#' The work of a call that learns
#'
#' Kinds of evaluations follow each other in the order of the plan: with the first of one all
#' of those before it are done. Within the call it stands in the place of `control$progress`,
#' so that what is called says it here: see progress_meter().
#'
#' @param progress see progress.R.
#' @return list(tick: so many evaluations of a kind have ended, expect: so many are to come in
#'   all, pulse: a final fit goes on), functions.
#' @noRd
learn_work <- function(progress, latent, what = "Learning", .envir = rlang::caller_env()) {
  if (is.list(progress)) {
    return(progress)
  }
  meter <- progress_meter(what, progress, .envir)
  n <- latent$n
  power <- if (is.null(latent$again) && is.null(latent$project)) work_dense else 1
  plan <- list(kind = "end", rows = n, count = work_end, done = 0, spent = 0)
  at <- 1
  ending <- FALSE
  now <- n
  before <- seconds_now()
  find <- function(kind, rows, after) {
    k <- which(plan$kind == kind & plan$rows == rows)
    if (!length(k)) {
      plan <<- Map(append, plan, list(kind, rows, 0, 0, 0), after)
      k <- after + 1
    }
    k
  }
  here <- function() if (ending) length(plan$kind) else at
  say <- function() {
    all <- plan$rows == n & plan$kind != "end"
    done <- sum(plan$done[all])
    total <- max(done + sum(work_left(plan, here())[all]), done + 1)
    meter(
      done, total,
      if (now < n) {
        sprintf("fits of %s of %s rows", whole(now), whole(n))
      } else {
        sprintf("fit %d of some %d to %s rows", as.integer(done), as.integer(total), whole(n))
      },
      left = work_seconds(plan, here(), power, seconds_now() - before)
    )
  }
  list(
    tick = function(rows, times = 1, kind = "search") {
      k <- find(kind, rows, at - 1)
      at <<- max(at, k)
      plan$done[k] <<- plan$done[k] + times
      plan$spent[k] <<- plan$spent[k] + seconds_now() - before
      before <<- seconds_now()
      now <<- rows
      ending <<- FALSE
      say()
    },
    expect = function(kind, rows, count) {
      plan$count[find(kind, rows, length(plan$kind) - 1)] <<- count
    },
    pulse = function(...) {
      ending <<- TRUE
      say()
    }
  )
}

#' What is to come of each kind
#' @param at the kind that is being done: it isn't over before the next one begins.
#' @noRd
work_left <- function(plan, at) {
  left <- pmax(plan$count - plan$done, 0)
  left[seq_along(left) < at] <- 0
  left[at] <- max(left[at], 1)
  left
}

#' Seconds that are left, `NA` before anything is known
#' @param since the last evaluation.
#' @noRd
work_seconds <- function(plan, at, power, since) {
  known <- which(plan$done > 0)
  if (!length(known)) {
    return(NA_real_)
  }
  cost <- work_cost[plan$kind] * plan$rows^power
  # by those of the same kind, or else on the same rows, or else the last
  of <- vapply(seq_along(cost), function(k) {
    same <- known[plan$rows[known] == plan$rows[k]]
    if (k %in% known) k else max(if (length(same)) same else known)
  }, 1)
  left <- work_left(plan, at) * plan$spent[of] / plan$done[of] * cost / cost[of]
  sum(left) - min(since, left[at])
}

# Plans -------------------------------------------------------------------------

#' An optimum on all rows at once
#' @noRd
plan_search <- function(work, problem, n = problem$latent$n, times = 1, more = 0) {
  few <- learn_few_rows(n)
  d <- length(problem$start)
  if (!is.null(few)) work$expect("search", few, times * (3 * work_starts + d))
  way <- if (is.null(few)) 3 else if (few >= learn_rows_each * d) 1 else 2
  usual <- work_search[[if (learn_has_many_optima(problem)) "many" else "one"]]
  work$expect("search", n, times * usual[way] + more)
}

#' An optimum on some rows, then on all
#' @noRd
plan_staged <- function(work, problem, n_few) {
  n <- problem$latent$n
  plan_search(work, problem, n_few)
  if (n_few < n) {
    work$expect("curvature", n_few, length(problem$start))
    work$expect("search", n, work_onward)
  }
}

#' An average over noise models
#' @param d coordinates. @param models how many. @param n_few rows of the first stage.
#'   @param nodes in all, 0 where modes must do.
#' @noRd
plan_average <- function(work, n, n_few, d, models, nodes) {
  staged <- n_few < n
  if (staged) work$expect("search", n_few, models * (work_climb + d + 1))
  climb <- if (nodes == 0) work_onward else d + 1 + if (staged) work_climb_on else work_climb
  work$expect("search", n, models * climb)
  work$expect("nodes", n, max(nodes, models))
}

#' What is told of evaluations: by a search, which most often is part of something longer
#' @noRd
learn_tick <- function(problem, .envir = rlang::caller_env()) {
  learn_work(problem$control$progress, problem$latent, .envir = .envir)$tick
}

#' Counts evaluations, or those on `n` rows, on their way to a meter
#' @return list(tick, count), functions.
#' @noRd
learn_counter <- function(tick, n = NULL) {
  force(tick) # whose clock begins now
  count <- 0L
  list(
    tick = function(rows, times = 1L, ...) {
      if (is.null(n) || rows == n) count <<- count + times
      tick(rows, times, ...)
    },
    count = function() count
  )
}
