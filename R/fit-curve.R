# A linear boundary held against a curved one. Rows that a curve explains look like wrong labels to
# bpm(): where it finds signs of any, gpc() without wrong labels is fitted beside it, once.

curve_rows <- 2000L # at most

#' A fit with the evidence of a curved boundary without wrong labels, where it was asked for: the
#' field curve, list(log_evidence, none and some: those of the linear boundary)
#' @noRd
held_against_curve <- function(object, molded, call) {
  linear <- flip_evidence(object$nodes$models)
  told <- flip_evidence(told_by(object)$nodes$models) # whose verdict it is, until it is taken away
  rows <- length(molded$data$y)
  factors <- c(told$some - told$none, linear$some - linear$none)
  if (is.null(linear) || rows > curve_rows || max(factors) < log(verdict_limits[2])) {
    return(object)
  }
  spec <- object$spec
  control <- spec$control
  control$progress <- FALSE
  spec <- gpc_spec(epsilon = 0, hyper = "integrate", scale = spec$scale, control = control)
  curved <- tryCatch(
    suppressWarnings(suppressMessages(fit_molded(spec, molded, call))),
    sturdy_error = function(e) NULL
  )
  if (!is.null(curved$nodes)) {
    object$curve <- c(list(log_evidence = curved$nodes$models$log_evidence[1]), linear)
  }
  object
}

#' Log evidences without and with wrong labels of noise models, those with by their prior
#' probabilities; `NULL` where one of the two is not among them
#' @noRd
flip_evidence <- function(models) {
  none <- models$model == "none"
  if (any(none) && !all(none)) {
    list(none = models$log_evidence[none], some = models_evidence(models, !none))
  }
}

#' Log evidence of some of the noise models together, by their prior probabilities
#' @noRd
models_evidence <- function(models, these) {
  prior <- models$prior[these]
  log_sum(models$log_evidence[these] + log(prior)) - log(sum(prior))
}
