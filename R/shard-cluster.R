# Who does tasks: this process, an engine that maps a function over a list (a *mapper*), or a
# cluster of the package parallel, of which a mapper is made here. Losses, retries and placement
# are the engine's; what it has no answer to is asked once more.

map_here <- function(items, message) lapply(items, shard_task, message)

#' @param cluster a function(X, FUN, ...) or a cluster. @param patience,folder see socket_mapper().
#' @return function(items, message): what shard_task() answers, by whoever does it
#' @noRd
new_mapper <- function(cluster, patience, folder) {
  must(
    is.function(cluster) || inherits(cluster, "cluster") && length(cluster), "cluster",
    "be a function that is used as {.fn lapply} is, or a cluster made by {.fn parallel::makeCluster}", got = cluster
  )
  map <- if (inherits(cluster, "SOCKcluster")) {
    socket_mapper(cluster, patience, folder)
  } else if (is.function(cluster)) {
    cluster
  } else {
    function(X, FUN) parallel::parLapply(cluster, X, FUN)
  }
  function(items, message) {
    task <- packed_task(serialize(message, NULL), as.character(getNamespaceVersion("sturdy")))
    names(items) <- vapply(items, `[[`, 1L, "shard")
    map_all(map, lapply(items, serialize, NULL), task, message$run)
  }
}

#' A function that a process can take which has not got this package, and says so
#' @noRd
packed_task <- function(sent, version) {
  force(sent)
  force(version)
  task <- function(item) {
    found <- tryCatch(as.character(getNamespaceVersion("sturdy")), error = conditionMessage)
    if (!identical(found, version)) {
      return(list(version = found, node = paste(Sys.info()[["nodename"]], Sys.getpid())))
    }
    asNamespace("sturdy")$shard_task(unserialize(item), unserialize(sent))
  }
  frame <- environment(task)
  parent.env(frame) <- baseenv()
  task
}

#' Answers to all tasks, in whatever order they come; those that are lost on the way are asked for again
#' @param run that the task is of: in each there is a warning for each reason.
#' @noRd
map_all <- function(map, X, task, run) {
  answers <- X
  left <- names(X)
  tries <- 0
  while (length(left)) {
    # `[]` waits, of mirai_map(); an error of ours is one of this call, others are the engine's
    got <- tryCatch(as.list(map(X[left], task)[]), sturdy_error = stop, error = identity)
    cause <- if (inherits(got, "error")) got
    if (!is.null(cause)) got <- list()
    lapply(got, check_version)
    is_answer <- vapply(got, function(x) is.list(x) && !is.null(x[["shard"]]), NA)
    said <- vapply(got[is_answer], function(x) as.character(x$shard), "")
    answers[said] <- got[is_answer]
    lost <- setdiff(left, said)
    if (!length(lost)) break
    tries <- if (length(lost) < length(left)) 0 else tries + 1
    left <- lost
    why <- if (is.null(cause)) words_instead(got[!is_answer]) else conditionMessage(cause)
    refuse(
      tries == 3,
      c("{.arg cluster} has no answer for {cli::qty(length(lost))}shard{?s} {few(lost)}.",
        x = if (is.null(cause)) "{why}.", i = resume_hint), "cluster", arg = "cluster", parent = cause
    )
    warn_sturdy(
      "No answer for {cli::qty(length(lost))}shard{?s} {few(lost)}, which {?is/are} asked again: {why}.",
      "node_lost", shards = as.integer(lost), .frequency = "once", .frequency_id = paste(run, why)
    )
  }
  unname(answers)
}

#' What came in the place of answers, in words: an engine may say itself why there is none
#' @noRd
words_instead <- function(came) {
  first <- if (length(came)) came[[1]]
  if (is.character(first)) first[1] else paste("what came was", describe(first))
}

resume_hint <- "What is saved in a {.arg checkpoint} can be resumed."

check_version <- function(got) {
  found <- if (is.list(got)) got[["version"]]
  needed <- as.character(getNamespaceVersion("sturdy"))
  refuse(
    !is.null(found), c("{.pkg sturdy} must be installed at all workers, in the same version.",
      x = "{got$node} should have version {needed}. What it has: {found}."),
    c("worker_version", "cluster"), arg = "cluster"
  )
}

# Sockets ---------------------------------------------------------------------

#' A mapper of a cluster of sockets, each shard with one node as long as that answers
#'
#' A node that has gone, or has given no sign of life for some time, is not asked again.
#' @param patience that time, in seconds. @param folder where tasks give signs of life.
#' @noRd
socket_mapper <- function(cluster, patience, folder) {
  nodes <- lapply(unclass(cluster), `[[`, "con")
  alive <- seq_along(nodes)
  place <- integer() # the node of each shard, by name
  function(X, FUN) {
    refuse(
      !length(alive), c("No node of {.arg cluster} answers any more.", i = resume_hint), "cluster", arg = "cluster"
    )
    new <- setdiff(names(X), names(place)[place %in% alive])
    place[new] <<- alive[1 + (as.integer(new) - 1) %% length(alive)]
    before <- lapply(nodes, set_timeout, patience)
    on.exit(Map(set_timeout, nodes, before))
    tasks <- split(seq_along(X), place[names(X)])
    it <- new_round(nodes, tasks)
    on.exit(round_leave(it), add = TRUE, after = FALSE)
    round_send(it, X, FUN)
    round_listen(it, Inf, patience, function(k) file.size(sign_file(folder, names(X)[tasks[[k]]])))
    alive <<- setdiff(alive, it$lost)
    it$answers
  }
}

set_timeout <- function(con, seconds) {
  tryCatch(socketTimeout(con, as.integer(seconds)), error = function(cnd) -1L)
}

#' Tasks that are under way
#' @param nodes connections. @param tasks positions of tasks, by the number of their node.
#' @return an environment with these; tag, by which answers are known; busy, of each node that has still to
#'   answer list(signs: of life, since: when they last changed); answers, in words where there is none; lost,
#'   nodes that are not to be asked again
#' @noRd
new_round <- function(nodes, tasks) {
  answers <- vector("list", sum(lengths(tasks)))
  list2env(list(nodes = nodes, tasks = tasks, tag = tempfile(), busy = list(), answers = answers))
}

round_send <- function(it, X, FUN) {
  for (k in names(it$tasks)) {
    it$busy[[k]] <- list(since = seconds_now())
    data <- list(fun = lapply, args = list(X[it$tasks[[k]]], FUN), return = TRUE, tag = it$tag)
    # in one piece: small ones wait for each other on a network
    bytes <- serialize(list(type = "EXEC", data = data, tag = NULL), NULL)
    tryCatch(writeBin(bytes, it$nodes[[as.integer(k)]]), error = function(cnd) round_lose(it, k, "can't be reached"))
  }
}

#' To all nodes that have still to answer, each as long as signs(node) changes
#' @noRd
round_listen <- function(it, until, patience = Inf, signs = function(k) 0) {
  while (length(it$busy) && seconds_now() < until) {
    at <- names(it$busy)
    ready <- socketSelect(it$nodes[as.integer(at)], FALSE, 1)
    for (k in at[ready]) round_hear(it, k)
    for (k in at[!ready]) {
      now <- list(signs = signs(k), since = seconds_now())
      if (!identical(now$signs, it$busy[[k]]$signs)) it$busy[[k]] <- now
      if (now$since - it$busy[[k]]$since > patience) {
        round_lose(it, k, paste("gave no sign of life for", patience, "seconds (patience)"))
      }
    }
  }
}

#' A round that was interrupted leaves no answer under way, if that does not last
#' @noRd
round_leave <- function(it) {
  round_listen(it, seconds_now() + 5)
  if (length(it$busy)) {
    warn_sturdy(
      "Node{?s} {names(it$busy)} of {.arg cluster} {?is/are} still at work: others than sturdy
       would get the answer for theirs.", "node_busy"
    )
  }
}

#' What a node says; an answer to what it was asked in another round is none
#' @noRd
round_hear <- function(it, k) {
  got <- tryCatch(unserialize(it$nodes[[as.integer(k)]]), error = function(cnd) round_lose(it, k, "has gone"))
  if (identical(got$tag, it$tag)) round_end(it, k, got$value)
}

round_end <- function(it, k, answers) {
  it$answers[it$tasks[[k]]] <- answers
  it$busy[[k]] <- NULL
}

round_lose <- function(it, k, why) {
  it$lost <- c(it$lost, as.integer(k))
  round_end(it, k, paste("node", k, why))
}
