# What a fit must have to answer: a posterior, sites of its rows, a latent function. Which answers need what
# is said by the check that they begin with; each is an error that says what to do instead.

has_posterior <- function(object) {
  if (inherits(object, "bpm")) !is.null(object$weights) else has_numbers(object$ep$b)
}

#' An error for a fit whose EP left no posterior, and a warning for one whose EP did not converge
#' @noRd
check_posterior <- function(object) {
  refuse(!has_posterior(object), c(
    "The fit has no posterior: {object$ep$message}",
    i = "See {.code ep_diagnostics(fit)} for what to do."
  ), "no_posterior", status = object$ep$status)
  status <- object$ep$status
  if (!is.null(status) && status != "converged") {
    warn_sturdy(c(
      "This result is from a fit whose EP did not converge ({status}).",
      i = "See {.code ep_diagnostics(fit)} for what that means and what to do."
    ), "not_converged", status = status)
  }
}

#' For what only a fit that keeps its rows can answer
#' @noRd
check_sites_kept <- function(object) {
  check_by_ep(object)
  check_posterior(object)
}

check_by_ep <- function(object) UseMethod("check_by_ep")

#' What judges the labels, see judged_by(), checked: for answers that need numbers of labels alone: a fit to shards, which
#' has cells of scores in the place of rows, will do
#' @noRd
check_judge <- function(object) {
  judge <- judged_by(object)
  check_by_ep(judge)
  check_posterior(object)
  judge
}

check_by_ep.sturdy_model <- function(object) invisible(object)

check_by_ep.bpm_filtered <- function(object) {
  abort_sturdy(c(
    "The fit has nothing on single rows: it absorbed them by assumed density
     filtering.",
    i = "{.code bpm(..., inference = \"ep\")} keeps a site for each row, until
         {.fn absorb} takes in further rows."
  ), "no_sites")
}

#' For what is about the latent function, or about EP: an error for a second stage
#' @return the fit
#' @noRd
check_has_latent <- function(object) {
  refuse(is_stage(object), c(
    "A second stage has no latent function, and its likelihood needs no EP: it is exact.",
    i = "{.code predict(fit, type = \"prob\")} has probabilities of the true classes."
  ), "no_latent")
  object
}
