# The sites of a shard in a file, 16 bytes a row: what a run needs to go on after it was
# stopped. tau and nu of all rows, and a digest of these.

sites_kind <- list(
  magic = "sturdy sites ", format = 3L, what = "the sites of a shard", numbers = c("tau", "nu"),
  strings = "rows"
)

#' Saves the sites of the blocks
#' @param sites list(tau, nu) a block.
#' @noRd
save_sites <- function(state, sites) {
  all <- function(what) unlist(lapply(sites, `[[`, what))
  trying(
    write_sealed(state$file, sites_kind, list(tau = all("tau"), nu = all("nu"), rows = state$digest)),
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
  if (!file.exists(file)) {
    return(length(state$blocks) == 0)
  }
  held <- read_sealed(file, sites_kind)
  if (held$rows != state$digest) abort_checkpoint("holds the sites of other rows", "rows", file)
  shard_hold(state, held[c("tau", "nu")])
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
