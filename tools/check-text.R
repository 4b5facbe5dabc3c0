# The text of the package, checked without a network:
#
#   Rscript tools/check-text.R [--online] [--words]
#
# - spelling of help pages, vignettes, README, NEWS and DESCRIPTION (needs the package spelling;
#   words that are right stand in inst/WORDLIST; --words prints those that are new, one a line);
# - addresses: well formed and over https where the host has it; relative links, calls of
#   vignette() and articles that are named lead to something (--online asks every address, too,
#   and says what answered, what did not, and what could not be reached);
# - no sentence of README has more than 25 words;
# - every help page and vignette has an entry in _pkgdown.yml (needs the package pkgdown);
# - the maintainer's address stands in DESCRIPTION and nowhere else;
# - inst/CITATION can be read.
#
# Prints what is wrong, and fails if anything is. What needs a package that is not there is named.

root <- dirname(dirname(normalizePath(sub(
  "^--file=", "", grep("^--file=", commandArgs(), value = TRUE)
))))
setwd(root)
given <- commandArgs(trailingOnly = TRUE)
wrong <- character()
not_checked <- character()
fail <- function(...) wrong <<- c(wrong, paste0(...))
title_of <- function(lines) gsub("^title: *\"|\"$", "", grep("^title:", lines, value = TRUE)[1])
lines_of <- function(file) readLines(file, encoding = "UTF-8", warn = FALSE)

# Spelling -----------------------------------------------------------------------

if (requireNamespace("spelling", quietly = TRUE)) {
  # of vignettes without formulas, which the parser takes for words
  copies <- tempfile()
  dir.create(copies)
  for (file in list.files("vignettes", "[.]Rmd$", full.names = TRUE, recursive = TRUE)) {
    text <- paste(lines_of(file), collapse = "\n")
    code <- gregexpr("(?s)```.*?```|`[^`\n]*`|<style>.*?</style>", text, perl = TRUE)
    regmatches(text, code) <- list(gsub("[^\n]", " ", regmatches(text, code)[[1]]))
    formulas <- gregexpr("(?s)\\$\\$.*?\\$\\$|\\$[^$]+\\$", text, perl = TRUE)
    regmatches(text, formulas) <- list(gsub("[^\n]", " ", regmatches(text, formulas)[[1]]))
    writeLines(enc2utf8(text), file.path(copies, basename(file)), useBytes = TRUE)
  }
  ignore <- lines_of("inst/WORDLIST")
  found <- rbind(
    spelling::spell_check_package(".", vignettes = FALSE),
    spelling::spell_check_files(
      c(list.files(copies, full.names = TRUE), "README.Rmd", "CONTRIBUTING.md"),
      ignore = ignore, lang = "en_GB"
    )
  )
  if ("--words" %in% given) writeLines(found$word)
  for (k in seq_len(nrow(found))) {
    fail(found$word[k], ": not in the dictionary; ", toString(found$found[[k]]))
  }
} else {
  not_checked <- c(not_checked, "spelling (no package spelling)")
}

# Addresses ----------------------------------------------------------------------

pages <- c(
  "README.md", "README.Rmd", "CONTRIBUTING.md", "NEWS.md", "DESCRIPTION", "inst/CITATION",
  list.files("man", "[.]Rd$", full.names = TRUE),
  list.files("vignettes", "[.]Rmd$", full.names = TRUE, recursive = TRUE),
  list.files("experiments", "[.]md$", full.names = TRUE)
)
# hosts of pages that exist only so
plain_http <- "^http://(gaussianprocess[.]org|www[.]gaussianprocess[.]org)/"
addresses <- list()
for (file in pages) {
  text <- lines_of(file)
  at <- regmatches(text, gregexpr("https?://[^][ \t\"'<>}{`\\\\]+", text))
  for (address in unlist(at)) {
    address <- sub("[).,;:]+$", "", address)
    addresses[[address]] <- union(addresses[[address]], file)
    if (!grepl("^https?://([a-zA-Z0-9-]+[.])+[a-z]{2,}(:[0-9]+)?(/|$)", address)) {
      fail(file, ": not an address: ", address)
    } else if (grepl("^http:", address) && !grepl(plain_http, address)) {
      fail(file, ": over http: ", address)
    }
  }
}

# those that are installed, and those of the site alone
vignettes <- sub("[.]Rmd$", "", list.files("vignettes", "[.]Rmd$"))
articles <- sub("[.]Rmd$", "", list.files("vignettes/articles", "[.]Rmd$"))
titles <- vapply(file.path("vignettes/articles", paste0(articles, ".Rmd")), function(file) {
  title_of(lines_of(file))
}, "")
for (file in pages) {
  text <- paste(lines_of(file), collapse = "\n")
  titled <- regmatches(text, gregexpr("article\\s+(\\*[^*]+\\*|\\\\emph\\{[^}]+\\})", text))[[1]]
  titled <- gsub("\\s+", " ", gsub("^article\\s+(\\*|\\\\emph\\{)|[*}]$", "", titled))
  for (title in setdiff(titled, titles)) fail(file, ": no article ", title)
  named <- regmatches(text, gregexpr("vignette\\(\"[^\"]+\"", text))[[1]]
  for (name in setdiff(gsub("vignette\\(\"|\"", "", named), vignettes)) {
    fail(file, ": no vignette ", name)
  }
  if (!grepl("[.](R?md)$", file)) next
  links <- regmatches(text, gregexpr("\\]\\([^)` ]+\\)", text))[[1]]
  links <- gsub("^\\]\\(|\\)$", "", links)
  links <- sub("#.*", "", links[!grepl("^(https?:|#|mailto:|`|<)", links)])
  # roxygen-like links of NEWS and help pages are to functions
  links <- links[grepl("[./]", links) & !grepl("\\(", links)]
  if (startsWith(file, "vignettes/articles/")) links <- setdiff(links, paste0(articles, ".html"))
  for (link in links[!file.exists(file.path(dirname(file), links)) & !file.exists(links)]) {
    fail(file, ": leads nowhere: ", link)
  }
}

if ("--online" %in% given) {
  answers <- vapply(names(addresses), function(address) {
    tryCatch(
      as.character(attr(curlGetHeaders(address, timeout = 20), "status")),
      error = function(cnd) gsub("\\s+", " ", conditionMessage(cnd))
    )
  }, "")
  answered <- grepl("^[0-9]{3}$", answers)
  # refused to programs, or to too many of them: the page is there
  fine <- answers %in% c("200", "202", "403", "429")
  cat(sprintf("answered %s: %s\n", answers[answered], names(addresses)[answered]), sep = "")
  for (k in which(answered & !fine)) {
    fail(toString(addresses[[k]]), ": answers ", answers[k], ": ", names(addresses)[k])
  }
  # where nothing answers it is not the addresses
  lost <- sprintf("%s (%s)", names(addresses), answers)[!answered]
  if (any(answered)) {
    for (address in lost) fail("could not be reached: ", address)
  } else if (length(lost)) {
    not_checked <- c(not_checked, paste0(
      "addresses online: none of ", length(lost), " could be reached, the first for ", answers[1]
    ))
  }
} else {
  not_checked <- c(not_checked, "addresses online (--online)")
}

# Sentences of README ------------------------------------------------------------

most_words <- 25
text <- lines_of("README.md")
text <- text[cumsum(grepl("^```", text)) %% 2 == 0 & !grepl("^(```|[|]|!|<!--|#)", text)]
# a line of a list begins a sentence, as does an empty line; a link is its text
text <- paste(ifelse(text == "" | grepl("^ *- ", text), ".\n", ""), text, collapse = " ")
text <- gsub("!?\\[([^]]*)\\]\\([^)]*\\)", "\\1", sub("## Citation.*", "", text))
sentences <- strsplit(text, "[.!?:;]+(\\*\\*)?(\\s+|$)")[[1]]
long <- sentences[lengths(regmatches(sentences, gregexpr("[[:alnum:]][^ ]*", sentences))) > most_words]
for (sentence in long) fail("README.md: more than ", most_words, " words: ", trimws(sentence))

# Pages --------------------------------------------------------------------------

if (requireNamespace("pkgdown", quietly = TRUE)) {
  said <- tryCatch(
    {
      pkgdown::check_pkgdown(".")
      NULL
    },
    error = function(cnd) {
      c(conditionMessage(cnd), if (!is.null(cnd$parent)) conditionMessage(cnd$parent))
    }
  )
  if (length(said)) fail("_pkgdown.yml: ", paste(said, collapse = " "))
} else {
  not_checked <- c(not_checked, "_pkgdown.yml (no package pkgdown)")
}

maintainer <- eval(parse(text = read.dcf("DESCRIPTION", "Authors@R")))$email
files <- system2("git", c("ls-files"), stdout = TRUE)
text_files <- setdiff(files, "man/sturdy-package.Rd") # made from DESCRIPTION
text_files <- text_files[grepl("[.](R|Rd|Rmd|md|yml|c|h|sh)$|CITATION$", text_files)]
for (address in unlist(maintainer)) {
  for (file in text_files) {
    if (any(grepl(address, lines_of(file), fixed = TRUE))) fail(file, ": the maintainer's address")
  }
}

meta <- as.list(read.dcf("DESCRIPTION")[1, ])
cited <- tryCatch(
  utils::readCitationFile("inst/CITATION", meta = c(meta, Encoding = "UTF-8")),
  error = function(cnd) fail("inst/CITATION: ", conditionMessage(cnd))
)

if (length(wrong)) cat(unique(wrong), sep = "\n")
if (length(not_checked)) cat("not checked:", paste(not_checked, collapse = ", "), "\n")
cat(
  "check-text:", length(addresses), "addresses,", length(vignettes), "vignettes,",
  length(articles), "articles,",
  if (length(wrong)) length(unique(wrong)) else "no", "faults\n"
)
quit(status = as.integer(length(wrong) > 0))
