# A task: one shard answers one message, wherever it is done. What came before is in the log
# of the message and in files, so that no process need remember anything; one that keeps encoded
# rows, and what was made of them, need not read them again.

shard_cache <- new.env(parent = emptyenv()) # states by run and shard

#' What a shard answers to a message
#'
#' @param item list(shard: its number; each: arguments for this shard alone; digest: of its encoded
#'   rows; about: see about_shard(), `NULL` where that is in the folder under 0).
#' @param message list(run; number: of the message; verb: shard_<verb>() answers; args; log: list(
#'   blueprint, na.action, types, prior), `NULL` before rows are encoded; kept: numbers that may
#'   be asked for again; folder: for what is made, or `NULL`: in memory; blas: options).
#' @return list(shard, answer), or list(shard, failure): what goes wrong is an answer, too
#' @noRd
shard_task <- function(item, message) {
  before <- options(message$blas)
  on.exit(options(before))
  tryCatch({
    args <- c(list(shard_state(item, message)), message$args, item$each)
    list(shard = item$shard, answer = do.call(paste0("shard_", message$verb), args, quote = TRUE))
  }, error = function(cnd) list(shard = item$shard, failure = without_calls(cnd)))
}

#' An error, and what caused it, without the calls that led there: these have the state of the shard in them,
#' with its rows, and all of it would be sent
#' @noRd
without_calls <- function(cnd) {
  cnd[c("trace", "call")] <- list(NULL)
  if (!is.null(cnd$parent)) cnd$parent <- without_calls(cnd$parent)
  cnd
}

#' The state of a shard, brought up to a message
#' @noRd
shard_state <- function(item, message) {
  state <- shard_cache[[paste(message$run, item$shard)]]
  if (is.null(state)) state <- new_state(item, message)
  log <- message$log
  if (!is.null(log) && is.null(state$digest)) { # encoded elsewhere
    shard_encode(state, log$blueprint, log$na.action, log$types)
    check_same_rows(identical(state$digest, item$digest))
  }
  state$number <- message$number
  state$made <- state$made[intersect(names(state$made), message$kept)]
  if (!identical(state$prior, log$prior)) {
    state$prior <- log$prior
    # features are made of it: blocks are environments
    for (block in state$blocks) block$Phi <- block$lambda <- NULL
  }
  state
}

#' A state that has not read its rows yet, to be found in the cache
#' @noRd
new_state <- function(item, message) {
  about <- item$about
  if (is.null(about)) about <- read_made(message$folder, item$shard, 0)
  state <- list2env(c(item["shard"], about, message[c("run", "folder")], signed = 0))
  # a process that works for others has the shards of one run at a time
  others <- Filter(function(x) x$run != message$run && !is.null(x$folder), as.list(shard_cache))
  rm(list = names(others), envir = shard_cache)
  assign(paste(message$run, item$shard), state, shard_cache)
}
