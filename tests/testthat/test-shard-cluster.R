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

test_that("a node that is lost ends the fit, which goes on from its checkpoint", {
  local_few()
  folder <- withr::local_tempdir()
  parts <- lapply(split(d, rep(1:4, each = 100)), function(rows) {
    rlang::new_function(NULL, bquote(.(rows)), baseenv())
  })
  here <- fit_to(shards(parts, keep = FALSE))
  parts[[2]] <- deadly(d[101:200, ], 8)
  cluster <- local_cluster(2)
  saved <- function(resume) shards(parts, keep = FALSE, checkpoint = folder, resume = resume)
  expect_error(fit_to(saved(FALSE), cluster = cluster), class = "sturdy_error_cluster")
  expect_error(fit_to(saved(TRUE), cluster = cluster), class = "sturdy_error_cluster")
  fit <- fit_to(saved(TRUE), cluster = local_cluster(2))
  expect_equal(fit$ep$b, here$ep$b, tolerance = 1e-6)
})

test_that("what is no cluster is refused", {
  expect_error(fit_to(shards(d, 2), cluster = 2), class = "sturdy_error_type")
})
