# A spec: a model with all its arguments, checked, not yet fitted. `gpc_spec()`,
# `stc_spec()` and `bpm_spec()` hold every argument and its default; the faces, the
# candidates of select_model() and update() all go through them.

#' @param model its name, and of what it is a kind.
#' @noRd
new_spec <- function(model, ...) {
  structure(list(...), class = c(paste0(model, "_spec"), "sturdy_spec"))
}

spec_model <- function(spec) sub("_spec$", "", class(spec)[1])

is_spec <- function(x) {
  models <- c("gpc", "stc", "bpm", "second_stage")
  inherits(x, "sturdy_spec") && is.list(x) && spec_model(x) %in% models && is_number(x$df)
}

#' May there be more than two classes?
#' @noRd
takes_many <- function(spec) spec_model(spec) == "gpc"

#' What learning maximises unless told otherwise: t-EP evidence misleads it (see ?stc)
#' @noRd
default_criterion <- function(df) {
  if (is.finite(df)) "loo" else "evidence"
}

#' The criterion of a spec, the usual one where none was given
#' @noRd
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
