# Fitting the candidates of select_model(), and maps over independent items in general:
# on the workers of the user's plan where the future.apply package is there.

run_one <- function(item) {
  candidate_run(item$spec, item$molded, item$integrate)
}

#' `lapply()` on the workers of the user's plan, with progress
#'
#' Nothing that `run` draws is seeded: it seeds itself or draws nothing.
#' @param title of the progress bar, `NULL` for none.
#' @noRd
map_items <- function(items, run, title) {
  tick <- map_progress(length(items), title, rlang::current_env())
  if (!rlang::is_installed("future.apply")) {
    return(lapply(items, item_runner(run, tick, NULL)))
  }
  notes <- tempfile("sturdy-running-")
  dir.create(notes)
  on.exit(end_running(notes))
  values <- tryCatch(
    future.apply::future_lapply(
      items, item_runner(run, tick, notes), future.label = "item %d.",
      future.seed = NULL, future.packages = "sturdy",
      future.scheduling = Inf # an item at a time: they differ in length
    ),
    FutureError = function(cnd) abort_worker(items, failed_item(cnd), cnd)
  )
  broken <- which(vapply(values, identical, logical(1), interrupted))
  if (length(broken)) abort_worker(items, broken[1], NULL)
  values
}

#' What is run for an item, wherever that is. It holds no more than it needs, since it
#' goes to every worker.
#' @noRd
item_runner <- function(run, tick, notes, session = Sys.getpid()) {
  force(run)
  force(tick)
  force(notes)
  force(session)
  function(item) {
    value <- if (Sys.getpid() == session) run(item) else run_noted(run, item, notes)
    tick()
    value
  }
}

# Interrupts and failures -----------------------------------------------------
#
# Nothing stops a future that is running when the session which waits for it is
# interrupted. So a worker on the same machine leaves a note, a file named by its
# process, for as long as it runs an item, and hears interrupts, which workers are started
# to ignore; when the map is left early the session interrupts those. The interrupt ends
# the item and not the worker.

run_noted <- function(run, item, notes) {
  if (!dir.exists(notes)) { # another machine
    return(run(item))
  }
  native_hear_interrupts(TRUE)
  note <- file.path(notes, Sys.getpid())
  file.create(note)
  on.exit({
    remove_files(note)
    native_hear_interrupts(FALSE)
  })
  # the other processors have workers, too
  rlang::local_options(sturdy.threads = getOption("sturdy.threads", 1))
  tryCatch(run(item), interrupt = function(cnd) interrupted)
}

interrupted <- structure(list(), class = "sturdy_interrupted")

end_running <- function(notes) {
  running <- as.integer(list.files(notes))
  if (.Platform$OS.type != "windows") { # there it would end the workers
    tools::pskill(running, tools::SIGINT)
  }
  remove_files(notes, recursive = TRUE)
}

#' The item whose worker failed, by the label that the message of future quotes
#' @noRd
failed_item <- function(cnd) {
  said <- conditionMessage(cnd)
  label <- regmatches(said, regexpr("item [0-9]+[.]", said))
  as.integer(gsub("[^0-9]", "", label))
}

abort_worker <- function(items, which, parent) {
  name <- if (is.null(names(items))) which else names(items)[which]
  abort_sturdy(
    c(
      if (length(name)) {
        "The worker for {.val {name}} ended or was interrupted before it was done."
      } else {
        "A worker ended before it was done."
      },
      i = "Set the plan again to start new workers, for example by
           {.code future::plan(\"multisession\")}; fewer workers need less memory."
    ),
    "worker", item = name, parent = parent
  )
}

# Progress --------------------------------------------------------------------

#' A function to call when an item is done
#'
#' What workers do is known to their own session alone: there it takes the signals of
#' progressr, which travel, and so does whoever has progressr without a terminal.
#' @param title `NULL` for none. @param frame whose end ends the progress.
#' @noRd
map_progress <- function(n, title, frame) {
  progress <- default_progress()
  if (is.null(title) || isFALSE(progress)) {
    return(no_tick)
  }
  here <- isTRUE(progress) || interactive()
  signals <- rlang::is_installed("progressr")
  if (signals && (has_workers() || !here && progressr_is_heard())) {
    return(progressr::progressor(steps = n, envir = frame))
  }
  meter_tick(progress_meter(title, progress, frame), n)
}

has_workers <- function() {
  rlang::is_installed(c("future", "future.apply")) && future::nbrOfWorkers() > 1
}

no_tick <- function() NULL

meter_tick <- function(meter, n, session = Sys.getpid()) {
  force(meter)
  force(n)
  force(session)
  done <- 0
  function() {
    done <<- done + 1
    if (Sys.getpid() == session) meter(done, n, sprintf("%d of %d candidates", done, n))
  }
}
