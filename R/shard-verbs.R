# The messages that a shard answers, and what it keeps from one to the next. Whatever runs
# there are have their shards here, in this process or in one of a cluster.

shard_states <- new.env(parent = emptyenv()) # by run, and there by shard

#' The answer of a shard to a message
#'
#' What goes wrong is an answer, too: the driver says which shard it was.
#' @param run name of the run. @param shard number. @param verb see shard_verb().
#' @param args its arguments.
#' @noRd
shard_answer <- function(run, shard, verb, args) {
  tryCatch(
    {
      here <- shard_state(run, shard, new = verb == "open")
      do.call(shard_verb(verb), c(list(here), args), quote = TRUE)
    },
    error = function(cnd) {
      cnd[c("trace", "call")] <- list(NULL)
      structure(list(condition = cnd), class = "shard_failure")
    }
  )
}

shard_state <- function(run, shard, new) {
  if (is.null(shard_states[[run]])) {
    assign(run, new.env(parent = emptyenv()), shard_states)
  }
  name <- as.character(shard)
  if (new) assign(name, new.env(parent = emptyenv()), shard_states[[run]])
  shard_states[[run]][[name]]
}

#' Forget a run
#' @noRd
shard_forget <- function(run) {
  suppressWarnings(rm(list = run, envir = shard_states))
  invisible()
}

#' What is done at a message, as a function of the state and of the message's arguments
#' @noRd
shard_verb <- function(verb) {
  switch(verb,
    open = shard_open, head = shard_head, scan = shard_scan, encode = shard_encode, rows = shard_rows,
    prepare = shard_prepare, hold = shard_hold, begin = shard_begin, pass = shard_pass,
    accept = shard_accept, gram = shard_gram, settle = shard_settle, gradient = shard_gradient,
    predict = shard_predict, suspects = shard_suspects
  )
}

# Runs are numbered: a name of chance would move the session's seed
team_state <- new.env(parent = emptyenv())
team_state$runs <- 0

next_run <- function() {
  team_state$runs <- team_state$runs + 1
  paste(Sys.info()[["nodename"]], Sys.getpid(), team_state$runs, sep = "-")
}

#' The messages of some shards, at one place
#' @noRd
shard_answers <- function(job) {
  lapply(seq_along(job$shards), function(k) {
    shard_answer(job$run, job$shards[k], job$verb, c(job$args, job$each[[k]]))
  })
}
