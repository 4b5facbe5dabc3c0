three <- function() {
  list(
    noise = candidate("gpc", kernel = held(), epsilon = "learn"),
    bad = candidate("gpc", kernel = "rbf"),
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

test_that("without a plan candidates run in this session", {
  if (rlang::is_installed("future")) {
    old <- future::plan("sequential")
    on.exit(future::plan(old))
  }
  expect_false(plan_is_set())
  runs <- run_candidates(three(), mold(class ~ a + b, toy()))
  expect_named(runs, names(three()))
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

extended_test("a worker that dies costs its candidate only", {
  skip_unless_workers()
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  deadly <- three()$noise
  deadly$args$kernel <- structure(list(), class = "sturdy_deadly")
  candidates <- c(list(deadly = deadly), rep(three()["t5"], 5))
  names(candidates) <- make.unique(names(candidates))
  mortal <- function(candidate, shared) {
    if (inherits(candidate$args$kernel, "sturdy_deadly")) quit("no")
    run(candidate, shared)
  }
  environment(mortal) <- list2env(list(run = run_one), parent = baseenv())
  runs <- run_candidates(candidates, mold(class ~ a, toy()), run = mortal)
  status <- vapply(runs, function(run) run$facts$status, "")
  expect_equal(unname(status), c("failed", rep("converged", 5)))
})

test_that("progress is signalled once a candidate", {
  skip_if_not_installed("progressr")
  withr::local_options(progressr.enable = TRUE)
  steps <- 0
  withCallingHandlers(
    run_candidates(three(), mold(class ~ a + b, toy())),
    progression = function(p) {
      if (identical(p$type, "update") && p$amount > 0) steps <<- steps + 1
    }
  )
  expect_equal(steps, 4)
})

# Interrupts ------------------------------------------------------------------

interrupted_script <- '
library(sturdy)
told <- commandArgs(TRUE)[1]
future::plan("multisession", workers = 2)
pids <- lapply(1:2, function(i) {
  future::future({ Sys.sleep(0.5); Sys.getpid() }, seed = NULL)
})
pids <- vapply(pids, future::value, 1L)
candidates <- rep(list(candidate("gpc", control = ep_control(restarts = 50))), 4)
writeLines(as.character(c(Sys.getpid(), pids)), paste0(told, "~"))
invisible(file.rename(paste0(told, "~"), told))
select_model(class ~ ., sturdy_data("pima"), candidates)
'

running <- function(pid) tools::pskill(pid, 0L)

# Polls, for at most `seconds`
wait_for <- function(condition, seconds) {
  condition <- substitute(condition)
  frame <- parent.frame()
  until <- Sys.time() + seconds
  while (!eval(condition, frame) && Sys.time() < until) Sys.sleep(0.1)
}

extended_test("an interrupt leaves no worker running", {
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
  expect_true(all(running(pids)))
  tools::pskill(pids[1], tools::SIGINT)
  wait_for(!any(running(pids)), 10)
  expect_false(any(running(pids)))
})
