#' A report on the labels, as one HTML page
#'
#' Writes what a fit says of its labels to a page for whoever holds the records. It shows whether
#' any labels are wrong, how many, the rows to check with their values and the rows that speak
#' against their labels, and what to do next; below, folded, is what all that rests on. Whoever
#' looks the rows up fills in the answers and saves them as a file that
#' [update()][update.sturdy_model] takes in.
#'
#' @details
#' The page is one file. It loads nothing, sends nothing, and can be read offline, on a
#' telephone, on a dark screen and on paper. It holds values of the rows that it lists and of their
#' neighbours: mind who may see them.
#'
#' # Answers
#' Beside each row are the answers *right*, *wrong, it is ...* and *can't say*, and room for a
#' note. None is chosen beforehand. The browser keeps the answers by the title of the page and by
#' the rows and labels that they are about: the same page written again still has them, and
#' another report has none of them. "Save answers" saves them as a CSV file, named after the page:
#' `report-answers.csv` of `report.html`. Then
#' ```
#' fit <- update(fit, checked = "report-answers.csv")
#' ```
#' takes them in. The file names each row by its position and holds the label that was recorded
#' there, which must be that of the fit. Where rows have identifiers (`id`) the file has them too,
#' and `update(id = )` with the same identifiers checks that both lead to one row. Answers of
#' "can't say" are no checks.
#'
#' The page counts how many rows are answered, and how many wrong labels are expected among the
#' rest. The probabilities of the rows answered are taken out of the count; once a wrong label has
#' been found, the others are as probable as they are if some labels are wrong. After `update()`
#' the fit counts again, with all that the answers say about the flip rate and about other rows.
#'
#' The scripts of the page are its own and can't be others: its content security policy names them
#' by their digest. Where scripts are off, the page is read and printed as it is.
#'
#' # Why a row is suspected
#' For each row of the list the page shows the rows most similar to it, with the labels recorded
#' there. The similarity of two rows is the correlation of their latent values under the
#' prior, without bias and nugget, averaged over the nodes of the fit: 1 for equal inputs, near 0
#' for rows that say nothing about each other. Differences count by the learned lengthscales, so
#' that inputs that do not matter do not count. For a [bpm()] they count by the weights. The
#' probabilities come from all rows; the neighbours are there to be looked at.
#'
#' # Wrong, unusual or right
#' A row whose label its values contradict may be labelled wrongly, or be an unusual row of its class.
#' Beside the probability that the label is wrong the page says in words which is more probable than
#' not: "probably wrong", "unusual: label probably right" (the column `unusual` of [mislabelled()]),
#' "wrong, or unusual" where only the two together are, or "probably right", from 0.2 on "more likely right
#' than wrong"; nothing where the inputs say next to nothing of the classes.
#'
#' Where rows of two classes look alike ([noise_test()] names the two), wrong labels between them can't
#' be told from the overlap, as the page says of each such row, and need not stand out. Then the page has
#' `r alike_each` more rows of each, side by side, to be checked: those that look most like the other
#' class.
#'
#' # Models
#' For fits by [gpc()], [stc()], [second_stage()] and, by EP, [bpm()], with any number of classes.
#' With a given or learned flip rate there is no test whether labels are wrong, and the page says
#' so.
#'
#' @param object A model fitted by [gpc()], [stc()], [second_stage()] or, by EP, [bpm()].
#' @param file The file to write, which is replaced if it exists; its folder must.
#' @param n How many rows to list (20 by default).
#' @param neighbours How many similar rows to show for each (8 by default).
#' @param data The data frame given to the fit. With it the page also shows up to four columns
#'   that are no inputs, such as names or numbers of records, or columns that the fit dropped:
#'   those that differ in every row come first, and the page names the others. `NULL`, the
#'   default, shows only what the model keeps: its inputs.
#' @param title Title of the page, one string; `NULL` makes one.
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default).
#' @param id Identifiers of the rows, shown in the title of each and kept in the file of answers:
#'   the name of a column of `data`, or what [mislabelled()] takes. `NULL`, the default, uses the
#'   names of the rows where these are not their positions, and the columns of `data` that are no
#'   inputs and differ in every row; the file of answers has the first of these columns, too.
#' @param since An earlier version, a fit, a data frame or the name of a CSV file: the page then begins with what changed,
#'   and whether that is worse, see [audit()]. Rows go by the identifiers of the page if it has a column of that name,
#'   otherwise by the names of the rows.
#' @param ... Not used.
#' @return The path of the file, invisibly.
#' @section Conditions:
#' `sturdy_error_missing_argument` without `file`; `sturdy_error_no_sites` for a [bpm()] that has
#' absorbed rows by filtering and for fits to [shards()], which keep no rows; `sturdy_error_length`
#' when `data` does not have the rows given to the fit; `sturdy_error_file` when the file can't be
#' written.
#' @seealso [update()][update.sturdy_model], which takes the answers in; [mislabelled()],
#'   [noise_test()], [review()], [calibration()]
#' @export
#' @examples
#' set.seed(1)
#' x <- data.frame(a = rnorm(60), b = rnorm(60))
#' y <- flip_labels(factor(x$a > 0), 0.1, seed = 1)
#' fit <- gpc(x, y, kernel = kernel_iso(1, fixed = TRUE), epsilon = "average")
#' file <- tempfile(fileext = ".html")
#' label_report(fit, file, n = 5)
#' # browseURL(file)
#' unlink(file)
label_report <- function(object, file, n = 20, neighbours = 8, data = NULL, title = NULL,
                         level = 0.9, id = NULL, since = NULL, ...) {
  must(
    missing(object) || !inherits(object, c("sturdy_mislabelled", "sturdy_review")), "object",
    "be the fit itself, not the list of its rows",
    more = c(i = "Of scores it is {.code second_stage(scores, labels)}.")
  )
  object <- fit_of(object, ...)
  check_label_each(object)
  must(
    !missing(file), "file", "be given", "missing_argument",
    more = c(i = "The page is written there: {.code label_report(fit, \"report.html\")}.")
  )
  file <- check_report_file(file)
  n <- check_count(n, "n", min = 1)
  neighbours <- check_count(neighbours, "neighbours", min = 1)
  level <- check_level(level)
  must(is.null(title) || rlang::is_string(title), "title", "be one string", got = title)
  values <- report_values(object, data, id)
  found <- suppressMessages(mislabelled(object, level = level))
  test <- attr(found, "test")
  if (identical(test$kind, "blind")) found$unusual <- NULL # nothing is told of single rows
  values$alike <- test$alike
  rows <- report_rows(object, found, n, values$alike)
  if (is.null(title)) title <- "Which labels are wrong?"
  answers <- report_answers(object, found, unlist(rows), values$ids, answers_file(file), title)
  page <- fill_template("page.html", c(
    list(title = title, style = html(report_part("page.css")), script = html(report_part("answers.js"))),
    list(answers = answers), answers_code(file, id, substitute(data), substitute(id)),
    if (!is.null(since)) report_since(report_audit(object, since, values$ids, level)),
    report_data(object), report_noise(object, test), report_count(object, found),
    report_suspects(object, found, rows, values, neighbours), report_calibration(object),
    report_next(object, test, n, level), report_end(object)
  ))
  write_file(file, function(put) put(page))
  invisible(file)
}

check_report_file <- function(file) {
  must(rlang::is_string(file) && nzchar(file), "file", "be the path of a file, one string", got = file)
  file <- path.expand(file)
  must(
    dir.exists(dirname(file)) && !dir.exists(file), "file",
    "be the path of a file in a folder that exists", "file",
    more = c(x = "{.path {file}} {if (dir.exists(file)) 'is a folder' else 'is not'}.")
  )
  file
}

#' Identifiers that most rows share say little of which row it is
#' @noRd
inform_shared_id <- function(ids) {
  own <- length(unique(ids))
  inform_these("shared_id", c(
    i = "There are {these} identifier{?s} for {length(ids)} rows.",
    i = "{.arg id} is the column that says which row it is."
  ), identifiers = own[own < length(ids) / 2])
}

# What is shown of rows -------------------------------------------------------------

report_inputs <- 8L # columns that are inputs, and
report_others <- 4L # others, at most

#' Values of the rows of the fit: columns that are no inputs first, identifiers above all, then
#' the inputs, those that matter most first
#' @return list(frame, left, unread, ids, title): `left` the number of inputs not shown, `unread`
#'   the names of other columns not shown, `ids` of row_ids(), `title` what identifies each row
#'   beside its number.
#' @noRd
report_values <- function(object, data, id) {
  if (!is.null(data)) augment_place(object, data) # it must have the rows given to the fit
  ids <- report_ids(object, data, id)
  title <- list(ids$value)
  inputs <- decode_features(object$data$X, object$blueprint)[input_order(object)$place]
  shown <- inputs[seq_len(min(report_inputs, length(inputs)))]
  left <- length(inputs) - length(shown)
  unread <- character()
  if (!is.null(data)) {
    others <- other_columns(object, data)
    columns <- others$frame[seq_len(min(report_others, length(others$frame)))]
    if (is.null(id) && others$unlike > 0) title <- columns[seq_len(min(others$unlike, 2))]
    if (is.null(ids) && others$unlike > 0) ids <- row_ids(object$data, data[names(columns)[1]])
    unread <- setdiff(others$names, names(columns))
    shown <- cbind(columns, shown)
  }
  row.names(shown) <- make.unique(as.character(object$data$row_names))
  title <- do.call(paste, c(lapply(title, id_text), sep = ", "))
  list(frame = shown, left = left, unread = unread, ids = ids, title = title)
}

#' Identifiers of the rows, and what is odd about them
#' @noRd
report_ids <- function(object, data, id) {
  column <- rlang::is_string(id)
  must(
    !is.null(data) || !column || object$data$n_given == 1, "id",
    "be a column of {.arg data}, to be given, too, or the identifiers themselves", "id", got = id
  )
  ids <- row_ids(object$data, id, data)
  inform_these("id_input", c(
    i = "{.val {these}}, the identifier, is an input of the fit, too.",
    i = "{.code update(fit, . ~ . - {these})} leaves it out."
  ), columns = if (column) intersect(id, object$blueprint$columns))
  if (!is.null(id)) inform_shared_id(ids$value)
  ids
}

#' Columns of a table that are no inputs, at the rows of the fit: those that differ in every row first
#' @return list(frame; unlike: how many differ in every row; names, of lists and matrices, too)
#' @noRd
other_columns <- function(object, data) {
  used <- c(used_columns(object$blueprint), object$blueprint$response)
  others <- data[!names(data) %in% c(used, NA, "") & !duplicated(names(data))]
  plain <- others[vapply(others, function(v) is.atomic(v) && is.null(dim(v)), NA)]
  unlike <- vapply(plain, is_identifier, NA)
  frame <- plain[object$data$rows, order(!unlike), drop = FALSE]
  list(frame = frame, unlike = sum(unlike), names = names(others))
}
