#' Rows in pieces, on one machine or many
#'
#' Describes rows for [gpc()] and [bpm()] that come in pieces (shards): files, ranges of rows
#' of one file, queries, functions, or a data frame that is cut. A fit to shards keeps rows
#' where they are: what is sent to and fro between rounds of EP are matrices with a row and
#' a column for each inducing input or weight.
#'
#' @details
#' **The number of shards belongs to the data, not to the workers.** Sums over the rows are
#' taken within a shard, and then over the shards in their order. So a fit is the same to the
#' last bit without a cluster (shard after shard in this process) and with any number of
#' workers, where they have the same BLAS; other cuts of the same rows in the same order give
#' the same fixed point to the tolerance of EP.
#'
#' All shards must have the columns that the formula reads, in any order. A first pass over
#' them settles how inputs are encoded: levels, centre and scale are those of all rows. The
#' type of a column of CSV files is that in the first of them that has values there. Levels of a
#' factor, of the response too, keep their order where all shards have the same; else they are sorted,
#' as those of text, and of an ordered input they are an error (`sturdy_error_column_type`). Terms
#' that learn something of the rows, such as `poly()`, are an error. A shard may be without
#' rows, or without one that is complete.
#'
#' With `keep = FALSE` rows are read again in every pass, and encoded again; what stays in
#' memory of a row is then some 250 bytes, its sites among them. A source must give the same
#' rows in the same order whenever it is read: a digest of them is compared in every pass, and
#' others are an error (`sturdy_error_rows`).
#'
#' # The fit
#' EP takes all rows at once, with Anderson acceleration, as [gpc()] does with many rows; each
#' pass is one message to each shard and its answer. It ends at a residual of 1e-6 with more
#' than 2000 rows unless `tol` is larger. A [gpc()] has inducing inputs, 100 by default. They
#' are placed among a sample of 4000 rows that are spread over all, on which learning
#' starts, too; it ends with steps on all rows. Hyperparameters are learned by the
#' evidence at `df = Inf`; for other criteria, or a finite `df`, they must be held. A [bpm()] with
#' `nugget = 0` whose classes overlap may have no iteration of this kind that converges. Assumed
#' density filtering takes rows in their order, and is another model in pieces:
#' it is not offered.
#'
#' The fit is of class `sharded` before the others. It keeps no rows: its field `data` is `NULL`,
#' what `ep` has by row is empty, and `shards` is a list of `rows` (of each shard), `counts` (of
#' the two classes) and `left_out` (rows with missing values). Answers for rows in shards:
#' [shard_answers].
#'
#' # Wrong labels
#' EP stands at one point of the hyperparameters; with `epsilon = "average"` it learns a rate for each
#' class. The label stage ([wrong-labels]) takes scores: each shard counts its rows by what EP says of
#' them without their labels, in cells `r label_cell` of a logit wide where there are many, and the
#' cells of all shards are the rows of the field `label_stage`. It answers as elsewhere:
#' [noise_test()], [flip_rates()], [noise_matrix()] and numbers of wrong labels, predictions and
#' [mislabelled()]. What asks for single rows, such as [review()] and [confusion()], is refused, and
#' [noise_test()] does not say whether wrong labels could hide. Fits to the same shards can be
#' compared by [log_evidence()], which has EP's own value.
#'
#' # Workers
#' `cluster` is any engine that maps a function over a list: a `function(X, FUN, ...)` that
#' returns the list of answers, as [lapply()] does. `mirai::mirai_map` and
#' `future.apply::future_lapply` are such functions;
#' `function(X, FUN, ...) parallel::parLapplyLB(cl, X, FUN)` or
#' `function(X, FUN, ...) clustermq::Q(FUN, item = X, n_jobs = 8)` make one. A task is a shard and
#' a message; it depends on nothing else, so it may be done by any worker, twice, or anew where
#' one has died: the bits of the fit are the same. What has no answer is asked for again, with a
#' warning (`sturdy_warning_node_lost`), until an engine has no answer at all three times
#' (`sturdy_error_cluster`). A worker reads its shards: paths, connections to databases and functions
#' are used there. It keeps encoded rows until it is asked for another fit; who has forgotten
#' them reads them again. The package must be there in the same version
#' (`sturdy_error_worker_version`).
#'
#' Between the rounds the sites of the rows, some 32 bytes a row and round for the last six of them, are
#' in files of a folder that all workers see: a folder of its own in `checkpoint` or, without one, in
#' [tempdir()], which does for one machine. It is gone when the fit ends.
#'
#' A cluster made by [parallel::makeCluster()] will do as well. Each of its nodes has its own
#' shards. A node of a socket cluster that has gone, or that has shown no progress for `patience`
#' seconds as when the network is cut, is left out, and its shards go to the others; the last one
#' is an error. With other engines, and other kinds of clusters, a lost worker is the engine's to
#' notice.
#'
#' @param x One of
#'   * a data frame, to be cut into `n` pieces;
#'   * the paths of CSV files, a file a shard (a single one may be cut into `n` ranges of rows);
#'   * `SELECT` statements, one a shard, with `connect`. They need an `ORDER BY` on a unique
#'     key. An engine such as DuckDB takes files of Parquet for tables;
#'   * a list of functions without arguments, one a shard, each of which returns its rows as
#'     a data frame, or whatever [bpm_stream()] takes as a source.
#' @param n The number of shards of a data frame or of one file; 1 by default.
#' @param ... For CSV files, arguments of [utils::read.csv()] as in [bpm_stream()].
#' @param connect For queries, a function without arguments that returns a new DBI connection.
#' @param batch_size Number of rows that are encoded and evaluated at a time (10000 by
#'   default).
#' @param keep Whether encoded rows and their features stay in memory between the passes
#'   (`TRUE`, the default).
#' @param checkpoint `NULL`, the default, or a folder. The sites of each shard are then saved
#'   there in every round, 16 bytes a row, by whoever has the shard; workers must see it, too.
#' @param resume Whether to begin with the sites that a run on the same rows has saved in
#'   `checkpoint` (`FALSE` by default, and then sites there are an error). EP ends at the same
#'   fixed point, to its tolerance.
#' @param patience Seconds without progress after which a node of a socket cluster counts as
#'   lost, 60 by default: more where a database takes longer to begin with its answer.
#' @return An object of class `sturdy_shards`, for the argument `data` of [gpc()] and
#'   [bpm()].
#' @section Conditions:
#' `sturdy_error_type`, `sturdy_error_range` and `sturdy_error_missing_argument` for
#' arguments; `sturdy_error_checkpoint` for a folder that is not there, or that holds sites
#' without `resume`, and for files that are damaged or hold the sites of other rows. In a fit
#' `sturdy_error_shard`, beside the class of its cause: a shard can't be
#' read or encoded; beside `sturdy_error_rows` it gives other rows than before, beside
#' `sturdy_error_missing_column` it lacks a column. It has the field `shard`, its number.
#' @seealso [gpc()], [bpm()], [bpm_stream()]
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(500), b = rnorm(500))
#' d$class <- factor(d$a + d$b > 0, labels = c("no", "yes"))
#' rows <- shards(d, n = 4)
#' rows
#' bpm(class ~ ., rows, nugget = 1, epsilon = 0.05)
shards <- function(x, n = NULL, ..., connect = NULL, batch_size = 10000, keep = TRUE,
                   checkpoint = NULL, resume = FALSE, patience = 60) {
  check_given(rlang::is_missing(x), "x")
  kind <- shards_kind(x, connect)
  if (!is.null(n)) n <- check_count(n, "n", min = 1)
  if (kind == "files") text_options(list(...)) else check_no_dots(...)
  cut <- kind == "rows" || kind == "files" && length(x) == 1
  must(is.null(n) || cut, "n", "not be given: there is one shard for each entry of {.arg x}", "unknown_argument")
  check_resume(checkpoint, resume, folder = TRUE)
  structure(
    list(
      sources = shard_sources(x, kind, if (is.null(n)) 1 else n, connect, list(...)),
      options = list(
        batch_size = check_count(batch_size, "batch_size", min = 1), keep = check_flag(keep, "keep"),
        resume = resume, text = list(...), patience = check_number(patience, "patience", min = 1)
      ),
      folder = if (!is.null(checkpoint)) normalizePath(checkpoint)
    ),
    class = "sturdy_shards"
  )
}

#' @return "rows", "files", "queries" or "functions"
#' @noRd
shards_kind <- function(x, connect) {
  texts <- is.character(x) && length(x) > 0 && !anyNA(x)
  kind <- c(
    rows = is.data.frame(x) && all(dim(x) > 0), files = texts && is.null(connect),
    queries = texts && is.function(connect),
    functions = !is.data.frame(x) && is.list(x) && all(vapply(x, is.function, NA))
  )
  must(
    any(kind) && length(x), "x", "be a data frame with rows, paths of CSV files, queries or a list of functions",
    got = x, more = c(i = if (!is.null(connect)) "With {.arg connect}, a function, they are queries.")
  )
  if (kind["queries"]) check_package("DBI", "shards")
  names(which(kind))
}

#' What each shard is: list(label; x: rows, a path, a query with `connect`, or a function that makes what
#' stream_source() takes; first, rows: which of them, where it is a range of rows of a file)
#' @noRd
shard_sources <- function(x, kind, n, connect, text) {
  if (kind == "rows") {
    return(lapply(cut_rows(nrow(x), n), function(range) {
      list(label = range_label(range), x = x[range$first - 1 + seq_len(range$rows), , drop = FALSE])
    }))
  }
  if (kind == "files" && n > 1) {
    reader <- stream_source(x, 10000, text)
    on.exit(reader$close())
    reader$open()
    return(lapply(cut_rows(reader$pass(Inf), n), function(range) { # rows of a file are not its lines
      c(list(label = paste(range_label(range), "of", x), x = x), range)
    }))
  }
  label <- switch(kind, functions = paste("function", seq_along(x)), queries = paste("query", x), files = x)
  lapply(seq_along(x), function(k) list(label = label[k], x = x[[k]], connect = if (kind == "queries") connect))
}

range_label <- function(range) {
  sprintf("rows %s to %s", whole(range$first), whole(range$first + range$rows - 1))
}

#' Ranges of nearly the same number of rows
#' @noRd
cut_rows <- function(rows, n) {
  n <- min(n, max(rows, 1))
  ends <- round(seq_len(n) * as.double(rows) / n) # which may be beyond integers
  Map(function(first, last) list(first = first, rows = last - first + 1),
      c(0, ends[-n]) + 1, ends)
}

#' @export
print.sturdy_shards <- function(x, ...) {
  size <- length(x$sources)
  labels <- vapply(x$sources, `[[`, character(1), "label")
  shown <- if (size > 6) c(labels[1:3], "...", labels[size]) else labels
  cat("<sturdy_shards> ", count(size, "shard"), if (!x$options$keep) ", read in every pass",
      "\n", paste0("  ", shown, "\n"), sep = "")
  invisible(x)
}
