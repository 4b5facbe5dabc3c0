# How far learning has come: a plan of the evaluations of each kind, on so many rows, that
# are to come. It is corrected as more is known, and what each of them takes is measured.

# What is usual, of a search for an optimum: evaluations on some rows for each start,
work_starts <- 12
# on all rows, from where the optimum on some rows lies, from where a race on some rows ends,
# and with no race on some rows; by the Gaussian evidence, and by other criteria, which have
# more optima;
work_search <- list(one = c(20, 20, 40), many = c(18, 20, 52))
work_onward <- 7   # with very many rows, from the optimum on some of them;
work_climb <- 12   # of the climbs to a mode, from elsewhere,
work_climb_on <- 6 # and from a mode on some rows,
work_em <- 60      # of EM,
work_end <- 8      # and the final fits
# What a node takes of an evaluation with its gradient: of several classes EP goes nearer to its end
work_node <- c(two = 0.7, several = 1.2)
work_long <- 1     # seconds of one that tells of itself how long others take
work_grows <- 0.8  # with this power of the rows time grows, where it does not with their cube

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
  dense <- is.null(latent$again) && is.null(latent$project)
  node <- work_node[[if (latent$functions > 1) "several" else "two"]]
  plan <- list(
    kind = "end", rows = n, count = work_end, done = 0, spent = 0, first_done = 0, first_spent = 0
  )
  at <- 1
  ending <- FALSE
  now <- n
  before <- seconds_now()
  find <- function(kind, rows, after) {
    k <- which(plan$kind == kind & plan$rows == rows)
    if (!length(k)) {
      plan <<- Map(append, plan, list(kind, rows, 0, 0, 0, 0, 0), after)
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
        sprintf("fit %d of some %d, each to %s rows", as.integer(done), as.integer(total), whole(n))
      },
      left = work_seconds(plan, here(), dense, seconds_now() - before, node)
    )
  }
  list(
    tick = function(rows, times = 1, kind = "search") {
      k <- find(kind, rows, at - 1)
      at <<- max(at, k)
      plan$done[k] <<- plan$done[k] + times
      plan$spent[k] <<- plan$spent[k] + seconds_now() - before
      if (plan$first_done[k] == 0) {
        plan$first_done[k] <<- times
        plan$first_spent[k] <<- plan$spent[k]
      }
      before <<- seconds_now()
      now <<- rows
      ending <<- FALSE
      say()
    },
    expect = function(kind, rows, count) {
      k <- find(kind, rows, length(plan$kind) - 1)
      plan$count[k] <<- count
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
#'
#' An evaluation takes what those of its kind take, or else those on as many rows, or else the
#' last on other rows, where its time grows much as they do. The first of a kind starts from nothing
#' and takes longer: it counts by itself only where it has taken long, and then half.
#' @param since the last evaluation. @param node see work_node.
#' @noRd
work_seconds <- function(plan, at, dense, since, node = 1) {
  more <- plan$done > plan$first_done
  known <- which(more | plan$spent > work_long)
  each <- (plan$spent - more * plan$first_spent) / (plan$done - more * plan$first_done)
  each <- ifelse(more, each, each / 2)
  left <- work_left(plan, at)
  for (k in setdiff(which(left > 0), known)) {
    like <- known[plan$rows[known] == plan$rows[k]]
    if (!length(like) && !dense) like <- known[plan$rows[known] > parallel_rows]
    if (!length(like)) {
      return(NA_real_)
    }
    of <- max(like)
    each[k] <- each[of] * (plan$rows[k] / plan$rows[of])^work_grows
    if (plan$kind[k] == "nodes" && plan$kind[of] == "search") each[k] <- node * each[k]
  }
  # an end that takes longer than it should is near
  sum((left * each)[left > 0]) - min(since, (left[at] - 0.1) * each[at])
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
  staged <- n_few < n
  plan_search(work, problem, n_few, more = if (staged) length(problem$start) else 0)
  if (staged) {
    work$expect("search", n, work_onward)
  }
}

#' What integrating will take
#' @param rows of its stages, the last of which is all. @param d coordinates. @param nodes how many,
#'   0 where modes must do.
#' @noRd
plan_average <- function(work, rows, d, nodes, df) {
  n <- rows[length(rows)]
  rows <- unique(pmin(rows, n))
  work$expect("search", rows[1], d + 1 + work_climb)
  for (k in rows[-1]) work$expect("search", k, d + 1 + work_climb_on)
  if (nodes == 0 && length(rows) > 1) work$expect("search", n, work_onward)
  work$expect("nodes", n, max(nodes, 1))
  # fits of a t process take twice as long
  if (is.finite(df)) work$expect("end", n, work_end + 2 * max(nodes, 1))
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
