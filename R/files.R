# Files, each written so that whoever reads it finds the old one or the new one, and either
# whole: what is written goes to a file beside, which takes the name when all of it is there.
# Names mean what they say: without `expand = FALSE` R takes a * in the name of a folder for
# other folders.

#' Writes a file
#'
#' @param write function(put): what there is to write, handed to `put()` piece by piece, each
#'   a raw vector or lines of text.
#' @return `file`, invisibly. An error where a piece can't be written, as on a full disk; the
#'   old file, if there was one, is then as it was.
#' @noRd
write_file <- function(file, write) {
  fresh <- character()
  con <- NULL
  size <- 0
  on.exit(if (!is.null(con)) close(con))
  on.exit(remove_files(fresh), add = TRUE)
  to_disk <- function(code) {
    done <- tryCatch(code, error = identity, warning = identity)
    refuse(
      inherits(done, "condition") || isFALSE(done),
      c("{.file {strtrim(file, 1000)}} can't be written.", i = "Is the disk full, or the folder protected?"),
      "file", arg = "file", parent = if (inherits(done, "error")) done
    )
  }
  to_disk(file <- normalizePath(file, mustWork = FALSE)) # of a link what it leads to; names may be too long
  to_disk(fresh <- tempfile(paste0(basename(file), "-"), dirname(file), ".sturdy-part"))
  to_disk(con <- base::file(fresh, "wb"))
  write(function(piece) {
    if (is.character(piece)) piece <- charToRaw(paste0(enc2utf8(piece), "\n", collapse = ""))
    to_disk(writeBin(piece, con))
    size <<- size + length(piece)
  })
  flushed <- suppressWarnings(close(con))
  con <- NULL
  to_disk(identical(flushed, 0L) && file.size(fresh) == size)
  to_disk(file.rename(fresh, file))
  invisible(file)
}

#' What runs that were killed while writing left beside a file
#' @noRd
unfinished <- function(file) {
  files <- list.files(dirname(file), all.files = TRUE)
  start <- paste0(basename(file), "-")
  rest <- substring(files, nchar(start) + 1)
  ours <- startsWith(files, start) & grepl("^[0-9a-f]+[.]sturdy-part$", rest)
  file.path(dirname(file), files[ours])
}

remove_files <- function(files, recursive = FALSE) {
  unlink(files, recursive = recursive, expand = FALSE)
}
