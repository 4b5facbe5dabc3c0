# Which rows are called wrong at a false-discovery rate: by the probabilities of the model, or, at a
# rate that holds whatever the model is worth, by rows that were checked at random (answer-drawn.R).

#' The list with the rates of false discovery down to each row, or the rows of it that are called wrong
#' @param found see suspicion(), with the column `if_some` of a fit that tests. @param verdict of
#'   noise_statement(), `NULL` for a fit without one.
#' @param drawn see drawn_checks(). @param ... further attributes.
#' @noRd
new_mislabelled <- function(found, fdr, given, verdict, drawn, expected, ...) {
  if (is.null(drawn)) {
    by <- if (given == "some" && !is.null(found$if_some)) found$if_some else found$probability
    found$fdr <- false_share(by)
    cutoff <- if (!is.null(fdr)) fdr_cutoff(found, by, fdr, given, verdict)
  } else {
    found <- calibrated(found, drawn)
    cutoff <- if (!is.null(fdr)) calibrated_cutoff(found, drawn, fdr)
  }
  structure(
    if (is.null(cutoff)) found else found[cutoff$called, ],
    expected = expected, cutoff = cutoff[names(cutoff) != "called"], ...,
    class = c("sturdy_mislabelled", "data.frame")
  )
}

#' The share of right labels to expect down to each row of a list
#' @param p probabilities of being wrong, in its order.
#' @noRd
false_share <- function(p) cumsum(1 - p) / seq_along(p)

#' The rows called wrong at a false-discovery rate
#'
#' None is as long as it is open whether labels are wrong at all. The rule is about the mean over
#' the list, so it can admit rows that are by themselves more likely right than wrong: a message
#' says how many.
#' @param by probabilities by which rows are called wrong. @param given see mislabelled().
#' @param test of noise_statement(), `NULL` for a fit without one.
#' @noRd
fdr_cutoff <- function(found, by, fdr, given, test) {
  open <- given == "average" && !is.null(test) && !is_called(test)
  called <- seq_len(if (open) 0L else sum(found$fdr <= fdr))
  unlikely <- found$row[called][by[called] < 0.5]
  if (open) {
    inform_sturdy(c(
      i = "No row is called wrong: {test$verdict}.",
      i = "{.code given = \"some\"} lists the rows to call wrong if some labels are."
    ), "open_verdict")
  }
  column <- if (given == "some" && !is.null(test)) "if_some" else "probability"
  inform_these(
    "likely_right", c(i = "{unlikely_words(length(these), length(called), called_what(found))}, as the column
                           {.field {column}} shows."), rows = unlikely
  )
  c(called_rows(found, called, fdr, by), list(unlikely = length(unlikely), given = given, open = open))
}

#' @param called which rows of the list.
#' @noRd
called_rows <- function(found, called, fdr, p = found$probability) {
  list(
    fdr = fdr, called = called, rows = length(called),
    probability = if (length(called)) min(p[called]) else NA_real_, rank = max(0L, found$rank[called])
  )
}

#' What is called wrong: rows, or labels of rows that several people labelled
#' @param found the list of mislabelled().
#' @noRd
called_what <- function(found) if (is.null(found$reader)) "row" else "label"

#' @param what see called_what().
#' @noRd
unlikely_words <- function(unlikely, called, what = "row") {
  verb <- if (unlikely == 1) "is" else "are"
  paste(unlikely, "of the", count(called, what), "called wrong", verb, "more likely right than wrong")
}

# By rows checked at random ---------------------------------------------------------------

#' p values for "this label is right" of the rows that were not checked, and the smallest
#' false-discovery rates at which they are called wrong
#' @param found see suspicion(). @param drawn see drawn_checks().
#' @noRd
calibrated <- function(found, drawn) {
  place <- match(found$row, drawn$among)
  said <- p_by_checks(drawn$among %in% drawn$row[!drawn$wrong], !drawn$among %in% drawn$row)
  found$p_value <- said$p_value[place]
  found$fdr <- said$fdr[place]
  found
}

#' The rows called wrong by checks
#' @noRd
calibrated_cutoff <- function(found, drawn, fdr) {
  m <- length(drawn$row)
  others <- length(drawn$among) - m
  check_enough(m, fdr, "fdr", c(x = "The smallest p value that they can give is 1 / {checks + 1}."))
  least <- ceiling(others / (fdr * (m + 1)))
  cutoff <- called_rows(found, which(found$fdr <= fdr * (1 + 1e-12)), fdr)
  if (cutoff$rows == 0) {
    inform_sturdy(c(
      i = "No row is called wrong: with {m} check{?s} and {others} other rows, {least} or more would have
           to be called at once.",
      i = "More checks lower that number: {.code review(fit, n, fdr = {fdr})}."
    ), "few_checks", least = least)
  }
  c(cutoff, list(unlikely = 0L, given = "checks", open = FALSE, checks = m, least = least))
}
