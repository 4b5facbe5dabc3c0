# A spec with changed arguments, and in words: both need the constructors of all specs.

spec_constructor <- function(model) {
  switch(model, gpc = gpc_spec, stc = stc_spec, bpm = bpm_spec, second_stage = second_stage_spec)
}

#' A spec with some arguments changed
#'
#' A finite `df` turns a gpc() into an stc(). The criterion stays unless it is what is usual at
#' its `df`, `epsilon` unless it is what is usual beside the other arguments, `hyper`
#' unless a way to find the optimum is given, the nugget of a bpm() unless `inference` changes.
#' @noRd
edit_spec <- function(spec, changed) {
  model <- spec_model(spec)
  kept <- unclass(spec)
  if (identical(spec$criterion, default_criterion(spec$df))) kept$criterion <- NULL
  decides <- intersect(names(kept), names(formals(default_epsilon)))
  if (identical(spec$epsilon, do.call(default_epsilon, kept[decides]))) kept$epsilon <- NULL
  given <- names(changed)
  if ("criterion" %in% given && !"hyper" %in% given) kept$hyper <- NULL
  if ("inference" %in% given) kept$nugget <- NULL
  held <- if (model == "second_stage") c("df", "kernel", "criterion", "kernels", "scale") # no arguments of it
  kept <- kept[setdiff(names(kept), c(given, held))]
  do.call(spec_constructor(model), c(kept, changed), quote = TRUE)
}

#' Arguments that differ from the defaults
#' @noRd
spec_changed <- function(spec) {
  decides <- list(stc = "df", bpm = c("df", "inference"))
  model <- spec_model(spec)
  plain <- do.call(spec_constructor(model), unclass(spec)[decides[[model]]], quote = TRUE)
  usual <- do.call(spec_constructor(model), list())
  if (is_usual(spec$kernel)) spec$kernel <- plain$kernel
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
  deparse1(short_call(as.call(c(as.name("model"), changed)), x))
}

#' @export
print.sturdy_spec <- function(x, ...) {
  print_title("<", class(x)[1], "> ", format(x))
  invisible(x)
}
