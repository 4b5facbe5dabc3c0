# The first two lines that twelve fits print: four tables with wrong labels, four whose classes
# overlap, four without either. For readers who know no statistics: what would they do?
#
#   Rscript experiments/first-lines.R [seed] [answers]
#
# The fits come in an order of chance; with `answers` each is followed by what it is.

suppressPackageStartupMessages(library(sturdy))
given <- commandArgs(TRUE)
seed <- if (length(given)) as.integer(given[1]) else 4001L
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

set.seed(seed)
drawn <- lapply(tables, function(draw) draw())
for (k in sample(length(tables))) {
  fit <- gpc(class ~ ., drawn[[k]], control = ep_control(progress = FALSE))
  cat(utils::head(utils::capture.output(print(fit)), 2), sep = "\n")
  if ("answers" %in% given) {
    cat("    [", names(tables)[k], ": ", attr(drawn[[k]], "wrong"), " wrong]\n", sep = "")
  }
  cat("\n")
}
