# From a spec and rows to a fit: what is checked of both together.

few_rows_least <- 4L # below this nearly all that a fit says is the prior's

#' A model of the class of the spec
#' @param molded as mold_rows() or mold_xy() made it, or a fit.
#' @noRd
fit_spec <- function(spec, molded) {
  if (inherits(molded, "sturdy_model")) {
    return(molded)
  }
  if (is.null(molded$data$reports)) molded <- with_reports(molded)
  n <- length(molded$data$y)
  if (n < few_rows_least) {
    inform_sturdy(
      c(i = "{n} row{?s} {?tells/tell} next to nothing: rates, numbers of wrong labels, and
             probabilities away from {?it/them} are those of the priors."),
      "few_rows", rows = n
    )
  }
  spec <- unlabelled_of_classes(spec, molded$blueprint$levels)
  spec <- study_of_classes(spec, molded$blueprint$levels)
  check_readers_possible(spec, molded$data$reports)
  spec <- spec_of_soft(spec, molded$data$reports)
  check_offset_possible(spec, molded)
  with_call(fit_molded(spec, molded))
}

#' What each kind of model does with them
#' @noRd
fit_molded <- function(spec, molded) {
  UseMethod("fit_molded")
}

#' A known part of the latent mean needs the scale of a nugget, and a Gaussian process
#' @noRd
check_offset_possible <- function(spec, molded) {
  X <- molded$data$X
  if (is.null(row_offset(X))) {
    return(invisible())
  }
  if (length(molded$blueprint$levels) > 2) check_no_offset(X, "Three classes or more")
  if (is.finite(spec$df)) check_no_offset(X, "A Student-t process")
  if (identical(spec$nugget, 0) || identical(spec$kernel$nugget, 0)) {
    check_no_offset(X, "A latent function without a nugget")
  }
}
