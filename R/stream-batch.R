# The batches of bpm_stream(), one after the other, and what is said of a bad one.

#' All batches of a source, one after the other
#'
#' @param fit the fit so far, or `NULL`. @param run what stays the same: `first()`
#'   makes the model and the encoded rows of the first batch.
#' @noRd
absorb_stream <- function(reader, fit, run) {
  filter <- if (is.null(fit)) empty_filter(run$arguments) else fit$filter
  show <- stream_progress(run$progress, run$total, filter$rows)
  repeat {
    first <- is.null(fit)
    data <- kept <- NULL
    tryCatch({
      data <- reader$read()
      if (NROW(data)) kept <- kept_rows(data, fit, run)
      if (length(kept)) {
        some <- data[kept, , drop = FALSE]
        now <- if (first) run$first(some) else list(fit, forge_labelled(fit$blueprint, some, NULL, NULL, "source"))
        fit <- absorb_rows(now[[1]], now[[2]]$X, now[[2]]$y)
      }
    }, error = function(cnd) abort_batch(cnd, fit, filter, kept, run))
    if (is.null(data)) break
    if (nrow(data) == 0) next
    if (first) filter$begun <- c(filter$source_rows, nrow(data))
    filter <- record_batch(filter, fit$filter, nrow(data), length(kept))
    if (is.null(fit)) next
    if (first) filter <- begun_stream(filter, fit, reader)
    fit$filter <- filter
    if (!is.null(run$checkpoint)) save_state(fit, run$checkpoint)
    show(filter)
  }
  must(!is.null(fit), "source", "have at least one row", "no_rows", more = c(
    i = if (filter$left_out > 0) "All {whole(filter$left_out)} {qty(filter$left_out)}row{?s} had missing values."
  ))
  fit
}

#' As mold_formula() does it, for a batch that may lack a class
#' @noRd
mold_batch <- function(formula, data, levels, scale) {
  frame <- model_frame(formula, data, "source")
  arg <- rlang::as_label(formula[[2]])
  y <- stats::model.response(frame)
  outcome <- if (is.null(levels)) {
    # of numbers that are all 1 the other class may be 0 or -1
    open <- if (is.numeric(y)) length(two_codes(y)) > 1 else !is.logical(y) && nlevels(y) != 2
    must(
      !open || length(unique(y)) != 1, arg,
      "have both classes in the first batch, or be told them", "outcome_levels",
      more = c(
        x = "Found: {.val {as.character(y[1])}}.",
        i = "Name both by {.arg levels}, the event second, as in
             {.code levels = c(\"no\", \"yes\")}."
      )
    )
    mold_outcome(y, arg, one_class = TRUE)
  } else {
    list(y = forge_outcome(y, levels, arg), levels = levels)
  }
  molded <- mold_terms(formula, frame, data, scale, outcome)
  molded$data$y <- outcome$y
  molded
}

# Errors --------------------------------------------------------------------

#' Says in which batch and row an error came up
#'
#' Most errors know their row. Otherwise the columns are at fault, and it is the first one; or the
#' source failed.
#' @param fit,filter the fit before the batch, and its counts. @param kept positions in the batch of the rows
#'   that are absorbed, `NULL` before they are known.
#' @noRd
abort_batch <- function(cnd, fit, filter, kept, run) {
  done <- filter$rows
  batch <- filter$batches + 1
  of_source <- is.null(kept) && !inherits(cnd, "sturdy_error")
  known <- c(cnd$row, cnd$rows, if (of_source) NA else 1)[1]
  batch_row <- as.double(if (is.null(kept)) known else kept[known])
  row <- filter$source_rows + batch_row
  classes <- grep("^sturdy_error_", class(cnd), value = TRUE)
  abort_sturdy(
    c(
      if (is.na(row)) {
        "Batch {whole(batch)} can't be read: it would begin with row {whole(filter$source_rows + 1)} of the stream."
      } else {
        "Batch {whole(batch)} can't be absorbed: row {whole(batch_row)} of the batch, row {whole(row)} of the stream."
      },
      i = if (done > 0) {
        "The field {.code fit} of this error is the fit to the {whole(done)} {qty(done)}row{?s} before the batch."
      },
      i = if (done > 0 && !is.null(run$checkpoint)) {
        "{.file {run$checkpoint}} contains the same fit: correct the source, then continue
         with {.code resume = TRUE}."
      }
    ),
    c("batch", sub("^sturdy_error_", "", classes)),
    batch = batch, row = row, batch_row = batch_row, fit = fit, parent = cnd
  )
}
