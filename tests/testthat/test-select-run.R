three <- function() {
  list(
    noise = candidate("gpc", kernel = held(), epsilon = "learn"),
    bad = bad_candidate(),
    stuck = candidate(
      "gpc", kernel = held(), epsilon = 0.05, control = ep_control(max_sweeps = 1)
    ),
    t5 = candidate("stc", df = 5, kernel = held(), epsilon = 0.05)
  )
}
selected_under <- function(plan, ..., seed = 1) {
  old <- future::plan(plan, ..., substitute = FALSE)
  on.exit(future::plan(old))
  withr::local_seed(seed)
  before <- .Random.seed
  x <- select_model(class ~ a + b, toy(), three())
  x$table$seconds <- NULL
  x$drawn <- !identical(.Random.seed, before)
  x
}

test_that("without future.apply a map is lapply()", {
  squares <- without_packages("future.apply", map_items(
    list(a = 2, b = 3), function(x) x^2, NULL
  ))
  expect_identical(squares, list(a = 4, b = 9))
  here <- without_packages("future.apply", select_model(class ~ a + b, toy(), three()))
  expect_equal(here$table$status, c("converged", "failed", "max_sweeps", "converged"))
})

test_that("the table is the same under every plan, and nothing random is drawn", {
  skip_unless_workers()
  here <- selected_under("sequential")
  there <- selected_under("multisession", workers = 2)
  expect_identical(there$table, here$table)
  expect_equal(coef(there), coef(here))
  expect_false(here$drawn)
  expect_false(there$drawn)
  expect_equal(here$table$status, c("converged", "failed", "max_sweeps", "converged"))
  if (future::supportsMulticore()) {
    expect_identical(selected_under("multicore", workers = 2)$table, here$table)
  }
})

test_that("what goes to a worker does not grow with the other items", {
  skip_on_covr() # which puts its own counters into every function
  size <- function(n, title) {
    items <- list(numeric(n), numeric(n))
    tick <- map_progress(2, title, environment())
    length(serialize(item_runner(run_one, tick, NULL), NULL))
  }
  expect_lt(size(1e6, NULL), 1e5)
  skip_if_not_installed("progressr")
  withr::local_options(progressr.enable = TRUE)
  expect_lt(size(1e6, "Title"), 1e5)
})

test_that("progress is signalled once a candidate", {
  skip_if_not_installed("progressr")
  withr::local_options(progressr.enable = TRUE, sturdy.progress = NA)
  steps <- 0
  withCallingHandlers(
    select_model(class ~ a + b, toy(), three()),
    progression = function(p) {
      if (identical(p$type, "update") && p$amount > 0) steps <<- steps + 1
    }
  )
  expect_equal(steps, 4)
})

# Failures ----------------------------------------------------------------------

test_that("an error in an item is the error of the map", {
  expect_error(map_items(list(1), function(x) stop("no luck"), NULL), "no luck")
})

test_that("a worker that dies is an error that names its item", {
  skip_unless_workers()
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  dies <- function(x) if (x == 2) tools::pskill(Sys.getpid(), tools::SIGKILL) else x
  environment(dies) <- globalenv()
  error <- expect_error(
    map_items(list(a = 1, b = 2, c = 3), dies, NULL), class = "sturdy_error_worker"
  )
  expect_identical(error$item, "b")
  expect_match(conditionMessage(error), "b")
})

# Item b is killed from outside while it runs. In a session of its own, with its workers.
killed_script <- '
library(sturdy)
told <- commandArgs(TRUE)[1]
future::plan("multisession", workers = 2)
run <- function(item) {
  if (item$kill) {
    # a subshell: of a plain list system() waits for all but the last
    system(sprintf("(sleep 0.5; kill -9 %d) &", Sys.getpid()))
    Sys.sleep(60)
  }
  Sys.sleep(0.2)
  Sys.getpid()
}
environment(run) <- globalenv()
map <- function(kill) {
  items <- lapply(c(a = FALSE, b = kill, c = FALSE), function(kill) list(kill = kill))
  tryCatch(
    unlist(sturdy:::map_items(items, run, NULL)),
    sturdy_error_worker = function(cnd) paste("error", cnd$item)
  )
}
first <- map(FALSE)
killed <- map(TRUE)
later <- c(map(FALSE), map(FALSE))
future::plan("multisession", workers = 2)
again <- map(FALSE)
saveRDS(
  list(session = Sys.getpid(), first = first, killed = killed, later = later, again = again),
  told
)
'

extended_test("a killed worker: its item is named, nothing runs here, none is left over", {
  skip_unless_workers()
  skip_on_os("windows")
  script <- withr::local_tempfile(lines = killed_script, fileext = ".R")
  told <- withr::local_tempfile()
  withr::local_envvar(R_LIBS = paste(.libPaths(), collapse = ":"))
  system2(
    file.path(R.home("bin"), "Rscript"), c(script, told), stdout = FALSE, stderr = FALSE
  )
  x <- readRDS(told)
  expect_identical(x$killed, "error b")
  # an error until the plan is set again, as the error says, or workers: not the session
  expect_false(x$session %in% c(x$first, x$later, x$again))
  expect_length(x$again, 3)
  pids <- as.integer(grep("^[0-9]+$", c(x$first, x$later, x$again), value = TRUE))
  wait_for(!any(tools::pskill(pids, 0L)), 10)
  expect_false(any(tools::pskill(pids, 0L)))
})

test_that("an interrupted worker is an error that names its item", {
  skip_unless_workers()
  skip_on_os("windows")
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  stops <- function(x) {
    if (x == 2) tools::pskill(Sys.getpid(), tools::SIGINT)
    for (k in 1:50) Sys.sleep(0.01)
    x
  }
  environment(stops) <- globalenv()
  error <- expect_error(map_items(list(1, 2), stops, NULL), class = "sturdy_error_worker")
  expect_identical(error$item, 2L)
  # and the worker goes on to the next
  expect_identical(map_items(list(1, 3), stops, NULL), list(1, 3))
})

# Interrupts --------------------------------------------------------------------

# The first map is interrupted, the second is not.
interrupted_script <- '
library(sturdy)
told <- commandArgs(TRUE)[1]
say <- function(...) {
  writeLines(as.character(c(...)), paste0(told, "~"))
  invisible(file.rename(paste0(told, "~"), told))
}
future::plan("multisession", workers = 2)
workers <- function() {
  sort(future.apply::future_sapply(1:2, future.seed = NULL, function(i) {
    Sys.sleep(0.5)
    Sys.getpid()
  }))
}
before <- workers()
candidates <- rep(list(candidate("gpc", control = ep_control(restarts = 50))), 4)
say(Sys.getpid(), before)
tryCatch(
  select_model(class ~ ., sturdy_data("pima"), candidates),
  interrupt = function(cnd) NULL
)
began <- Sys.time()
after <- workers()
say(after, round(difftime(Sys.time(), began, units = "secs")), "end")
'

extended_test("an interrupt ends what the workers run, and leaves the workers", {
  skip_unless_workers()
  skip_on_os("windows")
  script <- withr::local_tempfile(lines = interrupted_script, fileext = ".R")
  told <- withr::local_tempfile()
  withr::local_envvar(R_LIBS = paste(.libPaths(), collapse = ":"))
  system2(
    file.path(R.home("bin"), "Rscript"), c(script, told),
    wait = FALSE, stdout = FALSE, stderr = FALSE
  )
  wait_for(file.exists(told), 30)
  pids <- as.integer(readLines(told))
  expect_length(pids, 3)
  Sys.sleep(3) # the candidates are being fitted
  tools::pskill(pids[1], tools::SIGINT)
  wait_for("end" %in% readLines(told), 30)
  after <- readLines(told)
  expect_identical(as.integer(after[1:2]), pids[2:3])
  expect_lt(as.numeric(after[3]), 10)
  # the session has ended, and its workers with it
  wait_for(!any(tools::pskill(pids, 0L)), 10)
  expect_false(any(tools::pskill(pids, 0L)))
})

test_that("candidates are counted in the session that shows them, and nowhere else", {
  seen <- list()
  meter <- function(done, of, words) seen[[length(seen) + 1]] <<- list(done, of, words)
  here <- meter_tick(meter, 3)
  for (k in 1:2) here()
  elsewhere <- meter_tick(meter, 3, session = -1L)
  elsewhere()
  expect_identical(seen, list(list(1, 3, "1 of 3 candidates"), list(2, 3, "2 of 3 candidates")))
})
