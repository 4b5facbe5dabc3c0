# What surrounds the batches of bpm_stream(): the checkpoint and progress.

# Checkpoint ----------------------------------------------------------------

#' The state to go on from, or `NULL` for a run from the first row
#' @noRd
open_checkpoint <- function(checkpoint, resume, arguments) {
  check_resume(
    checkpoint, resume, dir.exists(dirname(checkpoint)) && !dir.exists(checkpoint),
    "be the path of a file in a folder that exists", file.exists(checkpoint),
    "The checkpoint {.file {checkpoint}} already exists.", "it"
  )
  if (resume) remove_files(unfinished(checkpoint))
  if (is.null(checkpoint) || !file.exists(checkpoint)) {
    return(NULL)
  }
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
  if (!is.null(filter$columns)) reader$settle(stats::setNames(filter$classes, filter$columns))
  rows <- filter$source_rows
  passed <- reader$skip(filter$begun[1])
  parts <- list()
  while (passed < sum(filter$begun) && !is.null(part <- reader$read(sum(filter$begun) - passed))) {
    parts[[length(parts) + 1]] <- part
    passed <- passed + nrow(part)
  }
  data <- do.call(rbind, parts)
  passed <- passed + reader$skip(rows - passed)
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

save_checkpoint <- function(fit, checkpoint) {
  if (!is.null(checkpoint)) {
    trying(
      write_state(fit, checkpoint), "The checkpoint {.file {checkpoint}} can't be written.",
      "checkpoint", arg = "checkpoint", fit = fit
    )
  }
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
    seconds <- seconds_now() - started
    done <- filter$rows - before
    words <- sprintf(
      "%s rows, %s rows/s, prequential error %.4f", whole(filter$rows),
      whole(signif(done / max(seconds, 1e-3), 3)), filter$errors / filter$rows
    )
    meter(filter$rows, total, words, left = seconds * (total - filter$rows) / done)
  }
}
