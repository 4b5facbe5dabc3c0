# Where the batches of bpm_stream() come from. A *reader* is a list of closures:
#   read()      the next batch, a data frame, or NULL at the end
#   skip(rows)  passes over rows that were absorbed before
#   learned(), learn(fields)   what the first batch told about the columns of a
#               CSV file, for the checkpoint of a later run
#   keep(names) columns that are needed; others are passed over
#   close()
# An error of read() has the field `rows`: the rows of the batch it is about.

stream_reader <- function(source, batch_size, options, call) {
  text <- inherits(source, "connection") ||
    (is.character(source) && length(source) == 1 && !is.na(source))
  if (text) {
    return(csv_reader(source, batch_size, check_csv_options(options, call), call))
  }
  if (length(options)) {
    do.call(check_no_dots, c(options, list(call = call)))
  }
  if (is.data.frame(source)) {
    return(frame_reader(source, batch_size))
  }
  if (is.function(source)) {
    return(function_reader(source, call))
  }
  abort_sturdy(
    "{.arg source} must be a data frame, the path of a CSV file, a connection, or
     a function that returns the next batch, not {describe(source)}.",
    "type", arg = "source", call = call
  )
}

new_reader <- function(read, skip, ...) {
  reader <- list(
    read = read, skip = skip, close = function() invisible(),
    learned = function() NULL, learn = function(fields) invisible(),
    keep = function(names) invisible()
  )
  utils::modifyList(reader, list(...))
}

# Data frame, function ----------------------------------------------------------

frame_reader <- function(source, batch_size) {
  done <- 0
  new_reader(
    read = function() {
      if (done >= nrow(source)) {
        return(NULL)
      }
      rows <- seq(done + 1, min(done + batch_size, nrow(source)))
      done <<- done + length(rows)
      source[rows, , drop = FALSE]
    },
    skip = function(rows) {
      done <<- min(rows, nrow(source))
      done
    }
  )
}

function_reader <- function(source, call) {
  waiting <- NULL
  read <- function() {
    if (!is.null(waiting)) {
      batch <- waiting
      waiting <<- NULL
      return(batch)
    }
    batch <- source()
    if (!is.null(batch) && !is.data.frame(batch)) {
      abort_sturdy(
        "{.arg source} must return a data frame, or {.code NULL} at the end, not
         {describe(batch)}.",
        "type", arg = "source", call = call
      )
    }
    batch
  }
  skip <- function(rows) {
    passed <- 0
    while (passed < rows && !is.null(batch <- read())) {
      extra <- passed + nrow(batch) - rows
      passed <- min(passed + nrow(batch), rows)
      if (extra > 0) {
        waiting <<- utils::tail(batch, extra)
      }
    }
    passed
  }
  new_reader(read, skip)
}
