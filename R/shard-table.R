# A table of a database as one shard: what it answers to a message is computed by a query there, and
# no row but those of a sample leaves it. Its rows have no sites: those of a round follow from the
# posterior before (shard-query.R), so that nothing is written there either.

#' @param source see dbi_source(). @return a team, see shard-team.R, with the field `table`
#' @noRd
table_team <- function(source, cluster) {
  refuse(
    !is.null(cluster), "{.arg cluster} can be used with {.fn shards} only.", "unknown_argument",
    arg = "cluster"
  )
  team <- new.env(parent = emptyenv())
  table <- list2env(list(con = source$con, from = source$from, answers = source$answers))
  list2env(list(size = 1L, number = 0, resumed = FALSE, table = table, close = function() NULL), team)
  team$ask <- function(verb, args = list(), each = NULL, shards = 1) {
    done <- switch(verb,
      head = table_head, scan = table_scan, encode = table_encode, rows = table_rows
    )
    list(do.call(done, c(list(table), args, each[[1]]), quote = TRUE))
  }
  team
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

#' What databases call things by names of their own
#' @noRd
sql_dialect <- function(con) {
  if (inherits(con, "BigQueryConnection")) {
    list(double = "FLOAT64", text = "STRING", random = "RAND()")
  } else if (inherits(con, c("Spark SQL", "Hive", "spark_connection", "DatabricksConnection"))) {
    list(double = "DOUBLE", text = "STRING", random = "RAND()")
  } else if (inherits(con, c("MariaDBConnection", "MySQLConnection"))) {
    list(double = "DOUBLE", text = "CHAR", random = "RAND()")
  } else {
    list(double = "DOUBLE PRECISION", text = "VARCHAR", random = "RANDOM()")
  }
}

#' A value as a literal
#' @noRd
sql_value <- function(v, con) {
  if (is.numeric(v)) {
    sql_number(v)
  } else if (is.logical(v)) as.character(v) else sql_string(as.character(v), con)
}

#' The complete rows with the columns that are needed, in brackets
#' @noRd
table_base <- function(table) {
  own <- paste0("t.", sql_name(table$needed, table$con))
  number <- vapply(table$types[table$needed], is.numeric, NA)
  read <- ifelse(number, paste0("CAST(", own, " AS ", sql_dialect(table$con)$double, ")"), own)
  paste0(
    "(SELECT ", paste(read, "AS", sql_name(table$needed, table$con), collapse = ", "), " FROM ", table$from,
    " t WHERE ", paste(own, "IS NOT NULL", collapse = " AND "), ")"
  )
}

table_head <- function(table) {
  rows <- table_ask(table, paste("SELECT * FROM", table$from, "t LIMIT 100"))
  list(rows = if (nrow(rows)) rows)
}

# Levels of a column that are asked for: of more there would be too many sums
table_levels_most <- 1000

#' As shard_scan(), by one query over all rows and a look at some
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
  ), function(name) paste0("t.", sql_name(name, table$con)))
  numbers <- vapply(features, feature_kind, "") == "numeric"
  centre <- vapply(features[numbers], function(v) mean(v[is.finite(v)]), 0)
  centre[!is.finite(centre)] <- 0
  asked <- c(stats::setNames(paste0("t.", sql_name(table$response, table$con)), table$response), columns[!numbers])
  found <- table_ask(table, table_scan_query(table, columns[numbers], centre, asked))
  table_seen(table, found, features, centre, asked, few, na.action)
}

#' @param numbers,levels expressions, of numbers and of what has levels.
#' @noRd
table_scan_query <- function(table, numbers, centre, levels) {
  base <- paste(" FROM", table_base(table), "t")
  apart <- paste0("(", numbers, " - ", sql_number(centre), ")", recycle0 = TRUE)
  sums <- rbind(
    paste0("SUM(", apart, ")"), paste0("SUM(", apart, " * ", apart, ")"), paste0("MIN(", numbers, ")"),
    paste0("MAX(", numbers, ")")
  )[, seq_along(numbers)]
  none <- rep("0E0", length(sums))
  select <- function(what, of, from) {
    paste0("SELECT ", paste(c(what, of), collapse = ", "), from)
  }
  each <- vapply(seq_along(levels), function(j) {
    text <- paste0("CAST(", levels[j], " AS ", sql_dialect(table$con)$text, ")")
    inner <- select(c(paste(j, "AS v"), paste(text, "AS l"), "COUNT(*) AS n"), NULL, base)
    paste0(
      "SELECT ", paste(c("g.v", "g.l", "g.n", none), collapse = ", "), " FROM (", inner, " GROUP BY ", levels[j],
      " LIMIT ", table_levels_most + 1, ") g"
    )
  }, "")
  paste(c(
    select(c("0 AS v", "'' AS l", "COUNT(*) AS n"), paste0(sums, " AS s", seq_along(sums), recycle0 = TRUE), base),
    select(c("-1", "''", "COUNT(*)"), none, paste(" FROM", table$from, "t")), each
  ), collapse = "\nUNION ALL ")
}

#' @return as shard_scan()
#' @noRd
table_seen <- function(table, found, features, centre, asked, few, na.action) {
  n <- as.double(found[[3]][found[[1]] == 0])
  table$n <- n
  table$left_out <- found[[3]][found[[1]] == -1] - n
  if (table$left_out > 0) apply_na_action(data.frame(x = c(0, NA)), na.action)
  counted <- lapply(stats::setNames(seq_along(asked), names(asked)), function(j) {
    own <- found[found[[1]] == j, ]
    refuse(
      nrow(own) > table_levels_most,
      c("Column {.val {names(asked)[j]}} has more than {table_levels_most} different values.",
        i = "A query would have as many sums: leave it out of the formula."),
      "no_sql", column = names(asked)[j]
    )
    list(value = as_kind(own[[2]], few[[names(asked)[j]]]), n = as.double(own[[3]]))
  })
  table$classes <- counted[[1]]
  sums <- matrix(unlist(found[found[[1]] == 0, -(1:3)]), 4)
  of <- cumsum(vapply(features, feature_kind, "") == "numeric")
  seen <- Map(function(v, name) {
    seen <- seen_values(v)
    if (seen$kind == "numeric") {
      s <- sums[, of[[name]]]
      seen[c("n", "mean", "squares", "range")] <-
        list(n, centre[[name]] + s[1] / n, max(0, s[2] - s[1]^2 / n), s[3:4])
    } else {
      seen[c("used", "count")] <- list(as.character(counted[[name]]$value), counted[[name]]$n)
    }
    seen
  }, features, names(features))
  y <- counted[[1]]$value
  list(seen = list(n = n, features = seen, term = attr(features, "term"), y = seen_classes(y)))
}

#' Text of a database as values of the kind of others
#' @noRd
as_kind <- function(text, like) {
  if (is.numeric(like)) {
    as.numeric(text)
  } else if (is.logical(like)) as.logical(toupper(text)) else text
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
    "SELECT s.* FROM (SELECT t.* FROM ", table_base(table), " t WHERE t.", sql_name(table$response, table$con),
    " = ", sql_value(table$classes$value, table$con), " ORDER BY ", sql_dialect(table$con)$random, " LIMIT ",
    round(stage_rows * share), ") s", collapse = "\nUNION ALL "
  )
  new <- forge_labelled(table$blueprint, table_ask(table, each), NULL, NULL, "data")
  there <- c(sum(new$y < 0), sum(new$y > 0))
  times <- (table$classes$n / there)[1 + (new$y > 0)] # sum to all
  list(X = new$X, y = new$y, times = times * length(new$y) / table$n)
}
