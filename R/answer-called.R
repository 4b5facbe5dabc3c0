# Which rows are called wrong at a false-discovery rate: by the probabilities of the model, or, at a
# rate that holds whatever the model is worth, by rows that were checked at random [M 7.8].

#' Rows by the probability that their labels are wrong, ties by the leave-one-out score
#' @noRd
suspicion_order <- function(said) order(-mean_wrong(said), left_out_score(said))

#' The list with the rates of false discovery down to each row, or the rows of it that are called wrong
#' @param found see suspicion(), with the column `if_some` of a fit that tests. @param verdict of
#'   noise_statement(), `NULL` for a fit without one.
#' @param checks see check_calibrate(). @param ... further attributes.
#' @noRd
new_mislabelled <- function(found, fdr, given, verdict, checks, expected, ...) {
  by <- if (given == "some" && !is.null(found$if_some)) found$if_some else found$probability
  if (is.null(checks)) {
    found$fdr <- cumsum(1 - by) / found$rank
  } else {
    found <- calibrated(found, checks)
  }
  cutoff <- if (!is.null(fdr)) {
    if (is.null(checks)) {
      fdr_cutoff(found, by, fdr, given, verdict)
    } else calibrated_cutoff(found, checks, fdr)
  }
  structure(
    if (is.null(cutoff)) found else found[cutoff$called, ],
    expected = expected, cutoff = cutoff[names(cutoff) != "called"], ...,
    class = c("sturdy_mislabelled", "data.frame")
  )
}

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
  p <- by[called]
  unlikely <- sum(p < 0.5)
  if (open) {
    inform_sturdy(
      c(
        i = "No row is called wrong: {test$verdict}.",
        i = "{.code given = \"some\"} lists the rows to call wrong if some labels are."
      ),
      "open_verdict"
    )
  }
  if (unlikely > 0) {
    column <- if (given == "some" && !is.null(test)) "if_some" else "probability"
    inform_sturdy(
      c(i = "{unlikely_words(unlikely, length(called), called_what(found))}, as the column
             {.field {column}} shows."),
      "likely_right", rows = found$row[called][p < 0.5]
    )
  }
  c(called_rows(found, called, fdr, by), list(unlikely = unlikely, given = given, open = open))
}

#' @param called which rows of the list.
#' @noRd
called_rows <- function(found, called, fdr, p = found$probability) {
  none <- length(called) == 0
  list(
    fdr = fdr, called = called, rows = length(called),
    probability = if (none) NA_real_ else min(p[called]),
    rank = if (none) 0L else max(found$rank[called])
  )
}

#' What is called wrong: rows, or labels of rows that several people labelled
#' @param found the list of mislabelled().
#' @noRd
called_what <- function(found) if (is.null(found$reader)) "row" else "label"

#' @param what see called_what().
#' @noRd
unlikely_words <- function(unlikely, called, what = "row") {
  paste(
    unlikely, "of the", count(called, what), "called wrong",
    if (unlikely == 1) "is" else "are", "more likely right than wrong"
  )
}

# By rows checked at random ---------------------------------------------------------------

#' Rows that were checked at random, and those that they speak for
#'
#' Their scores must be what they would be had they not been checked, and what is wrong among the
#' others must not have been looked at: so the fit is one that knows none of these checks.
#' @param among `NULL`, or of how many of the most suspicious rows they were drawn.
#' @return `NULL`, or list(row, label: the class that each was found to have; among)
#' @noRd
check_calibrate <- function(calibrate, among, object, id) {
  if (is.null(calibrate)) {
    must(is.null(among), "among", "be given along with {.arg calibrate}", "calibrate")
    return(NULL)
  }
  data <- object$data
  checks <- check_checked(calibrate, data, object$blueprint$levels, id, "calibrate")
  must(
    !anyDuplicated(data$rows), "calibrate",
    "be of a fit without copies of rows: they would be checked together", "calibrate"
  )
  known <- data$rows[label_source(data$reports) == 0L]
  inside <- !checks$row %in% known
  must(
    all(inside), "calibrate", "be rows that the fit does not know the class of", "calibrate",
    more = c(
      x = "Known: {.val {few(checks$row[!inside])}}.",
      i = "Use the fit of before these checks: its probabilities are what they would be without."
    )
  )
  open <- length(data$rows) - length(known)
  most <- if (is.null(among)) {
    open
  } else {
    check_count(among, "among", min = length(checks$row), max = open)
  }
  must(length(checks$row) < most, "calibrate", "leave rows that were not checked", "calibrate")
  said <- truth(object)
  order <- suspicion_order(said)
  drawn_from <- data$rows[utils::head(order[said$source[order] > 0L], most)]
  outside <- setdiff(checks$row, drawn_from)
  must(
    !length(outside), "calibrate", "be drawn of the {most} most suspicious rows", "calibrate",
    more = c(x = "Not among them: {.val {few(outside)}}.")
  )
  c(checks, list(among = drawn_from))
}

#' p values for "this label is right" of the rows that were not checked, and the smallest
#' false-discovery rates at which they are called wrong [M 7.8]
#' @param found see suspicion(). @param checks see check_calibrate().
#' @noRd
calibrated <- function(found, checks) {
  at <- match(found$row, checks$row)
  right <- !is.na(at) & as.integer(found$label) == checks$label[at]
  other <- found$row %in% checks$among & is.na(at)
  p <- (1 + cumsum(right)) / (length(checks$row) + 1)
  found$p_value <- replace(p, !other, NA)
  found$fdr <- NA_real_
  found$fdr[other] <- stats::p.adjust(p[other], "BH")
  found
}

#' The rows called wrong by checks
#' @noRd
calibrated_cutoff <- function(found, checks, fdr) {
  m <- length(checks$row)
  refuse(
    fdr * (m + 1) < 1 - 1e-9,
    c(
      "{m} check{?s} can't tell which rows to call wrong at a false-discovery rate of {fdr}.",
      x = "The smallest p value that they can give is 1 / {m + 1}.",
      i = "It takes some {ceiling(10 / fdr)} checks where one label in ten is wrong."
    ),
    "calibrate", arg = "calibrate"
  )
  least <- ceiling((length(checks$among) - m) / (fdr * (m + 1)))
  cutoff <- called_rows(found, which(found$fdr <= fdr * (1 + 1e-12)), fdr)
  if (cutoff$rows == 0) {
    inform_sturdy(
      c(
        i = "No row is called wrong: with {m} check{?s} and {length(checks$among) - m} other rows,
             {least} or more would have to be called at once.",
        i = "More checks lower that number, or checks drawn of fewer rows: {.arg among}."
      ),
      "few_checks", least = least
    )
  }
  c(cutoff, list(unlikely = 0L, given = "checks", open = FALSE, checks = m, least = least))
}
