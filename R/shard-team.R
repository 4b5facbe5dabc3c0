# Who is asked for what: a *team* is an environment with
#   size           number of shards
#   ask(verb, args, each, only)  what the shards, all unless told otherwise, answer to a
#                  message (shard-task.R), in their order; `each`: further arguments, a list
#                  for each shard there is
#   sum(verb, args, add)   the sum of what they answer, always in that order
#   close()        forgets the run
#   log            what every message tells: how rows are encoded and what features are made of
#   resumed        whether there are sites of an earlier run, or before encoding whether to look
#   digests        of the encoded rows of each shard
#   number         of the last message; under it shards keep what they have made of it
#   points, sites  numbers of those that messages may still name, newest first: others are dropped
# A task is a function of its message and of files, so it can be done by anyone, twice or
# anew; and a sum does not depend on who computes its terms: results are the same to the last
# bit however many workers there are, and whether or not some of them are lost.

#' @param shards see shards(). @param cluster `NULL` for this process, a mapper or a cluster.
#' @noRd
new_team <- function(shards, cluster = NULL) {
  if (!is.null(cluster)) check_cluster(cluster)
  team <- new.env(parent = emptyenv())
  run <- digest(list(tempfile(), Sys.time(), Sys.info()[["nodename"]], Sys.getpid()))
  folder <- run_folder(shards$folder, !is.null(cluster))
  team$close <- function() {
    rm(list = ls(shard_cache, pattern = run), envir = shard_cache)
    if (!is.null(folder)) remove_files(folder, recursive = TRUE)
  }
  map <- if (is.null(cluster)) map_here else new_mapper(cluster, shards$options$patience, folder)
  items <- lapply(seq_along(shards$sources), function(k) { # what a worker has to know of each shard
    saved <- if (!is.null(shards$folder)) file.path(shards$folder, sprintf("shard-%05d.sites", k))
    list(source = shards$sources[[k]], options = shards$options, saved = saved)
  })
  # read once by whoever has the shard: there may be a data frame in it
  if (!is.null(folder)) Map(write_made, items, made_files(folder, seq_along(items), 0))
  written <- NULL # numbers under which there may be files
  team$size <- length(items)
  team$number <- 0
  team$resumed <- shards$options$resume
  team$ask <- function(verb, args = list(), each = NULL, only = seq_along(items)) {
    kept <- c(team$points, team$sites)
    if (!is.null(folder)) for (k in setdiff(written, kept)) remove_files(made_files(folder, seq_along(items), k))
    team$number <- team$number + 1
    written <<- c(intersect(written, kept), team$number)
    message <- list(
      run = run, number = team$number, verb = verb, args = args, log = team$log, kept = kept, folder = folder,
      blas = if (!is.null(folder)) blas_in_use()
    )
    asked <- lapply(only, function(k) {
      list(shard = k, each = each[[k]], digest = team$digests[k], about = if (is.null(folder)) items[[k]])
    })
    Map(check_answer, map(asked, message), shards$sources[only])
  }
  team$sum <- function(verb, args, add) add_up(team$ask(verb, args), add)
  team
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
