# Runs the tests on the installed package and counts: tools/test.sh calls it.
# The last line is `N passed, N failed, N skipped`; expectations are counted as
# passed or failed, an error counts as failed, skipped are whole tests. Before it
# stand the tests that were skipped, a line each with the reason. Extended tests
# are no part of the run unless STURDY_EXTENDED_TESTS is true.
#
# Files are spread over STURDY_TEST_WORKERS processes, two by default; with one they run in
# this process. STURDY_TEST_JOIN is a file before which there is only one: the gate lets the first
# begin while it still needs a processor for other things. Those that took longest the last time come first (their processor seconds are
# kept beside the installed package).

args <- commandArgs()
script <- sub("^--file=", "", grep("^--file=", args, value = TRUE))
script <- gsub("~+~", " ", script, fixed = TRUE)
tests <- file.path(dirname(dirname(normalizePath(script))), "tests", "testthat")
filter <- commandArgs(trailingOnly = TRUE)

# these tests are run by developers: snapshots and skip_on_cran() count too
Sys.setenv(NOT_CRAN = "true", TESTTHAT_PARALLEL = "false")

# One file, as a list of the tests' results; it runs in another process. setup.R is read for every
# file; the helpers are read and compiled once a process, and what stands in the tests themselves
# runs too rarely to be compiled.
run_file <- function(name, tests) {
  begun <- sum(proc.time()[c(1, 2, 4, 5)])
  compiler::enableJIT(0)
  read_helpers <- function() {
    library(testthat)
    env <- new.env(parent = asNamespace("sturdy"))
    withr::with_dir(tests, source_test_helpers(".", env))
    for (f in ls(env)) if (is.function(env[[f]])) env[[f]] <- compiler::cmpfun(env[[f]])
    options(sturdy.test_helpers = env)
    env
  }
  exact <- paste0("^", gsub("([.])", "\\\\\\1", name), "$")
  results <- tryCatch(
    testthat::test_dir(
      tests,
      filter = exact, reporter = "silent", package = "sturdy", load_package = "installed",
      env = getOption("sturdy.test_helpers", read_helpers()), load_helpers = FALSE,
      stop_on_failure = FALSE
    ),
    error = function(cnd) conditionMessage(cnd) # the file does not parse, say
  )
  if (is.character(results)) {
    return(list(stopped = results, passed = 0L, failed = 1L))
  }
  of_kind <- function(kinds) {
    lapply(results, function(test) Filter(function(r) inherits(r, kinds), test$results))
  }
  words <- function(found, shown) {
    titles <- rep(vapply(results, `[[`, "", "test"), lengths(found))
    unlist(Map(shown, unlist(found, recursive = FALSE), titles), use.names = FALSE)
  }
  at <- function(result) {
    line <- result$srcref
    if (is.null(line)) "" else paste0(":", line[1])
  }
  broken <- of_kind(c("expectation_failure", "expectation_error"))
  list(
    passed = sum(lengths(of_kind("expectation_success"))),
    failed = sum(lengths(broken)),
    failures = words(broken, function(result, title) {
      paste0("test-", name, ".R", at(result), ": ", title, "\n", conditionMessage(result))
    }),
    skipped = words(of_kind("expectation_skip"), function(result, title) {
      reason <- sub("^Reason: ", "", trimws(conditionMessage(result)))
      gsub("\\s+", " ", paste0("test-", name, ".R: ", title, ": ", reason))
    }),
    warnings = words(of_kind("expectation_warning"), function(result, title) {
      paste0("test-", name, ".R", at(result), ": ", title, ": warning: ", conditionMessage(result))
    }),
    seconds = sum(proc.time()[c(1, 2, 4, 5)]) - begun
  )
}

wanted_files <- function() {
  names <- sub("^test-(.*)[.][Rr]$", "\\1", list.files(tests, "^test-.*[.][Rr]$"))
  if (length(filter)) names[grepl(paste(filter, collapse = "|"), names)] else names
}

# Seconds by file of runs before ----------------------------------------------

cost_file <- file.path(dirname(find.package("sturdy")), "sturdy.test-seconds.csv")

known_costs <- function() {
  tryCatch(
    {
      rows <- utils::read.csv(cost_file)
      stats::setNames(rows$seconds, rows$file)
    },
    error = function(cnd) numeric(), warning = function(cnd) numeric()
  )
}

by_cost <- function(names) {
  cost <- known_costs()[names]
  cost[is.na(cost)] <- Inf # unknown: early, the long ones first
  names[order(-cost, -file.size(file.path(tests, sprintf("test-%s.R", names))))]
}

keep_costs <- function(seconds) {
  costs <- known_costs()
  costs[names(seconds)] <- round(seconds, 2)
  rows <- data.frame(file = names(costs), seconds = costs)
  try(utils::write.csv(rows[order(-rows$seconds), ], cost_file, row.names = FALSE), silent = TRUE)
}

# Spreading --------------------------------------------------------------------

show_file <- function(name, result) {
  cat(sprintf("%-32s%5d passed", name, result$passed))
  if (result$failed) cat(sprintf(", %d FAILED", result$failed))
  if (length(result$skipped)) cat(sprintf(", %d skipped", length(result$skipped)))
  if (!is.null(result$seconds)) cat(sprintf("  %5.1f s", result$seconds))
  cat("\n")
  more <- c(result$stopped, result$failures, result$warnings)
  if (length(more)) cat("", more, "", sep = "\n")
}

run_here <- function(names) {
  stats::setNames(lapply(names, function(name) {
    result <- run_file(name, tests)
    show_file(name, result)
    result
  }), names)
}

run_spread <- function(names, workers, join = Sys.getenv("STURDY_TEST_JOIN")) {
  sessions <- list(callr::r_session$new())
  on.exit(for (session in sessions) session$close())
  busy <- NA_character_
  left <- names
  results <- list()
  repeat {
    joined <- !nzchar(join) || file.exists(join)
    if (joined && length(busy) < workers && length(left)) {
      sessions <- c(sessions, list(callr::r_session$new()))
      busy <- c(busy, NA_character_)
    }
    for (k in which(is.na(busy))) {
      if (length(left)) {
        busy[k] <- left[1]
        left <- left[-1]
        sessions[[k]]$call(run_file, list(busy[k], tests))
      }
    }
    if (all(is.na(busy))) {
      return(results)
    }
    processx::poll(sessions[!is.na(busy)], if (joined) -1 else 1000)
    for (k in which(!is.na(busy))) {
      done <- sessions[[k]]$read()
      if (is.null(done) || !done$code %in% c(200, 500:502)) next
      result <- done$result
      if (done$code != 200 || !is.null(done$error)) {
        why <- if (is.null(done$error)) "its process died" else conditionMessage(done$error)
        result <- list(stopped = paste0("test-", busy[k], ".R: ", why), passed = 0L, failed = 1L)
      }
      results[[busy[k]]] <- result
      show_file(busy[k], result)
      busy[k] <- NA
      if (done$code %in% 500:502) sessions[[k]] <- callr::r_session$new()
    }
  }
}

cat(
  "sturdy ", format(packageVersion("sturdy")), ", ", R.version.string,
  ", testthat ", format(packageVersion("testthat")), "\n",
  sep = ""
)
names <- by_cost(wanted_files())
workers <- min(as.integer(Sys.getenv("STURDY_TEST_WORKERS", "2")), length(names))
results <- if (workers > 1) run_spread(names, workers) else run_here(names)
seconds <- unlist(lapply(results, `[[`, "seconds"))
if (length(seconds)) keep_costs(seconds)

total <- function(what) sum(unlist(lapply(results, `[[`, what)))
skipped <- sort(unlist(lapply(results, `[[`, "skipped"), use.names = FALSE))
if (!length(results)) message("No test was run.")
if (!identical(Sys.getenv("STURDY_EXTENDED_TESTS"), "true")) {
  cat("Extended tests are not among these: make extended\n")
}
if (length(skipped)) cat("Skipped:", paste(" ", skipped), sep = "\n")
cat(sprintf(
  "%d passed, %d failed, %d skipped\n", total("passed"), total("failed"), length(skipped)
))
quit(status = as.integer(!length(results) || total("failed") > 0))
