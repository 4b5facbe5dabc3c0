# Runs the tests on the installed package and counts: tools/test.sh calls it.
# The last line is `N passed, N failed, N skipped`; expectations are counted as
# passed or failed, an error counts as failed, skipped are whole tests. Before it
# stand the tests that were skipped, a line each with the reason. Extended tests
# are no part of the run unless STURDY_EXTENDED_TESTS is true.

args <- commandArgs()
script <- sub("^--file=", "", grep("^--file=", args, value = TRUE))
script <- gsub("~+~", " ", script, fixed = TRUE)
tests <- file.path(dirname(dirname(normalizePath(script))), "tests", "testthat")
filter <- commandArgs(trailingOnly = TRUE)

# these tests are run by developers: snapshots and skip_on_cran() count too
Sys.setenv(NOT_CRAN = "true")

skipped_lines <- function(results) {
  lines <- lapply(results, function(test) {
    for (result in test$results) {
      if (inherits(result, "expectation_skip")) {
        reason <- sub("^Reason: ", "", trimws(conditionMessage(result)))
        return(paste0(test$file, ": ", test$test, ": ", reason))
      }
    }
  })
  gsub("\\s+", " ", as.character(unlist(lines)))
}

count_results <- function(results) {
  table <- as.data.frame(results)
  skipped <<- skipped_lines(results)
  c(
    passed = sum(table$passed),
    failed = sum(table$failed) + sum(table$error),
    skipped = sum(table$skipped)
  )
}

# test_dir() itself stops on a file that does not parse, say, or on no file
run_tests <- function() {
  tryCatch(
    count_results(testthat::test_dir(
      tests,
      filter = if (length(filter)) paste(filter, collapse = "|"),
      reporter = testthat::SummaryReporter$new(
        show_praise = FALSE, max_reports = 100L
      ),
      package = "sturdy",
      load_package = "installed",
      stop_on_failure = FALSE
    )),
    error = function(cnd) {
      message("The tests stopped: ", conditionMessage(cnd))
      c(passed = 0, failed = 1, skipped = 0)
    }
  )
}

cat(
  "sturdy ", format(packageVersion("sturdy")), ", ", R.version.string,
  ", testthat ", format(packageVersion("testthat")), "\n",
  sep = ""
)
skipped <- character()
count <- run_tests()
none <- sum(count) == 0
if (none) message("No test was run.")
if (!identical(Sys.getenv("STURDY_EXTENDED_TESTS"), "true")) {
  cat("Extended tests are not among these: make extended\n")
}
if (length(skipped)) cat("Skipped:", paste(" ", skipped), sep = "\n")
cat(sprintf(
  "%d passed, %d failed, %d skipped\n",
  as.integer(count[["passed"]]), as.integer(count[["failed"]]),
  as.integer(count[["skipped"]])
))
quit(status = as.integer(none || count[["failed"]] > 0))
