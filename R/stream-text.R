# Batches of a CSV file or connection. Lines are read first and parsed then, by
# read.table(), so that the row to blame for an error can be found.

#' Arguments of read.csv() that a stream hands on, with their defaults
#' @noRd
text_options <- function(options) {
  defaults <- list(
    sep = ",", quote = "\"", dec = ".", na.strings = "NA", colClasses = NA,
    check.names = TRUE, strip.white = FALSE, encoding = getOption("encoding")
  )
  unknown <- setdiff(rlang::names2(options), names(defaults))
  if (length(unknown)) abort_dots(unknown)
  Map(check_text_option, options, names(options))
  utils::modifyList(defaults, options)
}

check_text_option <- function(value, name) {
  fits <- switch(name,
    dec = rlang::is_string(value) && nchar(value, "bytes") == 1,
    sep = rlang::is_string(value),
    # read.table() ends the session where there are more than ten
    quote = rlang::is_string(value) && value %in% c("", "\"", "'", "\"'", "'\""),
    # R 4.2 takes the name of an encoding that it does not know for a format of C
    encoding = rlang::is_string(value) && !grepl("%", value, fixed = TRUE, useBytes = TRUE),
    na.strings = is.character(value),
    colClasses = rlang::is_na(value) || is.character(value),
    is_flag(value)
  )
  must(fits, name, "be as {.fn read.csv} takes it", got = value)
}

text_source <- function(source, batch_size, options) {
  force(options) # or they would be checked when the source is open
  path <- is.character(source)
  ours <- path || !isOpen(source) # opened here, so it is closed here
  con <- classes <- NULL # the class of each column, named; NA while it is unknown
  close <- function() {
    if (ours && !is.null(con)) base::close(con)
    con <<- NULL
  }
  open <- function() {
    close()
    if (path) check_file(source)
    con <<- if (path) file(source, "rt", encoding = options$encoding) else source
    if (!isOpen(con)) base::open(con, "rt")
    columns <- text_header(con, options)
    options$plain <<- options$sep %in% c(",", ";", "\t", "|") && options$quote %in% c("", "\"") &&
      l10n_info()$`UTF-8` && rlang::is_installed("data.table")
    if (is.null(classes)) classes <<- wanted_classes(columns, options$colClasses)
  }
  fetch <- function() {
    lines <- character()
    while (!length(lines)) { # of blank ones nothing is left
      lines <- readLines(con, batch_size, warn = FALSE)
      if (!length(lines)) return(NULL)
      data <- text_plain(lines, classes, options)
      if (!is.null(data)) return(data)
      lines <- text_rows(lines, con, length(classes), options)
    }
    data <- text_typed(lines, classes, options)
    if (anyNA(classes)) { # of nothing but missing values a later batch will tell
      seen <- vapply(data, function(v) if (!all(is.na(v))) class(v)[1] else NA_character_, "")
      classes[is.na(classes)] <<- seen[is.na(classes[!classes %in% "NULL"])]
    }
    data
  }
  new_source(
    open, fetch, close = close, types = function() classes,
    settle = function(types) {
      known <- intersect(names(types)[!is.na(types)], names(classes))
      classes[known] <<- types[known]
    },
    keep = function(names) classes[!names(classes) %in% names] <<- "NULL"
  )
}

check_file <- function(path) {
  why <- if (dir.exists(path)) "is a folder" else "does not exist"
  fine <- file.exists(path) && !dir.exists(path)
  must(fine, "source", "be the path of a file, and {describe(path)} {why}", "source")
  must(
    !grepl("[.]parquet$", path, ignore.case = TRUE), "source", "be a file of text, not of Parquet", "source",
    more = c(i = "An engine such as DuckDB takes it for a table: {.code dbi_source(con, \"SELECT * FROM '{path}'\")}.")
  )
}

# Columns -------------------------------------------------------------------

text_header <- function(con, options) {
  # without a byte-order mark
  line <- sub("^\ufeff", "", enc2utf8(readLines(con, 1, warn = FALSE)))
  fields <- scan(
    text = line, what = "", sep = options$sep, quote = options$quote, quiet = TRUE, strip.white = TRUE,
    na.strings = character()
  )
  must(length(fields) > 0, "source", "begin with a line of column names", "source")
  if (length(fields) == 1) check_separator(line, options$sep)
  if (options$check.names) make.names(fields, unique = TRUE) else fields
}

#' A header of one field that holds another of the usual separators
#' @noRd
check_separator <- function(line, sep) {
  other <- Find(function(mark) grepl(mark, line, fixed = TRUE), setdiff(c(";", "\t", ",", "|"), sep))
  shown <- encodeString(c(other, sep), quote = "'")
  argument <- paste("sep =", encodeString(other, quote = "\""))
  refuse(
    !is.null(other), c(
      "The file looks separated by {shown[1]}, not by {shown[2]}.", i = "Use {.code {argument}}.",
      i = if (other == ";") "If decimals are written as 1,5, also use {.code dec = \",\"}."
    ), c("separator", "source"), arg = "sep"
  )
}

#' The class of each column that `colClasses` asks for, `NA` where it is to be
#' guessed. Whole numbers may be followed by others in a later batch.
#' @noRd
wanted_classes <- function(columns, given) {
  if (is.null(names(given))) given <- stats::setNames(rep_len(given, length(columns)), columns)
  unknown <- setdiff(names(given), columns)
  must(
    !length(unknown), "colClasses", "name columns of the file, not {.val {unknown}}", "missing_column",
    columns = unknown
  )
  given[given %in% "integer"] <- "numeric"
  given[given %in% "factor"] <- "character" # factor() orders by the locale
  stats::setNames(as.character(given[columns]), columns)
}

# Rows ----------------------------------------------------------------------

#' Lines of complete rows, blank ones left out; a quoted field may run over several
#' @noRd
text_rows <- function(lines, con, width, options) {
  count <- function(lines) { # fields of each line, NA where the last one goes on in the next
    text <- textConnection(lines)
    on.exit(close(text))
    fields <- utils::count.fields(text, options$sep, options$quote, comment.char = "", blank.lines.skip = FALSE)
    fields[seq_along(lines)]
  }
  counts <- count(lines)
  while (is.na(counts[length(counts)])) {
    done <- max(which(!is.na(counts)), 0)
    more <- readLines(con, 1, warn = FALSE)
    refuse(
      length(more) == 0 || length(lines) - done > 1000, c(
        "A quoted field is not closed.",
        i = "If quotation marks are part of the text, use {.code quote = \"\"}."
      ), "fields", rows = sum(counts > 0, na.rm = TRUE) + 1
    )
    lines <- c(lines, more)
    counts <- c(counts[seq_len(done)], count(lines[seq(done + 1, length(lines))]))
  }
  found <- counts[counts > 0 & !is.na(counts)]
  bad <- which(found != width)
  refuse(
    length(bad) > 0, c(
      "Every line must have {width} field{?s}, as the first line has, not {found[bad[1]]}.",
      i = if (found[bad[1]] < width) "Was the file cut off?"
    ), "fields", rows = bad
  )
  lines[counts > 0 | is.na(counts)]
}

#' Rows of plain lines by data.table, where it is installed, in a quarter of the time: `NULL` where a line is blank or has
#' another number of fields, a field is of another type than its column, or quotation marks are not around a field alone,
#' as then read.table() has more to say
#' @noRd
text_plain <- function(lines, classes, options) {
  known <- all(classes %in% c("numeric", "character", "logical", "NULL")) && length(classes) > 1
  quoted <- if (nzchar(options$quote)) grep("\"", lines, fixed = TRUE, value = TRUE)
  missing <- paste0("\\Q", options$na.strings, "\\E\"", collapse = "|")
  field <- sprintf("(?<![^%s])\"(?!%s)[^\"]+\"(?![^%1$s])", options$sep, missing)
  if (!isTRUE(options$plain) || !known || !all(grepl(sprintf("^([^\"]++|%s)*+$", field), quoted, perl = TRUE))) {
    return(NULL)
  }
  data <- tryCatch(data.table::fread(
    text = lines, header = FALSE, sep = options$sep, quote = options$quote, dec = options$dec, skip = 0L,
    na.strings = options$na.strings, strip.white = options$strip.white, colClasses = unname(classes),
    col.names = names(classes)[classes != "NULL"], encoding = "UTF-8", data.table = FALSE, showProgress = FALSE
  ), error = function(cnd) NULL, warning = function(cnd) NULL)
  of_types <- identical(unname(vapply(data, class, "")), unname(classes[classes != "NULL"]))
  if (NROW(data) == length(lines) && of_types) data
}

#' Rows of lines, at once where every field is of the type of its column
#'
#' Otherwise by way of text: types are guessed here, numbers in quotation marks are taken, and fields of
#' another type are found.
#' @noRd
text_typed <- function(lines, classes, options) {
  frame <- function(classes) {
    utils::read.table(
      text = lines, header = FALSE, col.names = names(classes), colClasses = unname(classes), sep = options$sep,
      quote = options$quote, dec = options$dec, na.strings = options$na.strings, strip.white = options$strip.white,
      fill = FALSE, comment.char = "", check.names = FALSE, stringsAsFactors = FALSE, nrows = length(lines) + 1
    )
  }
  by_text <- function(cnd) {
    loose <- classes %in% c(NA, "numeric", "logical")
    data <- frame(replace(classes, loose, "character"))
    read <- !classes %in% "NULL"
    for (k in which(loose[read])) {
      data[[k]] <- text_column(data[[k]], names(data)[k], classes[read][[k]], options$dec)
    }
    data
  }
  if (anyNA(classes)) by_text() else tryCatch(frame(classes), error = by_text, warning = by_text)
}

#' @param class `NA` to guess it: a stray text among numbers would make the column a factor
#'   of a thousand levels.
#' @noRd
text_column <- function(text, name, class, dec) {
  guess <- if (is.na(class)) utils::type.convert(text, na.strings = character(), as.is = TRUE, dec = dec)
  if (!is.null(guess) && !is.character(guess)) {
    return(if (is.integer(guess)) as.double(guess) else guess)
  }
  wanted <- if (is.null(guess)) class else "numeric"
  value <- if (wanted == "logical") {
    as.logical(text)
  } else suppressWarnings(as.double(sub(dec, ".", text, fixed = TRUE)))
  bad <- which(is.na(value) & !is.nan(value) & !is.na(text) & nzchar(trimws(text)))
  refuse(
    length(bad) > 0 && (is.null(guess) || length(bad) < sum(!is.na(text)) / 2), c(
      "Column {.val {name}} must be {wanted}, as in its other rows, not {.val {text[bad[1]]}}.",
      i = "If this is a missing value, see {.arg na.strings}; if the column is text, use
           {.code colClasses = c({name} = \"character\")}."
    ), "column_type", column = name, rows = bad
  )
  if (is.null(guess)) value else guess
}
