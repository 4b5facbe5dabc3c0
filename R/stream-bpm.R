#' Bayes point machine on a stream of batches
#'
#' Fits a [bpm()] by assumed density filtering (ADF) to rows that come in batches:
#' from a data frame, a CSV file larger than memory, a connection, a database or a
#' function. Every row is read once, and the fit keeps none of them. The state can
#' be saved after every batch, so that a run that was stopped can be resumed.
#'
#' @details
#' ADF absorbs the rows in the order in which they come, and its result depends on
#' that order. A row costs O(k^2) time for k weights. Memory holds one batch (also
#' as text, when it comes from a file) and a few k x k matrices, however long the
#' stream is.
#'
#' No stream is too long. The labels say nothing about the common size of the weights,
#' and where classes overlap it drifts in the filter by a constant factor a row. It is
#' therefore taken out as rows come, which changes no prediction, and its logarithm kept
#' in `filter$log_scale`. [coef()][bpm-weights] and [confint()][bpm-weights] give coefficients
#' in the size that weights have in the prior. In the metric of the prior, the widest
#' direction of the posterior is kept within about 2^40 times the variance along the rows.
#'
#' # How far back the filter remembers
#' Where many more labels contradict the boundary than `epsilon` allows for, because they are wrong
#' or because the classes overlap, ADF takes rows for better evidence than they are. In effect it
#' then remembers the last few dozen rows only. A larger `epsilon` remembers longer: choose it near
#' the error rate that you expect. Weights that few rows show, such as that of a rare level, suffer
#' most. Where more than three times as many labels were predicted wrongly as `epsilon` allows for,
#' a message says so at the end (`sturdy_message_forgets`), and so does `print()`.
#'
#' # Wrong labels
#' There is no label stage ([wrong-labels]), for `epsilon` is given: what a fit says of labels, in
#' `predict()` and in [mislabelled()] of further rows, is said by its own likelihood.
#'
#' # The first batch
#' The first batch alone decides how inputs are encoded: the centre and scale of
#' numeric columns, the levels of factors, which columns are dropped because they
#' are constant or look like identifiers, and the two classes unless `levels` names
#' them. Make it large enough to show all of this, and shuffle files that are sorted. A
#' level of a factor that first appears in a later batch is an error, because it has no
#' weight; so is a third class.
#'
#' # CSV files and connections
#' The first line holds the column names. Lines are read by [readLines()] and parsed
#' by [utils::read.table()], or in less time by data.table, where that is installed, as long as all lines are plain:
#' numbers as R writes them (which may then differ in the last bit), logical values, and text, quoted as a whole or
#' not at all. A line with too few or too many fields is an error. A
#' file that was cut off is noticed in this way, unless it was cut inside the last
#' field of a line or exactly between two lines. The first batch also settles the
#' type of each column; whole numbers are read as numeric. A path may be that of a
#' compressed file. A connection that is already open is read from its current
#' position and left open; any other is opened, and closed at the end.
#'
#' What else can be read in batches is a source as a function, or as a query: an engine such as DuckDB takes files of
#' Parquet for tables, as in `dbi_source(con, "SELECT * FROM 'rows.parquet'")`.
#'
#' # Missing values
#' By default a missing input or label stops the stream with an error that names the
#' row. With `na.action = na.omit` such rows are left out and counted. Rows are
#' always numbered as in the source, whether or not some of them were left out.
#'
#' # Saving and resuming
#' With a `checkpoint`, the state of the fit is saved there after every batch. It is
#' first written to a file beside the checkpoint, which then takes its name, so that
#' the checkpoint is complete at all times; what a killed run left beside it is removed
#' when the run is resumed.
#'
#' `resume = TRUE` continues from the checkpoint. **The source must start from its
#' beginning again**, with the same rows in the same order; the rows that were read
#' before are skipped. With the same `batch_size` the fit is bitwise identical to
#' that of an uninterrupted run. Arguments that shape the model must be the same as
#' before. If there is no checkpoint yet, the run starts at the first row, so the
#' same call can be repeated until it succeeds. Without `resume`, an existing
#' checkpoint is an error; one run never overwrites the checkpoint of another.
#'
#' A checkpoint has a header with its format, its length and a digest, all of which are
#' checked before anything else is read. So a damaged file is an error, as is one of a
#' version of sturdy with another format. It contains numbers and the names of columns, read
#' as such: nothing in it is run. How inputs are encoded is settled again by the rows that
#' the stream began with, and it is an error if these are not the same. The digest
#' protects from damage, not from a forger, who can put other numbers there. To keep a fit
#' or to pass it on, use [saveRDS()] on the value of `bpm_stream()`.
#'
#' What is written goes to a file beside first, which takes the name when all of it is
#' there: on a full disk the run stops with `sturdy_error_checkpoint`, and the checkpoint
#' of the batch before is as it was.
#'
#' # Errors in a batch
#' A batch that can't be absorbed as a whole (missing or infinite values, a third
#' class, wrong columns, lines that can't be read) is not absorbed at all, and the
#' checkpoint remains as it was before. The error has the class `sturdy_error_batch`
#' as well as that of its cause, and the fields `batch` (number of the batch), `row`
#' (of the stream), `batch_row` (of the batch), and `fit`, the fit before that batch
#' (`NULL` in the first one). If columns rather than a row are at fault, `row` is the
#' first row of the batch; where the source itself failed, it is `NA`. Correct the source
#' and resume, or continue from `fit` with [absorb()].
#'
#' @param formula A formula with the response on its left, as in `class ~ .`; see
#'   [bpm()].
#' @param source A data frame; the path of a CSV file; a connection to CSV text; a query, see
#'   [dbi_source()]; or a function without arguments that returns the next batch as a data frame, and
#'   `NULL` at the end.
#' @param ... Arguments of [bpm_spec()]: any of `df`, `prior_scale` (not `"learn"`),
#'   `nugget` (0 by default), `epsilon` (not learned; 0.01 by default), `intercept` and
#'   `scale`, which refers to
#'   the first batch. For a path or a connection also arguments for [utils::read.csv()]:
#'   any of `sep`, `quote` (`"` or `'`, both or neither), `dec`, `na.strings`, `colClasses`,
#'   `check.names`, `strip.white` and `encoding` (the encoding of the file, for a path).
#' @param batch_size Number of rows in a batch, at least 1 (10000 by default). A query
#'   has its own, and the batches of a function are absorbed as they come.
#' @param levels The two classes, the event second, for a first batch that may lack
#'   one of them; `NULL` takes them from the first batch, as [bpm()] does.
#' @param na.action What to do with rows that have missing values: [stats::na.fail()],
#'   the default, stops at the first one; [stats::na.omit()] leaves them out.
#' @param checkpoint `NULL`, the default, or the path of a file to save the state to
#'   after every batch.
#' @param resume Whether to continue from the checkpoint (`FALSE` by default).
#' @param progress Whether to show the number of rows, rows per second and the
#'   prequential error, and of a data frame the time that is left: `TRUE`, `FALSE` or
#'   `NA`, as in [ep_control()].
#'
#' @return A [bpm()] fit with `inference = "adf"`, of class
#'   `c("bpm_filtered", "bpm", "sturdy_model")`. Its field `filter` is a list of
#'   * `rows`: the number of rows absorbed;
#'   * `errors`: how many of their labels were predicted wrongly before they were
#'     absorbed. The prequential error is `filter$errors / filter$rows`;
#'   * `log_score`: the sum of the log predictive probabilities of the labels before
#'     they were absorbed;
#'   * `log_evidence`: the same;
#'   * `counts`: the number of rows of each class, the event second;
#'   * `log_scale`: the logarithm of the scale taken out of the posterior, see Details;
#'   * `batches`: the number of batches read;
#'   * `source_rows`, `left_out`: the number of rows read from the source, and how
#'     many of them `na.action` left out;
#'   * `begun`: the number of rows before the batch that settled the encoding, and in it;
#'   * `history`: a data frame of `rows`, `errors` and `log_score`, cumulative, with
#'     one row per batch. When it reaches 1000 rows, every other one is dropped;
#'   * `columns`, `classes`: names and types of the columns of a CSV file, or
#'     `NULL`;
#'   * `arguments`: those that a run must repeat to resume.
#'
#' @section Conditions:
#' Errors: `sturdy_error_batch` as described above, together with one of
#' `sturdy_error_missing`, `sturdy_error_not_finite`,
#' `sturdy_error_missing_column`, `sturdy_error_column_type`,
#' `sturdy_error_novel_levels`, `sturdy_error_outcome_levels`,
#' `sturdy_error_fields` (lines that can't be read), `sturdy_error_type` and
#' `sturdy_error_not_positive_definite` (a fit that was changed). `sturdy_error_no_rows`: the
#' source is empty. `sturdy_error_source`: the file does not exist or has no header, or the
#' database refuses the query; together with `sturdy_error_separator` when the header has
#' one field and seems to be separated by another character. `sturdy_error_checkpoint`:
#' the checkpoint exists, can't be read or written, or belongs to a run with other
#' arguments or rows, or the source has fewer rows than it; together with
#' `sturdy_error_checkpoint_damaged` or `sturdy_error_checkpoint_version` when the file is
#' damaged, or was made by a version with another format. `sturdy_error_formula`:
#' `formula` is not a formula, for example because `source` was given first. Also those of
#' [bpm()] for its arguments.
#'
#' Message `sturdy_message_resumed`.
#'
#' @inherit sturdy-package references
#' @seealso [bpm()], [dbi_source()]
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(1000), b = rnorm(1000))
#' d$class <- factor(d$a + d$b > 0, labels = c("no", "yes"))
#' d$class[501:1000] <- rev(levels(d$class))[d$class[501:1000]] # the target changes
#' file <- tempfile(fileext = ".csv")
#' write.csv(d, file, row.names = FALSE)
#'
#' fit <- bpm_stream(class ~ ., file, batch_size = 100, df = 3, progress = FALSE)
#' fit$filter$errors / fit$filter$rows
#'
#' # errors in each batch
#' diff(c(0, fit$filter$history$errors))
#' unlink(file)
bpm_stream <- function(formula, source, ..., batch_size = 10000, levels = NULL, na.action = stats::na.fail,
                       checkpoint = NULL, resume = FALSE, progress = getOption("sturdy.progress", NA)) {
  check_given(rlang::is_missing(formula), "formula")
  formula <- check_stream_formula(formula, rlang::maybe_missing(source))
  batch_size <- check_count(batch_size, "batch_size", min = 1)
  progress <- check_progress(progress)
  levels <- check_levels(levels)
  na.action <- check_na_action(na.action)
  dots <- list(...)
  of_model <- rlang::names2(dots) %in% stream_model_arguments
  spec <- do.call(bpm_spec, c(dots[of_model], list(inference = "adf")), quote = TRUE)
  arguments <- c(
    list(formula = deparse1(formula), levels = levels, na.action = deparse1(na.action)),
    spec[stream_model_arguments]
  )
  run <- list(
    first = function(data) {
      molded <- mold_batch(formula, data, levels, spec$scale)
      list(model = start_stream(spec, molded), rows = molded$data)
    },
    formula = formula, na.action = na.action, arguments = arguments,
    checkpoint = checkpoint, progress = progress, total = if (is.data.frame(source)) nrow(source) else NA
  )
  state <- open_checkpoint(checkpoint, resume, arguments)
  reader <- stream_source(source, batch_size, dots[!of_model])
  on.exit(reader$close())
  reader$open()
  fit <- if (!is.null(state)) resume_stream(reader, state, run)
  fit <- absorb_stream(reader, fit, run)
  inform_forgets(fit)
  fit
}

inform_forgets <- function(fit) {
  if (filter_forgets(fit)) {
    wrong <- signif(filter_error(fit), 2)
    inform_sturdy(c(
      i = "{100 * wrong}% of the labels were predicted wrongly, and {.arg epsilon} is
           {max(fit$epsilon)}: the filter then remembers little more than the last few dozen rows.",
      i = "{.code epsilon = {min(wrong, 0.4)}} remembers longer."
    ), "forgets", error = filter_error(fit))
  }
}

# what of bpm_spec() makes sense for a stream
stream_model_arguments <- c("df", "prior_scale", "nugget", "epsilon", "intercept", "scale")

# Arguments -----------------------------------------------------------------

check_stream_formula <- function(formula, source) {
  swapped <- inherits(rlang::maybe_missing(source), "formula")
  must(
    inherits(formula, "formula"), "formula", "be a formula, as in {.code class ~ .}", "formula", got = formula,
    more = c(i = if (swapped) "The order is {.code bpm_stream(formula, source)}.")
  )
  check_given(rlang::is_missing(source), "source")
  strip_environment(formula) # as the checkpoint has it
}

check_levels <- function(levels) {
  must(
    is.null(levels) || is.atomic(levels) && length(levels) == 2 && !anyNA(levels) &&
      !anyDuplicated(as.character(levels)),
    "levels", "be two different classes, the event second", "outcome_levels", got = levels
  )
  if (!is.null(levels)) as.character(levels)
}
