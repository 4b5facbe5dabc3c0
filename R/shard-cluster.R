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
#' A node that does not answer is left out from then on. Its shards go to the others, who hear
#' all that has made them what they are, and are then what they were, to the last bit.
#' @noRd
cluster_sender <- function(run, cluster, size, checked) {
  alive <- start_nodes(cluster)
  place <- rep_len(alive, size) # the node of each shard
  new <- logical(size) # shards that have been moved, and have heard nothing yet
  log <- list() # the messages that make a shard
  sent <- 0
  waiting <- FALSE # answers may be under way that nobody has taken
  settle <- function() {
    there <- vapply(alive, function(k) node_answers(cluster_nodes(cluster, k)), logical(1))
    alive <<- alive[there]
    waiting <<- FALSE
  }
  # `NULL` where a node was lost meanwhile
  deliver <- function(message, shards) {
    by_node <- split(shards, place[shards])
    nodes <- cluster_nodes(cluster, as.integer(names(by_node)))
    waiting <<- TRUE
    answers <- tryCatch(
      parallel::clusterApply(nodes, lapply(by_node, only_for, message), shard_answers),
      error = function(cnd) cnd
    )
    if (inherits(answers, "error") || !all(vapply(answers, is.list, NA))) {
      settle()
      lost <- which(!place %in% alive)
      check_lost(lost, alive, if (inherits(answers, "error")) answers, log)
      place[lost] <<- rep_len(alive, length(lost))
      new[lost] <<- TRUE
      return(NULL)
    }
    waiting <<- FALSE
    checked(unlist(answers, recursive = FALSE)[order(unlist(by_node))], shards)
  }
  # whether shards that have been moved are what they were
  caught_up <- function() {
    for (message in if (any(new)) log) {
      answers <- deliver(message, which(new))
      if (is.null(answers)) {
        return(FALSE)
      }
      if (message$verb == "encode") check_same_rows(same_rows(answers, message$answers[new]))
    }
    new[] <<- FALSE
    TRUE
  }
  ask <- function(message) {
    sent <<- sent + 1
    message$number <- sent
    answers <- NULL
    while (is.null(answers)) answers <- if (caught_up()) deliver(message, message$shards)
    if (message$verb == "encode") message$answers <- answers
    if (message$verb %in% changing_verbs) log <<- logged(log, message)
    answers
  }
  close <- function() {
    if (waiting) settle()
    tryCatch(
      parallel::clusterCall(cluster_nodes(cluster, alive), shard_forget, run),
      error = function(cnd) NULL
    )
  }
  list(ask = ask, close = close)
}

#' Do answers to "encode" tell of the same rows, whatever sites were saved meanwhile?
#' @noRd
same_rows <- function(...) {
  rows <- function(answers) lapply(answers, `[`, c("counts", "left_out", "digest"))
  do.call(identical, lapply(list(...), rows))
}

#' A message without what is for other shards
#' @noRd
only_for <- function(shards, message) {
  if (!is.null(message$each)) message$each[-shards] <- list(NULL)
  message$shards <- shards
  message
}

#' The log with one more message, without those that no longer matter
#' @noRd
logged <- function(log, message) {
  verbs <- vapply(log, `[[`, "", "verb")
  # these two say what the sites are, whatever they were
  if (message$verb == "hold" || is.list(message$args$from)) {
    log <- log[verbs %in% c("open", "encode") | seq_along(log) == max(which(verbs == "prepare"), 0)]
  }
  c(log, list(message))
}

#' @param lost shards. @param cause of the loss.
#' @noRd
check_lost <- function(lost, alive, cause, log) {
  whose <- if (length(alive)) "A message to the nodes" else "No node"
  what <- if (length(alive)) "failed" else "answers any more"
  refuse(
    !length(alive) || !length(lost), c("{whose} of {.arg cluster} {what}.",
      i = "Make another one. What is saved in a {.arg checkpoint} can be resumed."),
    "cluster", arg = "cluster", parent = cause
  )
  resumed <- any(vapply(log, function(message) isTRUE(message$args$options$resume), NA))
  warn_sturdy(
    c(
      "A node of {.arg cluster} was lost: {length(lost)} shard{?s} {?is/are} read again
       elsewhere ({few(lost)}).",
      i = if (resumed) {
        "Their sites are those saved last: the result is that of an undisturbed run to the
         tolerance of EP, not to the last bit."
      }
    ),
    "node_lost", shards = lost
  )
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
#' @return the nodes that answer
#' @noRd
start_nodes <- function(cluster) {
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
    !length(alive), c("The nodes of {.arg cluster} can't be used.",
      i = "{.pkg sturdy} must be installed there, in the same version."),
    "cluster", arg = "cluster", parent = cause
  )
  must(
    is.null(together) || identical(together[alive], apart[alive]), "cluster",
    "be addressed one by one: each keeps its shards", "cluster",
    more = c(x = "What is asked of one is answered by another.",
             i = "Of mirai, join clusters of one daemon: see {.code vignette(\"machines\")}."),
    of = "The nodes of {.arg cluster}"
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
