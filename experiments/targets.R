# The pipeline of one experiment, for targets::tar_make(). run.R defines `tasks`,
# `run` and `workers`.

targets::tar_option_set(
  packages = "sturdy", error = "trim",
  controller = if (workers > 1) crew::crew_controller_local(workers = workers)
)

list(
  # that run.R has installed: the files are the version
  targets::tar_target_raw(
    "package",
    quote(c("DESCRIPTION", list.files(c("R", "src"), "[.][Rch]$", full.names = TRUE))),
    format = "file", deployment = "main"
  ),
  targets::tar_target_raw("task", quote(tasks), deployment = "main"),
  # of the task alone, so that more replications add to those that are kept
  targets::tar_target_raw(
    "replication", quote({
      package
      run_task(run, task)
    }), pattern = quote(map(task)), iteration = "list"
  )
)
