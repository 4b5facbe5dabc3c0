# Rows that were drawn at random to be checked. What was drawn stays with the rows: by it labels are called
# wrong, and counted, whatever the model is worth [M 7.8].

#' What review() writes beside each row that it drew: it is kept in files, too
#' @noRd
drawn_words <- function(checks, among) paste(checks, "of", among)

#' What the checks of a draw have found
#'
#' @param checks of check_checked(). @param data of the fit, before they are taken in. @param ranked its
#'   rows whose class is not known, the most suspicious first.
#' @return `NULL` where rows were not drawn, or list(row; wrong, open: which had the wrong label, and of
#'   which nothing could be said; among: the rows that they were drawn of, in the order of `ranked`)
#' @noRd
drawn_checks <- function(checks, data, ranked) {
  drawn <- checks$drawn
  if (is.null(drawn)) {
    return(inform_draw_left(data))
  }
  check <- function(fine, words, more = NULL) {
    must(
      fine, "checked", words, c("drawn", "checked"), .envir = parent.frame(),
      more = c(more, i = "Give back the list of {.code review(fit, fdr = )}, all of its rows, to the fit that it is of.")
    )
  }
  said <- unique(as.character(drawn))
  size <- as.integer(regmatches(said, regexec("^([0-9]+) of ([0-9]+)$", said))[[1]][-1])
  check(
    length(said) == 1 && length(size) == 2 && size[1] < size[2],
    "say of all rows alike of how many they were drawn, as {.val 40 of 90} in the column {.field drawn}"
  )
  row <- unique(checks$asked)
  check(
    length(row) == size[1], "have all rows that were drawn",
    c(x = "It has {length(row)} of {size[1]}. Where nothing can be said, leave the {.field label} empty.")
  )
  among <- utils::head(ranked, size[2])
  check(
    size[2] <= length(ranked) && !anyDuplicated(ranked) && all(row %in% among),
    "be drawn of the {size[2]} most suspicious rows of this fit",
    c(x = "Not among them: {.val {few(setdiff(row, among))}}.")
  )
  label <- checks$label[match(row, checks$row)]
  open <- is.na(label)
  wrong <- !open & label != label_code(data)[match(row, data$rows)]
  list(row = row, wrong = wrong, open = open, among = among)
}

#' @return what is then known of a draw: `NULL`
#' @noRd
inform_draw_left <- function(data) {
  if (!is.null(data$drawn)) {
    inform_sturdy(
      c(i = "These rows were not drawn at random: from now on rows are called wrong by the model, and no
             more by the {length(data$drawn$row)} that were."),
      "draw_left"
    )
  }
}

#' How many labels are wrong among the rows drawn of, apart from those that were found: all numbers that
#' so many found do not contradict, by the hypergeometric distribution
#' @return list(lower, upper, rows: that were not checked; checks, among, found)
#' @noRd
drawn_count <- function(drawn, level) {
  among <- length(drawn$among)
  checks <- length(drawn$row)
  left <- among - checks
  found <- sum(drawn$wrong)
  wrong <- seq(0, among) # so many may be wrong among them
  few <- stats::phyper(found + sum(drawn$open), wrong, among - wrong, checks)
  many <- stats::phyper(found - 1, wrong, among - wrong, checks, lower.tail = FALSE)
  ends <- range(wrong[pmin(few, many) > (1 - level) / 2]) - found
  list(
    lower = max(ends[1], 0), upper = min(ends[2], left), rows = left, checks = checks, among = among, found = found
  )
}
