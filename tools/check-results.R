# Are the stored results of experiments older than the code they depend on?
#
#   Rscript tools/check-results.R            names those that are, and the rooms that have changed
#   Rscript tools/check-results.R --note     notes the code of results that do not have it yet
#
# A result has in inst/results/<script>.dcf the commit it was made at and, as `Code`, a digest of
# each part of the code that its script leads to: the rooms of the package, src/ and the script
# itself. Comments and layout do not count, nor does a change elsewhere (tools/bench/tables.R says
# what a script leads to). experiments/run.R writes them; --note finds them in the commit. To be
# older is no fault: results are made anew for a release, and this says which.

root <- dirname(dirname(normalizePath(gsub("~+~", " ", sub(
  "^--file=", "", grep("^--file=", commandArgs(), value = TRUE)
), fixed = TRUE))))
setwd(root)
source(file.path("tools", "bench", "tables.R"))
given <- commandArgs(trailingOnly = TRUE)
if (length(setdiff(given, "--note"))) {
  message("Usage: Rscript tools/check-results.R [--note]")
  quit(status = 2)
}

files <- list.files("inst/results", "[.]dcf$", full.names = TRUE)
abouts <- lapply(stats::setNames(files, sub("[.]dcf$", "", basename(files))), function(file) {
  as.list(read.dcf(file, keep.white = c("Design", "Settings"))[1, ])
})

# "<commit>: room digest, room digest"; another commit's is none
parts_of <- function(about) {
  text <- gsub("\\s+", " ", c(about$Code, "")[1])
  if (!startsWith(text, paste0(about$Commit, ": "))) {
    return(NULL)
  }
  pairs <- strsplit(strsplit(sub("^[^:]*: ", "", text), ", ")[[1]], " ")
  stats::setNames(vapply(pairs, `[`, "", 2), vapply(pairs, `[`, "", 1))
}

# Noting ----------------------------------------------------------------------------

if ("--note" %in% given) {
  without <- names(abouts)[vapply(abouts, function(about) is.null(parts_of(about)), NA)]
  for (commit in unique(vapply(abouts[without], `[[`, "", "Commit"))) {
    tree <- tempfile("commit")
    dir.create(tree)
    known <- system2("sh", c("-c", shQuote(sprintf(
      "git archive %s R src experiments | tar -xf - -C %s", sub(" .*", "", commit), tree
    ))), stderr = FALSE) == 0 && dir.exists(file.path(tree, "R"))
    here <- without[vapply(abouts[without], `[[`, "", "Commit") == commit]
    if (known) {
      dir.create(file.path(tree, "tools"))
      invisible(file.copy("tools/r-calls.R", file.path(tree, "tools")))
      package <- package_code(tree)
    } else {
      cat("No commit ", commit, ": ", toString(here), "\n", sep = "")
    }
    for (name in if (known) here) {
      if (!file.exists(file.path(tree, "experiments", paste0(name, ".R")))) {
        cat("No such script at ", commit, ": ", name, "\n", sep = "")
        next
      }
      parts <- experiment_digests(name, tree, package)
      text <- readLines(file.path("inst/results", paste0(name, ".dcf")), encoding = "UTF-8")
      old <- cumsum(!grepl("^\\s", text)) %in% cumsum(!grepl("^\\s", text))[grepl("^Code:", text)]
      text <- text[!old]
      code <- strwrap(paste0("Code: ", commit, ": ", paste(names(parts), parts, collapse = ", ")),
        width = 80, exdent = 8)
      at <- grep("^Commit:", text)
      writeLines(enc2utf8(append(text, code, at)), file.path("inst/results", paste0(name, ".dcf")),
        useBytes = TRUE)
    }
    unlink(tree, recursive = TRUE)
  }
  quit()
}

# Naming ----------------------------------------------------------------------------

package <- package_code(root)
older <- 0L
for (name in names(abouts)) {
  about <- abouts[[name]]
  then <- parts_of(about)
  if (!file.exists(file.path("experiments", paste0(name, ".R")))) {
    said <- "its script is gone"
  } else if (is.null(then)) {
    said <- "does not say by which code"
  } else {
    now <- experiment_digests(name, root, package)
    all <- union(names(now), names(then))
    changed <- all[!mapply(identical, unname(now[all]), unname(then[all]))]
    said <- if (length(changed)) {
      paste("since then changed:", if (setequal(changed, all)) "all of it" else toString(changed))
    }
  }
  if (length(said)) {
    older <- older + 1L
    cat(sprintf("  %s (%s, %s): %s\n", name, about$Commit, about$Date, said))
  }
}
cat(older, "of", length(abouts), "results are older than their code\n")
