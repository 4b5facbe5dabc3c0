# What surrounds the batches of bpm_stream(): the checkpoint and progress.

# Checkpoint ----------------------------------------------------------------

#' The state to go on from, or `NULL` for a run from the first row
#' @noRd
open_checkpoint <- function(checkpoint, resume, arguments) {
  check_resume(checkpoint, resume)
  if (resume) remove_files(unfinished(checkpoint))
  if (is.null(checkpoint) || !file.exists(checkpoint)) return(NULL)
  state <- read_state(checkpoint)
  different <- names(arguments)[state$arguments != vapply(arguments, digest, "")]
  refuse(
    length(different) > 0, c(
      "The checkpoint {.file {checkpoint}} belongs to a run with other arguments.", x = "Different: {.arg {different}}."
    ), "checkpoint", arg = "checkpoint", different = different
  )
  state
}

#' The fit that a state is of: the rows that the stream began with make the model, those
#' that it has absorbed are passed over
#' @noRd
resume_stream <- function(reader, state, run) {
  filter <- state$filter
  reader$settle(stats::setNames(filter$classes, filter$columns))
  rows <- filter$source_rows
  data <- NULL
  passed <- reader$pass(filter$begun[1]) + reader$pass(filter$begun[2], function(part) data <<- rbind(data, part))
  passed <- passed + reader$pass(rows - passed)
  must(
    passed == rows, "source",
    "have the {whole(rows)} {qty(rows)}row{?s} that the checkpoint has absorbed, not only {whole(passed)}",
    "checkpoint", more = c(i = "The source must start from its beginning again.")
  )
  model <- run$first(data[kept_rows(data, NULL, run), , drop = FALSE])$model
  must(
    encoding_digest(model) == state$encoding, "source",
    "begin with the rows that the checkpoint began with", c("checkpoint_rows", "checkpoint"),
    more = c(i = "Those that it begins with now are encoded in another way.")
  )
  fit <- tryCatch(restore_stream(model, state, run$arguments), error = function(cnd) {
    abort_checkpoint("holds a state that can't be that of a stream", "damaged", run$checkpoint)
  })
  fit$filter <- begun_stream(fit$filter, fit, reader)
  inform_sturdy(
    c(i = "Resumed after {whole(rows)} {qty(rows)}row{?s} in {whole(filter$batches)} {qty(filter$batches)}batch{?es}."),
    "resumed", rows = rows
  )
  fit
}

# Progress ------------------------------------------------------------------

#' A function that shows how far a stream has come; what it shows ends with the frame
#'
#' @param total how many rows there are, which is known of a data frame only. @param before rows of the run that is
#'   resumed.
#' @noRd
stream_progress <- function(progress, total, before, frame = rlang::caller_env()) {
  meter <- progress_meter("Reading", progress, frame)
  started <- seconds_now()
  function(filter) {
    speed <- (filter$rows - before) / max(seconds_now() - started, 1e-3)
    words <- sprintf(
      "%s rows, %s rows/s, prequential error %.4f", whole(filter$rows), whole(signif(speed, 3)),
      filter$errors / filter$rows
    )
    meter(filter$rows, total, words, left = (total - filter$rows) / speed)
  }
}
