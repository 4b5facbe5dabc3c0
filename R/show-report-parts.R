# What a report says, each part a list of values for the slots of inst/report/page.html.

report_data <- function(object) {
  blueprint <- object$blueprint
  levels <- blueprint$levels
  rows <- label_counts(object)
  open <- length(object$data$unlabelled$at)
  left_out <- length(object$data$na_action) - open
  trusted <- sum(report_known(object$data$reports))
  order <- input_order(object)
  inputs <- blueprint$columns[order$place]
  dropped <- setdiff(blueprint$all_columns, blueprint$columns)
  table <- stats::setNames(data.frame(inputs, order$value[order$place]), c("input", order$what))
  share <- paste(format(100 * rows / sum(rows), digits = 2), "%")
  list(
    model = sub("^<[a-z]+> ", "", fit_title(object)),
    formula = if (!is.null(blueprint$formula)) used_formula(blueprint$formula, dropped),
    rows = whole(nobs(object)), input_count = count(length(inputs), "input"),
    left_out = if (left_out) paste(whole(left_out), "more", if (left_out == 1) "was" else "were"),
    unlabelled = if (open) paste(whole(open), "more", if (open == 1) "is" else "are"),
    trusted = if (trusted) whole(trusted),
    dropped = if (length(dropped)) toString(dropped),
    event = if (length(levels) == 2) levels[2],
    classes = html_table(data.frame(class = levels, rows = rows, share = share)),
    lengthscale = order$what == "lengthscale", scores = order$what == "mean score",
    weight = order$what == "size of the weight",
    more_inputs = if (length(inputs) > 12) length(inputs),
    inputs = html_table(utils::head(table, 12))
  )
}

formula_most <- 200L # letters

#' A formula as text, without the columns that were dropped; of a great many terms its left-hand side
#' @noRd
used_formula <- function(formula, dropped) {
  terms <- attr(stats::terms(formula), "term.labels")
  without <- paste(" -", terms[gsub("`", "", terms) %in% dropped], collapse = "", recycle0 = TRUE)
  text <- deparse1(formula)
  if (grepl(" - ", text, fixed = TRUE) || nzchar(without)) { # "(a + b) - b" is "a"
    text <- deparse1(stats::update(formula, paste(". ~ .", without)))
  }
  if (nchar(text) <= formula_most) text else paste(deparse1(formula[[2]]), "~ ...")
}

#' The fit and an earlier version, whose rows go by the identifiers of the page where it has these, too
#' @noRd
report_audit <- function(object, since, ids, level) {
  if (rlang::is_string(since)) since <- audit_file(since, "since")
  id <- if (is.data.frame(since) && is_one_of(ids$name, names(since))) ids$name
  if (is.null(id)) ids <- row_ids(object$data)
  audit_compared(audit_side(since, id, "since"), list(given = object, key = id_text(ids$value)), level)
}

#' What changed since an earlier version
#' @param x see audit().
#' @noRd
report_since <- function(x) {
  rows <- rbind(x$changed[names(x$suspects)], x$suspects)
  rows <- rows[!duplicated(rows$row), ]
  numbers <- function(table) {
    double <- vapply(table, is.double, NA)
    table[double] <- lapply(table[double], function(v) ifelse(is.na(v), "", two_digits(v)))
    html_table(table)
  }
  list(
    since = audit_counts(x), alarm = audit_words(x), since_rates = numbers(x$rates),
    since_rows = if (nrow(rows)) numbers(utils::head(rows, since_most))
  )
}
since_most <- 50L # rows that changed, or came in and are called wrong

#' Whether labels are wrong at all
#' @noRd
report_noise <- function(object, test) {
  if (is.null(test)) {
    return(list(
      certain = takes_labels_as_right(object), noise = describe_noise(judged_by(object), 3)
    ))
  }
  lines <- as.list(verdict_lines(test))
  names <- model_words(test$models$model, test$levels)
  after <- vapply(test$models$probability, bounded, "", two_digits)
  models <- data.frame("noise model" = names, before = signif(test$models$prior, 2), after = after, check.names = FALSE)
  list(
    test = TRUE, calm = !is_called(test), verdict = test$verdict, whether = lines[["Wrong labels?"]],
    hide = lines[["Could hide?"]],
    none = bounded(test$probability_none, two_digits),
    prior_none = two_digits(test$prior_none),
    bayes_factor = bounded(test$bayes_factor, two_digits, 1e4),
    plain = if (!is.na(test$plain)) bounded(test$plain, two_digits, 1e4),
    notes = html(lapply(html_text(verdict_notes(test)), tag, name = "p", .attr = c(class = "warning"))),
    models = html_table(models)
  )
}

two_digits <- function(v) format(signif(v, 2))

#' How many labels are wrong, and in which class: averaged over noise models, but where there is no
#' sign of wrong labels how many there would be if some were wrong
#' @noRd
report_count <- function(object, found) {
  expected <- attr(found, "expected")
  test <- attr(found, "test")
  no_sign <- identical(test$kind, "no sign")
  shown <- if (no_sign) test$any else expected
  about <- paste0("About ", describe_wrong(expected, 2, attr(found, "n")), ".")
  list(
    percent = format(100 * expected$level), nosign = no_sign,
    how_many = if (is.null(test)) about else count_line(test, 2),
    density = count_picture(object, shown, no_sign), rates = rates_table(object, expected$level)
  )
}

#' The distribution of the number of wrong labels, where the fit has it at hand
#' @param some only if some are wrong?
#' @noRd
count_picture <- function(object, shown, some) {
  object <- judged_by(object)
  if (length(object$nodes$wrong)) {
    density <- average_density(object)
    if (some) density <- any_density(density)
    picture <- picture_count(density / sum(density), shown$lower, shown$upper)
    svg_picture(picture, picture$title, height = 230)
  }
}

rates_table <- function(object, level) {
  if (is_several(object)) {
    rates <- noise_matrix(object)
    table <- as.data.frame(matrix(round(100 * rates, 1), nrow(rates)))
    names(table) <- paste("recorded", colnames(rates))
    return(html_table(cbind("true class" = rownames(rates), table)))
  }
  rates <- flip_rates(object, level)
  ends <- lapply(rates[c("lower", "upper")], format_shares, 2)
  html_table(data.frame(
    rates["group" == names(rates)], "true class" = rates$class,
    "flip rate" = signif(rates$rate, 2),
    interval = ifelse(is.na(rates$lower), "none", range_text(ends)),
    "expected wrong" = signif(rates$wrong, 2), check.names = FALSE
  ))
}

report_calibration <- function(object) {
  x <- calibration(object)
  bins <- x$bins
  list(
    error = format(x$error, digits = 2), bins = nrow(bins), bin_percent = format(100 * x$level),
    inside = sum(bins$lower <= bins$predicted & bins$predicted <= bins$upper),
    reliability = svg_picture(picture(x), "Reliability curve: frequency against probability", height = 360)
  )
}

#' What the rows listed are expected to bring, and what remains
#' @noRd
report_next <- function(object, test, n, level) {
  list <- suppressMessages(review(object, n = n, level = level))
  left <- attr(list, "left")
  test$first <- list(rows = nrow(list), found = max(list$found, 0), left = left$count)
  list(
    first = if (is.null(test$kind)) next_words(test$first) else next_line(test),
    listed = count(nrow(list), "row"), found = two_digits(test$first$found),
    unchecked = whole(attr(list, "unchecked")), remaining = two_digits(left$count),
    remaining_range = range_text(left),
    none_remains = bounded(attr(list, "none_left"), two_digits)
  )
}

report_end <- function(object) {
  how <- ep_diagnostics(object)
  list(
    diagnostics = html(lapply(html_text(c(how$happened, how$means, how$do)), tag, name = "li")),
    version = format(utils::packageVersion("sturdy")), r_version = R.version.string,
    today = format(Sys.time(), "%Y-%m-%d")
  )
}
