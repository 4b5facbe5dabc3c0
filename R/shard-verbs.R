# The messages that a shard answers, and what it keeps from one to the next. Whatever runs
# there are have their shards here, in this process or in one of a cluster.

shard_states <- new.env(parent = emptyenv()) # by run, and there by shard

#' The answers of some shards, at one place, to a message
#'
#' What goes wrong is an answer, too: the driver says which shard it was.
#' @param message list(run, number: of messages of the run, where they may come twice; verb,
#'   see shard_verb(); args: its arguments; each: further ones, a list for each shard there
#'   is; shards: the numbers of those it is for).
#' @noRd
shard_answers <- function(message) {
  lapply(message$shards, function(shard) {
    args <- c(message$args, message$each[[shard]])
    tryCatch(shard_answer(message, shard, args), error = function(cnd) {
      cnd[c("trace", "call")] <- list(NULL)
      structure(list(condition = cnd), class = "shard_failure")
    })
  })
}

#' A message that changes a shard does it once, although it may come again: a node that was
#' lost has taken the answers of the others with it
#' @noRd
shard_answer <- function(message, shard, args) {
  here <- shard_state(message$run, shard, new = message$verb == "open")
  number <- message$number
  if (!is.null(number) && identical(here$done$number, number)) {
    return(here$done$answer)
  }
  answer <- do.call(shard_verb(message$verb), c(list(here), args), quote = TRUE)
  if (message$verb %in% changing_verbs) here$done <- list(number = number, answer = answer)
  answer
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
    open = shard_open, head = shard_head, scan = shard_scan, encode = shard_encode,
    rows = shard_rows, prepare = shard_prepare, hold = shard_hold, begin = shard_begin,
    pass = shard_pass, accept = shard_accept, gram = shard_gram, settle = shard_settle,
    gradient = shard_gradient, scores = shard_scores, predict = shard_predict,
    suspects = shard_suspects, labelled = shard_labelled
  )
}

# What a shard is made of: those who come to have one hear these in their order
changing_verbs <- c("open", "encode", "prepare", "hold", "begin", "pass", "accept", "settle")

# Runs are numbered: a name of chance would move the session's seed
team_state <- new.env(parent = emptyenv())
team_state$runs <- 0

next_run <- function() {
  team_state$runs <- team_state$runs + 1
  paste(Sys.info()[["nodename"]], Sys.getpid(), team_state$runs, sep = "-")
}
