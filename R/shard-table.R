# A table of a database as one shard: what it answers to a message is computed by a query there, and
# no row but those of a sample leaves it. Its rows have no sites: those of a round follow from the
# posterior before (shard-query.R), so that nothing is written there either.

#' @param source see dbi_source(). @return a team, see shard-team.R, with the field `table`
#' @noRd
table_team <- function(source, cluster) {
  refuse(!is.null(cluster), "{.arg cluster} can be used with {.fn shards} only.", "unknown_argument", arg = "cluster")
  table <- new_table(source$con, source$from, source$answers)
  ask <- function(verb, args = list(), each = NULL, only = 1) {
    list(do.call(paste0("table_", verb), c(list(table), args, each[[1]]), quote = TRUE))
  }
  list2env(list(size = 1L, number = 0, resumed = FALSE, table = table, ask = ask, close = function() NULL))
}

#' @return an environment with these and the words of the database; table_scan() and table_encode() add what they see
#' @noRd
new_table <- function(con, from, answers = NULL) {
  list2env(list(
    con = con, from = from, answers = answers, column = function(name) paste0("t.", sql_name(name, con)),
    hint = sql_hint(sql_puts_in(con)),
    double = sql_word(con, c("DOUBLE PRECISION", "DOUBLE", "FLOAT64"), "CAST(1 AS %s)"),
    random = sql_word(con, c("RANDOM()", "rand()"), "%s")
  ))
}

#' The answer to a query, which is asked for once: who goes on from an error has those before it
#' @noRd
table_ask <- function(table, sql) {
  key <- digest(sql)
  if (is.null(table$answers[[key]])) {
    table$answers[[key]] <- trying(
      plain_integers(DBI::dbGetQuery(table$con, sql)),
      c("The database has no answer to query {length(table$answers) + 1} of the fit.",
        i = "The field {.code answers} of this error has those before: given to {.fn dbi_source}, the fit goes
             on from there."),
      c("query", "source"), sql = sql, answers = table$answers
    )
  }
  table$answers[[key]]
}

#' A value as a literal
#' @noRd
sql_value <- function(v, con) {
  if (is.numeric(v)) {
    sql_number(v)
  } else if (is.logical(v)) as.character(v) else sql_string(as.character(v), con)
}

#' The complete rows with the columns that are needed, in brackets; before others go, their NULL may be no number
#' @noRd
table_base <- function(table) {
  own <- table$column(table$needed)
  names <- sql_name(table$needed, table$con)
  number <- vapply(table$types[table$needed], is.numeric, NA)
  read <- ifelse(number, paste0("CAST(", own, " AS ", table$double, ")"), own)
  paste0(
    "(SELECT ", paste(read, "AS", names, collapse = ", "), " FROM (SELECT ", paste(own, "AS", names, collapse = ", "),
    " FROM ", table$from, " t WHERE ", paste(own, "IS NOT NULL", collapse = " AND "), ") t)"
  )
}

table_head <- function(table) {
  rows <- table_ask(table, paste("SELECT * FROM", table$from, "t LIMIT 100"))
  list(rows = if (nrow(rows)) rows)
}

# Levels of a column that are asked for: of more there would be too many sums
table_levels_most <- 1000

#' As shard_scan(), by queries over all rows and a look at some
#' @noRd
table_scan <- function(table, terms, needed, na.action, types) {
  left <- attr(terms, "variables")[[2]]
  refuse(
    !is.name(left),
    c("A query has a column as the response, not {.code {rlang::as_label(left)}}.",
      i = "Let the table have a column of it."), "no_sql"
  )
  table$needed <- needed
  table$response <- as.character(left)
  table$types <- table_head(table)$rows
  few <- table_ask(table, paste("SELECT * FROM", table_base(table), "t LIMIT 100"))
  if (nrow(few) == 0) {
    return(list(seen = NULL))
  }
  features <- formula_features(stats::model.frame(terms, few), terms)
  columns <- sql_features(list(
    interface = "formula", terms = terms, columns = names(features),
    coding = lapply(features, function(v) list(time = time_of(v)))
  ), table$column)
  seen <- lapply(features, seen_values)
  numbers <- vapply(seen, `[[`, "", "kind") == "numeric"
  if (any(numbers)) seen[numbers] <- table_numbers(table, columns[numbers], seen[numbers])
  seen[!numbers] <- Map(function(seen, column, name) {
    found <- table_levels(table, column, name)
    seen[c("used", "count")] <- list(as.character(found$value), found$n)
    seen
  }, seen[!numbers], columns[!numbers], names(seen)[!numbers])
  table$classes <- table_levels(table, table$column(table$response), table$response)
  table$n <- sum(table$classes$n)
  table$left_out <- as.double(table_ask(table, paste("SELECT COUNT(*) FROM", table$from, "t"))[[1]]) - table$n
  if (table$left_out > 0) apply_na_action(data.frame(x = c(0, NA)), na.action)
  list(seen = list(n = table$n, features = seen, term = attr(features, "term"), y = seen_classes(table$classes$value)))
}

#' What numbers of all rows are, by one query
#' @param columns expressions. @param seen what some rows have of them: sums are of what is apart from their mean.
#' @noRd
table_numbers <- function(table, columns, seen) {
  centre <- vapply(seen, function(s) if (is.finite(s$mean)) s$mean else 0, 0)
  apart <- paste0("(", columns, " - ", sql_number(centre), ")")
  sums <- rbind(
    paste0("SUM(", apart, ")"), paste0("SUM(", apart, " * ", apart, ")"), paste0("MIN(", columns, ")"),
    paste0("MAX(", columns, ")")
  )
  sums <- paste0(c("COUNT(*)", sums), " AS s", seq_len(length(sums) + 1), collapse = ", ")
  found <- as.double(unlist(table_ask(table, paste("SELECT", sums, "FROM", table_base(table), "t"))))
  n <- found[1]
  Map(function(seen, centre, s) {
    seen[c("n", "mean", "squares", "range")] <- list(n, centre + s[1] / n, max(0, s[2] - s[1]^2 / n), s[3:4])
    seen
  }, seen, centre, split(found[-1], rep(seq_along(columns), each = 4)))
}

#' The different values of a column, and how often each is there
#' @noRd
table_levels <- function(table, column, name) {
  found <- table_ask(table, paste(
    "SELECT", column, "AS l, COUNT(*) AS n FROM", table_base(table), "t GROUP BY", column, "LIMIT",
    table_levels_most + 1
  ))
  refuse(
    nrow(found) > table_levels_most,
    c("Column {.val {name}} has more than {table_levels_most} different values.",
      i = "A query would have as many sums: leave it out of the formula."), "no_sql", column = name
  )
  list(value = found[[1]], n = as.double(found[[2]]))
}

table_encode <- function(table, blueprint, na.action, types, needed, scanned) {
  table$blueprint <- blueprint
  at <- match(blueprint$levels, as.character(table$classes$value))
  table$classes <- lapply(table$classes, `[`, at)
  list(counts = table$classes$n, left_out = table$left_out, digest = "")
}

#' A random sample of rows: of each class its share but at least a fifth of all, or all it has
#' @return list(X, y, times: how many of as many rows each stands for)
#' @noRd
table_rows <- function(table, rows) {
  share <- pmax(table$classes$n / table$n, 0.2)
  each <- paste0(
    "SELECT s.* FROM (SELECT t.* FROM ", table_base(table), " t WHERE ", table$column(table$response),
    " = ", sql_value(table$classes$value, table$con), " ORDER BY ", table$random, " LIMIT ",
    round(stage_rows * share), ") s", collapse = "\nUNION ALL "
  )
  new <- forge_labelled(table$blueprint, table_ask(table, each), NULL, NULL, "data")
  times <- (table$classes$n / c(sum(new$y < 0), sum(new$y > 0)))[1 + (new$y > 0)] # sum to all
  list(X = new$X, y = new$y, times = times * length(new$y) / table$n)
}
