# Shards at the nodes of a cluster of the package parallel, addressed one by one: a node
# keeps the state of its shards from message to message.

check_cluster <- function(cluster, call) {
  must(
    inherits(cluster, "cluster") && length(cluster), "cluster",
    "be a cluster made by {.fn parallel::makeCluster}", got = cluster, call = call
  )
  cluster
}

#' Messages to the shards of a cluster, each node with its own
#'
#' A node that does not answer is left out from then on: its shards go to the others, and
#' the condition `shards_lost` names them.
#' @noRd
cluster_sender <- function(run, cluster, size, call) {
  alive <- place <- NULL # numbers of nodes, the second by shard
  cause <- NULL # of the last loss
  waiting <- FALSE # answers may be under way that nobody has taken
  settle <- function() {
    there <- vapply(alive, function(k) node_answers(cluster_nodes(cluster, k)), logical(1))
    alive <<- alive[there]
    waiting <<- FALSE
  }
  deal <- function() {
    lost <- which(!place %in% alive)
    refuse(
      !length(alive),
      c("No node of {.arg cluster} answers any more.",
        i = "Make another one. What is saved in a {.arg checkpoint} can be resumed."),
      "cluster", arg = "cluster", parent = cause, call = call
    )
    place[lost] <<- rep_len(alive, length(lost))
    warn_sturdy(
      "A node of {.arg cluster} was lost: {length(lost)} shard{?s} {?is/are} read again
       elsewhere ({few(lost)}).",
      "node_lost", shards = lost
    )
    lost
  }
  ask <- function(verb, args, each, shards) {
    nodes <- sort(unique(place[shards]))
    jobs <- lapply(nodes, function(node) {
      mine <- place[shards] == node
      list(run = run, shards = shards[mine], verb = verb, args = args, each = each[mine])
    })
    waiting <<- TRUE
    answers <- tryCatch(
      parallel::clusterApply(cluster_nodes(cluster, nodes), jobs, shard_answers),
      error = function(cnd) cnd
    )
    if (inherits(answers, "error") || !all(vapply(answers, is.list, NA))) {
      cause <<- if (inherits(answers, "error")) answers
      settle()
      stop(lost_shards(deal()))
    }
    waiting <<- FALSE
    unlist(answers, recursive = FALSE)[order(order(place[shards]))]
  }
  close <- function() {
    if (waiting) settle()
    tryCatch(
      parallel::clusterCall(cluster_nodes(cluster, alive), shard_forget, run),
      error = function(cnd) NULL
    )
  }
  alive <- start_nodes(cluster, call)
  place <- rep_len(alive, size)
  list(ask = ask, close = close)
}

#' Some nodes of a cluster, whose class and further attributes `[` may not keep
#' @noRd
cluster_nodes <- function(cluster, which) {
  nodes <- unclass(cluster)[which]
  attributes(nodes) <- attributes(cluster)[setdiff(names(attributes(cluster)), "names")]
  nodes
}

lost_shards <- function(shards) {
  structure(
    class = c("shards_lost", "error", "condition"),
    list(message = "A node was lost.", call = NULL, shards = shards)
  )
}

#' Makes the nodes compute as the driver does, for sums are rounded as a BLAS and its threads
#' group them; and sees whether each can be asked by itself
#' @return the nodes that answer
#' @noRd
start_nodes <- function(cluster, call) {
  blas <- blas_in_use()
  ask <- function(nodes) {
    unlist(parallel::clusterCall(cluster_nodes(cluster, nodes), start_node, blas))
  }
  cause <- NULL
  alive <- seq_along(cluster)
  together <- tryCatch(ask(alive), error = function(cnd) {
    cause <<- cnd
    NULL
  })
  apart <- vapply(rev(alive), function(k) {
    if (!is.null(cause) && !node_answers(cluster_nodes(cluster, k))) {
      return(NA_character_)
    }
    tryCatch(ask(k), error = function(cnd) NA_character_)
  }, character(1))
  apart <- rev(apart)
  alive <- which(!is.na(apart))
  refuse(
    !length(alive),
    c("The nodes of {.arg cluster} can't be used.",
      i = "{.pkg sturdy} must be installed there, in the same version."),
    "cluster", arg = "cluster", parent = cause, call = call
  )
  must(
    is.null(together) || identical(together, apart), "cluster",
    "be addressed one by one: each keeps its shards", "cluster",
    more = c(x = "What is asked of one is answered by another.",
             i = "Of mirai, join clusters of one daemon: see {.code vignette(\"machines\")}."),
    of = "The nodes of {.arg cluster}", call = call
  )
  alive
}

#' @return a name of the node
#' @noRd
start_node <- function(blas) {
  options(blas)
  paste(Sys.info()[["nodename"]], Sys.getpid())
}

#' Does a node answer what it is asked, after what may still be under way?
#' @noRd
node_answers <- function(node) {
  question <- next_run()
  tryCatch(
    {
      answer <- parallel::clusterCall(node, identity, question)[[1]]
      # of a socket what was sent before can be taken
      while (!identical(answer, question)) answer <- unserialize(node[[1]]$con)$value
      TRUE
    },
    error = function(cnd) FALSE
  )
}
