# Line coverage of R/ and src/ by the tests of the package: make coverage.
# Prints the totals, then every file with lines that no test reaches, worst
# first. Fails where a total is below 95 %, or a test fails. An argument is a filter on the files of
# tests.

least <- 95

args <- commandArgs()
script <- sub("^--file=", "", grep("^--file=", args, value = TRUE))
root <- dirname(dirname(normalizePath(gsub("~+~", " ", script, fixed = TRUE))))
# in one process, which writes all counts
Sys.setenv(NOT_CRAN = "true", TESTTHAT_PARALLEL = "false")

# a copy: compiled files stay out of the clone
copy <- file.path(tempfile("coverage"), "sturdy")
dir.create(copy, recursive = TRUE)
parts <- file.path(root, c("DESCRIPTION", "NAMESPACE", "R", "src", "inst", "tests"))
invisible(file.copy(parts[file.exists(parts)], copy, recursive = TRUE))
unlink(Sys.glob(file.path(copy, "src", "*.[os]*")))

# by a reporter of its own, for a test that fails tells nothing of lines: it is named, and fails
# this script at the end
results <- file.path(dirname(copy), "results.rds")
code <- sprintf(
  "tests <- testthat::test_dir('%s', package = 'sturdy', load_package = 'installed',
     filter = '%s', reporter = 'silent', stop_on_failure = FALSE)
   said <- function(test) {
     failed <- Filter(function(x) inherits(x, c('expectation_failure', 'expectation_error')),
                      test$results)
     paste(rep(paste0(test$file, ': ', test$test, ':'), length(failed)),
           vapply(failed, conditionMessage, ''))
   }
   saveRDS(unlist(lapply(tests, said)), '%s')
   # counts of sessions that a test killed while they were written
   for (file in list.files(dirname(system.file(package = 'sturdy')), '^covr_trace_',
                           full.names = TRUE)) {
     if (inherits(try(readRDS(file), TRUE), 'try-error')) unlink(file)
   }",
  file.path(copy, "tests", "testthat"), c(commandArgs(TRUE), ".")[1], results
)
covered <- covr::package_coverage(copy, type = "none", code = code, quiet = TRUE)
failed <- readRDS(results)
if (length(failed)) cat("FAILED:", failed, sep = "\n  ")
lines <- covr::tally_coverage(covered, by = "line")

share <- function(value) 100 * mean(value > 0)
ranges <- function(at) {
  at <- sort(unique(at))
  run <- cumsum(c(TRUE, diff(at) > 1))
  ends <- tapply(at, run, function(r) paste(unique(range(r)), collapse = "-"))
  paste(ends, collapse = " ")
}
language <- ifelse(startsWith(lines$filename, "src/"), "C", "R")
totals <- vapply(split(lines$value, language), share, numeric(1))

files <- split(lines, lines$filename)
by_file <- vapply(files, function(f) share(f$value), numeric(1))
cat("Line coverage, and the lines that no test reaches\n")
for (name in names(sort(by_file))) {
  if (by_file[[name]] == 100) next
  f <- files[[name]]
  missed <- f[f$value == 0, ]
  cat(sprintf("  %5.1f %%  %s: %s\n", by_file[[name]], name, ranges(missed$line)))
  within <- setdiff(unique(missed$functions), c(NA, ""))
  if (length(within)) cat(strwrap(paste(within, collapse = ", "), 76, 13, 13), sep = "\n")
}
cat(sprintf(
  "%s: %.1f %% of %d lines\n", names(totals), totals, as.vector(table(language))
), sep = "")
quit(status = as.integer(any(totals < least) || length(failed) > 0))
