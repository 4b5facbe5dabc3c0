# A spec: a model with all its arguments, checked, not yet fitted. `gpc_spec()`,
# `stc_spec()` and `bpm_spec()` hold every argument and its default; the faces, the
# candidates of select_model() and update() all go through them.

#' @param model its name, and of what it is a kind.
#' @noRd
new_spec <- function(model, ...) {
  structure(list(...), class = c(paste0(model, "_spec"), "sturdy_spec"))
}

spec_model <- function(spec) {
  sub("_spec$", "", class(spec)[1])
}

is_spec <- function(x) {
  models <- c("gpc", "stc", "bpm", "second_stage")
  inherits(x, "sturdy_spec") && is.list(x) && spec_model(x) %in% models &&
    is_number(x$df)
}

#' May there be more than two classes?
#' @noRd
takes_many <- function(spec) spec_model(spec) == "gpc"

#' What learning maximises unless told otherwise: t-EP evidence misleads it (see ?stc)
#' @noRd
default_criterion <- function(df) {
  if (is.finite(df)) "loo" else "evidence"
}

check_criterion <- function(criterion, df) {
  if (is.null(criterion)) criterion <- default_criterion(df)
  check_choice(criterion, c("evidence", "loo"), "criterion")
}

#' Whether a fit integrates over what it learns unless told otherwise
#' @param ... what asks for the optimum, where it is given.
#' @noRd
default_hyper <- function(...) {
  if (!all(vapply(list(...), is.null, NA))) {
    return("optimum")
  }
  check_choice(
    getOption("sturdy.hyper", "integrate"), c("integrate", "optimum"), "options(sturdy.hyper = )"
  )
}

#' What is learned of the rates unless told otherwise: the same at the optimum as where nodes are
#' averaged over, but where something is asked for that only a search for the optimum of a criterion
#' has
#' @param criterion `NULL` where none was named.
#' @noRd
default_epsilon <- function(hyper, criterion = NULL, kernel = NULL) {
  kernel <- as.list(kernel) # what is none is refused where arguments are checked
  free <- setdiff(intersect(hyper_names, names(kernel)), c(kernel$fixed, held_at_zero(kernel)))
  open <- learn_unpriored(list(free = free, prior = kernel$prior))
  searched <- identical(criterion, "loo") || length(open) > 0
  if (identical(hyper, "optimum") && searched) "learn" else "average"
}

# Fit molded data: a model of the class of the spec. `molded` as mold_rows() or
# mold_xy() made it, or a fit.
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
  fit <- fit_molded(spec, molded)
  with_call(fit)
}

#' A fit with the call that made it, its arguments by name
#' @noRd
with_call <- function(fit) {
  frame <- own_verb(innermost = TRUE)
  if (!is.null(frame)) {
    number <- Position(function(k) identical(sys.frame(k), frame), seq_len(sys.nframe()))
    call <- match.call(
      rlang::frame_fn(frame), rlang::frame_call(frame), envir = sys.frame(sys.parents()[number])
    )
    fit$call <- short_call(call, fit$spec)
  }
  fit
}

#' A call with symbols in the place of data that came by value, and kernels and controls as they
#' are made
#' @noRd
short_call <- function(call, spec) {
  call[[1]] <- as.name(spec_model(spec))
  short <- function(x) is.null(x) || is.language(x) || (is.atomic(x) && length(x) <= 5)
  for (k in seq_along(call)[-1]) {
    if (is.object(call[[k]])) call[[k]] <- maker_call(call[[k]])
    if (!short(call[[k]])) {
      name <- names(call)[k]
      call[[k]] <- as.name(if (length(name) && nzchar(name)) name else "data")
    } else if (inherits(call[[k]], "formula")) {
      attributes(call[[k]]) <- NULL # a formula by value carries an environment
    }
  }
  call
}

#' The call that makes a kernel, its prior or a control; other values as they are
#' @noRd
maker_call <- function(value) {
  maker <- switch(class(value)[1],
    kernel_ard = , kernel_iso = class(value)[1],
    sturdy_prior = "weak_prior", sturdy_control = "ep_control"
  )
  if (is.null(maker)) {
    return(value)
  }
  usual <- do.call(maker, list())
  parts <- unclass(value)[!mapply(identical, value, usual[names(value)])]
  if (maker == "weak_prior") parts <- lapply(parts, unlist)
  if (setequal(parts$fixed, hyper_names)) parts$fixed <- TRUE
  as.call(c(as.name(maker), lapply(parts, maker_call)))
}

few_rows_least <- 4L # below this nearly all that a fit says is the prior's

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
