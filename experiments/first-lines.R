# The first two lines that twelve fits print: four tables with wrong labels, four whose classes
# overlap, four without either. For readers who know no statistics: what would they do?
#
#   Rscript experiments/first-lines.R <text> <key> [seed]
#
# writes what a reader is given, the fits in an order of chance, and what they are. A reader says
# rightly what to do of a fit to wrong labels with "check rows"; to overlap with that or "check a
# few"; of a clean one with "nothing" or "check a few if it matters".

suppressPackageStartupMessages(library(sturdy))
given <- commandArgs(TRUE)
stopifnot("which files?" = length(given) >= 2)
seed <- if (length(given) > 2) as.integer(given[3]) else 4001L
stopifnot("seeds from 60,000 up are kept for judging" = seed < 60000)

# Two inputs, and a smooth boundary; `blur` is how much the classes overlap
smooth_table <- function(n, blur, share = 0, of = "all") {
  d <- data.frame(a = stats::rnorm(n), b = stats::rnorm(n))
  ill <- sin(1.5 * d$a) + d$b + blur * stats::rnorm(n) > 0
  flipped_table(d, ill, share, of)
}

real_table <- function(name, event, n, share = 0, of = "all") {
  d <- sturdy_data(name)
  d <- d[sample(nrow(d), min(n, nrow(d))), ]
  flipped_table(d[setdiff(names(d), "class")], d$class == event, share, of)
}

flipped_table <- function(x, ill, share, of) {
  open <- switch(of, all = rep(TRUE, length(ill)), ill = ill)
  flip <- open & stats::runif(length(ill)) < share
  x$class <- factor(ifelse(xor(ill, flip), "ill", "well"), levels = c("well", "ill"))
  attr(x, "wrong") <- sum(flip)
  x
}

tables <- list(
  wrong = function() smooth_table(150, 0.1, 0.15),
  wrong = function() smooth_table(300, 0.3, 0.1),
  wrong = function() real_table("newthyroid", "hyper", 215, 0.1),
  wrong = function() smooth_table(200, 0.1, 0.3, "ill"),
  overlap = function() smooth_table(110, 1),
  overlap = function() smooth_table(200, 1.5),
  overlap = function() smooth_table(300, 0.7),
  overlap = function() {
    d <- MASS::birthwt
    flipped_table(d[c("age", "lwt", "smoke", "ht", "ptl")], d$low == 1, 0, "all")
  },
  clean = function() smooth_table(150, 0),
  clean = function() real_table("newthyroid", "hyper", 215),
  clean = function() flipped_table(iris[51:150, 1:4], rep(c(FALSE, TRUE), each = 50), 0, "all"),
  clean = function() smooth_table(400, 0.05)
)

words <- c(
  "A colleague has twelve tables of patients. In each, somebody wrote down for every patient",
  "whether he or she is ill or well. Some of what was written down may be wrong. A computer program",
  "has looked at each table, and says the two lines below about it.",
  "",
  "For each of the twelve, say what you would do, and why, in a few words:",
  "  (a) nothing: use the table as it is;",
  "  (b) have a few patients looked up again, if it matters much;",
  "  (c) have the patients that the program suspects looked up again, because some of what was",
  "      written down is wrong.",
  "And: about how many are wrong, as far as you can tell?"
)

options(width = 200) # a line is a line
set.seed(seed)
drawn <- lapply(tables, function(draw) draw())
order <- sample(length(tables))
fits <- lapply(drawn[order], function(table) {
  gpc(class ~ ., table, control = ep_control(progress = FALSE))
})
said <- lapply(fits, function(fit) {
  utils::head(strsplit(utils::capture.output(print(fit)), "\n"), 2)
})
text <- c(words, unlist(Map(function(k, lines) {
  c("", paste0("Table ", k), unlist(lines))
}, seq_along(said), said)))
writeLines(text, given[1])
key <- data.frame(
  table = seq_along(order), kind = names(tables)[order],
  rows = vapply(drawn[order], nrow, 1L),
  wrong = vapply(drawn[order], attr, 1L, "wrong"),
  factor = vapply(fits, function(fit) signif(noise_test(fit)$bayes_factor, 3), 0)
)
writeLines(utils::capture.output(print(key, row.names = FALSE)), given[2])
