# What shards make of messages and need again: points and sites, under the number of the
# message. Where there are workers these are files, written once; whoever makes one again makes
# the same. Sites may also be saved in a checkpoint, 16 bytes a row: what a run needs to go on
# after it was stopped. tau and nu of all rows, and a digest of these.

sites_kind <- list(
  magic = "sturdy sites ", format = 3L, what = "the sites of a shard", numbers = c("tau", "nu"),
  strings = "rows"
)

run_hours <- 1 # without a new file in its folder a run is taken for killed

#' A folder for what is made; what killed runs have left in a checkpoint goes
#' @noRd
run_folder <- function(checkpoint, wanted) {
  if (!is.null(checkpoint)) {
    left <- dir(checkpoint, "^sturdy-run-[0-9a-f]+$", full.names = TRUE)
    at_work <- function(run) { # signs of life are in files
      Sys.time() - max(file.mtime(c(run, dir(run, full.names = TRUE)))) < as.difftime(run_hours, units = "hours")
    }
    remove_files(Filter(Negate(at_work), left), recursive = TRUE)
  }
  if (wanted) {
    folder <- tempfile("sturdy-run-", if (is.null(checkpoint)) tempdir() else checkpoint)
    dir.create(folder, showWarnings = FALSE) # what is written there tells
    folder
  }
}

made_files <- function(folder, shards, number) file.path(folder, sprintf("%05d-%d", shards, number))

#' @param value a list, of points with an n x 4 matrix a block, of sites with tau and nu of all rows.
#' @noRd
shard_hold <- function(state, value) {
  state$made[[as.character(state$number)]] <- value
  if (!is.null(state$folder)) write_made(value, made_files(state$folder, state$shard, state$number))
}

write_made <- function(value, file) {
  # a task that comes late does not change what others have read
  if (!file.exists(file)) write_file(file, function(put) put(serialize(value, NULL, xdr = FALSE)))
}

made_under <- function(state, number) {
  name <- as.character(number)
  if (is.null(state$made[[name]])) state$made[[name]] <- read_made(state$folder, state$shard, number)
  state$made[[name]]
}

read_made <- function(folder, shard, number) {
  file <- made_files(folder, shard, number)
  must(file.exists(file), "checkpoint", "be a folder that all workers see: {.path {file}} is not there", "checkpoint")
  readRDS(file)
}

#' The sites of all rows, of those of the blocks
#' @noRd
all_sites <- function(sites) {
  list(tau = unlist(lapply(sites, `[[`, "tau")), nu = unlist(lapply(sites, `[[`, "nu")))
}

#' Sites in the checkpoint, if there is one
#' @param sites of the blocks.
#' @noRd
save_sites <- function(state, sites) {
  if (!is.null(state$saved)) write_sealed(state$saved, sites_kind, c(all_sites(sites), list(rows = state$digest)))
}

#' Takes the sites that an earlier run has saved
#' @return whether there were, or there is nothing to save
#' @noRd
shard_resume <- function(state) {
  file <- state$saved
  remove_files(unfinished(file))
  if (!file.exists(file)) {
    return(length(state$blocks) == 0)
  }
  held <- read_sealed(file, sites_kind)
  n <- sum(vapply(state$blocks, `[[`, numeric(1), "n"))
  if (!identical(held$rows, state$digest) || any(lengths(held[c("tau", "nu")]) != n)) {
    abort_checkpoint("holds the sites of other rows", "rows", file)
  }
  shard_hold(state, held[c("tau", "nu")])
  TRUE
}

#' Whoever waits for a task is told that there is progress, where a folder is between them
#' @noRd
sign_of_life <- function(state) {
  now <- seconds_now()
  if (!is.null(state$folder) && now - state$signed > 1) {
    state$signed <- now
    cat(".", file = sign_file(state$folder, state$shard), append = TRUE)
  }
}

sign_file <- function(folder, shard) file.path(folder, paste0("sign-", shard))
