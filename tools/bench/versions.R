# Two installed versions of sturdy beside each other: CPU seconds of the same calls, in
# processes of their own that take turns; the fastest of each and their ratio.
#
#   Rscript versions.R <library of the one before> <library of this one> [turns]
#
# EP is at fixed hyperparameters; learning is gpc() as a user calls it. All on one thread.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))
given <- commandArgs(TRUE)
options(sturdy.threads = 1)

tasks <- list(
  "EP, n = 500" = function() bench_fit(bench_problem(500)),
  "EP, n = 1000" = function() bench_fit(bench_problem(1000)),
  "EP, n = 2000" = function() bench_fit(bench_problem(2000))
)
for (name in names(learning_problems())) {
  tasks[[paste("learning,", name)]] <- local({
    problem <- learning_problems()[[name]]
    function() suppressMessages(suppressWarnings(gpc(problem$x, problem$y, inducing = NULL)))
  })
}
if (!"inducing" %in% names(formals(gpc_spec))) { # a version before inducing inputs
  gpc <- function(x, y, inducing) sturdy::gpc(x, y)
}

if ("--one" %in% given) {
  bench_fit(bench_problem(300)) # what a session does once
  task <- tasks[[given[2]]]
  out <- task()
  value <- if (is.null(out$ep)) out$log_evidence else out$learning$penalised
  saveRDS(c(seconds = least_seconds(task(), 2), value = value), given[3])
} else {
  turns <- as.integer(c(given[-(1:2)], "3")[1])
  machine <- machine_line()
  print_machine(machine)
  one <- function(library, task) {
    in_own_process(task, env = paste0("R_LIBS=", library, ":", Sys.getenv("R_LIBS")))
  }
  measure <- function(task) {
    runs <- lapply(seq_len(turns), function(k) {
      rbind(before = one(given[1], task), now = one(given[2], task))
    })
    before <- min(vapply(runs, function(r) r["before", "seconds"], 0))
    now <- min(vapply(runs, function(r) r["now", "seconds"], 0))
    data.frame(
      task = task, before = before, now = now, ratio = now / before,
      value_before = runs[[1]]["before", "value"], value = runs[[1]]["now", "value"],
      row.names = NULL
    )
  }
  bench_save(do.call(rbind, lapply(names(tasks), measure)), "versions", machine)
}
