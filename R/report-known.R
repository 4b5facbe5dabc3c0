# What is known of the labels of a table: its reports, beside the molded rows. The label of
# a row; rows whose labels are trusted; the group (clinic, annotator, batch) that decides
# which flip rate a row has; labels that were looked up.

#' Put what is known of the labels beside the molded rows
#'
#' @param molded as of mold_formula() or mold_xy(). @param trusted,rates values given, of
#'   the data as given. @return `molded`, its `data` with `group` (an integer a row, 0 where
#'   trusted), `groups` (names, `NULL` without) and, with groups, `home` (the group also of
#'   trusted rows), if anything was given; and with the `reports` on all rows.
#' @noRd
with_known <- function(molded, trusted, rates, call) {
  data <- molded$data
  if (is.null(trusted) && is.null(rates)) {
    return(with_reports(molded))
  }
  known <- if (is.null(data$group)) logical(length(data$y)) else data$group == 0
  if (!is.null(trusted)) {
    known <- data$rows %in% trusted_rows(trusted, data, call)
    if (!is.null(data$recorded)) known <- known | !is.na(data$recorded)
  }
  if (!is.null(rates)) {
    rates <- check_rates(rates, data, call)
    group <- as.integer(rates)
    groups <- levels(rates)
  } else {
    group <- if (is.null(data$home)) rep(1L, length(data$y)) else data$home
    groups <- data$groups
  }
  if (!is.null(groups)) molded$data$home <- group
  group[known] <- 0L
  molded$data$group <- group
  molded$data["groups"] <- list(groups)
  with_reports(molded)
}

#' Labels that were looked up, in the place of those recorded, and trusted
#'
#' What had been recorded is kept: with the true class it tells of the flip rates, and rows
#' are chosen for a check because they look wrong.
#' @return `molded`, its `data` with `recorded`: codes of checked rows, `NA` elsewhere.
#' @noRd
with_checked <- function(molded, checked, call) {
  data <- molded$data
  levels <- molded$blueprint$levels
  checked <- check_checked(checked, data$rows, levels, call)
  # all copies of a row that subset repeated
  at <- which(data$rows %in% checked$row)
  label <- label_codes(checked$label[match(data$rows[at], checked$row)], levels)
  if (is.null(data$group)) data$group <- rep(1L, length(data$y))
  if (is.null(data$recorded)) data$recorded <- rep(NA_real_, length(data$y))
  inform_checked(checked$row, data$rows[at[label != data$y[at]]])
  new <- at[data$group[at] > 0] # labels that were trusted say nothing of the rates
  data$recorded[new] <- data$y[new]
  data$y[at] <- label
  data$group[at] <- 0L
  molded$data <- data
  with_reports(molded)
}

#' The same with arguments as the user wrote them, evaluated in the data
#' @noRd
known_in <- function(molded, data, trusted, rates, formula = NULL,
                     call = rlang::caller_env()) {
  env <- if (is.null(formula)) call else environment(formula)
  with_known(
    molded, eval_known(trusted, data, env, "trusted", call),
    eval_known(rates, data, env, "rates", call), call
  )
}

#' Molded rows with the table of reports on them
#' @noRd
with_reports <- function(molded) {
  data <- molded$data
  classes <- max(2L, length(molded$blueprint$levels))
  code <- function(y) if (classes == 2) 1 + (y > 0) else y
  source <- if (is.null(data$group)) 1L else data$group
  home <- if (is.null(data$home)) rep(1L, length(data$y)) else data$home
  checked <- which(!is.na(data$recorded))
  molded$data$reports <- new_reports(
    length(data$y), classes,
    row = c(seq_along(data$y), checked),
    source = c(rep_len(source, length(data$y)), home[checked]),
    value = code(c(data$y, data$recorded[checked])),
    sources = if (is.null(data$groups)) "label" else data$groups
  )
  molded
}
