# The pages of the package for the web, by pkgdown:
#
#   Rscript tools/site.R [folder, by default docs/]
#
# needs pkgdown and the installed package (`sh tools/run.sh site.R` installs that first). Nothing
# is fetched. The pages are made from a copy of what git knows, in which README's links to
# vignettes lead to their pages. Relative links that lead nowhere are printed, and fail.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
root <- dirname(dirname(normalizePath(gsub("~+~", " ", script, fixed = TRUE))))
folder <- c(commandArgs(trailingOnly = TRUE), file.path(root, "docs"))[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
folder <- normalizePath(folder)

copy <- tempfile("site")
dir.create(copy)
setwd(root)
files <- system2("git", c("ls-files", "--cached", "--others", "--exclude-standard"), stdout = TRUE)
files <- files[file.exists(files)]
for (into in unique(dirname(files))) dir.create(file.path(copy, into), FALSE, TRUE)
stopifnot(file.copy(files, file.path(copy, files)))

readme <- file.path(copy, "README.md")
text <- readLines(readme, encoding = "UTF-8")
text <- gsub("\\(vignettes/(articles/)?([a-z-]+)[.]Rmd\\)", "(articles/\\2.html)", text)
writeLines(enc2utf8(text), readme, useBytes = TRUE)

options(pkgdown.internet = FALSE)
pkgdown::build_site(
  copy, override = list(destination = folder), preview = FALSE, install = FALSE,
  new_process = FALSE, examples = FALSE
)

# Pictures of stored results, beside the articles that show them
pictures <- list.files(file.path(copy, "inst", "results"), "[.]png$", full.names = TRUE)
dir.create(file.path(folder, "articles", "results"), FALSE)
stopifnot(file.copy(pictures, file.path(folder, "articles", "results"), overwrite = TRUE))
for (page in list.files(file.path(folder, "articles"), "[.]html$", full.names = TRUE)) {
  text <- readLines(page, encoding = "UTF-8", warn = FALSE)
  text <- gsub("\"../../inst/results/", "\"results/", text, fixed = TRUE)
  writeLines(enc2utf8(text), page, useBytes = TRUE)
}

# Links ---------------------------------------------------------------------------

wrong <- character()
for (page in list.files(folder, "[.]html$", recursive = TRUE)) {
  text <- paste(readLines(file.path(folder, page), encoding = "UTF-8", warn = FALSE), collapse = " ")
  links <- unlist(regmatches(text, gregexpr("(?:href|src)=\"[^\"]+\"", text, perl = TRUE)))
  links <- sub("#.*", "", gsub("^[a-z]+=\"|\"$", "", links))
  links <- unique(links[nzchar(links) & !grepl("^([a-z]+:|//|/)", links)])
  gone <- links[!file.exists(file.path(folder, dirname(page), utils::URLdecode(links)))]
  if (length(gone)) wrong <- c(wrong, paste0(page, ": leads nowhere: ", gone))
}
if (length(wrong)) cat(wrong, sep = "\n")
cat("site:", folder, "-", if (length(wrong)) length(wrong) else "no", "links that lead nowhere\n")
quit(status = as.integer(length(wrong) > 0))
