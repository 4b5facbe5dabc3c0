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
  names(nodes) <- alive <- as.character(seq_along(nodes))
  place <- character() # the node of each shard, by name
  function(X, FUN) {
    refuse(
      !length(alive), c("No node of {.arg cluster} answers any more.", i = resume_hint), "cluster", arg = "cluster"
    )
    new <- setdiff(names(X), names(place)[place %in% alive])
    place[new] <<- alive[1 + (as.integer(new) - 1) %% length(alive)]
    before <- lapply(nodes, set_timeout, patience)
    on.exit(Map(set_timeout, nodes, before))
    signs <- function(tasks) file.size(sign_file(folder, names(tasks)))
    answers <- ask_nodes(nodes, split(X, place[names(X)]), FUN, patience, signs)
    alive <<- setdiff(alive, names(Filter(is.character, answers)))
    unlist(lapply(unname(answers), as.list), recursive = FALSE)
  }
}

set_timeout <- function(con, seconds) {
  tryCatch(socketTimeout(con, as.integer(seconds)), error = function(cnd) -1L)
}

#' What nodes answer
#'
#' @param tasks a list for each node that is asked, by its name. @param signs function(tasks): a node is waited for
#'   as long as that of its tasks changes.
#' @return the answers of each node, or in words why it is not to be asked again
#' @noRd
ask_nodes <- function(nodes, tasks, FUN, patience, signs) {
  tag <- tempfile() # an answer to what a node was asked at another time is none
  answers <- list()
  heard <- list() # of each node its signs of life, and when they last changed
  lose <- function(k, why) {
    answers[[k]] <<- paste("node", k, why)
    NULL
  }
  busy <- function() setdiff(names(tasks), names(answers))
  listen <- function(until) {
    while (length(busy()) && seconds_now() < until) {
      at <- busy()
      ready <- socketSelect(nodes[at], FALSE, 1)
      for (k in at[ready]) {
        got <- tryCatch(unserialize(nodes[[k]]), error = function(cnd) lose(k, "has gone"))
        if (identical(got$tag, tag)) answers[[k]] <<- got$value
      }
      for (k in at[!ready]) {
        now <- list(signs = signs(tasks[[k]]), since = seconds_now())
        if (!identical(now$signs, heard[[k]]$signs)) heard[[k]] <<- now
        silent <- now$since - heard[[k]]$since > patience
        if (silent) lose(k, paste("gave no sign of life for", patience, "seconds (patience)"))
      }
    }
  }
  # tasks that were interrupted leave no answer under way, if that does not last
  on.exit({
    waited <- busy()
    listen(seconds_now() + 5)
    left <- setdiff(waited, names(Filter(is.list, answers))) # half of an answer may have been read
    if (length(left)) {
      warn_sturdy(
        "Node{?s} {left} of {.arg cluster} {?is/are} still at work: others than sturdy
         would get the answer for theirs.", "node_busy"
      )
    }
  })
  for (k in names(tasks)) {
    heard[[k]] <- list(since = seconds_now())
    data <- list(fun = lapply, args = list(tasks[[k]], FUN), return = TRUE, tag = tag)
    # in one piece: small ones wait for each other on a network
    bytes <- serialize(list(type = "EXEC", data = data, tag = NULL), NULL)
    tryCatch(writeBin(bytes, nodes[[k]]), error = function(cnd) lose(k, "can't be reached"))
  }
  listen(Inf)
  answers
}
