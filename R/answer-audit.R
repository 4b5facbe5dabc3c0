# Labels kept watch over: two versions of a table, or a fit and a batch. Rows are matched by what they are called, and what
# came in is judged by scores that it had no part in where the earlier fit gives them, with rates of its own beside those
# of what was there [M 13.10].

audit_alarm <- 2L # exit status: R's own, of an error, is 1

#' Watch over labels: what changed, and is it worse?
#'
#' Two versions of a table, or a fit and a batch of further rows: which labels changed, which of them and of the new ones look
#' wrong, how often labels were wrong before and are wrong now, and whether that is more. For a person, and, by its exit status,
#' for the check of a pull request.
#'
#' @details
#' Rows are matched by `id`, or by the names of the rows where both tables have any. Then rows with the same label are what
#' was there before, and those whose label changed, or that are new, are what came in. Without names, or if none match, all rows of `new`
#' are a batch beside the old ones, as a message says.
#'
#' The fit to `old` gives scores to all rows: to its own without their labels, to new ones by prediction, so that what came in
#' has no part in what it is judged by. (If `new` is a fit, its own scores without the labels are taken.) On these scores a
#' label stage is learned ([wrong-labels]) with a rate of wrong labels for what was there before and one for what came in, or for
#' each group of it (`by`). There is an **alarm** if, given all labels, the rate of what came in is higher with a
#' probability of at least `alarm`. Inputs of rows that were there before are those of `old`; only labels are compared.
#'
#' # In a pull request
#' ```
#' Rscript -e 'sturdy::audit("old.csv", "new.csv", class ~ . - record, id = "record", quit = TRUE)'
#' ```
#' prints the result and ends R with status 0, or 2 for an alarm; 1 is an error. `label_report(fit, "report.html", since = old)`
#' makes a page.
#'
#' @param old What was there before: a fit by [gpc()], [stc()], [second_stage()] or, by EP, [bpm()]; a data frame; or the name of a
#'   CSV file.
#' @param new What is there now, or comes in: a data frame or CSV file, with the same columns; or a fit.
#' @param formula The formula of the fit by [gpc()], where neither is one.
#' @param id The name of the column of the tables by which rows are matched. A fit has the names of its rows.
#' @param by Groups of what came in, each with a rate: the name of a column of `new`, or a vector for its rows.
#' @param fdr The false-discovery rate at which labels that came in are called wrong.
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default); all of them hold at once.
#' @param alarm The probability of a higher rate from which there is an alarm (0.8 by default: of 48
#'   clean batches, whose rate is no higher, one comes to it).
#' @param quit Print the result and end R with its status?
#' @param labels The labels of `new`, for an `old` that was fitted from `x` and `y`, or to scores.
#' @param ... Arguments of [gpc()], where neither is a fit.
#' @return A list of class `sturdy_audit`: `alarm`, and the exit `status`, 0 or 2; `higher`, the probability that the rate is
#'   higher; `counts`, how many labels were `kept`, `changed`, `added` and `removed`; `rates`, a data frame with the groups `before` and what came
#'   in, as [group_rates()] has it, where `higher` is against `before`; `suspects`, a data frame of the labels called wrong, with `row` (the position in `new`),
#'   `id` where rows have names, `label`, `was` (the label before, where it changed), `probability` of being wrong and `suggested`;
#'   `changed`, the same columns of all labels that changed, and `was_right`, the probability that the label before was right.
#' @section Conditions:
#' Errors: `sturdy_error_id` for a column that is not there or does not tell rows apart; `sturdy_error_by` for groups that are not those of the rows;
#' `sturdy_error_missing_argument` without a formula where one is needed; `sturdy_error_file`; those of [predict()][predict.sturdy_model] for columns and
#' classes that the fit does not know; `sturdy_error_no_sites` for fits that keep no rows, those to [shards()] included.
#' Message `sturdy_message_unmatched`: all rows of `new` are a batch.
#' @seealso [group_rates()], [label_report()], [mislabelled()]
#' @order 1
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(160), b = rnorm(160))
#' d$class <- factor(d$a + d$b > 0, labels = c("no", "yes"))
#' fit <- bpm(class ~ ., d[1:100, ])
#' batch <- d[101:160, ]
#' batch$class <- flip_labels(batch$class, 0.15, seed = 1)
#' audit(fit, batch)
audit <- function(old, new, formula = NULL, id = NULL, by = NULL, fdr = 0.1, level = 0.9, alarm = 0.8, quit = FALSE,
                  labels = NULL, ...) {
  fdr <- check_number(fdr, "fdr", min = 0, max = 1)
  level <- check_level(level)
  alarm <- check_number(alarm, "alarm", min = 0, max = 1)
  check_flag(quit, "quit")
  old <- audit_side(old, id, "old")
  new <- audit_side(new, id, "new")
  if (is.data.frame(new$given) && is.data.frame(old$given)) {
    check_given(is.null(formula), "formula")
    fit <- gpc(formula, old$given, ...)
    old <- list(given = fit, key = old$key[fit$data$rows])
  } else check_no_dots(...)
  result <- audit_compared(old, new, level, by, fdr, alarm, labels)
  if (quit) {
    print(result)
    leave(result$status)
  }
  result
}

#' @param old,new see audit_side(); at most one is a table.
#' @noRd
audit_compared <- function(old, new, level, by = NULL, fdr = 0.1, alarm = 0.8, labels = NULL) {
  rows <- if (is.data.frame(new$given)) audit_table(old, new, labels) else audit_fits(old, new)
  groups <- audit_groups(rows, new$given, by)
  judge <- audit_judge(rows$stage, groups)
  said <- node_truth(judge)
  came <- audit_listed(rows, judge, said)
  changed <- !is.na(came$was)
  counts <- c(kept = sum(!rows$came), changed = sum(changed), added = sum(!changed), removed = rows$removed)
  suspects <- came[seq_len(sum(false_share(came$probability) <= fdr)), names(came) != "was_right"]
  rates <- audit_rates(judge, said, groups, level)
  alarm <- isTRUE(rates$higher >= alarm)
  found <- list(counts = counts, suspects = suspects, changed = came[changed, ])
  verdict <- list(alarm = alarm, status = if (alarm) audit_alarm else 0L, fdr = fdr, level = level)
  structure(c(found, rates, verdict), class = "sturdy_audit")
}

leave <- function(status) quit(save = "no", status = status)

# Both sides ---------------------------------------------------------------------------

#' A fit or a table, and what its rows are called, or `NULL`
#' @return list(given, key)
#' @noRd
audit_side <- function(given, id, side) {
  check_given(missing(given), side)
  if (rlang::is_string(given)) given <- audit_file(given, side)
  if (is.data.frame(given)) return(list(given = given, key = audit_key(given, id, side)))
  fit <- if (inherits(given, "sturdy_model")) given else own_fit(given, side)
  must(!is.null(fit), side, "be a fit, a data frame, or the name of a CSV file", got = given)
  check_model(fit)
  check_label_each(fit)
  list(given = fit, key = id_text(row_ids(fit$data)$value))
}

audit_file <- function(file, side) {
  must(file.exists(file), side, "be a fit, a data frame, or the name of a CSV file that there is", "file", got = file)
  trying(
    utils::read.csv(file, check.names = FALSE, stringsAsFactors = TRUE), "{.file {file}} can't be read as a CSV file.", "file", arg = side
  )
}

#' What the rows of a table are called: by a column, or by the names that they were given
#' @noRd
audit_key <- function(table, id, side) {
  must(is.null(id) || is_one_of(id, names(table)), "id", "be a column of {.arg {side}}", "id", got = id)
  key <- if (!is.null(id)) id_text(table[[id]]) else if (.row_names_info(table) > 0) row.names(table)
  must(
    !anyDuplicated(key) && !anyNA(key), "id", "tell all rows of {.arg {side}} apart", "id",
    more = c(x = "Twice, or missing: {.val {few(unique(key[duplicated(key) | is.na(key)]))}}.")
  )
  key
}

# Their rows ---------------------------------------------------------------------------

#' Which of the old rows each of n new ones is, or `NA`
#' @noRd
audit_match <- function(old, new, n) {
  at <- if (length(old) && length(new)) match(new, old) else rep(NA_integer_, n)
  if (all(is.na(at))) {
    inform_sturdy(c(
      i = "No rows are matched: all rows of {.arg new} are taken for further ones.",
      i = "If it is another version of {.arg old}, {.arg id} names the column that tells rows apart; of a fit
           that is the names of its rows."
    ), "unmatched")
  }
  at
}

#' Scores of a fit without the labels of their rows, and what it takes to judge labels by them
#' @noRd
audit_scores <- function(object) {
  own <- scores_of(object)
  stage <- judged_by(object)
  given <- is.null(stage$recalibration)
  list(
    data = own$data, blueprint = own$blueprint, ordered = is_in_order(object),
    kind = if (given) own_kind(object) else stage$recalibration$kind,
    spec = if (given) second_stage_spec(noise = object$spec$noise) else stage$spec
  )
}

# Rows to be judged are list(stage: see audit_scores(), its data those of the rows; was: code of the label
# before, `NA` where it is the same or there was none; position: in `new`, `NA` of a row that is not there; key,
# named: what they are called, and whether they are; came: which came in; removed: how many old rows are no more)

#' A fit to what was there, and a table: what is kept comes first, then what came in
#' @noRd
audit_table <- function(old, new, labels) {
  object <- old$given
  stage <- audit_scores(object)
  own <- stage$data
  rows <- forge_labelled(object$blueprint, new_scores(new$given, object$blueprint), labels, stats::na.omit, y_arg = "labels")
  code <- label_code(list(y = rows$y, reports = own$reports))
  key <- new$key[rows$rows]
  place <- audit_match(old$key, key, length(code))
  was <- label_code(own)[place]
  came <- is.na(was) | was != code
  batch <- all(is.na(place)) # of further rows alone: all old ones are what was there
  kept <- if (batch) seq_along(own$y) else place[!came]
  scores <- own$X[place[came], , drop = FALSE] # of an old row, or a prediction
  added <- is.na(place[came])
  X <- rows$X[is.na(place), , drop = FALSE]
  if (any(added)) scores[added, ] <- label_stage_rows(object, within_reach(X))
  stage$data <- audit_data(data_of(own, kept), scores, code[came], stage$blueprint$levels)
  list(
    stage = stage, was = c(rep(NA, length(kept)), was[came]),
    position = rows$rows[c(if (batch) rep(NA, length(kept)) else which(!came), which(came))],
    key = c(own$row_names[kept], key[came]), named = length(key) > 0,
    came = rep(c(FALSE, TRUE), c(length(kept), sum(came))),
    removed = if (batch) 0L else length(own$y) - sum(!is.na(place))
  )
}

#' Two fits, or a table that was there and a fit: its own scores judge all of its rows
#' @noRd
audit_fits <- function(old, new) {
  stage <- audit_scores(new$given)
  code <- label_code(stage$data)
  place <- audit_match(old$key, new$key, length(code))
  before <- audit_labels(old$given, new$given$blueprint$response)
  was <- match(before[place], stage$blueprint$levels)
  came <- is.na(was) | was != code
  order <- order(came)
  stage$data <- data_of(stage$data, order)
  list(
    stage = stage, was = replace(was, !came, NA)[order], position = stage$data$rows,
    key = stage$data$row_names, named = length(new$key) > 0, came = came[order],
    removed = length(before) - sum(!is.na(place))
  )
}

#' The labels of what was there, as text
#' @param response the column that has them in a table.
#' @noRd
audit_labels <- function(given, response) {
  if (!is.data.frame(given)) {
    return(given$blueprint$levels[label_code(given$data)])
  }
  response <- c(response, "")[1]
  must(is_one_of(response, names(given)), "old", "have the column {.val {response}}, the labels of the fit", "column_names")
  as.character(given[[response]])
}

#' Rows of scores with others beside them, whose labels are reported
#' @noRd
audit_data <- function(data, X, code, levels) {
  n <- length(data$y)
  more <- seq_along(code)
  reports <- data$reports
  times <- if (length(reports$times)) c(reports$times, rep(1, length(code)))
  both <- new_reports(
    n + length(code), reports$classes, c(reports$row, n + more), c(reports$source, rep(1L, length(code))),
    c(reports$value, code), reports$sources
  )
  list(X = rbind(data$X, X), y = c(data$y, label_codes(code, levels)), reports = with_times(both, times))
}

#' Groups of all rows: what was there before, and those of what came in
#' @noRd
audit_groups <- function(rows, table, by) {
  groups <- rep("came in", length(rows$came))
  if (!is.null(by)) {
    if (is.data.frame(table) && is_one_of(by, names(table))) by <- table[[by]]
    must(
      is.atomic(by) && length(by) >= max(rows$position, na.rm = TRUE) && length(by) > 1, "by",
      "be a column of {.arg new}, or a group for each of its rows", "by", got = by
    )
    groups <- as.character(by)[rows$position]
    must(
      !anyNA(groups[rows$came]) && !any(groups[rows$came] == "before"), "by",
      "have no missing values, and no group that is called {.val before}", "by"
    )
  }
  groups[!rows$came] <- "before"
  factor(groups, c(if (!all(rows$came)) "before", unique(sort(groups[rows$came]))))
}

# What is said of them -----------------------------------------------------------------

#' What came in, the most suspicious first
#' @return a data frame, see `changed` of audit()
#' @noRd
audit_listed <- function(rows, judge, said) {
  found <- suspicion(judge, said, NULL)
  place <- match(found$row, judge$data$rows)
  levels <- judge$blueprint$levels
  was <- rows$was[place]
  p <- mean_over(said$p, said$weight)
  ids <- if (rows$named) list(name = "id", value = rows$key[place])
  listed <- data.frame(
    with_ids(rows$position[place], ids), label = found$label, was = class_factor(was, levels),
    found[c("probability", "suggested")], was_right = p[cbind(place, was)], row.names = NULL
  )
  listed[rows$came[place], ]
}

#' A label stage with a rate for each group
#' @noRd
audit_judge <- function(stage, groups) {
  n <- length(groups)
  rows <- list(rows = seq_len(n), row_names = as.character(seq_len(n)), n_given = n, source = as.integer(groups))
  data <- c(stage$data[c("X", "y", "reports")], rows)
  before <- recorded_before(data$reports)
  before <- lapply(before, `[`, groups[before$row] == "before") # what came in was recorded elsewhere
  data <- known_reports(data, report_known(data$reports), before, levels(groups))
  new_second_stage(stage$spec, list(blueprint = stage$blueprint, data = data), stage$kind, stage$ordered)
}

audit_rates <- function(judge, said, groups, level) {
  at <- point_wrong(judge, said, groups)
  came <- at$wrong[-1, , drop = FALSE]
  rows <- at$rows[-1]
  before <- levels(groups)[1] == "before"
  above <- function(rate) sum(said$weight * (rate > at$wrong[1, ] / at$rows[1])) # P(it is above that before)
  each <- if (before) c(NA, apply(came / rows, 1, above)) else NA_real_
  list(
    higher = if (before && nrow(came)) above(colSums(came) / sum(rows)) else NA_real_,
    rates = group_table(group_counts(judge, said, groups), groups, level, each)
  )
}
