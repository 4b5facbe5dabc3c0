# What a stream notes of its batches, in the field `filter` of its fit: counts, and what the
# first batch settles.

empty_filter <- function(arguments) {
  c(no_counts, list(
    batches = 0, source_rows = 0, left_out = 0, begun = c(0, 0), history = NULL, columns = NULL, classes = NULL,
    arguments = arguments
  ))
}

history_columns <- c("rows", "errors", "log_score")

#' @param filter as it was before a batch. @param counts that of absorb_rows().
#' @noRd
record_batch <- function(filter, counts, n, kept) {
  if (!is.null(counts)) filter[names(no_counts)] <- counts[names(no_counts)]
  filter$batches <- filter$batches + 1
  filter$source_rows <- filter$source_rows + n
  filter$left_out <- filter$left_out + n - kept
  history <- rbind(filter$history, as.data.frame(filter[history_columns]))
  if (nrow(history) >= 1000) history <- history[seq(2, nrow(history), by = 2), ] # the last one stays
  rownames(history) <- NULL
  filter$history <- history
  filter
}

#' What the first batch settles of its source
#' @noRd
begun_stream <- function(filter, fit, reader) {
  types <- reader$types()
  if (!is.null(types)) filter[c("columns", "classes")] <- list(names(types), unname(types))
  reader$keep(labelled_columns(fit$blueprint))
  filter
}

#' A formula of the response and what features are made of: a text passes over the other columns
#' @noRd
read_formula <- function(blueprint) {
  read <- as.list(attr(blueprint$terms, "variables"))[-1]
  rlang::new_formula(blueprint$formula[[2]], sum_of(read), environment(blueprint$terms))
}

#' Positions of the rows of a batch that `na.action` keeps
#'
#' na.fail() is left to the checks further on, which name the row, and so is a
#' batch whose variables can't be computed.
#' @noRd
kept_rows <- function(data, fit, run) {
  formula <- if (is.null(fit)) run$formula else read_formula(fit$blueprint)
  frame <- if (!identical(run$na.action, stats::na.fail)) {
    tryCatch(stats::model.frame(formula, data, na.action = stats::na.pass), error = function(cnd) NULL)
  }
  if (is.null(frame) || nrow(frame) != nrow(data)) return(seq_len(nrow(data)))
  rows_kept(stats::complete.cases(frame), run$na.action)
}
