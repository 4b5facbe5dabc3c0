# Fitting the candidates of select_model(). Nothing here signals for a single
# candidate.

#' @param integrate whether evidences are integrated over the hyperparameters.
#' @return list of what candidate_run() returns, in the order of `candidates`.
#' @noRd
run_candidates <- function(candidates, molded, integrate = FALSE, run = run_one) {
  tick <- selection_progress(length(candidates))
  run_all(
    candidates, list(molded = molded, integrate = integrate), run,
    failed = function(candidate, cnd) candidate_failed(candidate, one_line(cnd)),
    done = function(k, value) tick()
  )
}

# as run_all() wants it, for other processes, too
run_one <- function(candidate, shared) {
  candidate_run(candidate, shared$molded, shared$integrate)
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
