# Who does tasks: this process, an engine that maps a function over a list (a *mapper*), or a
# cluster of the package parallel, of which a mapper is made here. Losses, retries and placement
# are the engine's; what it has no answer to it is asked again.

engine_tries <- 3 # without a single answer, one after the other: then it is taken to have none

tasks_here <- function(items, message) lapply(items, shard_task, message)

check_cluster <- function(cluster) {
  must(
    is.function(cluster) || inherits(cluster, "cluster") && length(cluster), "cluster", got = cluster,
    "be a function that is used as {.fn lapply} is, or a cluster made by {.fn parallel::makeCluster}"
  )
}

#' @param patience,folder see socket_mapper().
#' @return function(items, message): what shard_task() answers to each item, in their order
#' @noRd
tasks_by <- function(cluster, patience, folder) {
  map <- if (inherits(cluster, "SOCKcluster")) {
    socket_mapper(cluster, patience, folder)
  } else if (is.function(cluster)) {
    cluster
  } else { # of another kind, such as MPI
    function(X, FUN) parallel::parLapply(cluster, X, FUN)
  }
  function(items, message) {
    task <- packed_task(serialize(message, NULL), as.character(getNamespaceVersion("sturdy")))
    names(items) <- vapply(items, `[[`, 1L, "shard") # the numbers as text, by which answers are known
    map_all(map, lapply(items, serialize, NULL), task, message$run)
  }
}

#' A function that a process can take which has not got this package, and says so
#' @noRd
packed_task <- function(sent, version) {
  task <- function(item) {
    found <- tryCatch(as.character(getNamespaceVersion("sturdy")), error = conditionMessage)
    if (!identical(found, version)) {
      return(list(version = found, node = paste(Sys.info()[["nodename"]], Sys.getpid())))
    }
    asNamespace("sturdy")$shard_task(unserialize(item), unserialize(sent))
  }
  environment(task) <- list2env(list(sent = sent, version = version), parent = baseenv())
  task
}

#' Answers to all tasks, in the order of these; what is lost on the way is asked for again
#' @param X what `task` takes of each shard, by name. @param run id: in each run there is one warning for
#'   each reason.
#' @noRd
map_all <- function(map, X, task, run) {
  answers <- stats::setNames(vector("list", length(X)), names(X))
  left <- names(X)
  in_vain <- 0
  repeat {
    got <- ask_once(map, X[left], task)
    answered <- names(got$answers)
    answers[answered] <- got$answers
    in_vain <- if (any(left %in% answered)) 0 else in_vain + 1
    left <- setdiff(left, answered)
    if (!length(left)) return(unname(answers))
    refuse(
      in_vain == engine_tries,
      c("{.arg cluster} has no answer for {cli::qty(length(left))}shard{?s} {few(left)}.",
        x = if (is.null(got$error)) "{got$why}.", i = resume_hint),
      "cluster", arg = "cluster", parent = got$error
    )
    warn_sturdy(
      "No answer for {cli::qty(length(left))}shard{?s} {few(left)}, which {?is/are} asked again: {got$why}.",
      "node_lost", shards = as.integer(left), .frequency = "once", .frequency_id = paste(run, got$why)
    )
  }
}

#' What an engine has for some tasks
#' @return list(answers: by shard, in whatever order they came; why: in words, there are no others; error: of
#'   the engine, or `NULL`)
#' @noRd
ask_once <- function(map, X, task) {
  # `[]` waits, of mirai_map(); an error of ours is one of this call, others are the engine's
  got <- tryCatch(as.list(map(X, task)[]), sturdy_error = stop, error = identity)
  if (inherits(got, "error")) return(list(why = conditionMessage(got), error = got))
  for (one in got) check_version(one)
  is_answer <- vapply(got, function(x) is.list(x) && !is.null(x[["shard"]]), NA)
  shards <- vapply(got[is_answer], function(x) as.character(x$shard), "")
  list(answers = stats::setNames(got[is_answer], shards), why = words_instead(got[!is_answer]))
}

#' What came in the place of answers, in words: an engine may say itself why there is none
#' @noRd
words_instead <- function(came) {
  first <- if (length(came)) came[[1]]
  if (is.character(first)) first[1] else paste("what came was", describe(first))
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
