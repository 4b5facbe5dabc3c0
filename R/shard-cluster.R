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
    "be a function that is used as {.fn lapply} is, or a cluster made by {.fn parallel::makeCluster}",
    got = cluster
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

#' Answers to all tasks; those that are lost on the way are asked for again
#' @param run that the task is of: in each there is a warning for each reason.
#' @noRd
map_all <- function(map, X, task, run) {
  answers <- X
  left <- seq_along(X)
  tries <- 0
  while (length(left)) {
    cause <- NULL
    got <- tryCatch(as.list(map(X[left], task)[]), error = function(cnd) { # `[]` waits, of mirai_map()
      cause <<- cnd
      NULL
    })
    if (length(got) != length(left)) got <- vector("list", length(left))
    lapply(got, check_version)
    said <- vapply(got, function(x) is.list(x) && !is.null(x[["shard"]]), NA)
    answers[left[said]] <- got[said]
    if (all(said)) break
    left <- left[!said]
    tries <- if (any(said)) 0 else tries + 1
    lost <- names(X)[left]
    first <- got[!said][[1]]
    why <- if (!is.null(cause)) {
      conditionMessage(cause)
    } else if (is.character(first)) {
      first[1]
    } else {
      paste("what came was", describe(first))
    }
    refuse(
      tries == 3,
      c("{.arg cluster} has no answer for {cli::qty(length(lost))}shard{?s} {few(lost)}.",
        x = if (is.null(cause)) "{why}.",
        i = "What is saved in a {.arg checkpoint} can be resumed."),
      "cluster", arg = "cluster", parent = cause
    )
    warn_sturdy(
      "No answer for {cli::qty(length(lost))}shard{?s} {few(lost)}, which {?is/are} asked again: {why}.",
      "node_lost", shards = as.integer(lost), .frequency = "once", .frequency_id = paste(run, why)
    )
  }
  unname(answers)
}

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
    refuse(!length(alive), "No node of {.arg cluster} answers any more.", "cluster")
    new <- setdiff(names(X), names(place)[place %in% alive])
    place[new] <<- alive[1 + (as.integer(new) - 1) %% length(alive)]
    before <- lapply(nodes, set_timeout, patience)
    on.exit(Map(set_timeout, nodes, before))
    round <- new_round(nodes, split(seq_along(X), place[names(X)]), X, FUN, patience, folder)
    on.exit(round$end(), add = TRUE, after = FALSE)
    while (length(round$busy)) round$listen(round$send)
    alive <<- setdiff(alive, round$lost)
    round$answers
  }
}

set_timeout <- function(con, seconds) {
  tryCatch(socketTimeout(con, as.integer(seconds)), error = function(cnd) -1L)
}

#' Tasks that are under way
#'
#' @param nodes connections. @param queue the tasks of each, by its number.
#' @return an environment with answers (in words why there is none), lost (nodes), busy (nodes and
#'   their tasks), send(k): the next task of a node; listen(then): to all, doing `then(k)` when node
#'   k has answered; and end()
#' @noRd
new_round <- function(nodes, queue, X, FUN, patience, folder) {
  it <- new.env(parent = emptyenv())
  it$answers <- as.list(rep("its node was lost", length(X)))
  it$busy <- list()
  call <- tempfile() # what a node was asked before has another
  lose <- function(k, why) {
    it$answers[[it$busy[[k]]$task]] <- paste("node", k, why)
    it$lost <- c(it$lost, as.integer(k))
    it$busy[[k]] <- NULL
  }
  it$send <- function(k) {
    task <- queue[[k]][1]
    queue[[k]] <<- queue[[k]][-1]
    if (is.na(task)) return()
    sign <- sign_file(folder, names(X)[task])
    it$busy[[k]] <- list(task = task, sign = sign, size = file.size(sign), since = seconds_now())
    data <- list(fun = FUN, args = unname(X[task]), return = TRUE, tag = c(call, task))
    # in one piece: small ones wait for each other on a network
    bytes <- serialize(list(type = "EXEC", data = data, tag = NULL), NULL)
    tryCatch(
      writeBin(bytes, nodes[[as.integer(k)]]), error = function(cnd) lose(k, "can't be reached")
    )
  }
  hear <- function(k, then) {
    task <- it$busy[[k]]$task
    got <- tryCatch(unserialize(nodes[[as.integer(k)]]), error = function(cnd) lose(k, "has gone"))
    if (!identical(got$tag, c(call, task))) return()
    it$answers[[task]] <- got$value
    it$busy[[k]] <- NULL
    then(k)
  }
  wait <- function(k) {
    size <- file.size(it$busy[[k]]$sign)
    if (!identical(size, it$busy[[k]]$size)) {
      it$busy[[k]][c("size", "since")] <- list(size, seconds_now())
    } else if (seconds_now() - it$busy[[k]]$since > patience) {
      lose(k, paste("gave no sign of life for", patience, "seconds (patience)"))
    }
  }
  it$listen <- function(then) {
    at <- names(it$busy)
    ready <- socketSelect(nodes[as.integer(at)], FALSE, min(1, patience))
    lapply(at[ready], hear, then)
    lapply(at[!ready], wait)
  }
  it$end <- function() { # who is interrupted leaves no answer under way if that does not last
    until <- seconds_now() + 5
    while (length(it$busy) && seconds_now() < until) it$listen(identity)
    if (length(it$busy)) {
      warn_sturdy(
        "Node{?s} {names(it$busy)} of {.arg cluster} {?is/are} still at work: others than sturdy
         would get the answer for theirs.", "node_busy"
      )
    }
  }
  lapply(names(queue), it$send)
  it
}
