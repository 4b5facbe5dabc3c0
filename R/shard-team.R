# Who has which shard, and how they are asked: a *team* is a list of
#   size           number of shards
#   ask(verb, args, each, shards)  what the shards, all unless told otherwise, answer to a
#                  message of shard_verb(), in their order; `each`: further arguments, a
#                  list a shard
#   sum(verb, args, add)   the sum of what they answer, always in that order
#   close()        forgets the run
# A sum does not depend on who computes its terms, so results are the same to the last
# bit however many nodes there are.
#
# When a node is lost its shards are opened, encoded and prepared elsewhere. A message that
# needs nothing else is then repeated; otherwise the condition `shards_lost` tells the
# rounds to begin again from the sites that are left.

#' @param labels what shards are called in messages. @param cluster `NULL` for this
#'   process, or a cluster of the package parallel.
#' @noRd
new_team <- function(labels, cluster = NULL, call = rlang::caller_env()) {
  size <- length(labels)
  log <- list() # the last messages that a shard needs to be where it is
  send <- if (is.null(cluster)) {
    local_sender(next_run())
  } else {
    cluster_sender(next_run(), check_cluster(cluster, call), size, call)
  }
  checked <- function(answers, shards) {
    Map(function(answer, k) check_answer(answer, k, labels[k], call), answers, shards)
    answers
  }
  replay <- function(shards) {
    for (verb in names(log)) {
      message <- log[[verb]]
      checked(send$ask(verb, message$args, message$each[shards], shards), shards)
    }
  }
  ask <- function(verb, args = list(), each = NULL, shards = seq_len(size)) {
    if (verb %in% c("open", "encode", "prepare")) {
      log[[verb]] <<- list(args = args, each = each)
    }
    repeat {
      answers <- tryCatch(
        checked(send$ask(verb, args, each, shards), shards),
        shards_lost = function(cnd) cnd
      )
      if (!inherits(answers, "shards_lost")) {
        return(answers)
      }
      replay_until_there(replay, answers)
      if (!verb %in% stateless_verbs) stop(answers)
    }
  }
  list(
    size = size, ask = ask,
    sum = function(verb, args, add) Reduce(add, ask(verb, args)),
    close = send$close
  )
}

# What a shard can answer as soon as it is open, encoded and prepared
stateless_verbs <- c("open", "head", "scan", "encode", "rows", "prepare", "hold", "predict")

#' Another node may be lost while the shards of the first one are opened again
#' @noRd
replay_until_there <- function(replay, lost) {
  while (inherits(lost, "shards_lost")) {
    shards <- lost$shards
    lost <- tryCatch(replay(shards), shards_lost = function(cnd) {
      cnd$shards <- union(shards, cnd$shards)
      cnd
    })
  }
}

local_sender <- function(run) {
  list(
    ask = function(verb, args, each, shards) {
      shard_answers(list(run = run, shards = shards, verb = verb, args = args, each = each))
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
