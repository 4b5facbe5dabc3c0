# Fitting the candidates of select_model(), and maps over independent items in general:
# on the workers of the user's plan where the future.apply package is there.

#' @param molded list of molded data, one a candidate.
#' @param integrate whether evidences are integrated over the hyperparameters.
#' @return list of what candidate_run() returns, in the order of `candidates`.
#' @noRd
run_candidates <- function(candidates, molded, integrate = FALSE) {
  items <- Map(function(spec, molded) list(spec = spec, molded = molded),
               candidates, molded)
  run <- function(item) candidate_run(item$spec, item$molded, integrate)
  map_items(items, run, "Fitting candidates")
}

#' `lapply()` on the workers of the user's plan, with progress
#'
#' Nothing that `run` draws is seeded: it seeds itself or draws nothing.
#' @noRd
map_items <- function(items, run, title, progress = TRUE) {
  tick <- if (progress) map_progress(length(items), title) else function() NULL
  one <- function(item) {
    value <- run(item)
    tick()
    value
  }
  if (!rlang::is_installed("future.apply")) {
    return(lapply(items, one))
  }
  future.apply::future_lapply(
    items, one, future.seed = NULL, future.packages = "sturdy",
    future.scheduling = Inf # an item at a time: they differ in length
  )
}

#' A function to call when an item is done
#'
#' With progressr the user decides whether and how it is shown; without it there is
#' a bar in interactive sessions.
#' @noRd
map_progress <- function(n, title, .envir = rlang::caller_env(2)) {
  if (rlang::is_installed("progressr")) {
    tick <- progressr::progressor(steps = n, envir = .envir)
    return(function() tick())
  }
  if (!interactive()) {
    return(function() NULL)
  }
  id <- cli::cli_progress_bar(title, total = n, .envir = .envir)
  function() cli::cli_progress_update(id = id, .envir = .envir)
}
