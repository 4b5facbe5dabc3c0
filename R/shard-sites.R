# The sites of a shard in a file, 16 bytes a row: what a run needs to go on after it was
# stopped. tau and nu of all rows, sealed with their number and a digest of the rows.

sites_kind <- list(
  magic = "sturdy sites ", format = 1L, what = "the sites of a shard",
  other = "the sites of other rows"
)

#' Saves the sites of the blocks
#' @param sites list(tau, nu) a block.
#' @noRd
save_sites <- function(state, sites) {
  values <- c(
    unlist(lapply(sites, `[[`, "tau")), unlist(lapply(sites, `[[`, "nu"))
  )
  payload <- writeBin(as.double(values), raw(), endian = "little")
  trying(
    write_sealed(state$file, sites_kind, length(values) / 2, state$digest, payload),
    "The sites can't be saved.", "checkpoint", call = NULL
  )
}

#' Saved sites, as list(tau, nu) a block; `NULL` where none were saved
#' @param sizes rows of the blocks.
#' @noRd
read_sites <- function(file, digest, sizes) {
  remove_files(unfinished(file))
  if (!file.exists(file)) {
    return(NULL)
  }
  n <- sum(sizes)
  rows <- function(payload) length(payload) / 16
  payload <- read_sealed(file, sites_kind, rows, digest)
  values <- readBin(payload, "double", 2 * n, endian = "little")
  last <- cumsum(sizes)
  Map(function(from, to) {
    list(tau = values[from:to], nu = values[n + from:to])
  }, last - sizes + 1, last)
}

sites_files <- function(folder, size) {
  if (is.null(folder)) {
    return(vector("list", size))
  }
  as.list(file.path(folder, sprintf("shard-%05d.sites", seq_len(size))))
}
