# What reads the batches of a stream. A *source* is a list of closures, made
# by new_source():
#   open()      goes to the first row; called again, where rows can be had twice, for another pass
#   read(most)  the next batch, a data frame, or its first rows; NULL at the end
#   pass(rows, visit)  hands the next rows to visit(), batch by batch, and returns how many there were
#   close()     releases what open() took; harmless when there is nothing
#   types()     the class of each column of a text, by name, NA while nothing but missing
#               values was seen of it; NULL where columns have types of their own
#   settle(types)  the same, as it was learned elsewhere
#   keep(names) columns that are needed; a text passes over the others
# An error of read() may have the field `rows`: the rows of the batch it is about.

#' @param open,fetch As `open()` and `read()` above; `fetch()` need not check what
#'   it returns. @param ... the other closures, where they do something.
#' @noRd
new_source <- function(open, fetch, ...) {
  waiting <- NULL # rows of a batch of which the first ones have been had
  read <- function(most = Inf) {
    batch <- if (is.null(waiting)) fetch() else waiting
    is_batch <- is.null(batch) || is.data.frame(batch)
    must(is_batch, "source", "return a data frame, or {.code NULL} at the end", got = batch)
    rest <- NROW(batch) - most
    waiting <<- if (rest > 0) utils::tail(batch, rest)
    if (rest > 0) utils::head(batch, most) else batch
  }
  pass <- function(rows, visit = identity) {
    passed <- 0
    while (passed < rows && !is.null(batch <- read(rows - passed))) {
      visit(batch)
      passed <- passed + nrow(batch)
    }
    passed
  }
  source <- list(
    open = function() {
      waiting <<- NULL
      tryCatch(open(), error = function(cnd) { # of R or a database: the cause
        if (inherits(cnd, "sturdy_error")) stop(cnd)
        abort_sturdy("{.arg source} can't be read.", "source", arg = "source", parent = cnd)
      })
    },
    read = read, pass = pass, close = function() NULL, types = function() NULL,
    settle = function(types) NULL, keep = function(names) NULL
  )
  structure(utils::modifyList(source, list(...)), class = "sturdy_source")
}
