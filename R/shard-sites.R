# The sites of a shard in a file, 16 bytes a row: what a run needs to go on after it was
# stopped. One line of text with the number of rows, a digest of the rows and one of what
# follows; then tau and nu of all rows.

sites_magic <- "sturdy sites 0001 "

sites_header <- function(n, rows, payload) {
  charToRaw(sprintf("%s%015.0f %s %s\n", sites_magic, n, rows, rlang::hash(payload)))
}

#' Saves the sites of the blocks; the file is complete at all times
#' @param sites list(tau, nu) a block.
#' @noRd
save_sites <- function(state, sites) {
  values <- c(
    unlist(lapply(sites, `[[`, "tau")), unlist(lapply(sites, `[[`, "nu"))
  )
  payload <- writeBin(as.double(values), raw(), endian = "little")
  beside <- paste0(state$file, ".new")
  writeBin(c(sites_header(length(values) / 2, state$digest, payload), payload), beside)
  refuse(
    !file.rename(beside, state$file), "The sites can't be saved in {.file {state$file}}.",
    "checkpoint", call = NULL
  )
  NULL
}

#' Saved sites, as list(tau, nu) a block; `NULL` where none were saved
#' @param sizes rows of the blocks.
#' @noRd
read_sites <- function(file, digest, sizes) {
  unlink(paste0(file, ".new"))
  if (!file.exists(file)) {
    return(NULL)
  }
  n <- sum(sizes)
  bytes <- readBin(file, "raw", file.size(file))
  header <- seq_len(length(sites_header(0, digest, raw())))
  payload <- bytes[-header]
  if (!identical(bytes[seq_along(charToRaw(sites_magic))], charToRaw(sites_magic)) ||
    length(payload) %% 16 != 0) {
    abort_checkpoint("does not contain the sites of a shard", "damaged", file, NULL)
  }
  text <- rawToChar(bytes[header])
  if (!identical(text, rawToChar(sites_header(length(payload) / 16, digest, payload)))) {
    if (grepl(rlang::hash(payload), text, fixed = TRUE)) {
      abort_checkpoint("holds the sites of other rows", "rows", file, NULL)
    }
    abort_checkpoint("is damaged", "damaged", file, NULL)
  }
  values <- readBin(payload, "double", 2 * n, endian = "little")
  last <- cumsum(sizes)
  Map(function(from, to) {
    list(tau = values[from:to], nu = values[n + from:to])
  }, last - sizes + 1, last)
}

#' The folder of a checkpoint, `NULL` for none; whether a run may use it
#' @noRd
check_sites_folder <- function(checkpoint, resume, call) {
  resume <- check_resume(resume, checkpoint, call)
  if (is.null(checkpoint)) {
    return(NULL)
  }
  must(
    rlang::is_string(checkpoint) && dir.exists(checkpoint), "checkpoint",
    "be a folder that exists", "checkpoint", got = checkpoint, call = call
  )
  refuse(
    !resume && length(dir(checkpoint, "[.]sites$")),
    c(
      "The folder {.file {checkpoint}} already holds sites.",
      i = "Continue from them with {.code resume = TRUE}, or remove them."
    ),
    "checkpoint", arg = "checkpoint", call = call
  )
  normalizePath(checkpoint)
}

sites_files <- function(folder, size) {
  if (is.null(folder)) {
    return(vector("list", size))
  }
  as.list(file.path(folder, sprintf("shard-%05d.sites", seq_len(size))))
}
