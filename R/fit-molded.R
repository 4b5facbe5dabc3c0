# From a spec and rows to a fit: what is checked of both together.

few_rows_least <- 4L # below this nearly all that a fit says is the prior's

#' A model of the class of the spec
#' @param molded as mold_rows() or mold_xy() made it, or a fit.
#' @noRd
fit_spec <- function(spec, molded) {
  if (inherits(molded, "sturdy_model")) {
    return(molded)
  }
  molded <- with_reports(molded)
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
  spec <- check_class_number(spec, molded)
  by_ep <- !inherits(spec, "second_stage_spec") && !identical(spec$inference, "adf")
  apart <- if (by_ep) rows_apart(molded) else list(molded = molded)
  # one step after the other: what is made within the call of the next has a deeper stack
  native_keep_memory(TRUE)
  on.exit(native_keep_memory(FALSE))
  fit <- fit_molded(spec, apart$molded)
  native_keep_memory(FALSE)
  fit <- rows_together(fit, molded$data, apart$of)
  fit <- with_label_stage(fit)
  fit <- held_against_curve(fit, apart$molded)
  with_call(fit)
}

#' What each kind of model does with them
#' @noRd
fit_molded <- function(spec, molded) UseMethod("fit_molded")

#' A fit whose boundary is linear has a curved one beside it, see fit-curve.R
#' @noRd
held_against_curve <- function(object, molded) UseMethod("held_against_curve")

held_against_curve.sturdy_model <- function(object, molded) object

#' A known part of the latent mean needs the scale of a nugget, and a Gaussian process
#' @noRd
check_offset_possible <- function(spec, molded) {
  none <- c(
    "Three classes or more"[length(molded$blueprint$levels) > 2], "A Student-t process"[is.finite(spec$df)],
    "A latent function without a nugget"[identical(spec$nugget, 0) || identical(spec$kernel$nugget, 0)]
  )
  for (what in none) check_rows_without(molded$data, what, "offset")
}

#' Probabilities have what is known of their labels being wrong in them: there is no rate beside
#' @return `spec` without one
#' @noRd
spec_of_soft <- function(spec, reports) {
  if (!has_soft(reports)) {
    return(spec)
  }
  must(
    is_one_of(spec$epsilon, c("average", "learn")) || identical(as.double(spec$epsilon), 0),
    "epsilon", "be left out where labels are probabilities, which say how sure they are",
    c("soft_labels", "epsilon")
  )
  must(
    is.null(spec$noise$unlabelled), "noise", "have no {.arg unlabelled} where labels are
     probabilities", c("soft_labels", "prior")
  )
  spec$epsilon <- 0
  spec
}

#' Rates that are given must leave each row a class, and a study is of one noise matrix
#' @noRd
check_readers_possible <- function(spec, reports) {
  readers <- by_readers(reports)
  must(
    is.null(spec$noise$study) || !readers || length(reports$sources) < 2, "noise", "have no {.arg study}
     where there are {.fn readers}: it is of one noise matrix", c("readers", "prior")
  )
  if (readers && !is.character(spec$epsilon)) {
    omega <- as_omega(spec$epsilon, reports$classes, length(reports$sources))
    open <- which(rowSums(report_likelihood(reports, omega)) == 0)
    must(
      !length(open), "epsilon", "leave each row a class: readers contradict each other in
       {length(open)} row{?s}, and no label is wrong at {.code epsilon = 0}", c("readers", "epsilon"),
      more = c(i = "By default the rates of readers are learned.")
    )
  }
}
