# A spec: a model with all its arguments, checked, not yet fitted. `gpc_spec()`,
# `stc_spec()` and `bpm_spec()` hold every argument and its default; the faces, the
# candidates of select_model() and update() all go through them.

new_spec <- function(model, ...) {
  structure(list(...), class = c(paste0(model, "_spec"), "sturdy_spec"))
}

spec_constructor <- function(model) {
  switch(model, gpc = gpc_spec, stc = stc_spec, bpm = bpm_spec)
}

spec_model <- function(spec) {
  sub("_spec$", "", class(spec)[1])
}

is_spec <- function(x) {
  inherits(x, "sturdy_spec") && is.list(x) && spec_model(x) %in% c("gpc", "stc", "bpm") &&
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

default_epsilon <- function(hyper) if (hyper == "integrate") "average" else "learn"

# Fit molded data: a model of the class of the spec. `molded` as mold_formula() or
# mold_xy() made it; errors are reported in the frame `call`.
fit_spec <- function(spec, molded, call = rlang::caller_env()) {
  with_memory(
    fit_molded(spec, if (is.null(molded$data$reports)) with_reports(molded) else molded, call), call
  )
}

#' Fit the rows that a formula takes from `data`
#'
#' @param subset unevaluated. @param call frame of the face. @param env of the formula.
#' @param known list(trusted, rates), unevaluated. @param many whether there may be more than
#'   two classes.
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
    data, known$trusted, known$rates, formula, call
  ), call)
}

fit_molded <- function(spec, molded, call) {
  UseMethod("fit_molded")
}

#' A spec with some arguments changed
#'
#' A finite `df` turns a gpc() into an stc(). The criterion stays unless `df` changes
#' between finite and infinite, the method unless `epsilon` changes, `hyper` unless a way to
#' find the optimum is given, and with it whether noise models are averaged over,
#' the nugget of a bpm() unless `inference` changes.
#' @noRd
edit_spec <- function(spec, changed, call = rlang::caller_env()) {
  rlang::local_error_call(call)
  model <- spec_model(spec)
  df <- if (is.null(changed$df)) spec$df else check_df(changed$df)
  other_df <- is.finite(spec$df) != is.finite(df)
  if (model == "gpc" && other_df) model <- "stc"
  kept <- unclass(spec)
  if (model == "gpc") kept$df <- changed$df <- NULL
  if (other_df) kept$criterion <- NULL
  if (other_df || "epsilon" %in% names(changed)) kept$method <- NULL
  given <- names(changed)
  if (any(c("criterion", "method") %in% given) && !"hyper" %in% given) kept$hyper <- NULL
  hyper <- if (is.null(changed$hyper)) kept$hyper else changed$hyper
  if (!identical(hyper, spec$hyper) && is_one_of(spec$epsilon, c("average", "learn"))) {
    kept$epsilon <- NULL
  }
  if ("inference" %in% names(changed)) kept$nugget <- NULL
  kept <- kept[setdiff(names(kept), names(changed))]
  do.call(spec_constructor(model), c(kept, changed), quote = TRUE)
}

# Words -----------------------------------------------------------------------

#' Arguments that differ from the defaults
#' @noRd
spec_changed <- function(spec) {
  decides <- list(gpc = character(), stc = "df", bpm = c("df", "inference"))
  model <- spec_model(spec)
  plain <- do.call(spec_constructor(model), unclass(spec)[decides[[model]]])
  usual <- do.call(spec_constructor(model), list())
  same <- function(name) {
    against <- if (name %in% decides[[model]]) usual else plain
    identical(spec[[name]], against[[name]])
  }
  unclass(spec)[!vapply(names(spec), same, logical(1))]
}

#' @export
format.sturdy_spec <- function(x, ...) {
  changed <- spec_changed(x)
  changed$control <- NULL # says nothing of the model
  value <- vapply(changed, describe_argument, character(1))
  paste0(
    spec_model(x), "(",
    paste(names(changed), value, sep = " = ", recycle0 = TRUE, collapse = ", "), ")"
  )
}

describe_argument <- function(value) {
  if (inherits(value, "sturdy_kernel")) {
    paste0("kernel_", value$type, "()")
  } else if (is.character(value) && length(value) == 1) {
    paste0("\"", value, "\"")
  } else if (is.atomic(value) && length(value) <= 3) {
    paste(format(value, digits = 3, trim = TRUE), collapse = ", ")
  } else {
    paste0("<", class(value)[1], ">")
  }
}

#' @export
print.sturdy_spec <- function(x, ...) {
  cat("<", class(x)[1], "> ", format(x), "\n", sep = "")
  invisible(x)
}
