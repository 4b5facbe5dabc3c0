# How a shard reads its rows: once, where they are kept, or anew in every pass.
#
# The state of a shard is an environment with
#   shard, source, options, saved, run, folder   see shard_task()
#   number      of the message
#   signed      when it last gave a sign of life, see shard-sites.R
#   blueprint   how its rows are encoded, with na.action and types
#   keep        whether encoded rows and features stay in memory
#   blocks      environments, one a batch of the source: at, its number; n, its rows; before, those
#               before it; rows, their positions in the shard; y, and X, Phi, lambda while they are
#               kept; digest of X and y
#   digest      of those of the blocks
#   prior       what features are made of: list(n_all, d, nugget, Z, columns, hyper), or of linear ones list(n_all,
#               d, nugget, weights: their prior as bpm_design() takes it, scale: of each weight); d is the
#               dimension of the t
#   wanted      columns that are read, or NULL: all
#   read        how many rows there were in a pass before the batch that is visited, after it in all
#   passed      digest of the columns in the last pass that were watched
#   made        points and sites by the numbers of messages, see shard-sites.R

#' The first rows, and the types of columns of a text
#' @noRd
shard_head <- function(state) {
  rows <- NULL
  types <- each_frame(state, function(data) if (is.null(rows)) rows <<- data, most = 100)
  list(rows = rows, types = types)
}

#' Encodes the rows as the blueprint says
#' @param needed,scanned columns that a scan has read, and its digest of them, or `NULL`.
#' @return list(counts: of the two classes; left_out: rows with missing values; digest: of the rows)
#' @noRd
shard_encode <- function(state, blueprint, na.action, types, needed = NULL, scanned = NULL) {
  list2env(list(blueprint = blueprint, na.action = na.action, types = types, blocks = list()), state)
  counts <- c(0, 0)
  each_batch(state, function(data) {
    n <- length(data$y)
    ends <- range(data$rows) # where none is left out between, a range takes next to no memory
    block <- list2env(list(
      at = length(state$blocks) + 1, n = n + 0, before = sum(counts), digest = rows_digest(data),
      rows = if (diff(ends) == n - 1) seq.int(ends[1], ends[2]) else data$rows
    ))
    if (state$options$keep) list2env(data[c("X", "y")], block)
    state$blocks[[block$at]] <- block
    counts <<- counts + c(sum(data$y < 0), sum(data$y > 0))
  }, needed)
  check_same_rows(is.null(scanned) || identical(scanned, state$passed))
  state$digest <- digest(vapply(state$blocks, `[[`, "", "digest"))
  list(counts = counts, left_out = state$read - sum(counts), digest = state$digest)
}

rows_digest <- function(data) digest(data[c("X", "y")])

#' What `visit(block, rows)` gives of every block, the encoded rows being there
#' @param visit `rows`, see block_rows(), are made if it reads them.
#' @noRd
each_block <- function(state, visit) {
  if (state$options$keep) {
    return(lapply(state$blocks, function(block) {
      sign_of_life(state)
      visit(block, block_rows(state, block))
    }))
  }
  answers <- vector("list", length(state$blocks))
  number <- 0
  each_batch(state, function(data) {
    number <<- number + 1
    known <- if (number <= length(answers)) as.list(state$blocks[[number]])
    check_same_rows(identical(known$digest, rows_digest(data)))
    block <- list2env(c(known, data[c("X", "y")]))
    answers[number] <<- list(visit(block, block_rows(state, block)))
  })
  check_same_rows(number == length(answers))
  answers
}

check_same_rows <- function(same) {
  must(same, NULL, "have the same rows in the same order whenever it is read", "rows", of = "A shard")
}

#' The sum of what `visit(block, rows)` gives of every block, `NULL` of none
#' @noRd
sum_blocks <- function(state, visit, add) add_up(each_block(state, visit), add)

add_up <- function(parts, add) Reduce(add, parts[lengths(parts) > 0])

#' Features and lambda of a block as native functions take them [M 9.1]
#' @noRd
block_rows <- function(state, block) {
  prior <- state$prior
  if (is.null(block[["Phi"]])) {
    list2env(if (is.null(prior$Z)) {
      list(Phi = sqrt(prior$scale) * bpm_design(block$X, prior$weights), lambda = rep(prior$nugget, block$n))
    } else native_features(block$X, prior$Z, prior$columns, prior$hyper), block)
  }
  c(list(Phi = block$Phi, lambda = block$lambda, kind = 1 + (block$y > 0)), prior[c("n_all", "d", "nugget")])
}

#' Encoded rows by their numbers in the shard, ascending
#' @return list(X, y; of a table times, too)
#' @noRd
shard_rows <- function(state, rows) {
  sum_blocks(state, function(block, ...) {
    mine <- intersect(rows - block$before, seq_len(block$n))
    list(X = block$X[mine, , drop = FALSE], y = block$y[mine])
  }, add_rows)
}

add_rows <- function(a, b) list(X = rbind(a$X, b$X), y = c(a$y, b$y))

#' @param visit is given list(X, y, rows: their positions in the shard) of every batch of which
#'   rows are kept. @param watched see each_frame().
#' @noRd
each_batch <- function(state, visit, watched = NULL) {
  each_frame(state, watched = watched, visit = function(data) {
    # rows that lack a value of a column that the encoding has dropped are left out, too
    needed <- state$blueprint$needed
    whole <- if (is.null(needed)) rep(TRUE, nrow(data)) else {
      stats::complete.cases(by_formula(stats::model.frame(needed, data, na.action = stats::na.pass), "data"))
    }
    some <- if (all(whole)) data else data[whole, , drop = FALSE]
    new <- forge_labelled(state$blueprint, some, NULL, state$na.action, "data")
    new$rows <- state$read + which(whole)[new$rows]
    if (length(new$y)) visit(new)
  })
}

#' Reads the rows, in batches
#' @param watched columns of which there is to be a digest. @param most rows that are wanted.
#' @return the types of their columns, of a text.
#' @noRd
each_frame <- function(state, visit, watched = NULL, most = Inf) {
  source <- state$source
  size <- state$options$batch_size
  x <- if (!is.null(source$connect)) {
    trying(source$connect(), "{.arg connect} stopped with an error.", "source")
  } else if (is.function(source$x)) source$x() else source$x
  # what is opened for a shard is closed, also where its reader can't be made, or be closed
  if (inherits(x, "DBIConnection")) on.exit(DBI::dbDisconnect(x))
  if (inherits(x, "connection") && isOpen(x)) on.exit(close(x))
  reader <- if (is.null(source$connect)) stream_source(x, size, state$options$text) else dbi_source(x, source$x, size)
  on.exit(reader$close(), add = TRUE, after = FALSE)
  reader$open()
  reader$settle(state$types)
  if (!is.null(source$first)) reader$pass(source$first - 1)
  if (length(state$wanted)) reader$keep(state$wanted)
  state$read <- 0
  state$passed <- ""
  reader$pass(min(most, source$rows), function(data) {
    sign_of_life(state)
    if (nrow(data)) visit(data)
    state$read <- state$read + nrow(data)
    # how R holds text that was made of numbers changes when it is read
    plain <- lapply(unclass(data)[watched], function(v) if (is.character(v)) paste0(v) else v)
    if (length(plain)) state$passed <- digest(list(state$passed, plain))
  })
  reader$types()
}
