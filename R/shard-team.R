# Who has which shard, and how they are asked: a *team* is a list of
#   size           number of shards
#   ask(verb, args, each, shards)  what the shards, all unless told otherwise, answer to a
#                  message of shard_verb(), in their order; `each`: further arguments, a
#                  list for each shard there is
#   sum(verb, args, add)   the sum of what they answer, always in that order
#   close()        forgets the run
# A sum does not depend on who computes its terms, so results are the same to the last
# bit however many nodes there are, and whether or not some of them are lost.

#' @param labels what shards are called in messages. @param cluster `NULL` for this
#'   process, or a cluster of the package parallel.
#' @noRd
new_team <- function(labels, cluster = NULL) {
  size <- length(labels)
  run <- next_run()
  checked <- function(answers, shards) {
    for (k in seq_along(shards)) check_answer(answers[[k]], shards[k], labels[shards[k]])
    answers
  }
  send <- if (is.null(cluster)) {
    local_sender(run, checked)
  } else {
    cluster_sender(run, check_cluster(cluster), size, checked)
  }
  ask <- function(verb, args = list(), each = NULL, shards = seq_len(size)) {
    send$ask(list(run = run, verb = verb, args = args, each = each, shards = shards))
  }
  list(
    size = size, ask = ask,
    sum = function(verb, args, add) add_up(ask(verb, args), add),
    close = send$close
  )
}

local_sender <- function(run, checked) {
  list(
    ask = function(message) checked(shard_answers(message), message$shards),
    close = function() shard_forget(run)
  )
}

#' An error of a shard is the driver's, and says where it happened
#' @noRd
check_answer <- function(answer, shard, label) {
  if (inherits(answer, "shard_failure")) {
    cause <- answer$condition
    own <- sub("^sturdy_error_", "", grep("^sturdy_error_", class(cause), value = TRUE))
    abort_sturdy(
      "Shard {shard}, {label}, can't be used.", c("shard", own), shard = shard, parent = cause
    )
  }
}
