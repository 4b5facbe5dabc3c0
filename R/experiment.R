#' Run the experiments behind the documentation
#'
#' `run_experiment()` runs one of the experiments that come with the package: the
#' tables and figures of the papers it implements, and the comparisons that its help
#' pages and vignettes quote. `experiments()` lists them.
#'
#' @details
#' An experiment is a set of replications. Each is saved in the cache as soon as it is
#' done. A run that was interrupted, or that asks for more replications than the one
#' before, therefore continues where that stopped. A replication is repeated when its
#' settings, the code it runs, or the version or R code of the package change, and those
#' of other versions are removed. To remove all:
#' `unlink(tools::R_user_dir("sturdy", "cache"), recursive = TRUE)`. When the future.apply
#' package is installed, replications run under the plan of the future package, in
#' parallel after `future::plan("multisession")`, with the same results, because each sets
#' its own seed. Progress is signalled through progressr when that is installed.
#'
#' The full results of all experiments come with the package, in the folder
#' `system.file("experiments", "results", package = "sturdy")`, each with a file
#' `.dcf` that states the version, commit and settings it was made with. The scripts are
#' in the folder above it. To run one from a shell:
#' `Rscript -e 'sturdy::run_experiment("kg08-table2")'`.
#'
#' When replications run in parallel and the BLAS has threads of its own, as OpenBLAS
#' does, limit it to one thread (`OPENBLAS_NUM_THREADS=1` in the environment of R).
#'
#' @param name Name of an experiment, one of `experiments()$name`.
#' @param ... Settings of the experiment, by name, that replace its own, such as
#'   `replications = 2` or `data = "sonar"`. The `settings` in its script show which ones
#'   there are.
#' @param quick Whether to run a small version that takes seconds and only shows that the
#'   experiment works (`FALSE` by default).
#' @param folder Folder for the results, which is created if necessary; by default in the
#'   user's cache, see [tools::R_user_dir()].
#' @param cache Folder in which replications are saved, `NULL` for none.
#' @param progress Whether progress is shown (`TRUE` by default).
#'
#' @return `experiments()` returns a data frame with one row per experiment: `name`,
#'   `title`, `source` (where it was published, if it was), `minutes` (of a full run on one
#'   core) and `script`.
#'
#'   `run_experiment()` returns a list of class `sturdy_experiment` with `name`, `title`,
#'   `results` (a data frame, the rows of all replications), `tables` (a named list of
#'   data frames), `shows` (the name of the table that `print()` shows, or `NULL`),
#'   `settings` and `files` (the CSV, PNG and `.dcf` files written).
#' @section Conditions:
#' Error `sturdy_error_experiment` for a name that is not listed,
#' `sturdy_error_unknown_argument` for a setting the experiment does not have,
#' `sturdy_error_setting` (or `_type`, `_range`) for a wrong value of one,
#' `sturdy_error_folder` for a folder that can't be written to,
#' `sturdy_error_package` when a package that it needs is not installed,
#' `sturdy_error_worker` when a worker ended before its replication was done, and
#' `sturdy_error_replications` when some replications failed; the others are saved in the
#' cache. Warning `sturdy_warning_figure` for a figure that could not be drawn.
#' @export
#' @examples
#' experiments()[c("name", "title")]
#' run_experiment(
#'   "dqv11-figure1", quick = TRUE, folder = tempfile(), cache = NULL
#' )
run_experiment <- function(name,
                           ...,
                           quick = FALSE,
                           folder = experiment_folder(if (quick) "quick" else "results"),
                           cache = experiment_folder("cache"),
                           progress = TRUE) {
  call <- rlang::current_env()
  entry <- experiment_entry(name, call)
  quick <- check_flag(quick, "quick")
  progress <- check_flag(progress, "progress")
  folder <- check_folder(folder, "folder", call)
  if (!is.null(cache)) cache <- check_folder(cache, "cache", call)
  script <- read_experiment(entry$script)
  check_needs(script$needs, name, call)
  settings <- experiment_settings(script, list(...), quick, call)
  tasks <- script$tasks(settings)
  parts <- run_replications(tasks, script, entry$script, cache, progress, call)
  tables <- if (is.null(script$tables)) list() else script$tables(parts)
  out <- structure(
    list(
      name = name, title = entry$title, results = parts$results, tables = tables,
      shows = if (nzchar(entry$shows)) entry$shows, settings = settings,
      files = character()
    ),
    class = "sturdy_experiment"
  )
  out$files <- save_experiment(out, parts, script, entry$script, folder)
  out
}

#' @rdname run_experiment
#' @export
experiments <- function() {
  experiment_index()[c("name", "title", "source", "minutes", "script")]
}

#' @export
print.sturdy_experiment <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  cat("<sturdy_experiment> ", x$name, ": ", x$title, "\n", sep = "")
  shown <- if (is.null(x$shows)) utils::head(x$tables, 1) else x$tables[x$shows]
  if (length(shown)) {
    print(shown[[1]], digits = digits, row.names = FALSE)
  }
  cat("Files in ", dirname(x$files[1]), ":\n", sep = "")
  cat(paste0("  ", basename(x$files), "\n"), sep = "")
  invisible(x)
}

# Scripts -------------------------------------------------------------------

experiment_path <- function(...) {
  system.file("experiments", ..., package = "sturdy", mustWork = TRUE)
}

experiment_folder <- function(kind) {
  file.path(tools::R_user_dir("sturdy", "cache"), "experiments", kind)
}

experiment_index <- function() {
  utils::read.csv(
    experiment_path("index.csv"), stringsAsFactors = FALSE, na.strings = character()
  )
}

experiment_entry <- function(name, call) {
  index <- experiment_index()
  if (!rlang::is_string(name) || !name %in% index$name) {
    abort_sturdy(
      c(
        "{.arg name} must be the name of an experiment, not {describe(name)}.",
        i = "The experiments are {.val {index$name}}."
      ),
      "experiment", arg = "name", call = call
    )
  }
  as.list(index[index$name == name, ])
}

#' What a script defines as `experiment`
#'
#' A list of
#' * `settings`: named list of what a user may change; `quick`: those of a quick run;
#' * `needs`: packages of Suggests it can't do without;
#' * `tasks(settings)`: data frame, one row a replication, with all that `run` needs;
#' * `run(task)`: one replication of a task, a list made from that row: a data frame,
#'   or a named list of data frames, one of them `results`. It sets its own seed;
#' * `tables(parts)`: named list of data frames, from the rows of all replications;
#' * `figures`: named list of `list(width, height, draw(parts, tables))`, in inches.
#'
#' The script sees the exported functions of the package, those of helper.R, and those
#' of stats, graphics, grDevices, utils and base.
#' @noRd
read_experiment <- function(script) {
  # not the workspace, where a user may have a `mean` of their own
  env <- new.env(parent = asNamespace("stats"))
  for (name in getNamespaceExports("sturdy")) {
    assign(name, getExportedValue("sturdy", name), envir = env)
  }
  sys.source(experiment_path("helper.R"), env)
  sys.source(experiment_path(paste0(script, ".R")), env)
  c(env$experiment, list(env = env))
}

check_needs <- function(needs, name, call) {
  missing <- needs[!vapply(needs, rlang::is_installed, logical(1))]
  if (length(missing)) {
    abort_sturdy(
      "The experiment {.val {name}} needs the package{?s} {.pkg {missing}}.",
      "package", call = call
    )
  }
}

experiment_settings <- function(script, given, quick, call) {
  settings <- script$settings
  if (quick) settings <- utils::modifyList(settings, script$quick)
  wrong <- setdiff(rlang::names2(given), names(settings))
  if (length(wrong)) {
    abort_sturdy(
      c(
        "Every further argument must be a named setting of the experiment.",
        x = if (any(nzchar(wrong))) "Unknown: {.arg {wrong[nzchar(wrong)]}}.",
        i = "Known: {.arg {names(settings)}}."
      ),
      "unknown_argument", arg = wrong, call = call
    )
  }
  for (name in names(given)) {
    check_setting(given[[name]], script$settings[[name]], name, call)
  }
  utils::modifyList(settings, given)
}

#' A setting has the type of the script's own, and one value where that has one
#' @noRd
check_setting <- function(value, own, name, call) {
  if (name == "replications") {
    check_count(value, name, min = 1, call = call)
  } else if (name == "seed") {
    check_count(value, name, min = -.Machine$integer.max, call = call)
  } else {
    number <- is.numeric(own)
    fits <- if (number) is.numeric(value) else is.character(value)
    single <- length(own) == 1
    if (!fits || length(value) == 0 || anyNA(value) || (single && length(value) > 1)) {
      words <- if (number) "number" else "text"
      abort_sturdy(
        "{.arg {name}} must be {if (single) 'one' else 'one or more'}
         {words}{if (!single) 's'}, not {describe(value)}.",
        "setting", arg = name, call = call
      )
    }
  }
}

#' Made, and tried, before the work and not after it
#' @noRd
check_folder <- function(folder, arg, call) {
  if (!rlang::is_string(folder) || !nzchar(folder)) {
    abort_sturdy(
      "{.arg {arg}} must be the path of a folder, not {describe(folder)}.",
      "type", arg = arg, call = call
    )
  }
  folder <- path.expand(folder)
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  if (!dir.exists(folder) || file.access(folder, 2) != 0) {
    abort_sturdy(
      "{.arg {arg}} must be a folder that can be written to, not {.path {folder}}.",
      "folder", arg = arg, call = call
    )
  }
  folder
}
