# What surrounds the batches of bpm_stream(): the checkpoint and progress.

# Checkpoint ----------------------------------------------------------------

#' The state to go on from, or `NULL` for a run from the first row
#' @noRd
open_checkpoint <- function(checkpoint, resume, arguments, call) {
  check_resume(
    checkpoint, resume, dir.exists(dirname(checkpoint)) && !dir.exists(checkpoint),
    "be the path of a file in a folder that exists", file.exists(checkpoint),
    "The checkpoint {.file {checkpoint}} already exists.", "it", call
  )
  if (!is.null(checkpoint)) {
    if (resume) unlink(unfinished(checkpoint))
    if (file.exists(checkpoint)) read_checkpoint(checkpoint, arguments, call)
  }
}

read_checkpoint <- function(checkpoint, arguments, call) {
  state <- tryCatch(
    suppressWarnings(read_state(checkpoint, call)),
    simpleError = function(cnd) {
      abort_checkpoint("can't be read", "damaged", checkpoint, call)
    }
  )
  then <- state$filter$arguments
  same <- vapply(names(arguments), function(name) {
    identical(arguments[[name]], then[[name]])
  }, logical(1))
  different <- names(arguments)[!same]
  refuse(
    length(different) > 0,
    c(
      "The checkpoint {.file {checkpoint}} belongs to a run with other arguments.",
      x = "Different: {.arg {different}}."
    ),
    "checkpoint", arg = "checkpoint", different = different, call = call
  )
  state
}

#' The fit of a state, for the formula and the arguments that made it
#' @noRd
resume_fit <- function(state, formula, spec, run) {
  tryCatch(restore_stream(state, formula, spec, run$call), error = function(cnd) {
    abort_checkpoint(
      "holds a state that can't be that of a stream", "damaged", run$checkpoint, run$call
    )
  })
}

#' Passes over the rows that a fit has read
#' @noRd
resume_source <- function(reader, filter, call) {
  if (!is.null(reader$types()) && !is.null(filter$columns)) {
    reader$settle(filter[c("columns", "classes")])
  }
  rows <- filter$source_rows
  passed <- reader$skip(rows)
  must(
    passed == rows, "source",
    "have the {whole(rows)} {qty(rows)}row{?s} that the checkpoint has absorbed, not only
     {whole(passed)}",
    "checkpoint", more = c(i = "The source must start from its beginning again."), call = call
  )
  inform_sturdy(
    c(i = "Resumed after {whole(rows)} {qty(rows)}row{?s} in
           {whole(filter$batches)} {qty(filter$batches)}batch{?es}."),
    "resumed", rows = rows
  )
}

save_checkpoint <- function(fit, checkpoint, call) {
  if (is.null(checkpoint)) {
    return(invisible())
  }
  failed <- function(cnd) {
    abort_sturdy(
      "The checkpoint {.file {checkpoint}} can't be written.",
      "checkpoint", arg = "checkpoint", fit = fit, parent = cnd, call = call
    )
  }
  tryCatch(write_state(fit, checkpoint), error = failed, warning = failed)
}

# Progress ------------------------------------------------------------------

#' A function that shows how far a fit has come; what it shows ends with the frame
#'
#' How many rows there are is known of a data frame only.
#' @noRd
stream_progress <- function(progress, source, frame = rlang::caller_env()) {
  meter <- progress_meter("Reading", progress, frame)
  started <- seconds_now()
  total <- if (is.data.frame(source)) nrow(source) else NA
  before <- NULL
  function(fit) {
    stream <- fit$filter
    if (is.null(before)) {
      before <<- stream$rows - utils::tail(diff(c(0, stream$history$rows)), 1)
    }
    seconds <- seconds_now() - started
    done <- stream$rows - before
    rate <- done / max(seconds, 1e-3)
    meter(
      stream$rows, total,
      sprintf(
        "%s rows, %s rows/s, prequential error %.4f", whole(stream$rows),
        whole(signif(rate, 3)), stream$errors / stream$rows
      ),
      left = seconds * (total - stream$rows) / done
    )
  }
}
