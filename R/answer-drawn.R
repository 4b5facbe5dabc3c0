# Which rows to draw for checks that hold a false-discovery rate whatever the model is worth, and what that
# will bring, by draws of which labels are wrong. Checked rows whose label is right have ranks, and a row
# that was not checked has the p value (1 + how many of them rank above it) / (checks + 1) [M 7.8].

draws_price <- 200L  # draws of the wrong labels; fewer, but 20, where rows x draws would be more
draws_cells <- 2e6   # than this
among_tried <- 16L   # numbers of rows to draw from that are tried; the largest is taken that finds
among_near <- 0.9    # this share of what the best of them does
among_least <- 1.5   # the smallest of them, over the number of checks

#' Which rows are called wrong by checks of some, in an order of suspicion [M 7.8]
#' @param right which have been checked, and their label is right. @param other which are not checked.
#' @return list(p_value, fdr: the smallest rate at which each is called), `NA` of rows that are checked
#' @noRd
p_by_checks <- function(right, other) {
  p <- replace((1 + cumsum(right)) / (sum(!other) + 1), !other, NA)
  list(p_value = p, fdr = stats::p.adjust(p, "BH", sum(other)))
}

#' Enough checks to call a row wrong at all: the smallest p value is not above the rate
#' @param hint a bullet of the message, with its name.
#' @noRd
check_enough <- function(checks, fdr, arg, hint) {
  refuse(
    fdr * (checks + 1) < 1 - 1e-9,
    c("{checks} check{?s} can't tell which rows to call wrong at a false-discovery rate of {fdr}.", hint),
    "few_checks", arg = arg
  )
}

# What checks of rows drawn at random bring -------------------------------------------

#' The rows to draw from, which bring most wrong labels to light if some are wrong, and what that
#' will bring, averaged over all noise models
#' @param open which rows have a class that is not known, in the order of suspicion.
#' @return list(checks, among, fdr, found, calls, wrong)
#' @noRd
draw_price <- function(said, open, checks, fdr) {
  least <- min(ceiling(among_least * checks), length(open)) # of numbers of rows, the same factor apart
  sizes <- unique(round(exp(seq(log(least), log(length(open)), length.out = among_tried))))
  some <- setdiff(said$model, "none")
  if_some <- if (length(some)) truth_under(said, some) else said
  tried <- brought_by_checks(if_some, open, sizes, checks, fdr)
  light <- tried["found", ] + tried["wrong", ]
  best <- max(which(light >= among_near * max(light))) # more rows speak for more, also if the ranking is poor
  brought <- brought_by_checks(said, open, sizes[best], checks, fdr)[, 1]
  c(list(checks = checks, among = sizes[best], fdr = fdr), as.list(brought))
}

#' What so many checks bring, drawn of each of so many rows
#' @return see price_of(), a column for each number of rows
#' @noRd
brought_by_checks <- function(said, open, sizes, checks, fdr) {
  draws <- max(20, min(draws_price, floor(draws_cells / length(open))))
  rows <- list(p = said$p[open, , , drop = FALSE], weight = said$weight)
  wrong <- do.call(cbind, draw_classes(rows, draws, function(true) true != said$y[open]))
  of_first <- function(among) price_of(wrong[seq_len(among), , drop = FALSE], checks, fdr)
  with_seed_or_stream(2L, vapply(sizes, of_first, numeric(3)))
}

#' What so many checks bring, drawn of so many rows: means over draws of the wrong labels
#' @param wrong rows, the most suspicious first, x draws. @return see brought_once()
#' @noRd
price_of <- function(wrong, checks, fdr) rowMeans(apply(wrong, 2, brought_once, checks, fdr))

#' What checks of rows drawn at random bring where it is known which labels are wrong
#' @param wrong logical, the most suspicious rows first.
#' @return c(found: of the checks wrong labels; calls, and how many of them wrong)
#' @noRd
brought_once <- function(wrong, checks, fdr) {
  rows <- seq_along(wrong)
  other <- !rows %in% sample.int(length(rows), checks)
  called <- which(p_by_checks(!other & !wrong, other)$fdr <= fdr * (1 + 1e-12))
  c(found = sum(wrong[!other]), calls = length(called), wrong = sum(wrong[called]))
}

# Drawing them ------------------------------------------------------------------------

#' Rows drawn at random, in their order in the table
#' @param open which rows have a class that is not known, in the order of suspicion.
#' @return list(place: of those drawn; price)
#' @noRd
drawn_rows <- function(object, said, open, checks, fdr) {
  fdr <- check_number(fdr, "fdr", min = 0, max = 1, open = TRUE)
  check_enough(checks, fdr, "n", c(i = "The smallest number that can is {.code n = {ceiling((1 - 1e-9) / fdr) - 1}}."))
  apart <- "be a fit without copies of rows: they would be checked together"
  must(!anyDuplicated(object$data$rows), "object", apart, "drawn")
  some <- checks < length(open)
  must(some, "n", "leave rows that are not checked: {length(open)} label{?s} {?is/are} open", "range")
  price <- draw_price(said, open, checks, fdr)
  list(place = sort(open[sample.int(price$among, checks)]), price = price)
}

#' The price in words
#' @noRd
price_words <- function(price) {
  paste0(
    "Check all ", whole(price$checks), ": about ", whole(round(price$found)), " wrong. They guarantee a false-discovery rate of ",
    format(price$fdr), " for about ", count(round(price$calls), "call"), " among the other ",
    whole(price$among - price$checks), ": mislabelled(update(fit, checked = ), fdr = ", format(price$fdr), ")."
  )
}
