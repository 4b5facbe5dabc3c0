# Several labels a row: the columns of a wide table, a reader each, or the reports of a long one.
# Either is one column of a model frame, a matrix of codes; see readers().

#' Labels by several readers
#'
#' The response of [gpc()], [stc()] or [bpm()] where rows were labelled by more than one reader
#' (annotator, rater, test, expert): each reader has flip rates (of several classes a noise matrix)
#' of its own, and what is asked for is the true class of each row.
#'
#' @details
#' # Wide and long tables
#' A **wide** table has a row for each item and a column for each reader, `NA` where a reader did
#' not label the item: `readers(ann, bob, cleo) ~ x1 + x2`, or `readers(labels)` with a data frame
#' or matrix of such columns. A **long** table has a row for each report: `readers(label, reader =
#' who, item = case) ~ x1 + x2`. Its inputs must be the same in all rows of an item. A reader may
#' report on an item more than once; the reports are taken as independent, as those of different
#' readers are.
#'
#' # What is assumed
#' Given the true class of a row its reports are independent, and how often a reader is wrong
#' depends on the true class alone (Dawid and Skene, 1979), not on the inputs. The true class
#' depends on the inputs through the latent function.
#'
#' Readers who copy from each other (language models as judges do), or err on the same hard rows, tell
#' less than they seem to. So pairs of readers with at least 30 rows in common are looked at: given
#' the true class, is what both say coupled in a share of the rows? Where that is better by more
#' than one more parameter and the choice among the pairs are worth (BIC), the labels of the two
#' count as those of fewer readers in rows that both have labelled, a message says so (`"a and b share errors: they count as 1.3
#' readers"`), and the true classes and all rates are learned once more. This is for pairs, a reader in one at most: what
#' three or more share makes answers too sure, and exact copies of the only reader can't be told. Of three
#' classes or more the labels of a reader who gave one answer alone are left out where others have labelled.
#'
#' Each rate of a reader has a Beta(1, b) prior on (0, 1.25), cut off at 1, with `b` the `rate` of
#' [noise_prior()] (4 by default: a mean of 0.25), and the rates of two readers have the prior correlation
#' `pooling`. So the rate of a reader may exceed 1/2: the others show up one who is worse than
#' chance, or who always says the same (a message names those). With three classes or more where
#' errors go is learned of each reader. With `epsilon = "average"` there are two noise models: `"none"`, under
#' which no label is wrong, and a rate for each class (a matrix), which has the prior probability that
#' `models` of [noise_prior()] gives to all others together. The first is left out where two readers
#' contradict each other. `epsilon = "learn"` learns one rate for each reader.
#'
#' Labels fit more than one story of who is right. The search starts from several: all readers alike,
#' the majority right, and of up to eight the majority without each of them, those who always say the
#' same never among it; the best by evidence is taken. A message says where readers report a class and
#' the fit expects less than one row of it.
#'
#' The boundary is learned under these rates of two classes, under one rate for each reader of several.
#' All that is said of readers and true classes comes from the label stage after it ([wrong-labels]).
#'
#' # What is answered
#' [predict()][predict.sturdy_model] with `type = "true"` gives the probabilities of the true
#' class of each row, given its labels too; [reader_rates()]
#' says how good each reader is, and [mislabelled()] which reader was wrong on which row. There is no one
#' recorded label. Where the object must
#' have one (`data$y`, the counts of the classes that `print()` shows) it is the label that most
#' readers gave: in a tie the first in the order of the levels, and in a row with `gold` that
#' label. Whatever needs one recorded label is refused, with the class `sturdy_error_readers`.
#'
#' @param ... For a wide table labels by each reader, with an entry for each row, `NA` where there
#'   is none: vectors, whose names or expressions are the names of the readers, or one data frame
#'   or matrix. For a long one the labels, a single vector.
#' @param reader,item For a long table, who gave each label, and of which item.
#' @param gold The true class, where it is known for certain, otherwise `NA`: such rows tell most of
#'   the readers' rates.
#' @return An object of class `sturdy_readers`, a matrix of codes, for use as the response of a fit.
#' @section Conditions:
#' `sturdy_error_readers` for arguments that are no such labels, for inputs that differ between the
#' rows of an item, and, from verbs, where a fit with several readers has no answer.
#' @references
#' Dawid, A. P. and Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates using
#' the EM algorithm. *Applied Statistics* 28, 20-28.
#' @seealso [reader_rates()], [gpc()]
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(x = rnorm(40))
#' truth <- d$x > 0
#' read <- function(wrong) ifelse(runif(40) < wrong, !truth, truth)
#' d$ann <- read(0.1)
#' d$bob <- read(0.3)
#' d$bob[1:10] <- NA
#' fit <- gpc(readers(ann, bob) ~ x, d, kernel = kernel_iso(1, fixed = TRUE))
#' fit
#' head(predict(fit, type = "true"))
#' reader_rates(fit)
readers <- function(..., reader = NULL, item = NULL, gold = NULL) {
  long <- !is.null(reader) || !is.null(item)
  labels <- reader_columns(list(...), as.list(substitute(list(...)))[-1], long)
  n <- length(labels[[1]])
  labels <- c(labels, list(gold)[!is.null(gold)])
  alike <- vapply(labels, function(v) is.atomic(v) && is.null(dim(v)) && length(v) == n, NA)
  must(
    all(alike), "...", "be vectors of labels of one length, {n}", "readers",
    of = "The labels of readers, and {.arg gold},"
  )
  said <- joint_levels(labels)
  codes <- matrix(match(said$values, said$levels), n)
  who <- names(labels)[seq_len(ncol(codes) - !is.null(gold))]
  colnames(codes) <- c(who, "gold"[!is.null(gold)])
  of <- if (long) list(reader = one_a_label(reader, "reader", n), item = one_a_label(item, "item", n))
  new_readers(
    cbind(codes, reader = as.integer(of$reader), item = as.integer(of$item)),
    levels = said$levels, gold = !is.null(gold),
    readers = if (long) levels(of$reader) else who, items = levels(of$item)
  )
}

#' Who gave each label of a long table, or of which item, as a factor
#' @noRd
one_a_label <- function(v, arg, n) {
  must(
    is.atomic(v) && !is.null(v) && is.null(dim(v)) && length(v) == n && !anyNA(v), arg,
    "have an entry for each of the {n} label{?s}, without missing values", "readers", got = v
  )
  if (is.factor(v)) droplevels(v) else factor(v, unique(v))
}

#' @param codes n x columns: a reader each, or the label alone; then gold, reader and item, where
#'   there are any. @param levels of the codes. @param items names, of a long table.
#' @noRd
new_readers <- function(codes, levels, gold, readers, items) {
  structure(
    codes, levels = levels, gold = gold, readers = readers, items = items,
    class = c("sturdy_readers", "matrix")
  )
}

is_readers_response <- function(y) inherits(y, "sturdy_readers")

#' The labels as a list of vectors, named by reader
#' @noRd
reader_columns <- function(given, expr, long) {
  must(length(given) > 0, "...", "have labels of at least one reader", "readers")
  must(
    !long || length(given) == 1, "...",
    "be the labels alone, with {.arg reader} and {.arg item} by name: a column for each reader
     goes without these", "readers"
  )
  table <- given[[1]]
  if (length(given) == 1 && (is.data.frame(table) || is.matrix(table)) && ncol(table) > 0) {
    names <- colnames(table)
    if (is.null(names)) names <- paste0("reader", seq_len(ncol(table)))
    columns <- lapply(seq_along(names), function(k) table[, k, drop = TRUE])
    return(stats::setNames(columns, names))
  }
  names <- rlang::names2(given)
  words <- vapply(expr, rlang::as_label, "")
  names[!nzchar(names)] <- words[!nzchar(names)]
  must(
    !anyDuplicated(names), "...", "name each reader once", "readers",
    more = c(x = "More than once: {.val {unique(names[duplicated(names)])}}.")
  )
  stats::setNames(given, names)
}

#' All labels as one vector of text, and the classes in their order
#' @noRd
joint_levels <- function(labels) {
  labels <- unname(labels)
  if (!any(vapply(labels, is.factor, NA))) {
    values <- unlist(lapply(labels, as.vector))
    known <- values[!is.na(values)]
    must(length(known) > 0, "...", "not be missing in all rows", "readers")
    return(list(values = as.character(values), levels = levels(outcome_factor(known, "..."))))
  }
  levels <- lapply(labels, function(v) if (is.factor(v)) levels(v) else text_levels(as.character(v)))
  list(values = unlist(lapply(labels, as.character)), levels = unique(unlist(levels)))
}

#' @export
`[.sturdy_readers` <- function(x, i, j, ..., drop = FALSE) {
  if (!missing(j)) {
    return(unclass(x)[i, j, drop = drop])
  }
  picked <- unclass(x)[i, , drop = FALSE]
  for (name in c("levels", "gold", "readers", "items", "class")) attr(picked, name) <- attr(x, name)
  picked
}

#' Rows that nobody has labelled; of a long table they are not yet known
#' @noRd
#' @export
is.na.sturdy_readers <- function(x) {
  none <- if (is.null(attr(x, "items"))) rowSums(!is.na(unclass(x))) == 0 else logical(nrow(x))
  matrix(none)
}

#' @export
print.sturdy_readers <- function(x, ...) {
  long <- !is.null(attr(x, "items"))
  items <- if (long) length(attr(x, "items")) else nrow(x)
  print_title(
    "<sturdy_readers> ", if (long) "long, ", count(items, "item"), ", ",
    count(length(attr(x, "readers")), "reader"), ", classes ", toString(attr(x, "levels"))
  )
  invisible(x)
}

# In a fit ----------------------------------------------------------------------------

#' The first row of each item of a long table in the place of all, with a column for each of the
#' reports on it
#' @param frame a model frame.
#' @noRd
one_a_item <- function(frame) {
  y <- stats::model.response(frame)
  items <- attr(y, "items")
  if (!is_readers_response(y) || is.null(items)) {
    return(frame)
  }
  item <- unclass(y)[, "item"]
  first <- match(unique(item), item) # the row that an item is read from
  of <- match(item, item[first])
  response <- attr(attr(frame, "terms"), "response")
  for (name in names(frame)[-response]) {
    v <- as.matrix(frame[[name]])
    differs <- rowSums(!same_values(v, v[first[of], , drop = FALSE])) > 0
    must(
      !any(differs), NULL, "be the same in all rows of an item", "readers",
      more = c(x = "Column {.val {name}} differs in {.val {few(items[unique(item[differs])])}}."),
      of = "Inputs"
    )
  }
  frame <- frame[first, , drop = FALSE]
  frame[[response]] <- wide_readers(y, of, length(first))
  attr(frame, "items") <- items[item[first]]
  frame
}

#' Which entries are equal, two missing ones too
#' @noRd
same_values <- function(a, b) (is.na(a) & is.na(b)) | (a == b) %in% TRUE

#' A long table as a wide one: a column for each reader, more for one who has labelled an item again
#' @param of the item of each row, 1..n.
#' @noRd
wide_readers <- function(y, of, n) {
  codes <- unclass(y)
  reader <- codes[, "reader"]
  said <- !is.na(codes[, 1])
  turn <- occurrence(of + as.double(n) * reader) # the first, second, .. label of an item by this reader
  column <- interaction(reader, turn, drop = TRUE, lex.order = TRUE)
  wide <- matrix(NA_integer_, n, nlevels(column))
  wide[cbind(of, as.integer(column))[said, , drop = FALSE]] <- codes[said, 1]
  who <- as.integer(sub("[.].*$", "", levels(column)))
  colnames(wide) <- attr(y, "readers")[who]
  gold <- isTRUE(attr(y, "gold"))
  if (gold) {
    true <- codes[, "gold"]
    wide <- cbind(wide, gold = true[!is.na(true)][match(seq_len(n), of[!is.na(true)])])
  }
  new_readers(wide, attr(y, "levels"), gold, attr(y, "readers"), NULL)
}

#' How often each number has occurred up to here: 1, where it is the first time, 2, ...
#' @noRd
occurrence <- function(key) {
  order <- order(key)
  replace(integer(length(key)), order, sequence(rle(key[order])$lengths))
}

#' Labels of readers as molded rows have them
#' @param y of a wide table, or of a long one that was made wide. @param ... of mold_outcome().
#' @return list(y, the labels that most readers gave; levels; said: list(row, source, value,
#'   sources), of which noise-known.R makes reports)
#' @noRd
mold_readers <- function(y, arg, ...) {
  # model.response() takes one column for a vector
  codes <- if (is.null(dim(y))) matrix(y, dimnames = list(NULL, attr(y, "readers"))) else unclass(y)
  names <- attr(y, "levels")
  at <- which(!is.na(codes), arr.ind = TRUE)
  source <- match(colnames(codes), attr(y, "readers"))
  if (attr(y, "gold")) source[ncol(codes)] <- 0L
  said <- list(
    row = unname(at[, "row"]), source = source[at[, "col"]], value = codes[at], sources = attr(y, "readers")
  )
  if (length(unique(said$value)) > 2) said <- without_constant(said)
  given <- names[said$value]
  outcome <- mold_outcome(factor(given, names), arg, ...)
  said$value <- match(given, outcome$levels)
  most <- most_reported(said, nrow(codes), length(outcome$levels))
  list(y = label_codes(most, outcome$levels), levels = outcome$levels, said = said)
}

constant_least <- 10L # labels, all alike: less is chance

#' Readers who gave one answer alone, and that to many rows
#' @param said list(source, value, sources), or a table of reports.
#' @return which of the sources
#' @noRd
report_constant <- function(said) {
  values <- split(said$value, factor(said$source, seq_along(said$sources)))
  which(vapply(values, function(v) length(v) >= constant_least && all(v == v[1]), NA))
}

#' Labels of several classes without those of readers who say one thing alone, on rows that others have
#' labelled: they tell nothing, and a fit could take every row for that class
#' @noRd
without_constant <- function(said) {
  constant <- report_constant(said)
  inform_these(
    "constant_readers",
    c(i = "{qty(length(these))}Reader{?s} {.val {few(these)}} gave one answer alone, which tells nothing of the rows, and is
           left out where others have labelled."),
    readers = said$sources[constant]
  )
  theirs <- said$source %in% constant
  kept <- !theirs | !said$row %in% said$row[!theirs]
  said[c("row", "source", "value")] <- lapply(said[c("row", "source", "value")], `[`, kept)
  said
}

#' The class that most reports on each row name, of a tie the first; what is certain has more
#' weight than all others
#' @param said list(row, source, value). @return 1..C
#' @noRd
most_reported <- function(said, n, classes) {
  certain <- said$source == 0L
  votes <- report_votes(said, n, classes, !certain)
  max.col(votes + (length(certain) + 1) * report_votes(said, n, classes, certain), "first")
}

#' How many reports on each row name each class: n x C
#' @param said list(row, source, value). @param which of the reports.
#' @noRd
report_votes <- function(said, n, classes, which = said$source > 0L) {
  cell <- said$row + n * (said$value - 1L)
  matrix(tabulate(cell[which], n * classes), n)
}
