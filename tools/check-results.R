# Are the stored results of experiments older than the code they depend on?
#
#   Rscript tools/check-results.R            names those that are, and the rooms that have changed
#   Rscript tools/check-results.R --note     notes the code of results that do not have it yet
#   Rscript tools/check-results.R --holds=<why> <script> ...    they hold for the code as it is
#
# A result has in inst/results/<script>.dcf the commit it was made at and, as `Code`, a digest of
# each part of the code that its script leads to: the rooms of the package, src/ and the script
# itself. Comments, layout and the wording of sentences do not count, nor does a change elsewhere
# (tools/bench/tables.R says what a script leads to). experiments/run.R writes them; --note finds
# them in the commit. A change that is known to leave the answers of a script as they were is
# noted with the reason (--holds), for the code as it then is. To be older is no fault: results are
# made anew for a release, and this says which.

root <- dirname(dirname(normalizePath(gsub("~+~", " ", sub(
  "^--file=", "", grep("^--file=", commandArgs(), value = TRUE)
), fixed = TRUE))))
setwd(root)
source(file.path("tools", "bench", "tables.R"))
given <- commandArgs(trailingOnly = TRUE)
holds <- grep("^--holds=.", given, value = TRUE)
named <- grep("^--", given, value = TRUE, invert = TRUE)
scripts <- sub("[.]dcf$", "", list.files("inst/results", "[.]dcf$"))
if (length(setdiff(given, c("--note", holds, scripts))) || length(holds) != (length(named) > 0)) {
  message("Usage: Rscript tools/check-results.R [--note | --holds=<why> <script> ...]")
  quit(status = 2)
}

files <- list.files("inst/results", "[.]dcf$", full.names = TRUE)
abouts <- lapply(stats::setNames(files, sub("[.]dcf$", "", basename(files))), function(file) {
  as.list(read.dcf(file, keep.white = c("Design", "Settings"))[1, ])
})

# "room digest, room digest"
read_parts <- function(text) {
  pairs <- strsplit(strsplit(gsub("\\s+", " ", text), ", ")[[1]], " ")
  stats::setNames(vapply(pairs, `[`, "", 2), vapply(pairs, `[`, "", 1))
}

show_parts <- function(parts) paste(names(parts), parts, collapse = ", ")

# Those of the field `Code`, "<commit>: ..."; another commit's is none
parts_of <- function(about) {
  text <- c(about$Code, "")[1]
  if (startsWith(text, paste0(about$Commit, ": "))) read_parts(sub("^[^:]*: ", "", text))
}

# Those of the field `Holds`, "...: <why>"
held_parts <- function(about) {
  if (!length(about$Holds)) {
    return(stats::setNames(character(), character()))
  }
  read_parts(sub(":.*", "", gsub("\\s+", " ", about$Holds)))
}

# Puts a field into the file of a result, in the place of what it was
write_field <- function(name, field, value, after) {
  file <- file.path("inst/results", paste0(name, ".dcf"))
  text <- readLines(file, encoding = "UTF-8")
  entry <- cumsum(!grepl("^\\s", text))
  text <- text[!entry %in% entry[startsWith(text, paste0(field, ":"))]]
  entry <- cumsum(!grepl("^\\s", text))
  at <- max(which(entry == entry[startsWith(text, paste0(after, ":"))]))
  lines <- strwrap(paste0(field, ": ", value), width = 80, exdent = 8)
  writeLines(enc2utf8(append(text, lines, at)), file, useBytes = TRUE)
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
      write_field(name, "Code", paste0(commit, ": ", show_parts(parts)), "Commit")
    }
    unlink(tree, recursive = TRUE)
  }
  quit()
}

# Naming ----------------------------------------------------------------------------

package <- package_code(root)
if (length(holds)) {
  why <- sub("^--holds=", "", holds)
  for (name in named) {
    now <- show_parts(experiment_digests(name, root, package))
    write_field(name, "Holds", paste0(now, ": ", why), "Code")
  }
  quit()
}

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
    held <- held_parts(about)
    all <- union(names(now), names(then))
    same <- function(as) mapply(identical, unname(now[all]), unname(as[all]))
    changed <- all[!same(then) & !same(held)]
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
