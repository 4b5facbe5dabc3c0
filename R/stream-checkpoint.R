# What surrounds the batches of bpm_stream(): the checkpoint, errors that name
# batch and row, and progress.

# Checkpoint ----------------------------------------------------------------

#' The state to go on from, or `NULL` for a run from the first row
#' @noRd
open_checkpoint <- function(checkpoint, resume, arguments, call) {
  resume <- check_resume(resume, checkpoint, call)
  if (is.null(checkpoint)) {
    return(NULL)
  }
  must(
    rlang::is_string(checkpoint) && dir.exists(dirname(checkpoint)) && !dir.exists(checkpoint),
    "checkpoint", "be the path of a file in a folder that exists", "checkpoint",
    got = checkpoint, call = call
  )
  if (resume) unlink(unfinished(checkpoint))
  if (!file.exists(checkpoint)) {
    return(NULL)
  }
  refuse(
    !resume,
    c(
      "The checkpoint {.file {checkpoint}} already exists.",
      i = "Continue from it with {.code resume = TRUE}, or remove it."
    ),
    "checkpoint", arg = "checkpoint", call = call
  )
  read_checkpoint(checkpoint, arguments, call)
}

#' Whether a run goes on from its checkpoint
#' @noRd
check_resume <- function(resume, checkpoint, call) {
  must(
    !isTRUE(resume) || !is.null(checkpoint), "checkpoint", "be given with {.code resume = TRUE}",
    "missing_argument", call = call
  )
  check_flag(resume, "resume", call)
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
  refuse(
    !all(same),
    c(
      "The checkpoint {.file {checkpoint}} belongs to a run with other arguments.",
      x = "Different: {.arg {names(arguments)[!same]}}."
    ),
    "checkpoint", arg = "checkpoint", different = names(arguments)[!same], call = call
  )
  state
}

#' The fit of a state, for the formula and the arguments that made it
#' @noRd
resume_fit <- function(state, formula, spec, run) {
  tryCatch(restore_stream(state, formula, spec, run$call), error = function(cnd) {
    abort_checkpoint(
      "holds a state that can't be that of a stream", "damaged", run$checkpoint,
      run$call
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
    passed >= rows, "source", "have the {whole(rows)} {qty(rows)}row{?s} that the checkpoint has
     absorbed, not only {whole(passed)}", "checkpoint",
    more = c(i = "The source must start from its beginning again."), call = call
  )
  inform_sturdy(
    c(i = "Resumed after {whole(rows)} {qty(rows)}row{?s} in
           {whole(filter$batches)} {qty(filter$batches)}batch{?es}."),
    "resumed", rows = rows
  )
}

#' A file beside the checkpoint first, which then takes its name
#' @noRd
save_checkpoint <- function(fit, checkpoint, call) {
  if (is.null(checkpoint)) {
    return(invisible())
  }
  fresh <- tempfile(paste0(basename(checkpoint), "-"), dirname(checkpoint), ".sturdy-part")
  on.exit(unlink(fresh))
  saved <- tryCatch(
    {
      write_state(fit, fresh)
      file.rename(fresh, checkpoint)
    },
    error = function(cnd) cnd,
    warning = function(cnd) cnd
  )
  refuse(
    !isTRUE(saved), "The checkpoint {.file {checkpoint}} can't be written.", "checkpoint",
    arg = "checkpoint", fit = fit, parent = if (inherits(saved, "condition")) saved, call = call
  )
}

#' What runs that were killed while writing left beside a checkpoint
#' @noRd
unfinished <- function(checkpoint) {
  files <- list.files(dirname(checkpoint), all.files = TRUE)
  start <- paste0(basename(checkpoint), "-")
  rest <- substring(files, nchar(start) + 1)
  ours <- startsWith(files, start) & grepl("^[0-9a-f]+[.]sturdy-part$", rest)
  file.path(dirname(checkpoint), files[ours])
}

# Errors --------------------------------------------------------------------

#' Evaluates `code`; an error says in which batch and row it came up
#'
#' @param fit,filter the fit before the batch, and its counts. @param data the rows
#'   of the batch that are absorbed, `NULL` before they are known. @param kept their
#'   positions in the batch.
#' @noRd
in_batch <- function(code, fit, filter, run, data = NULL, kept = NULL) {
  tryCatch(code, error = function(cnd) {
    row <- as.double(bad_row(cnd, fit, data))
    if (!is.null(kept)) {
      row <- as.double(kept[row])
    }
    abort_batch(cnd, fit, filter, row, run)
  })
}

abort_batch <- function(cnd, fit, filter, batch_row, run) {
  done <- filter$rows
  batch <- filter$batches + 1
  row <- filter$source_rows + batch_row
  checkpoint <- run$checkpoint
  abort_sturdy(
    c(
      if (is.na(row)) {
        "Batch {whole(batch)} can't be read: it would begin with row
         {whole(filter$source_rows + 1)} of the stream."
      } else {
        "Batch {whole(batch)} can't be absorbed: row {whole(batch_row)} of the batch,
         row {whole(row)} of the stream."
      },
      i = if (done > 0) {
        "The field {.code fit} of this error is the fit to the {whole(done)}
         {qty(done)}row{?s} before the batch."
      },
      i = if (done > 0 && !is.null(checkpoint)) {
        "{.file {checkpoint}} contains the same fit: correct the source, then continue
         with {.code resume = TRUE}."
      }
    ),
    c("batch", sub("^sturdy_error_", "", error_classes(cnd))),
    batch = batch, row = row, batch_row = batch_row, fit = fit, parent = cnd,
    call = run$call
  )
}

error_classes <- function(cnd) {
  grep("^sturdy_error_", class(cnd), value = TRUE)
}

#' The row of a batch that an error is about
#'
#' Most errors know it. Otherwise it is the last row of the shortest beginning of
#' the batch that also has the error, found by halving.
#' @noRd
bad_row <- function(cnd, fit, data) {
  known <- c(cnd$row, cnd$rows)
  if (length(known)) {
    return(min(known))
  }
  if (is.null(data) && !inherits(cnd, "sturdy_error")) { # the source failed
    return(NA)
  }
  if (is.null(data) || is.null(fit)) {
    return(1)
  }
  fails <- function(n) {
    tryCatch(
      {
        forge_labelled(
          fit$blueprint, data[seq_len(n), , drop = FALSE], NULL, NULL, NULL
        )
        FALSE
      },
      error = function(cnd) TRUE
    )
  }
  below <- 0
  above <- nrow(data)
  while (above - below > 1) {
    middle <- (below + above) %/% 2
    if (fails(middle)) above <- middle else below <- middle
  }
  above
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
