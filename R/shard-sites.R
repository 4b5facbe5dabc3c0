# The sites of a shard in a file, 16 bytes a row: what a run needs to go on after it was
# stopped. tau and nu of all rows, sealed with their number and a digest of the rows.

sites_kind <- list(
  magic = "sturdy sites ", format = 2L, what = "the sites of a shard",
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
    "The sites can't be saved.", "checkpoint"
  )
}

#' Sites that an earlier run has saved become those of the blocks
#' @return whether there were, or there is nothing to save
#' @noRd
take_saved_sites <- function(state) {
  file <- state$file
  if (is.null(file) || !isTRUE(state$options$resume)) {
    return(FALSE)
  }
  remove_files(unfinished(file))
  sizes <- vapply(state$blocks, `[[`, numeric(1), "n")
  n <- sum(sizes)
  if (!file.exists(file)) {
    return(n == 0)
  }
  payload <- read_sealed(file, sites_kind, function(payload) length(payload) / 16, state$digest)
  values <- readBin(payload, "double", 2 * n, endian = "little")
  shard_hold(state, list(tau = values[seq_len(n)], nu = values[n + seq_len(n)]))
  TRUE
}

#' Takes sites to start from
#' @param sites list(tau, nu) of all rows.
#' @noRd
shard_hold <- function(state, sites) {
  before <- 0
  for (block in state$blocks) {
    block$good <- lapply(sites, `[`, before + seq_len(block$n))
    before <- before + block$n
  }
  NULL
}

sites_files <- function(folder, size) {
  if (is.null(folder)) {
    return(vector("list", size))
  }
  as.list(file.path(folder, sprintf("shard-%05d.sites", seq_len(size))))
}
