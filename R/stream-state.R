# The state of a stream in a file: plain numbers, and the names and types of the columns of a
# text. What else a fit has, its encoding above all, a run that resumes makes again of the
# rows that the stream began with.

state_counts <- c(names(no_counts), "batches", "source_rows", "left_out", "begun", "history")

state_kind <- list(
  magic = "sturdy stream ", format = 3L, what = "the state of a stream",
  numbers = c("mean", "C", "log_scale_weights", state_counts),
  strings = c("encoding", "arguments", "columns", "classes")
)

save_state <- function(fit, file) {
  filter <- fit$filter
  write_sealed(file, state_kind, c(
    fit$weights[c("mean", "C")], list(log_scale_weights = fit$weights$log_scale), lapply(filter[state_counts], unlist),
    list(
      encoding = encoding_digest(fit), arguments = vapply(filter$arguments, digest, ""),
      columns = filter$columns, classes = ifelse(is.na(filter$classes), "", filter$classes)
    )
  ), fit = fit)
}

#' How a fit encodes rows, in short
#' @noRd
encoding_digest <- function(fit) {
  blueprint <- fit$blueprint
  learned <- deparse(attr(blueprint$terms, "predvars"), control = "hexNumeric")
  digest(list(unclass(blueprint)[c("coding", "levels", "term")], learned))
}

#' @return list(mean, C, log_scale_weights, encoding, arguments: a digest each, filter)
#' @noRd
read_state <- function(file) {
  read_sealed(file, state_kind, function(state) {
    filter <- empty_filter(NULL)
    filter[state_counts] <- state[state_counts]
    filter$history <- as.data.frame(matrix(state$history, ncol = 3, dimnames = list(NULL, history_columns)))
    if (length(state$columns)) {
      filter[c("columns", "classes")] <- list(state$columns, replace(state$classes, state$classes == "", NA))
    }
    stopifnot(is_filter(filter), filter$begun > -1, length(filter$source_rows) == 1)
    c(state, list(filter = filter))
  })
}

# A fit from its state ------------------------------------------------------

#' A fit that has seen no row yet
#' @noRd
start_stream <- function(spec, molded) {
  model <- with_call(bpm_start(spec, molded, bpm_prior(spec, molded$blueprint)))
  if (!is.null(model$call)) {
    # without what does not shape the fit: a resumed run gives the same one
    model$call[c("checkpoint", "resume", "progress")] <- NULL
    model$call[[1]] <- as.name("bpm_stream")
  }
  model
}

#' The fit of a state; an error where it contradicts itself or the model
#' @param fit any fit of the same model, as start_stream() makes it.
#' @noRd
restore_stream <- function(fit, state, arguments) {
  stopifnot(lengths(state[c("mean", "C")]) == lengths(fit$weights[c("mean", "C")]))
  fit$weights$mean[] <- state$mean
  fit$weights$C[] <- state$C
  fit$weights$log_scale <- state$log_scale_weights
  fit$filter <- replace(state$filter, "arguments", list(arguments))
  C <- unname(fit$weights$C)
  stopifnot(is.null(wrong_field(fit)), isSymmetric(C), is.matrix(chol(C)))
  fit
}
