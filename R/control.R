#' Control of expectation propagation and of learning
#'
#' Settings of the EP loop and of the search for hyperparameters, for the
#' `control` argument of [gpc()], [stc()], [bpm()] and [ep_fit()]. The defaults suit
#' almost every problem; [ep_diagnostics()] says when to change them.
#'
#' @param tol Convergence tolerance, a number above 0 (1e-9 by default): EP stops when
#'   no site changes by more than `tol`, measured as
#'   `max(|change of tau| A, |change of nu| sqrt(A))` with `A` the variance of
#'   the site's latent value. With inducing inputs and several classes it is at least 1e-6, and
#'   so it is above `r parallel_rows` rows of two classes, or of classes in an order, where EP takes
#'   all sites at once: with inducing inputs, in [bpm()] with a `nugget` above 0, and over [shards()].
#'   Searches for hyperparameters have a coarser one, as the evidence is off by its square only. A fit to a table of a database
#'   ([dbi_source()]) ends by a measure of its own.
#' @param max_sweeps Largest number of sweeps over the sites, from 1 to 1e6 (200 by
#'   default). A fit that needs more ends with the status `"max_sweeps"`.
#' @param damping Fraction of a full site update that is taken, above 0 and at
#'   most 1; 1, the default, is undamped. EP damps further by itself when the residual
#'   grows or a site has to be left out of a sweep, so this is the largest step.
#' @param block Number of sites that are updated between two corrections of the
#'   whole posterior, at least 1 (64 by default). It affects the speed, not the result.
#' @param restarts Number of starting points besides the first from which the optimum of the
#'   hyperparameters is sought, from 0 to 1000 (2 by default). Averages (`hyper =
#'   "integrate"` or `epsilon = "average"`) have starts of their own.
#' @param budget Seconds that the search for hyperparameters may take, above 0 (`Inf` by
#'   default). When they are over, the best values so far are kept, and [ep_diagnostics()]
#'   says so; an average keeps modes in the place of nodes that are not there yet. The evaluation
#'   under way, the final fits and the label stage are still ended. With a budget a fit depends on
#'   the speed of the machine.
#' @param trace Whether the residual, evidence and damping of every sweep are
#'   kept (`TRUE`, the default), as `fit$ep$trace`.
#' @param progress Whether what takes more than two seconds shows how far it has come and
#'   how long it may still take: `TRUE`, a bar; `FALSE`, nothing; `NA`, a bar in
#'   interactive sessions, and in others a line on standard error after 10, 20, 40, ...
#'   seconds, or the signals of the progressr package where it is enabled. The default is
#'   `NA`, or what the option `sturdy.progress` says.
#'
#' @return A list of class `sturdy_control` with the fields `tol`, `max_sweeps`,
#'   `damping`, `block`, `restarts`, `budget`, `trace` and `progress`.
#'
#' @section Conditions:
#' An argument of the wrong kind signals `sturdy_error_type`, one outside its
#' range `sturdy_error_range`.
#'
#' @seealso [ep_diagnostics()], [gpc()], [stc()]
#' @export
#' @examples
#' ep_control(max_sweeps = 500, damping = 0.5)
ep_control <- function(tol = 1e-9,
                       max_sweeps = 200,
                       damping = 1,
                       block = 64,
                       restarts = 2,
                       budget = Inf,
                       trace = TRUE,
                       progress = getOption("sturdy.progress", NA)) {
  structure(
    list(
      tol = check_number(tol, "tol", min = 0, open = TRUE),
      max_sweeps = check_count(max_sweeps, "max_sweeps", 1, 1e6),
      damping = check_damping(damping),
      block = check_count(block, "block", min = 1),
      restarts = check_count(restarts, "restarts", 0, 1000),
      budget = check_number(budget, "budget", 0, open = TRUE, infinite = TRUE),
      trace = check_flag(trace, "trace"),
      progress = check_progress(progress)
    ),
    class = "sturdy_control"
  )
}

check_control <- function(control) check_made(control, "control", ep_control, "sturdy_control")

check_damping <- function(damping) {
  damping <- check_number(damping, "damping", min = 0, max = 1)
  must(damping > 0, "damping", "be above 0: at 0 no step is taken", "range")
  damping
}

#' @export
print.sturdy_control <- function(x, ...) {
  cat("<sturdy_control>\n")
  settings <- vapply(x, format, character(1))
  cat(paste0("  ", format(names(x)), "  ", settings, "\n"), sep = "")
  invisible(x)
}
