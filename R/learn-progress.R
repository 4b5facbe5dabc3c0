# How far learning has come: evaluations, of which those on all rows take the time.

# Evaluations on all rows that a search usually takes, to begin with: from where the
# optimum on some rows lies, from where a race on some rows ends, and with no race on some
# rows; by the Gaussian evidence, and by other criteria, which have more optima
learn_usual <- list(one = c(11, 16, 40), many = c(18, 20, 52))
learn_usual_end <- 3 # the final fits, in evaluations

#' A meter of evaluations, as the `tick` of learn_objective()
#'
#' Before the first evaluation on all rows nothing is known of how long one takes. It
#' starts EP from nothing and takes longer than the others.
#' @param more evaluations on all rows that come besides those of a search.
#' @noRd
learn_progress <- function(problem, more = 0, what = "Learning",
                           .envir = rlang::caller_env()) {
  meter <- progress_meter(what, problem$control$progress, .envir)
  n <- problem$latent$n
  total <- learn_usual_evaluations(problem) + more
  done <- 0
  spent <- numeric() # of the evaluations on all rows
  before <- seconds_now()
  function(rows) {
    now <- seconds_now()
    if (rows == n) {
      done <<- done + 1
      spent <<- c(spent, now - before)
    }
    before <<- now
    if (done == 0) {
      return(meter(0, NA, sprintf("fits of %s of %s rows", whole(rows), whole(n)), NA))
    }
    total <<- max(total, done + 3)
    each <- if (done == 1) 0.6 * spent else mean(spent[-1])
    meter(
      done, total,
      sprintf("fit %d of some %d to %s rows", as.integer(done), as.integer(total), whole(n)),
      left = each * (total - done + learn_usual_end)
    )
  }
}

learn_usual_evaluations <- function(problem) {
  few <- learn_few_rows(problem$latent$n)
  enough <- !is.null(few) && few >= learn_rows_each * length(problem$start)
  way <- if (enough) 1 else if (is.null(few)) 3 else 2
  learn_usual[[if (learn_has_many_optima(problem)) "many" else "one"]][way]
}

#' Counts evaluations, or those on `n` rows, on their way to a meter
#' @return list(tick, count), functions.
#' @noRd
learn_counter <- function(tick, n = NULL) {
  force(tick) # whose clock begins now
  count <- 0L
  list(
    tick = function(rows) {
      if (is.null(n) || rows == n) count <<- count + 1L
      tick(rows)
    },
    count = function() count
  )
}
