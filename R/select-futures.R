# Work that can run in parallel: candidates of select_model(), replications of an
# experiment. In this session, or as futures where the user has set a plan.

#' @param items list; `run(item, shared)` is called for each. `shared`: what all need.
#' @param failed `failed(item, cnd)` makes the value of an item whose process died or
#'   whose run stopped as a future.
#' @param done `done(k, value)` is called here as soon as item k has its value.
#' @param seed of [future::future()]: `FALSE` when nothing random may be drawn, `NULL`
#'   when a run sets its own seed.
#' @return list of values, in the order of `items` and with its names.
#' @noRd
run_all <- function(items, shared, run, failed, done, seed = FALSE) {
  if (plan_is_set()) {
    return(run_as_futures(items, shared, run, failed, done, seed))
  }
  values <- lapply(seq_along(items), function(k) {
    value <- run(items[[k]], shared)
    done(k, value)
    value
  })
  stats::setNames(values, names(items))
}

plan_is_set <- function() {
  rlang::is_installed("future") &&
    !inherits(future::plan(), c("sequential", "uniprocess"))
}

#' A future an item, so that a slow one holds nobody up
#'
#' Whatever ends this early, an interrupt above all, also ends the workers.
#' @noRd
run_as_futures <- function(items, shared, run, failed, done, seed) {
  futures <- values <- vector("list", length(items))
  finished <- FALSE
  on.exit(
    if (!finished) cancel_futures(futures[vapply(values, is.null, logical(1))])
  )
  keep <- function(k, value) {
    values[[k]] <<- value
    futures[k] <<- list(NULL) # and with it what the worker sent
    done(k, value)
  }
  collect <- function(k) {
    keep(k, tryCatch(
      future::value(futures[[k]]),
      error = function(cnd) failed(items[[k]], cnd)
    ))
  }
  is_ready <- function(k) {
    # a worker that died is an error here; value() will say it again
    is.null(values[[k]]) && !is.null(futures[[k]]) &&
      tryCatch(future::resolved(futures[[k]]), error = function(cnd) TRUE)
  }
  for (k in seq_along(items)) {
    started <- tryCatch(
      launch_future(items[[k]], shared, run, seed),
      # no worker takes it, for an earlier item took the worker down
      error = function(cnd) NULL
    )
    if (is.null(started)) {
      keep(k, run(items[[k]], shared))
    } else {
      futures[[k]] <- started
    }
    for (ready in Filter(is_ready, seq_len(k))) collect(ready)
  }
  while (any(vapply(values, is.null, logical(1)))) {
    for (ready in Filter(is_ready, seq_along(values))) collect(ready)
    Sys.sleep(0.02)
  }
  finished <- TRUE
  stats::setNames(values, names(items))
}

launch_future <- function(item, shared, run, seed) {
  future::future(
    run(item, shared),
    globals = list(run = run, item = item, shared = shared),
    packages = "sturdy", seed = seed
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
