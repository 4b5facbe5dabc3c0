# Files that runs go on from: one line of text with what it is, its format, a size and
# digests, the last of them of the bytes that follow. Such a file is complete at all times,
# and nothing of it is used that the digests do not cover. A *kind* of them is a list
#   magic, format   how the line begins; the format is raised whenever what is saved changes
#   what, other     in words: what it holds, and what it holds under another digest

#' The line before the payload
#' @noRd
seal <- function(kind, size, digests, payload) {
  digests <- paste(c(digests, digest(payload)), collapse = " ")
  charToRaw(sprintf("%s%04d %015.0f %s\n", kind$magic, kind$format, size, digests))
}

write_sealed <- function(file, kind, size, digests, payload) {
  write_file(file, function(put) {
    put(seal(kind, size, digests, payload))
    put(payload)
  })
}

#' The payload of a file
#' @param size function(payload): the size that the line must name.
#' @noRd
read_sealed <- function(file, kind, size, digests = NULL) {
  bytes <- readBin(file, "raw", file.size(file))
  line <- seq_along(bytes) <= length(seal(kind, 0, digests, raw()))
  payload <- bytes[!line]
  text <- rawToChar(bytes[line & bytes > 0 & bytes < 128])
  format <- substring(text, nchar(kind$magic) + 1, nchar(kind$magic) + 4)
  if (!startsWith(text, kind$magic)) {
    abort_checkpoint(paste("does not contain", kind$what), "damaged", file)
  }
  if (grepl("^[0-9]{4}$", format) && as.integer(format) != kind$format) {
    abort_checkpoint(
      paste("was made by another version of sturdy: its format is", as.integer(format)),
      "version", file
    )
  }
  if (!identical(seal(kind, size(payload), digests, payload), bytes[line])) {
    others <- !is.null(digests) && grepl(digest(payload), text, fixed = TRUE)
    if (others) abort_checkpoint(paste("holds", kind$other), "rows", file)
    abort_checkpoint("is damaged", "damaged", file)
  }
  payload
}

#' @param what follows the name of the file. @param kind short name of a further class.
#' @noRd
abort_checkpoint <- function(what, kind, file) {
  abort_sturdy(
    "The checkpoint {.file {file}} {what}.",
    c(paste0("checkpoint_", kind), "checkpoint"), arg = "checkpoint"
  )
}

#' Arguments of a run that may be resumed
#'
#' Others than these two are promises: they are looked at in their turn.
#' @param usable,words which checkpoints there may be. @param taken whether one is there
#'   already, and `there`, in words, with `it`.
#' @noRd
check_resume <- function(checkpoint, resume, usable, words, taken, there, it) {
  check_flag(resume, "resume")
  if (is.null(checkpoint)) {
    must(!resume, "checkpoint", "be given with {.code resume = TRUE}", "missing_argument")
    return(invisible())
  }
  must(rlang::is_string(checkpoint) && usable, "checkpoint", words, "checkpoint", got = checkpoint)
  refuse(
    !resume && taken,
    c(there, i = "Continue from {it} with {.code resume = TRUE}, or remove {it}."),
    "checkpoint", arg = "checkpoint"
  )
}
