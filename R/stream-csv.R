# The batches of a CSV file or connection: lines are read first and parsed then,
# so that the line to blame for an error can be found.

#' Arguments of read.csv() that a stream hands on
#' @noRd
check_csv_options <- function(options, call) {
  known <- c(
    "sep", "quote", "dec", "na.strings", "colClasses", "check.names",
    "strip.white", "encoding"
  )
  unknown <- if (length(options)) !(names2(options) %in% known)
  do.call(check_no_dots, c(options[unknown], list(call = call)))
  options <- utils::modifyList(
    list(sep = ",", quote = "\"", check.names = TRUE), as.list(options)
  )
  quote <- options$quote
  if (!is.character(quote) || length(quote) != 1 || nchar(quote) > 1) {
    abort_sturdy(
      "{.arg quote} must be one character or empty, not {describe(quote)}.",
      "choice", arg = "quote", call = call
    )
  }
  options
}

names2 <- function(x) {
  if (is.null(names(x))) character(length(x)) else names(x)
}

open_source <- function(source, encoding, call) {
  if (is.character(source) && !file.exists(source)) {
    abort_sturdy(
      "{.arg source} must be the path of a file that exists: {.file {source}}
       does not.",
      "source", arg = "source", call = call
    )
  }
  if (is.character(source)) {
    if (is.null(encoding)) {
      encoding <- getOption("encoding")
    }
    source <- file(source, "rt", encoding = encoding)
    return(list(con = source, close = function() close(source)))
  }
  if (isOpen(source)) {
    return(list(con = source, close = function() invisible()))
  }
  open(source, "rt")
  list(con = source, close = function() close(source))
}

csv_reader <- function(source, batch_size, options, call) {
  opened <- open_source(source, options$encoding, call)
  options$encoding <- NULL
  columns <- NULL # names
  classes <- NULL # a class a column, once they are known
  start <- function() {
    if (is.null(columns)) {
      columns <<- csv_header(opened$con, options, call)
    }
  }
  read <- function(size = batch_size) {
    start()
    lines <- csv_lines(opened$con, size, options$quote, call)
    if (is.null(lines)) {
      return(NULL)
    }
    data <- csv_parse(lines, columns, classes, options, call)
    if (is.null(classes)) {
      classes <<- csv_classes(data)
      whole <- vapply(data, is.integer, logical(1))
      data[whole] <- lapply(data[whole], as.double)
    }
    data
  }
  skip <- function(rows) {
    start()
    passed <- 0
    while (passed < rows) {
      lines <- csv_lines(opened$con, min(batch_size, rows - passed), options$quote, call)
      if (is.null(lines)) {
        break
      }
      passed <- passed + csv_records(lines, columns, options)
    }
    passed
  }
  new_reader(
    read, skip,
    close = opened$close,
    learned = function() list(columns = columns, classes = classes),
    learn = function(fields) {
      start()
      check_same_columns(columns, fields$columns, call)
      classes <<- fields$classes
    },
    keep = function(names) classes[!columns %in% names] <<- "NULL"
  )
}

csv_header <- function(con, options, call) {
  line <- readLines(con, 1, warn = FALSE)
  fields <- if (length(line)) {
    line <- sub("^\ufeff", "", enc2utf8(line)) # byte-order mark
    scan(
      text = line, what = "", sep = options$sep, quote = options$quote,
      quiet = TRUE, strip.white = TRUE, na.strings = character()
    )
  }
  if (length(fields) == 0) {
    abort_sturdy(
      "{.arg source} must begin with a line of column names.",
      "source", arg = "source", call = call
    )
  }
  if (options$check.names) make.names(fields, unique = TRUE) else fields
}

#' The next lines, blank ones left out; a quoted field may run over several
#' @noRd
csv_lines <- function(con, size, quote, call) {
  repeat {
    lines <- readLines(con, size, warn = FALSE)
    if (length(lines) == 0) {
      return(NULL)
    }
    marks <- quote_marks(lines, quote)
    last <- length(lines)
    while (sum(marks) %% 2 == 1) {
      more <- readLines(con, 1, warn = FALSE)
      if (length(more) == 0 || length(lines) >= last + 1000) {
        abort_unclosed(which(marks %% 2 == 1)[1], call)
      }
      lines <- c(lines, more)
      marks <- c(marks, quote_marks(more, quote))
    }
    full <- if (any(marks > 0)) rep(TRUE, length(lines)) else nzchar(lines)
    if (any(full)) {
      return(lines[full])
    }
  }
}

#' Number of quotation marks in each line
#' @noRd
quote_marks <- function(lines, quote) {
  marks <- integer(length(lines))
  if (nzchar(quote)) {
    with <- grep(quote, lines, fixed = TRUE, useBytes = TRUE)
    without <- gsub(quote, "", lines[with], fixed = TRUE, useBytes = TRUE)
    marks[with] <- nchar(lines[with], "bytes") - nchar(without, "bytes")
  }
  marks
}

abort_unclosed <- function(row, call) {
  abort_sturdy(
    c(
      "A quoted field is not closed.",
      i = "If quotation marks are text, use {.code quote = \"\"}."
    ),
    "fields", rows = row, call = call
  )
}

csv_frame <- function(lines, columns, classes, options) {
  fixed <- list(
    text = lines, header = FALSE, col.names = columns, fill = FALSE,
    colClasses = if (is.null(classes)) NA else classes, comment.char = "",
    stringsAsFactors = FALSE, nrows = length(lines)
  )
  do.call(utils::read.csv, utils::modifyList(
    utils::modifyList(options, list(check.names = FALSE)), fixed
  ))
}

csv_parse <- function(lines, columns, classes, options, call) {
  first <- is.null(classes)
  given <- options$colClasses
  data <- tryCatch(
    csv_frame(lines, columns, if (first) given else classes, options),
    error = function(cnd) {
      abort_fields(lines, columns, options, call)
      csv_convert(lines, columns, if (first) given else classes, options, cnd, call)
    }
  )
  if (first) {
    check_mostly_numbers(data, names(given), options$dec, call)
  }
  data
}

# Number of records in lines: fewer when quoted fields run over several
csv_records <- function(lines, columns, options) {
  if (!any(quote_marks(lines, options$quote) > 0)) {
    return(length(lines))
  }
  nrow(csv_frame(lines, columns, "character", options))
}

csv_classes <- function(data) {
  vapply(data, function(v) if (is.integer(v)) "numeric" else class(v)[1], "")
}

# What is wrong with lines ------------------------------------------------------

#' A line with too few or too many fields (cut off, most often)
#' @noRd
abort_fields <- function(lines, columns, options, call) {
  con <- textConnection(lines)
  on.exit(close(con))
  counts <- utils::count.fields(
    con, sep = options$sep, quote = options$quote, comment.char = "",
    blank.lines.skip = FALSE
  )
  counts <- counts[!is.na(counts)] # NA: the record goes on
  bad <- which(counts != length(columns))
  if (length(bad)) {
    abort_sturdy(
      c(
        "Every line must have {length(columns)} field{?s}, as the first one,
         not {counts[bad[1]]}.",
        i = if (counts[bad[1]] < length(columns)) "Was the file cut off?"
      ),
      "fields", rows = bad, call = call
    )
  }
}

#' The slow way, for what read.csv() refuses: numbers in quotation marks, and
#' fields that are not of the type of their column, which are errors
#' @noRd
csv_convert <- function(lines, columns, classes, options, cnd, call) {
  if (length(classes) != length(columns)) {
    abort_sturdy(
      "The lines can't be read as CSV.", "fields",
      rows = 1L, parent = cnd, call = call
    )
  }
  kept <- ifelse(classes == "NULL", "NULL", "character")
  text <- csv_frame(lines, columns, kept, options)
  types <- classes[classes != "NULL"]
  for (j in which(types %in% c("numeric", "logical"))) {
    text[[j]] <- csv_column(text[[j]], names(text)[j], types[j], options$dec, call)
  }
  for (j in which(types == "factor")) {
    text[[j]] <- factor(text[[j]])
  }
  text
}

csv_column <- function(text, name, type, dec, call) {
  text[!nzchar(trimws(text))] <- NA
  bad <- if (type == "numeric") {
    not_number(text, dec)
  } else {
    which(!is.na(text) & is.na(as.logical(text)))
  }
  if (length(bad)) {
    abort_sturdy(
      "Column {.val {name}} must be {type} as in the first batch, not
       {.val {text[bad[1]]}}.",
      "column_type", column = name, rows = bad, call = call
    )
  }
  if (type == "numeric") as_number(text, dec) else as.logical(text)
}

#' Which texts are neither a number nor missing
#' @noRd
not_number <- function(text, dec = NULL) {
  which(!is.na(text) & nzchar(trimws(text)) & is.na(as_number(text, dec)))
}

as_number <- function(text, dec = NULL) {
  if (!is.null(dec)) {
    text <- sub(dec, ".", text, fixed = TRUE)
  }
  suppressWarnings(as.double(text))
}

#' A stray text among numbers would make the column a factor of a thousand levels
#' @noRd
check_mostly_numbers <- function(data, given, dec, call) {
  for (name in setdiff(names(data), given)) {
    if (!is.character(data[[name]])) {
      next
    }
    bad <- not_number(data[[name]], dec)
    if (length(bad) && length(bad) < sum(!is.na(data[[name]])) / 2) {
      abort_sturdy(
        c(
          "Column {.val {name}} holds numbers, but also
           {.val {data[[name]][bad[1]]}}.",
          i = "For a missing value, see {.arg na.strings}; if the column is text,
               use {.code colClasses = c({name} = \"character\")}."
        ),
        "column_type", column = name, rows = bad, call = call
      )
    }
  }
}

check_same_columns <- function(columns, before, call) {
  if (!identical(columns, before)) {
    abort_sturdy(
      c(
        "The columns of {.arg source} must be those of the run that is resumed.",
        x = "Now: {.val {few(columns)}}.",
        i = "Then: {.val {few(before)}}."
      ),
      "checkpoint", arg = "source", call = call
    )
  }
}
