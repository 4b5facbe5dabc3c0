#' Bayes point machine on a stream of batches
#'
#' Fits a [bpm()] by assumed density filtering (ADF) to rows that come in batches:
#' from a data frame, a CSV file larger than memory, a connection, or a function.
#' Every row is seen once; the fit keeps none of them. The state can be saved after
#' every batch, and a run that was stopped goes on from there.
#'
#' @details
#' ADF absorbs the rows in the order in which they come, and its result depends on
#' that order. A row costs O(k^2) time for k weights; memory holds one batch, twice
#' as text when it comes from a CSV file, and a few k x k matrices, however long
#' the stream.
#'
#' # The first batch
#' It alone decides how inputs are encoded: centre and scale of numeric columns,
#' levels of factors, columns that are dropped because they are constant, and the
#' two classes unless `levels` names them. Make it large enough to show all that,
#' and shuffle files that are sorted. A later batch with a level of a factor that
#' the first one lacks is an error, for its weight would be unknown; so is a third
#' class.
#'
#' # CSV files and connections
#' The first line holds the column names. Lines are read by [readLines()] and
#' parsed by [utils::read.csv()] with `fill = FALSE`; a line with too few or too
#' many fields, as at the end of a file that was cut off, is an error. (A file
#' that was cut off inside the last field of a line, or exactly between two lines,
#' cannot be told from a complete one.) The first batch also settles the type of
#' each column; whole numbers are read as numeric. A path may be that of a
#' compressed file. A connection that is open is read from where it stands and
#' left open; one that is not is opened, and closed at the end.
#'
#' # Saving and resuming
#' With a `checkpoint`, the fit is saved there by [saveRDS()] after every batch:
#' to a file beside it first, which then takes its name, so that the checkpoint is
#' complete at all times. `readRDS(checkpoint)` is an ordinary fit.
#' `resume = TRUE` goes on from it: **the source must start from its beginning
#' again**, with the same rows in the same order, and the rows that the checkpoint
#' has absorbed are skipped. With the same `batch_size`, the fit is bitwise the one
#' an unbroken run gives. Arguments that shape the model must be as before. Where
#' there is no checkpoint yet, the run starts at the first row, so that the same
#' call can be repeated until it gets through. Without `resume`, a checkpoint that
#' exists is an error: it is never overwritten by another run.
#'
#' # Errors in a batch
#' A batch that can't be absorbed as a whole (missing or infinite values, a third
#' class, wrong columns, lines that can't be read) is not absorbed at all, and the
#' checkpoint stays as it was before. The error has the class `sturdy_error_batch`
#' besides that of its cause, and the fields `batch` (number of the batch), `row`
#' (of the stream), `batch_row` (of the batch), and `fit`, the fit before that
#' batch (`NULL` in the first one). Where columns are at fault rather than a row,
#' `row` is the first one of the batch. Correct the source and resume; or go on
#' from `fit` by `update()`.
#'
#' @param source A data frame; the path of a CSV file; a connection to CSV text; or
#'   a function without arguments that returns the next batch, a data frame, and
#'   `NULL` at the end. Its batches are absorbed as they come.
#' @param formula A formula with the response on its left, as in `class ~ .`; see
#'   [bpm()].
#' @param ... For a path or a connection, arguments for [utils::read.csv()]: any of
#'   `sep`, `quote` (one character or none), `dec`, `na.strings`, `colClasses`,
#'   `check.names`, `strip.white` and `encoding` (that of the file). Otherwise
#'   nothing.
#' @param batch_size Number of rows in a batch.
#' @param levels The two classes, the event second, for a first batch that may lack
#'   one of them; `NULL` takes them from the first batch.
#' @param df Degrees of freedom of the prior, above 0; `Inf` is Gaussian.
#' @param prior_scale Prior scale of the weights, as in [bpm()], but not `"learn"`.
#' @param epsilon The probability that a recorded label is wrong, as in [bpm()], but
#'   not learned.
#' @param intercept,scale As in [bpm()]; `scale` refers to the first batch.
#' @param checkpoint `NULL`, or the path of a file to save the fit to after every
#'   batch.
#' @param resume Whether to go on from the checkpoint.
#' @param progress Whether to show rows, rows a second and the prequential error.
#'
#' @return A [bpm()] fit with `inference = "adf"`, whose field `filter` has besides
#'   `rows`, `errors` (labels that were predicted wrong before they were absorbed)
#'   and `log_score` (the sum of their log probabilities) the fields
#'   * `batches`: the number of batches absorbed;
#'   * `history`: a data frame of `rows`, `errors` and `log_score`, cumulative, a
#'     line a batch. When it reaches 1000 lines every other one is left out;
#'   * `columns`, `classes`: names and types of the columns of a CSV file, or
#'     `NULL`;
#'   * `arguments`: those that a run must repeat to resume.
#'
#'   The prequential error is `filter$errors / filter$rows`.
#'
#' @section Conditions:
#' Errors: `sturdy_error_batch` as described above, together with one of
#' `sturdy_error_missing`, `sturdy_error_not_finite`,
#' `sturdy_error_missing_column`, `sturdy_error_column_type`,
#' `sturdy_error_novel_levels`, `sturdy_error_outcome_levels`,
#' `sturdy_error_fields` (lines that can't be read), `sturdy_error_type` and
#' `sturdy_error_not_positive_definite`. `sturdy_error_no_rows`: the source is
#' empty. `sturdy_error_source`: the file does not exist or has no header.
#' `sturdy_error_checkpoint`: the checkpoint exists, can't be read or written, or
#' is of other arguments or columns, or the source has fewer rows than it. And
#' those of [bpm()] for arguments.
#'
#' Message `sturdy_message_resumed`.
#'
#' @inherit sturdy-package references
#' @seealso [bpm()], [sim_drift()]
#' @export
#' @examples
#' d <- sim_drift(n = 1000, p = 10, segments = 2, seed = 1)
#' file <- tempfile(fileext = ".csv")
#' write.csv(data.frame(d$x, class = d$y), file, row.names = FALSE)
#'
#' fit <- bpm_stream(file, class ~ ., batch_size = 100, df = 3, progress = FALSE)
#' fit$filter$errors / fit$filter$rows
#'
#' # errors in each batch: the target changes after row 500
#' diff(c(0, fit$filter$history$errors))
#' unlink(file)
bpm_stream <- function(source,
                       formula,
                       ...,
                       batch_size = 10000,
                       levels = NULL,
                       df = Inf,
                       prior_scale = 1,
                       epsilon = 0.01,
                       intercept = TRUE,
                       scale = TRUE,
                       checkpoint = NULL,
                       resume = FALSE,
                       progress = interactive()) {
  call <- rlang::current_env()
  batch_size <- check_count(batch_size, "batch_size", min = 1)
  progress <- check_flag(progress, "progress")
  formula <- check_stream_formula(formula, call)
  levels <- check_levels(levels, call)
  spec <- bpm_spec(
    df = df, prior_scale = prior_scale, epsilon = epsilon, inference = "adf",
    intercept = intercept, scale = scale, control = ep_control(progress = FALSE)
  )
  arguments <- list(
    formula = deparse1(formula), levels = levels, df = spec$df,
    prior_scale = spec$prior_scale, epsilon = spec$epsilon,
    intercept = spec$intercept, scale = scale
  )
  fit <- open_checkpoint(checkpoint, resume, arguments, call)
  reader <- stream_reader(source, batch_size, list(...), call)
  on.exit(reader$close())
  start <- function(data) {
    molded <- mold_batch(formula, data, levels, scale, call)
    fit <- bpm_start(spec, molded, bpm_prior(spec, molded$blueprint, call), call)
    begin_stream(fit, molded, arguments, call)
  }
  if (!is.null(fit)) {
    resume_reader(reader, fit, call)
  }
  absorb_stream(reader, fit, start, checkpoint, progress, call)
}

# Arguments -----------------------------------------------------------------

check_stream_formula <- function(formula, call) {
  if (!inherits(formula, "formula")) {
    abort_sturdy(
      "{.arg formula} must be a formula, as in {.code class ~ .}, not
       {describe(formula)}.",
      "formula", arg = "formula", call = call
    )
  }
  formula
}

check_levels <- function(levels, call) {
  if (is.null(levels)) {
    return(NULL)
  }
  if (!is.atomic(levels) || length(levels) != 2 || anyNA(levels) ||
    anyDuplicated(as.character(levels))) {
    abort_sturdy(
      "{.arg levels} must be two different classes, the event second, not
       {describe(levels)}.",
      "outcome_levels", arg = "levels", call = call
    )
  }
  as.character(levels)
}

# Batches -------------------------------------------------------------------

#' All batches of a reader, one after the other
#'
#' @param fit the fit so far, or `NULL`. @param start a function that makes the
#'   fit to the first batch.
#' @noRd
absorb_stream <- function(reader, fit, start, checkpoint, progress, call) {
  show <- if (progress) stream_progress() else function(fit) NULL
  repeat {
    data <- in_batch(reader$read(), fit, NULL, checkpoint, call)
    if (is.null(data)) {
      break
    }
    if (nrow(data) == 0) {
      next
    }
    fit <- in_batch(
      if (is.null(fit)) start(data) else absorb_batch(fit, data, call),
      fit, data, checkpoint, call
    )
    if (fit$filter$batches == 1) {
      blueprint <- fit$blueprint
      reader$keep(c(blueprint$variables, blueprint$response))
      learned <- reader$learned()
      fit$filter[names(learned)] <- learned
    }
    save_checkpoint(fit, checkpoint, call)
    show(fit)
  }
  if (is.null(fit)) {
    abort_sturdy(
      "{.arg source} must have at least one row.",
      "no_rows", arg = "source", call = call
    )
  }
  fit
}

absorb_batch <- function(fit, data, call) {
  new <- forge_labelled(fit$blueprint, data, NULL, NULL, call)
  record_batch(fit$filter, absorb_rows(fit, new$X, new$y, call))
}

begin_stream <- function(prior, molded, arguments, call) {
  before <- list(
    batches = 0, history = NULL, columns = NULL, classes = NULL,
    arguments = arguments
  )
  record_batch(before, absorb_rows(prior, molded$data$X, molded$data$y, call))
}

#' What a stream keeps besides the counts of absorb_rows()
#' @noRd
record_batch <- function(before, fit) {
  now <- fit$filter[c("rows", "errors", "log_score", "log_evidence", "counts")]
  history <- rbind(before$history, as.data.frame(now[c("rows", "errors", "log_score")]))
  if (nrow(history) >= 1000) {
    history <- history[seq(2, nrow(history), by = 2), ]
  }
  rownames(history) <- NULL
  fit$filter <- c(now, list(
    batches = before$batches + 1, history = history, columns = before$columns,
    classes = before$classes, arguments = before$arguments
  ))
  fit
}

#' As mold_formula() does it, for a batch that may lack a class
#' @noRd
mold_batch <- function(formula, data, levels, scale, call) {
  frame <- model_frame(formula, data, call)
  terms <- attr(frame, "terms")
  arg <- rlang::as_label(formula[[2]])
  y <- stats::model.response(frame)
  outcome <- if (is.null(levels)) {
    check_third_class(y, arg, call)
    mold_outcome(y, arg, one_class = TRUE, call = call)
  } else {
    list(y = forge_outcome(y, levels, call, arg), levels = levels)
  }
  blueprint <- formula_blueprint(formula, terms, data, outcome$levels)
  features <- formula_features(frame, terms, call)
  molded <- mold_features(features, nrow(frame), scale, blueprint, call)
  molded$data$y <- outcome$y
  molded
}

#' The row of a first batch that brings a third class
#' @noRd
check_third_class <- function(y, arg, call) {
  first <- if (is.atomic(y)) which(!duplicated(y) & !is.na(y))
  if (length(first) > 2) {
    abort_sturdy(
      c(
        "{.arg {arg}} must have two classes, not {length(first)}.",
        x = "Found: {.val {few(as.character(y[first]))}}."
      ),
      "outcome_levels", arg = arg, rows = first[-(1:2)], call = call
    )
  }
}
