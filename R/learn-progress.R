# How far learning has come: passes of EP over all rows, done and expected.

# Evaluations that a climb usually takes beside one a coordinate: from its start, and from where
# it ends on some rows
passes_climb <- 4
passes_climb_on <- 3
passes_end <- 6 # of the final fit
learn_long_rows <- 4800L # from here on the posterior is narrow: modes, by Laplace

#' Are there so many rows, a third of it for each class of several, that modes must do?
#' @noRd
learn_is_long <- function(latent) latent$n * max(1, latent$classes / 3) > learn_long_rows

#' The work of a call that learns
#'
#' A pass over some rows counts as much as they take of a pass over all. Within the call it stands in
#' the place of `control$progress`, so that what is called says it here: see progress_meter().
#'
#' @param progress see progress.R.
#' @return list(tick: so many evaluations on some rows have ended, expect: so many passes are to come,
#'   pulse: a final fit goes on, count: of the evaluations on all rows), functions.
#' @noRd
learn_work <- function(progress, latent, what = "Learning", .envir = rlang::caller_env()) {
  meter <- progress_meter(what, progress, .envir)
  n <- latent$n
  # a dense pass takes n^3, of few rows n^2; one over very many rows begins where some have led
  power <- if (is.null(latent$again) && is.null(latent$project)) 2.5 else if (learn_is_long(latent)) 0.85 else 1
  done <- count <- 0
  total <- passes_end
  now <- n
  say <- function() {
    total <<- max(total, done + 1)
    meter(done, total, if (now < n) {
      sprintf("fits of %s of %s rows", whole(now), whole(n))
    } else {
      sprintf("fit %d of some %d, each to %s rows", count, max(count, round(total)), whole(n))
    })
  }
  list(
    tick = function(rows, times = 1L) {
      done <<- done + times * (rows / n)^power
      if (rows == n) count <<- count + times
      now <<- rows
      say()
    },
    expect = function(passes) total <<- done + passes + passes_end,
    pulse = function(...) say(),
    count = function() as.integer(count),
    share = function(rows) (rows / n)^power
  )
}

#' What is told of evaluations, where there is anybody to be told
#' @noRd
learn_tick <- function(problem, times = 1L) {
  if (is.list(problem$control$progress)) problem$control$progress$tick(problem$latent$n, times)
}

#' The passes that are to come of a problem on all rows, and of searches on some before it
#' @noRd
learn_expect <- function(problem, latents) {
  work <- problem$control$progress
  d <- rep(length(problem$start), length(latents) + 1)
  if (length(latents) && (!problem$curved || learn_is_long(problem$latent))) d[length(d)] <- 1 # they tell the curvature
  climbs <- c(2 * (passes_climb + d[1]), passes_climb_on + d[-1])
  work$expect(sum((climbs + d) * work$share(vapply(c(latents, list(problem$latent)), `[[`, 1, "n"))))
}
