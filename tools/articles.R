# Makes the articles, the long pages of the site that are not installed, with the installed package:
#
#   sh tools/run.sh articles.R [--since=<commit>] [folder [article ...]]
#
# An article that stops fails. So does one with a line of output that a page does not show whole;
# the vignettes that were installed are looked through for such lines, too.
#
# With --since an article is made if its file has changed since that commit, and `most_called` are
# of those that may have become others by what they do themselves: the code of an R file has changed
# that defines a function which their chunks name, or a method of one, or a stored result that they
# read, or what all are made by. Comments and layout do not count. Each commit has others of them.
# What functions lead to, and src/, is the tests' business, and that of `make deep`, which makes all
# articles, as does a commit that is not there.

most_called <- 3L

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
root <- dirname(dirname(normalizePath(gsub("~+~", " ", script, fixed = TRUE))))
given <- commandArgs(trailingOnly = TRUE)
since <- sub("^--since=", "", grep("^--since=", given, value = TRUE))
given <- grep("^--since=", given, value = TRUE, invert = TRUE)
folder <- c(given, tempfile("articles"))[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
folder <- normalizePath(folder)

# Which have changed -----------------------------------------------------------------------

git <- function(...) {
  said <- suppressWarnings(system2("git", c("-C", shQuote(root), ...), stdout = TRUE, stderr = FALSE))
  if (is.null(attr(said, "status"))) said
}

# Words of the code in an article
chunk_words <- function(file) {
  lines <- readLines(file, encoding = "UTF-8", warn = FALSE)
  opens <- grepl("^\\s*```+\\s*[{]r", lines)
  fence <- grepl("^\\s*```", lines)
  inside <- Reduce(function(inside, k) opens[k] || (inside && !fence[k]), seq_along(lines),
                   FALSE, accumulate = TRUE)[-1]
  inline <- unlist(regmatches(lines, gregexpr("`r [^`]+`", lines)))
  code <- c(lines[inside], inline)
  unique(unlist(regmatches(code, gregexpr("[A-Za-z.][A-Za-z0-9._]*", code))))
}

# The top-level functions of a file at a commit, or as it is (`NULL`): code by name
code_of <- function(file, commit = NULL) {
  text <- if (!is.null(commit)) {
    git("show", shQuote(paste0(commit, ":", file)))
  } else if (file.exists(file.path(root, file))) {
    readLines(file.path(root, file), encoding = "UTF-8", warn = FALSE)
  }
  if (is.null(text)) text <- character() # there is no such file
  parsed <- tryCatch(parse(text = text, keep.source = FALSE), error = function(e) {
    if (is.null(commit)) stop(e)
    expression() # a commit between two landings may be broken: all that the file defines has changed
  })
  code <- Filter(function(e) is.call(e) && is.name(e[[2]]), as.list(parsed))
  stats::setNames(lapply(code, deparse), vapply(code, function(e) as.character(e[[2]]), ""))
}

# Those of the articles (paths from the root) that may have become others
changed_since <- function(commit, articles) {
  if (is.null(git("rev-parse", "--verify", "--quiet", shQuote(paste0(commit, "^{commit}"))))) {
    return(articles)
  }
  files <- c(git("diff", "--name-only", commit, "--"),
             git("ls-files", "--others", "--exclude-standard"))
  of_all <- any(grepl("^(vignettes/[^/]*[.](R|lua)|inst/references[.]bib|tools/articles[.]R)$", files))
  results <- basename(grep("^inst/results/", files, value = TRUE))
  named <- unlist(lapply(grep("^R/.*[.]R$", files, value = TRUE), function(file) {
    then <- code_of(file, commit)
    now <- code_of(file)
    if (!identical(then, now)) union(names(then), names(now))
  }))
  calls <- vapply(articles, function(article) {
    file <- file.path(root, article)
    lines <- readLines(file, encoding = "UTF-8", warn = FALSE)
    of_all || any(sub("[.].*", "", named) %in% chunk_words(file)) ||
      any(vapply(tools::file_path_sans_ext(results), function(name) any(grepl(name, lines, fixed = TRUE)), NA))
  }, NA)
  own <- intersect(articles, files)
  called <- setdiff(articles[calls], own)
  first <- as.integer(c(git("rev-list", "--count", "HEAD"), 0)[1]) * most_called
  c(own, utils::head(called[(seq_along(called) + first - 1) %% length(called) + 1], most_called))
}

# Making them --------------------------------------------------------------------------------

# in a copy, which what is made on the way stays in
work <- tempfile("work")
dir.create(work)
for (part in c("vignettes", "inst", "tests")) { # a helper of the tests is shown at work
  invisible(file.copy(file.path(root, part), work, recursive = TRUE))
}
files <- list.files(file.path(work, "vignettes", "articles"), "[.]Rmd$", full.names = TRUE)
names <- sub("[.]Rmd$", "", basename(files))
if (length(given) > 1) {
  files <- files[names %in% given[-1]]
} else if (length(since)) {
  articles <- file.path("vignettes", "articles", basename(files))
  changed <- changed_since(since, articles)
  cat(length(changed), "of", length(articles), "articles may have changed since", since, "\n")
  files <- files[articles %in% changed]
}

# Each in an R of its own: rmarkdown clears its files out of the folder for temporary files when it
# ends, and forks would share that folder.
make <- function(file) {
  started <- proc.time()[["elapsed"]]
  code <- sprintf("rmarkdown::render(%s, output_dir = %s, quiet = TRUE)", dQuote(file, FALSE),
                  dQuote(folder, FALSE))
  said <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c("--no-init-file", "-e", shQuote(code)),
    stdout = TRUE, stderr = TRUE
  ))
  cat(sprintf("%-24s %5.1f s\n", basename(file), proc.time()[["elapsed"]] - started))
  if (length(attr(said, "status"))) paste0(basename(file), ": ", said)
}
wrong <- unlist(parallel::mclapply(files, make, mc.cores = 2, mc.preschedule = FALSE))
unlink(work, recursive = TRUE)
made <- file.exists(file.path(folder, sub("[.]Rmd$", ".html", basename(files))))
if (any(!made)) wrong <- c(wrong, paste("no page of", basename(files)[!made]))

# Lines of output begin with this; a page has room for so many characters
widest <- 90
pages <- c(
  list.files(folder, "[.]html$", full.names = TRUE),
  list.files(system.file("doc", package = "sturdy"), "[.]html$", full.names = TRUE)
)
for (page in pages) {
  text <- readLines(page, encoding = "UTF-8", warn = FALSE)
  text <- gsub("<[^>]*>", "", text)
  for (entity in list(c("&lt;", "<"), c("&gt;", ">"), c("&quot;", "\""), c("&amp;", "&"))) {
    text <- gsub(entity[1], entity[2], text, fixed = TRUE)
  }
  wide <- text[startsWith(text, "#>") & nchar(text) > widest]
  if (length(wide)) wrong <- c(wrong, paste0(basename(page), ": clipped: ", wide))
}
if (length(wrong)) cat(wrong, sep = "\n")
cat(length(files), "articles in", folder, "-", length(wrong), "faults\n")
quit(status = as.integer(length(wrong) > 0))
