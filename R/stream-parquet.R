# Batches of Parquet files, by the package nanoparquet: the columns that are needed of one file at a
# time are in memory.

#' The files that a path stands for: one, or those of a folder; none where it is no Parquet
#' @noRd
parquet_files <- function(path) {
  ends <- "[.]parquet$"
  if (!dir.exists(path)) {
    return(path[grepl(ends, path, ignore.case = TRUE)])
  }
  found <- list.files(path, ends, full.names = TRUE, recursive = TRUE, ignore.case = TRUE)
  sort(found, method = "radix")
}

is_parquet <- function(path) length(parquet_files(path)) > 0

check_parquet <- function() {
  refuse(
    !rlang::is_installed("nanoparquet", version = "0.4.0"),
    "Parquet files need the package {.pkg nanoparquet}, 0.4.0 or later, which is not installed.",
    "package"
  )
}

parquet_source <- function(path, batch_size) {
  check_parquet()
  files <- rows <- wanted <- NULL
  open <- function() {
    files <<- parquet_files(path)
    for (file in files) {
      check_file(file)
      nanoparquet::read_parquet_info(file) # a damaged one is noticed before any row is taken
    }
    rows <<- NULL
  }
  fetch <- function() {
    repeat {
      batch <- if (!is.null(rows)) rows$read()
      if (!is.null(batch) || !length(files)) {
        return(batch)
      }
      data <- parquet_rows(files[1], wanted)
      files <<- files[-1]
      rows <<- frame_source(data, batch_size)
    }
  }
  new_source(open, fetch, close = function() rows <<- NULL, keep = function(names) wanted <<- names)
}

#' @param wanted names of columns; those that are not there are missed by others. `NULL`: all.
#' @noRd
parquet_rows <- function(file, wanted) {
  if (!is.null(wanted)) {
    wanted <- intersect(wanted, nanoparquet::read_parquet_schema(file)$name[-1])
  }
  data <- nanoparquet::read_parquet(file, wanted)
  structure(as.list(data), class = "data.frame", row.names = .set_row_names(nrow(data)))
}
