# What a row is called. `row` is its position in the data that the fit was given, with those
# that were left out counted, and everything that takes or gives the number of a row means
# this one. `id` is a column of the user's, or the names of the rows where these are not
# their positions.

#' Identifiers of the rows of a fit
#'
#' @param data of the fit. @param id `NULL`, identifiers of the rows of the data given, or a data
#'   frame of them alone, whose name is kept. @param table those data, where they are at hand:
#'   `id` may be the name of a column.
#' @return `NULL`, or list(name, value), with an entry for each row of the fit.
#' @noRd
row_ids <- function(data, id = NULL, table = NULL) {
  if (is.null(id)) {
    first <- match(data$rows, data$rows) # copies have names of their own
    names <- data$row_names[first]
    numbered <- identical(names, as.character(as.integer(data$rows)))
    return(if (!numbered) list(name = if (is.null(data$units)) "id" else data$units$name, value = names))
  }
  if (is.data.frame(table) && is_one_of(id, names(table))) id <- table[id]
  named <- is.data.frame(id) && ncol(id) == 1
  value <- if (named) id[[1]] else id
  must(
    is.atomic(value) && is.null(dim(value)) && length(value) == data$n_given, "id",
    "have an identifier for each of the {data$n_given} row{?s} of the data that the fit was
     given, as {.code data$name} or {.code data[\"name\"]}", "id", got = id,
    more = c(
      x = if (is.data.frame(table) && rlang::is_string(id)) {
        "{.arg data} has no column {.val {id}}, but {.val {few(names(table))}}."
      }
    )
  )
  list(name = if (named && !names(id) %in% id_taken) names(id) else "id", value = value[data$rows])
}

#' What was given of each row of the data, for the rows of a fit
#' @param what it is, in words. @param example a formula.
#' @noRd
one_for_each <- function(value, data, arg, what, example) {
  must(
    is.atomic(value) && is.null(dim(value)) && length(value) == data$n_given, arg,
    "be a formula such as {.code {example}}, or a vector with {what} of each of the {data$n_given}
     row{?s} of the data", arg, got = value
  )
  check_none_missing(data$rows[is.na(value[data$rows])], arg, arg)
  value[data$rows]
}

# Columns of answers, which identifiers can't be called
id_taken <- c(
  "row", "label", "probability", "rank", "loo", "suggested", "p_suggested", "runner_up",
  "p_runner_up", "loo_wrong", "contradicts", "if_some", "p_value", "fdr", "found"
)

#' Identifiers as text, the same from a file as in the session
#' @noRd
id_text <- function(id) {
  if (is.numeric(id) && !is.object(id)) {
    trimws(formatC(id, digits = 15, format = "fg"))
  } else {
    trimws(unix_lines(as.character(id)))
  }
}

#' Identifiers as given, and those of the rows, as text that can be compared
#' @noRd
ids_as <- function(id, ids) {
  known <- id_text(ids$value)
  if (is.numeric(id) && !is.numeric(ids$value)) { # files make of "007" a 7
    known <- id_text(suppressWarnings(as.numeric(known)))
  }
  list(asked = id_text(id), known = known)
}

#' Positions of rows, and beside them their identifiers, as columns of a table
#' @param ids of row_ids(), in the order of `rows`.
#' @noRd
with_ids <- function(rows, ids) {
  table <- data.frame(row = rows)
  if (!is.null(ids)) table[[ids$name]] <- ids$value
  table
}

#' The column of a table of rows that has their identifiers, or none
#' @noRd
id_column <- function(table) setdiff(names(table)[seq_along(table) == 2], c("reader", "label"))

#' Does a column tell the rows apart, as text or whole numbers that are never the same?
#' @noRd
is_identifier <- function(v) {
  names_or_numbers <- switch(feature_kind(v), factor = TRUE, numeric = is.null(time_of(v)) && is_whole(v), FALSE)
  names_or_numbers && !anyDuplicated(v)
}

#' The largest number of each row of a matrix
#' @noRd
row_max <- function(x) do.call(pmax, lapply(seq_len(ncol(x)), function(j) unname(x[, j])))

is_whole <- function(v) holds_of(v, function(v) all(is.finite(v)) && all(v == round(v)))

has_few_values <- function(v, most) holds_of(v, function(v) length(unique(v)) <= most)

#' Does something hold of a vector that then holds of any part of it? The first values tell it of most others
#' @noRd
holds_of <- function(v, is) is(utils::head(v, 1000)) && is(v)

#' At most k of n rows, spread over all
#' @noRd
spread_over <- function(n, k) unique(round(seq(1, n, length.out = min(n, k))))
