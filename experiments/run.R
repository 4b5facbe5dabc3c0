# The tables and figures of the papers, and our own comparisons:
#
#   Rscript experiments/run.R --list
#   Rscript experiments/run.R <name> ... [--quick] [--workers=<n>] [--replications=<n>] [--seed=<n>]
#
# The package of this clone is installed into the library of the clone first
# (tools/run.sh). Replications run one after the other. With --workers=<n> the targets
# package runs them (targets.R) and keeps them under .lib/experiments: a run that was
# interrupted goes on where it stopped, and a replication is repeated when its settings,
# its code or the package change. More than one worker needs the crew package.
# --replications and --seed take the place of the script's settings of that name, and are noted
# with the results.
#
# A full run writes its tables and figures to experiments/results, and those that help
# pages and vignettes read to inst/results. It needs a clean checkout, so that the
# commit it notes is what ran. --quick takes seconds, shows that the script works, and
# writes to .lib/experiments/quick.

command <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
setwd(dirname(dirname(normalizePath(gsub("~+~", " ", command, fixed = TRUE)))))
given <- commandArgs(trailingOnly = TRUE)
index <- utils::read.csv("experiments/index.csv", na.strings = character())
if ("--list" %in% given) {
  minutes <- ifelse(index$minutes == 1, "1 minute", paste(index$minutes, "minutes"))
  cat(sprintf("%-16s %s (%s)\n", index$name, index$title, minutes), sep = "")
  quit()
}

stop_usage <- function(...) {
  message(
    ..., "\nUsage: Rscript experiments/run.R --list | <name> ... [--quick] [--workers=<n>]",
    " [--replications=<n>] [--seed=<n>]"
  )
  quit(status = 2)
}
numbers <- grep("^--(workers|replications|seed)=[1-9][0-9]*$", given, value = TRUE)
number_of <- function(what) {
  said <- grep(paste0("^--", what, "="), numbers, value = TRUE)
  if (length(said)) as.integer(sub(".*=", "", said[1]))
}
names <- setdiff(given, c("--quick", numbers))
unknown <- setdiff(names, index$name)
if (length(names) == 0) stop_usage("Which experiment?")
if (length(unknown)) stop_usage("No such experiment: ", toString(unknown))

# once more, with the package installed
if (!nzchar(Sys.getenv("STURDY_INSTALLED"))) {
  Sys.setenv(STURDY_INSTALLED = "true", OPENBLAS_NUM_THREADS = "1")
  again <- c("tools/run.sh", "../experiments/run.R", shQuote(given))
  quit(status = system2("sh", again))
}

# by room, for tools/check-results.R
code_of <- function(script) {
  parts <- digests$experiment_digests(script, ".")
  commit <- git("rev-parse --short=12 HEAD")
  paste0(commit, ": ", paste(names(parts), parts, collapse = ", "))
}

quick <- "--quick" %in% given
workers <- number_of("workers")
needed <- c(if (length(workers)) "targets", if (isTRUE(workers > 1)) "crew")
lacking <- needed[!vapply(needed, requireNamespace, NA, quietly = TRUE)]
if (length(lacking)) {
  message("Needed from CRAN: install.packages(", deparse(lacking), ")")
  quit(status = 1)
}

git <- function(...) system2("git", c(...), stdout = TRUE)
made_by <- c("R", "src", "DESCRIPTION", "experiments/printed.csv", "'experiments/*.R'")
if (!quick && length(git("status --porcelain --", made_by))) {
  message("R, src or a script differs from the commit: commit first, or use --quick.")
  quit(status = 1)
}

# a bar on a terminal, lines in a log
options(cli.progress_show_after = 0)
reporter <- if (cli::is_dynamic_tty()) "balanced" else "verbose"

in_sequence <- function(run, tasks) {
  lapply(cli::cli_progress_along(seq_len(nrow(tasks)), script), function(k) {
    run_task(run, tasks[k, , drop = FALSE])
  })
}

# Kept, and where workers share them out; `run`, `tasks` and `workers` are read by targets.R
by_targets <- function() {
  store <- file.path(".lib/experiments", paste0(script, if (quick) "-quick"))
  targets::tar_make(
    script = "experiments/targets.R", store = store, reporter = reporter,
    callr_function = NULL, envir = globalenv()
  )
  failed <- targets::tar_errored(store = store)
  if (length(failed)) {
    errors <- unique(targets::tar_meta(failed, fields = "error", store = store)$error)
    message(script, " failed: ", paste(errors, collapse = "; "), "\nThe others are kept.")
    quit(status = 1)
  }
  targets::tar_read_raw("replication", store = store)
}

library(sturdy)
experiments <- "experiments"
source("experiments/helper.R")
digests <- new.env()
sys.source("tools/bench/tables.R", digests)
rows <- index[index$name %in% names, ]
for (script in unique(rows$script)) {
  source(file.path("experiments", paste0(script, ".R")))
  settings <- settings_of(experiment, quick)
  for (what in intersect(c("replications", "seed"), names(settings))) {
    if (length(number_of(what))) settings[[what]][] <- number_of(what) # of each problem
  }
  tasks <- experiment$tasks(settings)
  run <- experiment$run
  parts <- bind_parts(if (length(workers)) by_targets() else in_sequence(run, tasks))
  tables <- experiment$tables(parts)
  folders <- c("experiments/results", "inst/results")
  if (quick) folders[] <- ".lib/experiments/quick"
  about <- data.frame(
    Experiment = script, Names = toString(index$name[index$script == script]),
    Package = paste("sturdy", utils::packageVersion("sturdy")),
    Commit = git("rev-parse --short=12 HEAD"), Code = code_of(script), R = as.character(getRversion()),
    Date = format(Sys.Date()), Settings = one_line_of(settings),
    Design = design_of(script)
  )
  files <- save_experiment(experiment, script, parts, tables, about, folders)
  for (table in tables[rows$shows[rows$script == script]]) {
    print(table, digits = 3, row.names = FALSE)
  }
  cat("Written:", files, sep = "\n  ")
}
