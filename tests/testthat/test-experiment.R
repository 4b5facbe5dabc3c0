# run_experiment(): settings, cache, parallel runs, files. That every experiment runs
# is in test-experiments.R.

quick_run <- function(name, ..., folder = withr::local_tempdir(.local_envir = env),
                      env = rlang::caller_env()) {
  run_experiment(name, ..., quick = TRUE, folder = folder, progress = FALSE)
}

test_that("an interrupted run resumes, and more replications add to those kept", {
  folder <- withr::local_tempdir()
  cache <- withr::local_tempdir()
  run <- function(n) {
    quick_run("fss17-figure1", replications = n, folder = folder, cache = cache)
  }
  two <- run(2)
  kept <- list.files(cache, "[.]rds$", full.names = TRUE, recursive = TRUE)
  expect_length(kept, 2)
  stamps <- file.mtime(kept)
  three <- run(3)
  expect_length(list.files(cache, "[.]rds$", recursive = TRUE), 3)
  expect_identical(file.mtime(kept), stamps)
  expect_identical(three$results[1:4, ], two$results)
  # a file from a run that was killed while writing
  writeLines("half", kept[1])
  expect_identical(run(3)$results, three$results)
  saveRDS(1:3, kept[1])
  expect_identical(run(3)$results, three$results)
})

test_that("what other versions of the package kept is removed", {
  cache <- withr::local_tempdir()
  old <- file.path(cache, "permutation", "other", "a.rds")
  dir.create(dirname(old), recursive = TRUE)
  saveRDS(1, old)
  quick_run("fss17-figure1", replications = 1, cache = cache)
  expect_false(file.exists(old))
})

test_that("the user's workspace takes no part", {
  assign("mean", function(...) stop("mine"), envir = globalenv())
  withr::defer(rm("mean", envir = globalenv()))
  assign("predict", function(...) stop("mine"), envir = globalenv())
  withr::defer(rm("predict", envir = globalenv()))
  expect_s3_class(
    quick_run("fss17-figure1", replications = 1, cache = NULL), "sturdy_experiment"
  )
})

test_that("a figure that can't be drawn costs itself only", {
  script <- list(figures = list(f = list(width = 4, height = 4, draw = function(...) {
    stop("no room")
  })))
  x <- list(results = data.frame(a = 1), tables = list(), settings = list())
  folder <- withr::local_tempdir()
  expect_warning(
    files <- save_experiment(x, list(), script, "e", folder),
    class = "sturdy_warning_figure"
  )
  expect_setequal(basename(files), c("e.csv", "e.dcf"))
})

test_that("replications are the same with and without a cache, in any plan", {
  cache <- withr::local_tempdir()
  plain <- quick_run("fss17-figure1", cache = NULL)
  expect_identical(quick_run("fss17-figure1", cache = cache)$results, plain$results)
  skip_unless_workers()
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  expect_identical(quick_run("fss17-figure1", cache = NULL)$results, plain$results)
})

test_that("the files say what was run", {
  withr::local_envvar(STURDY_COMMIT = "abc")
  run <- quick_run("dqv11-figure1", cache = NULL)
  expect_true(all(file.exists(run$files)))
  about <- read.dcf(run$files[endsWith(run$files, ".dcf")])
  expect_identical(about[, "Commit"][[1]], "abc")
  expect_identical(eval(str2lang(about[, "Settings"])), run$settings)
  csv <- utils::read.csv(run$files[1])
  expect_equal(csv$value, run$results$value, tolerance = 1e-5)
})

test_that("a replication that fails is named, and the others are kept", {
  cache <- withr::local_tempdir()
  script <- list(
    run = function(task) if (task$k == 2) stop("no luck") else data.frame(v = task$k),
    env = new.env()
  )
  tasks <- data.frame(k = 1:3)
  expect_error(
    run_replications(tasks, script, "s", cache, FALSE, NULL), "no luck",
    class = "sturdy_error_replications"
  )
  expect_length(list.files(file.path(cache, "s"), "[.]rds$", recursive = TRUE), 2)
})

test_that("what a run reaches in its script decides whether it is made anew", {
  env <- new.env(parent = baseenv())
  eval(quote({
    constant <- 1
    inner <- function(x) x + constant
    other <- function(x) x
    run <- function(task) inner(task$k)
  }), env)
  files <- function() {
    replication_files(
      list(list(k = 1)), list(run = env$run, env = env), "s", withr::local_tempdir()
    )[[1]]
  }
  before <- basename(files())
  env$other <- function(x) 2 * x
  expect_identical(basename(files()), before)
  env$constant <- 2
  expect_false(basename(files()) == before)
})

test_that("wrong arguments are refused by name", {
  expect_error(run_experiment("nope"), class = "sturdy_error_experiment")
  expect_error(
    run_experiment("fss17-figure1", orders = 3), class = "sturdy_error_unknown_argument"
  )
  expect_error(run_experiment("fss17-figure1", folder = 1), class = "sturdy_error_type")
  file <- withr::local_tempfile(lines = "")
  expect_error(
    run_experiment("fss17-figure1", folder = file), class = "sturdy_error_folder"
  )
  expect_error(
    run_experiment("fss17-figure1", cache = file), class = "sturdy_error_folder"
  )
  wrong <- function(...) {
    expect_error(quick_run("fss17-figure1", ..., cache = NULL), class = "sturdy_error")
  }
  for (value in list(0, -1, NA, "a", 1.5, c(1, 2))) wrong(replications = value)
  wrong(df = c(10, 20))
  wrong(df = "a")
  wrong(rows = numeric())
  wrong(3)
  expect_snapshot(said(run_experiment("fss17-figure1", orders = 3)))
})

test_that("progress counts what is still to be run", {
  skip_if_not_installed("progressr")
  withr::local_options(progressr.enable = TRUE)
  cache <- withr::local_tempdir()
  steps <- function(n, progress) {
    steps <- NULL
    withCallingHandlers(
      run_experiment(
        "fss17-figure1", replications = n, quick = TRUE, cache = cache,
        folder = withr::local_tempdir(), progress = progress
      ),
      progression = function(p) if (p$type == "initiate") steps <<- p$steps
    )
    steps
  }
  expect_equal(steps(1, TRUE), 1)
  expect_equal(steps(3, TRUE), 2) # one was kept
  expect_null(steps(4, FALSE))
})

test_that("a replication goes by the values of its task", {
  expect_identical(task_words(list(k = 2, data = "pima")), "k = 2, data = pima")
})

test_that("a change of the package's own code makes replications anew", {
  hash <- function(f) package_hash(list(f = f, data = 1))
  expect_identical(hash(function(x) x), hash(function(x) x))
  expect_false(hash(function(x) x) == hash(function(x) x + 1))
  expect_false(hash(function(x) x) == hash(function(x, y = 1) x))
  expect_identical(package_hash(), package_hash())
  expect_false(package_hash(list(a = 1)) == package_hash(list(a = 2)))
})

test_that("the stream of random numbers is as it was", {
  withr::local_seed(3, .rng_kind = "Wichmann-Hill")
  before <- .Random.seed
  quick_run("fss17-figure1", replications = 1, cache = NULL)
  expect_identical(.Random.seed, before)
})
