# Who has which shard, and how they are asked: a *team* is a list of
#   size           number of shards
#   ask(verb, args, each)  what every shard answers to a message of shard_verbs, in the
#                  order of the shards; `each`: further arguments, a list a shard
#   sum(verb, args, add)   the sum of what they answer, always in that order
#   close()        forgets the run
# A sum does not depend on who computes its terms, so results are the same to the last
# bit however many nodes there are.

#' @param labels what shards are called in messages. @param cluster `NULL` for this
#'   process, or a cluster of the package parallel.
#' @noRd
new_team <- function(labels, cluster = NULL, call = rlang::caller_env()) {
  run <- next_run()
  size <- length(labels)
  send <- if (is.null(cluster)) local_sender(run, size) else cluster_sender(run, cluster, size, call)
  ask <- function(verb, args = list(), each = NULL) {
    answers <- send$ask(verb, args, each)
    for (k in seq_len(size)) check_answer(answers[[k]], k, labels[k], call)
    answers
  }
  list(
    size = size, ask = ask,
    sum = function(verb, args, add) Reduce(add, ask(verb, args)),
    close = send$close
  )
}

# Runs are numbered: a name of chance would move the session's seed
team_state <- new.env(parent = emptyenv())
team_state$runs <- 0

next_run <- function() {
  team_state$runs <- team_state$runs + 1
  paste(Sys.info()[["nodename"]], Sys.getpid(), team_state$runs, sep = "-")
}

#' The messages of all shards, at one place
#' @noRd
shard_answers <- function(job) {
  lapply(seq_along(job$shards), function(k) {
    shard_answer(job$run, job$shards[k], job$verb, c(job$args, job$each[[k]]))
  })
}

local_sender <- function(run, size) {
  list(
    ask = function(verb, args, each) {
      shard_answers(list(
        run = run, shards = seq_len(size), verb = verb, args = args, each = each
      ))
    },
    close = function() shard_forget(run)
  )
}

#' An error of a shard is the driver's, and says where it happened
#' @noRd
check_answer <- function(answer, shard, label, call) {
  if (inherits(answer, "shard_failure")) {
    cause <- answer$condition
    own <- sub("^sturdy_error_", "", grep("^sturdy_error_", class(cause), value = TRUE))
    abort_sturdy(
      "Shard {shard}, {label}, can't be used.",
      c("shard", own), shard = shard, parent = cause, call = call
    )
  }
}
