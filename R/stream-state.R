# The state of a stream in a file: plain data, numbers and strings in lists. No code is
# saved. The formula and the arguments are those of the call that resumes, and of the
# first batch there is only what the terms have learned of it.

state_kind <- list(magic = "sturdy stream ", format = 1L, what = "the state of a stream")

#' Numbers, strings and lists of them, with no attributes but names and dimensions
#' @noRd
is_plain <- function(x) {
  types <- c("NULL", "logical", "integer", "double", "character", "list")
  known <- all(names(attributes(x)) %in% c("names", "dim", "dimnames"))
  parts <- c(attributes(x), if (is.list(x)) unclass(x))
  typeof(x) %in% types && known && all(vapply(parts, is_plain, logical(1)))
}

write_state <- function(fit, file) {
  state <- stream_state(fit)
  if (!is_plain(state)) {
    stop("A transformation in the formula has learned more than numbers and strings.")
  }
  payload <- serialize(state, NULL)
  write_sealed(file, state_kind, length(payload), NULL, payload)
}

read_state <- function(file, call) {
  payload <- read_sealed(file, state_kind, length, call = call)
  state <- tryCatch(unserialize(payload), error = function(cnd) NULL)
  if (is.null(state) || !is_plain(state)) {
    abort_checkpoint("is damaged", "damaged", file, call)
  }
  state
}

# From a fit and back -------------------------------------------------------

stream_state <- function(fit) {
  blueprint <- unclass(fit$blueprint)
  terms <- blueprint$terms
  blueprint[c("formula", "terms")] <- list(NULL)
  filter <- fit$filter
  filter$history <- as.list(filter$history)
  list(
    blueprint = blueprint, learned = term_state(terms),
    classes = attr(terms, "dataClasses"), weights = fit$weights, filter = filter
  )
}

#' A fit that has seen no row yet
#' @noRd
start_stream <- function(spec, molded, call) {
  model <- bpm_start(spec, molded, bpm_prior(spec, molded$blueprint, call), call)
  if (!is.null(model$call)) {
    # without what does not shape the fit: a resumed run gives the same one
    model$call[c("checkpoint", "resume", "progress")] <- NULL
    model$call[[1]] <- as.name("bpm_stream")
  }
  model
}

#' A state as a fit again
#'
#' @param formula,spec those of the call that resumes.
#' @return the fit; an error where the state contradicts the call or itself.
#' @noRd
restore_stream <- function(state, formula, spec, call) {
  blueprint <- state$blueprint
  filter <- state$filter
  columns <- stats::setNames(rep(list(logical()), length(filter$names)), filter$names)
  terms <- stats::terms(formula, data = as.data.frame(columns, optional = TRUE))
  blueprint$formula <- strip_environment(stats::formula(terms))
  stopifnot(blueprint[["term"]] %in% attr(terms, "term.labels"))
  terms <- used_terms(terms, blueprint[["term"]])
  attr(terms, "predvars") <- learned_terms(terms, state$learned)
  attr(terms, "dataClasses") <- state$classes
  blueprint$terms <- terms
  fit <- start_stream(
    spec, list(blueprint = structure(blueprint, class = "sturdy_blueprint")), call
  )
  filter$history <- as.data.frame(filter$history)
  fit[c("weights", "filter")] <- list(state$weights, filter)
  C <- fit$weights$C
  stopifnot(
    is.null(wrong_field(fit)), identical(names(fit$weights$mean), fit$prior$weights),
    isSymmetric(unname(C)), is.matrix(chol(C)), is_stream_filter(filter)
  )
  fit
}

#' Counts that agree with each other
#' @noRd
is_stream_filter <- function(filter) {
  counts <- unlist(filter[c("batches", "source_rows", "left_out")])
  last <- filter$history[nrow(filter$history), ]
  length(counts) == 3 && all(counts >= 0 & counts == round(counts)) &&
    filter$source_rows == filter$rows + filter$left_out &&
    sum(filter$counts) == filter$rows && nrow(filter$history) <= filter$batches &&
    identical(unlist(last), unlist(filter[names(last)]))
}

#' What functions such as scale() and poly() have learned of the first batch: for each
#' variable `NULL`, or the arguments of the call that repeats it, `at` which place of
#' the formula's call, or by `value`
#' @noRd
term_state <- function(terms) {
  Map(function(variable, learned) {
    if (identical(variable, learned)) {
      return(NULL)
    }
    lapply(as.list(learned)[-1], function(arg) {
      at <- Position(function(given) identical(given, arg), as.list(variable)[-1])
      if (is.na(at)) list(value = arg) else list(at = at)
    })
  }, as.list(attr(terms, "variables"))[-1], as.list(attr(terms, "predvars"))[-1])
}

learned_terms <- function(terms, state) {
  calls <- Map(function(variable, args) {
    if (is.null(args)) {
      return(variable)
    }
    as.call(c(variable[[1]], lapply(args, function(arg) {
      if (is.null(arg$at)) arg$value else variable[[1 + arg$at]]
    })))
  }, as.list(attr(terms, "variables"))[-1], state)
  as.call(c(quote(list), calls))
}
