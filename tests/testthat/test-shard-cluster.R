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

test_that("a fit is the same to the last bit on no, one or two workers", {
  local_few()
  cluster <- local_cluster(2)
  here <- fit_to(shards(d, 5))
  for (n in 1:2) {
    there <- fit_to(shards(d, 5), cluster = cluster[seq_len(n)])
    expect_identical(there$ep, here$ep)
    expect_identical(there$inducing, here$inducing)
  }
  learned <- bpm(class ~ ., shards(d, 5), prior_scale = "learn")
  there <- bpm(class ~ ., shards(d, 5), prior_scale = "learn", cluster = cluster)
  expect_identical(there$ep, learned$ep)
  expect_identical(there$learning, learned$learning)
  # nodes forget a run
  left <- parallel::clusterEvalQ(cluster, ls(sturdy:::shard_states))
  expect_length(unlist(left), 0)
})

test_that("an error at a node names its shard, and the cluster can be used again", {
  local_few()
  cluster <- local_cluster(2)
  parts <- lapply(list(1:200, 201:400), function(at) {
    rows <- d[at, ]
    rlang::new_function(NULL, bquote(.(rows)), baseenv())
  })
  bad <- c(parts, list(rlang::new_function(NULL, quote(stop("not there")), baseenv())))
  error <- caught(fit_to(shards(bad), cluster = cluster))
  expect_s3_class(error, "sturdy_error_shard")
  expect_identical(error$shard, 3L)
  expect_identical(
    fit_to(shards(parts), cluster = cluster)$ep, fit_to(shards(parts))$ep
  )
})

# A shard whose worker dies at its `nth` reading, once
deadly <- function(rows, nth, env = parent.frame()) {
  calls <- withr::local_tempfile(.local_envir = env)
  writeLines(character(), calls)
  rlang::new_function(NULL, bquote({
    cat("read\n", file = .(calls), append = TRUE)
    if (length(readLines(.(calls))) == .(nth)) tools::pskill(Sys.getpid(), 9)
    .(rows)
  }), baseenv())
}

test_that("a node that is lost leaves its shards to the others: not a bit is lost", {
  local_few()
  ends <- c(150, 300, 350, 400)
  sizes <- diff(c(0, ends))
  parts <- Map(function(end, n) { # two are lost
    rows <- d[end - n:1 + 1, ]
    rlang::new_function(NULL, bquote(.(rows)), baseenv())
  }, ends, sizes)
  here <- fit_to(shards(parts, keep = FALSE))
  for (nth in c(1, 3, 6, 10)) {
    cluster <- local_cluster(2)
    parts[[2]] <- deadly(d[151:300, ], nth)
    expect_warning(
      fit <- fit_to(shards(parts, keep = FALSE), cluster = cluster),
      class = "sturdy_warning_node_lost"
    )
    expect_identical(fit$ep, here$ep)
    expect_identical(fit$inducing, here$inducing)
  }
})

test_that("a run that may resume loses a node when it has saved its first sites", {
  local_few()
  folder <- withr::local_tempdir()
  parts <- lapply(split(d, rep(1:4, each = 100)), function(rows) {
    rlang::new_function(NULL, bquote(.(rows)), baseenv())
  })
  here <- fit_to(shards(parts, keep = FALSE))
  parts[[2]] <- deadly(d[101:200, ], 8)
  cluster <- local_cluster(2)
  lost <- NULL
  fit <- withCallingHandlers(
    fit_to(shards(parts, keep = FALSE, checkpoint = folder, resume = TRUE), cluster = cluster),
    sturdy_warning_node_lost = function(cnd) {
      lost <<- conditionMessage(cnd)
      invokeRestart("muffleWarning")
    }
  )
  expect_true(file.exists(file.path(folder, "shard-00002.sites")))
  expect_match(lost, "not to the last bit")
  expect_equal(fit$ep$b, here$ep$b, tolerance = 1e-6)
})

test_that("so it is while hyperparameters are learned, and when one after the other is lost", {
  local_few()
  at <- list(1:150, 151:300, 301:350, 351:400)
  parts <- lapply(at, function(at) {
    rows <- d[at, ]
    rlang::new_function(NULL, bquote(.(rows)), baseenv())
  })
  learn <- function(rows, ...) bpm(class ~ ., rows, prior_scale = "learn", ...)
  here <- learn(shards(parts, keep = FALSE))
  cluster <- local_cluster(3)
  parts[[2]] <- deadly(d[at[[2]], ], 25)
  parts[[3]] <- deadly(d[at[[3]], ], 40)
  expect_warning(
    expect_warning(
      fit <- learn(shards(parts, keep = FALSE), cluster = cluster),
      class = "sturdy_warning_node_lost"
    ),
    class = "sturdy_warning_node_lost"
  )
  expect_identical(fit$ep, here$ep)
  expect_identical(fit$learning, here$learning)
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
  first <- d[1:200, ]
  parts <- list(rlang::new_function(NULL, bquote(.(first)), baseenv()), other)
  error <- caught(suppressWarnings(fit_to(shards(parts, keep = FALSE), cluster = cluster)))
  expect_s3_class(error, "sturdy_error_rows")
})

test_that("without a node left a fit ends with an error", {
  cluster <- local_cluster(1)
  parts <- list(deadly(d, 4))
  expect_error(
    fit_to(shards(parts, keep = FALSE), cluster = cluster), class = "sturdy_error_cluster"
  )
})

test_that("a node that is dead from the start is left out", {
  local_few()
  cluster <- local_cluster(2)
  tools::pskill(parallel::clusterCall(cluster[1], Sys.getpid)[[1]], 9)
  Sys.sleep(0.5)
  expect_identical(
    fit_to(shards(d, 5), cluster = cluster)$ep$b, fit_to(shards(d, 5))$ep$b
  )
})

test_that("what is no cluster is refused", {
  expect_error(fit_to(shards(d, 2), cluster = 2), class = "sturdy_error_type")
})

test_that("a node that dies between two questions at the start is lost, not taken for another", {
  cluster <- local_cluster(2)
  pids <- unlist(parallel::clusterCall(cluster, Sys.getpid))
  questions <- 0
  whole <- cluster_nodes
  local_mocked(cluster_nodes = function(cluster, which) {
    questions <<- questions + 1
    if (questions == 2) {
      tools::pskill(pids[2], tools::SIGKILL)
      Sys.sleep(0.2)
    }
    whole(cluster, which)
  })
  expect_identical(start_nodes(cluster), 1L)
})
