# Workers are other R processes, which load the installed package.

local_cluster <- function(n, env = parent.frame()) {
  skip_unless_workers()
  cluster <- parallel::makePSOCKcluster(n)
  withr::defer(for (k in seq_along(cluster)) { # some may be dead
    try(parallel::stopCluster(cluster[k]), silent = TRUE)
    try(close(cluster[[k]]$con), silent = TRUE)
  }, envir = env)
  cluster
}

d <- shard_data(400)
fit_to <- function(rows, ...) {
  gpc(class ~ ., rows, inducing = 15, kernel = held_kernel(), epsilon = 0.1, ...)
}
# what is the same whoever has done the tasks
bits <- function(fit) fit[c("ep", "inducing", "weights", "learning", "label_stage")]

# of so many shards, without workers
here <- made_once(function(n) {
  local_few()
  bits(fit_to(shards(d, n)))
})

# A function that gives rows
giving <- function(rows) rlang::new_function(NULL, bquote(.(rows)), baseenv())

test_that("a fit is the same to the last bit on no, one or two workers", {
  local_few()
  cluster <- local_cluster(2)
  for (n in 1:2) {
    expect_identical(bits(fit_to(shards(d, 5), cluster = cluster[seq_len(n)])), here(5))
  }
  learn <- function(...) bpm(class ~ ., shards(d, 5, keep = FALSE), prior_scale = "learn", ...)
  expect_identical(bits(learn(cluster = cluster)), bits(learn()))
  # and files of the run are gone
  expect_length(dir(tempdir(), "^sturdy-run-"), 0)
})

test_that("any function that maps another over a list does the tasks: in any order, twice, or a few", {
  local_few()
  expect_identical(bits(fit_to(shards(d, 5), cluster = lapply)), here(5))
  backwards <- function(X, FUN, ...) rev(lapply(rev(X), FUN, ...))
  expect_identical(bits(fit_to(shards(d, 5), cluster = backwards)), here(5))
  twice <- function(X, FUN, ...) {
    lapply(X, FUN, ...)
    lapply(X, FUN, ...)
  }
  expect_identical(bits(fit_to(shards(d, 5), cluster = twice)), here(5))
  # one that has no answer now and then, and remembers nothing
  calls <- 0
  forgetful <- function(X, FUN, ...) {
    lapply(X, function(x) {
      calls <<- calls + 1
      rm(list = ls(shard_cache), envir = shard_cache)
      if (calls %% 7 > 0) FUN(x)
    })
  }
  expect_warning(
    fit <- fit_to(shards(d, 5, keep = FALSE, batch_size = 30), cluster = forgetful),
    class = "sturdy_warning_node_lost"
  )
  expect_identical(
    bits(fit), bits(fit_to(shards(d, 5, batch_size = 30)))
  )
})

test_that("an engine is asked as long as it has an answer to anything, and three times without one", {
  asked <- 0
  answering <- function(some) {
    function(X, FUN) {
      asked <<- asked + 1
      lapply(X[some], FUN)
    }
  }
  tasks <- stats::setNames(as.list(1:5), 1:5)
  each <- function(x) list(shard = x, answer = 10 * x)
  expect_warning(
    found <- map_all(answering(1), tasks, each, tempfile()), "shards 2, 3, 4",
    class = "sturdy_warning_node_lost"
  )
  expect_identical(found, lapply(1:5, each))
  expect_identical(asked, 5)
  asked <- 0
  error <- caught(suppressWarnings(map_all(answering(0), tasks, each, tempfile())))
  expect_s3_class(error, "sturdy_error_cluster")
  expect_identical(asked, 3)
})

test_that("a task that comes late, when its round is over, changes nothing", {
  local_few()
  late <- list()
  tardy <- function(X, FUN, ...) {
    answers <- lapply(X, FUN)
    for (old in late[length(late)]) old() # of three rounds ago
    late <<- utils::head(c(list(function() lapply(X, FUN)), late), 3)
    answers
  }
  expect_identical(bits(fit_to(shards(d, 3), cluster = tardy)), here(3))
})

test_that("processes that die now and then, in the middle of a task, take not a bit with them", {
  skip_on_os("windows")
  skip_on_cran()
  local_few()
  tasks <- 0
  # a process for each task, of which every fifth ends in its middle
  mortal <- function(X, FUN, ...) {
    lapply(X, function(x) {
      tasks <<- tasks + 1
      dies <- tasks %% 5 == 0
      job <- parallel::mcparallel({
        if (dies) local_mocked(write_file = function(...) tools::pskill(Sys.getpid(), 9))
        if (dies && tasks %% 2 == 0) tools::pskill(Sys.getpid(), 9)
        FUN(x)
      }, mc.set.seed = FALSE)
      suppressWarnings(parallel::mccollect(job))[[1]]
    })
  }
  expect_warning(
    fit <- fit_to(shards(d, 2), cluster = mortal), class = "sturdy_warning_node_lost"
  )
  expect_identical(bits(fit), here(2))
})

test_that("engines that are installed do them: mirai, future", {
  skip_unless_workers()
  local_few()
  here <- here(5)
  withr::local_envvar(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  if (rlang::is_installed("mirai")) {
    mirai::daemons(2)
    withr::defer(mirai::daemons(0))
    expect_identical(bits(fit_to(shards(d, 5), cluster = mirai::mirai_map)), here)
  }
  if (rlang::is_installed("future.apply")) {
    before <- future::plan("multisession", workers = 2)
    withr::defer(future::plan(before))
    expect_identical(bits(fit_to(shards(d, 5), cluster = future.apply::future_lapply)), here)
  }
  expect_length(here, 5)
})

# spark_apply() as its help describes it: f(df, context) is called for each partition of a table, in processes
# that have what is serialised, and with `fetch_result_as_sdf = FALSE` the results are a list of R objects, one a
# partition, in no order.
spark_stub <- function(x, f, context = NULL, fetch_result_as_sdf = TRUE, partitions = 2, ...) {
  stopifnot(is.data.frame(x), all(vapply(x, is.atomic, NA)), !fetch_result_as_sdf)
  sent <- serialize(list(f, context), NULL)
  rev(lapply(split(x, seq_len(nrow(x)) %% partitions), function(df) {
    there <- unserialize(sent)
    unserialize(serialize(there[[1]](df, there[[2]]), NULL))
  }))
}

test_that("spark_apply() over a table of tasks is such an engine, whatever order its partitions come in", {
  local_few()
  spark <- function(X, FUN, ...) {
    tasks <- data.frame(task = seq_along(X))
    each <- function(df, context) lapply(context$X[df$task], context$FUN)
    found <- spark_stub(tasks, each, context = list(X = X, FUN = FUN), fetch_result_as_sdf = FALSE)
    do.call(c, unname(found))
  }
  expect_identical(bits(fit_to(shards(d, 5), cluster = spark)), here(5))
})

test_that("so is Q() of clustermq", {
  skip_if_not_installed("clustermq")
  local_few()
  withr::local_options(clustermq.scheduler = "multiprocess")
  withr::local_envvar(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  Q <- getExportedValue("clustermq", "Q")
  queue <- function(X, FUN, ...) Q(FUN, item = X, n_jobs = 2, verbose = FALSE)
  expect_identical(bits(fit_to(shards(d, 5), cluster = queue)), here(5))
})

test_that("what a node still has to answer to others is not taken for an answer", {
  local_few()
  cluster <- local_cluster(1)
  other <- list(fun = Sys.getpid, args = list(), return = TRUE, tag = "other")
  serialize(list(type = "EXEC", data = other, tag = NULL), cluster[[1]]$con)
  expect_no_warning(fit <- fit_to(shards(d, 2), cluster = cluster))
  expect_identical(bits(fit), here(2))
})

test_that("who leaves a round takes in the answers that are under way, so that others do not get them", {
  skip_on_cran()
  cluster <- local_cluster(1)
  nodes <- list("1" = cluster[[1]]$con)
  asked <- 0
  interrupted <- function(tasks) {
    asked <<- asked + 1
    if (asked == 1) stop("the user has left")
    asked
  }
  slow <- function(x) {
    Sys.sleep(1)
    10 * x
  }
  expect_error(ask_nodes(nodes, list("1" = 1:2), slow, 60, interrupted), "has left")
  expect_identical(parallel::parLapply(cluster, 3, function(x) x), list(3))
})

test_that("an error at a node names its shard, and the cluster can be used again", {
  local_few()
  cluster <- local_cluster(2)
  parts <- list(giving(d[1:200, ]), giving(d[201:400, ]))
  bad <- c(parts, list(rlang::new_function(NULL, quote(stop("not there")), baseenv())))
  error <- caught(fit_to(shards(bad), cluster = cluster))
  expect_s3_class(error, "sturdy_error_shard")
  expect_identical(error$shard, 3L)
  expect_identical(
    fit_to(shards(parts), cluster = cluster)$ep, fit_to(shards(parts))$ep
  )
})

# A shard whose worker gets a signal at its `nth` reading, once
deadly <- function(rows, nth, signal = 9, env = parent.frame()) {
  calls <- withr::local_tempfile(.local_envir = env)
  writeLines(character(), calls)
  rlang::new_function(NULL, bquote({
    cat("read\n", file = .(calls), append = TRUE)
    if (length(readLines(.(calls))) == .(nth)) tools::pskill(Sys.getpid(), .(signal))
    .(rows)
  }), baseenv())
}

at <- list(1:150, 151:300, 301:350, 351:400)
given_parts <- function() lapply(at, function(at) giving(d[at, ]))
here_of_parts <- made_once(function() {
  local_few()
  bits(fit_to(shards(given_parts())))
})

test_that("a node that is lost leaves its shards to the others: not a bit is lost", {
  local_few()
  parts <- given_parts()
  for (nth in c(1, 6)) { # at the first look, and in a round
    cluster <- local_cluster(2)
    parts[[2]] <- deadly(d[151:300, ], nth)
    expect_warning(
      fit <- fit_to(shards(parts, keep = FALSE), cluster = cluster),
      class = "sturdy_warning_node_lost"
    )
    expect_identical(bits(fit), here_of_parts())
  }
})

test_that("so it is of a run that is resumed, and when one after the other is lost", {
  local_few()
  folder <- withr::local_tempdir()
  parts <- given_parts()
  resume <- function(folder, ...) {
    fit_to(shards(parts, keep = FALSE, checkpoint = folder, resume = TRUE), ...)
  }
  short <- ep_control(max_sweeps = 4)
  suppressWarnings(fit_to(shards(parts, checkpoint = folder), control = short))
  copy <- withr::local_tempdir()
  file.copy(dir(folder, full.names = TRUE), copy)
  here <- resume(copy)
  parts[[2]] <- deadly(d[at[[2]], ], 6)
  parts[[3]] <- deadly(d[at[[3]], ], 10)
  cluster <- local_cluster(3)
  expect_gt(here$ep$sweeps, 2)
  lost <- character()
  fit <- withCallingHandlers(resume(folder, cluster = cluster), sturdy_warning_node_lost = function(cnd) {
    lost <<- c(lost, conditionMessage(cnd))
    invokeRestart("muffleWarning")
  })
  expect_match(lost[1], "shard 2.*node 2 has gone")
  expect_match(lost[2], "node 3 has gone")
  expect_identical(bits(fit), bits(here))
  expect_identical(dir(folder), sprintf("shard-%05d.sites", 1:4))
})

test_that("rows that are others where a lost shard is read again are noticed", {
  local_few()
  cluster <- local_cluster(2)
  calls <- withr::local_tempfile(lines = character())
  rows <- d[201:400, ]
  other <- rlang::new_function(NULL, bquote({
    cat("read\n", file = .(calls), append = TRUE)
    n <- length(readLines(.(calls)))
    if (n == 6) tools::pskill(Sys.getpid(), 9)
    if (n < 6) .(rows) else .(rows[200:1, ])
  }), baseenv())
  parts <- list(giving(d[1:200, ]), other)
  error <- caught(suppressWarnings(fit_to(shards(parts, keep = FALSE), cluster = cluster)))
  expect_s3_class(error, "sturdy_error_rows")
  expect_identical(error$shard, 2L)
})

test_that("without a node left a fit ends with an error", {
  cluster <- local_cluster(1)
  parts <- list(deadly(d, 4))
  error <- caught(suppressWarnings(fit_to(shards(parts, keep = FALSE), cluster = cluster)))
  expect_s3_class(error, "sturdy_error_cluster")
})

test_that("a node that is dead from the start is left out", {
  local_few()
  cluster <- local_cluster(2)
  tools::pskill(parallel::clusterCall(cluster[1], Sys.getpid)[[1]], 9)
  Sys.sleep(0.5)
  expect_warning(
    fit <- fit_to(shards(d, 5), cluster = cluster), class = "sturdy_warning_node_lost"
  )
  expect_identical(bits(fit), here(5))
})

test_that("a node that gives no sign of life is given up within the patience there is", {
  skip_on_os("windows")
  local_few()
  cluster <- local_cluster(2)
  pids <- unlist(parallel::clusterCall(cluster, Sys.getpid))
  withr::defer(tools::pskill(pids, 9), priority = "first")
  parts <- given_parts()
  stopped <- function(k) parts[[k]] <<- deadly(d[at[[k]], ], 5, tools::SIGSTOP)
  stopped(2)
  rows <- function() shards(parts, keep = FALSE, patience = 4)
  expect_warning(
    fit <- fit_to(rows(), cluster = cluster), "no sign of life", class = "sturdy_warning_node_lost"
  )
  expect_identical(bits(fit), here_of_parts())
  stopped(1) # at the other node, with none left
  seconds <- system.time(
    error <- caught(suppressWarnings(fit_to(rows(), cluster = cluster[1])))
  )[["elapsed"]]
  expect_s3_class(error, "sturdy_error_cluster")
  expect_lt(seconds, 30)
})

test_that("a worker that is long at a shard, but gets on, is waited for", {
  local_few()
  cluster <- local_cluster(1)
  slow <- rlang::new_function(NULL, bquote({
    rows <- .(d)
    at <- 0
    function() { # batches
      Sys.sleep(2)
      at <<- at + 200
      if (at <= 400) rows[at - 199:0, ]
    }
  }), baseenv())
  expect_no_warning(fit <- fit_to(shards(list(slow), patience = 4), cluster = cluster))
  expect_identical(fit$shards$rows, 400)
})

test_that("what is no engine is refused, and what has no answers is told of", {
  folder <- withr::local_tempdir()
  expect_error(fit_to(shards(d, 2, checkpoint = folder), cluster = 2), class = "sturdy_error_type")
  expect_identical(dir(folder), character()) # nothing is left behind
  none <- function(engine) {
    error <- caught(suppressWarnings(fit_to(shards(d, 2), cluster = engine)))
    expect_s3_class(error, "sturdy_error_cluster")
    error
  }
  none(function(X, FUN, ...) NULL)
  none(function(X, FUN, ...) lapply(X, identity))
  error <- none(function(X, FUN, ...) stop("no queue"))
  expect_match(conditionMessage(error$parent), "no queue")
})

test_that("a worker without the package, or with another version of it, is told of as such", {
  skip_unless_workers()
  task <- packed_task(raw(), "0.0.1")
  error <- caught(map_all(lapply, list("1" = 1), task, "run"))
  expect_s3_class(error, c("sturdy_error_worker_version", "sturdy_error_cluster"), exact = FALSE)
  expect_match(conditionMessage(error), "should have version .*What it has: 0|same version")
  nowhere <- withr::local_tempdir()
  withr::local_envvar(R_LIBS = nowhere, R_LIBS_SITE = nowhere, R_LIBS_USER = nowhere)
  cluster <- local_cluster(1)
  error <- caught(fit_to(shards(d, 2), cluster = cluster))
  expect_s3_class(error, "sturdy_error_worker_version")
  expect_match(conditionMessage(error), "no package called")
})

test_that("a folder of sites that a worker does not see is told of", {
  folder <- withr::local_tempdir()
  elsewhere <- function(X, FUN, ...) {
    unlink(dir(folder, "^sturdy-run-", full.names = TRUE), recursive = TRUE)
    lapply(X, FUN)
  }
  error <- caught(fit_to(shards(list(giving(d)), checkpoint = folder), cluster = elsewhere))
  expect_s3_class(error, "sturdy_error_checkpoint")
  expect_match(conditionMessage(error$parent), "all workers")
})
