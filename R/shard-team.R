# Who is asked for what: a *team* is an environment with
#   size           number of shards
#   ask(verb, args, each, only)  what the shards, all unless told otherwise, answer to a
#                  message (shard-task.R), in their order; `each`: further arguments, a list
#                  for each shard there is
#   sum(verb, args, add)   the sum of what they answer, always in that order
#   close()        forgets the run
#   table          where it is one of a database, see shard-table.R; else there is none
#   run, folder    its id, and where files of it are, `NULL` without workers
#   number         of the last message; under it shards keep what they have made of it
#   written        numbers under which there may be files
# and what those who ask set for the messages that follow:
#   log            what every message tells: how rows are encoded (encode_shards()) and what
#                  features are made of (latent_shards())
#   resumed        whether there are sites of an earlier run, or before encoding whether to look
#   digests        of the encoded rows of each shard
#   points, sites  numbers of those that messages may still name, newest first: others are dropped
# A task is a function of its message and of files, so it can be done by anyone, twice or
# anew; and a sum does not depend on who computes its terms: results are the same to the last
# bit however many workers there are, and whether or not some of them are lost.

#' @param shards see shards(). @param cluster `NULL` for this process, a mapper or a cluster.
#' @noRd
new_team <- function(shards, cluster = NULL) {
  if (!is.null(cluster)) check_cluster(cluster)
  folder <- run_folder(shards$folder, !is.null(cluster))
  do_tasks <- if (is.null(cluster)) tasks_here else tasks_by(cluster, shards$options$patience, folder)
  abouts <- lapply(seq_along(shards$sources), about_shard, shards)
  # an id that takes no random numbers
  run <- digest(list(tempfile(), Sys.time(), Sys.info()[["nodename"]], Sys.getpid()))
  team <- list2env(list(
    size = length(abouts), run = run, folder = folder, number = 0, resumed = shards$options$resume
  ))
  team$close <- function() {
    rm(list = ls(shard_cache, pattern = run), envir = shard_cache)
    if (!is.null(folder)) remove_files(folder, recursive = TRUE)
  }
  team$ask <- function(verb, args = list(), each = NULL, only = seq_len(team$size)) {
    message <- next_message(team, verb, args)
    if (!is.null(folder)) renew_files(team, message$kept, abouts)
    items <- lapply(only, function(k) {
      list(shard = k, each = each[[k]], digest = team$digests[k], about = if (is.null(folder)) abouts[[k]])
    })
    Map(check_answer, do_tasks(items, message), shards$sources[only]) # both in the order of `only`
  }
  team$sum <- function(verb, args, add) add_up(team$ask(verb, args), add)
  team
}

#' What is to be known of a shard by whoever does its tasks
#' @return list(source: where its rows come from, see shards(); options of shards(); saved: the file of its
#'   sites in a checkpoint, or `NULL`)
#' @noRd
about_shard <- function(k, shards) {
  saved <- if (!is.null(shards$folder)) file.path(shards$folder, sprintf("shard-%05d.sites", k))
  list(source = shards$sources[[k]], options = shards$options, saved = saved)
}

next_message <- function(team, verb, args) {
  team$number <- team$number + 1
  list(
    run = team$run, number = team$number, verb = verb, args = args, log = team$log,
    kept = c(team$points, team$sites), folder = team$folder, blas = if (!is.null(team$folder)) blas_in_use()
  )
}

#' The files of a run before a message: those of shards are there, others only under numbers that are kept
#'
#' A task that comes late may write one that is gone. It does no harm, and goes with the folder.
#' @param abouts of all shards, which may have a data frame: each is read once by whoever has the shard.
#' @noRd
renew_files <- function(team, kept, abouts) {
  files <- function(numbers) made_files(team$folder, seq_along(abouts), rep(numbers, each = length(abouts)))
  if (team$number == 1) Map(write_made, abouts, files(0))
  remove_files(files(setdiff(team$written, kept)))
  team$written <- c(intersect(team$written, kept), team$number)
}

#' An error of a shard is the driver's, and says where it happened
#' @noRd
check_answer <- function(got, source) {
  classes <- sub("^sturdy_error_", "", grep("^sturdy_error_", class(got$failure), value = TRUE))
  refuse(
    !is.null(got$failure), "Shard {got$shard}, {source$label}, can't be used.", c("shard", classes),
    shard = got$shard, parent = got$failure
  )
  got$answer
}
