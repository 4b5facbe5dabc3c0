# Scores of a classifier and labels -> the rows of a fit: probabilities by class, those of rows
# that lack one left out, classes in the order of the levels.

scores_most <- 1000L  # classes
scores_off <- 0.02    # that the sum of a row may be off 1, by rounding
scores_least <- 0.02  # a score of 0 is half the least above it, and half of this at most
score_prefix <- "^([.]pred_|prob[.])" # of the names of columns, as tidymodels and mlr3 have them

#' Probabilities and labels as molded rows, see mold_formula()
#' @noRd
mold_scores <- function(prob, labels) {
  prob <- score_table(prob, "prob")
  n <- nrow(prob)
  check_rows(n, n)
  labels <- one_a_row(labels, n, "labels", "prob")
  must(
    is.atomic(labels) && is.null(dim(labels)), "labels",
    "be a vector or a factor", "outcome_type", got = labels
  )
  names <- row_names_of(prob)
  rownames(prob) <- NULL
  missing <- which(is.na(labels) | rowSums(is.na(prob)) > 0)
  rows <- setdiff(seq_len(n), missing)
  check_rows(length(rows), n)
  inform_lost_rows(data.frame(labels = labels, prob = I(prob)), length(rows))
  prob <- prob[rows, , drop = FALSE]
  labels <- labels[rows]
  if (ncol(prob) == 1) prob <- event_columns(prob, score_levels(labels, 2L))
  prob <- score_classes(prob, labels)
  levels <- colnames(prob)
  inform_levels(factor(levels, levels), levels, "labels")
  inform_absent(labels, levels)
  inform_reversed(prob, labels)
  floor <- min(prob[prob > 0], scores_least) / 2 # what stands for a score of 0
  molded <- list(
    data = list(X = score_rows(prob, floor, "prob")), blueprint = score_blueprint(levels, floor)
  )
  code <- label_codes(match(as.character(labels), levels), levels)
  table <- list(rows = seq_len(n), names = names, na_action = as_omitted(missing, names), n_given = n)
  with_labels(molded, list(y = code), table, rows)
}

#' Classes that have scores, and no labels
#' @noRd
inform_absent <- function(labels, levels) {
  shown <- unique(as.character(labels))
  inform_these(
    "one_class",
    c(i = "{length(labels)} label{?s} {?is/are all} {.val {these}}: with none of another class, nothing
           tells wrong labels from scores that lean to one side."),
    class_shown = if (length(shown) == 1) shown
  )
  inform_these(
    "absent_class",
    c(i = "No label is {.or {.val {these}}}, {qty(length(these))}{?a class/classes} of {.arg prob}."),
    levels = if (length(shown) > 1) setdiff(levels, shown)
  )
}

#' How scores are encoded: as they are
#' @noRd
score_blueprint <- function(levels, floor) {
  structure(list(
    interface = "matrix", named = TRUE, variables = levels, levels = levels,
    coding = lapply(rlang::set_names(levels), function(class) number_coding(0, 1)),
    columns = levels, all_columns = levels, floor = floor
  ), class = "sturdy_blueprint")
}

#' Scores as a matrix of doubles with a column for each class, or one for the event alone
#' @noRd
score_table <- function(prob, arg) {
  if (is.data.frame(prob)) {
    prob <- prob[!names(prob) %in% ".pred_class"] # which predict() of tidymodels has beside them
    odd <- names(prob)[!vapply(prob, is.numeric, NA)]
    must(
      !length(odd), arg, "have a numeric column for each class and no other", "column_type",
      more = c(x = "Not numeric: {.val {few(odd)}}.")
    )
    prob <- as.matrix(prob)
  }
  must(
    is.numeric(prob) && !is.factor(prob) && length(dim(prob)) %in% c(0, 2), arg,
    "be a numeric matrix or data frame with a column for each class, or a numeric vector for the
     event", got = prob
  )
  storage.mode(prob) <- "double"
  as.matrix(prob)
}

#' Scores of the event as two columns, with the names of the classes where that of the event is
#' known: it need not be the second
#' @param prob one column. @param classes the two.
#' @noRd
event_columns <- function(prob, classes) {
  event <- score_names(colnames(prob))
  known <- length(event) == 1 && event %in% classes && length(classes) == 2
  columns <- if (known) c(setdiff(classes, event), event)
  matrix(c(1 - prob, prob), ncol = 2, dimnames = list(rownames(prob), columns))
}

#' Scores of the event by an object that holds labels, too: which of the classes, as the user calls
#' them, that is
#' @param own the labels of the object, 0 and 1 or a factor, or `NULL`.
#' @noRd
with_event <- function(prob, own, labels) {
  if (is.null(own) || !is.null(dim(prob)) || length(own) != length(labels) || !is.atomic(labels)) {
    return(prob)
  }
  pairs <- unique(data.frame(own, said = as.character(labels)))
  pairs <- pairs[stats::complete.cases(pairs), ]
  must(
    !anyDuplicated(pairs$own) && !anyDuplicated(pairs$said), "labels",
    "be the classes that {.arg prob} was fitted to, by these names or others", "outcome_levels",
    more = c(
      i = "For other labels give its probabilities as a column with the name of their class."
    )
  )
  event <- if (is.factor(own)) levels(own)[2] else 1
  matrix(prob, dimnames = list(names(prob), pairs$said[pairs$own == event]))
}

#' Columns in the order of the classes, and with their names
#' @return rows x classes
#' @noRd
score_classes <- function(prob, labels) {
  must(
    ncol(prob) <= scores_most, "prob",
    "have at most {scores_most} columns, one for each class, not {ncol(prob)}", "outcome_levels"
  )
  columns <- score_names(colnames(prob))
  if (is.null(columns)) {
    colnames(prob) <- nameless_classes(prob, labels)
    return(prob)
  }
  twice <- unique(columns[duplicated(columns)])
  must(
    !length(twice) && !anyNA(columns) && all(nzchar(columns)), "prob",
    "have columns with different names", "column_names"
  )
  unknown <- setdiff(unique(as.character(labels)), columns)
  must(
    !length(unknown), "labels", "be names of columns of {.arg prob}",
    c("novel_levels", "outcome_levels"), more = c(
      x = "Without a column: {.val {few(unknown)}}.", i = "Columns: {.val {few(columns)}}.",
      i = if (!is.character(labels) && !is.factor(labels)) {
        "Codes get names by {.code factor(labels, labels = )}."
      }
    ), levels = unknown
  )
  colnames(prob) <- columns
  same <- is.factor(labels) && setequal(levels(labels), columns)
  if (same) prob[, levels(labels), drop = FALSE] else prob
}

#' The classes of columns without names, which are in the order of the levels
#' @noRd
nameless_classes <- function(prob, labels) {
  must(
    !is.numeric(labels) || ncol(prob) != 2 || !all(labels == 1), "labels",
    "show both classes, or be a factor with both for levels", "outcome_levels",
    more = c(
      x = "All {length(labels)} {?is/are} 1: the event, where the other class is 0 or -1, or the
           first of 1 and 2?",
      i = "With names of classes for the columns of {.arg prob} one class is enough, too."
    )
  )
  levels <- score_levels(labels, ncol(prob))
  said <- unique(labels)
  must(
    length(levels) == ncol(prob), "prob", "have columns with the names of the classes",
    c("column_names", "outcome_levels"), more = c(
      x = "It has {ncol(prob)} column{?s} without names, and {.arg labels} {length(said)}
           {cli::qty(length(said))}class{?es}."
    )
  )
  levels
}

#' Scores of one of two classes that are lower where it is recorded are most often those of the other
#'
#' By the area under the ROC curve, P(score where it is recorded > score where it is not), three
#' standard errors below 1/2.
#' @noRd
inform_reversed <- function(prob, labels) {
  event <- colnames(prob)[2]
  recorded <- as.character(labels) == event
  yes <- sum(recorded)
  no <- sum(!recorded)
  area <- (mean(rank(prob[, 2])[recorded]) - (yes + 1) / 2) / no # NaN where all are of one class
  error <- sqrt((yes + no + 1) / (12 * yes * no))
  if (ncol(prob) == 2 && isTRUE(area < 0.5 - 3 * error)) {
    inform_sturdy(c(
      i = "The scores of {.val {event}} are lower where it is recorded than where it is not.",
      i = "Are they those of {.val {colnames(prob)[1]}}?"
    ), "reversed_scores", area = area)
  }
}

#' The classes of labels where columns do not say them
#' @noRd
score_levels <- function(labels, columns) {
  if (is.factor(labels)) {
    return(levels(if (nlevels(labels) == columns) labels else droplevels(labels)))
  }
  if (is.numeric(labels) && (columns != 2 || !length(two_codes(labels)))) {
    return(as.character(sort(unique(labels))))
  }
  plain <- is.numeric(labels) || is.logical(labels)
  levels(outcome_factor(if (plain) labels else as.character(labels), "labels"))
}

#' Rows that are probabilities, none of them 0: what stands for a 0 is below the others of its row
#' @param floor what stands for a 0 at most.
#' @noRd
score_rows <- function(prob, floor, arg) {
  outside <- which(rowSums(!(prob >= 0 & prob <= 1 + scores_off)) > 0)
  must(
    !length(outside), arg, "have probabilities, from 0 to 1", "prob", more = c(
      x = "Others in {qty(length(outside))}row{?s} {few(outside)}.",
      # of the event alone the other class has 1 less it
      i = if (all(prob[, ncol(prob)] >= 0 & prob[, ncol(prob)] <= 100)) {
        "Percentages become probabilities by {.code prob / 100}."
      },
      i = "Of log odds {.code plogis(x)} is the probability of the event, of logits of several
           classes {.code exp(x) / rowSums(exp(x))}, of log probabilities {.code exp(x)}."
    ), rows = outside
  )
  total <- rowSums(prob)
  off <- which(abs(total - 1) > scores_off)
  must(
    !length(off), arg, "have rows that sum to 1", "prob", more = c(
      x = "In {qty(length(off))}row{?s} {few(off)} the sum is {few(signif(total[off], 3))}.",
      i = "Counts and scores by class become probabilities by {.code prob / rowSums(prob)}."
    ), rows = off
  )
  zero <- which(prob == 0)
  least <- do.call(pmin, as.data.frame(replace(prob, zero, Inf)))
  prob[zero] <- pmin(floor, least / 2)[row(prob)[zero]]
  prob / rowSums(prob)
}

#' Further scores: those of the event alone as two columns, and columns by the names of classes
#' @noRd
new_scores <- function(newdata, blueprint) {
  if (is.null(blueprint$floor)) {
    return(newdata)
  }
  if (is.data.frame(newdata) && all(vapply(newdata, is.numeric, NA))) newdata <- as.matrix(newdata)
  if (length(dim(newdata)) == 1) newdata <- as.vector(newdata) # as table() counts
  if (is.numeric(newdata) && NCOL(newdata) == 1 && length(blueprint$levels) == 2) {
    newdata <- event_columns(as.matrix(newdata), blueprint$levels)
  }
  at <- match(blueprint$levels, sub(score_prefix, "", colnames(newdata)))
  if (!anyNA(at)) colnames(newdata)[at] <- blueprint$levels
  newdata
}

#' Names of columns without what packages put before those of the classes
#' @noRd
score_names <- function(columns) {
  if (length(columns) && all(grepl(score_prefix, columns))) sub(score_prefix, "", columns) else columns
}
