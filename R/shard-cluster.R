# Shards at the nodes of a cluster of the package parallel, addressed one by one: a node
# keeps the state of its shards from message to message.

check_cluster <- function(cluster, call) {
  if (!inherits(cluster, "cluster") || length(cluster) == 0) {
    abort_sturdy(
      "{.arg cluster} must be a cluster made by {.fn parallel::makeCluster}, not
       {describe(cluster)}.",
      "type", arg = "cluster", call = call
    )
  }
  cluster
}

#' Messages to the shards of a cluster, each node with its own
#'
#' A node that does not answer is left out from then on: its shards go to the others, and
#' the condition `shards_lost` names them.
#' @noRd
cluster_sender <- function(run, cluster, size, call) {
  alive <- seq_along(cluster)
  place <- rep_len(alive, size)
  waiting <- FALSE # answers may be under way that nobody has taken
  start <- function() {
    # sums are rounded as a BLAS and its threads group them
    parallel::clusterCall(cluster, start_node, blas_in_use())
  }
  settle <- function() {
    alive <<- alive[vapply(alive, function(k) node_answers(cluster[k]), logical(1))]
    waiting <<- FALSE
  }
  deal <- function() {
    lost <- which(!place %in% alive)
    if (length(alive) == 0) {
      abort_sturdy(
        c("No node of {.arg cluster} answers any more.",
          i = "Make another one. What is saved in a {.arg checkpoint} can be resumed."),
        "cluster", arg = "cluster", call = call
      )
    }
    place[lost] <<- rep_len(alive, length(lost))
    warn_sturdy(
      "A node of {.arg cluster} was lost: {length(lost)} shard{?s}, {few(lost)}, {?is/are} read
       again elsewhere.",
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
      parallel::clusterApply(cluster[nodes], jobs, shard_answers),
      error = function(cnd) NULL
    )
    if (is.null(answers)) {
      settle()
      stop(lost_shards(deal()))
    }
    waiting <<- FALSE
    unlist(answers, recursive = FALSE)[order(order(place[shards]))]
  }
  close <- function() {
    if (waiting) settle()
    tryCatch(
      parallel::clusterCall(cluster[alive], shard_forget, run), error = function(cnd) NULL
    )
  }
  tryCatch(start(), error = function(cnd) {
    abort_sturdy(
      c("The nodes of {.arg cluster} can't be used.",
        i = "{.pkg sturdy} must be installed there, in the same version."),
      "cluster", arg = "cluster", parent = cnd, call = call
    )
  })
  list(ask = ask, close = close)
}

lost_shards <- function(shards) {
  structure(
    class = c("shards_lost", "error", "condition"),
    list(message = "A node was lost.", call = NULL, shards = shards)
  )
}

#' Makes a node compute as the driver does
#' @noRd
start_node <- function(blas) {
  options(blas)
  NULL
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
