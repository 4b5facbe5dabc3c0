# What is known about labels beside the labels: rows whose labels are trusted, and the
# group (clinic, annotator, batch) that decides which flip rate a row has.

#' Positions of trusted rows in the data given
#' @noRd
trusted_rows <- function(trusted, data) {
  n <- data$n_given
  if (is.logical(trusted) && length(trusted) == n) {
    # of units data$rows are the first ones
    check_none_missing(intersect(which(is.na(trusted)), c(data$rows, data$units$rows)), "trusted", "trusted")
    trusted <- which(trusted)
  }
  indicator <- are_numbers(trusted) && length(trusted) == n && n > 1 && all(trusted %in% 0:1)
  must(
    are_numbers(trusted) && !indicator &&
      all(trusted == round(trusted) & trusted >= 1 & trusted <= n),
    "trusted", "be logical with an entry for each of the {n} row{?s} of the data, without
     missing values, or positions of rows", "trusted", got = trusted,
    more = c(i = if (indicator) "For an indicator of 0 and 1: {.code trusted = (x == 1)}.")
  )
  as.integer(trusted)
}

check_rates <- function(rates, data) {
  droplevels(as.factor(one_for_each(rates, data, "rates", "the group", "~ clinic")))
}

#' Rates are of groups: identifiers and measurements have a value of their own in every row
#' @noRd
check_groups_shared <- function(rates) {
  alone <- sum(tabulate(rates) == 1)
  must(
    alone <= max(length(rates) / 2, 10), "rates", "be groups of rows", "rates",
    more = c(
      x = "{alone} of {length(rates)} rows are alone in their group.",
      i = "A rate of its own can't be told for a single row: join small groups, and numbers by
           {.fn cut}."
    )
  )
}

#' Evaluate an argument in the data, as subset is
#' @noRd
eval_known <- function(expr, data, env, arg) {
  failed <- "{.arg {arg}} can't be evaluated."
  value <- trying(eval(expr, if (is.data.frame(data)) data, env), failed, arg, arg = arg)
  if (!inherits(value, "formula")) {
    return(value)
  }
  must(length(value) == 2, arg, "be a one-sided formula such as {.code ~ clinic}", arg)
  # what the formula computes, not the columns it reads; functions are those of its writer
  variables <- as.list(attr(trying(stats::terms(value), failed, arg, arg = arg), "variables"))[-1]
  home <- environment(value)
  if (is.null(home)) home <- env
  parts <- lapply(variables, function(expr) eval_known(expr, data, home, arg))
  if (!length(parts)) {
    return(NULL)
  }
  if (arg == "trusted" && length(parts) == 1) {
    return(parts[[1]])
  }
  vectors <- vapply(parts, function(v) is.atomic(v) && is.null(dim(v)), NA)
  must(
    all(vectors) && length(unique(lengths(parts))) == 1, arg,
    "be a vector with an entry for each row of the data", arg,
    of = "Every variable of the formula {.arg {arg}}"
  )
  interaction(parts, drop = TRUE, sep = ", ")
}

