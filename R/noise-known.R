# What is known of the labels of a table, as reports beside the molded rows: the label of a
# row; rows whose labels are trusted; the group (clinic, annotator, batch) that decides
# which flip rate a row has; labels that were looked up.

#' Put what is known of the labels beside the molded rows
#'
#' @param molded as of mold_formula() or mold_xy(). @param trusted,rates values given, of
#'   the data as given, `NULL` for what was known before.
#' @return `molded`, its `data` with `reports` and, with rates by group, `source`: that of
#'   the label of each row, also where it is trusted.
#' @noRd
with_known <- function(molded, trusted, rates) {
  molded <- with_reports(molded)
  data <- molded$data
  reports <- data$reports
  if (!has_one_label(reports)) {
    check_no_rates_beside(reports, trusted, rates)
    return(molded)
  }
  known <- report_known(reports)
  before <- recorded_before(reports)
  if (!is.null(trusted)) {
    known <- seq_along(known) %in% c(fit_place(data, trusted_rows(trusted, data)), before$row)
    data$drawn <- inform_draw_left(data)
  }
  sources <- reports$sources
  if (!is.null(rates)) {
    molded$blueprint["groups"] <- list(NULL) # see with_groups()
    groups <- check_rates(rates, data)
    check_units_share(data, rates, "rates")
    check_groups_shared(groups)
    data$source <- as.integer(groups)
    sources <- levels(groups)
  }
  molded$data <- known_reports(data, known, before, sources)
  molded
}

#' Rows with a report of the label of each, of its source or, where it is known, certain; and what had been
#' recorded of checked ones
#' @noRd
known_reports <- function(data, known, before, sources) {
  code <- label_code(data)
  source <- if (is.null(data$source)) rep(1L, length(code)) else data$source
  data$reports <- with_times(new_reports(
    length(code), data$reports$classes, c(seq_along(code), before$row),
    c(replace(source, known, 0L), source[before$row]), c(code, before$value), sources
  ), data$reports$times)
  data
}

#' Labels that were looked up, in the place of those recorded, and trusted
#'
#' What had been recorded is kept: with the true class it tells of the flip rates, and rows
#' are chosen for a check because they look wrong.
#' @param id see row_ids().
#' @return `molded`, its `data` with the labels that are right, and the reports of before.
#' @noRd
with_checked <- function(molded, checked, id, ranked) {
  data <- molded$data
  reports <- data$reports
  levels <- molded$blueprint$levels
  checked <- check_checked(checked, data, levels, id)
  data$drawn <- drawn_checks(checked, data, ranked)
  # all copies of a row that subset repeated
  at <- which(data$rows %in% checked$row)
  label <- label_codes(checked$label[match(data$rows[at], checked$row)], levels)
  inform_checked(checked$row, data$rows[at[label != data$y[at]]])
  data$y[at] <- label
  # in the place of what was right for certain before: labels that were trusted say nothing of the rates
  kept <- reports$source > 0L | !reports$row %in% at
  row <- c(at, reports$row[kept])
  source <- c(integer(length(at)), reports$source[kept])
  order <- order(row, source) # one check after the other, or both at once, lead to one table
  data$reports$row <- row[order]
  data$reports$source <- source[order]
  data$reports$value <- c(label_code(data)[at], reports$value[kept])[order]
  if (has_soft(reports)) {
    certain <- matrix(NA_real_, length(at), reports$classes)
    data$reports$soft <- rbind(certain, reports$soft[kept, , drop = FALSE])[order, , drop = FALSE]
  }
  molded$data <- data
  molded
}

#' What readers, and probabilities, have in the place of other arguments
#' @noRd
check_no_rates_beside <- function(reports, trusted, rates) {
  soft <- has_soft(reports)
  instead <- if (soft) {
    "labels are probabilities: those of rows that are certain are 0 and 1"
  } else if (!is.null(trusted)) {
    "there are {.fn readers}: their argument {.arg gold} has the true classes that are known"
  } else {
    "there are {.fn readers}: each of them has rates of their own"
  }
  arg <- if (is.null(trusted)) "rates" else "trusted"
  must(
    is.null(trusted) && is.null(rates), arg, paste("be left out where", instead),
    c(if (soft) "soft_labels" else "readers", arg)
  )
}

#' What was recorded of rows before a check told their class
#' @return list(row, value)
#' @noRd
recorded_before <- function(reports) {
  at <- reports$source > 0L & report_known(reports)[reports$row]
  list(row = reports$row[at], value = reports$value[at])
}

#' Molded rows with what is known of them, by arguments as the user wrote them, evaluated in the data
#' @param known list(units, trusted, rates, weights)
#' @noRd
known_in <- function(molded, data, known, formula = NULL) {
  env <- if (is.null(formula)) rlang::caller_env() else environment(formula)
  value <- function(name) eval_known(known[[name]], data, env, name)
  inform_known_inputs(known[c("units", "trusted", "weights")], molded$blueprint)
  units <- value("units")
  if (is.null(units)) inform_units(data, molded)
  molded <- with_units(molded, units, unit_name(known$units))
  molded <- with_known(molded, value("trusted"), value("rates"))
  inform_contradictions(molded)
  with_groups(with_weights(molded, value("weights")), known$rates, data, env)
}

#' What units are called: their variable, where it is one
#' @noRd
unit_name <- function(units) {
  name <- if (is.language(units)) all.vars(units)
  if (length(name) == 1 && !name %in% id_taken) name else "unit"
}

#' What is known of labels says nothing of the classes, and is an input by a slip: `y ~ .` has it
#' @noRd
inform_known_inputs <- function(known, blueprint) {
  read <- unlist(lapply(known, function(expr) if (is.language(expr)) all.vars(expr)))
  inform_these("known_inputs", c(
    i = "{qty(length(these))}Column{?s} {.val {these}} of {.arg units}, {.arg trusted} or {.arg weights} {?is an
         input/are inputs}, too.",
    i = "If {qty(length(these))}{?it says/they say} nothing of the class, leave {?it/them} out: {.code y ~ . - {these[1]}}."
  ), columns = intersect(unique(read), blueprint$columns))
}

#' How groups are computed from columns of the data, so that they can be of new rows
#' @param rates as the user wrote it, where that can be told.
#' @return `molded`, its blueprint with groups: list(formula, variables), where they are.
#' @noRd
with_groups <- function(molded, rates, data, env) {
  # a variable beside the data may hold a formula
  beside <- is.data.frame(data) && is.name(rates) && !as.character(rates) %in% names(data)
  if (beside) rates <- eval(rates, env)
  if (!is.data.frame(data) || !is.language(rates)) {
    return(molded)
  }
  if (!rlang::is_formula(rates)) rates <- call("~", rates)
  formula <- stats::as.formula(rates, env)
  variables <- data_variables(formula, data)
  if (length(variables)) {
    molded$blueprint$groups <- list(formula = strip_environment(formula), variables = variables)
  }
  molded
}

#' The groups of new rows, as numbers of the sources of a fit
#' @param rates as the user gave it. @param rows which of the new ones.
#' @noRd
new_groups <- function(object, newdata, rates, rows) {
  sources <- object$data$reports$sources
  if (length(sources) < 2) {
    must(is.null(rates), "rates", "be left out: the fit has no groups of rows", "unknown_argument")
    return(rep(1L, length(rows)))
  }
  if (is.null(rates)) {
    groups <- object$blueprint$groups
    must(
      !is.null(groups), "rates", "be given along with {.arg newdata}: those of the fit were no
       columns of its data", "missing_argument"
    )
    check_new_columns(newdata, groups$variables, "newdata", "the groups")
    rates <- groups$formula
  }
  data <- list(rows = rows, n_given = nrow(newdata))
  said <- as.character(check_rates(eval_known(rates, newdata, rlang::caller_env(), "rates"), data))
  unknown <- setdiff(said, sources)
  must(
    !length(unknown), "rates", "be groups of the fit", "rates",
    more = c(x = "Others: {.val {few(unknown)}}.", i = "Groups: {.val {few(sources)}}.")
  )
  match(said, sources)
}

reports_most <- 200L # of a row: the likelihood of its class, their product, must be a double

#' Molded rows with the table of reports on them, one of each label where there is none yet
#' @noRd
with_reports <- function(molded) {
  data <- molded$data
  if (!is.null(data$reports)) {
    return(molded)
  }
  classes <- max(2L, length(molded$blueprint$levels))
  n <- length(data$y)
  said <- data$said
  data$said <- NULL
  data$reports <- if (is.null(said)) {
    label_reports(class_numbers(data$y, classes), classes)
  } else {
    most <- max(tabulate(said$row), 0)
    must(most <= reports_most, "...", "be at most {reports_most} labels of a row, not {most}", "readers")
    new_reports(
      n, classes, said$row, said$source, said$value, said$sources, readers = is.null(said$soft), soft = said$soft
    )
  }
  molded$data <- data
  molded
}
