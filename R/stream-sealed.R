# Files that runs go on from: one line of text with what it is, its format, a size and a
# digest of the bytes that follow, which are vectors of numbers and of strings: nothing in them is run.
# Such a file is complete at all times, and nothing of it is used that the digest does not cover. A *kind*
# of them is a list
#   magic, format     how the line begins; the format is raised whenever what is saved changes
#   what              in words: what it holds
#   numbers, strings  names of what it holds, in this order

#' The line before the payload
#' @noRd
seal <- function(kind, payload) {
  charToRaw(sprintf("%s%04d %015.0f %s\n", kind$magic, kind$format, length(payload), digest(payload)))
}

#' @param state list of vectors, those of strings without line breaks and missing values. @param ... fields of
#'   the error where it can't be written.
#' @noRd
write_sealed <- function(file, kind, state, ...) {
  state <- state[c(kind$numbers, kind$strings)]
  numbers <- unlist(state[kind$numbers], use.names = FALSE)
  strings <- enc2utf8(as.character(unlist(state[kind$strings])))
  payload <- c(
    writeBin(lengths(state), raw(), endian = "little"),
    writeBin(as.double(numbers), raw(), endian = "little"),
    charToRaw(paste0(strings, "\n", collapse = ""))
  )
  trying(
    write_file(file, function(put) put(c(seal(kind, payload), payload))),
    "The checkpoint {.file {file}} can't be written.", "checkpoint", arg = "checkpoint", ...
  )
}

#' @param made_of function of what write_sealed() was given, an error where it contradicts itself.
#' @return its value
#' @noRd
read_sealed <- function(file, kind, made_of = identity) {
  bytes <- readBin(file, "raw", file.size(file))
  line <- seq_along(bytes) <= length(seal(kind, raw()))
  payload <- bytes[!line]
  text <- rawToChar(bytes[line & bytes > 0 & bytes < 128])
  format <- suppressWarnings(as.integer(substring(text, nchar(kind$magic) + 1, nchar(kind$magic) + 4)))
  state <- if (identical(seal(kind, payload), bytes[line])) {
    # an error where a forger has the seal right
    tryCatch(suppressWarnings(made_of(unpacked(payload, kind))), error = function(cnd) NULL)
  }
  if (!startsWith(text, kind$magic)) {
    abort_checkpoint(paste("does not contain", kind$what), "damaged", file)
  } else if (!is.na(format) && format != kind$format) {
    abort_checkpoint(paste("was made by another version of sturdy: its format is", format), "version", file)
  } else if (is.null(state)) abort_checkpoint("is damaged", "damaged", file)
  state
}

unpacked <- function(payload, kind) {
  con <- rawConnection(payload)
  on.exit(close(con))
  fields <- c(kind$numbers, kind$strings)
  sizes <- stats::setNames(readBin(con, "integer", length(fields), endian = "little"), fields)
  parts <- function(values, names) {
    stopifnot(length(values) == sum(sizes[names]))
    split(values, rep(factor(names, names), sizes[names]))
  }
  c(
    parts(readBin(con, "double", sum(sizes[kind$numbers]), endian = "little"), kind$numbers),
    parts(readLines(con, encoding = "UTF-8"), kind$strings)
  )
}

#' @param what follows the name of the file. @param kind short name of a further class.
#' @noRd
abort_checkpoint <- function(what, kind, file) {
  class <- c(paste0("checkpoint_", kind), "checkpoint")
  abort_sturdy("The checkpoint {.file {file}} {what}.", class, arg = "checkpoint")
}

#' Arguments of a run that may be resumed
#' @param folder whether the checkpoint is a folder of files, and not one.
#' @noRd
check_resume <- function(checkpoint, resume, folder = FALSE) {
  check_flag(resume, "resume")
  if (is.null(checkpoint)) {
    must(!resume, "checkpoint", "be given with {.code resume = TRUE}", "missing_argument")
    return(invisible())
  }
  usable <- rlang::is_string(checkpoint) && dir.exists(if (folder) checkpoint else dirname(checkpoint)) &&
    dir.exists(checkpoint) == folder
  what <- if (folder) "be a folder that exists" else "be the path of a file in a folder that exists"
  must(usable, "checkpoint", what, "checkpoint", got = checkpoint)
  taken <- if (folder) length(dir(checkpoint, "[.]sites$")) > 0 else file.exists(checkpoint)
  there <- if (folder) c("folder", "holds sites", "them") else c("checkpoint", "exists", "it")
  refuse(
    taken && !resume, c("The {there[1]} {.file {checkpoint}} already {there[2]}.",
      i = "Continue from {there[3]} with {.code resume = TRUE}, or remove {there[3]}."),
    "checkpoint", arg = "checkpoint"
  )
}
