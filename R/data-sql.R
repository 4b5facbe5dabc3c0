# Numbers, names and encoded columns as SQL, and expressions that are made in steps.

#' Numbers as literals of double precision: all digits they need, and brackets around negative ones,
#' since two minus signs begin a comment
#' @noRd
sql_number <- function(x) {
  text <- sprintf("%.14e", x)
  for (digits in 15:16) text <- ifelse(as.numeric(text) == x, text, sprintf("%.*e", digits, x))
  text <- sub("[.]?0*e([+-])0*([0-9])", "E\\1\\2", text)
  text <- sub("E+", "E", text, fixed = TRUE)
  ifelse(x < 0, paste0("(", text, ")"), text)
}

#' Names as a database has them; a schema and a table are a name of two parts
#' @noRd
sql_name <- function(name, con = NULL) {
  if (is.null(con)) sql_quoted(name, "\"") else as.character(DBI::dbQuoteIdentifier(con, name))
}

sql_string <- function(text, con = NULL) {
  if (is.null(con)) sql_quoted(text, "'") else as.character(DBI::dbQuoteString(con, text))
}

#' @param mark of quotation, doubled within.
#' @noRd
sql_quoted <- function(text, mark) {
  paste0(mark, gsub(mark, strrep(mark, 2), enc2utf8(text), fixed = TRUE), mark)
}

#' What a database says when asked for a value, `NULL` where it does not understand
#' @noRd
sql_asked <- function(con, value) {
  if (!is.null(con)) tryCatch(DBI::dbGetQuery(con, paste("SELECT", value))[[1]], error = function(cnd) NULL)
}

#' The first of some words for a thing that a database knows, whatever package has made the connection
#' @param question how a word is used in asking for a value.
#' @noRd
sql_word <- function(con, words, question) {
  c(Find(function(word) length(sql_asked(con, sprintf(question, word))) > 0, words), words[1])[1]
}

#' A sum of multiples
#' @noRd
sql_linear <- function(by, of) {
  used <- by != 0
  if (any(used)) paste(sql_number(by[used]), "*", of[used], collapse = " + ") else "0E0"
}

#' An expression in steps, each of which reads the one before it
#'
#' @param flat whether everything becomes one expression; otherwise steps are queries in a row, with
#'   a column for each of their expressions.
#' @param from a table, or `NULL` for the row of a query around. @param names of all there is besides:
#'   steps and their columns are called otherwise, also where a database takes no notice of case.
#' @return list(let(sql), a step of some expressions: what stands for each of them in the next;
#'   column(name), of the table: without a table's name SQLite takes one that is not there for text;
#'   query(kept, answer, hint), `kept` the columns that all steps have; widest(), the most columns of a
#'   step)
#' @noRd
sql_steps <- function(flat, from = NULL, names = NULL, con = NULL) {
  steps <- list()
  own <- "sturdy"
  while (any(startsWith(tolower(names), own))) own <- paste0(own, "_")
  column <- function(name) paste0(if (!is.null(from)) paste0(own, "_0."), sql_name(name, con))
  let <- function(sql) {
    if (flat || !length(sql)) {
      return(paste0("(", sql, ")", recycle0 = TRUE))
    }
    made <- sprintf("%s_%d_%d", own, length(steps) + 1L, seq_along(sql))
    steps[[length(steps) + 1]] <<- paste(sql, "AS", made)
    made
  }
  query <- function(kept, answer, hint) {
    first <- if (!is.null(from)) paste0("FROM ", paste(sql_name(from, con), collapse = "."), " ", own, "_0")
    steps[[1]] <- c(if (length(kept)) paste(column(kept), "AS", sql_name(kept, con)), steps[[1]])
    rest <- if (length(kept)) sql_name(kept, con)
    steps[-1] <- lapply(steps[-1], function(step) c(rest, step))
    sql_chain(steps, sprintf("%s_%d", own, seq_along(steps)), first, answer, hint)
  }
  list(let = let, column = column, query = query, con = con, widest = function() max(0, lengths(steps)))
}

#' The query of an answer by steps, each of which reads the one before it
#'
#' They are queries in a row (`WITH`) where there is a hint to be given, or no table: one within the other means the
#' same, and is understood by databases without `WITH`.
#' @param steps columns of each. @param names of steps. @param from what the first reads, or `NULL`. @param hint see
#'   sql_hint().
#' @noRd
sql_chain <- function(steps, names, from, answer, hint) {
  select <- function(columns) paste(c("SELECT", paste(columns, collapse = ", "), from), collapse = " ")
  within <- nzchar(hint) || is.null(from)
  made <- NULL
  for (k in seq_along(steps)) {
    inner <- paste0("(", select(steps[[k]]), ")")
    if (within) made <- c(made, paste0(names[k], " AS ", hint, inner))
    from <- paste(c("FROM", if (!within) inner, names[k]), collapse = " ")
  }
  paste(c(if (length(made)) paste("WITH", paste(made, collapse = ",\n")), select(answer)), collapse = "\n")
}

#' The encoded columns of raw ones, see encode_features()
#'
#' @param novel function(k): what the indicators of k levels are where a row has another.
#' @return list(X, one a column; novel, named: for features with levels whether a row has one that
#'   training did not have)
#' @noRd
sql_columns <- function(blueprint, novel, steps) {
  columns <- sql_features(blueprint, steps$column)
  parts <- Map(function(column, coding) {
    if (coding$kind == "numeric") {
      centred <- paste(column, "-", sql_number(coding$center))
      return(list(X = paste0("(", centred, ") / ", sql_number(coding$scale))))
    }
    levels <- if (coding$kind == "logical") coding$levels else sql_string(coding$levels, steps$con)
    known <- paste0(column, " IN (", paste(levels, collapse = ", "), ")")
    other <- paste("WHEN", column, "IS NOT NULL THEN")
    indicators <- paste(
      "CASE WHEN", column, "=", levels, "THEN 1E0 WHEN", known, "THEN 0E0", other,
      sql_number(novel(length(levels))), "END"
    )
    list(X = indicators, novel = paste("CASE WHEN", known, "THEN 0E0", other, "1E0 END"))
  }, columns, blueprint$coding)
  each <- function(part) unlist(lapply(parts, `[[`, part))
  list(X = unname(each("X")), novel = each("novel"))
}

#' The features as a database has them: columns, and products of columns
#' @noRd
sql_features <- function(blueprint, column) {
  columns <- stats::setNames(as.list(blueprint$columns), blueprint$columns)
  times <- blueprint$columns[!vapply(blueprint$coding, function(c) is.null(c$time), NA)]
  refuse(
    length(times), c(
      "A query can't read times, which databases count in ways of their own: {.val {few(times)}}.",
      i = "Let the table have a column of numbers, as by {.fn as.numeric}, and fit that."
    ), "no_sql", columns = times
  )
  if (blueprint$interface == "formula") {
    variables <- as.list(attr(blueprint$terms, "variables"))[-1]
    plain <- vapply(variables, is.name, NA)
    factors <- attr(blueprint$terms, "factors")
    terms <- lapply(seq_len(NCOL(factors) * (length(factors) > 0)), function(j) {
      used <- factors[, j] > 0
      if (all(plain[used])) vapply(variables[used], as.character, "")
    })
    names(terms) <- vapply(terms, paste, "", collapse = ":")
    computed <- setdiff(blueprint$columns, names(terms))
    refuse(
      length(computed), c(
        "A query can't compute {.val {few(computed)}}, only read columns and multiply them.",
        i = "Let the table have a column of what the formula computes, and fit that."
      ), "no_sql", columns = computed
    )
    columns <- terms[blueprint$columns]
  }
  vapply(columns, function(names) paste(column(names), collapse = " * "), "")
}
