# Where the batches of a stream come from: tables, functions, databases; text and Parquet have
# files of their own. Sources as stream-reader.R describes them.

stream_source <- function(source, batch_size, options) {
  parquet <- rlang::is_string(source) && is_parquet(source)
  if (inherits(source, "connection") || rlang::is_string(source) && !parquet) {
    return(text_source(source, batch_size, text_options(options)))
  }
  if (length(options)) abort_dots(rlang::names2(options))
  if (parquet) {
    return(parquet_source(source, batch_size))
  }
  if (inherits(source, "sturdy_source")) {
    return(source)
  }
  must(
    is.data.frame(source) || is.function(source), "source",
    "be a data frame, the path of a CSV or Parquet file, a connection, a query made by
     {.fn dbi_source}, or a function that returns the next batch",
    got = source
  )
  if (is.function(source)) new_source(once(), source) else frame_source(source, batch_size)
}

#' Opens a source; what R itself or a database has to say becomes the cause
#' @noRd
open_source <- function(source) {
  tryCatch(source$open(), error = function(cnd) {
    if (inherits(cnd, "sturdy_error")) stop(cnd)
    abort_sturdy("{.arg source} can't be read.", "source", arg = "source", parent = cnd)
  })
}

# Database ------------------------------------------------------------------

#' The rows of a database query as a stream
#'
#' A source for [bpm_stream()] that sends a query over DBI and fetches its result
#' in batches, so that the table may be larger than memory.
#'
#' @details
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
#' @param query A `SELECT` statement, one string.
#' @param batch Number of rows in a batch, at least 1 (10000 by default).
#' @return An object of class `sturdy_source`, for the argument `source` of
#'   [bpm_stream()].
#' @section Conditions:
#' `sturdy_error_package` when DBI is not installed, `sturdy_error_type` and
#' `sturdy_error_range` for arguments; in `bpm_stream()` `sturdy_error_source` when
#' the query is refused, and `sturdy_error_batch` when fetching fails later on.
#' @seealso [bpm_stream()]
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
#' DBI::dbDisconnect(con)
dbi_source <- function(con, query, batch = 10000) {
  check_package("DBI", "dbi_source")
  must(
    inherits(con, "DBIConnection"), "con", "be a connection made by {.fn DBI::dbConnect}",
    got = con
  )
  must(
    rlang::is_string(query), "query", "be one string, a {.code SELECT} statement", got = query
  )
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
  new_source(open, fetch, close = close)
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
  cat("A source of rows for bpm_stream()\n")
  invisible(x)
}
