# Where the batches of a stream come from: tables, functions, databases; text has a file of its own.
# Sources as stream-reader.R describes them.

stream_source <- function(source, batch_size, options) {
  is_text <- inherits(source, "connection") || rlang::is_string(source)
  if (is_text) return(text_source(source, batch_size, text_options(options)))
  if (length(options)) abort_dots(rlang::names2(options))
  if (is.data.frame(source)) return(frame_source(source, batch_size))
  if (is.function(source)) return(new_source(function() NULL, source))
  must(
    inherits(source, "sturdy_source"), "source", got = source,
    "be a data frame, the path of a CSV file, a connection, a query made by {.fn dbi_source}, or a
     function that returns the next batch"
  )
  source
}

#' The rows of a data frame
#' @noRd
frame_source <- function(data, batch_size) {
  done <- 0
  new_source(
    open = function() done <<- 0,
    fetch = function() {
      rows <- done + seq_len(min(batch_size, nrow(data) - done))
      done <<- done + length(rows)
      if (length(rows)) data[rows, , drop = FALSE]
    }
  )
}

# Database ------------------------------------------------------------------

#' A table of a database
#'
#' For [bpm()] and [gpc()] a table that stays where it is: the database is asked for sums over its rows. For
#' [bpm_stream()] a source of rows, which are fetched in batches, so that the table may be larger
#' than memory.
#'
#' @details
#' # Fitted where it is
#' `bpm(class ~ ., dbi_source(con, "table"))` sends queries that return some numbers each: one for all numeric
#' columns finds centre and scale, one for each other column counts its levels, one draws some `r stage_rows` rows
#' at random, to which the model is fitted first, and from there each round of EP is one query, with k(k + 1)/2 + 3k + 7 sums for k
#' weights. Three to five rounds are the rule, `r table_rounds` the most. One more query counts the rows by what EP says
#' of them without their labels, for the label stage. Nothing is written to the database.
#'
#' A round takes the sites of EP from the posterior of the round before. That leaves out what is of the
#' order of (k / n)^2, so use it for many rows: at 600 rows and 11 weights the weights were off by 0.03 of their
#' standard errors. `nugget`, `prior_scale` and the rates are learned at one point, as by [shards()], and
#' the fit is one to a single shard: it keeps no rows. [predict_sql()] writes what it says of rows, and with
#' `labels` which labels are wrong, as a query.
#'
#' [gpc()] is fitted in the same way, through inducing inputs: `"auto"` is `r table_inducing`, with k + 1 weights for k of
#' them. The kernel, but for what is held, and where inducing inputs stand are learned on the sample alone, so that
#' the fit is as good as some `r stage_rows` rows can make these; rounds find the weights of all rows, and flip rates. What a
#' round leaves out counts the rows near the boundary, where these are few. The kernel must be squared exponential. A
#' query computes all distances in each row: with `r table_inducing` inducing inputs a round takes some ten times as long
#' as that of a linear boundary.
#'
#' Columns are numbers, text, or logical; formulas may have products of numbers, but no functions.
#' Rows in which a column of the formula is `NULL` are left out, and counted. A column of text may have
#' `r table_levels_most` different values; PostgreSQL and SQLite take queries of some 50 weights. The database draws
#' the sample, so that [set.seed()] does not decide it, and two fits differ by what is left of the way to the fixed
#' point. The database is asked which words it knows, so that any package may have made the connection. SQLite,
#' PostgreSQL, DuckDB and ClickHouse (18.16) have been tried; Spark, BigQuery and MySQL have not.
#'
#' When a query fails, the field `answers` of the error (`sturdy_error_query`) has the answers so far. With
#' `dbi_source(con, "table", answers = cnd$answers)`, also on another connection, the fit goes on from
#' there. It is an error (`sturdy_error_rows`) if a query finds another number of rows than the first.
#'
#' # Streamed
#' The query is sent when the stream begins, and its result is cleared when the
#' stream ends or stops with an error. A connection that allows one open result at
#' a time can't be used for other queries in between.
#'
#' A stream that is resumed sends the query again and skips the rows that the
#' checkpoint has absorbed. A database is free to return rows in any order, so the
#' query **needs an `ORDER BY` on a unique key** for this, and the table must not
#' have changed before that point. Filtering depends on the order of the rows; a
#' table that is sorted by class should be put into a random but fixed order, for
#' example by a hash of its key.
#'
#' Integers of 64 bits are converted to doubles, exactly up to 2^53.
#'
#' @param con A connection made by [DBI::dbConnect()]. It is left open.
#' @param query A `SELECT` statement, one string; or the name of a table, one string, or two, the schema first.
#' @param batch Number of rows in a batch of a stream, at least 1 (10000 by default).
#' @param answers `NULL`, the default, or the field `answers` of the error that has ended a fit.
#' @return An object of class `sturdy_source`, for the argument `data` of [bpm()] and [gpc()] or `source` of
#'   [bpm_stream()].
#' @section Conditions:
#' `sturdy_error_package` when DBI is not installed, `sturdy_error_type` and
#' `sturdy_error_range` for arguments; in `bpm_stream()` `sturdy_error_source` when
#' the query is refused, and `sturdy_error_batch` when fetching fails later on; in `bpm()` and `gpc()`
#' `sturdy_error_query` when the database has no answer, `sturdy_error_no_sql` for what no query can
#' compute, and `sturdy_error_rows` when rows have changed.
#' @seealso [bpm()], [gpc()], [bpm_stream()], [predict_sql()]
#' @export
#' @examplesIf rlang::is_installed(c("DBI", "RSQLite"))
#' set.seed(1)
#' d <- data.frame(a = rnorm(500), b = rnorm(500))
#' d$class <- factor(d$a + d$b > 0, labels = c("no", "yes"))
#' con <- DBI::dbConnect(RSQLite::SQLite())
#' DBI::dbWriteTable(con, "points", data.frame(id = 1:500, d))
#'
#' rows <- dbi_source(con, "SELECT * FROM points ORDER BY id", batch = 100)
#' bpm_stream(class ~ . - id, rows, df = 3)
#' bpm(class ~ . - id, dbi_source(con, "points"), nugget = 1, epsilon = 0.05)
#' DBI::dbDisconnect(con)
dbi_source <- function(con, query, batch = 10000, answers = NULL) {
  check_package("DBI", "dbi_source")
  must(inherits(con, "DBIConnection"), "con", "be a connection made by {.fn DBI::dbConnect}", got = con)
  must(
    is.character(query) && length(query) %in% 1:2 && !anyNA(query), "query",
    "be one string, a {.code SELECT} statement or the name of a table, or two, its schema and its name", got = query
  )
  must(is.null(answers) || is.list(answers), "answers", "be the field of an error of a fit", got = answers)
  from <- table_of(query, con)
  if (!is_statement(query)) query <- paste("SELECT * FROM", from)
  batch <- check_count(batch, "batch", min = 1)
  result <- NULL
  close <- function() {
    if (!is.null(result)) DBI::dbClearResult(result)
    result <<- NULL
  }
  open <- function() {
    close()
    result <<- DBI::dbSendQuery(con, query)
  }
  fetch <- function() {
    rows <- DBI::dbFetch(result, n = batch)
    if (nrow(rows)) plain_integers(rows)
  }
  new_source(open, fetch, close = close, con = con, from = from, answers = answers)
}

#' Does it begin as a statement does, perhaps after brackets and comments?
#' @noRd
is_statement <- function(query) {
  begins <- "(?is)^(\\s|[(]|--[^\\n]*\\n|/[*].*?[*]/)*(select|with|values)\\b"
  length(query) == 1 && grepl(begins, query, perl = TRUE)
}

#' What a query can read rows from: a statement in brackets (on a line of their own, as it may end in a comment), or
#' the name of a table
#' @noRd
table_of <- function(query, con) {
  if (is_statement(query)) paste0("(", sub(";\\s*$", "", query), "\n)") else paste(sql_name(query, con), collapse = ".")
}

#' Without the class integer64, whose bits are not those of a double
#' @noRd
plain_integers <- function(data) {
  long <- vapply(data, inherits, logical(1), "integer64")
  data[long] <- lapply(data[long], as.double)
  data
}

#' @export
print.sturdy_source <- function(x, ...) {
  cat("A source of rows for bpm(), gpc() and bpm_stream()\n")
  invisible(x)
}
