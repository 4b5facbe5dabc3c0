# What surrounds the batches of bpm_stream(): the checkpoint, errors that name
# batch and row, and progress.

# Checkpoint ----------------------------------------------------------------

#' The fit to go on from, or `NULL` for a run from the first row
#' @noRd
open_checkpoint <- function(checkpoint, resume, arguments, call) {
  resume <- check_flag(resume, "resume", call = call)
  if (is.null(checkpoint)) {
    if (resume) {
      abort_sturdy(
        "{.arg checkpoint} must be given with {.code resume = TRUE}.",
        "missing_argument", arg = "checkpoint", call = call
      )
    }
    return(NULL)
  }
  if (!is.character(checkpoint) || length(checkpoint) != 1 || is.na(checkpoint) ||
    !dir.exists(dirname(checkpoint))) {
    abort_sturdy(
      "{.arg checkpoint} must be the path of a file in a folder that exists, not
       {describe(checkpoint)}.",
      "checkpoint", arg = "checkpoint", call = call
    )
  }
  if (!file.exists(checkpoint)) {
    return(NULL)
  }
  if (!resume) {
    abort_sturdy(
      c(
        "The checkpoint {.file {checkpoint}} exists.",
        i = "Go on from it by {.code resume = TRUE}, or remove it."
      ),
      "checkpoint", arg = "checkpoint", call = call
    )
  }
  read_checkpoint(checkpoint, arguments, call)
}

read_checkpoint <- function(checkpoint, arguments, call) {
  fit <- tryCatch(
    suppressWarnings(readRDS(checkpoint)),
    error = function(cnd) {
      abort_sturdy(
        "The checkpoint {.file {checkpoint}} can't be read.",
        "checkpoint", arg = "checkpoint", parent = cnd, call = call
      )
    }
  )
  if (!inherits(fit, "bpm") || is.null(fit$filter$arguments)) {
    abort_sturdy(
      "The checkpoint {.file {checkpoint}} is not the state of a stream.",
      "checkpoint", arg = "checkpoint", call = call
    )
  }
  then <- fit$filter$arguments
  same <- vapply(names(arguments), function(name) {
    identical(arguments[[name]], then[[name]])
  }, logical(1))
  if (!all(same)) {
    abort_sturdy(
      c(
        "The checkpoint {.file {checkpoint}} is of a run with other arguments.",
        x = "Different: {.arg {names(arguments)[!same]}}."
      ),
      "checkpoint", arg = "checkpoint", different = names(arguments)[!same],
      call = call
    )
  }
  fit
}

#' Passes over the rows that a fit has absorbed
#' @noRd
resume_reader <- function(reader, fit, call) {
  stream <- fit$filter
  if (!is.null(reader$learned()) && !is.null(stream$columns)) {
    reader$learn(stream[c("columns", "classes")])
  }
  passed <- reader$skip(stream$rows)
  if (passed < stream$rows) {
    abort_sturdy(
      c(
        "{.arg source} must have the {whole(stream$rows)}
         {qty(stream$rows)}row{?s} that the checkpoint has absorbed, not only
         {whole(passed)}.",
        i = "It must start from its beginning again."
      ),
      "checkpoint", arg = "source", call = call
    )
  }
  inform_sturdy(
    c(i = "Resumed after {whole(stream$rows)} {qty(stream$rows)}row{?s} in
           {whole(stream$batches)} {qty(stream$batches)}batch{?es}."),
    "resumed", rows = stream$rows
  )
}

#' A file beside the checkpoint first, which then takes its name
#' @noRd
save_checkpoint <- function(fit, checkpoint, call) {
  if (is.null(checkpoint)) {
    return(invisible())
  }
  fresh <- tempfile(paste0(basename(checkpoint), "-"), dirname(checkpoint))
  on.exit(unlink(fresh))
  saved <- tryCatch(
    {
      saveRDS(fit, fresh, compress = FALSE)
      file.rename(fresh, checkpoint)
    },
    error = function(cnd) cnd,
    warning = function(cnd) cnd
  )
  if (!isTRUE(saved)) {
    abort_sturdy(
      "The checkpoint {.file {checkpoint}} can't be written.",
      "checkpoint", arg = "checkpoint", fit = fit,
      parent = if (inherits(saved, "condition")) saved, call = call
    )
  }
}

# Errors --------------------------------------------------------------------

#' Evaluates `code`; an error says in which batch and row it came up
#'
#' @param fit the fit before the batch. @param data the batch, `NULL` while it is
#'   being read.
#' @noRd
in_batch <- function(code, fit, data, checkpoint, call) {
  tryCatch(code, error = function(cnd) {
    abort_batch(cnd, fit, data, checkpoint, call)
  })
}

abort_batch <- function(cnd, fit, data, checkpoint, call) {
  done <- if (is.null(fit)) 0 else fit$filter$rows
  batch <- if (is.null(fit)) 1 else fit$filter$batches + 1
  batch_row <- as.double(bad_row(cnd, fit, data))
  row <- done + batch_row
  abort_sturdy(
    c(
      "Batch {whole(batch)} can't be absorbed: row {whole(batch_row)} of the batch,
       row {whole(row)} of the stream.",
      i = if (done > 0) {
        "The field {.code fit} of this error is the fit to the {whole(done)}
         {qty(done)}row{?s} before the batch."
      },
      i = if (done > 0 && !is.null(checkpoint)) {
        "So is {.file {checkpoint}}: correct the source, then go on by
         {.code resume = TRUE}."
      }
    ),
    c("batch", sub("^sturdy_error_", "", error_classes(cnd))),
    batch = batch, row = row, batch_row = batch_row, fit = fit, parent = cnd,
    call = call
  )
}

error_classes <- function(cnd) {
  grep("^sturdy_error_", class(cnd), value = TRUE)
}

#' The row of a batch that an error is about
#'
#' Most errors know it. Otherwise it is the last row of the shortest beginning of
#' the batch that has the error, too: found by halving.
#' @noRd
bad_row <- function(cnd, fit, data) {
  known <- c(cnd$row, cnd$rows)
  if (length(known)) {
    return(min(known))
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

#' A function that shows how far a fit has come; the bar ends with the frame
#' @noRd
stream_progress <- function(frame = rlang::caller_env()) {
  started <- proc.time()[["elapsed"]]
  before <- NULL
  bar <- cli::cli_progress_bar(
    format = "{cli::pb_spin} {cli::pb_extra$line}",
    total = NA, extra = list(line = "reading"), .envir = frame
  )
  function(fit) {
    stream <- fit$filter
    if (is.null(before)) {
      before <<- stream$rows - utils::tail(diff(c(0, stream$history$rows)), 1)
    }
    seconds <- proc.time()[["elapsed"]] - started
    rate <- (stream$rows - before) / max(seconds, 1e-3)
    line <- sprintf(
      "%s rows, %s rows/s, prequential error %.4f",
      whole(stream$rows), whole(signif(rate, 3)), stream$errors / stream$rows
    )
    cli::cli_progress_update(id = bar, extra = list(line = line))
  }
}
