# Fitting the candidates of select_model(): in this session, or as futures where
# the user has set a plan. Nothing here signals for a single candidate.

#' @return list of what candidate_run() returns, in the order of `candidates`.
#' @noRd
run_candidates <- function(candidates, molded) {
  tick <- selection_progress(length(candidates))
  if (plan_is_set()) {
    return(run_as_futures(candidates, molded, tick))
  }
  lapply(candidates, function(candidate) {
    run <- candidate_run(candidate, molded)
    tick()
    run
  })
}

plan_is_set <- function() {
  rlang::is_installed("future") &&
    !inherits(future::plan(), c("sequential", "uniprocess"))
}

#' A future a candidate, so that a slow one holds nobody up
#'
#' Whatever ends this early, an interrupt above all, also ends the workers.
#' @noRd
run_as_futures <- function(candidates, molded, tick, run = candidate_run) {
  futures <- runs <- vector("list", length(candidates))
  finished <- FALSE
  on.exit(
    if (!finished) cancel_futures(futures[vapply(runs, is.null, logical(1))])
  )
  collect <- function(k) {
    runs[[k]] <<- tryCatch(
      future::value(futures[[k]]),
      error = function(cnd) candidate_failed(candidates[[k]], one_line(cnd))
    )
    tick()
  }
  is_ready <- function(k) {
    # a worker that died is an error here; value() will say it again
    is.null(runs[[k]]) && !is.null(futures[[k]]) &&
      tryCatch(future::resolved(futures[[k]]), error = function(cnd) TRUE)
  }
  for (k in seq_along(candidates)) {
    started <- tryCatch(
      launch_future(run, candidates[[k]], molded),
      # no worker takes it, for an earlier candidate took the worker down
      error = function(cnd) candidate_run(candidates[[k]], molded)
    )
    if (inherits(started, "Future")) {
      futures[[k]] <- started
    } else {
      runs[[k]] <- started
      tick()
    }
    for (done in Filter(is_ready, seq_len(k))) collect(done)
  }
  while (any(vapply(runs, is.null, logical(1)))) {
    for (done in Filter(is_ready, seq_along(runs))) collect(done)
    Sys.sleep(0.02)
  }
  finished <- TRUE
  stats::setNames(runs, names(candidates))
}

#' `seed = FALSE`: nothing random is drawn, and future says so if that changes
#' @noRd
launch_future <- function(run, candidate, molded) {
  future::future(
    run(candidate, molded),
    globals = list(run = run, candidate = candidate, molded = molded),
    packages = "sturdy", seed = FALSE
  )
}

# Ending workers ------------------------------------------------------------

#' End futures that have not been collected
#'
#' future can do that itself from 1.49.0 on. Before, the worker processes have to be
#' ended; the plan is then set again as it was, so that new workers start when they
#' are next needed.
#' @noRd
cancel_futures <- function(futures) {
  futures <- Filter(function(f) inherits(f, "Future"), futures)
  if (length(futures) == 0) {
    return(invisible())
  }
  cancel <- get0("cancel", asNamespace("future"), mode = "function")
  if (!is.null(cancel)) {
    for (f in futures) try(cancel(f), silent = TRUE)
    return(invisible())
  }
  for (f in futures) {
    if (inherits(f, "MulticoreFuture")) {
      tools::pskill(f$job$pid)
      suppressWarnings(try(future::value(f), silent = TRUE)) # no zombie stays
    }
  }
  if (inherits(futures[[1]], "ClusterFuture")) {
    parallelly::killNode(futures[[1]]$workers)
    future::plan(future::plan("list"), substitute = FALSE, .init = FALSE)
  }
  invisible()
}

# Progress ------------------------------------------------------------------

#' A function to call when a candidate is done
#'
#' With progressr the user decides whether and how it is shown; without it there is
#' a bar in interactive sessions.
#' @noRd
selection_progress <- function(n, .envir = rlang::caller_env()) {
  if (rlang::is_installed("progressr")) {
    tick <- progressr::progressor(steps = n, envir = .envir)
    return(function() tick())
  }
  if (!interactive()) {
    return(function() NULL)
  }
  id <- cli::cli_progress_bar(
    "Fitting candidates", total = n, .envir = .envir
  )
  function() cli::cli_progress_update(id = id, .envir = .envir)
}
