# Does every test file say by its name what it tests?
#
#   Rscript tools/check-tests.R       prints those that don't, and fails
#
# test-<stem>.R is of R/<stem>.R, of src/<stem>.c, of the script experiments/<stem>.R or of the
# helper helper-<stem>.R. A part of the tests of a file stands in test-<stem>-<part>.R, where the
# stem has two words or more: of one word, it would let go by what is of no file any more. What goes
# through many files on the way of a user or of a paper is a journey, and is named here.
#
# Test files that other files name must be there, too: tests/testthat.R, which has those that are
# too slow for CRAN, and the articles. (tools/mutate.R --stale looks after the mutants.)

journeys <- c(
  cases = "reference problems, computed elsewhere, through gpc() and stc()",
  classes = "what a fit of three classes or more is asked",
  default = "the default call, on every path",
  drift = "what a t prior is for",
  edge = "data and settings at the edge of what makes sense",
  experiments = "the scripts of experiments, each in its quick version",
  published = "values in print and in closed form",
  random = "many random problems"
)

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
setwd(dirname(dirname(normalizePath(gsub("~+~", " ", script, fixed = TRUE)))))

stems_in <- function(folder, pattern) {
  sub(pattern, "\\1", list.files(folder, pattern))
}
tests <- stems_in("tests/testthat", "^test-(.*)[.][Rr]$")
sources <- c(
  stems_in("R", "^(.*)[.][Rr]$"), stems_in("src", "^(.*)[.]c$"),
  stems_in("experiments", "^(.*)[.]R$"), stems_in("tests/testthat", "^helper-(.*)[.]R$")
)
long <- grep("-", sources, value = TRUE)
is_part <- vapply(tests, function(test) any(startsWith(test, paste0(long, "-"))), NA)
lost <- tests[!tests %in% c(sources, names(journeys)) & !is_part]

slow <- eval(Filter(function(e) {
  is.call(e) && identical(e[[1]], as.name("<-")) && identical(e[[2]], as.name("slow"))
}, as.list(parse("tests/testthat.R")))[[1]][[3]])

articles <- list.files("vignettes", "[.]Rmd$", full.names = TRUE, recursive = TRUE)
named <- unlist(lapply(articles, function(file) {
  lines <- readLines(file, encoding = "UTF-8")
  unlist(regmatches(lines, gregexpr("test-[a-z0-9-]+[.]R\\b", lines)))
}))
named <- setdiff(sub("^test-(.*)[.]R$", "\\1", named), tests)

wrong <- c(
  sprintf("tests/testthat/test-%s.R: of no file, and no journey (tools/check-tests.R)", lost),
  sprintf("tools/check-tests.R: no journey test-%s.R", setdiff(names(journeys), tests)),
  sprintf("tests/testthat.R: no test-%s.R", setdiff(slow, tests)),
  sprintf("vignettes: no test-%s.R", named)
)
if (length(wrong)) cat(wrong, sep = "\n")
cat("check-tests:", length(tests), "files,", if (length(wrong)) length(wrong) else "no", "faults\n")
quit(status = as.integer(length(wrong) > 0))
