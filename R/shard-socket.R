# A cluster of sockets as a mapper: it waits for no node that gives no sign of life, and leaves no answer
# under way for whoever asks next.

resume_hint <- "What is saved in a {.arg checkpoint} can be resumed."

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
    errand <- new_errand(nodes, tasks)
    on.exit(errand_leave(errand), add = TRUE, after = FALSE)
    errand_send(errand, X, FUN)
    errand_listen(errand, Inf, patience, function(k) file.size(sign_file(folder, names(X)[tasks[[k]]])))
    alive <<- setdiff(alive, errand$lost)
    errand$answers
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
new_errand <- function(nodes, tasks) {
  answers <- vector("list", sum(lengths(tasks)))
  list2env(list(nodes = nodes, tasks = tasks, tag = tempfile(), busy = list(), answers = answers))
}

errand_send <- function(errand, X, FUN) {
  for (k in names(errand$tasks)) {
    errand$busy[[k]] <- list(since = seconds_now())
    data <- list(fun = lapply, args = list(X[errand$tasks[[k]]], FUN), return = TRUE, tag = errand$tag)
    # in one piece: small ones wait for each other on a network
    bytes <- serialize(list(type = "EXEC", data = data, tag = NULL), NULL)
    tryCatch(writeBin(bytes, errand$nodes[[as.integer(k)]]), error = function(cnd) errand_lose(errand, k, "can't be reached"))
  }
}

#' To all nodes that have still to answer, each as long as signs(node) changes
#' @noRd
errand_listen <- function(errand, until, patience = Inf, signs = function(k) 0) {
  while (length(errand$busy) && seconds_now() < until) {
    at <- names(errand$busy)
    ready <- socketSelect(errand$nodes[as.integer(at)], FALSE, 1)
    for (k in at[ready]) errand_hear(errand, k)
    for (k in at[!ready]) {
      now <- list(signs = signs(k), since = seconds_now())
      if (!identical(now$signs, errand$busy[[k]]$signs)) errand$busy[[k]] <- now
      if (now$since - errand$busy[[k]]$since > patience) {
        errand_lose(errand, k, paste("gave no sign of life for", patience, "seconds (patience)"))
      }
    }
  }
}

#' Tasks that were interrupted leave no answer under way, if that does not last
#' @noRd
errand_leave <- function(errand) {
  before <- errand$lost
  errand_listen(errand, seconds_now() + 5)
  left <- c(names(errand$busy), setdiff(errand$lost, before)) # half of an answer may have been read
  if (length(left)) {
    warn_sturdy(
      "Node{?s} {left} of {.arg cluster} {?is/are} still at work: others than sturdy
       would get the answer for theirs.", "node_busy"
    )
  }
}

#' What a node says; an answer to what it was asked at another time is none
#' @noRd
errand_hear <- function(errand, k) {
  got <- tryCatch(unserialize(errand$nodes[[as.integer(k)]]), error = function(cnd) errand_lose(errand, k, "has gone"))
  if (identical(got$tag, errand$tag)) errand_end(errand, k, got$value)
}

errand_end <- function(errand, k, answers) {
  errand$answers[errand$tasks[[k]]] <- answers
  errand$busy[[k]] <- NULL
}

errand_lose <- function(errand, k, why) {
  errand$lost <- c(errand$lost, as.integer(k))
  errand_end(errand, k, paste("node", k, why))
}
