# A spec: a model with all its arguments, checked, not yet fitted. `gpc_spec()`,
# `stc_spec()` and `bpm_spec()` hold every argument and its default; the faces, the
# candidates of select_model() and update() all go through them.

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

#' What learning maximises unless told otherwise: t-EP evidence misleads it (see ?stc)
#' @noRd
default_criterion <- function(df) {
  if (is.finite(df)) "loo" else "evidence"
}

#' Errors in an argument are reported in the face or verb that makes the spec
#' @noRd
blame_caller <- function(frame = rlang::caller_env()) {
  from <- rlang::caller_env(2)
  if (identical(topenv(from), topenv())) rlang::local_error_call(from, frame)
}

#' Whether a fit integrates over what it learns unless told otherwise
#' @noRd
default_hyper <- function() {
  check_choice(
    getOption("sturdy.hyper", "integrate"), c("integrate", "optimum"), "options(sturdy.hyper = )"
  )
}

#' What is learned of the rates unless told otherwise: the same at the optimum as where nodes are
#' averaged over, but where something is asked for that only a search for the optimum of a criterion
#' has
#' @param criterion `NULL` where none was named.
#' @noRd
default_epsilon <- function(hyper, criterion = NULL, method = "gradient", kernel = NULL) {
  kernel <- as.list(kernel) # what is none is refused where arguments are checked
  free <- setdiff(intersect(hyper_names, names(kernel)), c(kernel$fixed, held_at_zero(kernel)))
  open <- learn_unpriored(list(free = free, prior = kernel$prior))
  searched <- identical(criterion, "loo") || !identical(method, "gradient") || length(open) > 0
  if (identical(hyper, "optimum") && searched) "learn" else "average"
}

# Fit molded data: a model of the class of the spec. `molded` as mold_formula() or
# mold_xy() made it; errors are reported in the frame `call`.
fit_spec <- function(spec, molded, call = rlang::caller_env()) {
  with_memory( # `molded` is made here
    {
      if (is.null(molded$data$reports)) molded <- with_reports(molded)
      inform_few_rows(length(molded$data$y))
      spec <- prior_of_classes(spec, molded$blueprint$levels, call)
      check_readers_possible(spec, molded$data$reports, call)
      spec <- spec_of_soft(spec, molded$data$reports, call)
      check_offset_possible(spec, molded, call)
      fit_molded(spec, molded, call)
    },
    call
  )
}

few_rows_least <- 4L # below this nearly all that a fit says is the prior's

inform_few_rows <- function(n) {
  if (n < few_rows_least) {
    inform_sturdy(
      c(i = "{n} row{?s} {?tells/tell} next to nothing: rates, numbers of wrong labels, and
             probabilities away from {?it/them} are those of the priors."),
      "few_rows", rows = n
    )
  }
}

#' Fit the rows that a formula takes from `data`
#'
#' @param subset unevaluated. @param call frame of the face. @param env of the formula.
#' @param known list(trusted, rates, weights), unevaluated. @param many whether there may be more
#'   than two classes.
#' @noRd
fit_rows <- function(data, spec, formula, subset, na.action, cluster, call, env, known,
                     many = FALSE) {
  UseMethod("fit_rows")
}

fit_rows.default <- function(data, spec, formula, subset, na.action, cluster, call, env,
                             known, many = FALSE) {
  if (!is.null(cluster)) {
    abort_sturdy(
      "{.arg cluster} can be used with {.fn shards} only.", "unknown_argument",
      arg = "cluster", call = call
    )
  }
  fit_spec(spec, known_in(
    mold_formula(formula, data, spec$scale, na.action, subset, call, env, many = many),
    data, known, formula, call
  ), call)
}

fit_molded <- function(spec, molded, call) {
  UseMethod("fit_molded")
}

#' A known part of the latent mean needs the scale of a nugget, and a Gaussian process
#' @noRd
check_offset_possible <- function(spec, molded, call) {
  X <- molded$data$X
  if (is.null(row_offset(X))) {
    return(invisible())
  }
  if (length(molded$blueprint$levels) > 2) check_no_offset(X, "Three classes or more", call)
  if (is.finite(spec$df)) check_no_offset(X, "A Student-t process", call)
  if (identical(spec$nugget, 0) || identical(spec$kernel$nugget, 0)) {
    check_no_offset(X, "A latent function without a nugget", call)
  }
}
