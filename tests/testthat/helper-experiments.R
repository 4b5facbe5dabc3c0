# What a script of the folder experiments defines. Only the repository has that folder,
# so tests of scripts are extended ones.
script_env <- function(script) {
  folder <- testthat::test_path("..", "..", "experiments")
  testthat::skip_if_not(dir.exists(folder), "no repository")
  env <- new.env(parent = globalenv())
  env$experiments <- normalizePath(folder)
  for (file in c("helper.R", paste0(script, ".R"))) {
    sys.source(file.path(folder, file), env)
  }
  for (package in env$experiment$needs) testthat::skip_if_not_installed(package)
  env
}

# A quick run, or one of other settings, without run.R
quick_run <- function(script, ...) {
  env <- script_env(script)
  settings <- utils::modifyList(env$settings_of(env$experiment, TRUE), list(...))
  tasks <- env$experiment$tasks(settings)
  parts <- env$bind_parts(lapply(seq_len(nrow(tasks)), function(i) {
    env$run_task(env$experiment$run, tasks[i, , drop = FALSE])
  }))
  list(env = env, parts = parts, tables = env$experiment$tables(parts))
}

stored_result <- function(name) {
  utils::read.csv(system.file("results", name, package = "sturdy", mustWork = TRUE))
}
