# Makes the articles, the long pages of the site that are not installed, with the installed package:
#
#   sh tools/run.sh articles.R [--since=<commit>] [folder [article ...]]
#
# An article that stops fails. So does one with a line of output that a page does not show whole;
# the vignettes that were installed are looked through for such lines, too.
#
# With --since an article is made only if it may have become another one since that commit: if its
# file has changed, or the code that it calls has. That is the functions of R/ that its chunks
# name and all that they lead to (as for the tables of tools/bench), every method of a generic of R
# itself, and the files of src/ behind them; comments and layout do not count. A change of anything
# else that articles read (inst/, other files of vignettes/, DESCRIPTION, NAMESPACE, what makes
# them), or a commit that is not there, makes all of them.

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

# All code that words lead to, in the package of a folder, with sentences, which pages show
code_behind <- function(words, tree, package) {
  lines <- grep("^S3method", readLines(file.path(tree, "NAMESPACE")), value = TRUE)
  of_r <- lines[!grepl("::", lines)]
  methods <- gsub("\"", "", sub("^S3method[(](.*),(.*)[)]$", "\\1.\\2", of_r))
  reached <- led_to(c(words, methods), package, outside = character())
  list(r = package$text[reached], src = src_behind(reached, package))
}

# Those of the articles (paths from the root) that may have become others
changed_since <- function(commit, articles) {
  files <- c(git("diff", "--name-only", commit, "--"),
             git("ls-files", "--others", "--exclude-standard"))
  if (is.null(git("rev-parse", "--verify", "--quiet", shQuote(paste0(commit, "^{commit}"))))) {
    return(articles)
  }
  read <- grepl("^(vignettes|inst|R|src)/|^(DESCRIPTION|NAMESPACE|tools/articles[.]R)$", files)
  files <- setdiff(files[read], c("inst/WORDLIST", "inst/CITATION"))
  code <- grepl("^(R|src)/", files)
  if (any(!files[!code] %in% articles & !grepl("^vignettes/[^/]+[.]Rmd$", files[!code]))) {
    return(articles)
  }
  changed <- intersect(articles, files)
  if (!any(code)) {
    return(changed)
  }
  source(file.path(root, "tools", "bench", "tables.R"))
  tree <- tempfile("then")
  dir.create(tree)
  on.exit(unlink(tree, recursive = TRUE))
  system(sprintf("git -C %s archive %s R src NAMESPACE | tar -xf - -C %s",
                 shQuote(root), shQuote(commit), shQuote(tree)))
  dir.create(file.path(tree, "tools"))
  file.copy(file.path(root, "tools", "r-calls.R"), file.path(tree, "tools"))
  read_package <- function(folder) {
    package <- package_code(folder)
    c(package, list(text = lapply(package$objects, function(o) deparse(o$code))))
  }
  then <- read_package(tree)
  now <- read_package(root)
  other <- vapply(setdiff(articles, changed), function(article) {
    words <- chunk_words(file.path(root, article))
    !identical(code_behind(words, root, now), code_behind(words, tree, then))
  }, NA)
  c(changed, names(other)[other])
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
