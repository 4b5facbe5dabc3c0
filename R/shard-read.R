# How a shard reads its rows: once, where they are kept, or anew in every pass.
#
# The state of a shard is an environment with
#   source      description of where its rows come from, see shards()
#   blueprint   how they are encoded
#   keep        whether encoded rows and features stay in memory
#   blocks      environments, one a batch of the source: y, and X, Phi, lambda while they
#               are kept; here, trial: points (see native-shard.R); memory: differences of
#               points, newest first; good: tau and nu at the last fixed point
#   scale       of the step from `here` to `trial`
#   known       differences that the sums at `trial` know of, the step among them
#   prior       what features are made of, see shard_features()
#   file        where its sites are saved, or NULL

#' @param source description of where the rows come from. @param options list(batch_size,
#'   keep, text: arguments of read.csv()). @param file for its sites, or `NULL`.
#' @noRd
shard_open <- function(state, source, options, file = NULL) {
  state$source <- source
  state$options <- options
  state$file <- file
  state$keep <- FALSE # until they are
  state$blocks <- list()
  NULL
}

#' The first rows, and the types of columns of a text
#' @noRd
shard_head <- function(state) {
  reader <- shard_reader(state)
  on.exit(reader$close())
  data <- reader$read()
  list(
    rows = if (!is.null(data)) utils::head(data, 100), types = reader$types()
  )
}

#' Encodes the rows as the blueprint says
#' @return list(counts: of the two classes; left_out: rows with missing values; saved: whether
#'   sites were, by an earlier run)
#' @noRd
shard_encode <- function(state, blueprint, na.action, types) {
  state$blueprint <- blueprint
  state$na.action <- na.action
  state$types <- types
  state$keep <- FALSE
  state$blocks <- list()
  counts <- c(0, 0)
  left_out <- 0
  digests <- character()
  each_batch(state, function(data) {
    block <- new.env(parent = emptyenv())
    block$n <- length(data$y)
    if (state$options$keep) list2env(data[c("X", "y")], block)
    state$blocks[[length(state$blocks) + 1]] <- block
    counts <<- counts + c(sum(data$y < 0), sum(data$y > 0))
    if (!is.null(state$file)) digests <<- c(digests, rlang::hash(data[c("X", "y")]))
  }, function(rows) left_out <<- left_out + rows)
  state$keep <- state$options$keep
  saved <- FALSE
  if (!is.null(state$file)) {
    state$digest <- rlang::hash(digests)
    sizes <- vapply(state$blocks, function(block) block$n + 0, numeric(1))
    sites <- read_sites(state$file, state$digest, sizes)
    saved <- !is.null(sites)
    Map(function(block, sites) block$good <- sites, state$blocks[saved], sites)
  }
  list(counts = counts, left_out = left_out, saved = saved)
}

#' What `visit(block)` gives of every block, the encoded rows being there
#' @noRd
each_block <- function(state, visit) {
  if (state$keep) {
    return(lapply(state$blocks, visit))
  }
  number <- 0
  answers <- list()
  each_batch(state, function(data) {
    number <<- number + 1
    block <- state$blocks[[number]]
    list2env(data[c("X", "y")], block)
    on.exit(rm(list = intersect(c("X", "Phi", "lambda"), names(block)), envir = block))
    answers[[number]] <<- visit(block)
  })
  answers
}

#' Encoded rows by their numbers in the shard, ascending
#' @noRd
shard_rows <- function(state, rows) {
  before <- 0
  parts <- each_block(state, function(block) {
    mine <- rows[rows > before & rows <= before + block$n] - before
    before <<- before + block$n
    list(X = block$X[mine, , drop = FALSE], y = block$y[mine])
  })
  list(
    X = do.call(rbind, lapply(parts, `[[`, "X")), y = unlist(lapply(parts, `[[`, "y"))
  )
}

#' @param visit is given list(X, y) of every batch of which rows are kept, `left_out` the
#'   number of rows of each batch that are not.
#' @noRd
each_batch <- function(state, visit, left_out = function(rows) NULL) {
  each_frame(state, function(data) {
    new <- forge_labelled(state$blueprint, data, NULL, state$na.action, NULL, "data")
    left_out(nrow(data) - length(new$y))
    if (length(new$y)) visit(new)
  })
}

each_frame <- function(state, visit) {
  reader <- shard_reader(state)
  on.exit(reader$close())
  repeat {
    data <- reader$read()
    if (is.null(data)) break
    if (nrow(data)) visit(data)
  }
}

#' An open source of the rows
#' @noRd
shard_reader <- function(state) {
  source <- state$source
  reader <- switch(source$kind,
    frame = stream_source(source$data, state$options$batch_size, list(), NULL),
    file = stream_source(source$path, state$options$batch_size, state$options$text, NULL),
    query = query_source(source, state$options$batch_size),
    "function" = stream_source(source$open(), state$options$batch_size, list(), NULL)
  )
  open_source(reader, NULL)
  if (!is.null(state$types)) reader$settle(state$types)
  if (source$kind == "file") {
    reader$skip(source$first - 1)
    reader$limit(source$rows)
  }
  reader
}

query_source <- function(source, batch_size) {
  con <- source$connect()
  reader <- dbi_source(con, source$query, batch_size)
  close <- reader$close
  reader$close <- function() {
    close()
    DBI::dbDisconnect(con)
  }
  reader
}
