# Shards at the nodes of a cluster of the package parallel, addressed one by one: a node
# keeps the state of its shards from message to message.

check_cluster <- function(cluster) {
  must(
    inherits(cluster, "cluster") && length(cluster), "cluster",
    "be a cluster made by {.fn parallel::makeCluster}", got = cluster
  )
  cluster
}

#' Messages to the shards of a cluster, each node with its own
#'
#' A node that does not answer ends the run: what is saved in a checkpoint can be resumed.
#' @noRd
cluster_sender <- function(run, cluster, size, checked) {
  start_nodes(cluster)
  place <- rep_len(seq_along(cluster), size) # the node of each shard
  waiting <- FALSE # answers may be under way that nobody has taken
  ask <- function(message) {
    by_node <- split(message$shards, place[message$shards])
    nodes <- cluster_nodes(cluster, as.integer(names(by_node)))
    waiting <<- TRUE
    answers <- trying(
      parallel::clusterApply(nodes, lapply(by_node, only_for, message), shard_answers),
      c("A node of {.arg cluster} does not answer any more.",
        i = "Make another cluster. What is saved in a {.arg checkpoint} can be resumed."),
      "cluster", arg = "cluster"
    )
    waiting <<- FALSE
    checked(unlist(answers, recursive = FALSE)[order(unlist(by_node))], message$shards)
  }
  close <- function() {
    for (k in if (waiting) seq_along(cluster)) take_answers(cluster_nodes(cluster, k))
    try(parallel::clusterCall(cluster, shard_forget, run), silent = TRUE)
  }
  list(ask = ask, close = close)
}

#' A message without what is for other shards
#' @noRd
only_for <- function(shards, message) {
  if (!is.null(message$each)) message$each[-shards] <- list(NULL)
  message$shards <- shards
  message
}

#' Some nodes of a cluster, whose class and further attributes `[` may not keep
#' @noRd
cluster_nodes <- function(cluster, which) {
  nodes <- unclass(cluster)[which]
  attributes(nodes) <- attributes(cluster)[setdiff(names(attributes(cluster)), "names")]
  nodes
}

#' Makes the nodes compute as the driver does, for sums are rounded as a BLAS and its threads
#' group them; and sees whether each can be asked by itself
#' @noRd
start_nodes <- function(cluster) {
  blas <- blas_in_use()
  ask <- function(nodes) unlist(parallel::clusterCall(nodes, start_node, blas))
  names <- trying(
    list(ask(cluster), vapply(seq_along(cluster), function(k) ask(cluster_nodes(cluster, k)), "")),
    c("The nodes of {.arg cluster} can't be used.",
      i = "{.pkg sturdy} must be installed there, in the same version."),
    "cluster", arg = "cluster"
  )
  must(
    identical(names[[1]], names[[2]]), "cluster",
    "be addressed one by one: each keeps its shards", "cluster",
    more = c(x = "What is asked of one is answered by another.",
             i = "Of mirai, join clusters of one daemon: see {.code vignette(\"machines\")}."),
    of = "The nodes of {.arg cluster}"
  )
}

#' @return a name of the node
#' @noRd
start_node <- function(blas) {
  options(blas)
  paste(Sys.info()[["nodename"]], Sys.getpid())
}

#' Takes the answers of a node that may still be under way, as after an interrupt
#' @noRd
take_answers <- function(node) {
  question <- next_run()
  answer <- try(parallel::clusterCall(node, identity, question)[[1]], silent = TRUE)
  while (!inherits(answer, "try-error") && !identical(answer, question)) {
    answer <- try(unserialize(node[[1]]$con)$value, silent = TRUE)
  }
}
