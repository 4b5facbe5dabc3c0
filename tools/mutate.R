# Deliberate bugs, one at a time: each must fail a test (make mutate).
#
#   sh tools/run.sh mutate.R [options] [part of a mutant's name]...
#
#   --jobs=2    so many at a time (default 2)
#   --list      the names only
#   --stale     those that can't be planted any more, or whose tests are gone, only; quick
#
# The bugs are in tools/mutants.R. Each is put into a copy of the package, which
# is installed into a library of its own; the tests named are run there. Prints
# `killed` or `SURVIVED` for each and the survivors at the end. Fails if there is
# one, and if a bug can't be planted any more: `stale` when its old text does not
# stand in the file exactly once, `broken` when the package does not install.

args <- commandArgs()
script <- sub("^--file=", "", grep("^--file=", args, value = TRUE))
root <- dirname(dirname(normalizePath(gsub("~+~", " ", script, fixed = TRUE))))
given <- commandArgs(trailingOnly = TRUE)
options <- grepl("^--", given)
jobs <- as.integer(sub("--jobs=", "", grep("^--jobs=", given, value = TRUE)))
if (length(jobs) == 0) jobs <- 2L

# The table -----------------------------------------------------------------

# name of the bug, file, old and new text; the tests that must notice: `r` is a
# filter on the files of tests/testthat, `c` names programs of tools/ctest
mutants <- list()
mutant <- function(name, file, old, new, r = NULL, c = NULL) {
  mutants[[length(mutants) + 1]] <<- list(
    name = name, file = file, old = old, new = new, r = r,
    c = unlist(strsplit(as.character(c), " "))
  )
}
source(file.path(root, "tools", "mutants.R"), local = TRUE)

wanted <- given[!options]
if (length(wanted)) {
  hit <- vapply(mutants, function(m) {
    any(vapply(wanted, grepl, NA, paste(m$name, m$file), fixed = TRUE))
  }, NA)
  mutants <- mutants[hit]
}
if ("--list" %in% given) {
  for (m in mutants) cat(m$file, ": ", m$name, "\n", sep = "")
  quit()
}
if (length(mutants) == 0) stop("no mutant of this name")

# A copy and its tests ------------------------------------------------------

place <- tempfile("mutate")
parts <- c("DESCRIPTION", "NAMESPACE", "R", "src", "inst", "tests", "tools")
Sys.setenv(NOT_CRAN = "true", OPENBLAS_NUM_THREADS = "1")

# with times, so that make builds anew only what has changed
copy_tree <- function(from, to, parts = list.files(from)) {
  dir.create(to, recursive = TRUE, showWarnings = FALSE)
  parts <- file.path(from, parts)
  system2("cp", c("-Rp", shQuote(parts[file.exists(parts)]), shQuote(to)))
}

run <- function(command, arguments, at, env = character(), timeout = 300) {
  log <- file.path(at, "log")
  old <- setwd(at)
  on.exit(setwd(old))
  suppressWarnings(system2(
    command, arguments, stdout = log, stderr = log, env = env, timeout = timeout
  ))
}

install <- function(at) {
  dir.create(file.path(at, "library"), showWarnings = FALSE)
  run(
    file.path(R.home("bin"), "R"),
    c("CMD", "INSTALL", "--no-docs", "--no-test-load", "--no-byte-compile",
      "--no-clean-on-error", "-l", "library", "sturdy"),
    at
  )
}

test_program <- '
  args <- commandArgs(TRUE)
  results <- tryCatch(
    testthat::test_dir(
      "sturdy/tests/testthat", filter = paste0("^(", args[1], ")$"),
      reporter = testthat::StopReporter$new(), package = "sturdy",
      load_package = "installed"
    ),
    error = function(cnd) { message(conditionMessage(cnd)); quit(status = 1) }
  )
  quit(status = if (sum(as.data.frame(results)$nb) == 0) 3 else 0)
'

# 0: the tests pass; else the test that noticed
noticed_in_r <- function(at, filter) {
  libs <- paste(c(file.path(at, "library"), .libPaths()), collapse = ":")
  run(
    file.path(R.home("bin"), "Rscript"),
    c("--no-init-file", "-e", shQuote(test_program), shQuote(filter)), at,
    env = paste0("R_LIBS=", shQuote(libs))
  )
}

noticed_in_c <- function(at, programs) {
  folder <- file.path(at, "sturdy", "tools", "ctest")
  targets <- paste0("build/plain/test-", programs)
  built <- run("make", c("-j", jobs, "-C", shQuote(folder), targets), at)
  if (built != 0) {
    return(built)
  }
  for (target in targets) {
    status <- run(file.path(folder, target), character(), at)
    if (status != 0) {
      return(status)
    }
  }
  0
}

# TRUE when the bug is in: m$file may be a pattern for several files
# where the old text stands: list(texts by file, places by file)
find_old <- function(m, at) {
  paths <- Sys.glob(file.path(at, m$file))
  texts <- vapply(paths, function(p) paste(readLines(p), collapse = "\n"), "")
  list(texts = texts, found = lapply(gregexpr(m$old, texts, fixed = TRUE), function(at) at[at > 0]))
}

plant <- function(m, at) {
  old <- find_old(m, file.path(at, "sturdy"))
  texts <- old$texts
  paths <- names(texts)
  found <- old$found
  if (sum(lengths(found)) != 1) {
    return(FALSE)
  }
  which <- which(lengths(found) == 1)
  first <- found[[which]]
  text <- texts[[which]]
  before <- substr(text, 1, first - 1)
  after <- substr(text, first + nchar(m$old), nchar(text))
  writeLines(paste0(before, m$new, after), paths[[which]])
  if (endsWith(paths[[which]], ".h")) { # make does not know who includes it
    unlink(Sys.glob(file.path(at, "sturdy", "src", "*.o")))
  }
  TRUE
}

verdict <- function(m) {
  at <- tempfile("mutant", place)
  dir.create(at)
  on.exit(unlink(at, recursive = TRUE))
  copy_tree(file.path(place, "sturdy"), file.path(at, "sturdy"))
  if (!plant(m, at)) {
    return("stale")
  }
  if (length(m$c) && noticed_in_c(at, m$c) != 0) {
    return(if (any(grepl("error:", readLines(file.path(at, "log"))))) "broken" else "killed")
  }
  if (length(m$r)) {
    if (install(at) != 0) {
      return("broken")
    }
    if (noticed_in_r(at, m$r) != 0) {
      return("killed")
    }
  }
  "SURVIVED"
}

if ("--stale" %in% given) {
  tests <- sub("^test-(.*)[.]R$", "\\1", list.files(file.path(root, "tests", "testthat"), "^test-"))
  stale <- vapply(mutants, function(m) {
    asked <- strsplit(c(m$r, character()), "|", fixed = TRUE)
    programs <- file.path(root, "tools", "ctest", sprintf("test-%s.c", m$c))
    sum(lengths(find_old(m, root)$found)) != 1 || !all(unlist(asked) %in% tests) ||
      !all(file.exists(programs))
  }, NA)
  for (m in mutants[stale]) cat("stale  ", m$file, ": ", m$name, "\n", sep = "")
  cat(sum(stale), "of", length(mutants), "mutants are stale\n")
  quit(status = as.integer(any(stale)))
}

# The unharmed package ------------------------------------------------------

dir.create(place)
copy_tree(root, file.path(place, "sturdy"), parts)
unlink(Sys.glob(file.path(place, "sturdy", "src", "*.[os]*")))
c_tests <- unique(unlist(lapply(mutants, `[[`, "c")))
r_tests <- unique(unlist(strsplit(as.character(unlist(lapply(mutants, `[[`, "r"))), "|", fixed = TRUE)))
fails <- character()
cat("The tests on the package as it is ... ")
if (install(place) != 0) fails <- "R CMD INSTALL"
if (length(c_tests) && noticed_in_c(place, c_tests) != 0) fails <- c(fails, "C tests")
passes <- as.logical(unlist(parallel::mclapply( # of C tests alone there are none
  r_tests, function(test) {
    at <- file.path(place, test) # for the log
    dir.create(at)
    file.symlink(file.path(place, c("sturdy", "library")), at)
    noticed_in_r(at, test) == 0
  },
  mc.cores = jobs, mc.preschedule = FALSE
)))
fails <- c(fails, r_tests[!passes])
if (length(fails)) {
  cat("fail:", fails, "\n")
  for (at in file.path(place, c("", r_tests[!passes]))) {
    writeLines(utils::tail(readLines(file.path(at, "log")), 30))
  }
  quit(status = 1)
}
cat("pass\n")
unlink(file.path(place, "library"), recursive = TRUE)

# One by one ----------------------------------------------------------------

judge <- function(m) {
  started <- proc.time()[["elapsed"]]
  word <- verdict(m)
  cat(sprintf(
    "%-8s  %s: %s (%.0f s)\n", word, m$file, m$name,
    proc.time()[["elapsed"]] - started
  ))
  word
}
words <- unlist(parallel::mclapply(
  mutants, judge, mc.cores = jobs, mc.preschedule = FALSE, mc.set.seed = FALSE
))
unlink(place, recursive = TRUE)

left <- words != "killed"
cat(sprintf("%d of %d mutants killed\n", sum(!left), length(words)))
for (k in which(left)) {
  cat("  ", words[k], "  ", mutants[[k]]$file, ": ", mutants[[k]]$name, "\n", sep = "")
}
quit(status = as.integer(any(left)))
