# What the experiments on the label stage share (label-stage.R, label-stage-scores.R,
# label-stage-classes.R): which tables are asked for and by what seeds, how an answer about labels is
# measured against the labels that are known to be wrong, and the tables of means.
#
# Only what every user can call is asked: the fit, mislabelled(), noise_test() and predict(). So the
# same tables can be given to versions of the package that judge labels in different ways.

# Which tables ------------------------------------------------------------------
#
# A script asks for groups of tables, one for each line of what is to be shown: a data frame of
# `group`, of what makes a table (data, rows, noise; the other columns) and of `tables`, how many
# there are of each in a full run. A table that several groups ask for is made once.

# All combinations of what makes a table
group_of <- function(group, ..., tables) {
  cbind(group = group, all_of(...), tables = tables)
}

way_columns <- function(asked) setdiff(names(asked), c("group", "tables"))

keys_of <- function(rows, columns) do.call(paste, c(rows[columns], sep = "\r"))

# Tasks, one replication of all after the other. Each way of making a table has a hundred seeds of
# its own: with common ones, tables of as many rows would have the same rows flipped, and an
# unusual draw would be seen in all of them at once.
tasks_of <- function(asked, settings) {
  columns <- way_columns(asked)
  key <- keys_of(asked, columns)
  ways <- asked[!duplicated(key), columns, drop = FALSE]
  at <- match(key, unique(key))
  number <- tapply(ifelse(asked$group %in% settings$groups, asked$tables, 0), at, max)
  number <- pmin(as.vector(number), settings$replications)
  tasks <- lapply(seq_len(max(number, 0)), function(r) {
    kept <- which(number >= r)
    cbind(ways[kept, , drop = FALSE], seed = settings$seed + 100 * (kept - 1) + r - 1)
  })
  do.call(rbind, tasks)
}

# What is measured --------------------------------------------------------------

# The helper of experiments has fits at the optimum, as in the papers; here they are what users get
by_default <- function(code) {
  old <- options(sturdy.hyper = NULL)
  on.exit(options(old))
  observe(code)
}

# Answers about labels. `fitted`: as by_default() returns it; `wrong`: which labels are.
judged <- function(fitted, wrong) {
  fit <- fitted$value
  answers <- by_default(list(
    found = mislabelled(fit), called = mislabelled(fit, fdr = 0.1)$row, test = noise_test(fit)
  ))
  found <- answers$value$found
  called <- answers$value$called
  p <- found$probability[order(found$row)]
  expected <- attr(found, "expected")
  number <- sum(wrong)
  factor <- answers$value$test$bayes_factor
  data.frame(
    n = length(wrong), wrong = number, count = expected$count, lower = expected$lower,
    upper = expected$upper, covered = expected$lower <= number && number <= expected$upper,
    none_inside = expected$lower == 0, factor = factor, signs = factor > 3, against = factor < 1,
    # with a floor, as in verdicts.R: one row that is told wrongly for sure must not decide
    row_score = mean(log(pmin(pmax(ifelse(wrong, p, 1 - p), 1e-4), 1 - 1e-4))),
    auc = area_of(p, wrong), called = length(called), called_wrongly = sum(!wrong[called]),
    verdict = verdict_of(found), seconds = fitted$seconds, seconds_asked = answers$seconds,
    warned = fitted$warned
  )
}

# The probability that a wrong label ranks above another, ties counting half
area_of <- function(p, wrong) {
  m <- sum(wrong)
  if (m == 0) NA_real_ else (sum(rank(p)[wrong]) - m * (m + 1) / 2) / (m * sum(!wrong))
}

# What print() answers to "Wrong labels?", in one line
verdict_of <- function(found) {
  old <- options(width = 200, cli.width = 200)
  on.exit(options(old))
  lines <- utils::capture.output(by_default(print(found, n = 1)))
  at <- grep("Wrong labels?", lines, fixed = TRUE)[1]
  if (is.na(at)) {
    return(NA_character_)
  }
  begin <- regexpr("Wrong labels[?] *", lines[at])
  indent <- begin + attr(begin, "match.length") - 1
  rest <- lines[-seq_len(at)]
  more <- substr(rest, 1, indent) == strrep(" ", indent)
  rest <- rest[seq_along(rest) < c(which(!more), Inf)[1]]
  paste(c(substring(lines[at], indent + 1), trimws(rest)), collapse = " ")
}

# Mean log loss of the true classes of rows that took no part, `NA` where there are none
test_loss <- function(fit, x, y) {
  if (length(y) == 0) {
    return(NA_real_)
  }
  prob <- by_default(predict(fit, x, type = "prob"))$value
  p <- prob[cbind(seq_along(y), match(as.character(y), colnames(prob)))]
  -mean(log(pmin(pmax(p, 1e-6), 1 - 1e-6)))
}

varying <- function(x) x[vapply(x, function(v) length(unique(v)) > 1, NA)]

# Tables of means ---------------------------------------------------------------

judged_columns <- c(
  "wrong", "count", "lower", "upper", "covered", "none_inside", "signs", "against", "row_score",
  "auc", "called", "called_wrongly", "log_loss", "seconds", "seconds_asked"
)

# The rows of each group; of a table that several ask for, in each
rows_by_group <- function(results, asked) {
  columns <- way_columns(asked)
  key <- keys_of(results, columns)
  groups <- lapply(split(asked, factor(asked$group, unique(asked$group))), function(part) {
    rows <- results[key %in% keys_of(part, columns), ]
    if (nrow(rows)) cbind(group = part$group[1], rows, row.names = NULL)
  })
  do.call(rbind, unname(groups))
}

# Means over the ways of a group of their tables' means, as they need not have as many tables each.
# `share` and `false_share` are of all labels, and rows that are called, together; `false_share_5` is
# that of the tables with five calls or more; `per_row` the expected number as a share of the rows.
overall_of <- function(rows, by) {
  columns <- intersect(judged_columns, names(rows))
  rows$per_row <- rows$count / rows$n
  means <- lapply(split(rows, factor(rows$group, unique(rows$group))), function(part) {
    ways <- group_means(part, by, c(columns, "per_row"))
    ratio <- function(of, over) if (sum(over) > 0) sum(of) / sum(over) else NA_real_
    five <- part[part$called >= 5, ]
    mean <- vapply(ways[c(columns, "per_row")], mean, 0, na.rm = TRUE)
    data.frame(
      group = part$group[1], ways = nrow(ways), tables = nrow(part),
      as.list(ifelse(is.nan(mean), NA, mean)), share = ratio(ways$count, ways$wrong),
      false_share = ratio(ways$called_wrongly, ways$called),
      false_share_5 = ratio(five$called_wrongly, five$called)
    )
  })
  do.call(rbind, unname(means))
}

# The overall rows, those of all tables together, and of each way by itself
judged_tables <- function(results, asked) {
  rows <- rows_by_group(results, asked)
  all <- cbind(group = "all tables", results)
  columns <- intersect(judged_columns, names(rows))
  list(
    overall = overall_of(rbind(rows, all[names(rows)]), way_columns(asked)),
    families = group_means(results, way_columns(asked), columns)
  )
}
