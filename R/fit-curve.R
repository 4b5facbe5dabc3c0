# A linear boundary held against a curved one. Rows that a curve explains look like wrong labels to
# bpm(): where it finds signs of any, gpc() without wrong labels is fitted beside it, once.

curve_rows <- 2000L # at most

#' A fit with the evidence of a curved boundary without wrong labels, where it was asked for: the
#' field curve, list(log_evidence; some: that of the linear boundary, as labels may be wrong)
#' @noRd
held_against_curve.bpm <- function(object, molded) {
  said <- flip_evidence(object$label_stage$nodes$models)
  signs <- !is.null(said) && said$some - said$none > log(verdict_limits[2])
  if (!signs || is.null(object$nodes) || length(molded$data$y) > curve_rows) {
    return(object)
  }
  spec <- object$spec
  control <- spec$control
  control$progress <- FALSE
  spec <- gpc_spec(epsilon = 0, hyper = "integrate", scale = spec$scale, control = control)
  curved <- tryCatch(
    suppressWarnings(suppressMessages(fit_molded(spec, molded))), sturdy_error = function(e) NULL
  )
  if (!is.null(curved$nodes)) {
    object$curve <- list(
      log_evidence = curved$nodes$models$log_evidence, some = object$nodes$models$log_evidence
    )
  }
  object
}
