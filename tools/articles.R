# Makes the articles, the long pages of the site that are not installed, with the installed package:
#
#   sh tools/run.sh articles.R [folder [article ...]]
#
# An article that stops fails. So does one with a line of output that a page does not show whole;
# the vignettes that were installed are looked through for such lines, too.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
root <- dirname(dirname(normalizePath(gsub("~+~", " ", script, fixed = TRUE))))
given <- commandArgs(trailingOnly = TRUE)
folder <- c(given, tempfile("articles"))[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
folder <- normalizePath(folder)

# in a copy, which what is made on the way stays in
work <- tempfile("work")
dir.create(work)
for (part in c("vignettes", "inst")) {
  invisible(file.copy(file.path(root, part), work, recursive = TRUE))
}
files <- list.files(file.path(work, "vignettes", "articles"), "[.]Rmd$", full.names = TRUE)
names <- sub("[.]Rmd$", "", basename(files))
if (length(given) > 1) files <- files[names %in% given[-1]]

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
